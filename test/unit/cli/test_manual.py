"""man/syrinx.1 against the table of commands, as `syrinx help` prints it, and the pages of the
engines beside it against their usage lines.

Run by pytest with SYRINX (the program) and MANUAL (the page) in the environment.
"""

import functools
import os
import pathlib
import re
import subprocess

import pytest

OPTION = re.compile(r"(?<![\w-])--?[a-z][a-z-]*")


def ask_help(*words):
    done = subprocess.run([os.environ["SYRINX"], "help", *words], check=True,
                          capture_output=True, text=True, timeout=10)
    return done.stdout


@functools.cache
def commands():
    """Each command of the program with its options."""
    names = re.findall(r"^  ([a-z-]+)  ", ask_help(), re.M)
    rows = {name: re.findall(r"^  (-.*?)  ", ask_help(name), re.M) for name in names}
    return {name: set(OPTION.findall(" ".join(row))) for name, row in rows.items()}


@functools.cache
def section(name):
    text = pathlib.Path(os.environ["MANUAL"]).read_text(encoding="utf-8")
    text = re.sub(r"\\f[BIR]", "", text.replace(r"\-", "-"))
    return re.search(rf"^\.SH {name}\n(.*?)(?=^\.SH |\Z)", text, re.M | re.S)[1]


@functools.cache
def described():
    """Each command of the page with the options that its text names."""
    found = {}
    depth = 0
    name = None
    lines = section("COMMANDS").splitlines()
    for line, following in zip(lines, lines[1:] + [""]):
        depth += {".RS": 1, ".RE": -1}.get(line, 0)
        if line == ".TP" and depth == 0:
            name = following.split()[1]  # .B key create
            found.setdefault(name, set())
        elif name:
            found[name] |= set(OPTION.findall(line))
    return found


@functools.cache
def called():
    """Each command of the synopsis with the options that it is shown with."""
    found = {}
    for call in section("SYNOPSIS").split(".br\n"):
        name = call.split()[2]  # .B syrinx key create
        found.setdefault(name, set()).update(OPTION.findall(call))
    return found


def engines():
    """The engines that were built.  The benchmark is next to them; syrinx(1) has its options."""
    return sorted(path for path in pathlib.Path(os.environ["SYRINX"]).parent.glob("syrinx-*")
                  if path.is_file() and os.access(path, os.X_OK) and path.name != "syrinx-bench")


def test_there_are_engines():
    assert "syrinx-tone" in {path.name for path in engines()}


@pytest.mark.parametrize("engine", engines(), ids=lambda path: path.name)
def test_an_engine_has_a_page_with_its_options(engine):
    page = pathlib.Path(os.environ["MANUAL"]).with_name(engine.name + ".1")
    text = page.read_text(encoding="utf-8").replace(r"\-", "-")
    usage = subprocess.run([engine, "--help"], capture_output=True, text=True, timeout=10).stderr
    options = set(OPTION.findall(usage.split("usage: ")[1].split(" ", 1)[1]))
    listed = re.search(r"^\.SH OPTIONS\n(.*?)^\.SH ", text, re.M | re.S)[1]
    assert options == set(re.findall(r"(?m)^\.BI? (--[a-z-]+)", listed))
    assert f"{engine.name} - " in text


def test_the_program_has_commands():
    assert "serve" in commands() and "--listen" in commands()["serve"]


def test_the_manual_has_every_command_and_no_other():
    assert described().keys() == commands().keys()
    assert called().keys() == commands().keys()


@pytest.mark.parametrize("name", sorted(commands()))
def test_the_manual_has_every_option_of_a_command_and_no_other(name):
    assert described()[name] == commands()[name]
    assert called()[name] <= commands()[name]
