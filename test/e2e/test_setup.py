"""The first minutes on a new machine: tools/setup with an apt-get, dpkg-query and id that are scripts of
the case, so that nothing is installed here; and what `make run` does, and in which order."""

import os
import re
import shutil
import subprocess

import pytest
from program import SOURCE, WAIT_S

TOOLS = ["sh", "dirname", "tr", "grep", "cut", "tail", "sed", "mktemp", "rm", "cat", "head"]

SIZES = """\
echo '0 upgraded, 110 newly installed, 0 to remove and 0 not upgraded.'
echo 'Need to get 120 MB of archives.'
echo 'After this operation, 414 MB of additional disk space will be used.'
"""

INSTALLS = f"""case "$*" in
*--assume-no*) {SIZES} exit 1 ;;
*Status-Fd=3*)
	echo 'Selecting previously unselected package gcc.'
	for percent in 0.0000 26.1 55.5 60 99.9; do echo "dlstatus:3:$percent:Retrieving file" >&3; done
	for percent in 5 30 31 80 100.0000; do echo "pmstatus:gcc:$percent:Unpacking gcc" >&3; done ;;
esac
"""

NO_NETWORK = """case "$*" in
*install*)
	for package in one two three four five six seven eight nine ten; do
		echo "E: Failed to fetch http://mirror/$package  Temporary failure resolving 'mirror'" >&2
	done
	exit 100 ;;
*) echo "W: Failed to fetch http://mirror/InRelease" >&2 ;;
esac
"""


class Machine:
    """A PATH with these programs alone; what was called is in `calls`."""

    def __init__(self, directory):
        self.bin = directory / "bin"
        self.bin.mkdir()
        self.log = directory / "calls"
        for tool in TOOLS:
            (self.bin / tool).symlink_to(shutil.which(tool))
        self.program("dpkg-query", "exit 1")
        self.program("id", "echo 0")

    def program(self, name, body):
        path = self.bin / name
        path.write_text(f'#!/bin/sh\necho {name} "$@" >>{self.log}\n{body}\n')
        path.chmod(0o755)

    def setup(self, *arguments):
        return subprocess.run([SOURCE / "tools/setup", *arguments], env={"PATH": str(self.bin)},
                              capture_output=True, text=True, timeout=WAIT_S)

    def calls(self, name):
        return re.findall(rf"(?m)^{name} (.*)$", self.log.read_text())


@pytest.fixture
def machine(tmp_path):
    return Machine(tmp_path)


def test_root_gets_the_packages_and_sees_how_far_it_is(machine):
    machine.program("apt-get", INSTALLS)
    done = machine.setup("build")
    assert done.returncode == 0, done
    assert done.stdout.splitlines()[-11:] == [
        "setup: updating the lists of packages", "setup: 110 packages to install",
        "setup: 120 MB to download", "setup: 414 MB on disk",
        "setup: downloading: 25 %", "setup: downloading: 50 %", "setup: downloading: 75 %",
        "setup: installing: 25 %", "setup: installing: 75 %", "setup: installing: 100 %",
        "setup: installed"]
    assert " gcc " in machine.calls("apt-get")[-1] and "Selecting" not in done.stdout


def test_without_a_network_the_last_words_are_about_it(machine):
    machine.program("apt-get", NO_NETWORK)
    done = machine.setup("build")
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == (
        "setup: could not download the packages: is there a network?")
    assert len(done.stderr.splitlines()) <= 4, "not all of apt's complaints"


def test_another_failure_is_shown_with_the_command_that_repeats_it(machine):
    machine.program("apt-get", 'case "$*" in *Status*) echo "E: dpkg was interrupted" >&2; exit 100 ;; esac')
    done = machine.setup("build")
    assert done.returncode == 1 and "E: dpkg was interrupted" in done.stderr
    assert done.stderr.splitlines()[-1].startswith("  apt-get install --no-install-recommends gcc ")


@pytest.mark.parametrize("reason", [
    "E: You don't have enough free space in /var/cache/apt/archives/.",
    "E: Failed to fetch http://mirror/gcc  Error writing to file - write (28: No space left on device)",
    "E: Unable to locate package gcc"])
