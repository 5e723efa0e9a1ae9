// Intervals in rows; ribbons join those that belong together. The playhead follows the viewport.
import { distinct, picture, rowed, TIME_LEFT, TIME_RIGHT, told, trace, viewport } from "motionweave";

// Share of a lane that its bars take; ribbons have the rest.
const BAR = 0.6;
// Letters of a name that there is room for.
const LETTERS = 13;

export default {
  template: `<div class="mw-lanes"><canvas ref="canvas" role="img" aria-label="contacts over time" @click="seek" @wheel="wheel"></canvas></div>`,
  mixins: [told, picture, rowed(TIME_LEFT, TIME_RIGHT)],
  // Told: lanes, links, span.
  watch: { lanes() { this.redraw(); }, links() { this.redraw(); } },
  methods: {
    moment() {
      const view = viewport();
      return view?.duration ? Math.round((view.time / view.duration) * 1000) / 1000 : 0;
    },
    x(u) { return this.across((u - this.span[0]) / (this.span[1] - this.span[0])); },
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
      const sheet = this.sheet();
      if (!sheet) return;
      const { context: c, ink, height } = sheet;
      const rows = this.rows(height);
      const groups = [...new Set(this.lanes.map((lane) => lane.group))], names = distinct(groups, LETTERS);
      let group = null;
      this.lanes.forEach((lane, i) => {
        const [y, row] = rows[i];
        if (lane.group !== group) {
          group = lane.group;
          const count = this.lanes.filter((other) => other.group === group).length;
          this.title(c, names[groups.indexOf(group)], y + (row * count) / 2, ink.soft);
        }
        this.bed(c, y, BAR * row, ink.field);
      });
      this.within(c, () => this.bars(c, ink, rows));
      if (this.lanes.length) this.head(c, this.across(this.moment()), 0, height, ink.ink);
    },
    bars(c, ink, rows) {
      c.fillStyle = ink.contact;
      c.globalAlpha = 0.3;
      for (const link of this.links)
        for (let i = 0; i + 1 < link.length; i++) {
          const [upper, a, b] = link[i], [lower, c0, d] = link[i + 1];
          const top = rows[upper][0] + BAR * rows[upper][1], bottom = rows[lower][0];
          trace(c, [[this.x(a), top], [this.x(b), top], [this.x(d), bottom], [this.x(c0), bottom]]);
          c.fill();
        }
      const matched = (lane, a, b) => this.links.some((link) => link.some(([l, from, to]) => l === lane && from < b && to > a));
      this.lanes.forEach((lane, i) => {
        const [y, row] = rows[i];
        c.fillStyle = ink[lane.color] ?? lane.color;
        for (const [a, b] of lane.bars) {
          const x = this.x(a);
          // What has no partner in the other clips plays no part in the blend.
          c.globalAlpha = !this.links.length || matched(i, a, b) ? 1 : 0.4;
          c.beginPath();
          c.roundRect(x, y, Math.max(this.x(b) - x, 2), Math.max(BAR * row, 2), 2);
          c.fill();
        }
      });
      c.globalAlpha = 1;
    },
    seek(event) {
      const view = viewport();
      const share = this.share(this.at(event)[0]);
      if (view && share >= 0 && share <= 1) { view.playing = false; view.seek(share * view.duration); }
    },
  },
};
