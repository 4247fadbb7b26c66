"""Arms, drawn questions, random order and crosswise questions: every coin, in both languages."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations, product
from math import prod
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from privacy.designs import parse_design
from privacy.mechanisms import simulated_device as exact_simulated
from privacy.mechanisms.disguise_by_given_coins import arm_from_coins, disguise
from privacy.mechanisms.random_draws import Coins, RandomWords, sides_of_coins
from privacy.records import encode_answers
from proof.record_probabilities import DISGUISED, OPEN, number_of_true_codes, record_law
from tests.privacy import questionnaires as q
from tests.privacy.conftest import Node, NodeError
from tests.privacy.mechanisms.test_exact_law import Case, twin_request
from tests.privacy.mechanisms.test_twin import choice_order, question_order

pytestmark = pytest.mark.proof

# The probability of each group and answer text by brute force.

StudyLaw = dict[tuple[int, str], Fraction]
"""Probability of each group and answer text of a record."""


def group_and_record_law(design: dict[str, Any], group: int, answers: Sequence[int | None]) -> StudyLaw:
    """Returns the probability of each group and answer text for a design with a direct arm, drawn or crosswise
    questions.

    Arm and drawn answers are drawn first. `group` is used only without arms; `answers` to drawn questions are ignored.
    """
    law: StudyLaw = {}
    questions = [question for section in design["sections"] for question in section["questions"]]
    direct = Fraction(design.get("direct", 0))
    arms = [(OPEN, direct), (DISGUISED, 1 - direct)] if direct else [(group, Fraction(1))]
    flipping = {**design, "sections": [_flipping_section(section) for section in design["sections"]]}
    for (arm, p_arm), (drawn, p_drawn) in product(arms, _drawn_answers(questions)):
        truth = [drawn.get(question["name"], code) for question, code in zip(questions, answers, strict=True)]
        for text, chance in record_law(flipping, arm, truth).items():
            law[arm, text] = law.get((arm, text), Fraction(0)) + p_arm * p_drawn * chance
    return law


def _drawn_answers(questions: list[dict[str, Any]]) -> Iterator[tuple[Mapping[str, int], Fraction]]:
    """Yields all combinations of answers to the questions that the device answers at random, with their probability."""
    drawn = [question for question in questions if question.get("form") == "drawn"]
    for codes in product(*(range(len(question["shares"])) for question in drawn)):
        chance = Fraction(1)
        for question, code in zip(drawn, codes, strict=True):
            chance *= Fraction(question["shares"][code])
        yield {question["name"]: code for question, code in zip(drawn, codes, strict=True)}, chance


def _flipping_section(section: dict[str, Any]) -> dict[str, Any]:
    """Converts a crosswise section to one that flips yes and no with the probability of the rarer answer
    to the secret."""
    if section["kind"] != "crosswise":
        return section
    (question,) = section["questions"]
    # Whether the secret or its opposite is asked, the answer differs from the truth as often as the rarer of both.
    flips = min(Fraction(question["share"]), 1 - Fraction(question["share"]))
    plain = {key: question[key] for key in ("name", "choices", "show_if") if key in question}
    noise = {**plain, "noise": ["1/2", "1/2"]}
    return {"kind": "unrelated-question", "keep": str(1 - 2 * flips), "questions": [noise]}


@dataclass(frozen=True, slots=True)
class Study:
    """One respondent of a design; `orders` are the numbers of what is in random order: blocks, then choices."""

    design: dict[str, Any]
    modulus: int
    group: int
    answers: tuple[int | None, ...]
    orders: tuple[int, ...] = ()

    @property
    def coin_sides(self) -> list[int]:
        """Of all coins, the secrets last."""
        questions = [each for section in self.design["sections"] for each in section["questions"]]
        sections = Case("", self.design, self.modulus, self.group, self.answers).coin_sides
        throws = [self.modulus] * (("direct" in self.design) + sum("shares" in each for each in questions))
        shuffles = [side for blocks in self.orders for side in range(blocks, 1, -1)]
        return [*sections, *throws, *shuffles, *[self.modulus] * sum("share" in each for each in questions)]

    @property
    def bits(self) -> int:
        return max(self.coin_sides).bit_length()

    @property
    def stated_law(self) -> StudyLaw:
        return group_and_record_law(self.design, self.group, self.answers)


def closed_design(*sections: dict[str, Any], **more: Any) -> dict[str, Any]:
    return q.make_design(*sections, open_answers=False, **more)


THEFT = q.question("theft", "0.4", "0.6")
IN_A, IN_B = {"show_if": {"version": ["a"]}}, {"show_if": {"version": ["b"]}}
MILD = {"name": "mild", "choices": ["no", "yes"], **IN_A}
TURNED = q.crosswise("drugs", "0.25", turned_by="version")
VERSION = q.drawn_question("version", *q.HALF)
ARMS = closed_design(q.sensitive("0.5", THEFT), direct="0.3")
VERSIONS = q.make_design(
    q.plain(q.drawn_question("version", "0.3", "0.7"), MILD), q.sensitive("0.5", {**THEFT, **IN_B})
)
RARE = q.make_design(q.crosswise("drugs", "0.2"))
FREQUENT = q.make_design(q.crosswise("drugs", "0.8"))
BOTH = q.make_design(q.plain(VERSION), TURNED)
HIDDEN_ARM = closed_design(
    q.plain(q.drawn_question("version", *q.HALF)), q.crosswise("drugs", "0.75", **IN_A), direct="0.5"
)
ROWS = {"choices": ["no", "partly", "yes"], "form": "scale", "of": "views"}
AGE, ANY_JOB = {"name": "age", "choices": ["young", "old"]}, {"name": "job", "choices": ["none", "some"]}
RANDOM = {"order": "random"}
ORDERED = q.plain(AGE, {"name": "views a", **ROWS}, {"name": "views b", **ROWS}, ANY_JOB) | RANDOM
JOB = {"name": "job", "choices": ["a", "b", "c", "none"], "form": "one", "shuffled": 3}
USE = [{"name": name, "choices": q.YES_NO, "form": "many", "of": "use"} for name in ("bus", "car", "else")]
SHUFFLED = q.plain(JOB, {**USE[0], "shuffled": 2}, *USE[1:]) | RANDOM
EVERYTHING = closed_design(
    q.plain(VERSION),
    q.sensitive("0.5", q.question("theft", *q.HALF), q.question("tax", *q.HALF), asked=1) | RANDOM,
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
    "ordered": [Study(q.make_design(ORDERED), 2, DISGUISED, (1, 2, 0, 1), (3,))],
    "shuffled": [Study(q.make_design(SHUFFLED), 2, DISGUISED, (3, 1, 0, 1), (2, 3, 2))],
}


def study_laws(studies: list[Study], simulated: ModuleType = exact_simulated) -> list[StudyLaw]:
    """For respondents of one design the share of coin tuples that give each group and answer text."""
    design, sides, bits = parse_design(json.dumps(studies[0].design)), studies[0].coin_sides, studies[0].bits
    counts: list[Counter[tuple[int, str]]] = [Counter() for _ in studies]
    for tuple_of_words in product(*map(range, sides)):
        for study, count in zip(studies, counts, strict=True):
            left = iter(tuple_of_words)
            words = RandomWords(bits, left.__next__)
            group, codes = simulated.simulate_respondent(
                design, study.group, study.answers, words, study.modulus
            )
            assert next(left, None) is None
            count[group, encode_answers(design, codes)] += 1
    return [{key: Fraction(n, prod(sides)) for key, n in count.items()} for count in counts]


def javascript_reply(studies: list[Study], twin: Node, module: Path | None = None) -> dict[str, Any]:
    reply: dict[str, Any] = twin.ask("studies", module, **twin_request(studies))
    return reply


def study_javascript_laws(studies: list[Study], twin: Node, module: Path | None = None) -> list[StudyLaw]:
    every = prod(studies[0].coin_sides)
    return [
        {(int(key[0]), key[2:]): Fraction(n, every) for key, n in counts.items()}
        for counts in javascript_reply(studies, twin, module)["counts"]
    ]


def python_orders(study: Study) -> tuple[Counter[tuple[int, ...]], Counter[tuple[tuple[int, ...], ...]]]:
    """How many tuples of the device's coins give each order of the questions, and each of their choices."""
    design = parse_design(json.dumps(study.design))
    tuples = [Coins(values, study.modulus) for values in product(*map(range, study.coin_sides))]
    places = range(len(design.questions))
    of_choices = (tuple(choice_order(design, of, at) for at in places) for of in tuples)
    return Counter(question_order(design, coins) for coins in tuples), Counter(of_choices)


