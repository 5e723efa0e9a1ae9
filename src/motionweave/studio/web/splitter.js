// The edge between two parts of the page, to be dragged: sizes the part that is named.
const KEY = "motionweave_sizes";

function kept() {
  try { return JSON.parse(localStorage.getItem(KEY)) ?? {}; } catch { return {}; }
}

export default {
  template: `
    <div class="mw-splitter" :class="side" role="separator" tabindex="0" :aria-label="'size of the ' + part" :aria-orientation="flat ? 'horizontal' : 'vertical'"
      :aria-valuenow="Math.round(size)" :aria-valuemin="least" :aria-valuemax="most" :title="'Drag to size the ' + part + '; double-click for the usual size'"
      @pointerdown="grab" @pointermove="move" @pointerup="drop" @pointercancel="drop" @keydown="nudge" @dblclick="set(null)"></div>`,
  // The part's name, the side of it that this edge is on, and its smallest and largest size in rem.
  props: { part: String, side: String, least: Number, most: Number },
  data: () => ({ held: null, size: 0 }),
  computed: { flat() { return this.side === "top"; } },
  mounted() { this.set(kept()[this.part] ?? null); },
  methods: {
    rem() { return parseFloat(getComputedStyle(document.documentElement).fontSize); },
    host() { return this.$el.parentElement; },
    now() { const { width, height } = this.host().getBoundingClientRect(); return (this.flat ? height : width) / this.rem(); },
    set(size) {
      const root = document.querySelector(".mw-app");
      const name = `--mw-size-${this.part}`;
      if (size === null) root.style.removeProperty(name);
      else root.style.setProperty(name, `${Math.min(Math.max(size, this.least), this.most)}rem`);
      localStorage.setItem(KEY, JSON.stringify({ ...kept(), [this.part]: size ?? undefined }));
      this.$nextTick(() => { this.size = this.now(); });
    },
    grab(event) {
      this.held = [event.clientX, event.clientY, this.now()];
      this.$el.setPointerCapture(event.pointerId);
    },
    move(event) {
      if (!this.held) return;
      const [x, y, size] = this.held;
      const way = { left: x - event.clientX, right: event.clientX - x, top: y - event.clientY }[this.side];
      this.set(size + way / this.rem());
    },
    drop() { this.held = null; },
    nudge(event) {
      const way = { left: { ArrowLeft: 1, ArrowRight: -1 }, right: { ArrowLeft: -1, ArrowRight: 1 }, top: { ArrowUp: 1, ArrowDown: -1 } }[this.side][event.key];
      if (!way) return;
      event.preventDefault();
      event.stopPropagation();
      this.set(this.now() + way);
    },
  },
};