def test_list_that_fails_is_not_blamed_for_another_failure(machine, reason):
    """A list of somebody else's that cannot be fetched, and an installation that fails by itself;
    without a list that fails an unknown package is no matter of the network either."""
    failing = "true" if "locate" in reason else 'echo "W: Failed to fetch http://other/InRelease" >&2'
    machine.program("apt-get", f"""case "$*" in
*Status*) echo "{reason}" >&2; exit 100 ;;
update) {failing} ;;
esac""")
    done = machine.setup("build")
    assert done.returncode == 1 and reason in done.stderr and "network" not in done.stderr
    assert "other/InRelease" not in done.stderr


def test_packages_are_unknown_because_no_list_could_be_fetched(machine):
    machine.program("apt-get", """case "$*" in
*Status*) echo "E: Unable to locate package gcc" >&2; exit 100 ;;
update) echo "W: Failed to fetch http://mirror/InRelease" >&2 ;;
esac""")
    assert machine.setup("build").stderr.splitlines()[-1].endswith("is there a network?")


@pytest.mark.parametrize("has_sudo, start", [(True, "  sudo apt-get update && sudo apt-get install "),
                                             (False, "  su -c 'apt-get update && apt-get install ")])
def test_ordinary_user_is_given_one_line_to_run(machine, has_sudo, start):
    machine.program("id", "echo 1000")
    machine.program("apt-get", "exit 99")
    if has_sudo:
        machine.program("sudo", "exit 99")
    done = machine.setup("test")
    assert done.returncode == 1
    last = done.stdout.splitlines()[-1]
    assert last.startswith(start) and " gcc " in last and " npm " in last
    assert machine.calls("apt-get") == [] and machine.calls("sudo") == []


def test_nothing_is_said_where_nothing_is_missing(machine):
    machine.program("dpkg-query", "printf installed")
    done = machine.setup("test")
    assert done.returncode == 0 and done.stdout == "" and done.stderr == ""


def test_reason_why_a_package_cannot_be_configured_is_shown(machine, tmp_path):
    """meson writes it to standard output, which is the package's name alone."""
    (tmp_path / "tools").mkdir()
    shutil.copy(SOURCE / "tools/make-deb", tmp_path / "tools")
    (machine.bin / "mkdir").symlink_to(shutil.which("mkdir"))
    machine.program("dpkg", "echo amd64")
    machine.program("dpkg-buildflags", 'echo "export CFLAGS=-O2"')
    machine.program("meson", 'echo "ERROR: Dependency x not found"; exit 1')
    done = subprocess.run([tmp_path / "tools/make-deb", "1.0"], env={"PATH": str(machine.bin)},
                          capture_output=True, text=True, timeout=WAIT_S)
    assert done.returncode == 1 and done.stdout == ""
    assert "ERROR: Dependency x not found" in done.stderr


def test_server_is_started_right_after_the_build():
    """No package but those of the build comes before it, and no npm at all."""
    done = subprocess.run(["make", "--no-print-directory", "--dry-run", "run"], cwd=SOURCE,
                          capture_output=True, text=True, env=os.environ | {"MAKEFLAGS": ""}, check=True)
    lines = done.stdout.splitlines()
    assert lines[-2:] == ["ninja -C build", "build/syrinx serve --greet --fetch-voices "]
    assert {line for line in lines if line.startswith("tools/")} == {"tools/setup build"}
    assert "npm" not in "\n".join(lines)


def test_clean_says_that_the_voices_stay(tmp_path):
    shutil.copy(SOURCE / "Makefile", tmp_path)
    (tmp_path / "share/syrinx").mkdir(parents=True)
    done = subprocess.run(["make", "clean"], cwd=tmp_path, capture_output=True, text=True, check=True,
                          env=os.environ | {"MAKEFLAGS": "", "XDG_DATA_HOME": str(tmp_path / "share")})
    assert f"rm -r {tmp_path}/share/syrinx" in done.stdout
    assert (tmp_path / "share/syrinx").exists()
