// The stage: floor, light, camera, and the characters on it.
import { OrbitControls, SOFTWARE, THREE } from "./three.js";
import { LIGHT_DIRECTION } from "./character.js";

const THEMES = {
  dark: { sky: 0x14171b, floor: 0x1a1e23, line: 0x59626e },
  light: { sky: 0xe9edf1, floor: 0xf6f8fa, line: 0x9aa5b1 },
};

// The share of the picture that stays free around what is looked at, and how near to come at most.
const ROOM = 0.12;
const NEAREST = 2.6;

// Metre lines that stay one pixel wide and fade with distance; every fifth is stronger.
function floorMaterial() {
  return new THREE.ShaderMaterial({
    uniforms: {
      floor: { value: new THREE.Color() }, line: { value: new THREE.Color() }, sky: { value: new THREE.Color() },
      centre: { value: new THREE.Vector3() },
    },
    vertexShader: `
      varying vec3 place;
      void main() {
        place = (modelMatrix * vec4(position, 1.0)).xyz;
        gl_Position = projectionMatrix * viewMatrix * vec4(place, 1.0);
      }`,
    fragmentShader: `
      varying vec3 place;
      uniform vec3 floor, line, sky, centre;
      float lines(float step) {
        vec2 at = place.xz / step;
        vec2 near = abs(fract(at - 0.5) - 0.5) / max(fwidth(at), vec2(1e-5));
        vec2 dense = fwidth(at);
        float mask = 1.0 - min(min(near.x, near.y), 1.0);
        return mask * (1.0 - smoothstep(0.25, 0.6, max(dense.x, dense.y)));
      }
      void main() {
        float far = length(place.xz - centre.xz);
        float ink = max(0.42 * lines(1.0), 0.85 * lines(5.0));
        vec3 colour = mix(floor, line, ink * (1.0 - smoothstep(6.0, 24.0, far)));
        gl_FragColor = vec4(mix(colour, sky, smoothstep(9.0, 34.0, far)), 1.0);
        #include <colorspace_fragment>
      }`,
  });
}

export class Stage {
  constructor(host) {
    this.host = host;
    const soft = SOFTWARE;
    this.renderer = new THREE.WebGLRenderer({ antialias: !soft, stencil: true });
    this.finest = Math.min(window.devicePixelRatio || 1, 2);
    this.ratio = soft ? 0.8 : this.finest;
    this.pause = soft ? 30 : 0;
    this.drawn = 0;
    if (soft) this.makeWay();
    this.renderer.setPixelRatio(this.ratio);
    const { domElement: canvas } = this.renderer;
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", "the motion in space");
    host.appendChild(canvas);
    this.scene = new THREE.Scene();
    this.camera = new THREE.PerspectiveCamera(36, 1, 0.05, 200);
    this.camera.position.set(3.3, 1.75, 3.5);
    this.controls = new OrbitControls(this.camera, this.renderer.domElement);
    this.controls.target.set(0, 0.92, 0);
    this.controls.enableDamping = true;
    this.controls.maxPolarAngle = 0.52 * Math.PI;
    this.controls.minDistance = 0.8;
    this.controls.maxDistance = 40;
    this.controls.addEventListener("change", () => { this.dirty = true; });
    // Once the camera is in the user's hands, it stays as they put it.
    this.controls.addEventListener("start", () => { this.turning = this.touched = true; });
    this.controls.addEventListener("end", () => { this.turning = false; });
    this.scene.add(new THREE.HemisphereLight(0xffffff, 0x8d949e, 1.5));
    const sun = new THREE.DirectionalLight(0xffffff, 1.5);
    sun.position.copy(LIGHT_DIRECTION).multiplyScalar(10);
    // A weaker light over the viewer's shoulder: the side one looks at is never in the dark.
    const lamp = new THREE.DirectionalLight(0xffffff, 0.9);
    lamp.position.set(-0.4, 0.5, 1);
    this.camera.add(lamp, lamp.target);
    this.scene.add(sun, this.camera);
    this.floor = new THREE.Mesh(new THREE.PlaneGeometry(120, 120).rotateX(-Math.PI / 2), floorMaterial());
    this.floor.position.y = -0.003;
    this.scene.add(this.floor);
    this.cast = new THREE.Group();
    this.scene.add(this.cast);
    this.characters = new Map();
    // For a picture in two halves: who is left of the divider, and where that is (0 to 1).
    this.halves = null;
    this.leaving = [];
    this.slow = 0;
    this.resizer = new ResizeObserver(() => this.resize());
    this.resizer.observe(host);
    this.resize();
  }

  // Without a graphics card, while something elsewhere on the page is dragged, playback draws
  // less often: what the drag brings is drawn the sooner.
  makeWay() {
    const usual = this.pause;
    this.pressed = ({ target }) => { if (!this.host.contains(target)) this.pause = 120; };
    this.released = () => { this.pause = usual; };
    window.addEventListener("pointerdown", this.pressed, true);
    for (const end of ["pointerup", "pointercancel"]) window.addEventListener(end, this.released, true);
  }

  // Draw at the next opportunity, however short the time since the last picture.
  hurry() {
    this.dirty = true;
    this.drawn = 0;
  }

