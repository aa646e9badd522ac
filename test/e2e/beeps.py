"""A server that listens without models: the example in Python hears every burst of sound as "beep".

Recordings of it can be made here, so what is heard, and when, is known exactly.
"""

import array
import base64
import io
import math
import wave

from program import BUILD, SOURCE

ENGINES = ("syrinx-tone", "syrinx-flite", "syrinx-espeak", "syrinx-decode")
BEEP_S, GAP_S = 0.25, 0.25


def put_engines(folder, *engines, listens=True):
    """A folder with the engines, and the listener among them."""
    folder.mkdir()
    for engine in engines or ENGINES:
        if (BUILD / engine).exists():
            (folder / engine).symlink_to(BUILD / engine)
    if listens:
        listener = folder / "syrinx-hear-beeps"
        listener.write_bytes((SOURCE / "examples/listener.py").read_bytes())
        listener.chmod(0o755)
    return folder


def beeps(count, rate=16000, before=0.5, after=1.0):
    """Samples: silence, so many beeps, silence."""
    samples = array.array("h", bytes(2 * int(before * rate)))
    for _ in range(count):
        samples.extend(int(9000 * math.sin(2 * math.pi * 440 * i / rate))
                       for i in range(int(BEEP_S * rate)))
        samples.extend([0] * int(GAP_S * rate))
    samples.extend([0] * int(after * rate))
    return samples


def times(count, before=0.5):
    """When the beeps begin, in seconds."""
    return [before + i * (BEEP_S + GAP_S) for i in range(count)]


def wav(samples, rate=16000, channels=1):
    out = io.BytesIO()
    with wave.open(out, "wb") as file:
        file.setnchannels(channels)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes(array.array("h", (s for s in samples for _ in range(channels))).tobytes())
    return out.getvalue()


def base64_of(samples):
    return base64.b64encode(samples.tobytes()).decode()


def form(**fields):
    """The body of a form and its Content-Type; a list is a field that is repeated."""
    parts = []
    for name, value in fields.items():
        for one in value if isinstance(value, list) else [value]:
            file = '; filename="a.wav"' if isinstance(one, bytes) else ""
            head = f'--x-y\r\nContent-Disposition: form-data; name="{name}"{file}\r\n\r\n'
            parts.append(head.encode() + (one if isinstance(one, bytes) else str(one).encode()))
    return b"\r\n".join(parts) + b"\r\n--x-y--\r\n", "multipart/form-data; boundary=x-y"