def test_all_coins_give_the_stated_law_in_both_languages(
    subtests: pytest.Subtests, disguise_js: Node
) -> None:
    for name, studies in STUDIES.items():
        with subtests.test(name):
            stated = [study.stated_law for study in studies]
            assert study_laws(studies) == stated
            assert study_javascript_laws(studies, disguise_js) == stated


@pytest.mark.night
def test_all_coins_of_combined_studies_give_the_stated_law_in_both_languages(disguise_js: Node) -> None:
    studies = list(people(EVERYTHING, 4, (2,)))
    stated = [study.stated_law for study in studies]
    assert study_javascript_laws(studies, disguise_js) == stated
    assert study_laws(studies[:2]) == stated[:2]


def test_study_laws_by_hand() -> None:
    """Direct .3, else keep .5 and noise (.4, .6); crosswise shares .2 and .8; share .25 and versions of 1/2."""
    f = Fraction
    assert study_laws(STUDIES["arms"]) == [
        {(OPEN, "0"): f(3, 10), (DISGUISED, "0"): f(49, 100), (DISGUISED, "1"): f(21, 100)},
        {(OPEN, "1"): f(3, 10), (DISGUISED, "0"): f(14, 100), (DISGUISED, "1"): f(56, 100)},
    ]
    for name in ("a rare secret", "a frequent secret"):
        no, yes = study_laws([study for study in STUDIES[name] if study.group])
        assert no == {(1, "0"): f(4, 5), (1, "1"): f(1, 5)}
        assert yes == {(1, "0"): f(1, 5), (1, "1"): f(4, 5)}
    of_yes = [study for study in STUDIES["turned"] if (study.group, study.answers) == (1, (None, 1))]
    # A turned secret changes the word and not the law.
    no_and_yes = {"0": f(1, 8), "1": f(3, 8)}
    turned = {(1, version + said): no_and_yes[said] for version in "01" for said in "01"}
    assert study_laws(of_yes) == [turned]


