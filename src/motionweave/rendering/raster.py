"""Pictures from capsules and triangles without a graphics card: small compiled loops.

Rays are cast through every sample of a pixel against each tapered capsule, within the box
that the capsule covers in the picture; what is nearest wins. Everything is in the camera's
coordinates (x right, y up, z ahead, the eye at the origin), and colours are linear.
"""

from __future__ import annotations

import math

import numpy as np

from motionweave.core.runtime.kernels import kernel

# Nothing nearer to the eye than this, in units of the scene's size, is drawn.
NEAR = 1e-3
# Of the lamp: how much of it wraps round the body, its strength, and the sky's and the floor's.
_WRAP, _KEY, _SKY, _GROUND, _RIM = 0.25, 0.78, 0.42, 0.20, 0.10


@kernel(fastmath=True)
def _lit(nx, ny, nz, dx, dy, dz, light, up, rise, colour, out):  # type: ignore[no-untyped-def]
    """Colour (3,) of a surface with a normal, seen along a direction, ``rise`` above the floor."""
    facing = nx * light[0] + ny * light[1] + nz * light[2]
    key = max(0.0, (facing + _WRAP) / (1.0 + _WRAP))
    sky = 0.5 + 0.5 * (nx * up[0] + ny * up[1] + nz * up[2])
    # Near the floor less of the sky is seen from below.
    near = min(1.0, 0.55 + 0.45 * rise)
    soft = (_SKY * sky + _GROUND * (1.0 - sky)) * near
    edge = 1.0 + (nx * dx + ny * dy + nz * dz)
    rim = _RIM * edge * edge * edge * (0.4 + 0.6 * sky)
    hx, hy, hz = light[0] - dx, light[1] - dy, light[2] - dz
    half = (nx * hx + ny * hy + nz * hz) / math.sqrt(hx * hx + hy * hy + hz * hz)
    half = max(0.0, half) ** 2
    half = half * half * half
    gloss = 0.10 * half * half * half * half
    for c in range(3):
        out[c] = colour[c] * (soft + _KEY * key) + rim + gloss


