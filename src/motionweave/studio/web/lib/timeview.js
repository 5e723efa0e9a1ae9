// The part of the result's time that is seen, the same on every picture along it: shares of the
// whole, from 0 to 1. Whoever shows time asks for it here and is told when it changes.

const LEAST = 0.02;
const seen = { from: 0, to: 1 };
const listeners = new Set();

export const timeView = {
  get from() { return seen.from; },
  get to() { return seen.to; },
  get whole() { return seen.from === 0 && seen.to === 1; },
  // A share of the whole as a share of what is seen, and the other way round.
  across: (share) => (share - seen.from) / (seen.to - seen.from),
  share: (across) => seen.from + across * (seen.to - seen.from),
  set(from, to) {
    const width = Math.min(Math.max(to - from, LEAST), 1);
    seen.from = Math.min(Math.max(from, 0), 1 - width);
    seen.to = seen.from + width;
    for (const listener of listeners) listener();
  },
  // Nearer (a factor below one) or further away, around a share of the whole.
  zoom(factor, around) {
    timeView.set(around - (around - seen.from) * factor, around + (seen.to - around) * factor);
  },
  slide(by) { timeView.set(seen.from + by, seen.to + by); },
  listen(listener) {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
  // The wheel: nearer or further around the pointer, with Shift (or sideways) along time.
  wheel(event, across) {
    const sideways = event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY);
    const amount = Math.sign(sideways ? event.deltaX || event.deltaY : event.deltaY);
    if (sideways && timeView.whole) return;
    event.preventDefault();
    if (sideways) timeView.slide(0.1 * amount * (seen.to - seen.from));
    else timeView.zoom(1.25 ** amount, timeView.share(Math.min(Math.max(across, 0), 1)));
  },
};
