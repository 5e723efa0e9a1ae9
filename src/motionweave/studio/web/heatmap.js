// All frames of one clip against all of another: dark is alike. A line for frames that belong
// together, rings for places worth a look.
import { fitCanvas, palette } from "motionweave";

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
      <canvas ref="canvas" :class="{ pick: pickable }" @click="pick" @pointermove="hover" @pointerleave="at = null"></canvas>
      <div class="mw-heat-tip" v-if="tip">{{ tip }}</div>
    </div>`,
  props: { map: Object, pickable: Boolean },
  data: () => ({ at: null }),
  mounted() {
    this.resizer = new ResizeObserver(() => this.draw());
    this.resizer.observe(this.$refs.canvas);
    this.theme = new MutationObserver(() => this.draw());
    this.theme.observe(document.body, { attributes: true, attributeFilter: ["class"] });
    this.prepare();
  },
  unmounted() { this.resizer.disconnect(); this.theme.disconnect(); },
  watch: { map() { this.prepare(); }, at() { this.draw(); } },
  computed: {
    tip() {
      if (!this.at || !this.map) return "";
      const [row, column] = this.at;
      const near = this.nearest(row, column);
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
      const { clientWidth: width, clientHeight: height } = this.$refs.canvas;
      return { left: 18, top: 4, width: width - 22, height: height - 22 };
    },
    xy(row, column) {
      const { left, top, width, height } = this.box();
      return [left + (column / this.map.columns[1]) * width, top + height - (row / this.map.rows[1]) * height];
    },
    draw() {
      if (!this.$refs.canvas) return;
      const { context: c } = fitCanvas(this.$refs.canvas);
      if (!this.picture) return;
      const ink = palette(this.$el);
      const { left, top, width, height } = this.box();
      c.imageSmoothingEnabled = true;
      c.drawImage(this.picture, left, top, width, height);
      c.fillStyle = ink.soft;
      c.font = "11px Inter, system-ui, sans-serif";
      c.textAlign = "left";
      c.fillText(`${this.map.columns[0]} →`, left, top + height + 14);
      c.save();
      c.translate(11, top + height);
      c.rotate(-Math.PI / 2);
      c.fillText(`${this.map.rows[0]} →`, 0, 0);
      c.restore();
      c.save();
      c.beginPath();
      c.rect(left, top, width, height);
      c.clip();
      if (this.map.path.length) {
        for (const [colour, thick] of [["rgba(0,0,0,.55)", 4], ["#ffb454", 2]]) {
          c.beginPath();
          this.map.path.forEach((p, i) => (i ? c.lineTo(...this.xy(...p)) : c.moveTo(...this.xy(...p))));
          c.strokeStyle = colour;
          c.lineWidth = thick;
          c.lineJoin = "round";
          c.stroke();
        }
      }
      c.restore();
      const ring = (place, radius, colour, fill) => {
        c.beginPath();
        c.arc(...this.xy(...place), radius, 0, 2 * Math.PI);
        if (fill) { c.fillStyle = fill; c.fill(); }
        c.lineWidth = 3.5; c.strokeStyle = "rgba(0,0,0,.6)"; c.stroke();
        c.lineWidth = 1.6; c.strokeStyle = colour; c.stroke();
      };
      this.map.marks.forEach((mark, i) => ring(mark, i === 0 ? 5 : 3.5, "#ffffff"));
      if (this.map.chosen) ring(this.map.chosen, 6.5, "#ffb454", "rgba(255,180,84,.35)");
      if (this.at && this.pickable) {
        const [x, y] = this.xy(...(this.nearest(...this.at) ?? this.at));
        c.strokeStyle = "rgba(255,255,255,.7)";
        c.lineWidth = 1;
        c.beginPath();
        c.moveTo(left, y); c.lineTo(left + width, y); c.moveTo(x, top); c.lineTo(x, top + height);
        c.stroke();
      }
    },
    frames(event) {
      const canvas = this.$refs.canvas.getBoundingClientRect();
      const { left, top, width, height } = this.box();
      const x = (event.clientX - canvas.left - left) / width, y = 1 - (event.clientY - canvas.top - top) / height;
      if (x < 0 || x > 1 || y < 0 || y > 1 || !this.map) return null;
      return [y * this.map.rows[1], x * this.map.columns[1]];
    },
    // A mark within a few pixels.
    nearest(row, column) {
      const [x, y] = this.xy(row, column);
      let best = null, least = 9;
      for (const mark of this.map.marks) {
        const [mx, my] = this.xy(mark[0], mark[1]);
        const far = Math.hypot(mx - x, my - y);
        if (far < least) { least = far; best = mark; }
      }
      return best;
    },
    hover(event) { this.at = this.frames(event); },
    pick(event) {
      const place = this.frames(event);
      if (!place || !this.pickable) return;
      const [row, column] = this.nearest(...place) ?? place;
      this.$emit("pick", { row, column });
    },
  },
};
