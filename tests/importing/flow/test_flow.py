"""Nothing that changes who is asked what is lost without a row that says so, as independent readers find it."""

import pytest

from importing import questionnaire_file
from importing.faults import FileRefused
from tests.importing.flow.comparison import compare
from tests.importing.flow.formats import FORMATS
from tests.importing.flow.source import Item, Unclear, holds

pytestmark = pytest.mark.page


@pytest.mark.parametrize("name", FORMATS)
def test_conditions_order_languages_and_questions_are_kept_or_named(name: str) -> None:
    lost = []
    for file, data in FORMATS[name].files.items():
        try:
            found = compare(FORMATS[name].read(data), questionnaire_file.read(data))
            lost += [f"{file}, {loss}" for loss in found.losses]
        except FileRefused as refused:
            lost.append(f"{file}: is refused, {refused}")
    assert not lost, "\n" + "\n".join(lost)


@pytest.mark.parametrize("name", FORMATS)
def test_there_are_ten_files_of_each_format_with_conditions(name: str) -> None:
    sources = [FORMATS[name].read(data) for data in FORMATS[name].files.values()]
    assert len(sources) >= 10
    assert sum(bool(item.shown_if) for source in sources for item in source.items) >= 18
    assert sum(bool(source.facts) for source in sources) >= 3


@pytest.mark.parametrize(
    ("expression", "asked"),
    [
        ("v('q') == 'a' and not v('n') > 20", True),
        ("v('q') != 'a' or selected(v('m'), '2')", True),
        ("v('m1') == 'Y'", True),
        ("v('m') == '1 2' and count_selected(v('m')) == 2", True),
        ("v('unasked') == '' and not asked('unasked')", True),
        ("v('n') < 18", False),
        ("v('unasked') < 18 or v('unasked') >= 18", False),
        ("not is_empty(v('q')) and v('q') >> ['b', 'c']", False),
    ],
)
def test_conditions_are_true_of_the_answers_that_they_say(expression: str, asked: bool) -> None:
    items = {name: Item(name, {}, {"a": {}, "b": {}}) for name in ("q", "unasked")}
    items["m"] = items["m1"] = Item("m", {}, {"1": {}, "2": {}}, many=True, parts={"m1": ("1", "Y", "")})
    items["n"] = Item("n", {}, number=True)
    assert holds(expression, items, {"q": "a", "m": frozenset("12"), "n": 20}) == asked


@pytest.mark.parametrize(
    "expression", ["v('nobody') == 1", "today() > 1", "v('t') == 'x'", "v('q') =", "1 < 2 < 3"]
)
def test_conditions_on_words_dates_and_strangers_are_unclear(expression: str) -> None:
    with pytest.raises(Unclear):
        holds(expression, {"t": Item("t", {}), "q": Item("q", {}, number=True)}, {"t": "x", "q": 1})
