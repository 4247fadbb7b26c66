"""Records of the device of `classes`, counted, against the table that mining estimates from."""

from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import chdtrc

from privacy.grammar.json_node import PARTS
from privacy.kinds.number.classes.scores import score_table
from privacy.kinds.number.classes.section import REST_PARTS, ClassesSection
from tests.privacy.questionnaires import classes, design

pytestmark = pytest.mark.proof
DESIGNS = {
    "one limit": classes("a", "0.5", 0, 4, 9),
    "two limits, one drawn": classes("a", "0.5", 0, 1, 2),
    "four even limits": classes("a", "0.3333", 0, 2, 4, 6, 8, 10, cuts=3),
    "uneven limits and a rest": classes(
        "a", "0.5555", 0, 1, 2, 4, 10, 20, cuts=4, rest=4, keep_rest="0.7142"
    ),
    "steps of five below zero": classes(
        "a", "0.25", -40, -20, -10, 0, 25, step=5, cuts=2, rest=10, keep_rest="0.5"
    ),
    "nine limits": classes("a", "0.45", *range(11), cuts=5),
    "all nine limits": classes("a", "0.8275", *range(11), cuts=9),
    "a little kept": classes("a", "0.01", *range(7), cuts=2),
    "twenty limits": classes("a", "0.25", *range(0, 42, 2), cuts=5, rest=1, keep_rest="0.5"),
    "almost all kept": classes("a", "0.98", *range(0, 10, 3), cuts=1, rest=2, keep_rest="0.99"),
}
LIMIT = 1e-6
FEWEST = 5
"""Of each class, codes of which fewer are expected are taken together."""
SEED = 17


def section_of(name: str) -> ClassesSection:
    (section,) = design(DESIGNS[name]).sections
    assert isinstance(section, ClassesSection)
    return section


@cache
def counted(name: str, n: int) -> NDArray[np.int64]:
    """By class and code the disguised records of n people, with all numbers as likely."""
    section = section_of(name)
    question, rng = section.question, np.random.default_rng(SEED)
    true = rng.integers(0, question.true_codes, n)
    coins = np.stack([rng.integers(0, side, n) for side in section.sides_of_coins(PARTS)], axis=1)
    sent: list[int] = []
    for answer, thrown in zip(true.tolist(), coins.tolist(), strict=True):
        codes: list[int] = []
        section.disguise(thrown, PARTS, False, [answer], codes)
        sent += codes
    width = question.n_intervals + 2
    own = class_of_codes(section)[true]
    return np.bincount(own * width + sent, minlength=question.classes * width).reshape(-1, width)


def class_of_codes(section: ClassesSection) -> NDArray[np.int64]:
    """Of each number, by its true code."""
    question = section.question
    numbers = question.low + question.step * np.arange(question.true_codes)
    return np.asarray((numbers[:, None] >= np.array(question.limits)).sum(axis=1))


def expected(section: ClassesSection, keep_parts: int) -> NDArray[np.float64]:
    """How likely each code is, by class, where the numbers of a class are as likely."""
    question, law = section.question, section.law
    table = score_table(law.limits, law.cuts, Fraction(keep_parts, PARTS)).chance
    r = question.rest / REST_PARTS
    found = np.zeros((question.classes, question.n_intervals + 2))
    found[:, :-2] = (1 - r) * table
    if r:
        numbers, own = np.arange(question.true_codes) * question.step, class_of_codes(section)
        assert law.rest_keep is not None
        kept = float(law.rest_keep)
        for one in range(question.classes):
            mine = numbers[own == one]
            inside = (mine - mine.min()).mean() / question.span
            found[one, -1] = r * (kept * inside + (1 - kept) / 2)
            found[one, -2] = r - found[one, -1]
    return found


def p_value(counts: NDArray[np.int64], chance: NDArray[np.float64]) -> float:
    """Pearson's test within each class; a code that the law never sends has the p-value 0."""
    statistic, freedom = 0.0, 0
    for row, law in zip(counts, chance, strict=True):
        if row[law == 0].any():
            return 0.0
        due = row.sum() * law
        rare = due < FEWEST
        seen, due = np.append(row[~rare], row[rare].sum()), np.append(due[~rare], due[rare].sum())
        used = due > 0
        statistic += ((seen[used] - due[used]) ** 2 / due[used]).sum()
        freedom += int(used.sum()) - 1
    return float(chdtrc(freedom, statistic))


@pytest.mark.night
@pytest.mark.parametrize("name", DESIGNS)
def test_a_million_records_follow_the_table(name: str) -> None:
    section = section_of(name)
    assert p_value(counted(name, 1_000_000), expected(section, section.keep_parts)) > LIMIT


@pytest.mark.parametrize("name", DESIGNS)
def test_twenty_thousand_records_follow_the_table(name: str) -> None:
    section = section_of(name)
    assert p_value(counted(name, 20_000), expected(section, section.keep_parts)) > LIMIT


@pytest.mark.parametrize("name", ["one limit", "four even limits", "nine limits", "almost all kept"])
def test_twenty_thousand_records_do_not_follow_the_table_of_a_keep_that_is_a_tenth_less(name: str) -> None:
    section = section_of(name)
    assert p_value(counted(name, 20_000), expected(section, section.keep_parts - 1_000)) < LIMIT
