// Keys in rows along time: a row per joint, and one for markers of time. The playhead follows the
// viewport.
import { inRem, nearest, picture, rowed, sliding, TIME_LEFT as LEFT, TIME_RIGHT as RIGHT, told, trace, viewport } from "motionweave";

const ROW = 19;

export default {
  template: `
    <div class="mw-keytrack">
      <canvas ref="canvas" tabindex="0" role="application" aria-label="keys" :style="{ height }" @pointerdown="grab" @pointermove="move" @pointerup="letGo"
        @pointercancel="letGo" @dblclick="add" @contextmenu.prevent="remove" @pointerleave="over = null" @keydown="key" @wheel="wheel"></canvas>
    </div>`,
  mixins: [told, picture, rowed(LEFT, RIGHT), sliding],
  // Told: rows, span, and the ids of the mark and the row that are chosen.
  watch: {
    rows() { this.answered(); this.$nextTick(() => this.redraw()); },
    chosen() { this.redraw(); },
    row() { this.redraw(); },
  },
  computed: { height() { return inRem(this.rows.length * ROW); } },
  methods: {
    moment() { return viewport()?.time ?? 0; },
    x(at) { return this.across((at - this.span[0]) / (this.span[1] - this.span[0])); },
    time(event) {
      const share = Math.min(Math.max(this.share(this.at(event)[0]), 0), 1);
      return this.span[0] + share * (this.span[1] - this.span[0]);
    },
    draw() {
      const sheet = this.sheet();
      if (!sheet) return;
      const { context: c, ink, height } = sheet;
      this.rows.forEach((row, i) => {
        const y = i * ROW;
        const on = row.id === this.row;
        this.title(c, row.name, y + ROW / 2, on ? ink.ink : ink.soft);
        this.bed(c, y + 2, ROW - 4, ink.field);
        if (on) { c.fillStyle = ink.accent; c.fillRect(LEFT - 5, y + 4, 2, ROW - 8); }
        this.within(c, () => { for (const mark of row.marks) this.mark(c, ink, row, mark, y + ROW / 2); }, 7);
      });
      if (this.rows.length) this.head(c, this.x(Math.min(this.last ?? 0, this.span[1])), 0, height, ink.ink);
    },
    mark(c, ink, row, mark, y) {
      const x = this.x(this.place(mark));
      const size = mark.id === this.over || mark.id === this.held ? 7 : 5.5;
      if (row.id === "time") trace(c, [[x - size, y - size], [x + size, y - size], [x, y + size]]);
      else trace(c, [[x, y - size], [x + size, y], [x, y + size], [x - size, y]]);
      c.closePath();
      c.fillStyle = row.id === "time" ? ink.second : ink.accent;
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
    rowAt(event) { return this.rows[Math.min(Math.max(Math.floor(this.at(event)[1] / ROW), 0), this.rows.length - 1)]; },
    find(event) {
      const [x] = this.at(event);
      return nearest(this.rowAt(event)?.marks ?? [], (mark) => [this.x(this.place(mark)), 0], [x, 0], 9);
    },
    grab(event) {
      if (event.button) return;
      const mark = this.find(event);
      if (mark) {
        this.hold(mark, event);
        this.$emit("pick", { id: mark.id });
        return;
      }
      const view = viewport();
      if (this.at(event)[0] < LEFT) this.$emit("row", { row: this.rowAt(event).id });
      else if (view) { view.playing = false; view.seek(this.time(event)); }
    },
    add(event) {
      const named = this.at(event)[0] < LEFT;
      if (!named && !this.find(event)) this.$emit("add", { row: this.rowAt(event).id, at: this.time(event) });
    },
    key(event) {
      if ((event.key !== "Delete" && event.key !== "Backspace") || !this.chosen) return;
      event.preventDefault();
      event.stopPropagation();
      this.$emit("remove", { id: this.chosen });
    },
    // For tests: where a mark is on the page.
    markAt(id) {
      const i = this.rows.findIndex((row) => row.marks.some((mark) => mark.id === id));
      const mark = this.rows[i]?.marks.find((one) => one.id === id);
      return mark ? this.onPage([this.x(mark.at), (i + 0.5) * ROW]) : null;
    },
  },
};
