// All frames of one clip against all of another: dark is alike. A line for frames that belong
// together, rings for places worth a look.
import { dot, fitted, nearest, picture, throttled, trace } from "motionweave";

// From alike to far apart, told apart by lightness alone.
const STOPS = [[12, 18, 46], [38, 58, 120], [60, 124, 160], [122, 184, 170], [214, 222, 178], [250, 244, 226]];

function shade(value) {
  const at = (value / 255) * (STOPS.length - 1);
  const i = Math.min(Math.floor(at), STOPS.length - 2);
  return STOPS[i].map((c, k) => c + (at - i) * (STOPS[i + 1][k] - c));
}

export default {
  template: `
    <div class="mw-heat">
      <canvas ref="canvas" :class="{ pick: pickable }" role="img" :aria-label="map ? 'distances of ' + map.rows[0] + ' and ' + map.columns[0] : 'distances'"
        @pointerdown="grab" @pointerup="drop" @pointercancel="held = null" @pointermove="hover" @pointerleave="under = null"></canvas>
      <div class="mw-heat-tip" v-if="tip">{{ tip }}</div>
    </div>`,
  mixins: [picture],
  props: { map: Object, pickable: Boolean },
  data: () => ({ under: null, held: null }),
  created() { this.send = throttled((row, column, final) => this.$emit("pick", { row, column, final })); },
  mounted() { this.prepare(); },
  watch: { map() { this.prepare(); }, under() { this.draw(); } },
  computed: {
    tip() {
      if (!this.under || !this.map) return "";
      const [row, column] = this.under;
      const near = this.marked(row, column);
      const place = near ?? [row, column];
      return `${this.map.rows[0]} ${place[0].toFixed(0)} · ${this.map.columns[0]} ${place[1].toFixed(0)}${near ? ` · ${near[2]}` : ""}`;
    },
  },
  methods: {
    prepare() {
      this.picture = null;
      if (this.map) {
        const [height, width] = this.map.shape;
        const cells = Uint8Array.from(atob(this.map.cells), (c) => c.charCodeAt(0));
        const picture = new ImageData(width, height);
        // Row 0 at the bottom: time runs up and to the right.
        for (let r = 0; r < height; r++)
          for (let c = 0; c < width; c++) {
            const to = 4 * ((height - 1 - r) * width + c);
            picture.data.set(shade(cells[r * width + c]), to);
            picture.data[to + 3] = 255;
          }
        this.picture = document.createElement("canvas");
        Object.assign(this.picture, { width, height });
        this.picture.getContext("2d").putImageData(picture, 0, 0);
      }
      this.draw();
    },
    box() {
      const { width, height } = this.size();
      return { left: 18, top: 4, width: width - 22, height: height - 22 };
    },
    xy(row, column) {
      const { left, top, width, height } = this.box();
      return [left + (column / this.map.columns[1]) * width, top + height - (row / this.map.rows[1]) * height];
    },
    draw() {
      const sheet = this.sheet();
      if (!sheet || !this.picture) return;
      const { context: c, ink } = sheet;
      const { left, top, width, height } = this.box();
      c.imageSmoothingEnabled = true;
      c.drawImage(this.picture, left, top, width, height);
      c.fillStyle = ink.soft;
      c.textAlign = "left";
      c.textBaseline = "alphabetic";
      // The other part of the line says what is under the pointer.
      c.fillText(`${fitted(c, this.map.columns[0], 0.6 * width)} →`, left, top + height + 14);
      c.save();
      c.translate(11, top + height);
      c.rotate(-Math.PI / 2);
      c.fillText(`${fitted(c, this.map.rows[0], height - 16)} →`, 0, 0);
      c.restore();
      c.save();
      c.beginPath();
      c.rect(left, top, width, height);
      c.clip();
      const path = this.map.path.map((place) => this.xy(...place));
      trace(c, path, { color: "rgba(0,0,0,.55)", width: 4 });
      trace(c, path, { color: "#ffb454", width: 2 });
      c.restore();
      const ring = (place, radius, colour, fill = null) => {
        dot(c, this.xy(...place), radius, fill, "rgba(0,0,0,.6)", 3.5);
        dot(c, this.xy(...place), radius, null, colour, 1.6);
      };
      this.map.marks.forEach((mark, i) => ring(mark, i === 0 ? 5 : 3.5, "#ffffff"));
      if (this.map.chosen) ring(this.map.chosen, 6.5, "#ffb454", "rgba(255,180,84,.35)");
      if (this.under && this.pickable) {
        const [x, y] = this.xy(...(this.marked(...this.under) ?? this.under));
        const hair = { color: "rgba(255,255,255,.7)", width: 1 };
        trace(c, [[left, y], [left + width, y]], hair);
        trace(c, [[x, top], [x, top + height]], hair);
      }
    },
    frames(event) {
      const [px, py] = this.at(event);
      const { left, top, width, height } = this.box();
      const x = (px - left) / width, y = 1 - (py - top) / height;
      if (x < 0 || x > 1 || y < 0 || y > 1 || !this.map) return null;
      return [y * this.map.rows[1], x * this.map.columns[1]];
    },
    // The mark that is meant by a place close to it.
    marked(row, column) { return nearest(this.map.marks, (mark) => this.xy(mark[0], mark[1]), this.xy(row, column), 9); },
    hover(event) {
      this.under = this.frames(event);
      if (this.held && this.under) this.send(...this.under, false);
    },
    grab(event) {
      if (!this.pickable || event.button || !this.frames(event)) return;
      this.held = this.frames(event);
      this.$refs.canvas.setPointerCapture(event.pointerId);
    },
    // A click means the mark that it is close to; a drag means the place itself.
    drop(event) {
      if (!this.held) return;
      const from = this.held, place = this.frames(event) ?? this.under ?? from;
      this.held = null;
      const [a, b] = [this.xy(...from), this.xy(...place)];
      const clicked = Math.hypot(a[0] - b[0], a[1] - b[1]) < 3;
      this.send(...((clicked && this.marked(...place)) || place).slice(0, 2), true);
      this.send.flush();
    },
  },
};
