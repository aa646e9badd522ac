"""Audio as others made it playable: each form through the decoder of its own people."""

import array
import subprocess

from program import WAIT_S

WAV_HEADER = 44

# What reads the form from standard input and gives PCM16 at the rate it is asked for, or at its
# own where it cannot be asked.
DECODERS = {
    "mp3": ["mpg123", "-q", "-s", "-m", "-"],
    "opus": ["opusdec", "--quiet", "--rate", "{rate}", "-", "-"],
    "aac": ["faad", "-q", "-b", "1", "-f", "2", "-w", "-"],
    "flac": ["flac", "-s", "-d", "-c", "--force-raw-format", "--endian=little",
             "--sign=signed", "-"],
}


def decode_mulaw(byte):
    """ITU-T G.711, by its definition."""
    byte = ~byte & 0xFF
    magnitude = (((byte & 0x0F) << 3) + 0x84 << ((byte >> 4) & 7)) - 0x84
    return -magnitude if byte & 0x80 else magnitude


def decode_alaw(byte):
    byte ^= 0x55
    segment = (byte >> 4) & 7
    magnitude = ((byte & 0x0F) << 4) + 8
    if segment:
        magnitude = magnitude + 0x100 << segment - 1
    return magnitude if byte & 0x80 else -magnitude


G711 = {"ulaw": decode_mulaw, "alaw": decode_alaw}


def decode(form, audio, rate):
    """PCM16 of `audio`, which is mp3, opus, aac, flac, wav, ulaw, alaw or pcm."""
    if form == "pcm":
        return array.array("h", audio)
    if form in G711:
        return array.array("h", map(G711[form], audio))
    if form == "wav":
        assert audio[:4] == b"RIFF" and audio[8:16] == b"WAVEfmt " and audio[36:40] == b"data"
        assert int.from_bytes(audio[24:28], "little") == rate
        return array.array("h", audio[WAV_HEADER:])
    done = subprocess.run([word.format(rate=rate) for word in DECODERS[form]], input=audio,
                          capture_output=True, timeout=WAIT_S, check=False)
    assert done.returncode == 0, done.stderr
    samples = array.array("h", done.stdout)
    # faad doubles rates up to 24 kHz and makes two channels of one, as the stream might turn out
    # to need both.
    return samples[::4 if rate <= 24000 else 2] if form == "aac" else samples
