"""Simulated respondents who answer numbers, and what stays of their truth."""

import json
from hashlib import sha256

import numpy as np
import pytest
from django.core.management import call_command

from intake.batches import batches, sealing
from intake.rehearsal import truth
from intake.rehearsal.made_up import made_up
from intake.rehearsal.models import Truth
from intake.rehearsal.simulating import simulate
from privacy.designs import Design
from privacy.kinds.simulation import TrueNumber
from privacy.records import columns
from privacy.simulation.population import JointDistribution, Population
from surveys.lifecycle import counts
from surveys.models import Survey
from tests.intake import asked
from tests.intake.rehearsal import test_simulating
from tests.privacy.questionnaires import IF_EMPLOYED, WORK, classes, plain, question, sensitive, window

pytestmark = pytest.mark.page
ASKED = asked.written(
    plain(WORK),
    classes("debt", "0.5", 0, 500, 1000, step=100, **IF_EMPLOYED),
    window("change", 5, 1, "0.5", low=-4, step=2),
    classes("drinks", "0.5", 0, 10, 20, rest=2),
    sensitive("0.5", question("theft", "0.5", "0.5")),
    least=20,
    rehearsal=True,
    open_answers=True,
)
# The items of debt (1) and drinks (3): at least the first limit, the second, between them, below the first, the second.
AT_500, AT_1000, BELOW_500, AT_10, AT_20, THEFT = (1, 0), (1, 1), (1, 3), (3, 0), (3, 1), (4, 1)
db = pytest.mark.django_db


def everybody(*answers: int) -> Population:
    return Population(JointDistribution((answers,), (1.0,)))


def known(survey: Survey) -> truth.CountedTruth:
    found = truth.read(survey)
    assert found
    return found.everybody


# --- the people


def test_made_up_people_are_as_they_were_before_there_were_numbers() -> None:
    """Hash of the population as commit 055593d made it up."""
    people = repr(made_up(test_simulating.REHEARSAL))
    assert sha256(people.encode()).hexdigest().startswith("af169791f904")


def test_made_up_numbers_are_the_same_each_time_and_skewed() -> None:
    of = asked.written(classes("income", "0.5", 0, 500, 10_000), window("debt", 1001, 100, "0.5"))
    assert made_up(of) == made_up(of)
    respondents = made_up(of).draw(of, 20_000, np.random.default_rng(1))
    for row, asks in zip(respondents.truth, of.questions, strict=True):
        assert row.max() < asks.true_codes
        assert 0.05 * asks.true_codes < np.median(row) < 0.5 * asks.true_codes
        assert row.mean() > 1.1 * np.median(row)


def test_a_number_of_two_thousand_million_values_is_made_up() -> None:
    of = asked.written(classes("worth", "0.5", -(10**9), 0, 10**9), plain(WORK))
    respondents = made_up(of).draw(of, 5_000, np.random.default_rng(1))
    assert respondents.truth.dtype == np.uint32
    assert len(np.unique(respondents.truth[0])) > 4_900
    assert set(respondents.truth[1]) == {0, 1}


# --- their records


@db
def test_their_records_go_the_way_of_a_browsers_and_are_sealed() -> None:
    survey = asked.survey(ASKED)
    assert simulate(survey, 300, seed=1) == 300
    found = counts.of(survey)
    assert found.received == 300
    assert found.sealed >= 260


@db
def test_sealed_numbers_obey_their_laws() -> None:
    """Everybody owes 700, changed by 0, drinks 14; everybody is employed, and nobody answers openly."""
    survey = asked.survey(ASKED)
    simulate(survey, 4_000, population=everybody(0, 7, 2, 14, 1), seed=3)
    read = list(batches.read(survey, sealing.last_sealed(survey.pk)))
    codes = np.concatenate([columns.unpack(batch.columns)[1] for batch in read], axis=1)
    n = codes.shape[1]
    near = 5 * (0.25 / n) ** 0.5

    def shares(place: int) -> list[float]:
        return [float((codes[place] == code).mean()) for code in range(ASKED.questions[place].codes)]

    # 700 is in the second of three classes. One of two limits is drawn, and the class is kept, or one of two.
    # [0, 1), [1, 3) by the first limit; [0, 2), [2, 3) by the second: kept with .5 + .25.
    assert shares(1) == pytest.approx([0.125, 0.375, 0, 0, 0.375, 0.125], abs=near)
    # Half uniform over five, half moved by -1, 0 or 1.
    assert shares(2) == pytest.approx([0.1, 4 / 15, 4 / 15, 4 / 15, 0.1], abs=near)
    # The same of nine in ten; D is 9, so one in ten says that a coin below 9 is less than 4, kept with .5.
    yes = 0.5 * 4 / 9 + 0.25
    expected = [*(0.9 * share for share in (0.125, 0.375, 0, 0, 0.375, 0.125)), 0.1 * (1 - yes), 0.1 * yes]
    assert shares(3) == pytest.approx(expected, abs=near)


@db
def test_the_command_simulates_numbers(capsys: pytest.CaptureFixture[str]) -> None:
    survey = asked.survey(ASKED)
    call_command("simulate_respondents", survey.slug, "-n", "45", "--seed", "1")
    assert json.loads(capsys.readouterr().out)["stored"] == 45