@kernel(fastmath=True)
def draw_capsules(a, b, radii, colours, light, up, floor, size, lens, picture, depth):  # type: ignore[no-untyped-def]
    """Draw tapered capsules (S) into ``picture`` (h, w, 3) and ``depth`` (h, w).

    ``a`` and ``b`` (S, 3) are the balls' centres, ``radii`` (S, 2), ``colours`` (S, 3),
    ``light`` and ``up`` unit vectors. Nearer capsules should come first: what they hide costs
    little then. ``floor`` is how far the eye is above the floor and
    ``size`` the body's height. ``lens`` holds focal length, and where in the picture (x, y)
    the camera's axis goes through, all in samples.
    """
    rows, columns = depth.shape
    focal, cx, cy = lens[0], lens[1], lens[2]
    shade = np.empty(3)
    for s in range(a.shape[0]):
        ax, ay, az = a[s, 0], a[s, 1], a[s, 2]
        bx, by, bz = b[s, 0], b[s, 1], b[s, 2]
        ra, rb = radii[s, 0], radii[s, 1]
        near_a, near_b = az - ra, bz - rb
        nearest = min(near_a, near_b)
        if nearest < NEAR * size:
            continue
        # Balls project to ellipses a little larger than radius over depth.
        pa = 1.03 * focal * ra / near_a
        pb = 1.03 * focal * rb / near_b
        xa, ya = cx + focal * ax / az, cy - focal * ay / az
        xb, yb = cx + focal * bx / bz, cy - focal * by / bz
        left = max(0, math.floor(min(xa - pa, xb - pb)))
        right = min(columns - 1, math.ceil(max(xa + pa, xb + pb)))
        top = max(0, math.floor(min(ya - pa, yb - pb)))
        bottom = min(rows - 1, math.ceil(max(ya + pa, yb + pb)))
        wx, wy, wz = bx - ax, by - ay, bz - az
        length = math.sqrt(wx * wx + wy * wy + wz * wz)
        coned = length > abs(ra - rb) + 1e-9 * size
        if coned:
            wx, wy, wz = wx / length, wy / length, wz / length
            sine = (ra - rb) / length
            cosine2 = 1.0 - sine * sine
        else:
            sine, cosine2 = 0.0, 1.0
        aa = ax * ax + ay * ay + az * az
        bb = bx * bx + by * by + bz * bz
        y0 = -(ax * wx + ay * wy + az * wz)
        fixed = cosine2 * aa - y0 * y0 + 2.0 * ra * sine * y0 - ra * ra
        for i in range(top, bottom + 1):
            dy0 = -(i + 0.5 - cy) / focal
            for j in range(left, right + 1):
                if depth[i, j] <= nearest:
                    continue
                dx0 = (j + 0.5 - cx) / focal
                scale = 1.0 / math.sqrt(dx0 * dx0 + dy0 * dy0 + 1.0)
                dx, dy, dz = dx0 * scale, dy0 * scale, scale
                along_a = dx * ax + dy * ay + dz * az
                best = 1e30
                part = 0
                if coned:
                    # The side: (ra - sine y)² = cosine² (|q|² - y²) with y along the axis.
                    dn = dx * wx + dy * wy + dz * wz
                    qa = cosine2 - dn * dn
                    qb = -cosine2 * along_a - dn * y0 + ra * sine * dn
                    square = qb * qb - qa * fixed
                    if square > 0.0 and abs(qa) > 1e-12:
                        root = math.sqrt(square)
                        for sign in range(2):
                            t = (-qb - root) / qa if sign == 0 else (-qb + root) / qa
                            y = t * dn + y0
                            if t < best and t > 0.0 and ra * sine <= y <= length + rb * sine:
                                best, part = t, 1
                square = along_a * along_a - aa + ra * ra
                if square > 0.0:
                    t = along_a - math.sqrt(square)
                    y = t * (dx * wx + dy * wy + dz * wz) + y0
                    if 0.0 < t < best and ((not coned and ra >= rb) or (coned and y <= ra * sine)):
                        best, part = t, 2
                along_b = dx * bx + dy * by + dz * bz
                square = along_b * along_b - bb + rb * rb
                if square > 0.0:
                    t = along_b - math.sqrt(square)
                    y = t * (dx * wx + dy * wy + dz * wz) + y0
                    if 0.0 < t < best and (
                        (not coned and rb > ra) or (coned and y >= length + rb * sine)
                    ):
                        best, part = t, 3
                if part == 0 or best * dz >= depth[i, j]:
                    continue
                depth[i, j] = best * dz
                px, py, pz = best * dx, best * dy, best * dz
                if part == 1:
                    y = best * (dx * wx + dy * wy + dz * wz) + y0
                    nx, ny, nz = px - ax - y * wx, py - ay - y * wy, pz - az - y * wz
                    out = math.sqrt(cosine2) / math.sqrt(nx * nx + ny * ny + nz * nz)
                    nx, ny, nz = nx * out + sine * wx, ny * out + sine * wy, nz * out + sine * wz
                elif part == 2:
                    nx, ny, nz = (px - ax) / ra, (py - ay) / ra, (pz - az) / ra
                else:
                    nx, ny, nz = (px - bx) / rb, (py - by) / rb, (pz - bz) / rb
                rise = (floor + px * up[0] + py * up[1] + pz * up[2]) / (0.35 * size)
                _lit(nx, ny, nz, dx, dy, dz, light, up, max(rise, 0.0), colours[s], shade)
                picture[i, j, 0], picture[i, j, 1], picture[i, j, 2] = shade[0], shade[1], shade[2]


@kernel(fastmath=True)
def _texel(texels, start, rows, columns, u, v, out):  # type: ignore[no-untyped-def]
    """What a texture has at (u, v), repeated without end, between four texels, into out (4,)."""
    x = (u - math.floor(u)) * columns - 0.5
    y = (v - math.floor(v)) * rows - 0.5
    j0, i0 = math.floor(x), math.floor(y)
    fx, fy = x - j0, y - i0
    for c in range(4):
        out[c] = 0.0
    for di in range(2):
        for dj in range(2):
            share = (fx if dj else 1.0 - fx) * (fy if di else 1.0 - fy)
            at = start + ((i0 + di) % rows) * columns + (j0 + dj) % columns
            for c in range(4):
                out[c] += share * texels[at, c]