  setTheme(name) {
    const theme = THEMES[name] ?? THEMES.dark;
    this.scene.background = new THREE.Color(theme.sky);
    for (const part of ["floor", "line", "sky"]) this.floor.material.uniforms[part].value.set(theme[part]);
    this.dirty = true;
  }

  resize() {
    const { clientWidth: width, clientHeight: height } = this.host;
    if (!width || !height) return;
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    this.dirty = true;
    this.resized?.();
  }

  add(id, character) {
    this.remove(id);
    this.characters.set(id, character);
    this.cast.add(character.group);
    this.dirty = true;
  }

  remove(id) {
    const old = this.characters.get(id);
    if (!old) return;
    this.cast.remove(old.group);
    // Kept until the next picture: what takes its place is drawn by the same shaders, and
    // compiling them anew is what would take longest.
    this.leaving.push(old);
    this.characters.delete(id);
    this.dirty = true;
  }

  // Keep a point where it is seen without taking the camera out of the user's hands. It goes up
  // and down only gently, and not at all when it is taken there at once.
  follow(point, share) {
    const step = point.clone().sub(this.controls.target).multiplyScalar(share);
    step.y *= share < 1 ? 0.15 : 0;
    if (step.lengthSq() < 1e-8) return;
    this.controls.target.add(step);
    this.camera.position.add(step);
    this.dirty = true;
  }

  // Look at points from a standard side, from so far that all of them are seen.
  view(points, way, side) {
    const left = new THREE.Vector3(way.z, 0, -way.x);
    const from = {
      front: way.clone(), side: left.clone().negate(),
      top: new THREE.Vector3(0, 1, 0).addScaledVector(way, -0.002),
      corner: way.clone().addScaledVector(left, -1.03).setY(0.25),
    }[side].normalize();
    const box = new THREE.Box3().setFromPoints(points);
    const target = box.getCenter(new THREE.Vector3());
    const across = new THREE.Vector3().crossVectors(new THREE.Vector3(0, 1, 0), from).normalize();
    const up = new THREE.Vector3().crossVectors(from, across);
    const tall = Math.tan(THREE.MathUtils.degToRad(this.camera.fov / 2)) * (1 - ROOM);
    const wide = tall * this.camera.aspect;
    let distance = NEAREST;
    for (const point of points) {
      const at = point.clone().sub(target);
      distance = Math.max(distance, at.dot(from) + Math.max(Math.abs(at.dot(across)) / wide, Math.abs(at.dot(up)) / tall));
    }
    this.controls.target.copy(target);
    this.camera.position.copy(target).addScaledVector(from, distance);
    this.controls.maxDistance = Math.max(40, 3 * distance);
    this.dirty = true;
  }

  // A place on screen in CSS pixels, or null behind the camera.
  toScreen(place) {
    const at = place.clone().project(this.camera);
    if (at.z > 1) return null;
    return [(at.x * 0.5 + 0.5) * this.host.clientWidth, (-at.y * 0.5 + 0.5) * this.host.clientHeight];
  }

  // Draw if anything changed; whether it did.
  render(seconds) {
    this.controls.update();
    const now = performance.now();
    // Once the picture stands still there is time to draw it as fine as the screen is.
    if (this.dirty) this.sharpen(this.ratio);
    else if (now - this.drawn > 400) this.sharpen(this.finest);
    if (!this.dirty || now - this.drawn < this.pause) return false;
    this.dirty = false;
    this.drawn = now;
    const { target } = this.controls;
    this.floor.position.x = Math.round(target.x);
    this.floor.position.z = Math.round(target.z);
    this.floor.material.uniforms.centre.value.copy(target);
    this.draw();
    this.clear();
    this.adapt(seconds);
    return true;
  }

  draw() {
    const { renderer, scene, camera, halves, cast } = this;
    if (!halves) { renderer.render(scene, camera); return; }
    const { clientWidth: width, clientHeight: height } = this.host;
    const middle = Math.round(halves.at * width);
    renderer.setScissorTest(true);
    for (const [left, wide, before] of [[0, middle, true], [middle, width - middle, false]]) {
      if (!wide) continue;
      halves.group.visible = before;
      cast.visible = !before;
      renderer.setScissor(left, 0, wide, height);
      renderer.render(scene, camera);
    }
    cast.visible = true;
    renderer.setScissorTest(false);
  }

  clear() {
    for (const old of this.leaving) old.dispose();
    this.leaving = [];
  }

  // A machine without a graphics card draws fewer pixels rather than fewer frames.
  adapt(seconds) {
    this.slow = seconds > 0.055 ? this.slow + 1 : Math.max(0, this.slow - 2);
    if (this.slow < 12 || this.ratio <= 0.6) return;
    this.slow = 0;
    this.ratio = Math.max(0.6, this.ratio * 0.8);
  }

  // Draw this many pixels for each of the page's from now on.
  sharpen(ratio) {
    if (this.renderer.getPixelRatio() === ratio) return;
    this.renderer.setPixelRatio(ratio);
    this.dirty = true;
  }

  dispose() {
    this.resizer.disconnect();
    window.removeEventListener("pointerdown", this.pressed, true);
    for (const end of ["pointerup", "pointercancel"]) window.removeEventListener(end, this.released, true);
    for (const id of [...this.characters.keys()]) this.remove(id);
    this.clear();
    this.renderer.dispose();
  }
}
