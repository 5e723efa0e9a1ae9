// Two-dimensional pictures: crisp on every screen, in the colours of the page's theme.
import { shortened } from "./names.js";

export const FONT = "11px Inter, system-ui, sans-serif";
export const BOLD = `600 ${FONT}`;

// The theme's colours, as the style sheet has them now.
export function palette(element) {
  const style = getComputedStyle(element);
  const read = (name) => style.getPropertyValue(name).trim();
  return {
    ink: read("--mw-ink"), soft: read("--mw-soft"), faint: read("--mw-faint"), line: read("--mw-line"),
    panel: read("--mw-panel"), field: read("--mw-field"), accent: read("--mw-accent"), second: read("--mw-second"), contact: read("--mw-contact"),
  };
}

// The page grows with the screen by the size of its letters, and pictures grow with it: they are
// drawn in units that are pixels where letters have this many.
const LETTERS = 13;
let unit = 1;

// A length of the page, such as a pointer's place, in units of pictures; and the other way round.
export const toUnits = (pixels) => pixels / unit;
export const toPixels = (units) => units * unit;
export const inRem = (units) => `${units / LETTERS}rem`;

// A canvas as large as its place on the page, wiped clean.
export function fitCanvas(canvas) {
  unit = parseFloat(getComputedStyle(document.documentElement).fontSize) / LETTERS;
  const ratio = Math.min(window.devicePixelRatio || 1, 3);
  const [wide, high] = [canvas.clientWidth, canvas.clientHeight].map((pixels) => Math.round(pixels * ratio));
  if (canvas.width !== wide || canvas.height !== high) Object.assign(canvas, { width: wide, height: high });
  const context = canvas.getContext("2d");
  context.setTransform(ratio * unit, 0, 0, ratio * unit, 0, 0);
  const { width, height } = sizeOf(canvas);
  context.clearRect(0, 0, width, height);
  context.font = FONT;
  context.textBaseline = "middle";
  return { context, width, height };
}

export function sizeOf(canvas) { return { width: toUnits(canvas.clientWidth), height: toUnits(canvas.clientHeight) }; }

// A line; a path to be closed and filled if nothing is said about its look.
export function trace(c, points, { color = null, width = 1.5, alpha = 1, dash = [] } = {}) {
  c.beginPath();
  for (const [x, y] of points) c.lineTo(x, y);
  if (color === null) return;
  Object.assign(c, { strokeStyle: color, lineWidth: width, globalAlpha: alpha, lineJoin: "round" });
  c.setLineDash(dash);
  c.stroke();
  c.setLineDash([]);
  c.globalAlpha = 1;
}

export function dot(c, [x, y], radius, fill, rim = null, width = 2) {
  c.beginPath();
  c.arc(x, y, radius, 0, 2 * Math.PI);
  if (fill) { c.fillStyle = fill; c.fill(); }
  if (rim) { c.strokeStyle = rim; c.lineWidth = width; c.stroke(); }
}

// As much of a text as there is room for.
export function fitted(c, text, room) {
  let most = text.length;
  while (most > 3 && c.measureText(shortened(text, most)).width > room) most -= 1;
  return shortened(text, most);
}

// Words that can be read whatever is behind them.
export function haloed(c, text, [x, y], color, halo) {
  c.font = BOLD;
  c.lineWidth = 3;
  c.strokeStyle = halo;
  c.strokeText(text, x, y);
  c.fillStyle = color;
  c.fillText(text, x, y);
}

// The thing whose place is nearest to a point, if one is near enough.
export function nearest(things, place, [x, y], within) {
  let best = null, least = within;
  for (const thing of things) {
    const [px, py] = place(thing);
    const far = Math.hypot(px - x, py - y);
    if (far < least) { least = far; best = thing; }
  }
  return best;
}

// The first call at once, then at most one per frame of the screen, always with the newest values.
export function throttled(call) {
  let waiting = null;
  let handle = 0;
  const run = () => {
    handle = 0;
    if (waiting === null) return;
    const values = waiting;
    waiting = null;
    handle = requestAnimationFrame(run);
    call(...values);
  };
  const throttle = (...values) => {
    waiting = values;
    if (!handle) run();
  };
  throttle.flush = () => {
    cancelAnimationFrame(handle);
    run();
  };
  return throttle;
}
