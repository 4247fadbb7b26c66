"""Every coin tuple of a small design, through the whole road from words to record, gives the stated law."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from math import prod
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from privacy.designs import parse_design
from privacy.mechanisms import disguise_by_given_coins as exact_disguise, random_draws as exact_coins
from privacy.mechanisms.random_draws import RandomWords, draw_below
from proof.record_probabilities import (
    DISGUISED,
    OPEN,
    hidden_questions,
    number_of_true_codes,
    place_weights,
    record_law,
    widest_class_span,
)
from tests.privacy import questionnaires as q
from tests.privacy.conftest import Node

pytestmark = pytest.mark.proof


@dataclass(frozen=True, slots=True)
class Case:
    """One respondent of a small design, with coins of so many sides that all tuples can be tried."""

    name: str
    design: dict[str, Any]
    modulus: int
    group: int
    answers: tuple[int | None, ...]

    def _coins(self) -> Iterator[tuple[int, bool]]:
        """The sides of every coin, and whether it draws what a person is asked."""
        for section in self.design["sections"]:
            question, n, shuffle, sides = section["questions"][0], len(section["questions"]), 0, list[int]()
            if section["kind"] == "place":
                sides = [sum(place_weights(question, 0))]
            elif question.get("law") == "window":
                sides = [self.modulus, 2 * question["window"] + 1, question["values"]]
            elif question.get("law") == "classes":
                limits, m = len(question["limits"]), question["cuts"]
                rest = [20, widest_class_span(question), self.modulus, 2] if question["rest"] else []
                # What this shuffle draws shows nowhere.
                drawn = [limits - place for place in range(m)] if m < limits else []
                sides = [*drawn, self.modulus, m + 1, *rest]
            elif section["kind"] not in ("plain", "crosswise"):
                asked = section.get("asked", n)
                shuffle = asked if asked < n else 0
                sides = [*(n - place for place in range(shuffle)), *[self.modulus] * (1 + n)]
            yield from ((side, place < shuffle) for place, side in enumerate(sides))

    @property
    def coin_sides(self) -> list[int]:
        return [side for side, _draws in self._coins()]

    @property
    def shuffles(self) -> list[int]:
        return [place for place, (_side, draws) in enumerate(self._coins()) if draws]

    @property
    def bits(self) -> int:
        """Words just wide enough that every word below n is the coin itself."""
        return max(self.coin_sides).bit_length()

    @property
    def stated_law(self) -> dict[str, Fraction]:
        return record_law(self.design, self.group, self.answers)


def cases(name: str, design: dict[str, Any], modulus: int = 10) -> list[Case]:
    """All true answers of all groups."""
    codes = (range(number_of_true_codes(of)) for each in design["sections"] for of in each["questions"])
    tuples = product((OPEN, DISGUISED), *codes)
    return [Case(f"{name} {of} {answers}", design, modulus, of, tuple(answers)) for of, *answers in tuples]


def distinct_cases(name: str, design: dict[str, Any], modulus: int = 10) -> list[Case]:
    """Of these, each once: what a rule hides makes no difference, and is left out."""
    questions = [question for section in design["sections"] for question in section["questions"]]
    found: dict[str, Case] = {}
    for case in cases(name, design, modulus):
        hidden = hidden_questions(questions, case.answers)
        shown = tuple(None if place in hidden else code for place, code in enumerate(case.answers))
        title = f"{name} {case.group} {list(shown)}"
        found.setdefault(title, replace(case, name=title, answers=shown))
    return list(found.values())


def fewer_open(cases: list[Case]) -> list[Case]:
    """Of those who answer openly one in four: no coin but those of the shuffle can change what they send."""
    opened = [case for case in cases if case.group == OPEN]
    return [*(case for case in cases if case.group != OPEN), *opened[::4]]


def three_questions(**more: Any) -> dict[str, Any]:
    """All probabilities are fifths, so that coins of five sides suffice: 5^4 tuples of these in the place of 10^4."""
    questions = (
        q.question("drink", "0.2", "0.2", "0.6"),
        q.question("theft", "0.4", "0.6", **q.IF_EMPLOYED),
        q.question("drugs", "0.8", "0.2"),
    )
    return q.make_design(q.plain(q.WORK), q.sensitive("0.6", *questions, **more))


TWO_SECTIONS = q.make_design(
    q.sensitive("0.4", q.question("theft", "0.4", "0.6")),
    q.sensitive("0.8", q.question("drugs", "0.6", "0.4")),
)
WINDOW = q.make_design(q.window("age", 7, 1, "0.3"))
ONE_LIMIT = q.make_design(q.classes("debt", "0.3", 0, 5))
TWO_OF_THREE = q.make_design(q.classes("debt", "0.5", 0, 1, 3, 4, cuts=2))
REST = q.make_design(q.classes("debt", "0.5", 0, 2, 5, rest=4))
STEPPED = q.make_design(
    q.plain(q.WORK),
    q.classes("debt", "0.5", -4, 0, 2, step=2, rest=2, **q.IF_EMPLOYED),
    q.window("age", 3, 0, "0.5"),
)
LINE = [(x, 0) for x in range(6)]
BORDER = q.make_design(q.place("home", LINE, (0, 1, 2), (3, 4), near=2, odds="3.50"))
"""Two regions that touch, and one cell outside: the near cells of cell 2 are 2 and 1, not 3."""
CROSS = [(0, 1), (1, 0), (0, 0), (0, -1), (9, 9)]
TIED = q.make_design(q.place("home", CROSS, (3, 2, 1, 0), near=3, odds="1.01"))
"""Of three cells as far from the third as each other, the first two are near."""
SIX = [(0, 0), (2, 0), (40, 0), (1, 1), (3, 1), (2, 3)]
LEVELS = q.make_design(
    q.plain(q.WORK), q.place("home", SIX, (0, 2, 4), (1, 3, 5), near=1, odds="4.00", **q.IF_EMPLOYED)
)
LEVELS["sections"][1]["questions"][0]["regions"][1] |= {"near": 3, "odds": "2.00"}
"""No cell outside; both regions are in pieces, and the second has a level of its own."""
HIDDEN_AND_OPEN = Case("rotating, hidden, open", q.ROTATING, 10, OPEN, (1, 1, 0))
MIXED_AND_ROTATING = [
    Case("mixed", q.MIXED, 10, DISGUISED, (2, 0)),
    Case("rotating, shown", q.ROTATING, 10, DISGUISED, (0, 1, 1)),
    Case("rotating, hidden", q.ROTATING, 10, DISGUISED, (1, None, 0)),
]
ONE = Case("fine", q.ONE, 100, DISGUISED, (1,))
QUICK = [ONE, *cases("two", q.TWO), *MIXED_AND_ROTATING, HIDDEN_AND_OPEN]
ONE_OF_TWO = q.sensitive("0.5", q.question("theft", *q.HALF), q.question("drugs", *q.HALF), asked=1)
MIXED_WITH_NUMBER = q.make_design(ONE_OF_TWO, q.classes("debt", "0.5", 0, 1, 3))
MIXED_WITH_PLACE = q.make_design(ONE_OF_TWO, q.place("home", LINE[:3], (0, 1), odds="1.50"))
RELOADED = [
    Case("two", q.TWO, 10, DISGUISED, (1, 0)),
    *MIXED_AND_ROTATING,
    Case("one of three", three_questions(asked=1), 5, DISGUISED, (0, 1, 0, 1)),
    Case("window", WINDOW, 10, DISGUISED, (2,)),
    Case("rest", REST, 2, DISGUISED, (4,)),
    Case("one of two and a number", MIXED_WITH_NUMBER, 2, DISGUISED, (1, 0, 2)),
    Case("place", BORDER, 10, DISGUISED, (2,)),
    Case("one of two and a place", MIXED_WITH_PLACE, 2, DISGUISED, (1, 0, 1)),
]
ALL = {
    "fine": distinct_cases("fine", q.ONE, 20),
    "two": cases("two", q.TWO),
    "mixed": distinct_cases("mixed", q.MIXED),
    "two sections": distinct_cases("two sections", TWO_SECTIONS, 5),
    "rotating": [*distinct_cases("rotating", q.ROTATING), HIDDEN_AND_OPEN],
    "three": distinct_cases("three", three_questions(), 5),
    "two of three": fewer_open(distinct_cases("two of three", three_questions(asked=2), 5)),
    "one of three": fewer_open(distinct_cases("one of three", three_questions(asked=1), 5)),
    "window": cases("window", WINDOW),
    "one limit": cases("one limit", ONE_LIMIT),
    "two of three limits": cases("two of three limits", TWO_OF_THREE, 2),
    "rest": cases("rest", REST, 2),
    "stepped": fewer_open(distinct_cases("stepped", STEPPED, 2)),
    "border": cases("border", BORDER),
    "tied": cases("tied", TIED),
    "levels": cases("levels", LEVELS)
    + [case for case in distinct_cases("levels", LEVELS) if None in case.answers],
    "with a place": fewer_open(distinct_cases("with a place", MIXED_WITH_PLACE, 2)),
    "with a number": distinct_cases("with a number", MIXED_WITH_NUMBER, 2),
}
"""All truths of each design; openly fewer where there are many."""
NUMBERS = [*ALL["window"], *ALL["one limit"], *ALL["two of three limits"], *ALL["rest"], *ALL["stepped"]]
PLACES = ALL["border"] + ALL["tied"] + ALL["levels"]
AT_NIGHT = ("two of three", "one of three", "stepped")
Law = dict[str, Fraction]


def python_laws(
    cases: Sequence[Case], coins: ModuleType = exact_coins, disguise: ModuleType = exact_disguise
) -> list[Law]:
    """For cases of one design, the share of coin tuples that give each answer text; each tuple is thrown once."""
    sides, bits, modulus = cases[0].coin_sides, cases[0].bits, cases[0].modulus
    design = parse_design(json.dumps(cases[0].design))
    counts: list[Counter[str]] = [Counter() for _ in cases]
    for tuple_of_words in product(*map(range, sides)):
        left = iter(tuple_of_words)
        thrown = coins.draw_coins(design, coins.RandomWords(bits, left.__next__), modulus)
        assert next(left, None) is None
        for case, count in zip(cases, counts, strict=True):
            count[disguise.disguise(design, thrown, case.group, case.answers).answers] += 1
    return [shares(count, sides) for count in counts]


def twin_request(cases: Sequence[Any]) -> dict[str, Any]:
    """What the twin is asked of respondents of one design, of Case or of Study."""
    first, design = cases[0], json.loads(parse_design(json.dumps(cases[0].design)).canonical)
    people = [{"group": case.group, "answers": case.answers} for case in cases]
    coins = {"sides": first.coin_sides, "bits": first.bits, "modulus": first.modulus}
    return {"design": design, "people": people, **coins}


def javascript_laws(cases: Sequence[Case], twin: Node, module: Path | None = None) -> list[Law]:
    reply = twin.ask("laws", module, **twin_request(cases))
    assert "counts" in reply, "coins were left over"
    return [shares(counts, cases[0].coin_sides) for counts in reply["counts"]]


def reloaded_laws(cases: Sequence[Case], twin: Node, module: Path | None = None) -> list[Law]:
    """The same after a reload: all tuples of coins for every way in which the first throw can draw."""
    reply = twin.ask("reloaded", module, **twin_request(cases), shuffles=cases[0].shuffles)
    assert "counts" in reply, "coins were left over"
    first = [cases[0].coin_sides[place] for place in cases[0].shuffles]
    return [shares(counts, [*first, *cases[0].coin_sides]) for counts in reply["counts"]]


def shares(counts: dict[str, int], sides: Sequence[int]) -> dict[str, Fraction]:
    assert sum(counts.values()) == prod(sides)
    return {text: Fraction(count, prod(sides)) for text, count in counts.items()}


each_design = pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.night if name in AT_NIGHT else ()) for name in ALL]
)


def laws_by_name(cases: list[Case], laws: Iterable[Law]) -> dict[str, Law]:
    return {case.name: law for case, law in zip(cases, laws, strict=True)}


@pytest.mark.at_push(5)
@each_design
def test_all_coins_in_python_give_the_stated_law(name: str) -> None:
    stated = laws_by_name(ALL[name], (case.stated_law for case in ALL[name]))
    assert laws_by_name(ALL[name], python_laws(ALL[name])) == stated


@pytest.mark.at_push(8)
@each_design
def test_all_coins_in_javascript_give_the_stated_law(name: str, disguise_js: Node) -> None:
    stated = laws_by_name(ALL[name], (case.stated_law for case in ALL[name]))
    assert laws_by_name(ALL[name], javascript_laws(ALL[name], disguise_js)) == stated


def test_the_law_of_one_limit_is_that_worked_by_hand_in_both_languages(disguise_js: Node) -> None:
    """Keep .3, the limit 5 is the highest number: below it the class [0, 1) goes out with .3 + .7/2."""
    (case,) = (case for case in NUMBERS if case.name == "one limit 1 [4]")
    assert python_laws([case]) == [{"0": Fraction(13, 20), "2": Fraction(7, 20)}]
    assert javascript_laws([case], disguise_js) == python_laws([case])


def test_all_coins_after_a_reload_give_the_stated_law(disguise_js: Node) -> None:
    laws = {case.name: reloaded_laws([case], disguise_js)[0] for case in RELOADED}
    assert laws == {case.name: case.stated_law for case in RELOADED}


def test_exact_law_covers_every_truth_of_three_questions() -> None:
    # Employed with 3 * 2 * 2 answers, or not with 3 * 2, theft being hidden.
    for name in ("three", "two of three", "one of three"):
        assert len({case.answers for case in ALL[name] if case.group == DISGUISED}) == 12 + 6
    assert len({case.answers for case in ALL["three"] if case.group == OPEN}) == 12 + 6


def test_every_word_gives_a_uniform_coin_in_both_languages(disguise_js: Node) -> None:
    """Words of 16 bits, in Python of 12, in whole rounds of n; what is left of them is thrown again."""
    for n in (1, 3, 10_000, 40_000, 65_535, 65_536):
        reply = disguise_js.ask("below", n=n, bits=16)
        assert set(reply["counts"]) == {65_536 // n}
        assert reply["again"] == 65_536 % n
    for n in (1, 3, 1_000, 2_500, 4_095, 4_096):
        drawn: Counter[int] = Counter()
        for word in range(4_096):
            with suppress(StopIteration):
                drawn[draw_below(n, RandomWords(12, iter([word]).__next__))] += 1
        assert drawn == dict.fromkeys(range(n), 4_096 // n)
