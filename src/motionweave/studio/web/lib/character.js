// A character with volume: tapered limbs, one smooth torso, a head; its shadow, trails and plants.
import { Skin } from "./skin.js";
import { SOFTWARE, THREE } from "./three.js";

// Left limbs are darker and cooler than right ones, and neither has the colour of a clip.
export const LEFT = 0x55627c;
export const RIGHT = 0xdcb58a;
const CONTACT = 0x35c46f;
const TAPER = 0.74;
// A limb of this length, in metres, or longer has a muscle: where it is thickest, and how much.
const LIMB = 0.15, MUSCLE = 0.28, THICKER = 1.14;
// How many times as broad as thick a foot is.
const BROAD = 1.7;
// Where a ghost and the character are in the same place, the character is seen.
const BEHIND = { polygonOffset: true, polygonOffsetFactor: 6, polygonOffsetUnits: 40 };
// Where the lamps of a wide light are: on a circle and in its middle.
function around(count, radius) {
  const turn = (i) => (2 * Math.PI * i) / (count - 1);
  return [[0, 0], ...Array.from({ length: count - 1 }, (_, i) => [radius * Math.cos(turn(i)), radius * Math.sin(turn(i))])];
}

// How finely things are cut: without a graphics card it is the number of triangles that costs.
const FINE = SOFTWARE
  ? { limb: 6, ball: [8, 4], head: [12, 8], rings: 8, sides: 12, mark: 8, lamps: [[0, 0]] }
  : { limb: 14, ball: [20, 14], head: [24, 16], rings: 15, sides: 22, mark: 24, lamps: around(9, 0.07) };
const SHADOW = 0.36;
export const LIGHT_DIRECTION = new THREE.Vector3(0.35, 1.0, 0.25);

// The clip of a look: it came along, or it is fetched.
export async function clipOf({ url, data }) {
  if (data) return unpack(decoded(data));
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`${url}: ${answer.status}`);
  return unpack(await answer.arrayBuffer());
}

function decoded(data) {
  const letters = atob(data), bytes = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; i++) bytes[i] = letters.charCodeAt(i);
  return bytes.buffer;
}

function unpack(buffer) {
  const length = new DataView(buffer).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
  const { points, body, feet, soles, frames, joints, turns } = header;
  const build = JSON.stringify({ points, body, feet, soles });
  const stride = points + soles.length, size = 3 * stride * frames;
  const turned = turns ? new Float32Array(buffer, 4 + length + 4 * size, 4 * joints.length * frames) : null;
  return { ...header, build, stride, turned, data: new Float32Array(buffer, 4 + length, size) };
}

// Of two looks that agree in this only the motion differs.
const dress = ({ url, clock, character, ...rest }) => JSON.stringify(rest);

// The torso: rings around the spine, turned from the hips' direction to the shoulders'.
class Torso {
  static RINGS = FINE.rings;
  static SIDES = FINE.sides;
  // Half width as a share of (hips .. shoulders), and half depth in metres, from the seat to the neck.
  static PROFILE = [
    [0.0, 0.3, 0.05], [0.06, 0.82, 0.1], [0.18, 1.0, 0.118], [0.36, 0.93, 0.108], [0.52, 0.88, 0.102],
    [0.7, 0.96, 0.114], [0.84, 0.97, 0.11], [0.94, 0.72, 0.085], [1.0, 0.3, 0.055],
  ];