@kernel(fastmath=True)
def draw_triangles(  # type: ignore[no-untyped-def]
    points,
    normals,
    triangles,
    colours,
    places,
    sheet,
    holes,
    sheets,
    texels,
    light,
    up,
    floor,
    size,
    lens,
    picture,
    depth,
):
    """Draw triangles (F, 3) of points (V, 3) with normals (V, 3) and colours (V, 3).

    ``sheet`` (F,) says which of the textures a triangle has, or -1, and ``holes`` (F,) whether
    it is not there where that is transparent; ``places`` (V, 2) are in textures, which are
    ``sheets`` (K, 3) of ``texels``, see `Textures`.
    """
    rows, columns = depth.shape
    focal, cx, cy = lens[0], lens[1], lens[2]
    shade, colour, texel = np.empty(3), np.empty(3), np.empty(4)
    for f in range(triangles.shape[0]):
        page = sheet[f]
        if page >= 0 and sheets[page, 1] == 0:
            page = -1
        ia, ib, ic = triangles[f, 0], triangles[f, 1], triangles[f, 2]
        za, zb, zc = points[ia, 2], points[ib, 2], points[ic, 2]
        if min(za, min(zb, zc)) < NEAR * size:
            continue
        xa, ya = cx + focal * points[ia, 0] / za, cy - focal * points[ia, 1] / za
        xb, yb = cx + focal * points[ib, 0] / zb, cy - focal * points[ib, 1] / zb
        xc, yc = cx + focal * points[ic, 0] / zc, cy - focal * points[ic, 1] / zc
        area = (xb - xa) * (yc - ya) - (xc - xa) * (yb - ya)
        if abs(area) < 1e-12:
            continue
        left = max(0, math.floor(min(xa, min(xb, xc)) - 0.5))
        right = min(columns - 1, math.ceil(max(xa, max(xb, xc))))
        top = max(0, math.floor(min(ya, min(yb, yc)) - 0.5))
        bottom = min(rows - 1, math.ceil(max(ya, max(yb, yc))))
        for i in range(top, bottom + 1):
            for j in range(left, right + 1):
                x, y = j + 0.5, i + 0.5
                v = ((x - xa) * (yc - ya) - (xc - xa) * (y - ya)) / area
                w = ((xb - xa) * (y - ya) - (x - xa) * (yb - ya)) / area
                u = 1.0 - v - w
                if u < 0.0 or v < 0.0 or w < 0.0:
                    continue
                # Linear in the picture is the inverse of the depth.
                z = 1.0 / (u / za + v / zb + w / zc)
                if z >= depth[i, j]:
                    continue
                u, v, w = u * z / za, v * z / zb, w * z / zc
                if page >= 0:
                    _texel(
                        texels,
                        sheets[page, 0],
                        sheets[page, 1],
                        sheets[page, 2],
                        u * places[ia, 0] + v * places[ib, 0] + w * places[ic, 0],
                        u * places[ia, 1] + v * places[ib, 1] + w * places[ic, 1],
                        texel,
                    )
                    if holes[f] and texel[3] < 0.5:
                        continue
                nx = u * normals[ia, 0] + v * normals[ib, 0] + w * normals[ic, 0]
                ny = u * normals[ia, 1] + v * normals[ib, 1] + w * normals[ic, 1]
                nz = u * normals[ia, 2] + v * normals[ib, 2] + w * normals[ic, 2]
                out = math.sqrt(nx * nx + ny * ny + nz * nz)
                if out < 1e-12:
                    continue
                dx, dy, dz = (x - cx) / focal, -(y - cy) / focal, 1.0
                scale = 1.0 / math.sqrt(dx * dx + dy * dy + 1.0)
                dx, dy, dz = dx * scale, dy * scale, scale
                # Seen from behind, a surface shows its other side.
                if nx * dx + ny * dy + nz * dz > 0.0:
                    out = -out
                depth[i, j] = z
                px, py = z * dx / dz, z * dy / dz
                rise = (floor + px * up[0] + py * up[1] + z * up[2]) / (0.35 * size)
                for c in range(3):
                    colour[c] = u * colours[ia, c] + v * colours[ib, c] + w * colours[ic, c]
                    if page >= 0:
                        colour[c] *= texel[c]
                _lit(
                    nx / out,
                    ny / out,
                    nz / out,
                    dx,
                    dy,
                    dz,
                    light,
                    up,
                    max(rise, 0.0),
                    colour,
                    shade,
                )
                for c in range(3):
                    picture[i, j, c] = shade[c]


