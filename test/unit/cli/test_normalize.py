"""`syrinx normalize`: a line in, a line out.

Run by pytest with SYRINX (the program) in the environment.
"""

import os
import subprocess

import pytest


def normalize(*arguments, stdin=b""):
    """Exit status, standard output and standard error."""
    done = subprocess.run([os.environ["SYRINX"], "normalize", *arguments], input=stdin,
                          capture_output=True, timeout=20, check=False)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def test_arguments_are_one_line():
    assert normalize("I", "have", "3", "cats.") == (0, "I have three cats.\n", "")
    assert normalize("I have 3 cats.")[1] == "I have three cats.\n"
    assert normalize("")[1] == "\n"


def test_many_words_need_no_quotes():
    assert normalize(*["3"] * 100)[0] == 0


def test_each_line_of_input_gives_a_line():
    lines = b"one 1\n\n<break/>\ntwo 2\r\nlast 3"
    status, out, err = normalize(stdin=lines)
    assert (status, err) == (0, "")
    assert out == "one one\n\n\ntwo two\nlast three\n"


@pytest.mark.parametrize("code", ["de", "DE", "de-DE", "de_AT"])
def test_the_language_is_what_the_server_takes_for_one(code):
    assert normalize("--language", code, "3 Katzen")[1] == "drei Katzen\n"


def test_an_unknown_language_is_told_the_known_ones():
    status, out, err = normalize("--language", "xx", "3")
    assert (status, out) == (2, "")
    assert "xx" in err and " de en es fr it nl pl pt " in err


def test_only_words_come_out_unless_pauses_are_asked_for():
    text = 'Hello <break time="1s"/>you <prosody rate="slow">there.</prosody>'
    assert normalize(text)[1] == "Hello you there.\n"
    assert normalize("--pauses", text)[1] == "Hello [500 ms] you there.\n"


def test_what_is_not_utf8_is_an_error_with_its_line():
    status, out, err = normalize(stdin=b"good\nbad \xff\nnever read\n")
    assert (status, out) == (1, "good\n")
    assert err == "syrinx normalize: line 2 is not UTF-8\n"
    assert normalize(b"bad \xc3")[2] == "syrinx normalize: the text is not UTF-8\n"


def test_a_line_is_bounded():
    status, out, err = normalize(stdin=b"x" * (256 * 1024) + b"\n" + b"x" * (256 * 1024 + 1))
    assert status == 1 and len(out) == 256 * 1024 + 1
    assert err == "syrinx normalize: line 2 is longer than 256 KiB\n"
