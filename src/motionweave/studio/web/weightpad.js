// Weights by dragging: two clips a slider, three a triangle, more a polygon.
import { distinct, shown, throttled } from "motionweave";

const SIZE = 190;
const RADIUS = 70;
// Letters that there is room for: across the pad, of two names in one line, and beside the pad.
const ACROSS = 22;
const HALF = (count) => (count === 2 ? 13 : 8);
const BESIDE = 11;
const CENTRE = [SIZE / 2, SIZE / 2];

function corners(count) {
  if (count === 2) return [[22, 40], [SIZE - 22, 40]];
  const drop = count === 3 ? 14 : 0;
  return Array.from({ length: count }, (_, i) => {
    const angle = -Math.PI / 2 + (2 * Math.PI * i) / count;
    return [CENTRE[0] + RADIUS * Math.cos(angle), CENTRE[1] + drop + RADIUS * Math.sin(angle)];
  });
}

const cross = (a, b, c) => (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);

// Wachspress coordinates: barycentric in a triangle, smooth and positive in any convex polygon,
// and the weighted mean of the corners is the point itself.
function coordinates(point, polygon) {
  const n = polygon.length;
  if (n === 2) {
    const share = (point[0] - polygon[0][0]) / (polygon[1][0] - polygon[0][0]);
    return [1 - share, share];
  }
  const raw = polygon.map((corner, i) => {
    const before = polygon[(i + n - 1) % n], after = polygon[(i + 1) % n];
    return cross(before, corner, after) / (cross(before, corner, point) * cross(corner, after, point));
  });
  const total = raw.reduce((a, b) => a + b, 0);
  return raw.map((w) => w / total);
}

// The nearest point inside; a hair from the edge, where the coordinates have their poles.
function inside(point, polygon) {
  if (polygon.length === 2) return [Math.min(Math.max(point[0], polygon[0][0]), polygon[1][0]), polygon[0][1]];
  const n = polygon.length;
  let best = null, least = Infinity, out = false;
  polygon.forEach((a, i) => {
    const b = polygon[(i + 1) % n];
    if (cross(a, b, point) < 0) out = true;
    const way = [b[0] - a[0], b[1] - a[1]];
    const t = Math.min(Math.max(((point[0] - a[0]) * way[0] + (point[1] - a[1]) * way[1]) / (way[0] ** 2 + way[1] ** 2), 0), 1);
    const near = [a[0] + t * way[0], a[1] + t * way[1]];
    const far = Math.hypot(near[0] - point[0], near[1] - point[1]);
    if (far < least) { least = far; best = near; }
  });
  return out ? best : point;
}

function safe(point, polygon) {
  const at = inside(point, polygon);
  if (polygon.length === 2) return at;
  const middle = polygon.reduce((sum, c) => [sum[0] + c[0] / polygon.length, sum[1] + c[1] / polygon.length], [0, 0]);
  return [at[0] + 1e-5 * (middle[0] - at[0]), at[1] + 1e-5 * (middle[1] - at[1])];
}

