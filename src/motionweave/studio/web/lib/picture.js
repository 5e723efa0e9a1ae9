// What components that draw on a canvas have in common, to be mixed in.
import { timeView } from "./timeview.js";
import { fitCanvas, fitted, palette, sizeOf, throttled, toPixels, toUnits } from "./canvas.js";

// The viewport, once it is there.
export const viewport = () => window.motionweave?.viewport;

// Drawn anew (`draw`) when its place on the page or the theme changes, and when its `moment` does,
// which is whatever it shows of the playhead; the last one drawn is `last`.
export const picture = {
  mounted() {
    this.$el.editor = this;
    this.observers = [new ResizeObserver(() => this.draw()), new MutationObserver(() => this.draw())];
    this.observers[0].observe(this.$refs.canvas);
    this.observers[1].observe(document.body, { attributes: true, attributeFilter: ["class"] });
    if (!this.moment) return;
    this.stopZoom = timeView.listen(() => this.draw());
    const tick = () => {
      this.handle = requestAnimationFrame(tick);
      const moment = this.moment();
      if (moment !== this.last) { this.last = moment; this.draw(); }
    };
    this.handle = requestAnimationFrame(tick);
  },
  unmounted() {
    cancelAnimationFrame(this.handle);
    cancelAnimationFrame(this.soon);
    this.stopZoom?.();
    for (const observer of this.observers) observer.disconnect();
  },
  methods: {
    // Draw with the next frame of the screen, once however often that is asked for.
    redraw() { this.soon ??= requestAnimationFrame(() => { this.soon = null; this.draw(); }); },
    // A clean sheet and the theme's colours; nothing while the picture is hidden.
    sheet() {
      if (!this.$refs.canvas?.clientHeight) return null;
      return { ...fitCanvas(this.$refs.canvas), ink: palette(this.$el) };
    },
    size() { return sizeOf(this.$refs.canvas); },
    // Where a pointer is in the picture, and where a place in the picture is on the page.
    at(event) {
      const box = this.$refs.canvas.getBoundingClientRect();
      return [toUnits(event.clientX - box.left), toUnits(event.clientY - box.top)];
    },
    onPage([x, y]) {
      const box = this.$refs.canvas.getBoundingClientRect();
      return [box.left + toPixels(x), box.top + toPixels(y)];
    },
  },
};

// Room on the left and right of everything that time runs along, so that all of it is in line.
export const TIME_LEFT = 92;
export const TIME_RIGHT = 14;

// Rows with a name on the left of each, and beds that time runs along: all of the result's time
// that is seen now, or something else that is always seen whole.
export const rowed = (left, right, { zoomed = true } = {}) => ({
  methods: {
    across(share) { return left + (zoomed ? timeView.across(share) : share) * (this.size().width - left - right); },
    share(x) {
      const along = (x - left) / (this.size().width - left - right);
      return zoomed ? timeView.share(along) : along;
    },
    edge() { return this.size().width - right; },
    wheel(event) { timeView.wheel(event, (this.at(event)[0] - left) / (this.edge() - left)); },
    // Draw only where time is.
    within(c, call, room = 0) {
      c.save();
      c.beginPath();
      c.rect(left - room, 0, this.edge() - left + 2 * room, this.size().height);
      c.clip();
      call();
      c.restore();
    },
    title(c, text, y, color) {
      c.textAlign = "right";
      c.fillStyle = color;
      c.fillText(fitted(c, text, left - 18), left - 12, y);
    },
    bed(c, y, height, color) {
      c.fillStyle = color;
      c.fillRect(left, y, this.edge() - left, height);
    },
    head(c, x, y, height, color) {
      if (x < left - 1 || x > this.edge() + 1) return;
      c.fillStyle = color;
      c.fillRect(x - 0.5, y, 1.5, height);
    },
  },
});

// Marks `{id, at}` that can be slid along. The component finds the one under a pointer (`find`) and
// says what time a pointer means (`time`); a mark moves here at once, and Python's answer follows.
export const sliding = {
  data: () => ({ held: null, own: null, over: null }),
  created() { this.send = throttled((id, at, final) => this.$emit("move", { id, at, final })); },
  watch: { over() { this.draw(); } },
  methods: {
    place(mark) { return this.own?.[0] === mark.id ? this.own[1] : mark.at; },
    // Python has answered: what was moved here is where it says.
    answered() { if (!this.held) this.own = null; },
    hold(mark, event) {
      this.held = mark.id;
      this.start = event.clientX;
      this.$refs.canvas.setPointerCapture(event.pointerId);
    },
    move(event) {
      if (!this.held) { this.over = this.find(event)?.id ?? null; return; }
      // A click is not a slide.
      if (!this.own && Math.abs(event.clientX - this.start) < 3) return;
      this.own = [this.held, this.time(event)];
      this.send(...this.own, false);
      this.draw();
    },
    // The end of a slide; gives the mark if it was held but not moved.
    letGo() {
      const held = this.held;
      this.held = null;
      if (!held || !this.own) return held;
      this.send(...this.own, true);
      this.send.flush();
      return null;
    },
    remove(event) { const mark = this.find(event); if (mark) this.$emit("remove", { id: mark.id }); },
  },
};
