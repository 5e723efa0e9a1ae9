// A path on the floor: drawn with the pointer, and shown as a ribbon.
import { THREE } from "./three.js";

// Metres between places of a path, how wide its ribbon is, and how high above the floor.
const APART = 0.12;
const WIDE = 0.07;
const ABOVE = 0.006;
const COLOR = 0xffb454;

export class Path {
  // done(points): a path [[x, z]] in metres was drawn.
  constructor(stage, done) {
    Object.assign(this, { stage, done, points: [], ribbon: null, held: false });
    const { host } = stage;
    this.listeners = {
      pointerdown: (event) => this.begin(event), pointermove: (event) => this.go(event),
      pointerup: () => this.end(), pointercancel: () => this.end(),
    };
    for (const [name, listener] of Object.entries(this.listeners)) host.addEventListener(name, listener, { capture: true });
  }

  dispose() {
    for (const [name, listener] of Object.entries(this.listeners)) this.stage.host.removeEventListener(name, listener, { capture: true });
  }

  // Whether the next drag draws a path, and does not turn the view.
  set drawing(on) { this.stage.host.classList.toggle("drawing", on); }

  get drawing() { return this.stage.host.classList.contains("drawing"); }

  show(points) {
    this.points = points;
    if (this.ribbon) {
      this.stage.scene.remove(this.ribbon);
      this.ribbon.geometry.dispose();
      this.ribbon.material.dispose();
      this.ribbon = null;
    }
    if (points.length > 1) {
      this.ribbon = new THREE.Mesh(this.strip(), new THREE.MeshBasicMaterial({ color: COLOR, side: THREE.DoubleSide, transparent: true, opacity: 0.75 }));
      this.stage.scene.add(this.ribbon);
    }
    this.stage.dirty = true;
  }

  strip() {
    const { points } = this, places = [], faces = [];
    points.forEach(([x, z], i) => {
      const [x0, z0] = points[Math.max(i - 1, 0)], [x1, z1] = points[Math.min(i + 1, points.length - 1)];
      const far = Math.hypot(x1 - x0, z1 - z0) || 1;
      const [dx, dz] = [(-(z1 - z0) / far) * (WIDE / 2), ((x1 - x0) / far) * (WIDE / 2)];
      places.push(x + dx, ABOVE, z + dz, x - dx, ABOVE, z - dz);
      if (i) faces.push(2 * i - 2, 2 * i - 1, 2 * i, 2 * i - 1, 2 * i + 1, 2 * i);
    });
    const made = new THREE.BufferGeometry();
    made.setAttribute("position", new THREE.Float32BufferAttribute(places, 3));
    made.setIndex(faces);
    return made;
  }

  // Where on the floor the pointer is, if that is not too far away to be meant.
  place(event) {
    const box = this.stage.host.getBoundingClientRect();
    const at = new THREE.Vector2((2 * (event.clientX - box.left)) / box.width - 1, 1 - (2 * (event.clientY - box.top)) / box.height);
    const caster = new THREE.Raycaster();
    caster.setFromCamera(at, this.stage.camera);
    const found = caster.ray.intersectPlane(new THREE.Plane(new THREE.Vector3(0, 1, 0), 0), new THREE.Vector3());
    return found && found.distanceTo(this.stage.controls.target) < 40 ? [found.x, found.z] : null;
  }

  begin(event) {
    if (!this.drawing || event.button) return;
    event.preventDefault();
    event.stopPropagation();
    this.stage.host.setPointerCapture(event.pointerId);
    const place = this.place(event);
    this.held = true;
    this.show(place ? [place] : []);
  }

  go(event) {
    if (!this.held) return;
    event.stopPropagation();
    const place = this.place(event), last = this.points.at(-1);
    if (place && (!last || Math.hypot(place[0] - last[0], place[1] - last[1]) >= APART)) this.show([...this.points, place]);
  }

  end() {
    if (!this.held) return;
    this.held = this.drawing = false;
    if (this.points.length > 2) this.done(this.points);
  }
}
