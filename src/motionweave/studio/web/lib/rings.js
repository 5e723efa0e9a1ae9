// Rings around the chosen joint, by which it is turned about one axis of the body at a time.
import { THREE } from "./three.js";
import { throttled, toPixels } from "./canvas.js";

// Axes as the body sees them: left, up, forwards.
const TITLES = ["Bend forwards or back", "Turn left or right", "Tilt to a side"];
// How large the rings are on screen, and how many corners they are drawn with.
const RADIUS = 54;
const CORNERS = 48;
// A ring that is seen more from its edge than this is turned by dragging along it.
const EDGE_ON = 0.3;

const drawn = (name) => document.createElementNS("http://www.w3.org/2000/svg", name);

export class Rings {
  // tell(axis, degrees, final): how far a ring has been turned since it was grabbed, null when it
  // is. `hold` is called before that.
  constructor(stage, { hold, tell }) {
    Object.assign(this, { stage, hold, tell, centre: null, axes: [], drag: null });
    this.send = throttled((...news) => this.tell(...news));
    this.picture = drawn("svg");
    this.picture.setAttribute("class", "mw-rings");
    this.rings = TITLES.map((title, axis) => this.ring(title, axis));
  }

  // A thin ring to be seen, and a broad one to be hit.
  ring(title, axis) {
    const seen = drawn("path"), hit = drawn("path"), name = drawn("title");
    seen.setAttribute("class", `mw-ring-line axis${axis}`);
    hit.setAttribute("class", "mw-ring");
    hit.dataset.ring = axis;
    name.textContent = title;
    hit.append(name);
    hit.addEventListener("pointerdown", (event) => this.grab(event, axis));
    hit.addEventListener("pointermove", (event) => this.move(event));
    hit.addEventListener("pointerup", () => this.drop());
    hit.addEventListener("pointercancel", () => this.drop());
    this.picture.append(seen, hit);
    return [seen, hit];
  }

  // Around a place on the stage, about these axes; nowhere if there is no place.
  place(centre, axes) {
    Object.assign(this, { centre, axes });
    this.picture.style.display = centre ? "" : "none";
    if (!centre) return;
    this.rings.forEach((paths, axis) => {
      const corners = Array.from({ length: CORNERS }, (_, i) => this.corner(axis, (2 * Math.PI * i) / CORNERS));
      const line = corners.map(([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`).join("L");
      for (const path of paths) path.setAttribute("d", `M${line}Z`);
    });
  }

  // Where a ring is on screen, at an angle counted as the joint turns.
  corner(axis, angle) {
    const [u, v] = [this.axes[(axis + 1) % 3], this.axes[(axis + 2) % 3]];
    const { camera, host } = this.stage;
    const far = this.centre.clone().sub(camera.position).dot(camera.getWorldDirection(new THREE.Vector3()));
    const radius = (toPixels(RADIUS) * 2 * far * Math.tan(THREE.MathUtils.degToRad(camera.fov / 2))) / host.clientHeight;
    const place = this.centre.clone().addScaledVector(u, radius * Math.cos(angle)).addScaledVector(v, radius * Math.sin(angle));
    return this.stage.toScreen(place) ?? [0, 0];
  }

  grab(event, axis) {
    if (event.button || !this.centre) return;
    event.preventDefault();
    event.currentTarget.setPointerCapture(event.pointerId);
    this.hold();
    const view = this.centre.clone().sub(this.stage.camera.position).normalize();
    const facing = Math.abs(view.dot(this.axes[axis])) > EDGE_ON;
    this.drag = { axis, by: 0, moved: false, facing, along: facing ? null : this.tangent(event, axis) };
    this.drag.last = this.angle(event);
    this.tell(axis, null, false);
  }

  // Pixels per radian, across and down, of a ring at the place nearest to the pointer.
  tangent(event, axis) {
    const [x, y] = this.at(event);
    const far = (angle) => { const [cx, cy] = this.corner(axis, angle); return Math.hypot(cx - x, cy - y); };
    const angles = Array.from({ length: CORNERS }, (_, i) => (2 * Math.PI * i) / CORNERS);
    const near = angles.reduce((best, angle) => (far(angle) < far(best) ? angle : best));
    const [[x0, y0], [x1, y1]] = [this.corner(axis, near - 0.1), this.corner(axis, near + 0.1)];
    return [(x1 - x0) / 0.2, (y1 - y0) / 0.2];
  }

  at(event) {
    const box = this.stage.host.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  // The angle that the pointer is at: where it points in the plane of the ring, or, where that is
  // seen from its edge, how far it has gone along the ring.
  angle(event) {
    const { axis, along } = this.drag, [x, y] = this.at(event);
    if (along) return (x * along[0] + y * along[1]) / Math.max(along[0] ** 2 + along[1] ** 2, 1);
    const { camera, host } = this.stage, caster = new THREE.Raycaster();
    caster.setFromCamera(new THREE.Vector2((2 * x) / host.clientWidth - 1, 1 - (2 * y) / host.clientHeight), camera);
    const plane = new THREE.Plane().setFromNormalAndCoplanarPoint(this.axes[axis], this.centre);
    const place = caster.ray.intersectPlane(plane, new THREE.Vector3())?.sub(this.centre);
    return place ? Math.atan2(place.dot(this.axes[(axis + 2) % 3]), place.dot(this.axes[(axis + 1) % 3])) : null;
  }

  move(event) {
    const drag = this.drag;
    if (!drag) return;
    const now = this.angle(event);
    if (now === null || drag.last === null) return;
    const step = now - drag.last;
    // Past half a turn the angle begins anew.
    drag.by += drag.facing ? Math.atan2(Math.sin(step), Math.cos(step)) : step;
    Object.assign(drag, { last: now, moved: true });
    this.send(drag.axis, THREE.MathUtils.radToDeg(drag.by), false);
  }

  drop() {
    const drag = this.drag;
    this.drag = null;
    if (!drag?.moved) return;
    this.send(drag.axis, THREE.MathUtils.radToDeg(drag.by), true);
    this.send.flush();
  }
}
