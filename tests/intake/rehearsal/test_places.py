"""Simulated respondents who say where they live, and what stays of their truth."""

import numpy as np
import pytest

from intake.batches import batches, sealing
from intake.rehearsal import truth
from intake.rehearsal.made_up import made_up
from intake.rehearsal.simulating import simulate
from privacy.kinds.place.section import PlaceSection
from privacy.records import columns
from tests.intake import asked
from tests.intake.rehearsal.test_numbers import everybody, known
from tests.privacy.questionnaires import (
    IF_EMPLOYED,
    WORK,
    grid,
    place,
    place_in_row,
    plain,
    question,
    sensitive,
)

pytestmark = pytest.mark.page
REGIONS = {"north": [0, 1, 2], "south": [4, 5]}
ASKED = asked.written(
    plain(WORK),
    place_in_row("home", REGIONS, 7, 2, "6", **IF_EMPLOYED),
    sensitive("0.5", question("theft", "0.5", "0.5")),
    least=20,
    rehearsal=True,
    open_answers=True,
)
# In the mined design: work 0, home 1, theft 2.
NORTH, SOUTH, ELSEWHERE, THEFT = (1, 0), (1, 1), (1, 2), (2, 1)


def test_people_live_around_a_few_cells_the_same_each_time() -> None:
    side = 20
    form = asked.written(place("home", grid(side, side), range(100), near=9, odds="9"))
    assert made_up(form) == made_up(form)
    homes = made_up(form).draw(form, 20_000, np.random.default_rng(1)).truth[0]
    assert homes.max() < side * side
    often = np.sort(np.bincount(homes, minlength=side * side))[::-1]
    # A tenth of the cells have far more than a tenth of the people, and some live everywhere else.
    assert often[: side * side // 10].sum() > 0.4 * 20_000
    assert (often > 0).mean() > 0.9


def test_those_with_something_to_hide_live_elsewhere() -> None:
    people = made_up(ASKED).disguised
    few, many = people.classes  # type: ignore[attr-defined]
    assert np.abs(np.array(few.shares[1]) - np.array(many.shares[1])).sum() > 0.1


def test_true_items_are_the_regions() -> None:
    codes = np.array([[0, 0, 0, 1], [2, 4, 6, 8], [1, 0, 0, 0]], np.uint16)
    assert truth.true_items(ASKED, codes).tolist() == [[0, 0, 0, 1], [0, 1, 2, 3], [1, 0, 0, 0]]


def test_true_cells_are_counted_of_those_to_whom_the_place_applies() -> None:
    codes = np.array([[0, 0, 0, 1], [2, 4, 2, 8], [1, 0, 0, 0]], np.uint16)
    found = truth.true_numbers(ASKED, codes)["home"]
    assert (found.n, found.counts) == (3, (0, 0, 2, 0, 1, 0, 0))


@pytest.mark.django_db
def test_sealed_places_obey_their_law() -> None:
    """Everybody lives in c4, is employed, and nobody answers openly."""
    survey = asked.survey(ASKED)
    simulate(survey, 3_000, population=everybody(0, 4, 1), seed=3)
    read = list(batches.read(survey, sealing.last_sealed(survey.pk)))
    codes = np.concatenate([columns.unpack(batch.columns)[1] for batch in read], axis=1)[1]
    section = ASKED.sections[1]
    assert isinstance(section, PlaceSection)
    expected = [float(section.law.probability(4, cell)) for cell in range(7)]
    shares = [float((codes == cell).mean()) for cell in range(7)]
    assert shares == pytest.approx(expected, abs=5 * (0.25 / len(codes)) ** 0.5)


@pytest.mark.django_db
def test_the_truth_of_places_is_stored_as_itemsets_and_counts() -> None:
    survey = asked.survey(ASKED)
    simulate(survey, 60, population=everybody(0, 4, 1), seed=3)
    simulate(survey, 40, population=everybody(0, 6, 0), seed=4)
    found = known(survey)
    assert (found.counts[SOUTH,], found.counts[ELSEWHERE,], found.counts[NORTH,]) == (60, 40, 0)
    assert found.counts[SOUTH, THEFT] == 60
    assert truth.read_numbers(survey, disguised=False)["home"].counts == (0, 0, 0, 0, 60, 0, 40)
