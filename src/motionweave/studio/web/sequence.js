// Blocks along time, in two rows by turns so that what overlaps is seen; seams lie over both.
// Python owns the blocks; an edge or a block moves here at once and Python's answer follows.
import { distinct, throttled, timeView, viewport } from "motionweave";

// Room that a letter of a name takes, and that is left free beside a name, in rem.
const LETTER = 0.6;
const MARGIN = 1.6;

export default {
  template: `
    <div class="mw-track" @wheel="wheel">
      <div class="mw-sequence-names" aria-hidden="true"><span>clips</span></div>
      <div class="mw-sequence-track" ref="track" role="group" aria-label="sequence" @pointerdown.self="seek" @dragover="over" @dragleave="place = null" @drop="drop">
        <button v-for="(block, i) in blocks" :key="block.id" class="mw-block" :class="{ on: block.id === chosen, odd: i % 2, held: held?.id === block.id && held.moved }"
          :style="style(block)" :data-block="block.id" :aria-label="block.words" :aria-pressed="block.id === chosen ? 'true' : 'false'" :title="block.words + '. ' + hint"
          @pointerdown="grab($event, block, i)" @pointermove="move" @pointerup="letGo" @pointercancel="letGo" @click="pick(block)" @dblclick="go(block.start)" @keydown="key($event, block, i)">
          <i class="mw-edge left" data-edge="left" v-if="outer || i"></i><span class="mw-block-name">{{ named(i) }}</span><span class="mw-block-facts">{{ block.facts }}</span><i class="mw-edge right" data-edge="right" v-if="outer || i + 1 < blocks.length"></i>
        </button>
        <button v-for="seam in seams" :key="seam.id" class="mw-seam" :class="{ doubtful: seam.doubtful, fixed: seam.fixed }" :style="overlap(seam)" :data-seam="seam.id" :aria-label="seam.words" :title="seam.words + (seam.ends ? '. Drag its ends to leave or enter a clip earlier or later' : '. Drag its ends to make it longer or shorter')"
          @pointerdown="grab($event, seam, -1)" @pointermove="move" @pointerup="letGo" @pointercancel="letGo" @click="pass(seam)"><i class="mw-edge left" data-edge="sooner"></i><span class="material-icons" aria-hidden="true">{{ seam.fixed ? 'push_pin' : seam.icon ?? 'double_arrow' }}</span><i class="mw-edge right" data-edge="later"></i></button>
        <div class="mw-insert" v-if="place !== null" :style="{ left: percent(place) }"></div>
        <div class="mw-head" ref="head"></div>
        <p v-if="!blocks.length" class="mw-sequence-empty">{{ empty }}</p>
      </div>
    </div>`,
  // Whether the outer edges of the first and the last block can be dragged too.
  props: { blocks: Array, seams: Array, length: Number, chosen: String, outer: Boolean, accepts: Array, hint: String, empty: String },
  data: () => ({ held: null, own: null, place: null, view: 0, wide: 1000 }),
  computed: { names() { return this.blocks.map((block) => block.name); } },
  created() {
    this.send = throttled(({ id, edge, ends }, by, final) => {
      const [left, right] = ends ?? [];
      // The ends of a spline are where its blocks are left and entered; both ends of an overlap
      // move away from its middle.
      if (edge === "sooner" && ends) this.$emit("trim", { id: left, edge: "right", by, final });
      else if (edge === "later" && ends) this.$emit("trim", { id: right, edge: "left", by, final });
      else if (edge === "sooner" || edge === "later") this.$emit("widen", { id, by: edge === "later" ? by : -by, final });
      else this.$emit("trim", { id, edge, by, final });
    });
  },
  mounted() {
    this.$el.editor = this;
    this.stop = timeView.listen(() => { this.view += 1; });
    this.sizes = new ResizeObserver(([{ contentRect }]) => { this.wide = contentRect.width || this.wide; });
    this.sizes.observe(this.$refs.track);
    const tick = () => {
      this.handle = requestAnimationFrame(tick);
      const now = viewport()?.time ?? 0, at = timeView.across(now / (this.length || 1));
      const shown = at >= 0 && at <= 1 && this.blocks.length;
      Object.assign(this.$refs.head.style, { left: `${100 * at}%`, visibility: shown ? "visible" : "hidden" });
    };
    this.handle = requestAnimationFrame(tick);
  },
  unmounted() { cancelAnimationFrame(this.handle); this.stop(); this.sizes.disconnect(); },
  watch: {
    blocks() { if (!this.held) this.own = null; },
    seams() { if (!this.held) this.own = null; },
  },
  methods: {
    percent(seconds) { return `${100 * timeView.across(seconds / (this.length || 1))}%`; },
    span(start, end) {
      void this.view;
      const width = (end - start) / (this.length || 1) / (timeView.to - timeView.from);
      return { left: this.percent(start), width: `${100 * width}%` };
    },
    style(block) {
      const own = this.own?.id === block.id ? this.own : null;
      const tag = { "--tag": block.color };
      // An edge stays under the pointer, wherever the answer so far has put the block.
      if (own?.edge === "left") return { ...this.span(Math.min(own.start + own.by, block.end - 0.05), block.end), ...tag };
      if (own?.edge === "right") return { ...this.span(block.start, Math.max(own.end + own.by, block.start + 0.05)), ...tag };
      const shift = own?.edge === "body" ? { transform: `translateX(${own.dx}px)` } : {};
      return { ...this.span(block.start, block.end), ...shift, ...tag };
    },
    // The name of a block, in as many letters as it has room for.
    named(i) {
      const { name, start, end } = this.blocks[i], rem = parseFloat(getComputedStyle(document.documentElement).fontSize);
      const share = parseFloat(this.span(start, end).width) / 100;
      const most = Math.floor((share * this.wide / rem - MARGIN) / LETTER);
      return most < name.length ? distinct(this.names, Math.max(most, 4))[i] : name;
    },
    overlap(seam) {
      const own = this.own?.id === seam.id ? this.own : null;
      if (own && seam.ends && own.edge === "sooner") return this.span(Math.min(own.start + own.by, seam.end - 0.05), seam.end);
      if (own && seam.ends) return this.span(seam.start, Math.max(own.end + own.by, seam.start + 0.05));
      const by = own ? Math.max(own.edge === "later" ? own.by : -own.by, (own.start - own.end) / 2 + 0.05) : 0;
      return own ? this.span(own.start - by, own.end + by) : this.span(seam.start, seam.end);
    },
    box() { return this.$refs.track.getBoundingClientRect(); },
    seconds(event) {
      const { left, width } = this.box();
      return timeView.share((event.clientX - left) / width) * this.length;
    },
    wheel(event) { const { left, width } = this.box(); timeView.wheel(event, (event.clientX - left) / width); },
    go(seconds) { viewport()?.stop(seconds); },
    seek(event) { this.go(this.seconds(event)); },
    pass(seam) {
      if (!this.slid) { this.$emit("pick", { id: seam.block }); this.go(seam.start); }
      this.slid = false;
    },
    pick(block) { if (!this.slid) this.$emit("pick", { id: block.id }); this.slid = false; },
    // A block or one of its edges; of a seam only the edges can be held.
    grab(event, { id, start, end, ends }, i) {
      const { edge } = event.target.dataset;
      if (event.button || (i < 0 && !edge)) return;
      this.slid = false;
      this.held = { id, i, start, end, ends, edge: edge ?? "body", x: event.clientX, moved: false };
      event.currentTarget.setPointerCapture(event.pointerId);
    },
    move(event) {
      const held = this.held;
      if (!held) return;
      const dx = event.clientX - held.x;
      if (!held.moved && Math.abs(dx) < 4) return;
      held.moved = this.slid = true;
      const by = this.seconds(event) - this.seconds({ clientX: held.x });
      this.own = { id: held.id, edge: held.edge, start: held.start, end: held.end, by, dx };
      if (held.edge === "body") this.aim(event);
      else this.send(held, by, false);
    },
    // Where a block that is let go here would be put, as its number among the others.
    aim(event) {
      const others = this.blocks.filter((block) => block.id !== this.held?.id), at = this.seconds(event);
      const index = others.filter((block) => (block.start + block.end) / 2 < at).length;
      this.place = index < others.length ? others[index].start : others.at(-1)?.end ?? 0;
      return index;
    },
    letGo(event) {
      const held = this.held, own = this.own;
      if (!held) return;
      if (held.moved && held.edge === "body") {
        this.$emit("move", { id: held.id, index: this.aim(event) });
        this.own = null;
      } else if (held.moved) {
        this.send(held, own.by, true);
        this.send.flush();
      }
      this.held = this.place = null;
    },
    key(event, block, i) {
      const way = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      const gone = event.key === "Delete" || event.key === "Backspace";
      if (!way && !gone) return;
      event.preventDefault();
      event.stopPropagation();
      if (gone) this.$emit("remove", { id: block.id });
      else if (event.altKey) this.$emit("move", { id: block.id, index: i + way });
      else this.$el.querySelectorAll(".mw-block")[i + way]?.focus();
    },
    // Clips, results and what was found, which are dragged here from elsewhere on the page.
    kind(event) { return this.accepts.find((kind) => event.dataTransfer?.types.includes(kind)); },
    over(event) {
      if (!this.kind(event)) return;
      event.preventDefault();
      this.aim(event);
    },
    drop(event) {
      const kind = this.kind(event);
      if (kind) {
        event.preventDefault();
        this.$emit("insert", { kind, what: event.dataTransfer.getData(kind), index: this.aim(event) });
      }
      this.place = null;
    },
    // For tests: the middle, or an edge, of a block or a seam on the page.
    blockAt(id, edge) {
      const part = this.$el.querySelector(`:is([data-block="${id}"], [data-seam="${id}"])${edge ? ` .${edge}` : ""}`).getBoundingClientRect();
      return [part.left + part.width / 2, part.top + part.height / 2];
    },
  },
};
