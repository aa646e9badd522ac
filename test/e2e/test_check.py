"""`syrinx check`: the same verdict as the server's, and the files that commands use."""

import os
import pwd
import shutil
import subprocess

import pytest
from program import SYRINX, WAIT_S, environment, syrinx


def test_check_shows_what_the_other_commands_use(installed):
    installed.configure()
    done = installed.run("check")
    assert done.returncode == 0, done.stderr
    words = dict(line.split(None, 1) for line in done.stdout.splitlines()[:-1])
    assert words["configuration"] == f"{installed.config} (the installed server's)"
    assert words["data"] == str(installed.data)
    assert words["store"] == f"sqlite:{installed.data}/syrinx.db (will be created)"
    assert words["voices"] == f"{installed.data}/voices (missing)"
    assert words["models"] == f"{installed.data}/models (missing)"
    assert words["address"] == "http://127.0.0.1:8080"
    assert not installed.data.exists()  # checking makes nothing
    installed.key("create", "--create")
    assert f"{installed.data}/syrinx.db\n" in installed.run("check").stdout
    secret = {"SYRINX_STORE_ADDRESS": "postgresql://u:secret@127.0.0.1:1/db"}
    done = installed.run("check", extra=secret)
    assert done.returncode == 0 and "cannot be reached at the moment" in done.stderr
    assert "secret" not in done.stdout + done.stderr


def make_certificate(directory, name, days="2"):
    key, certificate = directory / f"{name}.key", directory / f"{name}.pem"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                    "ec_paramgen_curve:prime256v1", "-nodes", "-days", days, "-subj",
                    "/CN=localhost", "-keyout", key, "-out", certificate],
                   check=True, capture_output=True)
    return key, certificate


