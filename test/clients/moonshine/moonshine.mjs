// moonshine.mjs: what Moonshine understands with the runtime of its own package, onnxruntime-web.
//
//     node moonshine.mjs FOLDER < paths
//
// FOLDER holds the model, as `syrinx models fetch` installs it.  For every line of the input, the path of
// a file with 16-bit samples at 16 kHz, a line "PATH ⇥ TEXT" is written.  It does what the package does:
// the encoder reads the whole file, and the decoder says the likeliest token, one after another.

import fs from "node:fs";
import path from "node:path";
import readline from "node:readline";
import * as ort from "onnxruntime-web";

const [folder] = process.argv.slice(2);
const START = 1;
const END = 2;
// As the package has it, which would cut off short words without a minimum.
const TOKENS_PER_SECOND = 6;
const TOKENS_MIN = 16;

ort.env.wasm.numThreads = 1;
ort.env.logLevel = "error";

const open = (name) => ort.InferenceSession.create(fs.readFileSync(path.join(folder, name)));
const encoder = await open("encoder_model.onnx");
const decoder = await open("decoder_model_merged.onnx");
const vocabulary = fs.readFileSync(path.join(folder, "vocabulary.txt"), "utf8").split("\n");
const kept = decoder.inputNames.filter((name) => name.startsWith("past_key_values."));
const HEADS = 8;

function spell(tokens) {
  const bytes = [];
  for (const token of tokens) {
    const text = vocabulary[token];
    const byte = /^<0x([0-9A-F]{2})>$/.exec(text);
    if (byte) bytes.push(Number.parseInt(byte[1], 16));
    else if (!/^<.*>$/.test(text)) bytes.push(...Buffer.from(text.replaceAll("\u2581", " ")));
  }
  return Buffer.from(bytes).toString("utf8").trim();
}

// The width of a head is the model's: 36 in tiny, 52 in base.
const headWidth = fs.statSync(path.join(folder, "encoder_model.onnx")).size > 15e6 ? 52 : 36;

function empty() {
  return Object.fromEntries(kept.map((name) =>
    [name, new ort.Tensor("float32", new Float32Array(0), [0, HEADS, 1, headWidth])]));
}

async function listen(samples) {
  const { last_hidden_state: heard } = await encoder.run(
    { input_values: new ort.Tensor("float32", samples, [1, samples.length]) });
  const most = Math.max(TOKENS_MIN, Math.trunc((samples.length / 16000) * TOKENS_PER_SECOND));
  let past = empty();
  let token = START;
  const tokens = [];
  for (let i = 0; i < most; ++i) {
    const outputs = await decoder.run({
      input_ids: new ort.Tensor("int64", BigInt64Array.of(BigInt(token)), [1, 1]),
      encoder_hidden_states: heard,
      use_cache_branch: new ort.Tensor("bool", [i > 0], [1]),
      ...past,
    });
    const scores = outputs.logits.data;
    token = scores.reduce((best, score, at) => (score > scores[best] ? at : best), 0);
    if (token === END) break;
    tokens.push(token);
    // Keys and values of the encoder's output come from the first step, and stay.
    for (const name of kept)
      if (i === 0 || !name.includes("encoder")) past[name] = outputs[name.replace("past_key_values", "present")];
  }
  return spell(tokens);
}

for await (const file of readline.createInterface({ input: process.stdin })) {
  const bytes = fs.readFileSync(file);
  const samples = Float32Array.from(new Int16Array(bytes.buffer, bytes.byteOffset, bytes.length >> 1),
    (sample) => sample / 32768);
  process.stdout.write(`${file}\t${await listen(samples)}\n`);
}
process.exit(0); // threads of the runtime would keep it alive
