// Curves over time with handles to drag. Python owns the curves; a handle moves here at once and
// Python's answer redraws the rest.
import { dot, haloed, nearest, picture, throttled, timeView, trace, viewport } from "motionweave";

const PAD = { left: 38, right: 14, top: 10, bottom: 20 };

function ticks(low, high, count) {
  const raw = (high - low) / count;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= raw);
  const list = [];
  for (let t = Math.ceil(low / step - 1e-9) * step; t <= high + 1e-9 * step; t += step) list.push(Math.abs(t) < 1e-12 ? 0 : t);
  return list;
}

export default {
  template: `
    <div class="mw-curves">
      <canvas ref="canvas" tabindex="0" role="application" :aria-label="'curves over time. ' + hint" @pointerdown="grab" @pointermove="move" @pointerup="drop" @pointercancel="drop"
        @dblclick="add" @keydown="key" @wheel="wheel" @contextmenu.prevent="remove"></canvas>
      <div class="mw-curves-hint">{{ hint }}</div>
    </div>`,
  mixins: [picture],
  props: { lines: Array, handles: Array, x: Array, y: Array, bands: Array, marks: Array, clock: Array, hint: String, unit: { type: String, default: "" }, playhead: { type: Boolean, default: true } },
  data: () => ({ held: null, chosen: null, own: {}, over: null }),
  computed: { timed() { return this.playhead && !this.clock?.length; } },
  created() { this.send = throttled((id, x, y, final) => this.$emit("drag", { id, x, y, final })); },
  watch: {
    lines() { this.draw(); },
    handles() { if (!this.held) this.own = {}; this.draw(); },
    over() { this.draw(); },
  },
  methods: {
    moment() { return this.playhead ? viewport()?.time ?? 0 : null; },
    box() {
      const { width, height } = this.size();
      return { left: PAD.left, top: PAD.top, width: width - PAD.left - PAD.right, height: height - PAD.top - PAD.bottom };
    },
    // What is seen of x: where it is the result's time, as much as of that.
    seen() {
      const [low, high] = this.x;
      if (!this.timed) return [low, high];
      return [low + timeView.from * (high - low), low + timeView.to * (high - low)];
    },
    wheel(event) {
      const { left, width } = this.box();
      if (this.timed) timeView.wheel(event, (this.at(event)[0] - left) / width);
    },
    px([x, y]) {
      const { left, top, width, height } = this.box();
      const [first, last] = this.seen();
      return [left + ((x - first) / (last - first)) * width, top + height - ((y - this.y[0]) / (this.y[1] - this.y[0])) * height];
    },
    value(event) {
      const [x, y] = this.at(event);
      const { left, top, width, height } = this.box();
      const share = (v) => Math.min(Math.max(v, 0), 1);
      const [first, last] = this.seen();
      return [
        first + share((x - left) / width) * (last - first),
        this.y[0] + share(1 - (y - top) / height) * (this.y[1] - this.y[0]),
      ];
    },
    // Where the playhead is along x; a clock [[seconds, x]] says so where x is not seconds.
    now() {
      if (!this.clock?.length) return this.last;
      const i = this.clock.findIndex(([seconds]) => seconds >= this.last);
      if (i <= 0) return this.clock.at(i)[1];
      const [[t0, x0], [t1, x1]] = [this.clock[i - 1], this.clock[i]];
      return x0 + ((this.last - t0) / (t1 - t0)) * (x1 - x0);
    },
    place(handle) { return this.own[handle.id] ?? [handle.x, handle.y]; },
    draw() {
      const sheet = this.sheet();
      if (!sheet) return;
      const { context: c, ink } = sheet;
      const { left, top, width, height } = this.box();
      const paint = (color) => ink[color] ?? color;
      const grid = { color: ink.line, width: 1 };
      c.fillStyle = ink.faint;
      c.textAlign = "center";
      c.textBaseline = "top";
      for (const t of ticks(...this.seen(), Math.max(2, width / 90))) {
        const [x] = this.px([t, 0]);
        trace(c, [[x, top], [x, top + height]], grid);
        c.fillText(`${+t.toFixed(3)}`, x, top + height + 5);
      }
      c.textAlign = "right";
      c.textBaseline = "middle";
      for (const t of ticks(...this.y, Math.max(2, height / 42))) {
        const [, y] = this.px([0, t]);
        trace(c, [[left, y], [left + width, y]], grid);
        c.fillText(`${+t.toFixed(3)}`, left - 7, y);
      }
      c.textAlign = "left";
      c.fillText(this.unit, left + 6, top + 6);
      c.save();
      c.beginPath();
      c.rect(left - 6, top - 6, width + 12, height + 12);
      c.clip();
      for (const band of this.bands ?? []) {
        const low = band.points.map(([x, y]) => this.px([x, y]));
        const high = band.points.map(([x, , y]) => this.px([x, y]));
        trace(c, [...low, ...high.reverse()]);
        c.fillStyle = band.color ?? ink.accent;
        c.globalAlpha = 0.12;
        c.fill();
        c.globalAlpha = 1;
      }
      for (const line of this.lines) {
        const look = line.dashed ? { width: 1.2, dash: [5, 4] } : { width: 2 };
        trace(c, line.points.map((point) => this.px(point)), { color: paint(line.color), ...look });
      }
      c.restore();
      for (const handle of this.handles) {
        const [place] = this.px(this.place(handle));
        if (place < left - 1 || place > left + width + 1) continue;
        const here = handle.id === this.over || handle.id === this.held;
        const rim = handle.id === this.chosen ? ink.ink : ink.panel;
        dot(c, this.px(this.place(handle)), here ? 7 : 5, paint(handle.color), rim);
      }
      for (const mark of this.marks ?? []) {
        const [x, y] = this.px([mark.x, mark.y]);
        c.textAlign = mark.x > (this.x[0] + this.x[1]) / 2 ? "right" : "left";
        c.textBaseline = mark.y > (this.y[0] + this.y[1]) / 2 ? "top" : "bottom";
        const way = (align) => (align === "left" || align === "top" ? 5 : -5);
        haloed(c, mark.text, [x + way(c.textAlign), y + way(c.textBaseline)], paint(mark.color), ink.panel);
      }
      const now = this.now(), [first, last] = this.seen();
      if (this.playhead && this.lines.length && now >= first && now <= last) {
        const [x] = this.px([now, 0]);
        c.fillStyle = ink.ink;
        c.fillRect(x - 0.5, top - 4, 1.5, height + 8);
      }
    },
    find(event) { return nearest(this.handles, (handle) => this.px(this.place(handle)), this.at(event), 12); },
    // For tests: where a handle is on the page.
    handleAt(id) { return this.onPage(this.px(this.place(this.handles.find((handle) => handle.id === id)))); },
    grab(event) {
      const handle = this.find(event);
      if (!handle || event.button) return;
      this.held = this.chosen = handle.id;
      this.$refs.canvas.setPointerCapture(event.pointerId);
    },
    move(event) {
      if (!this.held) { this.over = this.find(event)?.id ?? null; return; }
      const handle = this.handles.find((h) => h.id === this.held);
      if (!handle) return;
      let [x, y] = this.value(event);
      if (handle.lock === "x") x = handle.x;
      if (handle.lock === "y") y = handle.y;
      this.own = { [handle.id]: [x, y] };
      this.send(handle.id, x, y, false);
      this.draw();
    },
    drop() {
      const moved = this.held && this.own[this.held];
      const id = this.held;
      this.held = null;
      if (moved) { this.send(id, ...moved, true); this.send.flush(); }
    },
    add(event) { if (!this.find(event)) { const [x, y] = this.value(event); this.$emit("add", { x, y }); } },
    remove(event) { const handle = this.find(event); if (handle) this.$emit("remove", { id: handle.id }); },
    key(event) {
      if ((event.key === "Delete" || event.key === "Backspace") && this.chosen) {
        event.preventDefault();
        this.$emit("remove", { id: this.chosen });
        this.chosen = null;
      }
    },
  },
};
