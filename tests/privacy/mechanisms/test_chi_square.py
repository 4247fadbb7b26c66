"""Draws by the hundred thousand against the stated law, and mutants that must not pass for it."""

import json
from collections import Counter
from collections.abc import Sequence
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from scipy.special import chdtrc

from privacy.designs import parse_design
from privacy.kinds.grouped.simulation import GroupedSimulation
from privacy.kinds.place.simulation import PlaceSimulation
from privacy.mechanisms.disguise_by_given_coins import disguise
from privacy.mechanisms.random_draws import draw_coins, secure_words
from privacy.records import encode_answers
from privacy.simulation import disguise as vectorised
from proof.record_probabilities import record_law
from tests.privacy import questionnaires as q
from tests.privacy.conftest import Mutation, Node

pytestmark = pytest.mark.proof
OPEN, DISGUISED = 0, 1
WRITTEN = q.make_design(q.plain(q.WORK), q.sensitive("0.5", q.DRINK, q.THEFT_RULED, q.DRUGS, asked=2))
HIDDEN, NUMBER_HIDDEN, PLACE_HIDDEN = 3, 11, 9
"""The true codes of a question with two choices, of a number of ten and of a place of eight cells that do not apply."""
NUMBERS = q.make_design(
    q.plain(q.WORK),
    q.window("age", 7, 1, "0.3"),
    q.classes("debt", "0.5", 0, 3, 5, 9, rest=2, **q.IF_EMPLOYED),
)
EIGHT = [(0, 0), (1, 0), (2, 0), (0, 1), (1, 1), (2, 1), (1, 3), (5, 5)]
PLACES = q.make_design(
    q.plain(q.WORK), q.place("home", EIGHT, (0, 3, 4, 6), (1, 2), near=3, odds="3.00", **q.IF_EMPLOYED)
)
PLACES["sections"][1]["questions"][0]["regions"][1] |= {"near": 2, "odds": "4.00"}
TRUTHS = [
    (WRITTEN, DISGUISED, (0, 2, 1, 0)),
    (WRITTEN, DISGUISED, (0, 0, 0, 0)),
    (WRITTEN, DISGUISED, (1, 1, HIDDEN, 1)),
    (WRITTEN, OPEN, (0, 1, 1, 1)),
    (NUMBERS, DISGUISED, (0, 6, 4)),
    (NUMBERS, DISGUISED, (0, 3, 0)),
    (NUMBERS, DISGUISED, (1, 0, NUMBER_HIDDEN)),
    (NUMBERS, OPEN, (0, 2, 8)),
    (PLACES, DISGUISED, (0, 0)),
    (PLACES, DISGUISED, (0, 2)),
    (PLACES, DISGUISED, (0, 7)),
    (PLACES, DISGUISED, (1, PLACE_HIDDEN)),
    (PLACES, OPEN, (0, 1)),
]
QUESTIONNAIRES = {"grouped": WRITTEN, "numbers": NUMBERS, "places": PLACES}
LIMIT = 1e-6
MOST_CODES = 32


def p_value(counts: dict[str, int], of: dict[str, Any], group: int, truth: Sequence[int]) -> float:
    """Pearson's test; a record that the law does not know at all has probability 0."""
    law = record_law(of, group, truth)
    if counts.keys() - law.keys():
        return 0.0
    if len(law) == 1:
        return 1.0
    n = sum(counts.values())
    expected = {text: float(n * probability) for text, probability in law.items()}
    statistic = sum((counts.get(text, 0) - due) ** 2 / due for text, due in expected.items())
    return float(chdtrc(len(law) - 1, statistic))


