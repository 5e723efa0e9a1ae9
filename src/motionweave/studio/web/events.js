// States of clips along their cycles, a lane a clip; lines join those that are the same instant.
import { fitCanvas, palette, throttled } from "motionweave";

const LEFT = 112;
const RIGHT = 14;
const RADIUS = 5;

export default {
  template: `
    <div class="mw-events">
      <canvas ref="canvas" aria-label="events" @pointerdown="grab" @pointermove="move" @pointerup="drop" @pointercancel="drop" @contextmenu.prevent="remove" @pointerleave="over = null"></canvas>
      <div class="mw-events-tip">{{ tip }}</div>
    </div>`,
  props: { lanes: Array, links: Array, phases: Array },
  data: () => ({ held: null, own: null, over: null, chosen: null }),
  created() { this.send = throttled((id, at, final) => this.$emit("move", { id, at, final })); },
  mounted() {
    this.$el.editor = this;
    this.observers = [new ResizeObserver(() => this.draw()), new MutationObserver(() => this.draw())];
    this.observers[0].observe(this.$refs.canvas);
    this.observers[1].observe(document.body, { attributes: true, attributeFilter: ["class"] });
    const tick = () => {
      this.handle = requestAnimationFrame(tick);
      const view = window.motionweave?.viewport;
      const share = view?.duration ? view.time / view.duration : 0;
      if (share !== this.last) { this.last = share; this.draw(); }
    };
    this.handle = requestAnimationFrame(tick);
  },
  unmounted() {
    cancelAnimationFrame(this.handle);
    for (const observer of this.observers) observer.disconnect();
  },
  watch: {
    lanes() { if (!this.held) this.own = null; this.draw(); },
    links() { this.draw(); },
    over() { this.draw(); },
    chosen() { this.draw(); },
  },
  computed: {
    tip() {
      const state = this.state(this.over ?? this.chosen);
      if (!state) return "Drag a state in time, right-click removes it; click two states of different clips to match them";
      return this.over || !this.chosen ? `${state.text} at ${(100 * this.place(state)).toFixed(0)}%` : `${state.text}: now click the same instant of another clip`;
    },
  },
  methods: {
    state(id) { return id === null ? null : this.lanes.flatMap((lane) => lane.states).find((s) => s.id === id) ?? null; },
    place(state) { return this.own?.[0] === state.id ? this.own[1] : state.at; },
    x(at) { return LEFT + at * (this.$refs.canvas.clientWidth - LEFT - RIGHT); },
    y(i) {
      const height = this.$refs.canvas.clientHeight - 8;
      return 4 + ((i + 0.5) * height) / Math.max(this.lanes.length, 1);
    },
    draw() {
      if (!this.$refs.canvas) return;
      const { context: c, width, height } = fitCanvas(this.$refs.canvas);
      if (!height) return;
      const ink = palette(this.$el);
      c.font = "11px Inter, system-ui, sans-serif";
      c.textBaseline = "middle";
      this.lanes.forEach((lane, i) => {
        c.textAlign = "right";
        c.fillStyle = ink.soft;
        c.fillText(lane.name, LEFT - 12, this.y(i), LEFT - 18);
        c.fillStyle = ink.field;
        c.fillRect(LEFT, this.y(i) - 7, width - LEFT - RIGHT, 14);
      });
      c.save();
      c.beginPath();
      c.rect(LEFT - RADIUS - 2, 0, width - LEFT - RIGHT + 2 * RADIUS + 4, height);
      c.clip();
      for (const link of this.links) this.link(c, ink, link);
      this.lanes.forEach((lane, i) => lane.states.forEach((state) => this.dot(c, ink, lane, state, i)));
      this.heads(c, ink);
      c.restore();
    },
    // A match that passes the end of a cycle goes on at its beginning.
    link(c, ink, rows) {
      c.strokeStyle = ink.contact;
      c.lineWidth = 1.6;
      c.globalAlpha = 0.75;
      for (let i = 0; i + 1 < rows.length; i++) {
        const [lane, at] = rows[i], [next, to] = rows[i + 1];
        const a = at - Math.floor(at);
        const b = a + (to - at) - Math.round(to - at);
        for (const turn of [-1, 0, 1]) {
          c.beginPath();
          c.moveTo(this.x(a + turn), this.y(lane));
          c.lineTo(this.x(b + turn), this.y(next));
          c.stroke();
        }
      }
      c.globalAlpha = 1;
    },
    dot(c, ink, lane, state, i) {
      const here = state.id === this.over || state.id === this.held;
      c.beginPath();
      c.arc(this.x(this.place(state)), this.y(i), here ? RADIUS + 2 : RADIUS, 0, 2 * Math.PI);
      c.fillStyle = state.matched ? lane.color : ink.panel;
      c.fill();
      c.lineWidth = state.id === this.chosen ? 2.5 : 1.5;
      c.strokeStyle = state.id === this.chosen ? ink.ink : state.matched ? ink.panel : lane.color;
      c.stroke();
    },
    // Where in its cycle each clip is just now.
    heads(c, ink) {
      if (!this.phases?.length) return;
      const at = (this.last ?? 0) * (this.phases.length - 1);
      const i = Math.min(Math.floor(at), this.phases.length - 2);
      c.fillStyle = ink.ink;
      this.lanes.forEach((lane, k) => {
        const [a, b] = [this.phases[i][k], this.phases[Math.max(i, 0) + 1][k]];
        const phase = a + (at - i) * (b - a);
        c.fillRect(this.x(phase - Math.floor(phase)) - 0.75, this.y(k) - 9, 1.5, 18);
      });
    },
    at(event) {
      const box = this.$refs.canvas.getBoundingClientRect();
      return [event.clientX - box.left, event.clientY - box.top];
    },
    find(event) {
      const [x, y] = this.at(event);
      let best = null, least = 11;
      this.lanes.forEach((lane, i) => lane.states.forEach((state) => {
        const far = Math.hypot(this.x(this.place(state)) - x, this.y(i) - y);
        if (far < least) { least = far; best = state; }
      }));
      return best;
    },
    grab(event) {
      if (event.button) return;
      const state = this.find(event);
      if (!state) { this.chosen = null; return; }
      this.held = state.id;
      this.start = event.clientX;
      this.$refs.canvas.setPointerCapture(event.pointerId);
    },
    move(event) {
      if (!this.held) { this.over = this.find(event)?.id ?? null; return; }
      if (!this.own && Math.abs(event.clientX - this.start) < 3) return;
      const share = (this.at(event)[0] - LEFT) / (this.$refs.canvas.clientWidth - LEFT - RIGHT);
      this.own = [this.held, Math.min(Math.max(share, 0), 0.999)];
      this.send(...this.own, false);
      this.draw();
    },
    drop() {
      const held = this.held;
      this.held = null;
      if (!held) return;
      if (this.own) { this.send(...this.own, true); this.send.flush(); return; }
      const lane = (id) => this.lanes.findIndex((one) => one.states.some((s) => s.id === id));
      if (this.chosen && lane(this.chosen) !== lane(held)) {
        this.$emit("join", { ids: [this.chosen, held] });
        this.chosen = null;
      } else this.chosen = this.chosen === held ? null : held;
    },
    remove(event) { const state = this.find(event); if (state) { this.chosen = null; this.$emit("remove", { id: state.id }); } },
    // For tests: where a state is on the page.
    stateAt(id) {
      const box = this.$refs.canvas.getBoundingClientRect();
      const i = this.lanes.findIndex((lane) => lane.states.some((s) => s.id === id));
      return [box.left + this.x(this.state(id).at), box.top + this.y(i)];
    },
  },
};
