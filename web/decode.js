// Audio of a frame as numbers from -1 to 1.

function bytesOf(base64) {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; ++i) bytes[i] = text.charCodeAt(i);
  return bytes;
}

// ITU-T G.711.
function fromMulaw(byte) {
  const code = ~byte & 0xff;
  const magnitude = (((code & 0x0f) << 3) + 0x84) << ((code & 0x70) >> 4);
  return (code & 0x80 ? 0x84 - magnitude : magnitude - 0x84) / 32768;
}

function fromAlaw(byte) {
  const code = byte ^ 0x55;
  const exponent = (code & 0x70) >> 4;
  let magnitude = ((code & 0x0f) << 4) + 8;
  if (exponent > 0) magnitude = (magnitude + 0x100) << (exponent - 1);
  return (code & 0x80 ? magnitude : -magnitude) / 32768;
}

const DECODERS = {
  pcm_s16le(bytes) {
    const view = new DataView(bytes.buffer);
    return Float32Array.from({length: bytes.length >> 1}, (_, i) => view.getInt16(2 * i, true) / 32768);
  },
  mulaw: (bytes) => Float32Array.from(bytes, fromMulaw),
  alaw: (bytes) => Float32Array.from(bytes, fromAlaw),
};

export function decode(frame) {
  return DECODERS[frame.enc](bytesOf(frame.audio));
}
