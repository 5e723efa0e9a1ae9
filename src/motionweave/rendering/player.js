// A small player for motions: play, scrub, orbit. Plain canvas, nothing fetched, any number on
// a page. `motionweavePlayer(root, data)` fills an empty element; see player.py for the data.
function motionweavePlayer(root, data) {
  "use strict";
  const bytes = (text, Kind) => {
    const raw = atob(text);
    const list = new Uint8Array(raw.length);
    for (let i = 0; i < raw.length; i++) list[i] = raw.charCodeAt(i);
    return new Kind(list.buffer);
  };
  const bodies = data.bodies.map((body) => ({
    ...body,
    roots: bytes(body.roots, Float32Array),
    points: bytes(body.points, Int16Array),
    frames: body.frames,
  }));
  const frames = Math.max(...bodies.map((body) => body.frames));
  const look = data.look;
  const state = {
    time: 0, playing: data.autoplay, speed: data.speed, around: data.around, down: data.down,
    distance: data.distance, frame: 0, drawn: 0, spot: null,
  };

  root.classList.add("mw-player");
  const canvas = document.createElement("canvas");
  const bar = document.createElement("div");
  const button = document.createElement("button");
  const slider = document.createElement("input");
  const clock = document.createElement("span");
  bar.style.cssText =
    "display:flex;align-items:center;gap:8px;padding:4px 8px;font:12px system-ui,sans-serif;" +
    `background:${look.bar};color:${look.ink}`;
  root.style.cssText =
    `width:100%;max-width:${data.width}px;border-radius:8px;overflow:hidden;background:${look.haze}`;
  canvas.style.cssText = "display:block;width:100%;touch-action:none;cursor:grab";
  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", data.title);
  button.style.cssText =
    "width:30px;height:24px;border:0;border-radius:4px;cursor:pointer;font-size:12px;" +
    `background:${look.button};color:${look.ink}`;
  button.setAttribute("aria-label", "play or pause");
  slider.type = "range";
  slider.min = 0;
  slider.max = frames - 1;
  slider.step = "any";
  slider.value = 0;
  slider.setAttribute("aria-label", "time");
  slider.style.cssText = "flex:1;min-width:40px";
  clock.style.cssText = "font-variant-numeric:tabular-nums;white-space:nowrap";
  bar.append(button, slider, clock);
  root.append(canvas, bar);
  const pen = canvas.getContext("2d");

  // A point of a body in a stored frame.
  const place = (body, p, frame) => [0, 1, 2].map((c) =>
    body.roots[3 * frame + c] + body.scale * body.points[3 * (frame * body.count + p) + c]);

  // Points of a body in a frame, between two stored ones.
  const pose = (body, at) => {
    const last = body.frames - 1;
    const low = Math.min(Math.floor(at), last), high = Math.min(low + 1, last);
    const share = Math.min(at, last) - low, count = body.count;
    const out = new Float32Array(3 * count);
    for (let p = 0; p < count; p++) {
      for (let c = 0; c < 3; c++) {
        const a = body.roots[3 * low + c] + body.scale * body.points[3 * (low * count + p) + c];
        const b = body.roots[3 * high + c] + body.scale * body.points[3 * (high * count + p) + c];
        out[3 * p + c] = a + share * (b - a);
      }
    }
    return out;
  };

  // A path that a camera can follow without shaking.
  const target = (at) => {
    if (data.camera === "fixed") return data.centre;
    const path = data.path, last = path.length - 1;
    const low = Math.min(Math.floor(at), last), high = Math.min(low + 1, last), share = at - low;
    return path[low].map((value, c) => value + share * (path[high][c] - value));
  };

  const view = (at) => {
    const spot = target(at), turn = data.camera === "orbit" ? (2 * Math.PI * at) / frames : 0;
    const a = state.around + turn, d = state.down;
    const back = [Math.sin(a) * Math.cos(d), Math.sin(d), Math.cos(a) * Math.cos(d)];
    const right = [Math.cos(a), 0, -Math.sin(a)];
    const up = [
      back[1] * right[2] - back[2] * right[1],
      back[2] * right[0] - back[0] * right[2],
      back[0] * right[1] - back[1] * right[0],
    ];
    const eye = spot.map((value, c) => value + state.distance * back[c]);
    const focal = data.focal * canvas.height;
    const dot = (u, x, y, z) => u[0] * x + u[1] * y + u[2] * z;
    return {
      spot, focal,
      // Of a point: x and y in the picture, depth, pixels per unit, place in the camera's axes.
      see: (x, y, z) => {
        const qx = x - eye[0], qy = y - eye[1], qz = z - eye[2];
        const depth = -dot(back, qx, qy, qz);
        const size = focal / depth;
        const own = [dot(right, qx, qy, qz), dot(up, qx, qy, qz), -depth];
        return [
          canvas.width / 2 + size * own[0], canvas.height / 2 - size * own[1], depth, size, own,
        ];
      },
    };
  };

  const mixed = (a, b, t) => a.map((value, c) => Math.round(value + t * (b[c] - value)));
  const paint = (rgb, alpha = 1) => `rgba(${rgb[0]},${rgb[1]},${rgb[2]},${alpha})`;

  const drawFloor = (camera) => {
    const step = data.grid, reach = 14, near = 0.05 * data.size;
    const cx = Math.round(camera.spot[0] / step), cz = Math.round(camera.spot[2] / step);
    pen.lineWidth = Math.max(1, canvas.height / 400);
    for (let way = 0; way < 2; way++) {
      for (let n = -reach; n <= reach; n++) {
        for (let m = -reach; m < reach; m++) {
          const away = Math.hypot(n, m + 0.5) / reach;
          if (away >= 1) continue;
          const ends = [m, m + 1].map((k) =>
            way ? camera.see((cx + n) * step, data.floor, (cz + k) * step)
                : camera.see((cx + k) * step, data.floor, (cz + n) * step));
          if (ends[0][2] < near || ends[1][2] < near) continue;
          pen.strokeStyle = paint(look.line, 0.9 * (1 - away) * (1 - away));
          pen.beginPath();
          pen.moveTo(ends[0][0], ends[0][1]);
          pen.lineTo(ends[1][0], ends[1][1]);
          pen.stroke();
        }
      }
    }
  };

  // The outline of a tapered capsule in the picture: two circles and their tangents.
  const outline = (a, b, ra, rb) => {
    const dx = b[0] - a[0], dy = b[1] - a[1], length = Math.hypot(dx, dy);
    if (length <= Math.abs(ra - rb) + 1e-6) {
      const [x, y, r] = ra > rb ? [a[0], a[1], ra] : [b[0], b[1], rb];
      pen.moveTo(x + r, y);
      pen.arc(x, y, r, 0, 2 * Math.PI);
      return;
    }
    const along = Math.atan2(dy, dx), open = Math.acos((ra - rb) / length);
    pen.moveTo(a[0] + ra * Math.cos(along + open), a[1] + ra * Math.sin(along + open));
    pen.arc(a[0], a[1], ra, along + open, along - open);
    pen.arc(b[0], b[1], rb, along - open, along + open);
    pen.closePath();
  };

  const drawShadow = (body, points, camera) => {
    // A round part's shadow is seen from the side: flat.
    const light = data.lamp, flat = Math.max(0.25, Math.sin(Math.abs(state.down)));
    pen.save();
    pen.scale(1, flat);
    for (const [wide, alpha] of [[1.5, 0.1], [1.0, 0.16]]) {
      pen.beginPath();
      body.ends.forEach((ends, s) => {
        const spots = ends.map((p) => {
          const rise = points[3 * p + 1] - data.floor;
          return camera.see(
            points[3 * p] - (rise * light[0]) / light[1], data.floor,
            points[3 * p + 2] - (rise * light[2]) / light[1]);
        });
        if (Math.min(spots[0][2], spots[1][2]) < 0.05 * data.size) return;
        const [ra, rb] = body.radii[s];
        const low = spots.map((q) => [q[0], q[1] / flat]);
        outline(low[0], low[1], wide * ra * spots[0][3], wide * rb * spots[1][3]);
      });
      // One path, filled once: where parts overlap it is no darker.
      pen.fillStyle = paint(look.shadow, alpha);
      pen.fill();
    }
    pen.restore();
  };

  const drawMarks = (body, at, camera) => {
    for (const [x, z, start, end] of body.marks) {
      const after = at - end;
      if (at < start || after > 1.5 * data.fps) continue;
      const spot = camera.see(x, data.floor, z);
      if (spot[2] < 0.05 * data.size) continue;
      const radius = 0.028 * data.size * spot[3];
      const flat = Math.max(0.15, Math.sin(Math.abs(state.down)));
      pen.fillStyle = paint(look.mark, after <= 0 ? 0.8 : 0.35 * (1 - after / (1.5 * data.fps)));
      pen.beginPath();
      pen.ellipse(spot[0], spot[1], radius, radius * flat, 0, 0, 2 * Math.PI);
      pen.fill();
    }
  };

  // From the light to the dark side of a part, 0 to 1.
  const lit = (colour, t) => t < 0.4
    ? mixed(colour, [255, 255, 255], 0.22 * (1 - t / 0.4))
    : mixed(colour, [12, 16, 28], 0.45 * (t - 0.4) / 0.6);

  // The trunk: the faces between its rings that look towards the eye.
  const addTorso = (parts, { first, rings, colour }, points, camera) => {
    const at = (p) => [points[3 * p], points[3 * p + 1], points[3 * p + 2]];
    const count = data.ring.length, seen = [];
    for (let r = 0; r < rings; r++) {
      const [middle, left, front] = [0, 1, 2].map((k) => at(first + 3 * r + k));
      seen.push(data.ring.map(([x, z]) => camera.see(
        ...middle.map((m, c) => m + x * (left[c] - m) + z * (front[c] - m)))));
    }
    if (seen.some((ring) => ring.some((q) => q[2] < 0.05 * data.size))) return;
    // How much of the light a corner gets: its normal is across the ways to its neighbours.
    const way = (p, q) => p[4].map((value, c) => q[4][c] - value);
    const tones = seen.map((ring, r) => ring.map((_, k) => {
      const u = way(ring[(k + count - 1) % count], ring[(k + 1) % count]);
      const v = way(seen[Math.max(r - 1, 0)][k], seen[Math.min(r + 1, rings - 1)][k]);
      const n = [v[1] * u[2] - v[2] * u[1], v[2] * u[0] - v[0] * u[2], v[0] * u[1] - v[1] * u[0]];
      return 0.5 - 0.5 * (-0.42 * n[0] + 0.84 * n[1] + 0.34 * n[2]) / (Math.hypot(...n) || 1);
    }));
    for (let r = 0; r + 1 < rings; r++) {
      for (let k = 0; k < count; k++) {
        const next = (k + 1) % count;
        const face = [seen[r][k], seen[r][next], seen[r + 1][next], seen[r + 1][k]];
        const [a, b, c, d] = face;
        if ((c[0] - a[0]) * (d[1] - b[1]) <= (c[1] - a[1]) * (d[0] - b[0])) continue;
        const tone = [r, r + 1].map((i) => lit(colour, 0.5 * (tones[i][k] + tones[i][next])));
        parts.push({ face, tone, depth: 0.25 * (a[2] + b[2] + c[2] + d[2]) });
      }
    }
  };

  const drawFace = ({ face, tone }) => {
    const [a, b, c, d] = face;
    const shade = pen.createLinearGradient(
      0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1]), 0.5 * (c[0] + d[0]), 0.5 * (c[1] + d[1]));
    tone.forEach((rgb, i) => shade.addColorStop(i, paint(rgb)));
    pen.beginPath();
    face.forEach((q, i) => (i ? pen.lineTo(q[0], q[1]) : pen.moveTo(q[0], q[1])));
    pen.closePath();
    pen.fillStyle = pen.strokeStyle = shade;
    pen.fill();
    // Over the hairline that antialiasing leaves between neighbours.
    pen.lineWidth = 1;
    pen.stroke();
  };

  // Where joints were in the last second: a line that becomes thicker towards them.
  const addTrails = (parts, body, points, at, camera) => {
    const now = Math.min(at, body.frames - 1);
    const first = Math.max(0, Math.floor(now - data.trail.lasts * data.fps));
    const { radius } = data.trail;
    for (const p of body.trailed) {
      const way = [];
      for (let frame = first; frame < now; frame++) way.push(place(body, p, frame));
      way.push(Array.from(points.subarray(3 * p, 3 * p + 3)));
      const seen = way.map((spot) => camera.see(...spot));
      const thick = seen.map((q, k) => radius * q[3] * (0.15 + (0.85 * k) / (seen.length - 1 || 1)));
      for (let k = 0; k + 1 < seen.length; k++) {
        const [one, two] = [seen[k], seen[k + 1]];
        if (Math.min(one[2], two[2]) < 0.05 * data.size) continue;
        parts.push({
          one, two, ra: thick[k], rb: thick[k + 1], colour: look.mark,
          depth: 0.5 * (one[2] + two[2]),
        });
      }
    }
  };

  const drawBodies = (poses, at, camera) => {
    const parts = [];
    bodies.forEach((body, n) => {
      const points = poses[n];
      addTrails(parts, body, points, at, camera);
      if (body.torso) addTorso(parts, body.torso, points, camera);
      body.ends.forEach(([a, b], s) => {
        if (body.torso && !body.limbs[s]) return;
        const one = camera.see(points[3 * a], points[3 * a + 1], points[3 * a + 2]);
        const two = camera.see(points[3 * b], points[3 * b + 1], points[3 * b + 2]);
        if (Math.min(one[2], two[2]) < 0.05 * data.size) return;
        const [ra, rb] = body.radii[s];
        parts.push({
          one, two, ra: ra * one[3], rb: rb * two[3], colour: body.colours[s],
          depth: 0.5 * (one[2] - ra + two[2] - rb),
        });
      });
    });
    parts.sort((p, q) => q.depth - p.depth);
    for (const part of parts) {
      if (part.face) {
        drawFace(part);
        continue;
      }
      const { one, two, ra, rb, colour } = part;
      pen.beginPath();
      outline(one, two, ra, rb);
      // Light from the upper left, across the part.
      const dx = two[0] - one[0], dy = two[1] - one[1], length = Math.hypot(dx, dy) || 1;
      let nx = -dy / length, ny = dx / length;
      if (0.5 * nx + ny > 0) { nx = -nx; ny = -ny; }
      const mx = 0.5 * (one[0] + two[0]), my = 0.5 * (one[1] + two[1]), r = Math.max(ra, rb);
      const shade = pen.createLinearGradient(mx + nx * r, my + ny * r, mx - nx * r, my - ny * r);
      for (const t of [0, 0.4, 1]) shade.addColorStop(t, paint(lit(colour, t)));
      pen.fillStyle = shade;
      pen.fill();
    }
  };

  const draw = () => {
    const at = Math.min(state.time * data.fps, frames - 1);
    state.frame = at;
    const camera = view(at);
    const sky = pen.createLinearGradient(0, 0, 0, canvas.height);
    sky.addColorStop(0, look.haze);
    sky.addColorStop(1, look.floor);
    pen.fillStyle = sky;
    pen.fillRect(0, 0, canvas.width, canvas.height);
    drawFloor(camera);
    const poses = bodies.map((body) => pose(body, at));
    bodies.forEach((body, n) => drawMarks(body, at, camera));
    bodies.forEach((body, n) => drawShadow(body, poses[n], camera));
    drawBodies(poses, at, camera);
    pen.font = `${Math.round(canvas.height / 24)}px system-ui, sans-serif`;
    pen.textBaseline = "top";
    bodies.forEach((body, n) => {
      if (!body.label) return;
      pen.fillStyle = paint(body.colours[0]);
      pen.fillText(body.label, canvas.height / 36, canvas.height / 36 + (n * canvas.height) / 18);
    });
    state.spot = camera.see(poses[0][0], poses[0][1], poses[0][2]).slice(0, 2);
    state.drawn += 1;
    slider.value = at;
    clock.textContent = `${(at / data.fps).toFixed(2)} s`;
    button.textContent = state.playing ? "❚❚" : "▶";
  };

  const fit = () => {
    const wide = canvas.clientWidth || data.width;
    const dense = Math.min(2, window.devicePixelRatio || 1);
    canvas.width = Math.round(wide * dense);
    canvas.height = Math.round((wide * dense * data.height) / data.width);
    draw();
  };

  let before = null, visible = true;
  const tick = (now) => {
    if (state.playing && visible) {
      if (before !== null) {
        const length = Math.max(frames - 1, 1) / data.fps;
        state.time += (state.speed * Math.min(now - before, 200)) / 1000;
        if (state.time >= length) {
          state.time = data.loop ? state.time % length : length;
          state.playing = data.loop;
        }
      }
      before = now;
      draw();
    } else {
      before = null;
    }
    if (state.playing) requestAnimationFrame(tick);
  };
  const play = (on) => {
    const was = state.playing;
    state.playing = on;
    before = null;
    if (on && state.time >= Math.max(frames - 1, 1) / data.fps) state.time = 0;
    if (on && !was) requestAnimationFrame(tick);
    draw();
  };
  const seek = (seconds) => {
    state.time = Math.max(0, Math.min(seconds, (frames - 1) / data.fps));
    draw();
  };

  button.addEventListener("click", () => play(!state.playing));
  slider.addEventListener("input", () => { play(false); seek(slider.value / data.fps); });
  let held = null;
  canvas.addEventListener("pointerdown", (event) => {
    held = [event.clientX, event.clientY];
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!held) return;
    state.around -= 0.01 * (event.clientX - held[0]);
    state.down = Math.max(0.02, Math.min(1.5, state.down + 0.01 * (event.clientY - held[1])));
    held = [event.clientX, event.clientY];
    draw();
  });
  for (const name of ["pointerup", "pointercancel"]) {
    canvas.addEventListener(name, () => { held = null; });
  }
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    const far = state.distance * Math.exp(0.001 * event.deltaY);
    state.distance = Math.max(0.3 * data.distance, Math.min(4 * data.distance, far));
    draw();
  }, { passive: false });
  window.addEventListener("resize", fit);
  if (window.IntersectionObserver) {
    new IntersectionObserver((seen) => { visible = seen[seen.length - 1].isIntersecting; })
      .observe(canvas);
  }
  root.motionweave = { state, play, seek };
  fit();
  if (state.playing) requestAnimationFrame(tick);
}
