// Joints that can be picked and dragged: small buttons that follow the character on screen, and
// arrows at the chosen one along which it moves left, up or forwards alone, or rings that turn it.
import { THREE } from "./three.js";
import { throttled, toPixels } from "./canvas.js";
import { Rings } from "./rings.js";

// Where the arrows go, as the body sees it, and how long they are on screen.
const AXES = ["left or right", "up or down", "forwards or back"];
const ARROW = 62;
const UP = new THREE.Vector3(0, 1, 0);
// Half as thick as a trunk, in metres.
const TRUNK = 0.12;
// What is nearer to the camera than a joint by this many metres hides it.
const HIDES = 0.08;

const between = (a, b, share) => a.clone().lerp(b, share);

// How near the line from one place to another comes to a rod, and at which share of the line.
function nearness(from, to, [a, b]) {
  const line = to.clone().sub(from), rod = b.clone().sub(a), gap = from.clone().sub(a);
  const [aa, bb, ab] = [line.lengthSq(), rod.lengthSq(), line.dot(rod)];
  const [ag, bg] = [line.dot(gap), rod.dot(gap)];
  const apart = aa * bb - ab * ab;
  const clamp = (value) => Math.min(Math.max(value, 0), 1);
  let share = apart > 1e-9 ? clamp((ab * bg - bb * ag) / apart) : 0;
  const along = bb > 1e-9 ? clamp((ab * share + bg) / bb) : 0;
  share = clamp((ab * along - ag) / aa);
  return [between(from, to, share).distanceTo(between(a, b, along)), share];
}

export class Grips {
  // tell(name, place, final, axis): `place` is null for a pick, otherwise where the joint was
  // dragged to, in metres on the stage; `axis` is the arrow that was dragged, or null. `hold` is
  // called when a drag begins, before anything moves. turn(name, axis, degrees, final): a ring.
  constructor(host, stage, { hold, tell, turn }) {
    Object.assign(this, { host, stage, hold, tell });
    this.send = throttled((...news) => this.tell(...news));
    this.buttons = [];
    this.chosen = null;
    this.movable = false;
    this.turnable = false;
    this.dragged = null;
    this.rings = new Rings(stage, { hold, tell: (...news) => turn(this.chosen, ...news) });
    this.arrows = AXES.map((title, axis) => this.arrow(title, axis));
  }

  // The character whose joints are on offer, or none.
  set(character) {
    this.character = character?.look.grips?.length ? character : null;
    const grips = this.character?.look.grips ?? [];
    const listed = JSON.stringify(grips);
    if (this.dragged && !this.dragged.held) this.dragged = null;
    if (listed === this.listed) return;
    this.listed = listed;
    this.buttons = grips.map(([name, joint, main]) => this.button(name, joint, main));
    const arrows = grips.length ? this.arrows : [];
    this.host.replaceChildren(this.rings.picture, ...arrows.map(({ line }) => line), ...this.buttons, ...arrows.map(({ tip }) => tip));
    this.mark();
  }

  button(name, joint, main) {
    const button = document.createElement("button");
    button.className = `mw-grip${main ? " main" : ""}`;
    button.title = name.replaceAll("_", " ");
    button.dataset.grip = name;
    button.tabIndex = -1;
    button.joint = joint;
    this.listen(button, (event) => this.grab(event, button, null));
    return button;
  }

  // A line from the chosen joint, and its tip, which is dragged.
  arrow(title, axis) {
    const line = document.createElement("i"), tip = document.createElement("button");
    line.className = `mw-axis-line axis${axis}`;
    tip.className = `mw-axis axis${axis}`;
    tip.title = `Move ${title} only`;
    tip.dataset.axis = axis;
    tip.tabIndex = -1;
    this.listen(tip, (event) => this.grab(event, this.buttonOf(this.chosen), axis));
    return { line, tip };
  }

  listen(element, grab) {
    element.addEventListener("pointerdown", grab);
    element.addEventListener("pointermove", (event) => this.move(event));
    element.addEventListener("pointerup", () => this.drop());
    element.addEventListener("pointercancel", () => this.drop());
  }

  buttonOf(name) { return this.buttons.find((button) => button.dataset.grip === name) ?? null; }

  // What can be done to the joint that is chosen: it is `movable` along arrows, or `turnable` by rings.
  choose(name, movable = this.movable, turnable = this.turnable) {
    Object.assign(this, { chosen: name, movable, turnable });
    this.mark();
  }

  mark() { for (const button of this.buttons) button.classList.toggle("on", button.dataset.grip === this.chosen); }

  at(joint) { return this.character.at(joint).add(this.character.group.position); }

  // Left, up and forwards of the body as it stands now.
  axes() {
    const hips = this.character.clip.body.torso?.hips;
    const left = hips ? this.character.at(hips[0]).sub(this.character.at(hips[1])).setY(0) : new THREE.Vector3();
    if (left.lengthSq() < 1e-8) left.crossVectors(UP, this.character.way());
    left.normalize();
    return [left, UP, new THREE.Vector3().crossVectors(left, UP)];
  }

  grab(event, button, axis) {
    if (event.button || !button) return;
    event.preventDefault();
    event.currentTarget.setPointerCapture(event.pointerId);
    this.hold();
    this.choose(button.dataset.grip);
    const place = this.at(button.joint);
    // The pointer seldom hits the very middle: what is between them stays between them.
    const [x, y] = this.stage.toScreen(place) ?? [event.clientX, event.clientY];
    const way = axis === null ? null : this.axes()[axis];
    this.dragged = { button, place, axis, way, from: place.clone(), off: [event.clientX - x, event.clientY - y], start: [event.clientX, event.clientY], held: true, moved: false };
    if (way) this.dragged.off = [0, 0];
    if (way) this.dragged.begun = this.along(event);
    this.tell(button.dataset.grip, null, true, null);
  }

