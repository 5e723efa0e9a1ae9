// States of clips along their cycles, a lane a clip; lines join those that are the same instant.
import { distinct, dot, nearest, picture, rowed, sliding, told, trace, viewport } from "motionweave";

const LEFT = 112;
const RIGHT = 14;
const RADIUS = 5;
// Letters of a name that there is room for.
const LETTERS = 16;

export default {
  template: `
    <div class="mw-events">
      <canvas ref="canvas" role="img" aria-label="events" @pointerdown="grab" @pointermove="move" @pointerup="drop" @pointercancel="drop" @dblclick="add" @contextmenu.prevent="remove" @pointerleave="over = null"></canvas>
      <div class="mw-events-tip">{{ tip }}</div>
    </div>`,
  mixins: [told, picture, rowed(LEFT, RIGHT, { zoomed: false }), sliding],
  // Told: lanes, links, phases.
  data: () => ({ chosen: null }),
  watch: {
    lanes() { this.answered(); this.redraw(); },
    links() { this.redraw(); },
    chosen() { this.redraw(); },
  },
  computed: {
    tip() {
      const state = this.state(this.over ?? this.chosen);
      if (!state) return "Drag to move, double-click to add, right-click to remove; click two to match them";
      return this.over || !this.chosen ? `${state.words} at ${(100 * this.place(state)).toFixed(0)}%` : `${state.words}: now click the same instant of another clip`;
    },
  },
  methods: {
    state(id) { return id === null ? null : this.lanes.flatMap((lane) => lane.states).find((s) => s.id === id) ?? null; },
    moment() {
      const view = viewport();
      return view?.duration ? view.time / view.duration : 0;
    },
    y(i) { return 4 + ((i + 0.5) * (this.size().height - 8)) / Math.max(this.lanes.length, 1); },
    draw() {
      const sheet = this.sheet();
      if (!sheet) return;
      const { context: c, ink, height } = sheet;
      const names = distinct(this.lanes.map((lane) => lane.name), LETTERS);
      this.lanes.forEach((lane, i) => {
        this.title(c, names[i], this.y(i), ink.soft);
        this.bed(c, this.y(i) - 7, 14, ink.field);
      });
      c.save();
      c.beginPath();
      c.rect(LEFT - RADIUS - 2, 0, this.across(1) - LEFT + 2 * RADIUS + 4, height);
      c.clip();
      for (const link of this.links) this.link(c, ink, link);
      this.lanes.forEach((lane, i) => lane.states.forEach((state) => this.mark(c, ink, lane, state, i)));
      this.heads(c, ink);
      c.restore();
    },
    // A match that passes the end of a cycle goes on at its beginning.
    link(c, ink, rows) {
      for (let i = 0; i + 1 < rows.length; i++) {
        const [lane, at] = rows[i], [next, to] = rows[i + 1];
        const a = at - Math.floor(at);
        const b = a + (to - at) - Math.round(to - at);
        for (const turn of [-1, 0, 1]) {
          const ends = [[this.across(a + turn), this.y(lane)], [this.across(b + turn), this.y(next)]];
          trace(c, ends, { color: ink.contact, width: 1.6, alpha: 0.75 });
        }
      }
    },
    mark(c, ink, lane, state, i) {
      const here = state.id === this.over || state.id === this.held;
      const chosen = state.id === this.chosen;
      const rim = chosen ? ink.ink : state.matched ? ink.panel : lane.color;
      const fill = state.matched ? lane.color : ink.panel;
      dot(c, [this.across(this.place(state)), this.y(i)], here ? RADIUS + 2 : RADIUS, fill, rim, chosen ? 2.5 : 1.5);
    },
    // Where in its cycle each clip is just now.
    heads(c, ink) {
      if (!this.phases?.length) return;
      const at = (this.last ?? 0) * (this.phases.length - 1);
      const i = Math.min(Math.floor(at), this.phases.length - 2);
      this.lanes.forEach((lane, k) => {
        const [a, b] = [this.phases[i][k], this.phases[Math.max(i, 0) + 1][k]];
        const phase = a + (at - i) * (b - a);
        this.head(c, this.across(phase - Math.floor(phase)), this.y(k) - 9, 18, ink.ink);
      });
    },
    lane(id) { return this.lanes.findIndex((lane) => lane.states.some((state) => state.id === id)); },
    find(event) {
      const states = this.lanes.flatMap((lane) => lane.states);
      return nearest(states, (state) => [this.across(this.place(state)), this.y(this.lane(state.id))], this.at(event), 11);
    },
    time(event) { return Math.min(Math.max(this.share(this.at(event)[0]), 0), 0.999); },
    grab(event) {
      if (event.button) return;
      const state = this.find(event);
      if (!state) { this.chosen = null; return; }
      this.hold(state, event);
    },
    drop() {
      const clicked = this.letGo();
      if (!clicked) return;
      if (this.chosen && this.lane(this.chosen) !== this.lane(clicked)) {
        this.$emit("join", { ids: [this.chosen, clicked] });
        this.chosen = null;
      } else this.chosen = this.chosen === clicked ? null : clicked;
    },
    add(event) {
      const [x, y] = this.at(event);
      if (x < LEFT || this.find(event)) return;
      const lane = Math.floor(((y - 4) / (this.size().height - 8)) * this.lanes.length);
      if (lane >= 0 && lane < this.lanes.length) this.$emit("add", { lane, at: this.time(event) });
    },
    remove(event) { this.chosen = null; sliding.methods.remove.call(this, event); },
    // For tests: where a time of a lane, and where a state, is on the page.
    placeAt(lane, at) { return this.onPage([this.across(at), this.y(lane)]); },
    stateAt(id) { return this.placeAt(this.lane(id), this.state(id).at); },
  },
};
