"""The arithmetic of the listening tests."""

import importlib.machinery
import importlib.util
import pathlib
import xml.etree.ElementTree

import pytest

import words

HERE = pathlib.Path(__file__).resolve().parent


def load(name):
    """A script without an ending, as a module."""
    loader = importlib.machinery.SourceFileLoader(name, str(HERE / name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    loader.exec_module(module)
    return module


@pytest.mark.parametrize("wanted, heard, errors", [
    ("the line is clear", "the line is clear", 0),
    ("the line is clear", "a line is clear", 1),
    ("the line is clear", "line is clear", 1),
    ("the line is clear", "the the line is clear now", 2),
    ("the line is clear", "", 4),
    ("", "hello there", 2),
])
def test_errors_are_the_fewest_changes(wanted, heard, errors):
    assert words.errors(wanted.split(), heard.split()) == errors


def test_case_punctuation_and_digits_are_no_errors():
    assert words.words("On a scale: from ONE to ten?") == words.words("on a scale from 1 to 10.")
    assert words.words("It\u2019s all right.") == words.words("it's alright")


@pytest.mark.parametrize("digits, spoken", [
    ("28", "twenty-eight"), ("30", "thirty"), ("500", "five hundred"),
    ("8500", "eight thousand five hundred"), ("1234", "one thousand two hundred thirty four"),
    ("the 1st", "the first"), ("22nd", "twenty second"), ("30th", "thirtieth"),
    ("12th", "twelfth"), ("007", "zero zero seven"), ("3D", "3d"),
])
def test_numbers_are_compared_as_words(digits, spoken):
    assert words.words(digits) == words.words(spoken)


def test_another_word_stays_an_error():
    assert words.words("We found your booking") != words.words("We found her booking")


def test_there_are_a_hundred_sentences_without_digits():
    lines = (HERE / "sentences.txt").read_text("utf-8").splitlines()
    assert len(lines) == len(set(lines)) == 100
    assert not any(c.isdigit() for line in lines for c in line)


def test_a_table_replaces_only_what_is_between_the_marks(tmp_path):
    report = load("report")
    page = tmp_path / "page.md"
    page.write_text(f"before\n{report.BEGIN}\nold\n{report.END}\nafter\n", "utf-8")
    report.write(page, "new\n")
    assert page.read_text("utf-8") == f"before\n{report.BEGIN}\nnew\n{report.END}\nafter\n"


def test_a_page_without_marks_is_left_alone(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("nothing here\n", "utf-8")
    with pytest.raises(SystemExit):
        load("report").write(page, "new\n")
    assert page.read_text("utf-8") == "nothing here\n"


def figures(**changes):
    plain = {"errors": 0.01, "rate": 180, "loudness": -20, "deviation": 0.5, "peak": -3,
             "lead": 10, "tail": 20}
    return plain | changes


@pytest.mark.parametrize("engine, changes, count", [
    ("vits", {}, 0),
    ("vits", {"errors": 0.051}, 1),
    ("vits", {"tail": 125}, 1),
    ("vits", {"loudness": -24}, 1),
    ("flite", {"errors": 0.2, "tail": 300}, 0),
])
def test_limits_hold_for_neural_voices(engine, changes, count):
    rows = [{"id": "1", "name": "One", "engine": "vits"},
            {"id": "2", "name": "Two", "engine": engine}]
    found = list(load("report").complaints(rows, [figures(), figures(**changes)]))
    assert len(found) == count


def test_a_picture_is_small_and_shows_where_the_speech_is():
    samples = [0] * 12000 + [16384, -16384] * 6000
    text = load("samples").picture("One", samples, 24000)
    assert len(text) < 30000
    root = xml.etree.ElementTree.fromstring(text)
    path = root.find("{http://www.w3.org/2000/svg}path").get("d").split("M")[1:]
    heights = [int(bar.split("V")[1]) - int(bar.split("V")[0].split()[1]) for bar in path]
    assert max(heights[:len(heights) // 2 - 1]) <= 2
    assert min(heights[len(heights) // 2 + 1:]) >= 58


@pytest.mark.parametrize("name, stem", [
    ("Sally", "sally"), ("English, male", "english-male"), ("\u4e2d\u6587", "7")])
def test_voices_with_alike_names_have_files_of_their_own(name, stem):
    assert load("samples").file_name({"id": "7", "name": name}) == stem


def accuracy_of(texts, ours, theirs):
    recordings = [("prompts", pathlib.Path(f"{i}.wav"), text) for i, text in enumerate(texts)]
    keyed = ({(i, "clean"): text for i, text in enumerate(heard)} for heard in (ours, theirs))
    return load("accuracy").Sum(recordings, ("prompts",), "clean", *keyed)


def test_word_errors_are_compared_with_those_of_the_reference():
    figures = accuracy_of(["press one", "goodbye"], ["press 1", "good buy"], ["dress one", "goodbye"])
    assert (figures.words, figures.ours, figures.theirs, figures.differing) == (3, 2, 1, 2)


def test_a_few_words_that_differ_by_chance_are_no_fault():
    texts = ["press one"] * 100
    better = ["press one"] * 100
    assert not accuracy_of(texts, ["press won"] * 3 + better[3:], better).is_over()
    assert accuracy_of(texts, ["press won"] * 20 + better[20:], better).is_over()
