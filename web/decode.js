// Audio of a frame as samples of 16 bits: a long turn waits in memory until it is played.

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
  return code & 0x80 ? 0x84 - magnitude : magnitude - 0x84;
}

function fromAlaw(byte) {
  const code = byte ^ 0x55;
  const exponent = (code & 0x70) >> 4;
  let magnitude = ((code & 0x0f) << 4) + 8;
  if (exponent > 0) magnitude = (magnitude + 0x100) << (exponent - 1);
  return code & 0x80 ? magnitude : -magnitude;
}

const DECODERS = {
  pcm_s16le(bytes) {
    const view = new DataView(bytes.buffer);
    return Int16Array.from({length: bytes.length >> 1}, (_, i) => view.getInt16(2 * i, true));
  },
  mulaw: (bytes) => Int16Array.from(bytes, fromMulaw),
  alaw: (bytes) => Int16Array.from(bytes, fromAlaw),
};

export function decode(frame) {
  return DECODERS[frame.enc](bytesOf(frame.audio));
}
