// The timeline under the viewport, the same on every screen: seconds, the playhead, when feet and
// hands are planted. All other pictures along time show the part of it that is chosen here.
import { picture, rowed, TIME_LEFT, TIME_RIGHT, viewport } from "./picture.js";
import { inRem } from "./canvas.js";
import { timeView } from "./timeview.js";

const RULER = 15;
const ROW = 12;
const STEPS = [0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600];

// Heel and toe are one foot.
const limb = (kind) => kind.replace(/_(heel|toe)$/, " foot").replace("_", " ");

export const timeline = {
  template: `
    <div class="mw-timeline">
      <canvas ref="canvas" role="img" aria-label="timeline: seconds, and when feet and hands are planted" :style="{ height }"
        @pointerdown="grab" @pointermove="move" @pointerup="held = false" @pointercancel="held = false" @wheel="wheel"></canvas>
      <div class="mw-zoom" role="group" aria-label="zoom of the timeline">
        <button class="mw-icon" title="See less time, larger (+)" aria-label="See less time, larger (+)" @click="zoom(0.7)"><span class="material-icons">zoom_in</span></button>
        <button class="mw-icon" title="See more time (-)" aria-label="See more time (-)" :disabled="whole" @click="zoom(1 / 0.7)"><span class="material-icons">zoom_out</span></button>
      </div>
    </div>`,
  mixins: [picture, rowed(TIME_LEFT, TIME_RIGHT)],
  // How often something new was shown, and what time it lasts.
  props: { shown: Number, duration: Number },
  data: () => ({ held: false, rows: [], whole: true }),
  mounted() { this.stop = timeView.listen(() => { this.whole = timeView.whole; }); },
  unmounted() { this.stop(); },
  watch: {
    shown() { this.read(); },
    duration() { this.draw(); },
  },
  computed: { height() { return inRem(RULER + ROW * Math.max(this.rows.length, 2) + 3); } },
  methods: {
    moment() { return viewport()?.time ?? 0; },
    read() {
      const clip = viewport()?.main()?.clip;
      const contacts = clip?.contacts ?? [];
      const names = [...new Set(contacts.map(([kind]) => limb(kind)))].sort();
      this.rows = names.map((name) => ({
        name, bars: contacts.filter(([kind]) => limb(kind) === name).map(([, from, to]) => [from / clip.fps, to / clip.fps]),
      }));
      this.$nextTick(() => this.draw());
    },
    x(seconds) { return this.across(this.duration ? seconds / this.duration : 0); },
    draw() {
      const sheet = this.sheet();
      if (!sheet || !this.duration) return;
      const { context: c, ink, height } = sheet;
      const seen = (timeView.to - timeView.from) * this.duration;
      const most = Math.max(2, (this.edge() - TIME_LEFT) / 64);
      const step = STEPS.find((one) => seen / one <= most) ?? STEPS.at(-1);
      this.within(c, () => {
        c.textAlign = "left";
        for (let t = Math.ceil((timeView.from * this.duration) / step) * step; t <= timeView.to * this.duration + 1e-9; t += step) {
          const x = this.x(t);
          c.fillStyle = ink.line;
          c.fillRect(x, 2, 1, height - 2);
          c.fillStyle = ink.faint;
          const text = `${+t.toFixed(2)} s`;
          if (x + 4 + c.measureText(text).width <= this.edge()) c.fillText(text, x + 4, RULER / 2);
        }
      });
      this.rows.forEach(({ name, bars }, i) => {
        const y = RULER + i * ROW;
        this.title(c, name, y + ROW / 2, ink.soft);
        this.bed(c, y, ROW - 2, ink.field);
        this.within(c, () => {
          c.fillStyle = ink.contact;
          c.globalAlpha = 0.55;
          for (const [from, to] of bars) c.fillRect(this.x(from), y, Math.max(this.x(to) - this.x(from), 1.5), ROW - 2);
          c.globalAlpha = 1;
        });
      });
      this.head(c, this.x(this.last ?? 0), 0, height, ink.ink);
    },
    grab(event) {
      if (event.button) return;
      this.held = true;
      this.$refs.canvas.setPointerCapture(event.pointerId);
      this.move(event);
    },
    move(event) {
      if (!this.held) return;
      const share = Math.min(Math.max(this.share(this.at(event)[0]), 0), 1);
      viewport()?.stop(share * this.duration);
    },
    // Around the playhead, if it is seen.
    zoom(factor) {
      const now = this.duration ? this.moment() / this.duration : 0;
      timeView.zoom(factor, now >= timeView.from && now <= timeView.to ? now : (timeView.from + timeView.to) / 2);
    },
  },
};