  constructor({ hips, shoulders, spine }) {
    Object.assign(this, { hips, shoulders, spine });
    const { RINGS, SIDES } = Torso;
    const count = RINGS * SIDES + 2;
    this.geometry = new THREE.BufferGeometry();
    this.geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(count * 3), 3));
    const index = [];
    for (let r = 0; r + 1 < RINGS; r++)
      for (let s = 0; s < SIDES; s++) {
        const a = r * SIDES + s, b = r * SIDES + ((s + 1) % SIDES);
        index.push(a, a + SIDES, b, b, a + SIDES, b + SIDES);
      }
    for (let s = 0; s < SIDES; s++) {
      const next = (s + 1) % SIDES, last = (RINGS - 1) * SIDES;
      index.push(count - 2, s, next, count - 1, last + next, last + s);
    }
    this.geometry.setIndex(index);
  }

  static profile(t) {
    const rows = Torso.PROFILE;
    const i = Math.max(1, rows.findIndex((row) => row[0] >= t));
    const [t0, w0, d0] = rows[i - 1], [t1, w1, d1] = rows[i];
    const s = (t - t0) / (t1 - t0);
    const ease = s * s * (3 - 2 * s);
    return [w0 + ease * (w1 - w0), d0 + ease * (d1 - d0)];
  }

  place(at) {
    const { RINGS, SIDES } = Torso;
    const point = (i) => at(i, new THREE.Vector3());
    const [hl, hr] = this.hips.map(point), [sl, sr] = this.shoulders.map(point);
    const hipsAcross = hl.clone().sub(hr), shouldersAcross = sl.clone().sub(sr);
    const chest = sl.clone().add(sr).multiplyScalar(0.5);
    const seat = hl.clone().add(hr).multiplyScalar(0.5);
    const rise = chest.clone().sub(seat).normalize();
    seat.addScaledVector(rise, -0.09);
    const neck = chest.clone().addScaledVector(rise, 0.05);
    const curve = new THREE.CatmullRomCurve3([seat, ...this.spine.map(point), neck], false, "centripetal");
    const low = 0.5 * hipsAcross.length() + 0.065, high = 0.5 * shouldersAcross.length() + 0.012;
    const places = this.geometry.attributes.position.array;
    const centre = new THREE.Vector3(), across = new THREE.Vector3(), front = new THREE.Vector3(), up = new THREE.Vector3();
    for (let r = 0; r < RINGS; r++) {
      const t = r / (RINGS - 1);
      curve.getPoint(t, centre);
      curve.getTangent(t, up);
      across.copy(hipsAcross).normalize().lerp(front.copy(shouldersAcross).normalize(), t);
      across.addScaledVector(up, -across.dot(up)).normalize();
      front.crossVectors(across, up);
      const [share, depth] = Torso.profile(t);
      const width = share * (low + t * (high - low));
      for (let s = 0; s < SIDES; s++) {
        const angle = (2 * Math.PI * s) / SIDES;
        const x = width * Math.sign(Math.cos(angle)) * Math.abs(Math.cos(angle)) ** 0.85;
        const z = depth * Math.sign(Math.sin(angle)) * Math.abs(Math.sin(angle)) ** 0.85;
        const o = 3 * (r * SIDES + s);
        places[o] = centre.x + x * across.x + z * front.x;
        places[o + 1] = centre.y + x * across.y + z * front.y;
        places[o + 2] = centre.z + x * across.z + z * front.z;
      }
    }
    curve.getPoint(0, centre).toArray(places, 3 * RINGS * SIDES);
    curve.getPoint(1, centre).toArray(places, 3 * RINGS * SIDES + 3);
    this.geometry.attributes.position.needsUpdate = true;
    this.geometry.computeVertexNormals();
  }
}

export class Character {
  constructor(clip, look) {
    this.clip = clip;
    this.look = look;
    this.group = new THREE.Group();
    this.points = new Float32Array(clip.stride * 3);
    const { limbs, balls, heads } = this.plan();
    this.limbPlan = limbs;
    // A tapered limb of length 1 along +y, thick end at the bottom.
    this.limbs = new THREE.InstancedMesh(
      new THREE.CylinderGeometry(TAPER, 1.0, 1.0, FINE.limb, 1, true).translate(0, 0.5, 0), this.material(), Math.max(1, limbs.length));
    this.limbs.count = limbs.length;
    this.rounds = [[balls, FINE.ball], [heads, FINE.head]].filter(([plan]) => plan.length).map(([plan, fine]) =>
      ({ plan, mesh: new THREE.InstancedMesh(new THREE.SphereGeometry(1, ...fine), this.material(), plan.length) }));
    this.meshes = [this.limbs, ...this.rounds.map(({ mesh }) => mesh)];
    if (clip.body.torso) {
      this.torso = new Torso(clip.body.torso);
      this.meshes.push(new THREE.Mesh(this.torso.geometry, this.material(look.color)));
    }
    this.paint(look.color);
    for (const mesh of this.meshes) mesh.frustumCulled = false;
    if (look.character && clip.turned && !look.ghost) this.wear(look.character);
    else this.group.add(...this.meshes);
    if (look.ghost) this.addDepth();
    else this.addShadow();
    this.marks = new THREE.InstancedMesh(
      new THREE.CylinderGeometry(1, 1, 1, FINE.mark), new THREE.MeshBasicMaterial({ color: CONTACT, transparent: true, opacity: 0.85 }),
      Math.max(1, clip.soles.length));
    // A body without feet has none to light up.
    this.marks.count = clip.soles.length;
    this.marks.frustumCulled = false;
    this.marks.visible = !look.ghost;
    this.trails = this.makeTrails();
    this.layTrails();
    this.group.add(this.marks, this.trails);
    this.set(0);
  }