def test_block_orders_are_equally_likely(disguise_js: Node) -> None:
    (study,) = STUDIES["ordered"]
    blocks = ((0,), (1, 2), (3,))
    expected = {tuple(place for block in order for place in block): 1 for order in permutations(blocks)}
    assert python_orders(study)[0] == expected
    in_javascript = javascript_reply([study], disguise_js)["orders"]
    assert in_javascript == {" ".join(map(str, order)): 1 for order in expected}


def test_choice_orders_are_equally_likely(disguise_js: Node) -> None:
    """By hand: 2 orders of the blocks, 6 of three choices, 2 of two options; the last choice and option stay."""
    (study,) = STUDIES["shuffled"]
    options = [(1, 2, 3), (2, 1, 3)]
    places = Counter({order: 6 for each in options for order in ((0, *each), (*each, 0))})
    codes = Counter({((*order, 3), (0, 1), (0, 1), (0, 1)): 4 for order in permutations(range(3))})
    assert python_orders(study) == (places, codes)
    reply = javascript_reply([study], disguise_js)
    assert reply["orders"] == {" ".join(map(str, order)): count for order, count in places.items()}
    said = {" ".join("".join(map(str, each)) for each in of): count for of, count in codes.items()}
    assert reply["codes"] == said


def test_design_coins_follow_section_coins_and_choice_coins_are_last() -> None:
    """A crosswise section has no coin on the tape."""
    (study,) = STUDIES["shuffled"]
    without = json.loads(parse_design(json.dumps(study.design)).canonical)
    for each in without["sections"][0]["questions"]:
        each.pop("shuffled", None)
    sides = [sides_of_coins(parse_design(json.dumps(of))) for of in (study.design, without, RARE, ARMS)]
    assert sides == [[2, 3, 2, 2], [2], [], [10_000] * 3]


def test_the_arm_is_the_only_source_of_the_group(disguise_js: Node) -> None:
    design, other = parse_design(json.dumps(ARMS)), "the random draws chose the other arm"
    for coin, arm in {0: OPEN, 2_999: OPEN, 3_000: DISGUISED, 9_999: DISGUISED}.items():
        coins = Coins((0, 0, coin))
        assert arm_from_coins(design, coins) == disguise(design, coins, arm, [1]).group == arm, coin
        assert q.refusal(disguise, design, coins, 1 - arm, [1]) == f"group: {other}"
        asked: dict[str, Any] = {"design": json.loads(design.canonical), "fingerprint": "", "answers": [1]}
        words: dict[str, Any] = {"words": coins.values, "bits": 32}
        assert json.loads(disguise_js.ask("record", **asked, **words, group=arm)["text"])["group"] == arm
        with pytest.raises(NodeError, match=other):
            disguise_js.ask("record", **asked, **words, group=1 - arm)
    assert arm_from_coins(parse_design(json.dumps(RARE)), Coins(())) is None
