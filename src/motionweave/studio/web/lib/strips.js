// Pose strips: fetched a few at a time when they come into view, and drawn as small figures.
import { fitCanvas } from "./canvas.js";

// Requests at once, and strips that are kept.
const AT_ONCE = 2;
const KEPT = 500;
// Room around a figure, as a share of the picture.
const MARGIN = 0.06;
const kept = new Map();
const waiting = [];
let asking = 0;

function next() {
  while (asking < AT_ONCE && waiting.length) {
    // Those that were seen last are those that are seen now.
    const { url, wanted, done } = waiting.pop();
    if (!wanted()) { done(null); continue; }
    asking += 1;
    fetch(url)
      .then((answer) => (answer.status === 200 ? answer.json() : null), () => null)
      .then((strip) => {
        asking -= 1;
        if (strip) kept.set(url, strip);
        if (kept.size > KEPT) kept.delete(kept.keys().next().value);
        done(strip);
        next();
      });
  }
}

// The strip at an address; null if there is none, or if it is no longer wanted when its turn comes.
export function stripOf(url, wanted) {
  if (kept.has(url)) return Promise.resolve(kept.get(url));
  return new Promise((done) => { waiting.push({ url, wanted, done }); next(); });
}

// Calls back whenever an element comes into view or leaves it; returns what ends that.
const listeners = new WeakMap();
let watcher = null;
export function seen(element, call) {
  watcher ??= new IntersectionObserver((entries) => {
    for (const entry of entries) listeners.get(entry.target)?.(entry.isIntersecting);
  });
  listeners.set(element, call);
  watcher.observe(element);
  return () => watcher.unobserve(element);
}

// A strip at a time in poses; between two poses the points are on the way from one to the other.
export function drawPose(canvas, strip, at) {
  const { context: c, width, height } = fitCanvas(canvas);
  const style = getComputedStyle(canvas);
  const colors = { "1": "--left", "-1": "--right", "0": "--trunk" };
  const color = (side) => style.getPropertyValue(colors[side]);
  const [left, bottom, right, top] = strip.box;
  const scale = (1 - 2 * MARGIN) * Math.min(width / (right - left), height / (top - bottom));
  const x = (value) => width / 2 + scale * (value - (left + right) / 2);
  const y = (value) => height / 2 - scale * (value - (bottom + top) / 2);
  const [from, to] = [Math.floor(at), Math.min(Math.floor(at) + 1, strip.poses.length - 1)];
  const points = strip.poses[from].map((value, i) => value + (at - from) * (strip.poses[to][i] - value));
  c.fillStyle = style.getPropertyValue("--floor");
  c.fillRect(0, y(0), width, 1);
  Object.assign(c, { lineCap: "round", lineJoin: "round" });
  const head = { depth: points[3 * strip.head + 2], draw() {
    c.fillStyle = color(0);
    c.beginPath();
    c.arc(x(points[3 * strip.head]), y(points[3 * strip.head + 1]), scale * strip.radius, 0, 2 * Math.PI);
    c.fill();
  } };
  const bones = strip.bones.map(([a, b, thick, side]) => ({
    depth: points[3 * a + 2] + points[3 * b + 2],
    draw() {
      Object.assign(c, { strokeStyle: color(side), lineWidth: Math.max(scale * thick, 1.2) });
      c.beginPath();
      c.moveTo(x(points[3 * a]), y(points[3 * a + 1]));
      c.lineTo(x(points[3 * b]), y(points[3 * b + 1]));
      c.stroke();
    },
  }));
  // What is nearer to the eye is drawn over what is behind it.
  for (const part of [...bones, { ...head, depth: 2 * head.depth }].sort((a, b) => a.depth - b.depth)) part.draw();
  // For tests: how much of the picture the figure takes, from top to bottom.
  return { top: y(top), bottom: y(bottom), height };
}
