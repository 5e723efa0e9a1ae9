// A small figure. It stands still until the card or row that it is in is pointed at or has the
// focus, and always for people who asked their system for less motion.
import { drawPose, seen, stripOf } from "motionweave";

// Seconds for which the last pose stays before the first one comes again.
const REST = 0.4;
const STILL = matchMedia("(prefers-reduced-motion: reduce)");

export default {
  template: `<span class="mw-thumbnail" aria-hidden="true"><canvas ref="canvas"></canvas></span>`,
  props: { url: String },
  data: () => ({ ready: false }),
  mounted() {
    this.$el.editor = this;
    this.strip = null;
    this.inView = false;
    this.pose = null;
    this.host = this.$el.closest("[data-moving]");
    this.listeners = {
      pointerenter: () => this.play(), pointerleave: () => this.rest(),
      focusin: () => this.play(), focusout: () => this.rest(),
    };
    for (const [name, listener] of Object.entries(this.listeners)) this.host?.addEventListener(name, listener);
    this.stopWatching = seen(this.$el, (inView) => { this.inView = inView; if (inView) this.show(); else this.rest(); });
    this.observers = [new ResizeObserver(() => this.draw()), new MutationObserver(() => this.draw())];
    this.observers[0].observe(this.$refs.canvas);
    this.observers[1].observe(document.body, { attributes: true, attributeFilter: ["class"] });
  },
  unmounted() {
    this.inView = false;
    cancelAnimationFrame(this.handle);
    this.stopWatching();
    for (const observer of this.observers) observer.disconnect();
    for (const [name, listener] of Object.entries(this.listeners)) this.host?.removeEventListener(name, listener);
  },
  watch: { url() { this.strip = null; this.ready = false; if (this.inView) this.show(); } },
  methods: {
    async show() {
      if (!this.strip) {
        const { url } = this;
        const strip = await stripOf(url, () => this.inView && url === this.url);
        if (url !== this.url) return;
        this.strip = strip;
        this.ready = Boolean(strip);
      }
      this.draw();
      if (this.host?.matches(":hover, :focus-within")) this.play();
    },
    draw() {
      if (!this.strip || !this.inView || !this.$refs.canvas?.clientHeight) return;
      this.frame = drawPose(this.$refs.canvas, this.strip, this.pose ?? this.strip.still);
    },
    play() {
      if (this.handle || STILL.matches || !this.strip) return;
      const began = performance.now(), last = this.strip.poses.length - 1;
      const tick = (now) => {
        const along = ((now - began) / 1000) % (last / this.strip.rate + REST);
        this.pose = Math.min(Math.max(along, 0) * this.strip.rate, last);
        this.draw();
        this.handle = requestAnimationFrame(tick);
      };
      this.handle = requestAnimationFrame(tick);
    },
    // Not while the pointer is there although the focus has gone, or the other way round.
    rest() {
      if (this.inView && this.host?.matches(":hover, :focus-within")) return;
      cancelAnimationFrame(this.handle);
      this.handle = 0;
      this.pose = null;
      this.draw();
    },
  },
};
