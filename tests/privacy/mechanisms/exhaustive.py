"""Every coin tuple of a small design, through the whole road from words to record."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from math import prod
from pathlib import Path
from types import ModuleType
from typing import Any

from privacy.designs import parse
from privacy.mechanisms import (
    disguise as exact_disguise,
    random_draws as exact_coins,
    simulated_device as exact_simulated,
)
from privacy.mechanisms.disguise import choice_order_from_coins, question_order_from_coins
from privacy.mechanisms.random_draws import Coins, RandomWords
from privacy.records import encode_answers
from proof.record_probabilities import (
    DISGUISED,
    OPEN,
    StudyLaw,
    hidden_questions,
    number_of_true_codes,
    place_weights,
    record_law,
    study_law,
    widest_class_span,
)
from tests.privacy.node import Node
from tests.privacy.questionnaires import (
    HALF,
    IF_EMPLOYED,
    MIXED,
    ONE,
    ROTATING,
    TWO,
    WORK,
    classes,
    crosswise,
    drawn,
    place,
    plain,
    question,
    sensitive,
    window,
    written,
)


@dataclass(frozen=True, slots=True)
class Case:
    """One respondent of a small design, with coins of so many sides that all tuples can be tried."""

    name: str
    design: dict[str, Any]
    modulus: int
    group: int
    answers: tuple[int | None, ...]

    @property
    def sides(self) -> list[int]:
        sides: list[int] = []
        for section in self.design["sections"]:
            if section["kind"] == "number":
                sides += self._sides_of_number(section["questions"][0])
            elif section["kind"] == "place":
                sides.append(sum(place_weights(section["questions"][0], 0)))
            elif section["kind"] not in ("plain", "crosswise"):
                n = len(section["questions"])
                asked = section.get("asked", n)
                sides += [n - i for i in range(asked)] if asked < n else []
                sides += [self.modulus] * (1 + n)
        return sides

    def _sides_of_number(self, question: dict[str, Any]) -> list[int]:
        if question["law"] == "window":
            return [self.modulus, 2 * question["window"] + 1, question["values"]]
        n, m = len(question["limits"]), question["cuts"]
        shuffle = [n - place for place in range(m)] if m < n else []
        rest = [20, widest_class_span(question), self.modulus, 2] if question["rest"] else []
        return [*shuffle, self.modulus, m + 1, *rest]

    @property
    def shuffles(self) -> list[int]:
        """Which of these coins draw what a person is asked; those of numbers and places show nowhere."""
        found: list[int] = []
        at = 0
        for section in self.design["sections"]:
            if section["kind"] == "number":
                at += len(self._sides_of_number(section["questions"][0]))
            elif section["kind"] == "place":
                at += 1
            elif section["kind"] != "plain":
                n = len(section["questions"])
                asked = section.get("asked", n)
                found += range(at, at + asked) if asked < n else []
                at += (asked if asked < n else 0) + 1 + n
        return found

    @property
    def bits(self) -> int:
        """Words just wide enough that every word below n is the coin itself."""
        return max(self.sides).bit_length()

    @property
    def stated(self) -> dict[str, Fraction]:
        return record_law(self.design, self.group, self.answers)


def cases(name: str, design: dict[str, Any], modulus: int = 10) -> Iterator[Case]:
    """All true answers of all groups."""
    questions = [question for section in design["sections"] for question in section["questions"]]
    for group, *answers in product((OPEN, DISGUISED), *(range(number_of_true_codes(of)) for of in questions)):
        yield Case(f"{name} {group} {answers}", design, modulus, group, tuple(answers))


def unlike(name: str, design: dict[str, Any], modulus: int = 10) -> list[Case]:
    """Of these, each once: what a rule hides makes no difference, and is left out."""
    questions = [question for section in design["sections"] for question in section["questions"]]
    found: dict[tuple[int, tuple[int | None, ...]], Case] = {}
    for case in cases(name, design, modulus):
        hidden = hidden_questions(questions, case.answers)
        shown = tuple(None if place in hidden else code for place, code in enumerate(case.answers))
        found.setdefault(
            (case.group, shown), replace(case, name=f"{name} {case.group} {list(shown)}", answers=shown)
        )
    return list(found.values())


def without_hidden(name: str, design: dict[str, Any], modulus: int = 10) -> list[Case]:
    """Those of whom a rule hides something; what it hides is left out."""
    return [case for case in unlike(name, design, modulus) if None in case.answers]


def fewer_open(cases: list[Case]) -> list[Case]:
    """Of those who answer openly one in four: no coin but those of the shuffle can change what they send."""
    opened = [case for case in cases if case.group == OPEN]
    return [*(case for case in cases if case.group != OPEN), *opened[::4]]


def three(**more: Any) -> dict[str, Any]:
    """All probabilities are fifths, so that coins of five sides suffice: 5^4 tuples of these in the place of 10^4."""
    questions = (
        question("drink", "0.2", "0.2", "0.6"),
        question("theft", "0.4", "0.6", **IF_EMPLOYED),
        question("drugs", "0.8", "0.2"),
    )
    return written(plain(WORK), sensitive("0.6", *questions, **more))


TWO_SECTIONS = written(
    sensitive("0.4", question("theft", "0.4", "0.6")), sensitive("0.8", question("drugs", "0.6", "0.4"))
)
WINDOW = written(window("age", 7, 1, "0.3"))
ONE_LIMIT = written(classes("debt", "0.3", 0, 5))
TWO_OF_THREE = written(classes("debt", "0.5", 0, 1, 3, 4, cuts=2))
REST = written(classes("debt", "0.5", 0, 2, 5, rest=4))
STEPPED = written(
    plain(WORK), classes("debt", "0.5", -4, 0, 2, step=2, rest=2, **IF_EMPLOYED), window("age", 3, 0, "0.5")
)
LINE = [(x, 0) for x in range(6)]
BORDER = written(place("home", LINE, (0, 1, 2), (3, 4), near=2, odds="3.50"))
"""Two regions that touch, and one cell outside: the near cells of cell 2 are 2 and 1, not 3."""
TIED = written(place("home", [(0, 1), (1, 0), (0, 0), (0, -1), (9, 9)], (3, 2, 1, 0), near=3, odds="1.01"))
"""Of three cells as far from the third as each other, the first two are near."""
LEVELS = written(
    plain(WORK),
    place(
        "home",
        [(0, 0), (2, 0), (40, 0), (1, 1), (3, 1), (2, 3)],
        (0, 2, 4),
        (1, 3, 5),
        near=1,
        odds="4.00",
        **IF_EMPLOYED,
    ),
)
LEVELS["sections"][1]["questions"][0]["regions"][1] |= {"near": 3, "odds": "2.00"}
"""No cell outside; both regions are in pieces, and the second has a level of its own."""
HIDDEN_AND_OPEN = Case("rotating, hidden, open", ROTATING, 10, OPEN, (1, 1, 0))
QUICK = [
    Case("fine", ONE, 100, DISGUISED, (1,)),
    *cases("two", TWO),
    Case("mixed", MIXED, 10, DISGUISED, (2, 0)),
    Case("rotating, shown", ROTATING, 10, DISGUISED, (0, 1, 1)),
    Case("rotating, hidden", ROTATING, 10, DISGUISED, (1, None, 0)),
    HIDDEN_AND_OPEN,
]
MIXED_WITH_NUMBER = written(
    sensitive("0.5", question("theft", *HALF), question("drugs", *HALF), asked=1),
    classes("debt", "0.5", 0, 1, 3),
)
MIXED_WITH_PLACE = written(
    sensitive("0.5", question("theft", *HALF), question("drugs", *HALF), asked=1),
    place("home", LINE[:3], (0, 1), odds="1.50"),
)
RELOADED = [
    Case("two", TWO, 10, DISGUISED, (1, 0)),
    Case("mixed", MIXED, 10, DISGUISED, (2, 0)),
    Case("rotating, shown", ROTATING, 10, DISGUISED, (0, 1, 1)),
    Case("rotating, hidden", ROTATING, 10, DISGUISED, (1, None, 0)),
    Case("one of three", three(asked=1), 5, DISGUISED, (0, 1, 0, 1)),
    Case("window", WINDOW, 10, DISGUISED, (2,)),
    Case("rest", REST, 2, DISGUISED, (4,)),
    Case("one of two and a number", MIXED_WITH_NUMBER, 2, DISGUISED, (1, 0, 2)),
    Case("place", BORDER, 10, DISGUISED, (2,)),
    Case("one of two and a place", MIXED_WITH_PLACE, 2, DISGUISED, (1, 0, 1)),
]
ALL = {
    "fine": unlike("fine", ONE, 20),
    "two": list(cases("two", TWO)),
    "mixed": unlike("mixed", MIXED),
    "two sections": unlike("two sections", TWO_SECTIONS, 5),
    "rotating": [*unlike("rotating", ROTATING), HIDDEN_AND_OPEN],
    "three": unlike("three", three(), 5),
    "two of three": fewer_open(unlike("two of three", three(asked=2), 5)),
    "one of three": fewer_open(unlike("one of three", three(asked=1), 5)),
    "window": list(cases("window", WINDOW)),
    "one limit": list(cases("one limit", ONE_LIMIT)),
    "two of three limits": list(cases("two of three limits", TWO_OF_THREE, 2)),
    "rest": list(cases("rest", REST, 2)),
    "stepped": fewer_open(unlike("stepped", STEPPED, 2)),
    "border": list(cases("border", BORDER)),
    "tied": list(cases("tied", TIED)),
    "levels": [*cases("levels", LEVELS), *without_hidden("levels", LEVELS)],
    "with a place": fewer_open(unlike("with a place", MIXED_WITH_PLACE, 2)),
    "with a number": unlike("with a number", MIXED_WITH_NUMBER, 2),
}
"""All truths of each design; openly fewer where there are many."""
NUMBERS = [
    case for name in ("window", "one limit", "two of three limits", "rest", "stepped") for case in ALL[name]
]
PLACES = [case for name in ("border", "tied", "levels") for case in ALL[name]]
AT_NIGHT = ("two of three", "one of three", "stepped")

Law = dict[str, Fraction]


def python_laws(
    cases: Sequence[Case], coins: ModuleType = exact_coins, disguise: ModuleType = exact_disguise
) -> list[Law]:
    """For cases of one design, the share of coin tuples that give each answer text; each tuple is thrown once."""
    sides, bits, modulus = cases[0].sides, cases[0].bits, cases[0].modulus
    design = parse(json.dumps(cases[0].design))
    counts: list[Counter[str]] = [Counter() for _ in cases]
    for tuple_of_words in product(*map(range, sides)):
        left = iter(tuple_of_words)
        thrown = coins.draw_coins(design, coins.RandomWords(bits, left.__next__), modulus)
        assert next(left, None) is None
        for case, count in zip(cases, counts, strict=True):
            count[disguise.disguise(design, thrown, case.group, case.answers).answers] += 1
    return [shares(count, sides) for count in counts]


def asking(cases: Sequence[Case]) -> dict[str, Any]:
    return {
        "design": json.loads(parse(json.dumps(cases[0].design)).canonical),
        "sides": cases[0].sides,
        "bits": cases[0].bits,
        "modulus": cases[0].modulus,
        "people": [{"group": case.group, "answers": case.answers} for case in cases],
    }


def javascript_laws(cases: Sequence[Case], twin: Node, module: Path | None = None) -> list[Law]:
    reply = twin.ask("laws", module, **asking(cases))
    assert "counts" in reply, "coins were left over"
    return [shares(counts, cases[0].sides) for counts in reply["counts"]]


def reloaded_laws(cases: Sequence[Case], twin: Node, module: Path | None = None) -> list[Law]:
    """The same after a reload: all tuples of coins for every way in which the first throw can draw."""
    reply = twin.ask("reloaded", module, **asking(cases), shuffles=cases[0].shuffles)
    assert "counts" in reply, "coins were left over"
    first = [cases[0].sides[place] for place in cases[0].shuffles]
    return [shares(counts, [*first, *cases[0].sides]) for counts in reply["counts"]]


def shares(counts: dict[str, int], sides: Sequence[int]) -> dict[str, Fraction]:
    assert sum(counts.values()) == prod(sides)
    return {text: Fraction(count, prod(sides)) for text, count in counts.items()}


# Small designs with arms, drawn questions, random order and crosswise questions, coin by coin.


@dataclass(frozen=True, slots=True)
class Study:
    """One respondent of a design; `orders` are the numbers of what is in random order: blocks, then choices."""

    design: dict[str, Any]
    modulus: int
    group: int
    answers: tuple[int | None, ...]
    orders: tuple[int, ...] = ()

    @property
    def sides(self) -> list[int]:
        """Of all coins, the secrets last."""
        questions = [each for section in self.design["sections"] for each in section["questions"]]
        sections = Case("", self.design, self.modulus, self.group, self.answers).sides
        throws = [self.modulus] * (("direct" in self.design) + sum("shares" in each for each in questions))
        shuffles = [side for blocks in self.orders for side in range(blocks, 1, -1)]
        return [*sections, *throws, *shuffles, *[self.modulus] * sum("share" in each for each in questions)]

    @property
    def bits(self) -> int:
        return max(self.sides).bit_length()

    @property
    def stated(self) -> StudyLaw:
        return study_law(self.design, self.group, self.answers)


def closed(*sections: dict[str, Any], **more: Any) -> dict[str, Any]:
    return written(*sections, open_answers=False, **more)


THEFT = question("theft", "0.4", "0.6")
IN_A, IN_B = {"show_if": {"version": ["a"]}}, {"show_if": {"version": ["b"]}}
MILD = {"name": "mild", "choices": ["no", "yes"], **IN_A}
TURNED = crosswise("drugs", "0.25", turned_by="version")
VERSION = drawn("version", *HALF)
ARMS = closed(sensitive("0.5", THEFT), direct="0.3")
VERSIONS = written(plain(drawn("version", "0.3", "0.7"), MILD), sensitive("0.5", {**THEFT, **IN_B}))
RARE = written(crosswise("drugs", "0.2"))
FREQUENT = written(crosswise("drugs", "0.8"))
BOTH = written(plain(VERSION), TURNED)
HIDDEN_ARM = closed(plain(drawn("version", *HALF)), crosswise("drugs", "0.75", **IN_A), direct="0.5")
ROWS = {"choices": ["no", "partly", "yes"], "form": "scale", "of": "views"}
ORDERED = {
    **plain(
        {"name": "age", "choices": ["young", "old"]},
        {"name": "views a", **ROWS},
        {"name": "views b", **ROWS},
        {"name": "job", "choices": ["none", "some"]},
    ),
    "order": "random",
}
SHUFFLED = {
    **plain(
        {"name": "job", "choices": ["a", "b", "c", "none"], "form": "one", "shuffled": 3},
        {"name": "bus", "choices": ["no", "yes"], "form": "many", "of": "use", "shuffled": 2},
        {"name": "car", "choices": ["no", "yes"], "form": "many", "of": "use"},
        {"name": "else", "choices": ["no", "yes"], "form": "many", "of": "use"},
    ),
    "order": "random",
}
EVERYTHING = closed(
    plain(VERSION),
    {**sensitive("0.5", question("theft", *HALF), question("tax", *HALF), asked=1), "order": "random"},
    TURNED,
    direct="0.5",
)


def people(design: dict[str, Any], modulus: int, orders: tuple[int, ...] = ()) -> Iterator[Study]:
    """All true answers of all groups; the lot answers a drawn question."""
    questions = [each for section in design["sections"] for each in section["questions"]]
    groups = (OPEN, DISGUISED) if design["open_answers"] else (DISGUISED,)
    ranges = (range(number_of_true_codes(each)) if "shares" not in each else (None,) for each in questions)
    for group, answers in product(groups, product(*ranges)):
        yield Study(design, modulus, group, answers, orders)


STUDIES = {
    "arms": list(people(ARMS, 10)),
    "versions": list(people(VERSIONS, 10)),
    "a rare secret": list(people(RARE, 5)),
    "a frequent secret": list(people(FREQUENT, 5)),
    "turned": list(people(BOTH, 4)),
    "hidden": list(people(HIDDEN_ARM, 4)),
    "ordered": [Study(written(ORDERED), 2, DISGUISED, (1, 2, 0, 1), (3,))],
    "shuffled": [Study(written(SHUFFLED), 2, DISGUISED, (3, 1, 0, 1), (2, 3, 2))],
}
LONG = {"everything": list(people(EVERYTHING, 4, (2,)))}


def study_laws(studies: list[Study], simulated: ModuleType = exact_simulated) -> list[StudyLaw]:
    """For respondents of one design the share of coin tuples that give each group and answer text."""
    design, sides, bits = parse(json.dumps(studies[0].design)), studies[0].sides, studies[0].bits
    counts: list[Counter[tuple[int, str]]] = [Counter() for _ in studies]
    for tuple_of_words in product(*map(range, sides)):
        for study, count in zip(studies, counts, strict=True):
            left = iter(tuple_of_words)
            words = RandomWords(bits, left.__next__)
            group, codes = simulated.simulated_codes(design, study.group, study.answers, words, study.modulus)
            assert next(left, None) is None
            count[group, encode_answers(design, codes)] += 1
    return [{key: Fraction(n, prod(sides)) for key, n in count.items()} for count in counts]


def javascript_reply(studies: list[Study], twin: Node, module: Path | None = None) -> dict[str, Any]:
    first = studies[0]
    reply: dict[str, Any] = twin.ask(
        "studies",
        module,
        design=json.loads(parse(json.dumps(first.design)).canonical),
        sides=first.sides,
        bits=first.bits,
        modulus=first.modulus,
        people=[{"group": study.group, "answers": study.answers} for study in studies],
    )
    return reply


def study_javascript_laws(studies: list[Study], twin: Node, module: Path | None = None) -> list[StudyLaw]:
    every = prod(studies[0].sides)
    return [
        {(int(key[0]), key[2:]): Fraction(n, every) for key, n in counts.items()}
        for counts in javascript_reply(studies, twin, module)["counts"]
    ]


def python_orders(study: Study) -> Counter[tuple[int, ...]]:
    """How many tuples of the device's coins give each order; the design has no secrets."""
    design = parse(json.dumps(study.design))
    tuples = product(*map(range, study.sides))
    return Counter(question_order_from_coins(design, Coins(values, study.modulus)) for values in tuples)


def python_codes(study: Study) -> Counter[tuple[tuple[int, ...], ...]]:
    """How many tuples give each order of the choices of all questions."""
    design = parse(json.dumps(study.design))
    tuples = product(*map(range, study.sides))
    made = (Coins(values, study.modulus) for values in tuples)
    return Counter(
        tuple(choice_order_from_coins(design, coins, place) for place in range(len(design.questions)))
        for coins in made
    )