  // Play another clip on the same body, if it has the same: nothing is made anew that the
  // graphics card would have to be told about. Returns whether it could.
  play(clip, look) {
    if (clip.build !== this.clip.build || dress(look) !== dress(this.look)) return false;
    this.look = look;
    if (clip !== this.clip) {
      this.clip = clip;
      this.layTrails();
    }
    return true;
  }

  // A user's own mesh instead of the usual body.
  wear(character) {
    this.skin = new Skin(character);
    this.group.add(this.skin.mesh);
  }

  material(color = 0xffffff) {
    const { ghost } = this.look;
    const [Material, surface] = SOFTWARE ? [THREE.MeshLambertMaterial, {}] : [THREE.MeshStandardMaterial, { roughness: 0.7, metalness: 0.0 }];
    return new Material({
      color, ...surface, transparent: ghost, opacity: ghost ? 0.3 : 1.0, depthWrite: !ghost || SOFTWARE,
      ...(ghost ? BEHIND : {}),
    });
  }

  // What to draw: limbs { ends, shares, radius, side }, from one share of the way between two points
  // to another, and balls and heads { ends, share, radius, side }. What is flat also names a point
  // beside it: it is broad across the three. A ball may be longer than wide, along its ends.
  plan() {
    const { pieces, head, torso } = this.clip.body;
    const limbs = [], balls = [];
    const limb = (ends, radius, side, more) => limbs.push({ ends, shares: [0, 1], radius, side, ...more });
    const ball = (point, radius, side, more) => balls.push({ ends: [point, point], share: 0, radius, side, ...more });
    const feet = pieces.filter(([points]) => points.length === 3);
    for (const [points, radii, side] of pieces) {
      if (points.length > 3) {
        if (torso) continue;
        for (let i = 0; i < points.length; i++)
          for (let j = i + 1; j < points.length; j++) limb([points[i], points[j]], 0.07, side);
        points.forEach((point, i) => ball(point, radii[i], side));
      } else if (points.length === 3) {
        const [heel, ankle, toe] = points;
        limb([heel, toe], radii[0] * 1.6, side, { beside: ankle });
        limb([ankle, toe], radii[1] * 0.95, side, { beside: heel });
        limb([ankle, heel], radii[1] * 0.95, side);
        ball(heel, radii[0] * 1.9, side);
        ball(toe, radii[2], side, { ends: [toe, heel], beside: ankle });
      } else {
        const [begin, end] = points;
        const foot = feet.find(([[, , toe]]) => toe === begin);
        const muscle = !foot && this.length(begin, end) >= LIMB;
        const thick = radii[0] * (muscle ? THICKER : 1);
        if (muscle) for (const to of [0, 1]) limb(points, thick, side, { shares: [MUSCLE, to] });
        else limb(points, thick, side, { beside: foot?.[0][1] });
        if (!foot) ball(begin, radii[0], side);
        ball(end, thick * TAPER, side, foot ? { ends: [end, begin], beside: foot[0][1] } : {});
      }
    }
    // Of balls around the same point only the largest is seen.
    const largest = new Map();
    for (const one of balls) if (!(largest.get(one.ends[0])?.radius >= one.radius)) largest.set(one.ends[0], one);
    const heads = head ? [{ ends: [head[0], head[1]], share: 0.62, radius: head[2] * 0.86, side: 0, stretch: 1.3 }] : [];
    return { limbs, balls: [...largest.values()], heads };
  }

  // How far apart two points are in the first frame.
  length(p, q) {
    const { data } = this.clip;
    return Math.hypot(...[0, 1, 2].map((i) => data[3 * p + i] - data[3 * q + i]));
  }

  paint(color) {
    const middle = new THREE.Color(color);
    const sides = { "1": new THREE.Color(LEFT), "-1": new THREE.Color(RIGHT), "0": middle };
    const tone = (side) => middle.clone().lerp(sides[side], side === 0 || this.look.ghost ? 0 : 0.62);
    this.limbPlan.forEach(({ side }, i) => this.limbs.setColorAt(i, tone(side)));
    for (const { plan, mesh } of this.rounds) plan.forEach(({ side }, i) => mesh.setColorAt(i, tone(side)));
  }

