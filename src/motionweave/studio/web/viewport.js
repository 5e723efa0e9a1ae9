// The moving picture, played in the browser. Python says what to show (`show`) and is only told
// when the user does something.
import { Character, clipOf, Grips, Onion, Path, shortened, skinOf, Split, Stage, THREE, timeline, timeView } from "motionweave";

export default {
  template: `
    <div class="mw-viewport">
      <div class="mw-stage" ref="stage">
        <template v-if="before">
          <div class="mw-divider" role="separator" tabindex="0" aria-orientation="vertical" aria-label="divider between before and after" :aria-valuenow="Math.round(100 * divider)" aria-valuemin="0" aria-valuemax="100"
            title="Drag, or use the arrow keys, to see more of before or after" :style="{ left: 100 * divider + '%' }" @pointerdown="grabDivider" @pointermove="dragDivider" @pointerup="dividing = false" @pointercancel="dividing = false" @keydown="nudgeDivider" @dblclick="divide(0.5)"></div>
          <div class="mw-half before" :style="{ right: 100 * (1 - divider) + '%' }"><b>Before</b>
            <select v-if="befores.length > 1" :value="before.id" title="What is shown as before" aria-label="what is shown as before" @change="chosen = $event.target.value">
              <option v-for="one in befores" :value="one.id">{{ one.name }}</option>
            </select>
            <template v-else>{{ before.name }}</template>
          </div>
          <div class="mw-half" :style="{ left: 100 * divider + '%' }"><b>After</b></div>
        </template>
      </div>
      <div class="mw-labels" ref="labels" aria-hidden="true" v-show="!before"></div>
      <div class="mw-grips" ref="grips" aria-hidden="true" :style="before ? { clipPath: 'inset(0 0 0 ' + 100 * divider + '%)' } : {}"></div>
      <div class="mw-here" ref="here" aria-hidden="true" v-show="pointed"></div>
      <div class="mw-note" v-if="note" role="alert">{{ note }}</div>
      <div class="mw-empty" v-if="!count && !note && empty"><span class="material-icons">directions_walk</span><p>{{ empty }}</p></div>
      <div class="mw-views" v-if="count" role="group" aria-label="views">
        <button v-for="side in ['corner', 'side', 'front', 'top']" :title="'Look from the ' + side" @click="look(side)">{{ side }}</button>
      </div>
      <div class="mw-scale" v-if="count"><i></i>1 m</div>
      <div class="mw-transport" :class="{ off: !count }" role="group" aria-label="playback" :aria-disabled="count ? 'false' : 'true'">
        <button class="mw-icon" title="First frame (Home)" @click="seek(0)"><span class="material-icons">skip_previous</span></button>
        <button class="mw-icon mw-play" :title="playing ? 'Pause (space)' : 'Play (space)'" @click="toggle"><span class="material-icons">{{ playing ? 'pause' : 'play_arrow' }}</span></button>
        <input class="mw-scrub" type="range" min="0" :max="duration" step="any" :value="time" :style="{ '--done': duration ? 100 * time / duration + '%' : '0%' }" @input="scrub" aria-label="time">
        <span class="mw-time"><b>{{ time.toFixed(2) }}</b> / {{ duration.toFixed(2) }} s<i>frame {{ Math.round(time * fps) }}</i></span>
        <select class="mw-speed" v-model.number="speed" title="Speed" aria-label="speed">
          <option v-for="s in [0.1, 0.25, 0.5, 1, 2]" :value="s">{{ s }}×</option>
        </select>
        <button class="mw-icon" :class="{ on: loop }" title="Loop (L)" @click="loop = !loop"><span class="material-icons">repeat</span></button>
        <button class="mw-icon" :class="{ on: following }" title="Follow the character (F)" @click="following = !following"><span class="material-icons">center_focus_strong</span></button>
        <button class="mw-icon" :class="{ on: trails }" title="Foot trails and paths (T)" @click="trails = !trails"><span class="material-icons">timeline</span></button>
        <button class="mw-icon" :class="{ on: ghosts }" title="Inputs as ghosts (G)" @click="ghosts = !ghosts"><span class="material-icons">group</span></button>
        <button class="mw-icon" :class="{ on: onion }" title="Onion skin: the poses before and after (O)" aria-label="Onion skin: the poses before and after (O)" @click="onion = !onion"><span class="material-icons">animation</span></button>
        <select v-if="onion" class="mw-speed" v-model.number="apart" title="Frames from pose to pose of the onion skin" aria-label="frames from pose to pose of the onion skin">
          <option v-for="n in [1, 2, 5, 10, 20]" :value="n">± {{ n }}</option>
        </select>
        <button class="mw-icon" :class="{ on: split }" title="Before and after, side by side (B)" aria-label="Before and after, side by side (B)" :aria-pressed="split ? 'true' : 'false'" @click="split = !split"><span class="material-icons">compare</span></button>
      </div>
      <timeline ref="timeline" v-show="count" :shown="shown" :duration="duration"></timeline>
    </div>`,
  components: { timeline },
  props: { theme: { type: String, default: "dark" }, empty: { type: String, default: "" } },
  data: () => ({
    playing: true, loop: true, following: true, trails: true, ghosts: true, onion: false, apart: 5, speed: 1,
    // Before and after: whether it is wanted, with what the result can be compared, with which it is if there is a choice.
    split: false, befores: [], chosen: "", divider: 0.5, dividing: false,
    time: 0, duration: 0, fps: 30, count: 0, note: "", pointed: "", side: "corner", shown: 0,
  }),
  mounted() {
    this.stage = new Stage(this.$refs.stage);
    this.stage.setTheme(this.theme);
    this.stage.resized = () => { if (!this.stage.touched) this.look(this.side); };
    this.lead = new THREE.Vector3();
    this.skins = new Onion(this.stage);
    this.halves = new Split(this.stage);
    this.grips = new Grips(this.$refs.grips, this.stage, {
      hold: () => { this.playing = false; this.seek(Math.round(this.time * this.fps) / this.fps); },
      tell: (grip, place, final, axis) => this.$emit("grip", { grip, place, final, axis, time: this.time }),
      turn: (grip, axis, by, final) => this.$emit("turn", { grip, axis, by, final, time: this.time }),
    });
    this.path = new Path(this.stage, (points) => this.$emit("path", points));
    this.wanted = /^#(\w+)@([\d.]+)$/.exec(location.hash);
    this.clips = new Map();
    this.request = 0;
    // How many times something new was shown, and how many of those the user has seen: a
    // picture is on screen when the frame after it begins.
    this.drawn = this.seen = 0;
    let last = performance.now();
    const tick = (now) => {
      this.handle = requestAnimationFrame(tick);
      this.seen = this.drawn;
      const seconds = (now - last) / 1000;
      last = now;
      this.advance(Math.min(seconds, 0.25));
      if (this.stage.render(seconds)) this.drawn = this.shown;
      this.placeLabels();
      this.placePointer();
      this.grips.place();
    };
    this.handle = requestAnimationFrame(tick);
    window.motionweave = Object.assign(window.motionweave ?? {}, { viewport: this });
  },
  unmounted() {
    cancelAnimationFrame(this.handle);
    this.path.dispose();
    this.stage.dispose();
  },
  computed: {
    before() { return this.split ? this.befores.find(({ id }) => id === this.chosen) ?? this.befores[0] ?? null : null; },
  },
  watch: {
    theme(name) { this.stage.setTheme(name); },
    trails() { this.dress(); },
    ghosts() { this.dress(); },
    onion() { this.peel(); },
    apart() { this.peel(); },
    split(on) { this.$emit("split", on); },
    "before.id"() { this.halve(); },
  },
  methods: {
    // What to show: [{ id, url, data, color, ghost, clock, beside, label, grips }]. A clip
    // already here is not fetched again; the newest call wins if answers come late.
    show(given, of) {
      this.showing = this.stageAll(given, of);
      return this.showing;
    },
    // Resolves when what was to be shown last can be seen as it is now.
    async onScreen() {
      await this.showing;
      do await new Promise(requestAnimationFrame); while (this.seen < this.shown || this.stage.dirty);
    },
    async stageAll(given, of) {
      const request = ++this.request;
      let fetched, skins;
      try {
        fetched = await Promise.all(given.map((look) => this.clips.get(look.url) ?? clipOf(look)));
        skins = await Promise.all(given.map((look) => (look.skin ? skinOf(look.skin) : null)));
      } catch (error) {
        if (request === this.request) this.note = `The motion could not be fetched (${error.message}). Is the server still running?`;
        return;
      }
      if (request !== this.request) return;
      this.note = "";
      const looks = given.map(({ data, ...look }, i) => ({ ...look, character: skins[i] }));
      const wanted = new Set(looks.map((look) => look.id));
      for (const id of [...this.stage.characters.keys()]) if (!wanted.has(id)) this.stage.remove(id);
      this.clips = new Map(looks.map((look, i) => [look.url, fetched[i]]));
      looks.forEach((look, i) => {
        const old = this.stage.characters.get(look.id);
        if (!old?.play(fetched[i], look)) this.stage.add(look.id, new Character(fetched[i], look));
      });
      this.count = looks.length;
      this.befores = looks.filter((look) => look.before).map(({ id, before }) => ({ id, name: before }));
      const main = this.main();
      if (!main) this.time = this.duration = 0;
      if (main) {
        this.fps = main.clip.fps;
        const shared = [...this.stage.characters.values()].filter((c) => !c.look.ghost);
        this.duration = Math.max(...shared.map((c) => (c.clip.frames - 1) / c.clip.fps));
        this.time = Math.min(this.time, this.duration);
      }
      this.compare();
      this.makeLabels();
      this.peel();
      this.grips.set(main);
      if (of !== this.of && main) {
        timeView.set(0, 1);
        // A page that is loaded again goes on where it stood still.
        const again = this.wanted?.[1] === of;
        this.time = again ? Math.min(Number(this.wanted[2]), this.duration) : 0;
        if (again) this.playing = false;
        if (again) this.wanted = null;
        this.pose();
      }
      // Others are on stage: unless the user has chosen a view, all of them are to be seen.
      const cast = JSON.stringify(looks.map(({ id, label, beside, hidden }, i) => (hidden ? null : [id, label, beside, fetched[i].height])).filter(Boolean));
      if (main && !this.stage.touched && (of !== this.of || cast !== this.cast)) this.look(this.side);
      else if (main && of !== this.of) this.stage.follow(this.centre().add(this.lead), 1);
      this.cast = cast;
      this.of = of;
      this.stage.hurry();
      this.shown += 1;
    },
    // Put characters beside the main one, to its left or right. Clips are recorded anywhere: ghosts
    // that are beside it set out from where it does.
    spread(way) {
      const main = this.main();
      for (const c of this.stage.characters.values()) {
        const { group, look } = c;
        // Alone in its half, the main one is in the middle.
        group.position.set(way.z, 0, -way.x).multiplyScalar(this.before ? 0 : look.beside || 0);
        if (look.ghost && look.beside) group.position.add(main.rootAt(0)).sub(c.rootAt(c.inStep(0, this.duration * this.fps)));
      }
    },
    dress() {
      const main = this.main();
      for (const c of this.stage.characters.values()) {
        c.group.visible = this.before ? c === main : !c.look.hidden && (!c.look.ghost || this.ghosts);
        c.trails.visible = this.trails;
      }
      this.stage.dirty = true;
    },
    peel() {
      this.skins.set(this.onion ? this.main() : null, this.apart);
      this.pose();
    },
    // Show what the result is compared with left of the divider, or the whole result.
    compare() {
      const main = this.main();
      if (main) this.spread(main.way());
      this.halves.set(this.before && main ? this.stage.characters.get(this.before.id) : null, main);
      this.divide(this.divider);
      this.dress();
    },
    // Those beside the main one leave the stage, or come back: unless the user has chosen a view,
    // all who are there are to be seen.
    halve() {
      this.compare();
      this.peel();
      const beside = [...this.stage.characters.values()].some(({ look }) => look.beside);
      if (beside && !this.stage.touched) this.look(this.side);
      this.stage.hurry();
    },
    divide(share) {
      this.divider = Math.min(Math.max(share, 0), 1);
      this.halves.divide(this.divider);
    },
    grabDivider(event) {
      if (event.button) return;
      this.dividing = true;
      event.currentTarget.setPointerCapture(event.pointerId);
    },
    dragDivider(event) {
      if (!this.dividing) return;
      const { left, width } = this.$refs.stage.getBoundingClientRect();
      this.divide((event.clientX - left) / width);
    },
    nudgeDivider(event) {
      const step = event.shiftKey ? 0.1 : 0.02;
      const to = { ArrowLeft: this.divider - step, ArrowRight: this.divider + step, Home: 0, End: 1 }[event.key];
      if (to === undefined) return;
      event.preventDefault();
      event.stopPropagation();
      this.divide(to);
    },
    advance(seconds) {
      if (!this.count) return;
      if (this.playing && this.duration > 0) {
        this.time += seconds * this.speed;
        if (this.time > this.duration) {
          this.time = this.loop ? this.time % this.duration : this.duration;
          if (!this.loop) this.pause();
        }
        this.pose();
      }
      const main = this.main();
      if (this.stage.turning && main) this.lead = this.stage.controls.target.clone().sub(this.centre());
      else if (this.following && main && !this.grips.dragged) {
        // Only a character that moves on is followed gently.
        const jumped = !this.playing || Math.abs(this.time - (this.lastTime ?? 0)) > 0.5;
        this.stage.follow(this.centre().add(this.lead), jumped ? 1 : 1 - Math.exp(-6 * seconds));
      }
      this.lastTime = this.time;
    },
    main() { return [...this.stage.characters.values()].find((c) => !c.look.ghost); },
    centre() {
      const main = this.before ? [this.main()] : [...this.stage.characters.values()].filter((c) => !c.look.ghost);
      const sum = new THREE.Vector3();
      for (const c of main) sum.add(c.at(0).add(c.group.position));
      return sum.divideScalar(main.length);
    },
    // The frame that someone shows at a time: those in step with the main character that of its clock.
    frameOf(c, time) {
      return c.look.ghost || c.look.stepping ? c.inStep(time * this.fps, this.duration * this.fps) : time * c.clip.fps;
    },
    pose() {
      for (const c of this.stage.characters.values()) {
        c.set(this.frameOf(c, this.time));
      }
      this.halves.before?.set(this.frameOf(this.halves.before, this.time));
      this.skins.pose(this.time * this.fps);
      this.stage.dirty = true;
    },
    makeLabels() {
      const named = [...this.stage.characters.values()].filter((c) => c.look.label);
      this.$refs.labels.replaceChildren(...named.map((c) => {
        const tag = document.createElement("span");
        tag.textContent = shortened(c.look.label, 34);
        tag.style.setProperty("--tag", c.look.color);
        Object.assign(c, { tag, tagSize: null });
        return tag;
      }));
    },
    // Above the heads that are in the picture, all of each name inside it; names that would cover
    // one another are put one above the other.
    placeLabels() {
      const { clientWidth: wide, clientHeight: high } = this.$refs.stage;
      const placed = [];
      for (const c of this.stage.characters.values()) {
        if (!c.tag) continue;
        const head = c.clip.body.head;
        const top = c.at(head ? head[1] : 0).add(c.group.position);
        top.y += c.skin ? 0.32 : 0.2;
        const at = c.group.visible ? this.stage.toScreen(top) : null;
        const seen = at && at[0] > 0 && at[0] < wide && at[1] > -0.2 * high && at[1] < high;
        c.tag.style.display = seen ? "" : "none";
        if (!seen) continue;
        c.tagSize ??= [c.tag.offsetWidth, c.tag.offsetHeight];
        const [width, height] = c.tagSize;
        const x = Math.max(0, Math.min(at[0] - width / 2, wide - width));
        let y = Math.max(0, at[1] - height);
        const covered = ([left, upper, across]) => x < left + across && left < x + width && Math.abs(upper - y) < height;
        for (let other = placed.find(covered); other && y > 0; other = placed.find(covered)) y = Math.max(0, other[1] - height - 1);
        placed.push([x, y, width]);
        c.tag.style.transform = `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px)`;
      }
    },
    // Stop at a time and mark where a joint, or a kind of contact, is until something moves.
    pointAt(seconds, joint) {
      this.stop(seconds);
      this.pointed = joint;
      this.pointedTime = this.time;
    },
    placePointer() {
      if (!this.pointed) return;
      const main = this.main();
      const clip = main?.clip, sole = clip ? clip.soles.indexOf(this.pointed) : -1;
      const point = sole >= 0 ? clip.points + sole : clip ? clip.joints.indexOf(this.pointed) : -1;
      const at = point >= 0 ? this.stage.toScreen(main.at(point).add(main.group.position)) : null;
      if (!at || this.time !== this.pointedTime) { this.pointed = ""; return; }
      this.$refs.here.style.transform = `translate(-50%, -50%) translate(${at[0].toFixed(1)}px, ${at[1].toFixed(1)}px)`;
    },
    // Everyone who can be seen.
    everyone() {
      const others = [...this.stage.characters.values()].filter((c) => c.group.visible);
      return this.halves.before ? [...others, this.halves.before] : others;
    },
    // Look from a side at everyone: now, and while the camera goes along with the main character.
    look(side) {
      const main = this.main();
      if (!main) return;
      this.side = side;
      const all = this.everyone();
      const centre = this.centre(), points = [];
      for (let i = 0; i < 7; i++) {
        const time = i ? ((i - 1) / 5) * this.duration : this.time;
        const frame = (c) => this.frameOf(c, time);
        const away = main.placesAt(frame(main))[0].sub(main.at(0).add(main.group.position)).setY(0);
        if (!this.following && i) break;
        // Those who only keep in step may run far away: they are seen now and at the beginning.
        for (const c of all.filter(({ look }) => i < 2 || !(look.ghost || look.stepping)))
          for (const point of c.placesAt(frame(c))) points.push(point.sub(away));
      }
      // Skin, hair and the name above the head.
      const top = Math.max(...points.map((point) => point.y));
      points.push(...points.filter((point) => point.y > top - 0.05).map((point) => point.clone().setY(top + 0.3)));
      this.stage.view(points, main.way(), side);
      this.lead = this.stage.controls.target.clone().sub(centre);
      this.stage.touched = false;
    },
    // For tests: where the head and the feet of everyone are on the page, in shares of the picture.
    framing() {
      const { clientWidth: width, clientHeight: height } = this.$refs.stage;
      return [...this.stage.characters.values()].filter((c) => c.group.visible).map((c) => ({
        height: c.clip.height, lowest: Math.min(...c.placesAt(c.frame).map((point) => point.y)),
        points: [c.clip.body.head?.[1], ...c.clip.feet].filter((i) => i !== undefined).map((i) => {
          const [x, y] = this.stage.toScreen(c.at(i).add(c.group.position)) ?? [-1, -1];
          return [x / width, y / height];
        }),
      }));
    },
    pause() { this.playing = false; this.$emit("time", this.time); this.keepTime(); },
    scrub(event) { this.playing = false; this.seek(Number(event.target.value)); },
    seek(seconds) {
      this.time = Math.min(Math.max(seconds, 0), this.duration);
      this.pose();
      this.$emit("time", this.time);
      this.keepTime();
    },
    // The time that the picture stands still at belongs to the address.
    keepTime() {
      clearTimeout(this.keeping);
      this.keeping = setTimeout(() => {
        const screen = location.hash.slice(1).split("@")[0];
        if (screen && !this.playing) history.replaceState(null, "", `#${screen}@${this.time.toFixed(2)}`);
      }, 300);
    },
    step(frames) { this.playing = false; this.seek((Math.round(this.time * this.fps) + frames) / this.fps); },
    toggle() {
      if (!this.playing && this.time >= this.duration) this.time = 0;
      this.playing = !this.playing;
      if (!this.playing) { this.$emit("time", this.time); this.keepTime(); }
    },
    stop(seconds) { this.playing = false; this.seek(seconds); },
    // The next drag draws a path on the floor, if `on`: nothing may run away meanwhile.
    drawPath(on) {
      if (on) this.playing = false;
      this.path.drawing = on;
    },
    showPath(points) { this.path.show(points); },
    chooseGrip(name, movable, turnable) { this.grips.choose(name, movable, turnable); },
    zoom(factor) { if (factor) this.$refs.timeline.zoom(factor); else timeView.set(0, 1); },
    switch(name) { this[name] = !this[name]; },
    // For tests: what is on screen, in numbers.
    state() {
      const main = this.main();
      return {
        count: this.count, time: this.time, duration: this.duration, playing: this.playing, of: this.of, shown: this.shown, seen: this.seen,
        before: this.before ? { ...this.before, at: this.divider, points: [...this.halves.before.points] } : null,
        frames: main?.clip.frames ?? 0, points: main ? [...main.points] : [], held: main?.held ?? [], note: this.note, pointed: this.pointed,
        looks: [...this.stage.characters.values()].map(({ look: { character, ...look }, skin }) => ({ ...look, worn: Boolean(skin) })),
      };
    },
  },
};
