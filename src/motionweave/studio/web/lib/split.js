// Before and after: one picture in two halves. Left of the divider is what there was, right of it
// what became of it, seen by the same camera at the same time.
import { Character } from "./character.js";

export class Split {
  constructor(stage) {
    this.stage = stage;
    this.before = null;
  }

  // Compare the main character with another one on stage; without one the picture is whole.
  set(other, main) {
    if (!other) { this.clear(); return; }
    // In the same colours: where both move alike, the divider goes through one body.
    const look = { ...other.look, id: "before", color: main.look.color, ghost: false, stepping: other.look.ghost, beside: 0, grips: [], label: "" };
    if (!this.before?.play(other.clip, look)) {
      this.clear();
      this.before = new Character(other.clip, look);
      this.stage.scene.add(this.before.group);
    }
    const { before } = this;
    before.group.position.copy(main.group.position);
    // A ghost beside the main character was recorded anywhere: it sets out from where that does.
    if (other.look.ghost && other.look.beside) before.group.position.add(main.rootAt(0)).sub(before.rootAt(before.inStep(0, main.clip.frames - 1)));
    this.stage.halves ??= { group: before.group, at: 0.5 };
    this.stage.halves.group = before.group;
  }

  // Where the divider is, as a share of the picture's width.
  divide(share) {
    if (this.stage.halves) this.stage.halves.at = share;
    this.stage.dirty = true;
  }

  clear() {
    this.stage.halves = null;
    if (!this.before) return;
    this.stage.scene.remove(this.before.group);
    this.before.dispose();
    this.before = null;
  }
}
