// Keys and files dropped anywhere on the page.

// Keys that the viewport answers itself, without asking the server.
const LOCAL = {
  " ": (view) => view.toggle(),
  ArrowLeft: (view, shift) => view.step(shift ? -10 : -1),
  ArrowRight: (view, shift) => view.step(shift ? 10 : 1),
  Home: (view) => view.seek(0),
  End: (view) => view.seek(view.duration),
  "+": (view) => view.zoom(0.7),
  "-": (view) => view.zoom(1 / 0.7),
  0: (view) => view.zoom(0),
  l: (view) => view.switch("loop"),
  f: (view) => view.switch("following"),
  t: (view) => view.switch("trails"),
  g: (view) => view.switch("ghosts"),
  o: (view) => view.switch("onion"),
  b: (view) => view.switch("split"),
};

// The next of the items of an open menu, by key; Tab walks through them too.
const NEXT = {
  ArrowDown: (at, count) => (at + 1) % count,
  ArrowUp: (at, count) => (Math.max(at, 0) + count - 1) % count,
  Home: () => 0,
  End: (at, count) => count - 1,
};

// Files in one request.
const BATCH = 20;

// Milliseconds after which what was typed or slid is on its way: fields tell every 40.
const HELD = 50;

// Screen and time that an address names, such as #warp@1.25.
export function visited(hash) {
  const [screen, time] = hash.replace(/^#/, "").split("@");
  return { screen, time: time === undefined ? null : Number(time) };
}

export default {
  template: `
    <div class="mw-shell">
      <input ref="files" type="file" multiple hidden aria-label="open files" @change="upload($refs.files.files)">
      <div class="mw-drop" v-if="over"><div><span class="material-icons">move_to_inbox</span>Drop motion files to put them on the shelf</div></div>
      <div class="mw-sending" v-if="sending" role="status">{{ sending }}</div>
      <div class="mw-asking" v-if="asking" @keydown.esc.stop="asking = null">
        <div class="mw-sheet" role="alertdialog" aria-modal="true" aria-labelledby="mw-asking-title">
          <div class="mw-sheet-head" id="mw-asking-title">Open {{ asking[0].name }}?</div>
          <p>{{ title }} has changes that were not saved. Opening the project takes its place; undo brings it back.</p>
          <div class="mw-row">
            <button ref="first" class="mw-button primary" @click="answer(true)">Save first</button>
            <button class="mw-button" @click="answer(false)">Open without saving</button>
            <button class="mw-button" @click="asking = null">Cancel</button>
          </div>
        </div>
      </div>
    </div>`,
  props: { limit: Number, screen: String, title: String, dirty: Boolean },
  data: () => ({ over: false, sending: "", asking: null }),
  watch: {
    screen(name) {
      // The first one of a page is where it is; others are steps that Back goes back over.
      const known = visited(location.hash);
      if (known.screen !== name) history[this.arrived ? "pushState" : "replaceState"](null, "", `#${name}`);
      this.arrived = true;
    },
    title() { this.entitle(); },
    dirty() { this.entitle(); },
  },
  mounted() {
    // What the page says while the server does not answer; when it is back, the page loads anew.
    const [lost, advice] = document.querySelectorAll("#popup > span");
    lost.textContent = "The studio does not answer.";
    advice.textContent = "If it was closed, start it again: this page then reconnects automatically. Nothing is lost.";
    // A studio that was started again is found within a second or two.
    window.socket?.io?.reconnectionDelayMax?.(1500);
    this.entitle();
    this.asked = [];
    this.typed = -HELD;
    this.sent = Promise.resolve();
    window.motionweave = Object.assign(window.motionweave ?? {}, { settled: () => this.settled() });
    const { screen } = visited(location.hash);
    if (screen && screen !== this.screen) this.$emit("visit", screen);
    else history.replaceState(null, "", location.hash || `#${this.screen}`);
    this.arrived = true;
    this.listeners = {
      pointerdown: () => { this.walking = false; },
      input: () => { this.typed = performance.now(); },
      change: (event) => { if (event.target.matches?.(".mw-app select")) event.target.blur(); },
      popstate: () => this.$emit("visit", visited(location.hash).screen || this.screen),
      keydown: (event) => this.key(event),
      dragover: (event) => { if (event.dataTransfer?.types.includes("Files")) { event.preventDefault(); this.over = true; } },
      dragleave: (event) => { if (!event.relatedTarget) this.over = false; },
      drop: (event) => {
        this.over = false;
        if (!event.dataTransfer?.files.length) return;
        event.preventDefault();
        this.upload(event.dataTransfer.files);
      },
    };
    for (const [name, listener] of Object.entries(this.listeners)) window.addEventListener(name, listener);
  },
  unmounted() { for (const [name, listener] of Object.entries(this.listeners)) window.removeEventListener(name, listener); },
  methods: {
    key(event) {
      const typing = event.target.closest?.("input:not([type=range]), textarea, select, [contenteditable=true], .q-dialog");
      const control = event.ctrlKey || event.metaKey;
      const name = event.key.length === 1 ? event.key.toLowerCase() : event.key;
      const anywhere = control && ["s", "o"].includes(name);
      // A slider that has the focus keeps the keys that move it.
      const sliding = event.target.matches?.("input[type=range]:not(.mw-scrub)") && /^(Arrow|Home|End|Page)/.test(name);
      // Whoever has typed something goes on with keys.
      if (typing && (name === "Escape" || (name === "Enter" && event.target.matches("input")))) event.target.blur?.();
      // A button that was reached by keyboard is pressed by it; after a click, keys are the viewport's.
      if (name === "Tab") this.walking = true;
      const pressing = this.walking && [" ", "Enter"].includes(name) && event.target.matches?.("button, summary");
      if (!control && this.walkMenu(name)) { event.preventDefault(); return; }
      if (event.altKey || sliding || pressing || (typing && !anywhere)) return;
      const view = window.motionweave?.viewport;
      if (!control && LOCAL[name]) {
        event.preventDefault();
        if (document.activeElement instanceof HTMLButtonElement) document.activeElement.blur();
        if (view) LOCAL[name](view, event.shiftKey);
        return;
      }
      const known = control ? ["z", "y", "s", "o"] : ["z", "y", "k", "a", "e", "?", "c", "1", "2", "3", "4", "5", "6", "7", "Delete"];
      if (!known.includes(name)) return;
      event.preventDefault();
      this.$emit("key", `${control ? "ctrl+" : ""}${event.shiftKey && name !== "?" ? "shift+" : ""}${name}`);
    },
    // Arrow keys belong to a menu while one is open; true if it has done something with the key.
    walkMenu(name) {
      const menus = [...document.querySelectorAll(".q-menu.mw-menu")], menu = menus.at(-1);
      if (!menu) return false;
      const items = [...menu.querySelectorAll(".q-item")], at = items.indexOf(document.activeElement);
      if (NEXT[name]) items[NEXT[name](at, items.length)]?.focus();
      else if (name === "ArrowRight" && items[at]?.matches(".mw-submenu")) this.enterMenu(items[at]);
      else if (name === "ArrowLeft" && menus.length > 1) this.leaveMenu();
      return Boolean(NEXT[name]) || name === "ArrowRight" || name === "ArrowLeft";
    },
    enterMenu(item) {
      this.entered = [...(this.entered ?? []), item];
      this.switchMenu(item, (menus) => menus.at(-1).querySelector(".q-item"));
    },
    // The item that opened a menu closes it again.
    leaveMenu() {
      const item = this.entered?.pop();
      if (item?.isConnected) this.switchMenu(item, () => item);
    },
    // Click an item that opens or closes a menu, and then focus what is found in those that are open.
    switchMenu(item, found) {
      const open = () => [...document.querySelectorAll(".q-menu.mw-menu")], count = open().length;
      const wait = () => {
        if (open().length !== count) found(open())?.focus();
        else if (item.isConnected) requestAnimationFrame(wait);
      };
      item.click();
      wait();
    },
    entitle() { document.title = `${this.dirty ? "• " : ""}${this.title} – motionweave studio`; },
    answer(saving) {
      const files = this.asking;
      this.asking = null;
      this.send(files, saving ? this.save() : null);
    },
    // Resolves when the server has saved: what is sent then cannot overtake it.
    save() {
      this.$emit("key", "ctrl+s");
      return this.ask("call");
    },
    upload(files) {
      if (!files.length) return;
      if (this.dirty && [...files].some((file) => /\.mwproj$/i.test(file.name))) {
        this.asking = [...files];
        this.$nextTick(() => this.$refs.first.focus());
      } else this.send(files);
    },
    browse() { this.$refs.files.value = ""; this.$refs.files.click(); },
    // Many files go in several requests; what belongs together (a take and its skeleton, a clip
    // and its contacts) in one.
    batches(files) {
      const skeletons = files.filter((file) => /\.asf$/i.test(file.name));
      const groups = new Map();
      for (const file of files) {
        if (skeletons.includes(file)) continue;
        const stem = file.name.replace(/(\.contacts\.json|\.[^.]*)$/i, "");
        groups.set(stem, [...(groups.get(stem) ?? []), file]);
      }
      const size = (list) => list.reduce((sum, file) => sum + file.size, 0);
      const made = [];
      for (const group of groups.values()) {
        const takes = group.some((file) => /\.amc$/i.test(file.name)) ? skeletons : [];
        const last = made.at(-1);
        const more = last ? [...new Set([...last, ...takes, ...group])] : [];
        if (last && more.length <= BATCH && size(more) <= this.limit / 4) made[made.length - 1] = more;
        else made.push([...takes, ...group]);
      }
      return groups.size ? made : [skeletons];
    },
    // Resolves when all that was done on the page until now has been answered and is on screen.
    async settled() {
      const held = this.typed + HELD - performance.now();
      if (held > 0) await new Promise((done) => setTimeout(done, held));
      await Promise.all([this.sent, new Promise(requestAnimationFrame)]);
      await this.ask();
      await this.$nextTick();
      await window.motionweave.viewport?.onScreen();
    },
    // Resolves when the server has heard all that it was told before ("call"), and also made and
    // sent what came of it ("ask"). What was lost with the connection is said again.
    ask(how = "ask") {
      return new Promise((done) => {
        const number = this.asked.push(done) - 1;
        const again = setInterval(() => this.$emit(how, number), 5000);
        this.asked[number] = () => { clearInterval(again); done(); };
        this.$emit(how, number);
      });
    },
    answered(number) { this.asked[number](); },
    // What is sent goes in the order in which it was given, after what it has to wait for.
    send(given, first = null) {
      const files = [...given], before = this.sent;
      this.sent = Promise.all([before, first]).then(() => this.transfer(files));
      return this.sent;
    },
    async transfer(given) {
      const files = given.filter((file) => file.size <= this.limit);
      const large = given.find((file) => file.size > this.limit);
      if (files.length) await this.post(files);
      if (!large) return;
      const [size, limit] = [large.size, this.limit].map((bytes) => (bytes / 1e6).toFixed(0));
      this.say(`${large.name} is too large: ${size} MB, and the limit is ${limit} MB. The command motionweave studio FILE opens it all the same.`, 12000);
    },
    async post(files) {
      const batches = this.batches(files), name = `${Date.now()}`;
      let done = 0;
      try {
        for (const [i, batch] of batches.entries()) {
          this.say(files.length === 1 ? `Reading ${files[0].name} …` : `Reading ${files.length} files, ${done} done …`);
          const form = new FormData();
          for (const file of batch) form.append("files", file, file.name);
          const last = i + 1 === batches.length;
          const query = batches.length > 1 ? `?batch=${name}${last ? "&last" : ""}` : "";
          const answer = await fetch(`/upload${query}`, { method: "POST", body: form });
          if (!answer.ok) throw new Error(await answer.text());
          done += batch.length;
        }
        this.sending = "";
      } catch (error) {
        this.say(`${done ? `${done} files were added, the others not` : "Not added"}: ${error.message}`, 6000);
      }
    },
    say(text, milliseconds) {
      this.sending = text;
      if (milliseconds) setTimeout(() => { if (this.sending === text) this.sending = ""; }, milliseconds);
    },
  },
};
