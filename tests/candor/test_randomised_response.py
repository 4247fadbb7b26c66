"""Figures that other packages and papers print of randomised response, through the functions of the package."""

from collections import defaultdict
from collections.abc import Callable
from math import comb, nan, sqrt

import numpy as np
import pytest

import candor
from papers.studies.published_counts import PRINTED, read_published_studies
from tests.privacy.questionnaires import refusal

pytestmark = pytest.mark.page
STUDIES = read_published_studies()


def chance_of_yes(law: candor.ResponseLaw, share: float) -> float:
    return law.chance + law.keep * share


def test_each_law_says_yes_as_often_as_its_technique() -> None:
    assert chance_of_yes(candor.warner(0.8), 0.3) == pytest.approx(0.3 * 0.8 + 0.7 * 0.2)
    assert 1 - chance_of_yes(candor.warner(0.2), 0.3) == pytest.approx(0.3 * 0.2 + 0.7 * 0.8)
    assert chance_of_yes(candor.unrelated_question(0.7, 0.1), 0.3) == pytest.approx(0.7 * 0.3 + 0.3 * 0.1)
    assert chance_of_yes(candor.forced_response(yes=1 / 6, no=2 / 6), 0.3) == pytest.approx(0.5 * 0.3 + 1 / 6)
    assert candor.crosswise(0.25) == candor.warner(0.25)
    assert chance_of_yes(candor.kuk(yes=0.7, no=0.2), 0.3) == pytest.approx(0.7 * 0.3 + 0.2 * 0.7)
    assert 1 - chance_of_yes(candor.kuk(yes=0.2, no=0.7), 0.3) == pytest.approx(0.2 * 0.3 + 0.7 * 0.7)
    assert chance_of_yes(candor.mangat(0.6), 0.3) == pytest.approx(0.3 + 0.7 * 0.4)
    assert chance_of_yes(candor.triangular(0.2), 0.3) == pytest.approx(1 - 0.7 * 0.8)
    # Who has another of four choices names this one with probability 1/3.
    assert 1 - chance_of_yes(candor.negative_survey(4), 0.3) == pytest.approx(0.7 / 3)


def test_a_law_prints_its_amplification() -> None:
    """By Bayes: yes is .8 against .2 by Warner's method, .55 against .05 of the question that .1 affirm, 5/6 against
    1/6 with a die. A no of Mangat's method comes of those without the attribute alone."""
    assert repr(candor.warner(0.2)) == "<warner(p=0.2): keep 0.6, chance 0.2, amplification 4>"
    assert candor.unrelated_question(0.5, 0.1).amplification == pytest.approx(11)
    assert candor.forced_response(yes=1 / 6, no=1 / 6).amplification == pytest.approx(5)
    for proof in (candor.mangat(0.6), candor.triangular(0.2), candor.negative_survey(4)):
        assert "amplification inf" in repr(proof)
    assert "amplification nan" in repr(candor.unrelated_question(0.7))


@pytest.mark.parametrize(
    ("law", "place"),
    [
        (lambda: candor.warner(0.5), "warner: p: must leave a true answer, unlike p=0.5"),
        (lambda: candor.crosswise(25), "crosswise: p: must be a probability"),
        (lambda: candor.unrelated_question(0, 0.5), "unrelated_question: p, yes: must leave"),
        (lambda: candor.unrelated_question(0.5, -0.1), "unrelated_question: yes: must be a probability"),
        (lambda: candor.forced_response(yes=0.5, no=0.5), "forced_response: yes, no: must leave"),
        (lambda: candor.kuk(yes=0.3, no=0.3), "kuk: yes, no: must leave"),
        (lambda: candor.mangat(0), "mangat: p: must leave"),
        (lambda: candor.triangular(1), "triangular: p: must leave"),
        (lambda: candor.negative_survey(2), "negative_survey: choices: must be a whole number"),
        (lambda: candor.ResponseLaw(0.6, 0.5), "law: keep must be above 0"),
    ],
)
def test_a_wrong_parameter_of_a_law_is_named(law: Callable[[], candor.ResponseLaw], place: str) -> None:
    assert refusal(law).startswith(place)


def test_impossible_counts_are_refused() -> None:
    assert "from 0 to the number" in refusal(candor.count_shares, -1, 10, candor.warner(0.8))
    assert "yes: is unknown" in refusal(candor.count_shares, 1, 10, candor.unrelated_question(0.7))
    assert "number of records" in refusal(candor.count_shares, 11, 10, candor.warner(0.8))
    assert "not shares" in refusal(candor.count_shares, 0.64, 1_000, candor.warner(0.8))
    assert "not shares" in refusal(candor.compare_shares, 30, 100, 0.3, 1, candor.warner(0.8))


def test_chances_of_a_forced_answer_are_named() -> None:
    """Other packages have them in either order."""
    with pytest.raises(TypeError):
        candor.forced_response(1 / 6, 2 / 6)  # type: ignore[call-arg]


def test_rrreg_vignette_gives_the_same_share_and_error() -> None:
    """Heck and Moshagen (2018), Journal of Statistical Software 85(2): Warner's model with p = .2 and 1,000 people, pi
    .266667 with a standard error of .025311, which has n - 1 where ours has n. So 640 of them said yes.
    """
    found = candor.count_shares(640, 1_000, candor.warner(0.2)).loc[0]
    assert round(found["share"], 6) == 0.266667
    assert round(found["se"] * sqrt(1_000 / 999), 6) == 0.025311