  copies(material, order) {
    if (this.skin) return [this.skin.copy(material, order)];
    return this.meshes.map((mesh) => {
      const copy = mesh.isInstancedMesh ? new THREE.InstancedMesh(mesh.geometry, material, mesh.count) : new THREE.Mesh(mesh.geometry, material);
      if (mesh.isInstancedMesh) copy.instanceMatrix = mesh.instanceMatrix;
      copy.frustumCulled = false;
      copy.renderOrder = order;
      return copy;
    });
  }

  // A ghost's parts must not shine through each other: depth first, colour after. Where
  // every triangle counts they are drawn once, what hides most of the others first.
  addDepth() {
    if (SOFTWARE) {
      for (const mesh of this.meshes) mesh.renderOrder = mesh === this.limbs ? 4 : mesh.isInstancedMesh ? 5 : 3;
      return;
    }
    this.group.add(...this.copies(new THREE.MeshBasicMaterial({ colorWrite: false, ...BEHIND }), 2));
    for (const mesh of this.meshes) mesh.renderOrder = 3;
  }

  // The same shapes pressed flat onto the floor along the light, which is as wide as its lamps
  // are apart: what is near the floor has a sharp shadow, what is far from it a soft one. The
  // stencil keeps parts that overlap from darkening each other.
  addShadow() {
    const opacity = 1 - (1 - SHADOW) ** (1 / FINE.lamps.length);
    const shadows = FINE.lamps.map(([dx, dz], i) => {
      const material = new THREE.MeshBasicMaterial({
        color: 0x000000, transparent: true, opacity, depthWrite: false, side: THREE.DoubleSide,
        stencilWrite: true, stencilRef: i + 1, stencilFunc: THREE.NotEqualStencilFunc, stencilZPass: THREE.ReplaceStencilOp,
      });
      const { x, y, z } = LIGHT_DIRECTION;
      const flat = new THREE.Group();
      flat.matrixAutoUpdate = false;
      flat.matrix.set(1, -(x + dx) / y, 0, 0, 0, 0, 0, 0.004, 0, -(z + dz) / y, 1, 0, 0, 0, 0, 1);
      flat.add(...this.copies(material, 1 + i / 100));
      return flat;
    });
    this.group.add(...shadows);
  }

  // A line each for the root's way on the floor and for the feet.
  makeTrails() {
    const { clip, look } = this;
    const line = (point, height, color, opacity) => {
      const made = new THREE.Line(new THREE.BufferGeometry(), new THREE.LineBasicMaterial({ color, transparent: true, opacity }));
      made.userData = { point, height };
      made.frustumCulled = false;
      return made;
    };
    const group = new THREE.Group();
    group.add(line(0, 0.006, look.color, look.ghost ? 0.4 : 0.9));
    if (!look.ghost) clip.feet.forEach((point, i) => group.add(line(point, null, i === 0 ? LEFT : RIGHT, 0.55)));
    return group;
  }