def numpy_counts(
    module: ModuleType, of: dict[str, Any], group: int, truth: Sequence[int], seed: int
) -> dict[str, int]:
    n, design = 1_000_000, parse_design(json.dumps(of))
    truths, groups = np.tile(np.array(truth, np.uint8)[:, None], n), np.full(n, group, np.uint8)
    codes = module.disguise(design, groups, truths, np.random.default_rng(seed))
    # All questions have fewer codes than MOST_CODES.
    places = MOST_CODES ** np.arange(len(truth))[::-1]
    counts = np.bincount(places @ codes.astype(np.int64))
    return {
        encode_answers(design, (record // places % MOST_CODES).tolist()): int(counts[record])
        for record in np.flatnonzero(counts)
    }


@pytest.mark.at_push(3)
@pytest.mark.parametrize(("of", "group", "truth"), TRUTHS)
def test_a_million_records_from_numpy_follow_the_law(
    of: dict[str, Any], group: int, truth: tuple[int, ...]
) -> None:
    assert p_value(numpy_counts(vectorised, of, group, truth, seed=3), of, group, truth) > LIMIT


def people_of(of: dict[str, Any]) -> list[tuple[int, tuple[int, ...]]]:
    return [(group, truth) for other, group, truth in TRUTHS if other is of]


FROM_THE_SOURCE = {"grouped": 8_000, "numbers": 20_000, "places": 20_000}
"""That all coins give the law is counted elsewhere; here the source is judged. Words of 16 bits in the place of 32 were
found with grouped questions in all of eight simulated runs of 8,000 to 12,000 records, at p < 3e-11."""
AT_NIGHT = (pytest.param(name, marks=pytest.mark.night) for name in ("numbers", "places"))
each_questionnaire = pytest.mark.parametrize("name", ["grouped", *AT_NIGHT])


@each_questionnaire
def test_records_from_the_secure_source_in_python_follow_the_law(name: str) -> None:
    """Everybody who answers a questionnaire gets the same coins."""
    of = QUESTIONNAIRES[name]
    words, design = secure_words(), parse_design(json.dumps(of))
    people = people_of(of)
    counts: list[Counter[str]] = [Counter() for _person in people]
    for _record in range(FROM_THE_SOURCE[name]):
        coins = draw_coins(design, words)
        for person, count in zip(people, counts, strict=True):
            count[disguise(design, coins, *person).answers] += 1
    for person, count in zip(people, counts, strict=True):
        assert p_value(count, of, *person) > LIMIT, person


@each_questionnaire
def test_records_from_the_secure_source_in_javascript_follow_the_law(name: str, disguise_js: Node) -> None:
    of = QUESTIONNAIRES[name]
    design = json.loads(parse_design(json.dumps(of)).canonical)
    people = [{"group": group, "answers": truth} for group, truth in people_of(of)]
    counts = disguise_js.ask("draws", design=design, n=FROM_THE_SOURCE[name], people=people)["counts"]
    for person, count in zip(people_of(of), counts, strict=True):
        assert sum(count.values()) == FROM_THE_SOURCE[name]
        assert p_value(count, of, *person) > LIMIT, person


# Modulo instead of rejection is missing: at 32 bits it moves a coin by one in a million, which no draw of this
# size shows, and numpy throws its coins itself. The exhaustive test of all words catches it.
LOOP = "        for question, true, row in zip(section.questions, truth, codes, strict=True):\n"
SHARED = (LOOP, f"        shared = _throw_coins(n, rng)\n{LOOP}")
ONE_COIN = ("_noise_codes(question, _throw_coins(n, rng))", "_noise_codes(question, shared)")
GROUPED_MUTANTS: dict[str, tuple[int, tuple[str, ...]]] = {
    "p + .01": (0, ("< section.keep_parts", "< section.keep_parts + 100")),
    "theta + .01": (0, (">= question.cumulative[0]", ">= question.cumulative[0] - 100")),
    "one coin for all questions": (0, (*SHARED, *ONE_COIN)),
    "one question never randomised": (
        0,
        ("_codes(row, replaced,", "_codes(row, replaced & (question is not section.questions[0]),"),
    ),
    "not applicable wins over not asked": (
        2,
        ("_codes(row, ~next(drawn),", "_codes(row, ~next(drawn) & (true != question.not_applicable),"),
    ),
    "the group ignored": (3, ("~(is_open | (", "~((is_open & False) | (")),
}
PLACE_MUTANTS: dict[str, tuple[int, tuple[str, ...]]] = {
    "never anywhere": (8, ("coins < law.near_excess, nearby", "coins < law.coin_sides, nearby")),
    "the first cell for any": (
        10,
        ("law.cells_in_regions)[np.maximum(", "law.cells_in_regions)[0 * np.maximum("),
    ),
    "the farthest cells are near": (8, ("np.argpartition(order, level.near - 1)", "np.argsort(-order)")),
    "the level of the question": (9, ("counts[cells] = level.near", "counts[cells] = law.levels[0].near")),
    "the nearest cell alone": (8, (" * counts[true] // law.near_excess", " * 0")),
    "outside as inside": (10, ("near[:, 0] = np.arange(len(points))", "near[:, 0] = 0")),
}
"""By the mistake whose records show it, by their place among TRUTHS, and the pieces of the source before and after."""


@pytest.mark.at_push(2)
@pytest.mark.parametrize("name", [*GROUPED_MUTANTS, *PLACE_MUTANTS])
def test_chi_square_test_detects_the_mutant(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    of, kind = (GroupedSimulation, "grouped") if name in GROUPED_MUTANTS else (PlaceSimulation, "place")
    file, (place, pieces) = f"privacy/kinds/{kind}/simulation.py", (GROUPED_MUTANTS | PLACE_MUTANTS)[name]
    Mutation(file, tuple(zip(pieces[::2], pieces[1::2], strict=True))).patch(monkeypatch, of)
    person = TRUTHS[place]
    assert p_value(numpy_counts(vectorised, *person, seed=1), *person) <= LIMIT
