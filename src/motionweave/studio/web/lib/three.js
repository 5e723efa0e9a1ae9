// three.js comes with NiceGUI; this is the one place that knows how to reach it.
export { THREE, OrbitControls } from "nicegui-scene";

// Whether there is no graphics card: then fewer pixels and coarser shapes are the price of a
// picture that moves. "?fine" in the address asks for a fine one all the same, to be kept.
export const SOFTWARE = (() => {
  if (new URLSearchParams(location.search).has("fine")) return false;
  const probe = document.createElement("canvas").getContext("webgl2");
  const info = probe?.getExtension("WEBGL_debug_renderer_info");
  const name = info ? probe.getParameter(info.UNMASKED_RENDERER_WEBGL) : "";
  probe?.getExtension("WEBGL_lose_context")?.loseContext();
  return /swiftshader|llvmpipe|software/i.test(name);
})();