export default {
  template: `
    <div class="mw-pad" :class="{ two: names.length === 2 }" v-if="names.length > 1">
      <svg ref="svg" :viewBox="'0 0 ${SIZE} ' + (names.length === 2 ? 84 : ${SIZE})" role="slider" tabindex="0" aria-label="weights" aria-valuemin="0" aria-valuemax="100" :aria-valuenow="Math.round(100 * now[0])" :aria-valuetext="spoken"
        @pointerdown="grab" @pointermove="move" @pointerup="drop" @pointercancel="drop" @keydown="nudge" @dblclick="even">
        <polygon v-if="names.length > 2" class="mw-pad-area" :points="polygon.map((c) => c.join(',')).join(' ')"/>
        <line v-else class="mw-pad-track" :x1="polygon[0][0]" :y1="polygon[0][1]" :x2="polygon[1][0]" :y2="polygon[1][1]"/>
        <line v-for="(c, i) in polygon" :key="'l' + i" class="mw-pad-ray" :x1="c[0]" :y1="c[1]" :x2="knob[0]" :y2="knob[1]"
          :style="{ stroke: colors[i], strokeWidth: 0.6 + 5 * Math.max(now[i], 0), opacity: 0.25 + 0.6 * Math.max(now[i], 0) }"/>
        <g v-for="(c, i) in polygon" :key="'c' + i" class="mw-pad-corner" @pointerdown.stop="jump(i)">
          <circle :cx="c[0]" :cy="c[1]" r="7" :style="{ fill: colors[i] }"/>
          <text :x="label(i)[0]" :y="label(i)[1]" :text-anchor="label(i)[2]"><title>{{ names[i] }}</title>{{ corner(i) }}</text>
        </g>
        <circle class="mw-pad-knob" :cx="knob[0]" :cy="knob[1]" r="9"/>
      </svg>
      <div class="mw-pad-numbers">
        <label v-for="(name, i) in names" :key="name + i" :style="{ '--tag': colors[i] }" :title="name">
          <span>{{ short[i] }}</span><input type="number" step="1" min="0" max="100" v-shown="Math.round(100 * now[i])" :aria-label="'weight of ' + name" @change="type(i, $event)"><i>%</i>
        </label>
      </div>
    </div>`,
  props: { names: Array, colors: Array, weights: Array },
  directives: { shown },
  data: () => ({ own: null, dragging: false }),
  created() { this.send = throttled((weights, final) => this.$emit("weights", { weights, final })); },
  computed: {
    polygon() { return corners(this.names.length); },
    now() { return this.own ?? this.weights; },
    spoken() { return this.names.map((name, i) => `${name} ${Math.round(100 * this.now[i])} %`).join(", "); },
    halved() { return distinct(this.names, HALF(this.names.length)); },
    whole() { return distinct(this.names, ACROSS); },
    short() { return distinct(this.names, BESIDE); },
    knob() {
      return this.polygon.reduce((sum, c, i) => [sum[0] + (this.now[i] ?? 0) * c[0], sum[1] + (this.now[i] ?? 0) * c[1]], [0, 0]);
    },
  },
  watch: { weights() { if (!this.dragging) this.own = null; } },
  methods: {
    // Names of corners at the same height share the line.
    corner(i) {
      const alone = this.polygon.filter(([, y]) => Math.abs(y - this.polygon[i][1]) < 8).length === 1;
      return alone ? this.whole[i] : this.halved[i];
    },
    label(i) {
      const [x, y] = this.polygon[i];
      if (this.names.length === 2) return [x + (i ? 7 : -7), y + 28, i ? "end" : "start"];
      if (this.names.length > 3 && Math.abs(x - CENTRE[0]) > 2 && y <= CENTRE[1] + 1) {
        // Beside the corner there is no room for long names.
        const left = x < CENTRE[0];
        return [x + (left ? -14 : 14), y - 12, left ? "start" : "end"];
      }
      const below = y > CENTRE[1] + 1;
      const side = Math.abs(x - CENTRE[0]) < 2 ? "middle" : x < CENTRE[0] ? (below ? "start" : "end") : below ? "end" : "start";
      return [x + (side === "middle" ? 0 : below ? (x < CENTRE[0] ? -8 : 8) : x < CENTRE[0] ? -11 : 11), y + (below ? 22 : side === "middle" ? -13 : 4), side];
    },
    at(event) {
      const box = this.$refs.svg.getScreenCTM().inverse();
      const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(box);
      return [point.x, point.y];
    },
    set(weights, final) {
      this.own = weights;
      this.send(weights, final);
      if (final) this.send.flush();
    },
    grab(event) {
      this.dragging = true;
      this.$refs.svg.setPointerCapture(event.pointerId);
      this.move(event);
    },
    move(event) { if (this.dragging) this.set(coordinates(safe(this.at(event), this.polygon), this.polygon), false); },
    drop() { if (this.dragging) { this.dragging = false; this.set(this.now, true); } },
    jump(i) { this.set(this.names.map((_, j) => (i === j ? 1 : 0)), true); },
    even() { this.set(this.names.map(() => 1 / this.names.length), true); },
    nudge(event) {
      const way = { ArrowLeft: [-4, 0], ArrowRight: [4, 0], ArrowUp: [0, -4], ArrowDown: [0, 4] }[event.key];
      if (!way) return;
      event.preventDefault();
      event.stopPropagation();
      const point = safe([this.knob[0] + way[0], this.knob[1] + way[1]], this.polygon);
      this.set(coordinates(point, this.polygon), true);
    },
    type(i, event) {
      const share = Math.min(Math.max(Number(event.target.value) / 100 || 0, 0), 1);
      const rest = this.now.reduce((sum, w, j) => sum + (j === i ? 0 : w), 0);
      this.set(this.now.map((w, j) => (j === i ? share : rest > 1e-9 ? (w / rest) * (1 - share) : (1 - share) / (this.now.length - 1))), true);
    },
  },
};
