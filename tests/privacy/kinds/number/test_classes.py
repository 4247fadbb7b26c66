"""The law `classes` against exact fractions of a second implementation, and by brute force."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from privacy.grammar.number_range import NumberRange
from privacy.guarantee.amplification import GammaLimit, largest_class_keep
from privacy.guarantee.best_number_classes import (
    ClassesDesign,
    best_drawn_limit_count,
    classes_for_mean,
    classes_for_shares,
    even_limits,
    excess_over_least_error,
    round_number_limits,
)
from privacy.guarantee.number_distribution import ExpectedNumbers
from privacy.kinds.number.classes.law import ClassesLaw, interval_code, intervals
from privacy.kinds.number.classes.scores_of_record_codes import score_table
from privacy.kinds.number.classes.section import REST_PARTS, ClassesSection
from privacy.mechanisms.disguise_by_given_coins import disguised_codes
from privacy.mechanisms.random_draws import Coins, sides_of_coins
from privacy.records import DISGUISED, OPEN
from proof.record_probabilities import number_code_law
from tests.privacy.conftest import Node
from tests.privacy.questionnaires import classes, design

VECTORS = json.loads((Path(__file__).parents[3] / "vectors" / "ordered.json").read_text())
SMALL = VECTORS["small_exact"]


def as_floats(fractions: list[str]) -> list[float]:
    return [float(Fraction(fraction)) for fraction in fractions]


def law_of(given: dict[str, Any]) -> ClassesLaw:
    return ClassesLaw(given["N"], given["cuts"], Fraction(given["keep"]))


def test_a_code_stands_for_an_item_if_its_interval_reaches_into_it() -> None:
    table, limits = score_table(4, 2, Fraction(3, 10)), range(1, 5)
    for code, (first, end) in enumerate(intervals(5)):
        at_least, below = [end > limit for limit in limits], [first < limit for limit in limits]
        between = [first <= limit < end for limit in limits[:-1]]
        assert table.code_names_class_of_item[code].tolist() == [*at_least, *between, *below], (first, end)


def test_small_laws_are_those_worked_in_fractions() -> None:
    """Probabilities, scores and variances."""
    for given in SMALL:
        law = law_of(given)
        assert law.gamma == Fraction(given["gamma"])
        table = score_table(law.limits, law.cuts, law.keep)
        for row in given["table"]:
            a, z, code = row["from"], row["to"], row["code"]
            assert (interval_code(law.classes, a, z), intervals(law.classes)[code]) == (code, (a, z))
            assert law.count_draws_with_class(a, z) == row["draws"]
            stated = [Fraction(chance) for chance in row["probability_by_class"]]
            assert [law.probability(a, z, b) for b in range(law.classes)] == stated
            assert table.scores[code] == pytest.approx(as_floats(row["scores_of_classes"]), abs=1e-12)
            items = table.scores_by_code_and_item[code, : law.limits]
            assert items == pytest.approx(as_floats(row["scores_at_least"]), abs=1e-12)
        n, keeps = given["N"], (Fraction(given["keep"]), Fraction(1, 2))
        found = ClassesDesign(NumberRange(0, n), tuple(range(1, n + 1)), given["cuts"], 0, *keeps)
        for shares, key in (
            (np.full(n + 1, 1 / (n + 1)), "n_variance_at_equal_classes"),
            (np.eye(n + 1)[0], "n_variance_all_in_class_0"),
        ):
            assert found.share_variances(shares) == pytest.approx(as_floats(given[key]), abs=1e-12)


DESIGNS = [
    classes("a", "0.5", 0, 4, 9),
    classes("a", "0.5", 0, 1, 2),
    classes("a", "0.3333", 0, 2, 4, 6, 8, 10, cuts=3),
    classes("a", "0.5555", 0, 1, 2, 4, 10, 20, cuts=4, rest=4, keep_rest="0.7142"),
    classes("a", "0.25", -40, -20, -10, 0, 25, step=5, cuts=2, rest=10, keep_rest="0.5"),
    classes("a", "0.45", *range(11), cuts=5),
    classes("a", "0.8275", *range(11), cuts=9),
    classes("a", "0.98", *range(0, 10, 3), cuts=1, rest=2, keep_rest="0.99"),
]


def test_the_table_that_mining_estimates_from_is_the_law_of_the_device() -> None:
    """That all coins of a device give this law is counted in tests/privacy/mechanisms."""
    for source in DESIGNS:
        (section,) = design(source).sections
        assert isinstance(section, ClassesSection)
        question, law = section.question, section.law
        table = score_table(law.limits, law.cuts, law.keep).chance
        for true in range(question.true_codes):
            own = sum(question.low + question.step * true >= limit for limit in question.limits)
            chances = number_code_law(source, true)
            sent = [float(chances.get(code, 0)) for code in range(question.n_intervals)]
            assert sent == pytest.approx((1 - question.rest / REST_PARTS) * table[own], abs=1e-12), source


def test_worked_coins_give_their_code_in_both_languages(disguise_js: Node) -> None:
    given, modulus = VECTORS["device"]["design"], 10_000
    law = {key: given[key] for key in ("low", "high", "limits", "step", "cuts", "rest")}
    keeps = {"keep": f"0.{given['keep']}", "keep_rest": f"0.{given['keep_rest']}"}
    source = {"kind": "number", **keeps, "questions": [{"name": "debt", "law": "classes", **law}]}
    of = design(source, open_answers=True)
    assert sides_of_coins(of, modulus) == [4, 3, 2, 10_000, 4, 20, given["span"], 10_000, 2]
    for run in VECTORS["device"]["runs"]:
        group, true = (OPEN if run["open"] else DISGUISED), of.questions[0].true_code_named(str(run["x"]))
        assert disguised_codes(of, Coins(tuple(run["coins"]), modulus), group, [true]) == [run["code"]]
        coins = {"modulus": modulus, "values": run["coins"]}
        asked = {"design": json.loads(of.canonical), "coins": coins, "group": group, "answers": [true]}
        assert disguise_js.ask("disguised", **asked) == [run["code"]], run


def test_with_all_limits_drawn_scores_are_those_of_a_choice_question() -> None:
    given = VECTORS["all_cuts"]
    law = law_of(given)
    assert law.gamma == Fraction(given["gamma"])
    table, p = score_table(4, 4, law.keep), float(law.keep)
    stated = as_floats(given["scores_at_least_of_code_0"])
    assert table.scores_by_code_and_item[0, :4] == pytest.approx(stated, abs=1e-12)
    for code, (a, z) in enumerate(intervals(5)):
        if z - a == 1:
            closed = [(float(a >= i) - (1 - p) * (5 - i) / 5) / p for i in range(1, 5)]
            assert table.scores_by_code_and_item[code, :4] == pytest.approx(closed, abs=1e-12)


def test_scores_are_unbiased_for_every_class_whatever_is_drawn() -> None:
    for limits, cuts in ((n, m) for n in range(1, 8) for m in range(1, n + 1)):
        table = score_table(limits, cuts, Fraction(3, 10))
        assert table.chance.sum(axis=1) == pytest.approx(np.ones(limits + 1)), (limits, cuts)
        assert table.chance @ table.scores == pytest.approx(np.eye(limits + 1), abs=1e-9), (limits, cuts)
        assert table.scores.sum(axis=1) == pytest.approx(np.ones(len(table.scores)), abs=1e-9), (limits, cuts)


@pytest.mark.at_push(6)
@pytest.mark.parametrize(
    "row", VECTORS["planner_shares"]["rows"], ids=lambda row: f"{row['N']}-{row['gamma_limit']}"
)
def test_the_planner_draws_as_many_limits_as_worked(row: dict[str, Any]) -> None:
    n, limit = row["N"], GammaLimit(Fraction(row["gamma_limit"]), strict=False)
    even = np.full(n + 1, 1 / (n + 1))
    cuts = best_drawn_limit_count(limit.gamma, tuple(even.tolist()))
    assert cuts == row["cuts"]
    limits = tuple(range(1, n + 1))
    keeps = largest_class_keep(limit, cuts), largest_class_keep(limit, 1)
    found = ClassesDesign(NumberRange(0, n), limits, cuts, 0, *keeps)
    assert f"{float(found.with_rounded_keeps(limit).keep):.4f}" == row["keep"]
    assert found.share_variances(even).mean() == pytest.approx(row["mean_n_variance_at_exact_keep"], abs=1e-6)


EVEN = ExpectedNumbers.uniform(NumberRange(0, 1000))


def test_the_mean_has_the_error_of_the_document_and_costs_shares_at_most_a_quarter() -> None:
    for gamma, cuts, variance in ((3, 1, 0.928), (6, 2, 0.389), (19, 3, 0.184), (50, 5, 0.135)):
        found = classes_for_mean(EVEN, GammaLimit(Fraction(gamma), strict=False))
        assert (len(found.limits), found.cuts) == (20, cuts)
        assert found.mean_variance(EVEN) / 1000**2 == pytest.approx(variance, abs=6e-4)
    limit, limits = GammaLimit(Fraction(6), strict=False), even_limits(EVEN.range, 4)
    alone, both = (classes_for_shares(EVEN, limit, limits, mean=mean) for mean in (False, True))
    assert (alone.rest, both.rest, both.cuts) == (0, 4, alone.cuts)
    assert both.law.gamma <= 6
    # A scale needs no rest.
    found = classes_for_mean(ExpectedNumbers.uniform(NumberRange(1, 5)), limit)
    assert (found.limits, found.rest, found.has_mean) == ((2, 3, 4, 5), 0, True)


def test_a_strict_limit_is_not_reached() -> None:
    # 1 + p (m + 1) / (1 - p) = 3 exactly at p = .4 with m = 2.
    small = ExpectedNumbers.uniform(NumberRange(0, 2))
    limits = [GammaLimit(Fraction(3), strict) for strict in (False, True)]
    keeps = [classes_for_shares(small, limit, [1, 2]).keep for limit in limits]
    assert keeps == [Fraction(4, 10), Fraction(3999, 10_000)]


def test_proposed_limits_are_round_numbers() -> None:
    cases = {
        ((0, 100, 1), 4): (20, 40, 60, 80),
        ((18, 99, 1), 4): (20, 40, 60, 80),
        ((0, 30_000, 1), 4): (5000, 10_000, 15_000, 20_000, 25_000),
        ((0, 24_999_999, 1), 4): (10_000, 100_000, 1_000_000, 10_000_000),
        ((-30, 50, 5), 4): (-20, 0, 20, 40),
        ((3, 48, 5), 4): (13, 23, 33, 43),
        ((0, 3, 1), 4): (1, 2, 3),
        ((0, 10_000, 1), 20): tuple(range(500, 10_000, 500)),
    }
    found = {(ends, wanted): round_number_limits(NumberRange(*ends), wanted) for ends, wanted in cases}
    assert found == cases


def test_the_distance_to_the_least_error_is_said_where_it_was_computed() -> None:
    assert excess_over_least_error(4, Fraction(6)) == pytest.approx(1.006**0.5 - 1)
    assert excess_over_least_error(20, Fraction(3)) == pytest.approx(1.39**0.5 - 1)
    assert excess_over_least_error(4, Fraction(1899, 100)) == 0
    assert [excess_over_least_error(*of) for of in ((7, Fraction(8)), (9, Fraction(2)))] == [None, None]
