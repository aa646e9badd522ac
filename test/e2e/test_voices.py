"""Neural voices: listed, fetched, added and removed; the registry is one on this machine that does
what the case needs."""

import json
import os
import re
import signal
import subprocess

import pytest
from client import Client
from program import (BUILD, SOURCE, SYRINX, WAIT_S, children_of, environment, syrinx,
                     wait_until)
from registry import Proxy, make_certificate, refuse, send, stall, wait_for_call


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "voices"


def fetch(folder, *arguments):
    return syrinx("voices", "fetch", "--voices", folder, *arguments)


def start_fetch(folder):
    return subprocess.Popen([SYRINX, "voices", "fetch", "--voices", folder],
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment({}))


def is_alive(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii") as stat:
            return stat.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def files_in(folder):
    return sorted(path.name for path in folder.iterdir() if path.name != ".lock")


def error_of(done):
    """The one line that a failed command says; engines with a sanitizer say more, as log lines."""
    assert done.returncode == 1, done
    lines = done.stderr.decode().splitlines()
    (line,) = [line for line in lines if " info  confine: " not in line]
    assert line.startswith("syrinx voices: ")
    return line


# The list

def test_voices_for_people_come_first_and_licences_are_a_list_of_their_own(tmp_path):
    table = syrinx("voices", cwd=tmp_path).stdout.decode()
    engines = [line.split()[4] for line in table.splitlines()[1:]]
    assert engines[0] != "tone" and engines[-1] == "tone"
    assert engines.index("tone") == len(engines) - engines.count("tone")
    licences = syrinx("voices", "--licences", cwd=tmp_path).stdout.decode()
    assert len(licences.splitlines()) < 20
    for engine in set(engines):
        assert re.search(rf"(?m)^{engine}  ", licences), licences


def test_list_is_what_voices_does_by_itself(tmp_path):
    assert syrinx("voices", "list", cwd=tmp_path).stdout == syrinx("voices", cwd=tmp_path).stdout


def test_list_of_a_server_is_that_of_its_engines(shared_server, tmp_path):
    """All pages of it; a server without engines of one's own shows that it was asked."""
    server = shared_server
    nothing = {"speech.engines_dir": tmp_path}
    for form in ([], ["--licences"], ["--json"], ["--language", "de-AT"]):
        loaded = syrinx("voices", *form, "--local")
        assert loaded.returncode == 0 and len(loaded.stdout.splitlines()) > (form != ["--json"])
        asked = syrinx("voices", *form, "--data", server.data, settings=nothing)
        assert asked.returncode == 0 and asked.stdout == loaded.stdout, asked.stderr
    named = syrinx("voices", "--server", f"127.0.0.1:{server.port}", "--key", server.key,
                   settings=nothing)
    assert named.stdout == syrinx("voices", "--local").stdout
    refused = syrinx("voices", "--server", f"127.0.0.1:{server.port}", "--key", "ka_wrong")
    assert refused.returncode == 1 and b"it refuses the key" in refused.stderr and not refused.stdout


def test_json_has_what_the_table_has(shared_server):
    done = syrinx("voices", "--json", "--data", shared_server.data)
    voices = {voice["id"]: voice for voice in json.loads(done.stdout)["voices"]}
    assert voices[2002] == {"id": 2002, "handle": "german-female", "name": "German, female",
                            "sex": "female", "quality": "low", "supported_languages": ["de"],
                            "engine": "espeak", "licence": None}
    assert voices[1]["sex"] is None


@pytest.mark.parametrize("form", [[], ["--json"], ["--licences"]])
def test_language_that_no_voice_speaks_is_told(shared_server, form):
    done = syrinx("voices", "--language", "xx", *form, "--data", shared_server.data)
    assert done.returncode == 1 and not done.stdout
    assert b'no voice speaks "xx"; the languages are: en de' in done.stderr


@pytest.mark.parametrize("arguments", [
    ["voices", "frobnicate"], ["voices", "add"], ["voices", "remove"],
    ["voices", "fetch", "kokoro"], ["voices", "list", "--nonsense"]])
def test_wrong_call_is_told(arguments, folder):
    done = syrinx(*arguments, settings={"speech.voices_dir": folder})
    assert done.returncode == 2 and done.stderr and not done.stdout
    assert not folder.exists()


# Fetching, and what can go wrong

def test_address_and_answer_of_the_registry_are_told(folder, registry):
    line = error_of(fetch(folder, "--quiet"))
    assert f"{registry.url}sherpa-onnx-linux-" in line and "HTTP 503" in line
    assert files_in(folder) == []


def test_registry_that_cannot_be_reached_is_told(folder, registry):
    registry.stop()
    assert f"127.0.0.1:{registry.port}: Connection refused" in error_of(fetch(folder))
    assert files_in(folder) == []


def test_name_that_nobody_knows_is_told(folder, registry, monkeypatch):
    monkeypatch.setenv("npm_config_registry", "https://no-such-host.invalid/")
    assert "no-such-host.invalid: " in error_of(fetch(folder))


def test_redirect_is_followed_without_the_credentials(folder, make_registry, tmp_path):
    other = make_registry(lambda request: send(request, b"not the package"))
    first = make_registry(lambda request: send(request, b"", 302, Location=other.url + "x?s=1"))
    (tmp_path / "npmrc").write_text(f"//127.0.0.1:{first.port}/npm/:_authToken=secret\n")
    assert "is not the expected file" in error_of(fetch(folder))
    assert first.headers[0]["Authorization"] == "Bearer secret"
    assert other.calls == ["/npm/x?s=1"] and other.headers[0]["Authorization"] is None


def test_registry_must_prove_its_name(folder, make_registry, tmp_path, monkeypatch):
    certificate = make_certificate(tmp_path)
    registry = make_registry(lambda request: send(request, b"not the package"), certificate)
    assert "the server's certificate was not accepted" in error_of(fetch(folder))
    assert registry.calls == []
    monkeypatch.setenv("NODE_EXTRA_CA_CERTS", str(certificate[1]))
    assert "is not the expected file" in error_of(fetch(folder))
    monkeypatch.delenv("NODE_EXTRA_CA_CERTS")
    (tmp_path / "npmrc").write_text(f"cafile={certificate[1]}\n")
    assert "is not the expected file" in error_of(fetch(folder))
    assert len(registry.calls) == 2


def test_redirect_to_plain_http_is_not_followed(folder, make_registry, tmp_path, monkeypatch):
    certificate = make_certificate(tmp_path)
    plain = make_registry(lambda request: send(request, b"not the package"))
    make_registry(lambda request: send(request, b"", 302, Location=plain.url), certificate)
    monkeypatch.setenv("NODE_EXTRA_CA_CERTS", str(certificate[1]))
    assert "redirects to an address that cannot be used" in error_of(fetch(folder))
    assert plain.calls == []


def test_proxy_is_asked_and_hears_nothing_of_the_request(folder, make_registry, tmp_path,
                                                         monkeypatch):
    certificate = make_certificate(tmp_path)
    registry = make_registry(lambda request: send(request, b"not the package"), certificate)
    monkeypatch.setenv("NODE_EXTRA_CA_CERTS", str(certificate[1]))
    proxy = Proxy()
    monkeypatch.setenv("HTTPS_PROXY", f"http://me:p%40ss@{proxy.address}")
    assert "is not the expected file" in error_of(fetch(folder))
    (head,) = proxy.asked
    assert head.startswith(f"CONNECT 127.0.0.1:{registry.port} HTTP/1.1\r\n")
    assert "Proxy-Authorization: Basic bWU6cEBzcw==" in head and "npm" not in head
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    error_of(fetch(folder))
    proxy.stop()
    assert len(proxy.asked) == 1 and len(registry.calls) == 2


def test_proxy_is_chosen_for_each_server_of_a_redirect(folder, make_registry, monkeypatch):
    """The registry needs none, but the server that has its files does; and the other way round."""
    proxy = make_registry(lambda request: send(request, b"not the package"))
    first = make_registry(lambda request: send(request, b"", 302,
                                               Location="http://files.invalid/x"))
    monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{proxy.port}")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    assert "is not the expected file" in error_of(fetch(folder))
    assert proxy.calls == ["http://files.invalid/x"] and len(first.calls) == 1
    proxy.answer = lambda request: send(request, b"", 302, Location=first.url)
    first.answer = lambda request: send(request, b"not the package")
    monkeypatch.setenv("npm_config_registry", "http://registry.invalid/npm")
    assert "is not the expected file" in error_of(fetch(folder))
    assert len(proxy.calls) == 2 and len(first.calls) == 2


def test_token_that_is_too_long_is_refused(folder, registry, tmp_path):
    (tmp_path / "npmrc").write_text(f"//127.0.0.1:{registry.port}/npm/:_authToken={'a' * 9000}\n")
    assert f"the token in {tmp_path / 'npmrc'} is too long" in error_of(fetch(folder))
    assert registry.calls == [] and files_in(folder) == []


def test_token_of_several_kilobytes_is_sent(folder, registry, tmp_path):
    (tmp_path / "npmrc").write_text(f"//127.0.0.1:{registry.port}/npm/:_authToken={'a' * 6000}\n")
    error_of(fetch(folder))
    assert registry.headers[0]["Authorization"] == "Bearer " + "a" * 6000


def test_proxy_of_a_plain_registry_is_given_the_whole_address(folder, make_registry, monkeypatch):
    proxy = make_registry(lambda request: send(request, b"not the package"))
    monkeypatch.setenv("npm_config_registry", "http://registry.invalid/npm")
    monkeypatch.setenv("npm_config_proxy", f"127.0.0.1:{proxy.port}")
    assert "is not the expected file" in error_of(fetch(folder))
    assert proxy.calls[0].startswith("http://registry.invalid/npm/sherpa-onnx-linux-")


@pytest.mark.parametrize("proxy", ["https://me:secret@127.0.0.1:1", "socks5://127.0.0.1:1"])
def test_proxy_of_another_kind_is_refused_without_its_password(folder, registry, monkeypatch, proxy):
    monkeypatch.setenv("npm_config_proxy", proxy)
    line = error_of(fetch(folder))
    assert "proxy" in line and "secret" not in line
    assert registry.calls == []


@pytest.mark.skipif(os.getuid() == 0, reason="root may write everywhere")
def test_folder_that_cannot_be_written_to_names_the_way_out(tmp_path, registry):
    tmp_path.chmod(0o500)
    line = error_of(fetch(tmp_path / "voices"))
    assert "--voices DIR" in line and registry.calls == []


@pytest.mark.parametrize("verb", [["fetch"], ["add", "mine.onnx"], ["remove", "mine"]])
def test_without_a_home_a_folder_must_be_named(registry, verb):
    line = error_of(syrinx("voices", *verb, extra={"HOME": "/", "XDG_DATA_HOME": "",
                                                   "SYRINX_VOICES": ""}))
    assert "--voices" in line and "SYRINX_VOICES" in line
    assert registry.calls == []


def test_server_without_a_home_speaks_and_says_that_it_fetches_nothing(start_server, monkeypatch):
    monkeypatch.setenv("HOME", "/")
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    server = start_server({"voices": "", "speech.fetch_voices": "on"})
    server.wait_for_log("not fetched; the other voices work: there is no folder")
    with Client(server) as client:
        assert client.speak("Hello.", voice_id=1071).samples


@pytest.mark.parametrize("size", [1000, 11089653])
def test_another_package_than_the_pinned_one_is_refused(folder, make_registry, size):
    """Too short, or of the right length with other bytes."""
    make_registry(lambda request: send(request, bytes(size)))
    assert "is not the expected file" in error_of(fetch(folder))
    assert files_in(folder) == []


def test_package_that_is_cut_short_or_too_long_is_refused(folder, make_registry):
    make_registry(lambda request: send(request, b"half", length=11089653))
    error_of(fetch(folder))
    make_registry(lambda request: send(request, bytes(20000000)))
    assert "longer than expected" in error_of(fetch(folder))
    assert files_in(folder) == []


def test_reason_goes_to_the_descriptor_that_the_caller_names(folder, registry):
    reading, writing = os.pipe()
    done = subprocess.run([SYRINX, "voices", "fetch", "--quiet", "--voices", folder,
                           "--report-to", str(writing)], pass_fds=[writing], capture_output=True,
                          env=environment({}), timeout=WAIT_S)
    os.close(writing)
    assert done.returncode == 1 and not done.stderr and not done.stdout
    with open(reading, "rb") as report:
        assert b"HTTP 503" in report.read()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_interrupted_fetch_leaves_nothing(folder, make_registry, number):
    registry = make_registry(stall)
    process = start_fetch(folder)
    wait_for_call(registry)
    process.send_signal(number)
    _, errors = process.communicate(timeout=WAIT_S)
    assert process.returncode == 1 and b"interrupted" in errors
    assert files_in(folder) == []


def test_killed_fetch_takes_its_download_with_it_and_the_next_clears_up(folder, make_registry):
    registry = make_registry(stall)
    process = start_fetch(folder)
    wait_for_call(registry)
    (download,) = children_of(process.pid)
    process.kill()
    process.communicate()
    wait_until(lambda: not is_alive(download), "the download has gone")
    assert files_in(folder) == [".stage"]
    registry.answer = refuse
    error_of(fetch(folder))
    assert files_in(folder) == []


def test_second_fetch_waits_for_the_first(folder, make_registry):
    registry = make_registry(stall)
    first = start_fetch(folder)
    wait_for_call(registry)
    second = start_fetch(folder)
    assert b"waiting" in second.stderr.readline()
    assert second.poll() is None and len(registry.calls) == 1
    first.terminate()
    first.communicate(timeout=WAIT_S)
    wait_for_call(registry, 2)
    second.terminate()
    second.communicate(timeout=WAIT_S)


def test_folder_that_cannot_be_made_is_named(tmp_path, registry):
    (tmp_path / "file").write_text("")
    assert str(tmp_path / "file") in error_of(fetch(tmp_path / "file" / "voices"))


# The real packages

def test_real_voices_are_complete(neural_voices):
    assert {"libonnxruntime.so", "libritts.onnx", "libritts.onnx.json"} <= set(
        files_in(neural_voices))
    model = json.loads((neural_voices / "libritts.onnx.json").read_text())
    assert len(model["phoneme_id_map"]) == 159 and model["num_speakers"] == 904
    assert len(model["syrinx"]["speakers"]) == 12


def test_what_is_installed_needs_no_registry(neural_voices, registry, folder):
    folder.mkdir()
    for name in files_in(neural_voices):
        (folder / name).symlink_to(neural_voices / name)
    assert fetch(folder).returncode == 0
    (folder / "libritts.onnx.json").unlink()
    assert fetch(folder).returncode == 0
    assert (folder / "libritts.onnx.json").exists() and registry.calls == []


# A server that fetches them

@pytest.fixture
def engines(tmp_path):
    """An engine called vits, for which alone they are fetched."""
    directory = tmp_path / "engines"
    directory.mkdir()
    (directory / "syrinx-tone").symlink_to(BUILD / "syrinx-tone")
    (directory / "syrinx-vits").symlink_to(BUILD / "syrinx-tone")
    return directory


@pytest.fixture
def fetching(start_server, engines, folder):
    return lambda: start_server({"speech.fetch_voices": "on", "speech.engines_dir": engines,
                                 "speech.voices_dir": folder})


def test_server_that_cannot_fetch_says_so_once_and_speaks(registry, fetching):
    server = fetching()
    server.wait_for_log(r"(?m)warn  voices: .*not fetched.*HTTP 503.*$")
    with Client(server) as client:
        assert client.speak("Still here.", voice_id=1).samples > 0
    assert len(re.findall("(?m)HTTP 503", server.log())) == 1


def test_server_that_ends_takes_its_fetch_with_it(make_registry, fetching, folder):
    registry = make_registry(stall)
    server = fetching()
    wait_for_call(registry)
    server.stop()
    assert files_in(folder) == []


def test_server_logs_how_far_the_fetch_is(make_registry, fetching):
    def deliver_half(request):
        send(request, bytes(7000000), length=11089653)
        request.wfile.flush()
        request.registry.release.wait(WAIT_S)

    registry = make_registry(deliver_half)
    server = fetching()
    server.wait_for_log(r"info  voices: fetching ONNX Runtime: sherpa-onnx-linux-\w+ [\d.]+, \d+ MB")
    server.wait_for_log(r"info  voices: 50 % of \d+ MB")
    registry.release.set()
    server.wait_for_log("not fetched")
    assert len(re.findall("50 %", server.log())) == 1 and "75 %" not in server.log()


def test_server_fetches_nothing_unasked(registry, start_server, engines, folder):
    server = start_server({"speech.engines_dir": engines, "speech.voices_dir": folder})
    server.stop()
    assert "fetch" not in server.log() and registry.calls == []


# Voices of one's own

def test_remove_takes_what_belongs_to_the_voice_and_nothing_else(folder):
    folder.mkdir()
    others = ["amyx.onnx", "amyx.onnx.json", "libonnxruntime.so", "amy.txt", "bamy.onnx"]
    for name in ["amy.onnx", "amy.onnx.json", "amy.tokens.txt", "amy-one.bin", *others]:
        (folder / name).write_text("")
    done = syrinx("voices", "remove", "amy", "--voices", folder)
    assert done.returncode == 0, done.stderr
    assert files_in(folder) == sorted(others)


@pytest.mark.parametrize("name", ["amy", "../amy", "amy.onnx", ""])
def test_remove_of_what_is_not_there_names_what_is(folder, name):
    folder.mkdir()
    (folder.parent / "amy.onnx").write_text("")
    (folder / "bella.onnx").write_text("")
    assert "bella" in error_of(syrinx("voices", "remove", name, "--voices", folder))
    assert (folder.parent / "amy.onnx").exists()


def test_remove_of_a_voice_names_its_model(folder):
    folder.mkdir()
    for name in ("Clara", "1081"):
        error = error_of(syrinx("voices", "remove", name, "--voices", folder))
        assert f"{name} is a voice of the model libritts" in error


def test_add_wants_a_model_and_its_json(folder, tmp_path):
    (tmp_path / "amy.onnx").write_text("")
    (tmp_path / "amy.onnx.json").write_text("{}")
    (tmp_path / "bella.onnx").write_text("")

    def add(name):
        return error_of(syrinx("voices", "add", tmp_path / name, "--voices", folder))

    assert "must end with .onnx" in add("amy.onnx.json")
    assert "bella.onnx.json" in add("bella.onnx")
    assert "carol.onnx; " in add("carol.onnx")  # and not its JSON
    assert files_in(folder) == []
    (folder / "amy.onnx").write_text("")
    assert "already" in add("amy.onnx")


@pytest.fixture
def tiny_voice(tmp_path):
    """A model with random weights, shaped like a real one."""
    path = tmp_path / "tiny.onnx"
    subprocess.run([SOURCE / "tools/tiny-voice", "--speakers", "1", path], check=True, timeout=WAIT_S)
    return path


@pytest.fixture
def runtime_folder(neural_voices, folder):
    """A voices folder with the runtime and no voice."""
    if not (BUILD / "syrinx-vits").exists():
        pytest.skip("syrinx-vits was not built")
    folder.mkdir()
    (folder / "libonnxruntime.so").symlink_to(neural_voices / "libonnxruntime.so")
    return folder


def neural_rows(folder):
    lines = syrinx("voices", "--voices", folder).stdout.decode().splitlines()
    return [line for line in lines[1:] if line.split()[4] == "vits"]


def test_voice_of_ones_own_is_added_listed_spoken_and_removed(runtime_folder, tiny_voice, tmp_path):
    done = syrinx("voices", "add", tiny_voice, "--voices", runtime_folder)
    assert done.returncode == 0, done.stderr
    assert files_in(runtime_folder) == ["libonnxruntime.so", "tiny.onnx", "tiny.onnx.json"]
    (row,) = neural_rows(runtime_folder)
    done = syrinx("say", "Hello.", "--voice", row.split()[0], "--voices", runtime_folder,
                  "-o", tmp_path / "out.wav")
    assert done.returncode == 0, done.stderr
    assert syrinx("voices", "remove", "tiny", "--voices", runtime_folder).returncode == 0
    assert neural_rows(runtime_folder) == []


OTHER_USER = (54321, 54322)  # who need not be in the list of users


def owners_in(folder):
    return {(found.lstat().st_uid, found.lstat().st_gid) for found in [folder, *folder.iterdir()]}


def open_folder(folder):
    """A command that makes the folder and its lock, and then fails."""
    error_of(syrinx("voices", "add", folder.parent / "none.onnx", "--voices", folder))


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_folder_that_root_makes_belongs_to_the_owner_of_its_parent(tmp_path):
    data = tmp_path / "data"
    data.mkdir()
    os.chown(data, *OTHER_USER)
    open_folder(data / "more" / "voices")
    assert owners_in(data) == owners_in(data / "more") == {OTHER_USER}
    assert owners_in(data / "more" / "voices") == {OTHER_USER}


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_voice_that_root_adds_belongs_to_the_owner_of_the_folder(runtime_folder, tiny_voice):
    for path in (runtime_folder, runtime_folder / "libonnxruntime.so"):
        os.chown(path, *OTHER_USER, follow_symlinks=False)
    done = syrinx("voices", "add", tiny_voice, "--voices", runtime_folder)
    assert done.returncode == 0, done.stderr
    assert "tiny.onnx" in files_in(runtime_folder)
    assert owners_in(runtime_folder) == {OTHER_USER}


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_root_gives_no_file_away_that_a_link_in_the_folder_names(folder, tmp_path):
    target = tmp_path / "root.txt"
    target.write_text("of root")
    folder.mkdir()
    os.chown(folder, *OTHER_USER)
    (folder / ".lock").symlink_to(target)
    open_folder(folder)
    (folder / ".lock").unlink()
    (folder / ".lock").hardlink_to(target)
    open_folder(folder)
    assert target.stat().st_uid == 0


@pytest.mark.parametrize("damage", ["model", "json", "truncated"])
def test_voice_that_the_engine_cannot_load_is_not_added(runtime_folder, tiny_voice, damage):
    companion = tiny_voice.with_name("tiny.onnx.json")
    if damage == "model":
        tiny_voice.write_bytes(b"no model at all")
    elif damage == "json":
        companion.write_text("{}")
    else:
        tiny_voice.write_bytes(tiny_voice.read_bytes()[:-1000])
    error = error_of(syrinx("voices", "add", tiny_voice, "--voices", runtime_folder))
    assert "tiny.onnx" in error
    assert files_in(runtime_folder) == ["libonnxruntime.so"]


def test_bad_file_in_the_folder_is_told_by_the_list(runtime_folder, start_server):
    (runtime_folder / "broken.onnx").write_bytes(b"no model at all")
    (runtime_folder / "broken.onnx.json").write_text("{}")
    done = syrinx("voices", "--voices", runtime_folder)
    assert done.returncode == 0 and b"broken.onnx" in done.stderr
    assert b"broken" not in done.stdout
    server = start_server({"speech.voices_dir": runtime_folder})
    server.wait_for_log("broken.onnx")
    asked = syrinx("voices", "--data", server.data)
    assert asked.stdout == done.stdout and asked.stderr.count(b"broken.onnx") == 1
    other = syrinx("voices", "--data", server.data, "--key", server.new_key())
    assert other.stdout == done.stdout and not other.stderr  # files are the operator's
