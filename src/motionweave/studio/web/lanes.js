// Intervals in rows; ribbons join those that belong together. The playhead follows the viewport.
import { fitCanvas, palette } from "motionweave";

const LEFT = 92;
// Share of a lane that its bars take; ribbons have the rest.
const BAR = 0.6;

export default {
  template: `<div class="mw-lanes"><canvas ref="canvas" @click="seek"></canvas></div>`,
  props: { lanes: Array, links: Array, span: Array },
  mounted() {
    this.observers = [new ResizeObserver(() => this.draw()), new MutationObserver(() => this.draw())];
    this.observers[0].observe(this.$refs.canvas);
    this.observers[1].observe(document.body, { attributes: true, attributeFilter: ["class"] });
    const tick = () => {
      this.handle = requestAnimationFrame(tick);
      const share = this.share();
      if (share !== this.last) { this.last = share; this.draw(); }
    };
    this.handle = requestAnimationFrame(tick);
  },
  unmounted() {
    cancelAnimationFrame(this.handle);
    for (const observer of this.observers) observer.disconnect();
  },
  watch: { lanes() { this.draw(); }, links() { this.draw(); } },
  methods: {
    share() {
      const view = window.motionweave?.viewport;
      return view?.duration ? Math.round((view.time / view.duration) * 1000) / 1000 : 0;
    },
    x(u, width) { return LEFT + ((u - this.span[0]) / (this.span[1] - this.span[0])) * (width - LEFT - 8); },
    rows(height) {
      const groups = [...new Set(this.lanes.map((lane) => lane.group))];
      const gap = 7;
      const row = Math.min(16, (height - 8 - gap * groups.length) / Math.max(this.lanes.length, 1));
      let y = 4, group = null;
      return this.lanes.map((lane) => {
        if (group !== null && lane.group !== group) y += gap;
        group = lane.group;
        y += row;
        return [y - row, row];
      });
    },
    draw() {
      if (!this.$refs.canvas) return;
      const { context: c, width, height } = fitCanvas(this.$refs.canvas);
      if (!height) return;
      const ink = palette(this.$el);
      const rows = this.rows(height);
      c.font = "11px Inter, system-ui, sans-serif";
      c.textBaseline = "middle";
      let group = null;
      this.lanes.forEach((lane, i) => {
        const [y, row] = rows[i];
        if (lane.group !== group) {
          group = lane.group;
          const count = this.lanes.filter((other) => other.group === group).length;
          c.fillStyle = ink.soft;
          c.textAlign = "right";
          c.fillText(group.replace("_", " "), LEFT - 12, y + (row * count) / 2);
        }
        c.fillStyle = ink.field;
        c.fillRect(LEFT, y, width - LEFT - 8, BAR * row);
      });
      c.save();
      c.beginPath();
      c.rect(LEFT, 0, width - LEFT - 8, height);
      c.clip();
      c.fillStyle = ink.contact;
      c.globalAlpha = 0.3;
      for (const link of this.links)
        for (let i = 0; i + 1 < link.length; i++) {
          const [upper, a, b] = link[i], [lower, c0, d] = link[i + 1];
          const top = rows[upper][0] + BAR * rows[upper][1], bottom = rows[lower][0];
          c.beginPath();
          c.moveTo(this.x(a, width), top);
          c.lineTo(this.x(b, width), top);
          c.lineTo(this.x(d, width), bottom);
          c.lineTo(this.x(c0, width), bottom);
          c.fill();
        }
      const matched = (lane, a, b) => this.links.some((link) => link.some(([l, from, to]) => l === lane && from < b && to > a));
      this.lanes.forEach((lane, i) => {
        const [y, row] = rows[i];
        c.fillStyle = lane.color;
        for (const [a, b] of lane.bars) {
          const x = this.x(a, width);
          // What has no partner in the other clips plays no part in the blend.
          c.globalAlpha = !this.links.length || matched(i, a, b) ? 1 : 0.4;
          c.beginPath();
          c.roundRect(x, y, Math.max(this.x(b, width) - x, 2), Math.max(BAR * row, 2), 2);
          c.fill();
        }
      });
      c.globalAlpha = 1;
      c.restore();
      const at = LEFT + this.share() * (width - LEFT - 8);
      c.fillStyle = ink.ink;
      c.fillRect(at - 0.5, 0, 1.5, height);
    },
    seek(event) {
      const view = window.motionweave?.viewport;
      const box = this.$refs.canvas.getBoundingClientRect();
      const share = (event.clientX - box.left - LEFT) / (box.width - LEFT - 8);
      if (view && share >= 0 && share <= 1) { view.playing = false; view.seek(share * view.duration); }
    },
  },
};
