// Keys in rows along time: a row a joint, and one for markers of time. The playhead follows the
// viewport.
import { fitCanvas, palette, throttled } from "motionweave";

const LEFT = 92;
const RIGHT = 14;
const ROW = 19;

export default {
  template: `
    <div class="mw-keytrack">
      <canvas ref="canvas" tabindex="0" aria-label="keys" :style="{ height: rows.length * ${ROW} + 'px' }" @pointerdown="grab" @pointermove="move" @pointerup="drop"
        @pointercancel="drop" @dblclick="add" @contextmenu.prevent="remove" @pointerleave="over = null" @keydown="key"></canvas>
    </div>`,
  props: { rows: Array, span: Array, chosen: String, row: String },
  data: () => ({ held: null, own: null, over: null }),
  created() { this.send = throttled((id, at, final) => this.$emit("move", { id, at, final })); },
  mounted() {
    this.$el.editor = this;
    this.observers = [new ResizeObserver(() => this.draw()), new MutationObserver(() => this.draw())];
    this.observers[0].observe(this.$refs.canvas);
    this.observers[1].observe(document.body, { attributes: true, attributeFilter: ["class"] });
    const tick = () => {
      this.handle = requestAnimationFrame(tick);
      const time = window.motionweave?.viewport?.time ?? 0;
      if (time !== this.last) { this.last = time; this.draw(); }
    };
    this.handle = requestAnimationFrame(tick);
  },
  unmounted() {
    cancelAnimationFrame(this.handle);
    for (const observer of this.observers) observer.disconnect();
  },
  watch: {
    rows() { if (!this.held) this.own = null; this.$nextTick(() => this.draw()); },
    chosen() { this.draw(); },
    row() { this.draw(); },
    over() { this.draw(); },
  },
  methods: {
    x(at) { return LEFT + ((at - this.span[0]) / (this.span[1] - this.span[0])) * (this.$refs.canvas.clientWidth - LEFT - RIGHT); },
    time(x) {
      const share = (x - LEFT) / (this.$refs.canvas.clientWidth - LEFT - RIGHT);
      return this.span[0] + Math.min(Math.max(share, 0), 1) * (this.span[1] - this.span[0]);
    },
    place(mark) { return this.own?.[0] === mark.id ? this.own[1] : mark.at; },
    draw() {
      if (!this.$refs.canvas) return;
      const { context: c, width, height } = fitCanvas(this.$refs.canvas);
      if (!height) return;
      const ink = palette(this.$el);
      c.font = "11px Inter, system-ui, sans-serif";
      c.textBaseline = "middle";
      this.rows.forEach((row, i) => {
        const y = i * ROW;
        const on = row.id === this.row;
        c.fillStyle = on ? ink.ink : ink.soft;
        c.textAlign = "right";
        c.fillText(row.name, LEFT - 12, y + ROW / 2, LEFT - 16);
        c.fillStyle = ink.field;
        c.fillRect(LEFT, y + 2, width - LEFT - RIGHT, ROW - 4);
        if (on) { c.fillStyle = ink.accent; c.fillRect(LEFT - 5, y + 4, 2, ROW - 8); }
        for (const mark of row.marks) this.mark(c, ink, row, mark, y + ROW / 2);
      });
      const at = this.x(Math.min(this.last ?? 0, this.span[1]));
      c.fillStyle = ink.ink;
      c.fillRect(at - 0.5, 0, 1.5, height);
    },
    mark(c, ink, row, mark, y) {
      const x = this.x(this.place(mark));
      const size = mark.id === this.over || mark.id === this.held ? 7 : 5.5;
      c.beginPath();
      if (row.id === "time") {
        c.moveTo(x - size, y - size); c.lineTo(x + size, y - size); c.lineTo(x, y + size); c.closePath();
      } else {
        c.moveTo(x, y - size); c.lineTo(x + size, y); c.lineTo(x, y + size); c.lineTo(x - size, y); c.closePath();
      }
      c.fillStyle = row.id === "time" ? "#46aebd" : ink.accent;
      c.fill();
      c.lineWidth = mark.id === this.chosen ? 2 : 1.2;
      c.strokeStyle = mark.id === this.chosen ? ink.ink : ink.panel;
      c.stroke();
      if (mark.text) {
        c.textAlign = "left";
        c.fillStyle = ink.soft;
        c.fillText(mark.text, x + 9, y);
      }
    },
    at(event) {
      const box = this.$refs.canvas.getBoundingClientRect();
      return [event.clientX - box.left, event.clientY - box.top];
    },
    rowAt(event) { return this.rows[Math.min(Math.max(Math.floor(this.at(event)[1] / ROW), 0), this.rows.length - 1)]; },
    find(event) {
      const [x] = this.at(event);
      let best = null, least = 9;
      for (const mark of this.rowAt(event)?.marks ?? []) {
        const far = Math.abs(this.x(this.place(mark)) - x);
        if (far < least) { least = far; best = mark; }
      }
      return best;
    },
    grab(event) {
      if (event.button) return;
      const mark = this.find(event);
      if (mark) {
        this.held = mark.id;
        this.start = event.clientX;
        this.$refs.canvas.setPointerCapture(event.pointerId);
        this.$emit("pick", { id: mark.id });
        return;
      }
      const [x] = this.at(event);
      const view = window.motionweave?.viewport;
      if (x < LEFT) this.$emit("row", { row: this.rowAt(event).id });
      else if (view) { view.playing = false; view.seek(this.time(x)); }
    },
    move(event) {
      if (!this.held) { this.over = this.find(event)?.id ?? null; return; }
      if (!this.own && Math.abs(event.clientX - this.start) < 3) return;
      this.own = [this.held, this.time(this.at(event)[0])];
      this.send(...this.own, false);
      this.draw();
    },
    drop() {
      const moved = this.held && this.own;
      this.held = null;
      if (!moved) return;
      this.send(...moved, true);
      this.send.flush();
    },
    add(event) {
      const [x] = this.at(event);
      if (x >= LEFT && !this.find(event)) this.$emit("add", { row: this.rowAt(event).id, at: this.time(x) });
    },
    remove(event) { const mark = this.find(event); if (mark) this.$emit("remove", { id: mark.id }); },
    key(event) {
      if ((event.key !== "Delete" && event.key !== "Backspace") || !this.chosen) return;
      event.preventDefault();
      event.stopPropagation();
      this.$emit("remove", { id: this.chosen });
    },
    // For tests: where a mark is on the page.
    markAt(id) {
      const box = this.$refs.canvas.getBoundingClientRect();
      for (const [i, row] of this.rows.entries())
        for (const mark of row.marks) if (mark.id === id) return [box.left + this.x(mark.at), box.top + (i + 0.5) * ROW];
      return null;
    },
  },
};