  ray(event) {
    const { camera, host } = this.stage, { off } = this.dragged;
    const at = new THREE.Vector2((2 * (event.clientX - off[0])) / host.clientWidth - 1, 1 - (2 * (event.clientY - off[1])) / host.clientHeight);
    const caster = new THREE.Raycaster();
    caster.setFromCamera(at, camera);
    return caster.ray;
  }

  // How far along the arrow the pointer is, in metres; null where it points at the camera.
  along(event) {
    const { way, from } = this.dragged, { origin, direction } = this.ray(this.onStage(event));
    const slope = way.dot(direction), gap = from.clone().sub(origin);
    return 1 - slope * slope < 0.01 ? null : (slope * direction.dot(gap) - way.dot(gap)) / (1 - slope * slope);
  }

  onStage(event) {
    const box = this.stage.host.getBoundingClientRect();
    return { clientX: event.clientX - box.left, clientY: event.clientY - box.top };
  }

  // Along the arrow that is dragged, else along the plane through the joint that faces the camera.
  move(event) {
    const drag = this.dragged;
    if (!drag?.held) return;
    if (!drag.moved && Math.hypot(event.clientX - drag.start[0], event.clientY - drag.start[1]) < 3) return;
    drag.moved = true;
    if (drag.way) {
      const now = this.along(event);
      if (now === null || drag.begun === null) return;
      drag.place.copy(drag.from).addScaledVector(drag.way, now - drag.begun);
    } else {
      const facing = this.stage.camera.getWorldDirection(new THREE.Vector3());
      const plane = new THREE.Plane().setFromNormalAndCoplanarPoint(facing, drag.from);
      if (!this.ray(event).intersectPlane(plane, drag.place)) return;
    }
    this.send(drag.button.dataset.grip, this.inClip(drag.place), false, drag.axis);
  }

  drop() {
    const drag = this.dragged;
    if (!drag?.held) return;
    drag.held = false;
    if (!drag.moved) { this.dragged = null; return; }
    this.send(drag.button.dataset.grip, this.inClip(drag.place), true, drag.axis);
    this.send.flush();
  }

  // From the stage to the clip's own place and unit.
  inClip(place) {
    const { group, clip } = this.character;
    return place.clone().sub(group.position).add(new THREE.Vector3(0, clip.floor, 0)).multiplyScalar(clip.unit).toArray();
  }

  // Limbs, trunk and head as rods: their ends, how thick they are, and the joints that they end at.
  rods() {
    const { pieces, torso, head } = this.character.clip.body;
    const rod = (points, radius) => ({ points, radius, ends: points.map((point) => this.at(point)) });
    return [
      ...pieces.filter(([points]) => points.length === 2).map(([points, radii]) => rod(points, Math.min(...radii))),
      ...(torso?.spine.length > 1 ? [rod([torso.spine[0], torso.spine.at(-1)], TRUNK)] : []),
      ...(head ? [rod([head[0], head[1]], head[2])] : []),
    ];
  }

  // Whether another part of the body is before a joint.
  hidden(joint, place, rods) {
    const eye = this.stage.camera.position, far = eye.distanceTo(place);
    return rods.some(({ points, radius, ends }) => {
      if (points.includes(joint)) return false;
      const [gap, share] = nearness(eye, place, ends);
      return gap < 0.8 * radius && (1 - share) * far > radius + HIDES;
    });
  }

  // Follow the character; what is dragged stays under the pointer.
  place() {
    if (!this.character) { this.rings.place(null, []); return; }
    const rods = this.rods();
    let chosen = null;
    for (const button of this.buttons) {
      const held = this.dragged?.button === button;
      const place = held ? this.dragged.place : this.at(button.joint);
      const at = this.stage.toScreen(place);
      button.style.display = at ? "" : "none";
      if (!at) continue;
      button.style.transform = `translate(-50%, -50%) translate(${at[0].toFixed(1)}px, ${at[1].toFixed(1)}px)`;
      button.classList.toggle("behind", !held && this.hidden(button.joint, place, rods));
      if (button.dataset.grip === this.chosen) chosen = [place, at];
    }
    this.placeArrows(chosen);
    this.rings.place(chosen && this.turnable ? chosen[0] : null, chosen ? this.axes() : []);
  }

  placeArrows(chosen) {
    const axes = chosen && this.movable ? this.axes() : [];
    this.arrows.forEach(({ line, tip }, axis) => {
      // As long on screen as the others, unless it points at the camera.
      const [x, y] = axes.length ? this.stage.toScreen(between(chosen[0], chosen[0].clone().add(axes[axis]), 0.1)) ?? chosen[1] : [0, 0];
      const [dx, dy] = chosen ? [x - chosen[1][0], y - chosen[1][1]] : [0, 0];
      const length = Math.hypot(dx, dy), shown = axes.length && length > 3;
      for (const part of [line, tip]) part.style.display = shown ? "" : "none";
      if (!shown) return;
      const [cx, cy] = chosen[1];
      const turn = Math.atan2(dy, dx), reach = Math.min(toPixels(ARROW), 6 * length);
      line.style.transform = `translate(${cx.toFixed(1)}px, ${cy.toFixed(1)}px) rotate(${turn.toFixed(4)}rad)`;
      line.style.width = `${reach.toFixed(1)}px`;
      tip.style.transform = `translate(-50%, -50%) translate(${(cx + reach * Math.cos(turn)).toFixed(1)}px, ${(cy + reach * Math.sin(turn)).toFixed(1)}px) rotate(${turn.toFixed(4)}rad)`;
    });
  }
}