@db
def test_the_same_seed_gives_the_same_truth_of_numbers() -> None:
    found = []
    for _repetition in range(2):
        survey = asked.survey(ASKED)
        simulate(survey, 60, seed=4)
        found.append(known(survey))
    assert found[0] == found[1]
    assert found[0].numbers["drinks"].n == 60


# --- the truth


@db
def test_every_item_is_counted_for_everybody_to_whom_the_number_applies() -> None:
    """Three in ten are employed and owe 700; the others are not asked for their debts."""
    survey = asked.survey(ASKED)
    population = Population(JointDistribution(((0, 7, 0, 0, 1), (1, 10, 0, 20, 0)), (0.3, 0.7)))
    simulate(survey, 600, population=population, seed=3)
    found = known(survey)
    employed = found.counts[((0, 0),)]
    assert 130 < employed < 230
    assert found.counts[(AT_500,)] == found.counts[(AT_500, THEFT)] == employed
    # Not applicable is neither below nor at least.
    assert found.counts[(BELOW_500,)] == found.counts[(AT_1000,)] == 0
    assert found.counts[(AT_10,)] == found.counts[(AT_20,)] == 600 - employed


@db
def test_items_stand_at_the_places_of_the_mined_design() -> None:
    assert [len(of.choices) for of in ASKED.mined.questions] == [2, 5, 0, 5, 2]
    survey = asked.survey(ASKED)
    simulate(survey, 20, seed=1)
    single = [itemset[0] for itemset in known(survey).counts if len(itemset) == 1]
    assert single == [
        (place, code) for place, many in ((0, 2), (1, 5), (3, 5), (4, 2)) for code in range(many)
    ]


@db
def test_the_true_mean_and_histogram_of_numbers_are_kept_of_both_groups() -> None:
    """Who chooses disguise is employed, owes 700 and changed by 2; who answers openly is not, and changed by -4."""
    apart = Population(
        JointDistribution(((0, 7, 3, 5, 0),), (1.0,)),
        open=JointDistribution(((1, 9, 0, 20, 0),), (1.0,)),
        open_share=0.5,
    )
    survey = asked.survey(ASKED)
    for seed in (1, 2):
        simulate(survey, 40, population=apart, seed=seed)
    stored = truth.read(survey)
    assert stored
    found, chose_disguise = stored
    disguised, openly = chose_disguise.n, 80 - chose_disguise.n
    assert 0 < disguised < 80
    assert found.numbers["debt"] == chose_disguise.numbers["debt"] == TrueNumber(disguised, 700 * disguised)
    assert found.numbers["change"].counts == (openly, 0, 0, disguised, 0)
    assert chose_disguise.numbers["change"].counts == (0, 0, 0, disguised, 0)
    assert found.numbers["change"].mean == pytest.approx((2 * disguised - 4 * openly) / 80)
    assert found.numbers["drinks"].total == 5 * disguised + 20 * openly
    assert found.numbers.keys() == {"debt", "change", "drinks"}


@db
def test_the_truth_of_a_number_that_applies_to_nobody_has_no_mean() -> None:
    survey = asked.survey(ASKED)
    simulate(survey, 20, population=everybody(1, 0, 0, 0, 0), seed=1)
    assert known(survey).numbers["debt"] == TrueNumber(0, 0)
    assert known(survey).numbers["debt"].mean is None


def test_counts_of_numbers_are_those_of_counting_one_by_one() -> None:
    rng = np.random.default_rng(2)
    truth_ = made_up(ASKED).draw(ASKED, 200, rng).truth
    found = dict(
        zip(
            truth.itemsets(ASKED.mined, 2),
            truth.count(ASKED.mined, truth.true_items(ASKED, truth_), 2).tolist(),
            strict=True,
        )
    )
    debt = ASKED.questions[1]
    owing = [100 * code >= 500 for code in truth_[1].tolist() if code != debt.true_hidden]
    assert found[(AT_500,)] == sum(owing)
    assert found[(BELOW_500,)] == len(owing) - sum(owing)
    stole_and_drink = [
        a == 1 and b >= 10 for a, b in zip(truth_[4].tolist(), truth_[3].tolist(), strict=True)
    ]
    assert found[(AT_10, THEFT)] == sum(stole_and_drink)


@db
def test_a_stored_truth_from_before_numbers_reads_as_before() -> None:
    survey = asked.survey(test_simulating.REHEARSAL)
    simulate(survey, 30, seed=1)
    row = Truth.objects.get(survey=survey)
    assert row.numbers is None
    assert known(survey).numbers == {}
    before = known(survey).counts
    simulate(survey, 5, seed=2)
    assert known(survey).n == 35
    assert list(known(survey).counts) == list(before) == list(truth.itemsets(test_simulating.REHEARSAL, 3))


def test_a_design_without_numbers_is_counted_as_it_is() -> None:
    of: Design = test_simulating.REHEARSAL
    codes = np.zeros((3, 4), np.uint8)
    assert truth.true_items(of, codes) is codes
    assert truth.true_numbers(of, codes) == {}
