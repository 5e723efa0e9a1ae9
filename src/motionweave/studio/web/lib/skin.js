// A mesh that moves with the joints of a clip: what a user's own character looks like.
import { SOFTWARE, THREE } from "./three.js";

const KINDS = { f4: Float32Array, u4: Uint32Array, u2: Uint16Array };
const kept = new Map();

// A character, fetched once.
export function skinOf(url) {
  if (!kept.has(url)) {
    kept.set(url, fetch(url).then(async (answer) => {
      if (!answer.ok) { kept.delete(url); throw new Error(`${url}: ${answer.status}`); }
      return unpack(await answer.arrayBuffer());
    }));
  }
  return kept.get(url);
}

async function unpack(buffer) {
  const length = new DataView(buffer).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
  let at = 4 + length;
  const arrays = {};
  for (const [name, kind, size] of header.arrays) {
    arrays[name] = new KINDS[kind](buffer, at, size);
    at += arrays[name].byteLength;
  }
  const images = [];
  for (const [kind, size] of header.images) {
    images.push(size ? await texture(new Blob([new Uint8Array(buffer, at, size)], { type: kind })) : null);
    at += size;
  }
  const geometry = new THREE.BufferGeometry();
  for (const [name, width] of [["position", 3], ["normal", 3], ["uv", 2], ["skinWeight", 4], ["skinIndex", 4]])
    geometry.setAttribute(name, new THREE.BufferAttribute(arrays[name], width));
  geometry.setIndex(new THREE.BufferAttribute(arrays.index, 1));
  header.surfaces.forEach(({ start, count }, i) => geometry.addGroup(start, count, i));
  return { ...header, geometry, images, binding: arrays.binding };
}

async function texture(blob) {
  try {
    const made = new THREE.Texture(await createImageBitmap(blob));
    Object.assign(made, { flipY: false, colorSpace: THREE.SRGBColorSpace, wrapS: THREE.RepeatWrapping, wrapT: THREE.RepeatWrapping, needsUpdate: true });
    return made;
  } catch { return null; }
}

export class Skin {
  constructor(character) {
    const { joints, binding, geometry, surfaces, images } = this.character = character;
    const Material = SOFTWARE ? THREE.MeshLambertMaterial : THREE.MeshStandardMaterial;
    this.materials = surfaces.map(({ colour, image, bothSides, holes }) => new Material({
      color: new THREE.Color(...colour), map: image === null ? null : images[image], side: bothSides ? THREE.DoubleSide : THREE.FrontSide, alphaTest: holes ? 0.5 : 0,
    }));
    this.bones = joints.map(() => Object.assign(new THREE.Bone(), { matrixAutoUpdate: false, matrixWorldAutoUpdate: false }));
    const inverses = joints.map((_, i) => {
      const row = [...binding.subarray(12 * i, 12 * i + 12)];
      return new THREE.Matrix4().set(...row, 0, 0, 0, 1);
    });
    this.skeleton = new THREE.Skeleton(this.bones, inverses);
    this.mesh = this.copy(this.materials, 0);
  }

  // The same shape again, as for a shadow; joints are where the clip says, whatever is above them.
  copy(material, order) {
    const mesh = new THREE.SkinnedMesh(this.character.geometry, material);
    mesh.bindMode = THREE.DetachedBindMode ?? "detached";
    mesh.bind(this.skeleton, new THREE.Matrix4());
    mesh.frustumCulled = false;
    mesh.renderOrder = order;
    return mesh;
  }

  // Joints to where they are at a fractional frame; `points` are their places then.
  place({ clip, points }, frame) {
    const { joints } = this.character, count = clip.joints.length, size = 1 / clip.unit;
    const lower = Math.floor(frame), upper = Math.min(lower + 1, clip.frames - 1);
    const a = new THREE.Quaternion(), b = new THREE.Quaternion(), at = new THREE.Vector3(), scale = new THREE.Vector3(size, size, size);
    joints.forEach((joint, i) => {
      a.fromArray(clip.turned, 4 * (lower * count + joint)).slerp(b.fromArray(clip.turned, 4 * (upper * count + joint)), frame - lower);
      this.bones[i].matrixWorld.compose(at.fromArray(points, 3 * joint), a, scale);
    });
  }

  dispose() {
    for (const material of this.materials) material.dispose();
    this.skeleton.dispose();
  }
}