def test_published_shares_match_their_sources() -> None:
    """rr's of Nigeria, RRTCS's of students, and those of Hoeglinger and Jann (2018), to the printed places."""
    counted = defaultdict[tuple[str, str, str], list[tuple[float, float, float]]](list)
    for count in STUDIES.counts:
        # As `published_counts` reads it, where *different* is recorded as *yes*.
        law = candor.ResponseLaw(float(count.law.keep), float(count.law.chance))
        if count.technique == "direct":
            law = candor.forced_response(yes=0, no=0)
        found = candor.count_shares(count.yes, count.n, law).loc[0]
        assert found["low"] <= min(max(found["share"], 0), 1) <= found["high"]
        row = found["n"], found["share"], found["se"]
        counted[count.study, count.question, count.technique].append(row)
    compared = 0
    for (study, question, technique), rows in counted.items():
        n, share, se = np.array(rows).T
        pooled = (n * share).sum() / n.sum()
        if (study, question) in STUDIES.printed:
            printed, error = STUDIES.printed[study, question]
            assert pooled == pytest.approx(printed, abs=5e-4)
            assert se[0] == pytest.approx(error, rel=0.01)
        elif (question, technique) in PRINTED:
            assert pooled == pytest.approx(PRINTED[question, technique], abs=5.1e-4)
        else:
            continue
        compared += 1
    assert compared == 3 + 8


def test_two_groups_differ_by_the_difference_of_their_shares() -> None:
    law, n = candor.unrelated_question(0.5, 0.5), 10**8
    (row,) = candor.compare_shares(n * 0.5, n, n * 0.6, n, law).to_dict("records")
    assert (row["first"], row["second"]) == pytest.approx((0.5, 0.7))
    # Both variances are those of a received share, over keep: sqrt((.25 + .24) / n) / .5.
    error = 1.96 * sqrt(0.49 / n) / 0.5
    assert (row["low"], row["high"]) == pytest.approx((0.2 - error, 0.2 + error), abs=1e-6)
    assert candor.compare_shares(30, 100, 30, 100, candor.warner(0.8))["p"].item() == pytest.approx(1)


def test_scalar_of_one_side_pairs_with_each_value_of_the_other() -> None:
    law, one, three = candor.warner(0.8), (50, 100), ([50, 40, 90], 100)
    there, back = candor.compare_shares(*one, *three, law), candor.compare_shares(*three, *one, law)
    assert there["second"].tolist() == pytest.approx([0.5, 1 / 3, 7 / 6]) == back["first"].tolist()
    assert there["first"].tolist() == pytest.approx([0.5] * 3) == back["second"].tolist()
    differ = "differ in length"
    assert differ in refusal(candor.compare_shares, *three, [1, 2], 100, law)
    assert differ in refusal(candor.count_shares, [1, 2], [100] * 3, law)


def test_counts_that_contradict_each_other_have_no_interval() -> None:
    found = candor.count_shares([1, 300], 1_000, candor.unrelated_question(0.5, 0.5))
    assert found["low"].isna().tolist() == [True, False]


@pytest.mark.parametrize("level", [0.5, 0.8, 0.95, 0.99])
def test_a_law_without_disguise_has_an_exact_interval(level: float) -> None:
    """Clopper and Pearson's of 0 of 10: 1 - ((1 - level) / 2)^(1/10) is its upper end."""
    found = candor.count_shares(0, 10, candor.forced_response(yes=0, no=0), level).loc[0]
    assert (found["low"], found["high"]) == pytest.approx((0, 1 - ((1 - level) / 2) ** 0.1))


@pytest.mark.parametrize(
    ("level", "z"), [(0.8, 1.2815515655), (0.9, 1.644853627), (0.95, 1.96), (0.99, 2.5758293035)]
)
def test_level_is_the_confidence_level(level: float, z: float) -> None:
    """Half of a million records say yes: Wilson's interval of that is 1/2 -+ z / (2 sqrt(n + z^2)), and as far again
    from 1/2 are the shares, of which half is received."""
    law, n = candor.unrelated_question(0.5, 0.5), 10**6
    found = candor.count_shares(n / 2, n, law, level).loc[0]
    error = z / sqrt(n + z**2)
    assert (found["low"], found["high"]) == pytest.approx((0.5 - error, 0.5 + error), abs=1e-9)


def test_the_default_level_is_95_percent() -> None:
    counts = [40, 180, 300], 500, candor.warner(0.2)
    assert candor.count_shares(*counts).equals(candor.count_shares(*counts, level=0.95))


@pytest.mark.parametrize("level", [0.8, 0.9, 0.95, 0.99])
def test_an_interval_covers_as_often_as_its_level_says(level: float) -> None:
    """Over all counts of 500 records that a share of a fifth can give."""
    law, counts = candor.unrelated_question(0.5, 0.5), range(501)
    found = candor.count_shares(counts, 500, law, level)
    covers = (found["low"] <= 0.2) & (found["high"] >= 0.2)
    yes = chance_of_yes(law, 0.2)
    chance = sum(
        comb(500, count) * yes**count * (1 - yes) ** (500 - count) for count in counts if covers[count]
    )
    assert chance == pytest.approx(level, abs=0.015)


@pytest.mark.parametrize("level", [1, 1.96, 95, 0, -0.95, nan, True])
def test_invalid_confidence_level_is_refused(level: float) -> None:
    words = "level: must be a confidence level such as .95"
    assert words in refusal(candor.count_shares, 3, 10, candor.warner(0.8), level)


def test_people_on_both_sides_widen_the_interval() -> None:
    counts = 300, 1_000, 350, 1_000, candor.warner(0.8)
    alone, both = candor.compare_shares(*counts), candor.compare_shares(*counts, shared=True)
    assert both["difference"].item() == alone["difference"].item()
    assert both["low"].item() < alone["low"].item() < alone["high"].item() < both["high"].item()
