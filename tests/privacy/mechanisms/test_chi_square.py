"""Draws by the hundred thousand against the stated law, and mutants that must not pass for it."""

import json
from collections import Counter
from collections.abc import Sequence
from types import ModuleType

import numpy as np
import pytest
from scipy.special import chdtrc

from privacy.designs import parse
from privacy.mechanisms.coins import draw_coins, secure_words
from privacy.mechanisms.disguise import disguise
from privacy.simulation import disguise as vectorised
from tests.privacy.law import record_law
from tests.privacy.mutation import Mutation
from tests.privacy.node import Node
from tests.privacy.questionnaires import HALF, IF_EMPLOYED, THIRDS, WORK, plain, question, sensitive, written

OPEN, DISGUISED = 0, 1
WRITTEN = written(
    plain(WORK),
    sensitive(
        "0.5",
        question("drink", *THIRDS),
        question("theft", "0.4", "0.6", **IF_EMPLOYED),
        question("drugs", *HALF),
        asked=2,
    ),
)
DESIGN = parse(json.dumps(WRITTEN))
HIDDEN = 3  # the code of "not applicable" of a question with two choices
TRUTHS = [
    (DISGUISED, (0, 2, 1, 0)),
    (DISGUISED, (0, 0, 0, 0)),
    (DISGUISED, (1, 1, HIDDEN, 1)),
    (OPEN, (0, 1, 1, 1)),
]
LIMIT = 1e-6


def p_value(counts: dict[str, int], group: int, truth: Sequence[int]) -> float:
    """Pearson's test; a record that the law does not know at all has probability 0."""
    law = record_law(WRITTEN, group, truth)
    if counts.keys() - law.keys():
        return 0.0
    n = sum(counts.values())
    expected = {text: float(n * probability) for text, probability in law.items()}
    statistic = sum((counts.get(text, 0) - due) ** 2 / due for text, due in expected.items())
    return float(chdtrc(len(law) - 1, statistic))


def numpy_counts(module: ModuleType, group: int, truth: Sequence[int], seed: int) -> dict[str, int]:
    n = 1_000_000
    codes = module.disguise(
        DESIGN,
        np.full(n, group, np.uint8),
        np.tile(np.array(truth, np.uint8)[:, None], n),
        np.random.default_rng(seed),
    )
    # All four questions have codes of one digit.
    index = np.zeros(n, np.uint16)
    for row in codes:
        index = index * np.uint16(10) + row
    return {f"{text:04d}": int(count) for text, count in enumerate(np.bincount(index)) if count}


@pytest.mark.parametrize(("group", "truth"), TRUTHS)
def test_a_million_records_from_numpy_follow_the_law(group: int, truth: tuple[int, ...]) -> None:
    assert p_value(numpy_counts(vectorised, group, truth, seed=3), group, truth) > LIMIT


@pytest.mark.slow
@pytest.mark.parametrize(("group", "truth"), TRUTHS)
def test_60_000_records_from_the_secure_source_in_python_follow_the_law(
    group: int, truth: tuple[int, ...]
) -> None:
    words = secure_words()
    counts = Counter(disguise(DESIGN, draw_coins(DESIGN, words), group, truth).answers for _ in range(60_000))
    assert p_value(counts, group, truth) > LIMIT


@pytest.mark.slow
@pytest.mark.parametrize(("group", "truth"), TRUTHS)
def test_100_000_records_from_the_secure_source_in_javascript_follow_the_law(
    group: int, truth: tuple[int, ...], twin: Node
) -> None:
    design = json.loads(DESIGN.canonical)
    counts = twin.ask("draws", design=design, n=100_000, group=group, answers=truth)["counts"]
    assert p_value(counts, group, truth) > LIMIT


# Modulo instead of rejection is missing: at 32 bits it moves a coin by one in a million, which no draw of this
# size shows, and numpy throws its coins itself. The exhaustive test of all words catches it.
FILE = "privacy/kinds/grouped/simulation.py"
LOOP = "    for question, true, row in zip(section.questions, truth, codes, strict=True):\n"
MUTANTS = {
    "p + .01": (Mutation(FILE, (("< section.keep_parts", "< section.keep_parts + 100"),)), 0),
    "theta + .01": (Mutation(FILE, ((">= question.cumulative[0]", ">= question.cumulative[0] - 100"),)), 0),
    "one coin for all questions": (
        Mutation(
            FILE,
            (
                (LOOP, f"    shared = _coins(n, rng)\n{LOOP}"),
                ("_noise(question, _coins(n, rng))", "_noise(question, shared)"),
            ),
        ),
        0,
    ),
    "one question never randomised": (
        Mutation(
            FILE,
            (("_put(row, replaced,", "_put(row, replaced & (question is not section.questions[0]),"),),
        ),
        0,
    ),
    "not applicable wins over not asked": (
        Mutation(
            FILE,
            (("_put(row, ~next(drawn),", "_put(row, ~next(drawn) & (true != question.not_applicable),"),),
        ),
        2,
    ),
    "the group ignored": (Mutation(FILE, (("~(is_open | (", "~((is_open & False) | ("),)), 3),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", MUTANTS)
def test_the_chi_square_catches_the_mutant_in_ten_of_ten_runs(name: str) -> None:
    mutation, place = MUTANTS[name]
    mutant = mutation.within("privacy/simulation/disguise.py", "SIMULATIONS", "unrelated-question")
    group, truth = TRUTHS[place]
    caught = sum(
        p_value(numpy_counts(mutant, group, truth, seed), group, truth) <= LIMIT for seed in range(10)
    )
    assert caught == 10