MISTAKES = {
    "none": "",
    "a certificate that is missing": "[server]\ntls_certificate = {t}/no.pem\ntls_key = {t}/a.key\n",
    "a key that is missing": "[server]\ntls_certificate = {t}/a.pem\ntls_key = {t}/no.key\n",
    "a key of another": "[server]\ntls_certificate = {t}/a.pem\ntls_key = {t}/b.key\n",
    "a certificate alone": "[server]\ntls_certificate = {t}/a.pem\n",
    "a certificate that is none": "[server]\ntls_certificate = {t}/a.key\ntls_key = {t}/a.key\n",
    "an address without a port": "[server]\nlisten = 127.0.0.1\n",
    "an address of another machine": "[server]\nlisten = 192.0.2.1:8080\n",
    "a name that nobody has": "[server]\nlisten = no.such.host.invalid:8080\n",
    "a key that does not exist": "[server]\nlistens = 127.0.0.1:0\n",
    "data in a file": "[server]\ndata = {t}/a.pem\n",
    "data below a file": "[server]\ndata = {t}/a.pem/data\n",
    "data of everybody": "[server]\ndata = /tmp\n",
    "data that engines may read": "[server]\ndata = {t}/x/data\n[speech]\nengine_paths = {t}/x\n",
    "no engines": "[speech]\nengines_dir = {t}/empty\n",
    "no folder of engines": "[speech]\nengines_dir = {t}/missing\n",
    "relative engine paths": "[speech]\nengine_paths = here\n",
    "a user that does not exist": "[server]\nworker_user = no-such-user\n",
    "a store of no kind": "[store]\naddress = mysql://x/y\n",
    "a store that is none": "[store]\naddress = sqlite:{t}/a.pem\n",
    "a store in a directory that is missing": "[store]\naddress = sqlite:{t}/missing/x.db\n",
    "a database's address that is none": "[store]\naddress = postgresql://[::1/x\n",
    "an agent without a key": "[agent a]\nllm = echo\n",
    "an agent without its prompt": "[agent a]\nllm = echo\napi_key = x\nprompt_file = {t}/no\n",
    "a price of two kinds": "[price a]\nvoice = 1\ninput_cents_per_million = 1\n",
    "an ElevenLabs voice without a voice": "[elevenlabs]\nvoices = 21m00Tcm4TlvDq8ikWAM\n",
    "a file that was cut": "[server\n",
}
GOOD = {"none"}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_check_and_serve_agree(tmp_path, mistake):
    if not shutil.which("openssl"):
        pytest.skip("there is no openssl command")
    if "user" in mistake and os.geteuid() != 0:
        pytest.skip("only root can switch users")
    for name in "ab":
        make_certificate(tmp_path, name)
    (tmp_path / "empty").mkdir()
    (tmp_path / "x").mkdir()
    config = tmp_path / "syrinx.conf"
    config.write_text(MISTAKES[mistake].format(t=tmp_path))
    defaults = {}
    if "listen" not in MISTAKES[mistake]:
        defaults["server.listen"] = "127.0.0.1:0"
    if "data =" not in MISTAKES[mistake]:
        defaults["server.data"] = tmp_path / "data"
    before = sorted(tmp_path.rglob("*"))
    checked = syrinx("check", "--config", config, settings=defaults)
    assert sorted(tmp_path.rglob("*")) == before  # nothing was made
    process = subprocess.Popen([SYRINX, "serve", "--config", config], env=environment(defaults),
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    try:
        lines = []
        for line in process.stderr:
            lines.append(line)
            if "listening on" in line:
                break
        serves = "listening on" in "".join(lines[-1:])
    finally:
        if "listening on" in "".join(lines[-1:]):  # else it ends by itself
            process.terminate()
        process.stderr.close()
        status = process.wait(timeout=WAIT_S)
    said = checked.stderr.decode()
    assert serves == (mistake in GOOD), lines
    assert (checked.returncode == 0) == serves, said
    assert status == (0 if serves else 1)
    assert bool(said) != serves  # a mistake has words


def test_check_warns_of_what_a_server_starts_with(tmp_path):
    if not shutil.which("openssl"):
        pytest.skip("there is no openssl command")
    key, certificate = make_certificate(tmp_path, "old")
    done = syrinx("check", settings={
        "server.data": tmp_path / "data", "server.tls_key": key,
        "server.tls_certificate": certificate, "speech.engine_paths": f"/usr:{tmp_path}/missing"})
    assert done.returncode == 0, done.stderr
    said = done.stderr.decode()
    assert f"warning: server.tls_certificate: {certificate} expires on 2" in said
    assert f"warning: speech.engine_paths: {tmp_path}/missing: No such file" in said


def test_check_names_elevenlabs_voices_that_cannot_exist(tmp_path):
    done = syrinx("check", settings={"server.data": tmp_path / "data",
                                     "elevenlabs.voices": "abc:1071, def:1999"})
    assert done.returncode == 1
    assert "elevenlabs.voices: def is mapped to voice 1999, which does not exist" in done.stderr.decode()


def test_check_says_why_the_data_directory_cannot_be_used(tmp_path):
    (tmp_path / "file").touch()
    (tmp_path / "loop").symlink_to("loop")
    for path, why in ((tmp_path / "file", "Not a directory"),
                      (tmp_path / "file" / "data", "Not a directory"),
                      (tmp_path / "loop", "Too many levels of symbolic links")):
        done = syrinx("check", "--data", path)
        assert done.returncode == 1 and f"server.data: {path}: {why}\n" in done.stderr.decode()


def test_check_may_be_run_while_the_server_runs(server):
    done = syrinx("check", "--data", server.data, "--listen", f"127.0.0.1:{server.port}")
    assert done.returncode == 0, done.stderr


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be two users")
def test_root_checks_what_the_user_of_the_service_can_do(installed):
    """Its private key is often readable by root alone."""
    if not shutil.which("openssl"):
        pytest.skip("there is no openssl command")
    key, certificate = make_certificate(installed.root, "server")
    installed.configure(f"[server]\ntls_certificate = {certificate}\ntls_key = {key}\n")
    certificate.chmod(0o644)
    key.chmod(0o600)
    assert "user           root\n" in installed.run("check").stdout
    nobody = pwd.getpwnam("nobody")
    installed.data.mkdir(parents=True)
    os.chown(installed.data, nobody.pw_uid, nobody.pw_gid)
    done = installed.run("check")
    assert done.returncode == 1 and f"private key {key}: Permission denied" in done.stderr
    os.chown(key, 0, nobody.pw_gid)
    key.chmod(0o640)
    done = installed.run("check")
    assert done.returncode == 0 and "user           nobody\n" in done.stdout, done.stderr
