// Clips as curves in a subspace, a spline that joins them, and where the motion is just now.
import { BOLD, dot, haloed, nearest, picture, throttled, told, trace, viewport } from "motionweave";

const MARGIN = 26;
// A curve that passes the same place twice: of two frames as near, the one nearer in time.
const PIXELS_PER_FRAME = 0.12;

export default {
  template: `
    <div class="mw-space">
      <canvas ref="canvas" :class="{ turn: axes === 3 }" role="img" aria-label="subspace of both clips" @pointerdown="grab" @pointermove="move" @pointerup="drop" @pointercancel="drop"></canvas>
      <div class="mw-space-hint">{{ axes === 3 ? "Drag to turn · " : "" }}Drag a handle along its curve</div>
    </div>`,
  mixins: [told, picture],
  // Told: curves, spline, axes.
  data: () => ({ yaw: 0.7, pitch: 0.45, held: null, own: null, over: null }),
  created() { this.send = throttled((curve, frame, final) => this.$emit("frame", { curve, frame, final })); },
  watch: {
    curves() { this.measure(); this.redraw(); },
    spline() { if (this.held === null) this.own = null; this.redraw(); },
    axes() { this.redraw(); },
    over() { this.redraw(); },
  },
  methods: {
    moment() {
      const view = viewport();
      return view ? Math.round(view.time * view.fps) : 0;
    },
    // The box around all curves stays the same whatever the spline does, so that nothing jumps.
    measure() {
      const all = this.curves.flatMap((curve) => curve.points);
      this.middle = [0, 1, 2].map((k) => (Math.min(...all.map((p) => p[k])) + Math.max(...all.map((p) => p[k]))) / 2);
      this.radius = Math.max(...all.map((p) => Math.hypot(...p.map((v, k) => v - this.middle[k]))), 1e-9);
      this.half = [0, 1].map((k) => Math.max(...all.map((p) => Math.abs(p[k] - this.middle[k])), 1e-9));
    },
    px(point) {
      if (!this.middle) this.measure();
      const { width, height } = this.size();
      const [x, y, z] = point.map((v, k) => v - this.middle[k]);
      if (this.axes !== 3) {
        const scale = Math.min((width / 2 - MARGIN) / this.half[0], (height / 2 - MARGIN) / this.half[1]);
        return [width / 2 + scale * x, height / 2 - scale * y];
      }
      const scale = (Math.min(width, height) / 2 - MARGIN / 2) / this.radius;
      const across = Math.cos(this.yaw) * x + Math.sin(this.yaw) * z;
      const away = -Math.sin(this.yaw) * x + Math.cos(this.yaw) * z;
      const up = Math.cos(this.pitch) * y - Math.sin(this.pitch) * away;
      return [width / 2 + scale * across, height / 2 - scale * up];
    },
    stroke(c, points, look) { if (points.length > 1) trace(c, points.map((point) => this.px(point)), look); },
    ends() { return this.spline ? this.spline.frames.map((frame, i) => (this.own && this.own[0] === i ? this.own[1] : frame)) : []; },
    draw() {
      const sheet = this.sheet();
      if (!sheet || !this.curves.length) return;
      const { context: c, ink } = sheet;
      const ends = this.ends();
      this.cross(c, ink);
      this.curves.forEach(({ points, color }, i) => {
        const [kept, left] = i === 0 ? [points.slice(0, ends[0] + 1), points.slice(ends[0])] : [points.slice(ends[1]), points.slice(0, ends[1] + 1)];
        this.stroke(c, left, { color, width: 1.2, alpha: 0.3 });
        this.stroke(c, kept, { color, width: 2, alpha: 0.85 });
      });
      if (!this.spline) return;
      const { points, path } = this.spline;
      this.stroke(c, points, { color: ink.accent, width: 3.2 });
      ends.forEach((frame, i) => {
        const { points: curve, color } = this.curves[i];
        const at = curve[frame];
        dot(c, this.px(at), this.held === i || this.over === i ? 8 : 6.5, color, ink.ink);
      });
      const now = path[Math.min(this.last ?? 0, path.length - 1)];
      dot(c, this.px(now), 4, ink.ink, ink.panel, 1.5);
      ends.forEach((frame, i) => this.name(c, ink, this.curves[i].points[frame], `${i ? "enter" : "leave"} ${frame}`, i));
    },
    cross(c, ink) {
      const size = this.axes === 3 ? this.radius : Math.max(...this.half);
      for (const k of this.axes === 3 ? [0, 1, 2] : [0, 1]) {
        const ends = [-1, 1].map((s) => this.middle.map((v, i) => v + (i === k ? s * size : 0)));
        this.stroke(c, ends, { color: ink.line, width: 1 });
      }
    },
    name(c, ink, at, text, i) {
      const [x, y] = this.px(at);
      const { width } = this.size();
      c.font = BOLD;
      const long = c.measureText(text).width;
      const right = x + 12 + long < width - 2;
      c.textAlign = right ? "left" : "right";
      const ends = this.ends().map((frame, j) => this.px(this.curves[j].points[frame]));
      // Names of handles that lie close together go above and below.
      const crowded = ends.length > 1 && Math.abs(ends[0][1] - ends[1][1]) < 16 && Math.abs(ends[0][0] - ends[1][0]) < long + 20;
      const lift = crowded ? (ends[i][1] < ends[1 - i][1] || (ends[i][1] === ends[1 - i][1] && i) ? -14 : 14) : 0;
      haloed(c, text, [x + (right ? 12 : -12), y + lift], ink.ink, ink.panel);
    },
    find(event) { return nearest([...this.ends().keys()], (i) => this.px(this.curves[i].points[this.ends()[i]]), this.at(event), 13); },
    grab(event) {
      if (event.button) return;
      const handle = this.find(event);
      if (handle === null && this.axes !== 3) return;
      this.held = handle ?? "turn";
      this.from = this.at(event);
      this.$refs.canvas.setPointerCapture(event.pointerId);
    },
    move(event) {
      if (this.held === null) { this.over = this.find(event); return; }
      const [x, y] = this.at(event);
      if (this.held === "turn") {
        this.yaw += (x - this.from[0]) * 0.01;
        this.pitch = Math.min(Math.max(this.pitch + (y - this.from[1]) * 0.01, -1.5), 1.5);
        this.from = [x, y];
        this.redraw();
        return;
      }
      const now = this.ends()[this.held];
      let best = now, least = Infinity;
      this.curves[this.held].points.forEach((p, frame) => {
        const [px, py] = this.px(p);
        const far = Math.hypot(px - x, py - y) + PIXELS_PER_FRAME * Math.abs(frame - now);
        if (far < least) { least = far; best = frame; }
      });
      if (best === now && !this.own) return;
      this.own = [this.held, best];
      this.send(this.held, best, false);
      this.redraw();
    },
    drop() {
      const held = this.held;
      this.held = null;
      if (held === "turn" || !this.own) return;
      this.send(...this.own, true);
      this.send.flush();
    },
    // For tests: where a frame of a curve, and where its handle, is on the page.
    pointAt(i, frame) { return this.onPage(this.px(this.curves[i].points[frame])); },
    handleAt(i) { return this.pointAt(i, this.ends()[i]); },
  },
};
