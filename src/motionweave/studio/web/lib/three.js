// three.js comes with NiceGUI; this is the one place that knows how to reach it.
export { THREE, OrbitControls } from "nicegui-scene";
