// What the studio's components share.
export { THREE } from "./three.js";
export { Character, clipOf, LEFT, RIGHT } from "./character.js";
export { shown } from "./fields.js";
export { Grips } from "./grips.js";
export { distinct, shortened } from "./names.js";
export { Onion } from "./onion.js";
export { Path } from "./path.js";
export { skinOf } from "./skin.js";
export { Split } from "./split.js";
export { Stage } from "./stage.js";
export { BOLD, dot, fitted, haloed, inRem, nearest, throttled, trace } from "./canvas.js";
export { picture, rowed, sliding, TIME_LEFT, TIME_RIGHT, viewport } from "./picture.js";
export { drawPose, seen, stripOf } from "./strips.js";
export { tangents } from "./tangents.js";
export { timeline } from "./timeline.js";
export { told } from "./told.js";
export { timeView } from "./timeview.js";
