"""What tests of calls need: a server that hears and speaks, and the sound of somebody who calls."""

import array
import pathlib
import wave

import program

RATE = 24000
QUESTION = "Please tell me a long story."


def start_hearing_server(directory, models, runtime, **options):
    """A server whose recognizer is the real one; its voices are those of the engines."""
    voices = directory / "voices"
    voices.mkdir()
    (voices / pathlib.Path(runtime).name).symlink_to(runtime)
    settings = {"hearing.models_dir": models, "speech.voices_dir": voices, "hearing.workers": 1}
    return program.Server(directory, settings, **options)


def say(server, path, text=QUESTION, before_s=1.0, after_s=6.0):
    """A file of somebody who says this, with silence around it; returns its samples."""
    done = program.syrinx("say", "--data", server.data, "--server", f"http://127.0.0.1:{server.port}",
                          "--key", server.key, "-o", path, text)
    assert done.returncode == 0, done.stderr
    with wave.open(str(path)) as file:
        assert file.getframerate() == RATE and file.getnchannels() == 1
        spoken = array.array("h", file.readframes(file.getnframes()))
    samples = (array.array("h", bytes(2 * int(before_s * RATE))) + spoken
               + array.array("h", bytes(2 * int(after_s * RATE))))
    with wave.open(str(path), "wb") as file:
        file.setparams((1, 2, RATE, 0, "NONE", ""))
        file.writeframes(samples.tobytes())
    return samples
