// What the studio's components share.
export { THREE } from "./three.js";
export { Character, fetchClip } from "./character.js";
export { Grips } from "./grips.js";
export { Stage } from "./stage.js";
export { fitCanvas, palette, SERIES, throttled } from "./canvas.js";
