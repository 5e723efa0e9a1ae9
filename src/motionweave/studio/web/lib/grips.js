// Joints that can be picked and dragged: small buttons that follow the character on screen.
import { THREE } from "./three.js";
import { throttled } from "./canvas.js";

export class Grips {
  // tell(name, place, final): `place` is null for a pick, otherwise where the joint was dragged
  // to, in metres on the stage. `hold` is called when a drag begins, before anything moves.
  constructor(host, stage, { hold, tell }) {
    Object.assign(this, { host, stage, hold, tell });
    this.send = throttled((...news) => this.tell(...news));
    this.buttons = [];
    this.chosen = null;
    this.dragged = null;
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
    this.host.replaceChildren(...this.buttons);
    this.mark();
  }

  button(name, joint, main) {
    const button = document.createElement("button");
    button.className = `mw-grip${main ? " main" : ""}`;
    button.title = name.replaceAll("_", " ");
    button.dataset.grip = name;
    button.tabIndex = -1;
    button.joint = joint;
    button.addEventListener("pointerdown", (event) => this.grab(event, button));
    button.addEventListener("pointermove", (event) => this.move(event));
    button.addEventListener("pointerup", () => this.drop());
    button.addEventListener("pointercancel", () => this.drop());
    return button;
  }

  choose(name) { this.chosen = name; this.mark(); }

  mark() { for (const button of this.buttons) button.classList.toggle("on", button.dataset.grip === this.chosen); }

  at(joint) { return this.character.at(joint).add(this.character.group.position); }

  grab(event, button) {
    if (event.button) return;
    event.preventDefault();
    button.setPointerCapture(event.pointerId);
    this.hold();
    this.choose(button.dataset.grip);
    const place = this.at(button.joint);
    // The pointer seldom hits the very middle: what is between them stays between them.
    const [x, y] = this.stage.toScreen(place) ?? [event.clientX, event.clientY];
    this.dragged = { button, place, from: place.clone(), off: [event.clientX - x, event.clientY - y], start: [event.clientX, event.clientY], held: true, moved: false };
    this.tell(button.dataset.grip, null, true);
  }

  // Along the plane through the joint that faces the camera.
  move(event) {
    const drag = this.dragged;
    if (!drag?.held) return;
    if (!drag.moved && Math.hypot(event.clientX - drag.start[0], event.clientY - drag.start[1]) < 3) return;
    drag.moved = true;
    const { camera, host } = this.stage;
    const at = new THREE.Vector2(
      (2 * (event.clientX - drag.off[0])) / host.clientWidth - 1, 1 - (2 * (event.clientY - drag.off[1])) / host.clientHeight);
    const ray = new THREE.Raycaster();
    ray.setFromCamera(at, camera);
    const facing = camera.getWorldDirection(new THREE.Vector3());
    const plane = new THREE.Plane().setFromNormalAndCoplanarPoint(facing, drag.from);
    if (!ray.ray.intersectPlane(plane, drag.place)) return;
    this.send(drag.button.dataset.grip, this.inClip(drag.place), false);
  }

  drop() {
    const drag = this.dragged;
    if (!drag?.held) return;
    drag.held = false;
    if (!drag.moved) { this.dragged = null; return; }
    this.send(drag.button.dataset.grip, this.inClip(drag.place), true);
    this.send.flush();
  }

  // From the stage to the clip's own place and unit.
  inClip(place) {
    const { group, clip } = this.character;
    return place.clone().sub(group.position).add(new THREE.Vector3(0, clip.floor, 0)).multiplyScalar(clip.unit).toArray();
  }

  // Follow the character; what is dragged stays under the pointer.
  place() {
    if (!this.character) return;
    for (const button of this.buttons) {
      const place = this.dragged?.button === button ? this.dragged.place : this.at(button.joint);
      const at = this.stage.toScreen(place);
      button.style.display = at ? "" : "none";
      if (at) button.style.transform = `translate(-50%, -50%) translate(${at[0].toFixed(1)}px, ${at[1].toFixed(1)}px)`;
    }
  }
}