@kernel(fastmath=True)
def cast_shadow(a, b, radii, light, blur, spread, corner, cell, dark):  # type: ignore[no-untyped-def]
    """Darken ``dark`` (n, n), a map of the floor, where capsules keep the light off.

    ``a`` and ``b`` (S, 3) are in the world with the floor at height 0, ``light`` points to
    the lamp. The edge is ``blur`` wide at the floor and grows by ``spread`` times the height.
    Cell (0, 0) of the map is at ``corner`` (x, z), cells are ``cell`` wide.
    """
    count = dark.shape[0]
    for s in range(a.shape[0]):
        ra, rb = radii[s, 0], radii[s, 1]
        # Where the shadow of each ball's centre falls.
        sa, sb = a[s, 1] / light[1], b[s, 1] / light[1]
        xa, za = a[s, 0] - sa * light[0], a[s, 2] - sa * light[2]
        xb, zb = b[s, 0] - sb * light[0], b[s, 2] - sb * light[2]
        wide = max(ra, rb) / light[1] + blur + spread * max(a[s, 1], b[s, 1])
        left = max(0, int((min(xa, xb) - wide - corner[0]) / cell))
        right = min(count - 1, int((max(xa, xb) + wide - corner[0]) / cell) + 1)
        near = max(0, int((min(za, zb) - wide - corner[1]) / cell))
        far = min(count - 1, int((max(za, zb) + wide - corner[1]) / cell) + 1)
        wx, wz = xb - xa, zb - za
        square = wx * wx + wz * wz
        for i in range(near, far + 1):
            for j in range(left, right + 1):
                x, z = corner[0] + j * cell - xa, corner[1] + i * cell - za
                share = 0.0
                if square > 0.0:
                    share = min(1.0, max(0.0, (x * wx + z * wz) / square))
                gx, gz = x - share * wx, z - share * wz
                apart = math.sqrt(gx * gx + gz * gz)
                height = max(0.0, a[s, 1] + share * (b[s, 1] - a[s, 1]))
                edge = blur + spread * height
                radius = ra + share * (rb - ra)
                cover = (radius + edge - apart) / (2.0 * edge)
                if cover <= 0.0:
                    continue
                cover = min(1.0, cover)
                cover = cover * cover * (3.0 - 2.0 * cover)
                # A part thinner than its blur hides only some of the light.
                cover *= min(1.0, radius / edge)
                if cover > dark[i, j]:
                    dark[i, j] = cover


@kernel(fastmath=True)
def draw_floor(  # type: ignore[no-untyped-def]
    eye,
    right,
    up,
    ahead,
    lens,
    height,
    grid,
    shadow,
    corner,
    cell,
    floor,
    line,
    haze,
    middle,
    reach,
    opaque,
    picture,
):
    """Fill ``picture`` (h, w, 4) with the floor, its grid and the shadow on it.

    Colours ``floor``, ``line`` and ``haze`` (3,); the floor fades into the haze within
    ``reach`` of ``middle`` (x, z). If not ``opaque``, only the shadow is drawn.
    """
    rows, columns = picture.shape[:2]
    focal, cx, cy = lens[0], lens[1], lens[2]
    count = shadow.shape[0]
    above = eye[1] - height
    for i in range(rows):
        v = -(i + 0.5 - cy) / focal
        for j in range(columns):
            u = (j + 0.5 - cx) / focal
            dy = u * right[1] + v * up[1] + ahead[1]
            for c in range(3):
                picture[i, j, c] = haze[c] if opaque else 0.0
            picture[i, j, 3] = 1.0 if opaque else 0.0
            if dy > -1e-6 or above <= 0.0:
                continue
            t = -above / dy
            x = eye[0] + t * (u * right[0] + v * up[0] + ahead[0])
            z = eye[2] + t * (u * right[2] + v * up[2] + ahead[2])
            gx, gz = (x - corner[0]) / cell, (z - corner[1]) / cell
            dark = 0.0
            if 0.0 <= gx < count - 1 and 0.0 <= gz < count - 1:
                j0, i0 = int(gx), int(gz)
                fx, fz = gx - j0, gz - i0
                dark = (1.0 - fz) * ((1.0 - fx) * shadow[i0, j0] + fx * shadow[i0, j0 + 1])
                dark += fz * ((1.0 - fx) * shadow[i0 + 1, j0] + fx * shadow[i0 + 1, j0 + 1])
            if not opaque:
                picture[i, j, 3] = dark
                continue
            away = math.sqrt((x - middle[0]) ** 2 + (z - middle[1]) ** 2) / reach
            clear = max(0.0, 1.0 - away)
            clear = clear * clear * (3.0 - 2.0 * clear)
            # A line is as wide as it looks: what a pixel covers of it, filtered along both axes.
            pixel = t / focal
            stretch = pixel / max(1e-6, -dy) if -dy < 1.0 else pixel
            half = 0.011 * grid
            lines = 0.0
            for axis in range(2):
                place = (x if axis == 0 else z) / grid
                gap = abs(place - math.floor(place + 0.5)) * grid
                ahead_part = abs(ahead[0]) if axis == 0 else abs(ahead[2])
                blur = 0.5 * (pixel + (stretch - pixel) * ahead_part)
                cover = min(1.0, max(0.0, (half + blur - gap) / (2.0 * blur)))
                cover *= min(1.0, 1.6 * half / blur)
                lines = max(lines, cover)
            for c in range(3):
                ground = floor[c] + lines * (line[c] - floor[c])
                ground *= 1.0 - dark
                picture[i, j, c] = haze[c] + clear * (ground - haze[c])


