// Curves over time with handles to drag, one by one or several that were picked in a box. Python
// owns the curves; a handle moves here at once and Python's answer redraws the rest.
import { dot, haloed, nearest, picture, tangents, throttled, timeView, told, trace, viewport } from "motionweave";

// How near a handle comes to where it may catch before it does so.
const CATCH = 7;
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
  mixins: [told, picture, tangents],
  // Told: lines, handles, ranges x and y, marks, clock, hint, unit, across, playhead, several, step, catches, tangents.
  data: () => ({ held: null, chosen: null, picked: [], boxed: null, caught: null, own: {}, over: null }),
  computed: { timed() { return this.playhead && !this.clock?.length; } },
  created() { this.send = throttled((id, x, y, final) => this.$emit("drag", { id, x, y, final }));
    this.sendAll = throttled((places, final) => {
      const moves = Object.entries(places).map(([id, [x, y]]) => ({ id, x, y }));
      this.$emit("dragseveral", { moves, final });
    });
  },
  watch: {
    lines() { this.redraw(); },
    handles() {
      if (!this.held) this.own = {};
      this.picked = this.picked.filter((id) => this.handles.some((handle) => handle.id === id));
      this.redraw();
    },
    over() { this.redraw(); },
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
      const times = ticks(...this.seen(), Math.max(2, width / 90));
      for (const t of times) {
        const [x] = this.px([t, 0]), text = `${+t.toFixed(3)}${t === times.at(-1) ? ` ${this.across}` : ""}`;
        trace(c, [[x, top], [x, top + height]], grid);
        // The last one has the unit, and stays inside the picture.
        c.fillText(text, Math.min(x, left + width + PAD.right - c.measureText(text).width / 2), top + height + 5);
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
      for (const line of this.lines) {
        const look = line.dashed ? { width: 1.2, dash: [5, 4] } : { width: 2 };
        trace(c, line.points.map((point) => this.px(point)), { color: paint(line.color), ...look });
      }
      this.drawTangents(c, ink);
      c.restore();
      for (const handle of this.handles) {
        const [place] = this.px(this.place(handle));
        if (place < left - 1 || place > left + width + 1) continue;
        const here = handle.id === this.over || handle.id === this.held;
        const rim = handle.id === this.chosen || this.picked.includes(handle.id) ? ink.ink : ink.panel;
        dot(c, this.px(this.place(handle)), here ? 7 : 5, paint(handle.color), rim);
      }
      for (const mark of this.marks ?? []) {
        const [x, y] = this.px([mark.x, mark.y]);
        c.textAlign = mark.x > (this.x[0] + this.x[1]) / 2 ? "right" : "left";
        c.textBaseline = mark.y > (this.y[0] + this.y[1]) / 2 ? "top" : "bottom";
        const way = (align) => (align === "left" || align === "top" ? 8 : -8);
        haloed(c, mark.text, [x + way(c.textAlign), y + way(c.textBaseline)], paint(mark.color), ink.panel);
      }
      const now = this.now(), [first, last] = this.seen();
      for (const at of this.catches ?? []) {
        const [x] = this.px([at, 0]);
        if (at < first || at > last) continue;
        const high = at === this.caught ? height : 5;
        trace(c, [[x, top + height], [x, top + height - high]], { color: ink.contact, width: 1.5 });
      }
      if (this.boxed) {
        const [[x0, y0], [x1, y1]] = this.boxed.corners;
        trace(c, [[x0, y0], [x1, y0], [x1, y1], [x0, y1], [x0, y0]], { color: ink.soft, width: 1, dash: [3, 3] });
      }
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
      if (event.button) return;
      const handle = this.find(event), adding = event.ctrlKey || event.metaKey;
      this.bent = handle ? null : this.findTangent(event);
      if (this.bent) { this.$refs.canvas.setPointerCapture(event.pointerId); return; }
      if (!handle && !this.several) return;
      this.$refs.canvas.setPointerCapture(event.pointerId);
      if (!handle) {
        this.picked = adding ? this.picked : [];
        this.boxed = { corners: [this.at(event), this.at(event)], kept: this.picked };
      } else if (this.several && adding) {
        const without = this.picked.filter((id) => id !== handle.id);
        this.picked = without.length < this.picked.length ? without : [...without, handle.id];
      } else {
        if (!this.picked.includes(handle.id)) this.picked = [];
        this.held = this.chosen = handle.id;
        this.start = Object.fromEntries(this.handles.filter(({ id }) => this.picked.includes(id)).map((one) => [one.id, this.place(one)]));
      }
      this.redraw();
    },
    // Pick what is in the box, beside what was picked before it was drawn.
    pick(event) {
      this.boxed.corners[1] = this.at(event);
      const [[x0, y0], [x1, y1]] = this.boxed.corners;
      const inside = (v, a, b) => v >= Math.min(a, b) && v <= Math.max(a, b);
      const found = this.handles.filter((handle) => {
        const [x, y] = this.px(this.place(handle));
        return inside(x, x0, x1) && inside(y, y0, y1);
      });
      this.picked = [...new Set([...this.boxed.kept, ...found.map(({ id }) => id)])];
      this.redraw();
    },
    // A time as it is caught: by something near it unless Shift is held, else by whole steps.
    snapped(x, free) {
      const far = (at) => Math.abs(this.px([at, 0])[0] - this.px([x, 0])[0]);
      const best = free ? undefined : [...(this.catches ?? [])].sort((a, b) => far(a) - far(b))[0];
      this.caught = best !== undefined && far(best) < CATCH ? best : null;
      return this.caught ?? (this.step ? Math.round(x / this.step) * this.step : x);
    },
    // All that is picked, moved as far as the one that is held.
    moveAll([x, y]) {
      const [fromX, fromY] = this.start[this.held];
      const times = Object.values(this.start).map(([at]) => at);
      const dx = Math.min(Math.max(x - fromX, this.x[0] - Math.min(...times)), this.x[1] - Math.max(...times));
      this.own = {};
      for (const { id, lock } of this.handles) {
        if (!this.start[id]) continue;
        const [left, low] = this.start[id];
        this.own[id] = [lock === "x" ? left : left + dx, lock === "y" ? low : low + y - fromY];
      }
      this.sendAll(this.own, false);
      this.redraw();
    },
    move(event) {
      if (this.bent) { this.bend(event); return; }
      if (this.boxed) { this.pick(event); return; }
      if (!this.held) { this.over = this.find(event)?.id ?? null; return; }
      const handle = this.handles.find((h) => h.id === this.held);
      if (!handle) return;
      let [x, y] = this.value(event);
      x = this.snapped(x, event.shiftKey);
      if (this.picked.length > 1) { this.moveAll([x, y]); return; }
      if (handle.lock === "x") x = handle.x;
      if (handle.lock === "y") y = handle.y;
      this.own = { [handle.id]: [x, y] };
      this.send(handle.id, x, y, false);
      this.redraw();
    },
    drop() {
      if (this.bent) { this.letGo(); return; }
      const moved = this.held && this.own[this.held];
      const id = this.held;
      this.held = this.boxed = this.caught = null;
      this.redraw();
      if (moved && this.picked.length > 1) { this.sendAll(this.own, true); this.sendAll.flush(); } else if (moved) { this.send(id, ...moved, true); this.send.flush(); }
    },
    add(event) { if (!this.find(event) && !this.findTangent(event)) { const [x, y] = this.value(event); this.$emit("add", { x, y }); } },
    remove(event) {
      const handle = this.find(event), tangent = handle ? null : this.findTangent(event);
      if (tangent) this.$emit("tangent", { id: tangent.id, slope: null, apart: false, final: true });
      if (handle) this.$emit("remove", { id: handle.id });
    },
    key(event) {
      const all = this.several && event.key.toLowerCase() === "a" && (event.ctrlKey || event.metaKey);
      const gone = event.key === "Delete" || event.key === "Backspace";
      if (all || (gone && this.picked.length)) {
        event.preventDefault();
        event.stopPropagation();
        if (gone) this.$emit("removeseveral", { ids: this.picked });
        this.picked = all ? this.handles.map(({ id }) => id) : [];
        this.redraw();
      } else if ((event.key === "Delete" || event.key === "Backspace") && this.chosen) {
        event.preventDefault();
        this.$emit("remove", { id: this.chosen });
        this.chosen = null;
      }
    },
  },
};
