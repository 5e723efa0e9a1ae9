// Onion skin: the main character a few frames earlier and later, translucent.
import { Character } from "./character.js";

const SKINS = [[-2, "#4f7fd0"], [-1, "#4f7fd0"], [1, "#d98a4a"], [2, "#d98a4a"]];

export class Onion {
  constructor(stage) {
    this.stage = stage;
    this.skins = [];
  }

  // Whose skins to show, every how many frames; none for no character.
  set(character, apart) {
    this.apart = apart;
    if (!character) { this.clear(); return; }
    const skins = SKINS.map(([step, color], i) => {
      const look = { id: `onion${i}`, color, ghost: true, grips: [] };
      const old = this.skins[i]?.character;
      const one = old?.play(character.clip, look) ? old : new Character(character.clip, look);
      one.group.position.copy(character.group.position);
      one.trails.visible = false;
      return { step, character: one };
    });
    const kept = new Set(skins.map((skin) => skin.character));
    for (const { character: old } of this.skins) if (!kept.has(old)) this.drop(old);
    this.skins = skins;
    for (const skin of skins) this.stage.cast.add(skin.character.group);
  }

  // Poses around a frame; those before the first and after the last are not there.
  pose(frame) {
    for (const { step, character } of this.skins) {
      const at = frame + step * this.apart;
      character.group.visible = at >= 0 && at <= character.clip.frames - 1;
      if (character.group.visible) character.set(at);
    }
  }

  drop(character) {
    this.stage.cast.remove(character.group);
    character.dispose();
  }

  clear() {
    for (const { character } of this.skins) this.drop(character);
    this.skins = [];
  }
}