  layTrails() {
    const { frames, stride, data } = this.clip;
    for (const { geometry, userData: { point, height } } of this.trails.children) {
      const old = geometry.attributes.position;
      if (old?.count !== frames) {
        geometry.dispose();
        geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(frames * 3), 3));
      }
      const path = geometry.attributes.position;
      for (let f = 0; f < frames; f++) {
        const at = (f * stride + point) * 3;
        path.setXYZ(f, data[at], height ?? data[at + 1], data[at + 2]);
      }
      path.needsUpdate = true;
    }
  }

  // The frame to show while the main character is at one of its own: ghosts keep in step.
  inStep(frame, last) {
    const { clip: { frames }, look: { clock } } = this;
    if (!clock?.length) return last > 0 ? (frame / last) * (frames - 1) : 0;
    const at = Math.min(frame, clock.length - 1), lower = Math.floor(at);
    const upper = Math.min(lower + 1, clock.length - 1);
    return clock[lower] + (at - lower) * (clock[upper] - clock[lower]);
  }

  // Pose at a fractional frame; beyond the clip's end it stands still.
  set(frame) {
    const { clip, points } = this;
    const at = Math.min(Math.max(frame, 0), clip.frames - 1);
    const lower = Math.floor(at), share = at - lower, size = clip.stride * 3;
    const a = lower * size, b = Math.min(lower + 1, clip.frames - 1) * size;
    for (let i = 0; i < size; i++) points[i] = clip.data[a + i] + share * (clip.data[b + i] - clip.data[a + i]);
    this.frame = at;
    if (this.skin) this.skin.place(this, at);
    else this.place();
    this.light(at);
  }

  at(point, out = new THREE.Vector3()) {
    return out.fromArray(this.points, point * 3);
  }

  place() {
    const from = new THREE.Vector3(), to = new THREE.Vector3(), way = new THREE.Vector3(), middle = new THREE.Vector3();
    const across = new THREE.Vector3(), front = new THREE.Vector3(), basis = new THREE.Matrix4();
    const turn = new THREE.Quaternion(), size = new THREE.Vector3(), matrix = new THREE.Matrix4();
    const up = new THREE.Vector3(0, 1, 0);
    // Turns +y along the way, and what is flat so that x is across; returns how broad it is.
    const face = (beside) => {
      if (beside !== undefined && across.crossVectors(way, this.at(beside, front).sub(from)).lengthSq() > 1e-12) {
        front.crossVectors(across.normalize(), way);
        turn.setFromRotationMatrix(basis.makeBasis(across, way, front));
        return BROAD;
      }
      turn.setFromUnitVectors(up, way);
      return 1;
    };
    this.limbPlan.forEach(({ ends: [p, q], shares: [begin, end], radius, beside }, i) => {
      this.at(p, from); this.at(q, to);
      middle.lerpVectors(from, to, begin);
      way.subVectors(to.lerpVectors(from, to, end), middle);
      const length = Math.max(way.length(), 1e-6);
      way.divideScalar(length);
      size.set(face(beside) * radius, length, radius);
      this.limbs.setMatrixAt(i, matrix.compose(middle, turn, size));
    });
    this.limbs.instanceMatrix.needsUpdate = true;
    for (const { plan, mesh } of this.rounds) {
      plan.forEach(({ ends: [p, q], share, radius, stretch, beside }, i) => {
        this.at(p, from); this.at(q, to);
        way.subVectors(to, from);
        let broad = 1;
        if ((stretch || beside !== undefined) && way.lengthSq() > 1e-9) {
          way.normalize();
          broad = face(beside);
        } else turn.identity();
        size.set(broad * radius, radius * (stretch ?? 1), radius);
        mesh.setMatrixAt(i, matrix.compose(from.lerp(to, share), turn, size));
      });
      mesh.instanceMatrix.needsUpdate = true;
    }
    this.torso?.place((i, out) => this.at(i, out));
  }

  // Plants light up while they are held.
  light(frame) {
    const matrix = new THREE.Matrix4(), place = new THREE.Vector3();
    const flat = new THREE.Vector3(), still = new THREE.Quaternion();
    this.held = [];
    this.clip.soles.forEach((kind, i) => {
      const held = this.clip.contacts.some(([k, a, b]) => k === kind && a <= frame && frame <= b);
      if (held) this.held.push(kind);
      this.at(this.clip.points + i, place);
      this.marks.setMatrixAt(i, matrix.compose(place, still, flat.set(0.07, 0.014, 0.07).multiplyScalar(held ? 1 : 0)));
    });
    this.marks.instanceMatrix.needsUpdate = true;
  }

  // Places of all joints and soles at a frame, on the stage.
  placesAt(frame) {
    const { clip, group: { position } } = this;
    const row = Math.min(Math.max(Math.round(frame), 0), clip.frames - 1) * clip.stride * 3;
    return Array.from({ length: clip.stride }, (_, i) => new THREE.Vector3().fromArray(clip.data, row + 3 * i).add(position));
  }

  // Where over the floor the root of the clip is at a frame.
  rootAt(frame) {
    const { clip } = this;
    const row = Math.min(Math.max(Math.round(frame), 0), clip.frames - 1) * clip.stride * 3;
    return new THREE.Vector3(clip.data[row], 0, clip.data[row + 2]);
  }

  // Where the whole clip goes on the floor, as a unit vector; ahead if it stays in place.
  way() {
    const way = this.rootAt(this.clip.frames - 1).sub(this.rootAt(0));
    return way.length() > 0.5 ? way.normalize() : new THREE.Vector3(0, 0, 1);
  }

  dispose() {
    this.skin?.dispose();
    this.group.traverse((object) => {
      object.geometry?.dispose();
      for (const material of [object.material].flat()) material?.dispose();
    });
  }
}
