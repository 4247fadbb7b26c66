"""Nothing that changes who is asked what is lost without a row that says so, as independent readers find it."""

import copy
import re
from dataclasses import replace
from typing import Any

import pytest

from bench.imports import DOCUMENT, figures
from importing import questionnaire_file
from importing.import_result import ImportResult
from tests.importing.flow.comparison import Comparison, Item, Unclear, compare, condition_holds
from tests.importing.flow.formats import FORMATS

pytestmark = pytest.mark.page
DOCUMENTED = dict(re.findall(r"^\| ([\w, ]+) \| (\d+ \| .*) \|$", DOCUMENT.read_text("utf-8"), re.MULTILINE))
"""How many questions and conditions of each format are kept, changed and left out; none is lost or refused."""


@pytest.mark.parametrize("name", FORMATS)
def test_imported_conditions_order_languages_and_questions_are_kept_or_named(name: str) -> None:
    found = figures(name, FORMATS[name].files)
    assert (found.total.losses, found.unread, dict(found.refused)) == ([], [], {})
    assert " | ".join(map(str, found.cells())) == DOCUMENTED[name]


def read_with_change(change: Any, name: str = "REDCap", file: str = "signs") -> ImportResult:
    """The result after its draft was changed."""
    result = questionnaire_file.read(FORMATS[name].files[file])
    draft = copy.deepcopy(result.draft)
    for section in draft["sections"]:
        change(section["questions"])
    return replace(result, draft=draft)


def compare_with_file(result: ImportResult, name: str = "REDCap", file: str = "signs") -> Comparison:
    return compare(FORMATS[name].read(FORMATS[name].files[file]), result)


def test_deliberate_loss_is_found() -> None:
    kept = compare_with_file(read_with_change(lambda questions: None)).conditions
    without_rules = compare_with_file(
        read_with_change(lambda questions: [each.update(show_if={}) for each in questions])
    )
    # `[sex] != ''` holds for everybody.
    assert without_rules.conditions["silent"] == kept["kept"] - 1 == 4
    other = compare_with_file(read_with_change(lambda questions: questions[2].update(show_if={"sex": ["1"]})))
    assert other.conditions["silent"] == 1
    result = read_with_change(lambda questions: None)
    unsaid = replace(result, lines=tuple(replace(line, remarks=()) for line in result.lines))
    assert compare_with_file(unsaid).conditions["silent"] == kept["said"] >= 1
    changes: dict[str, Any] = {
        "is asked after": lambda questions: questions.reverse(),
        "is neither asked nor named": lambda questions: questions.pop(),
        "the order of its answers": lambda questions: questions[0]["choices"].reverse(),
        "1 of its 3 answers": lambda questions: questions[0]["choices"].pop(),
        "the file does not ask it": lambda questions: questions.append({**questions[0], "name": "more"}),
    }
    for loss, change in changes.items():
        result = read_with_change(change)
        lines = tuple(line for line in result.lines if "last" not in line.location)
        assert any(loss in each for each in compare_with_file(replace(result, lines=lines)).losses), loss
    spoken = ("SurveyJS", "languages")
    result = read_with_change(lambda questions: None, *spoken)
    result = replace(result, draft={**result.draft, "languages": ["en"]})
    assert "the file: language ar" in compare_with_file(result, *spoken).losses
    mute = read_with_change(lambda questions: questions[0].update(text={"en": "Do you work?"}), *spoken)
    assert any("Arbeiten Sie" in each for each in compare_with_file(mute, *spoken).losses)


def test_imported_conditions_hold_for_the_stated_answers() -> None:
    items = {name: Item(name, {}, {"a": {}, "b": {}}) for name in ("q", "unasked")}
    items["m"] = items["m1"] = Item("m", {}, {"1": {}, "2": {}}, many=True, parts={"m1": ("1", "Y", "")})
    items |= {"n": Item("n", {}, number=True), "t": Item("t", {})}
    answers = {"q": "a", "m": frozenset("12"), "n": 20, "t": "x"}
    for expression, is_asked in {
        "v('q') == 'a' and not v('n') > 20": True,
        "v('q') != 'a' or selected(v('m'), '2')": True,
        "v('m1') == 'Y'": True,
        "v('m') == '1 2' and count_selected(v('m')) == 2": True,
        "v('unasked') == '' and not asked('unasked')": True,
        "v('n') < 18": False,
        "v('unasked') < 18 or v('unasked') >= 18": False,
        "not is_empty(v('q')) and v('q') >> ['b', 'c']": False,
    }.items():
        assert condition_holds(expression, items, answers) == is_asked, expression
    for expression in ("v('nobody') == 1", "today() > 1", "v('t') == 'x'", "v('q') =", "1 < 2 < 3"):
        with pytest.raises(Unclear):
            condition_holds(expression, items, answers)
