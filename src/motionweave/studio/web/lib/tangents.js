// Tangents of keys in a picture of curves: a small handle before and after a key, at the end of a
// line that touches the curve there. Dragging one turns the other with it while they are linked.
import { nearest, throttled, trace } from "./canvas.js";

// How far from its key a handle is, at least if there is no room for it, and how near the pointer
// has to be to take hold of it.
const REACH = 46;
const SHORT = 16;
const NEAR = 9;
// Handles stay on their side of the key: at least so far from it, along the time.
const LEAST = 4;

const way = ({ side }) => (side === "in" ? -1 : 1);

export const tangents = {
  // Told: tangents [{ id, of, side, slope, color, linked, auto }]: of which handle, "in" or "out",
  // how much of y per x.
  data: () => ({ bent: null, slopes: {} }),
  created() {
    this.sendTangent = throttled((id, slope, apart, final) => this.$emit("tangent", { id, slope, apart, final }));
  },
  watch: {
    tangents() { if (!this.bent) this.slopes = {}; },
  },
  methods: {
    // Pixels per unit of x and of y.
    scales() {
      const { width, height } = this.box(), [first, last] = this.seen();
      return [width / (last - first), height / (this.y[1] - this.y[0])];
    },
    keyOf(tangent) { return this.handles.find(({ id }) => id === tangent.of); },
    tangentPlace(tangent) {
      const [across, up] = this.scales(), slope = this.slopes[tangent.id] ?? tangent.slope;
      const [x, y] = this.px(this.place(this.keyOf(tangent)));
      const { left, top, width, height } = this.box();
      const unit = way(tangent) / (Math.hypot(across, slope * up) || 1), [dx, dy] = [unit * across, -unit * slope * up];
      // All of it is inside the picture.
      const room = Math.min(dx > 0 ? (left + width - x) / dx : (left - x) / dx, dy > 0 ? (top + height - y) / dy : dy < 0 ? (top - y) / dy : REACH);
      const reach = Math.max(SHORT, Math.min(REACH, room));
      return [x + reach * dx, y + reach * dy];
    },
    // Those of keys that can be seen.
    drawnTangents() {
      const { left, width } = this.box();
      return (this.tangents ?? []).filter((tangent) => {
        const key = this.keyOf(tangent);
        const x = key ? this.px(this.place(key))[0] : -1;
        return x >= left - 1 && x <= left + width + 1;
      });
    },
    drawTangents(c, ink) {
      for (const tangent of this.drawnTangents()) {
        const at = this.tangentPlace(tangent);
        trace(c, [this.px(this.place(this.keyOf(tangent))), at], { color: tangent.color, width: 1.2, alpha: 0.8 });
        c.beginPath();
        c.rect(at[0] - 3.5, at[1] - 3.5, 7, 7);
        Object.assign(c, { fillStyle: tangent.auto ? ink.panel : tangent.color, strokeStyle: tangent.color, lineWidth: 1.5 });
        c.fill();
        c.stroke();
      }
    },
    findTangent(event) { return nearest(this.drawnTangents(), (tangent) => this.tangentPlace(tangent), this.at(event), NEAR); },
    // For tests: where a tangent's handle is on the page.
    tangentAt(id) { return this.onPage(this.tangentPlace(this.tangents.find((tangent) => tangent.id === id))); },
    bend(event) {
      const { bent } = this, [across, up] = this.scales();
      const [x, y] = this.at(event), [kx, ky] = this.px(this.place(this.keyOf(bent)));
      const along = Math.max(way(bent) * (x - kx), LEAST) * way(bent);
      const slope = (ky - y) / up / (along / across), apart = event.altKey || !bent.linked;
      const both = apart ? [bent] : this.tangents.filter((tangent) => tangent.of === bent.of);
      this.slopes = Object.fromEntries(both.map(({ id }) => [id, slope]));
      this.apart = apart;
      this.sendTangent(bent.id, slope, apart, false);
      this.redraw();
    },
    letGo() {
      const { bent } = this;
      this.bent = null;
      if (!(bent.id in this.slopes)) return;
      this.sendTangent(bent.id, this.slopes[bent.id], this.apart, true);
      this.sendTangent.flush();
    },
  },
};