@kernel(fastmath=True)
def draw_disc(eye, right, up, ahead, lens, centre, radius, ring, colour, alpha, picture):  # type: ignore[no-untyped-def]
    """A disc on the floor over ``picture``; a ring if ``ring``, its inner share, is above 0."""
    rows, columns = picture.shape[:2]
    focal, cx, cy = lens[0], lens[1], lens[2]
    qx, qy, qz = centre[0] - eye[0], centre[1] - eye[1], centre[2] - eye[2]
    depth = qx * ahead[0] + qy * ahead[1] + qz * ahead[2]
    if depth <= 2.0 * radius:
        return
    x0 = cx + focal * (qx * right[0] + qy * right[1] + qz * right[2]) / depth
    y0 = cy - focal * (qx * up[0] + qy * up[1] + qz * up[2]) / depth
    reach = focal * radius / (depth - radius) + 2.0
    for i in range(max(0, int(y0 - reach)), min(rows, int(y0 + reach) + 2)):
        v = -(i + 0.5 - cy) / focal
        for j in range(max(0, int(x0 - reach)), min(columns, int(x0 + reach) + 2)):
            u = (j + 0.5 - cx) / focal
            dy = u * right[1] + v * up[1] + ahead[1]
            if dy > -1e-6:
                continue
            t = qy / dy
            if t <= 0.0:
                continue
            x = t * (u * right[0] + v * up[0] + ahead[0]) - qx
            z = t * (u * right[2] + v * up[2] + ahead[2]) - qz
            apart = math.sqrt(x * x + z * z)
            edge = 0.5 * t / focal * (1.0 + 0.5 / max(0.2, -dy))
            cover = min(1.0, max(0.0, 0.5 + 0.5 * (radius - apart) / edge))
            if ring > 0.0:
                cover *= min(1.0, max(0.0, 0.5 + 0.5 * (apart - ring * radius) / edge))
            share = cover * alpha
            if share <= 0.0:
                continue
            for c in range(3):
                picture[i, j, c] += share * (colour[c] - picture[i, j, c])
            picture[i, j, 3] += share * (1.0 - picture[i, j, 3])


@kernel(fastmath=True)
def lay_over(layer, depth, samples, top, left, alpha, picture):  # type: ignore[no-untyped-def]
    """Average a layer's samples (h n, w n, 3) into pixels of ``picture`` from (top, left) on.

    Samples without a depth are empty. Colours of ``picture`` are not multiplied by alpha.
    """
    rows, columns = depth.shape[0] // samples, depth.shape[1] // samples
    whole = 1.0 / (samples * samples)
    for i in range(rows):
        for j in range(columns):
            hits = 0
            r = g = b = 0.0
            for y in range(i * samples, (i + 1) * samples):
                for x in range(j * samples, (j + 1) * samples):
                    if depth[y, x] < 1e29:
                        hits += 1
                        # Bright samples are limited before they are averaged: no jagged edges.
                        r += min(1.0, layer[y, x, 0])
                        g += min(1.0, layer[y, x, 1])
                        b += min(1.0, layer[y, x, 2])
            if hits == 0:
                continue
            share = alpha * hits * whole
            under = picture[top + i, left + j, 3] * (1.0 - share)
            total = share + under
            for c in range(3):
                over = (r if c == 0 else (g if c == 1 else b)) / hits
                below = picture[top + i, left + j, c]
                picture[top + i, left + j, c] = (share * over + under * below) / total
            picture[top + i, left + j, 3] = total


@kernel(fastmath=True)
def to_bytes(picture, tones, result):  # type: ignore[no-untyped-def]
    """Linear ``picture`` (h, w, 4) as bytes; ``tones`` is the curve of the screen (n,)."""
    last = tones.shape[0] - 1
    for i in range(picture.shape[0]):
        for j in range(picture.shape[1]):
            for c in range(3):
                place = min(1.0, max(0.0, picture[i, j, c])) * last
                result[i, j, c] = tones[int(place + 0.5)]
            if result.shape[2] == 4:
                result[i, j, 3] = int(min(1.0, picture[i, j, 3]) * 255.0 + 0.5)
