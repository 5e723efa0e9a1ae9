// Two-dimensional pictures: crisp on every screen, in the colours of the page's theme.

export const SERIES = ["#4f8fd6", "#e07f42", "#3fb37a", "#a877cf", "#cfa63c", "#d9608a", "#46aebd", "#8a93a0"];

// The theme's colours, as the style sheet has them now.
export function palette(element) {
  const style = getComputedStyle(element);
  const read = (name) => style.getPropertyValue(name).trim();
  return {
    ink: read("--mw-ink"), soft: read("--mw-soft"), faint: read("--mw-faint"), line: read("--mw-line"),
    panel: read("--mw-panel"), field: read("--mw-field"), accent: read("--mw-accent"), contact: read("--mw-contact"),
  };
}

// A canvas as large as its place on the page; drawing is in CSS pixels.
export function fitCanvas(canvas) {
  const { clientWidth: width, clientHeight: height } = canvas;
  const ratio = Math.min(window.devicePixelRatio || 1, 3);
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
  }
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  return { context, width, height };
}

// At most one call a frame of the screen, always with the newest value.
export function throttled(call) {
  let waiting = null;
  let handle = 0;
  const run = () => {
    handle = 0;
    if (waiting !== null) call(...waiting);
    waiting = null;
  };
  const throttle = (...values) => {
    waiting = values;
    if (!handle) handle = requestAnimationFrame(run);
  };
  throttle.flush = () => {
    cancelAnimationFrame(handle);
    run();
  };
  return throttle;
}
