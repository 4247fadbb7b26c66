"""A rehearsal of a study: beside the estimates stands what the simulated respondents truly answered."""

import re
from itertools import product
from typing import Any

import numpy as np
import pytest
from django.test import Client
from numpy.typing import NDArray
from pytest_django import DjangoDbBlocker

from accounts.models import RESEARCHERS, REVIEWERS, Person
from intake.rehearsal import simulating, true_counts
from mining.document.study_nodes import Controls, Study
from mining.parameters import Parameters
from privacy.simulation.population import Independent, Population
from reports.models import Decision, Review
from reports.review import model_decisions as judging, published_content, publishing
from reports.review.report_page import ReportPage
from runs import model_job, rehearsal_truth
from runs.models import Run
from runs.rehearsal_truth import true_coefficients
from surveys.lifecycle import states as lifecycle
from surveys.models import Survey
from tests.cast import As, shared_rows, with_role
from tests.reports import made
from tests.reports.files import READERS, from_json
from tests.reports.paged import desk
from tests.reports.test_study_pages import cells, number
from tests.runs import modelled, sealed, studied, working
from tests.surveys.conftest import NOW

pytestmark = pytest.mark.page
__all__ = ["shared_rows"]

MOON, VERSION, THEFT, LYING, MARS, DRUGS = range(1, 7)
PLACES = {"theft": THEFT, "lying": LYING, "drugs": DRUGS, "moon": MOON, "mars": MARS}
True_ = NDArray[Any]


class People:
    """The arm of every simulated respondent, and by question whether they truly answer with its last choice."""

    def __init__(self) -> None:
        self.disguised: True_ = np.empty(0, np.bool_)
        self.yes: True_ = np.empty((7, 0), np.bool_)

    def add(self, group: True_, true: True_) -> None:
        self.disguised = np.concatenate([self.disguised, group == 1])
        self.yes = np.concatenate([self.yes, true == 1], axis=1)

    def share(self, item: str, among: True_) -> float:
        question, _, choice = item.partition("=")
        share = float(self.yes[PLACES[question], among].mean())
        return share if choice == "yes" else 1 - share


@pytest.fixture(scope="module")
def rehearsed(shared_rows: None, django_db_blocker: DjangoDbBlocker) -> tuple[Run, People]:
    """A run, and the people of it, noted while they answer, before anything of them is counted."""
    noted, add = People(), true_counts.add_respondents

    def noting(survey: Survey, design: Any, group: True_, true: True_) -> None:
        noted.add(group, true)
        add(survey, design, group, true)

    with django_db_blocker.unblock(), pytest.MonkeyPatch.context() as patched:
        patched.setattr(true_counts, "add_respondents", noting)
        return rehearse(with_role(RESEARCHERS, "owner")), noted


@pytest.fixture
def cast(rehearsed: tuple[Run, People], db: None) -> tuple[Person, Person]:
    return Person.objects.get(username="owner"), with_role(REVIEWERS, "reviewer")


@pytest.fixture
def people(rehearsed: tuple[Run, People]) -> People:
    return rehearsed[1]


@pytest.fixture
def run(rehearsed: tuple[Run, People], db: None) -> Run:
    return Run.objects.get(pk=rehearsed[0].pk)


def rehearse(owner: Person) -> Run:
    """A few answer the control items at random, as many as may be published and too few for a model."""
    design = studied.design(rehearsal=True)
    survey = sealed.survey(owner, design, [])
    Survey.objects.filter(pk=survey.pk).update(state=Survey.State.OPEN)
    survey.refresh_from_db()
    yes = studied.YES | {"moon": 0.03, "mars": 0.03}
    shares = tuple((1 - yes[asked.name], yes[asked.name]) for asked in design.questions)
    simulating.simulate(survey, 2_000, population=Population(Independent(shares)), seed=1)
    lifecycle.close_survey(survey, owner, NOW)
    wanted = Parameters(min_support=0.3, min_confidence=0.5, max_size=2)
    done = working.mined(survey, owner, wanted)
    publishing.add_finished_runs(NOW)
    return done


@pytest.fixture
def found(run: Run) -> Study:
    return ReportPage(Review.objects.with_surveys().get(), whole=True).content.study


def controls(of: Study) -> Controls:
    assert of.controls
    return of.controls


def test_arms_corrected_shares_and_versions_stand_beside_their_truth(found: Study, people: People) -> None:
    # The shares of both arms stand beside those of their people.
    assert found.arms
    rows = (*found.arms.items, *found.arms.controls)
    assert [row.item for row in rows][-2:] == ["moon=yes", "mars=yes"]
    assert len(rows) == 6
    for row in rows:
        direct, disguised = (people.share(row.item, among) for among in (~people.disguised, people.disguised))
        assert row.truth_direct == pytest.approx(direct, abs=1e-12)
        assert row.truth_disguised == pytest.approx(disguised, abs=1e-12)
        assert row.truth == pytest.approx(disguised - direct, abs=1e-12)
        # Direct answers are not disguised, and every record is in the run.
        assert row.direct == pytest.approx(direct, abs=1e-12)


def test_corrected_shares_stand_beside_the_truth_without_those_who_answer_at_random(
    found: Study, people: People
) -> None:
    of = controls(found)
    assert of.item == "moon=yes"
    assert len(of.items) == 4
    # Nobody who reads the control item says yes, of those at random one half: in this design all items are yes or no.
    careless = 2 * people.share("moon=yes", people.disguised)
    assert careless > 0
    for row in of.items:
        share = people.share(row.item, people.disguised)
        assert row.truth == pytest.approx((share - careless / 2) / (1 - careless), abs=1e-12)


def test_the_difference_of_versions_stands_beside_that_of_the_people_who_drew_them(
    found: Study, people: People
) -> None:
    (row,) = controls(found).words
    first, second = (
        people.share(row.item, people.disguised & (people.yes[VERSION] == version))
        for version in (False, True)
    )
    assert row.truth == pytest.approx(first - second, abs=1e-12)
    assert row.truth != 0


def test_every_true_value_stands_on_the_page(found: Study, run: Run, judging: Client) -> None:
    page = judging.get(desk("study")).content.decode()
    assert found.arms
    for heading, of in (("By arm", found.arms.items), ("Control items by arm", found.arms.controls)):
        for row, one in zip(cells(page, heading), of, strict=True):
            shown = [number(cell.split(" Truth ")[1].split("%")[0].split(" if ")[0]) for cell in row[1:4]]
            wanted = [one.truth_direct, one.truth_disguised, one.truth]
            assert shown == [round(100 * value, 1) for value in wanted if value is not None]
    shown = [number(row[4].split(" Truth ")[1].rstrip(" %")) for row in cells(page, "Corrected shares")]
    assert shown == [round(100 * (one.truth or 0), 1) for one in controls(found).items]
    ((*_others, last),) = cells(page, "Was one of the words “same” and “different” preferred?")
    assert [number(last)] == [round(100 * (one.truth or 0), 1) for one in controls(found).words]
    assert "The diamond marks what the simulated respondents of each arm truly answered." in page


@pytest.fixture
def published(run: Run, reviewer: Person, reading: Client) -> Client:
    made.publish(Review.objects.get(), reviewer)
    return reading


@pytest.fixture
def left(published: Client) -> Study:
    """What is published."""
    return published_content.published_report(Review.objects.get()).study


def test_files_hold_the_truth_in_columns_of_its_own(left: Study, published: Client) -> None:
    assert left.arms
    tables: dict[str, tuple[Any, ...]] = {
        "arms": (*left.arms.items, *left.arms.controls),
        "corrected_shares": controls(left).items,
        "crosswise_words": controls(left).words,
    }
    for (table, of), read in product(tables.items(), READERS):
        columns = ("truth_direct", "truth_disguised", "truth") if table == "arms" else ("truth",)
        rows = read(published, table)
        assert tuple(rows[0])[-len(columns) :] == columns, read
        for column in columns:
            assert [float(row[column]) for row in rows] == pytest.approx(
                [getattr(one, column) for one in of], rel=0, abs=1e-12
            ), read


def test_the_json_file_holds_it(found: Study, published: Client) -> None:
    study = from_json(published)["report"]["study"]
    assert found.arms
    assert [row["truth"] for row in study["arms"]["items"]] == [row.truth for row in found.arms.items]
    assert [row["truth"] for row in study["controls"]["items"]] == [
        one.truth for one in controls(found).items
    ]


def real(owner: Person) -> Run:
    """The same study of real people."""
    survey = studied.survey(owner, studied.design(), [500, 300])
    wanted = Parameters(min_support=0.3, min_confidence=0.5, max_size=2)
    done = working.mined(survey, owner, wanted)
    publishing.add_finished_runs(NOW)
    return done


def test_the_page_and_the_files_of_a_survey_of_real_people_have_no_such_column(
    stranger: Person, reviewer: Person, signed_in_as: As, judging: Client
) -> None:
    review = Review.objects.get(run=real(stranger))
    page = judging.get(desk("study", review)).content.decode()
    assert "mark truth" not in page
    assert "Truth" not in page
    made.publish(review, reviewer)
    client = signed_in_as(stranger)
    for read in READERS:
        for table in ("arms", "corrected_shares", "crosswise_words"):
            rows = read(client, table, review)
            assert not [column for column in rows[0] if "truth" in column], (read, table)


# --- models ---------------------------------------------------------------------------------------------

BY_AGE_AND_VERSION = {"item": "theft=yes", "on": ["age", "version"]}


def columns(people: People, *, product: bool) -> True_:
    age, version = people.yes[0], people.yes[VERSION]
    kept = [np.ones(len(age)), age, version, *([age & version] if product else [])]
    return np.stack(kept, axis=1).astype(np.float64)[people.disguised]


def truths(run: Run, **specification: Any) -> dict[str, float]:
    known = rehearsal_truth.read_truth(run)
    return dict(true_coefficients(model_job.parse_request(run.mined, specification), known))


@pytest.mark.parametrize("products", [[], ["age*version"]])
def test_true_coefficients_are_those_of_least_squares_on_the_true_answers(
    run: Run, people: People, products: list[str]
) -> None:
    steals = people.yes[THEFT, people.disguised].astype(np.float64)
    wanted = np.linalg.lstsq(columns(people, product=bool(products)), steals, rcond=None)[0]
    found = truths(run, **BY_AGE_AND_VERSION, products=products)
    assert list(found)[:3] == ["1", "age=old", "version=b"]
    assert list(found.values()) == pytest.approx(wanted, abs=1e-9)


def test_true_coefficients_of_a_logit_solve_its_equations(run: Run, people: People) -> None:
    w, steals = columns(people, product=False), people.yes[THEFT, people.disguised]
    found = np.array(list(truths(run, **BY_AGE_AND_VERSION, logit=True).values()))
    assert w.T @ (steals - 1 / (1 + np.exp(-w @ found))) == pytest.approx(np.zeros(3), abs=1e-6)


def test_a_filter_leaves_out_the_truth_of_others(run: Run, people: People) -> None:
    found = truths(run, item="theft=yes", on=["version"], among=["age=old"])
    old = people.disguised & people.yes[0]
    first, second = (
        people.share("theft=yes", old & (people.yes[VERSION] == version)) for version in (False, True)
    )
    assert list(found.values()) == pytest.approx([first, second - first], abs=1e-9)


@pytest.mark.parametrize(
    "specification",
    [
        {"item": "theft=yes", "on": ["age", "version"], "among": ["moon=no"]},
        {"item": "theft=yes", "on": ["age", "arm"]},
    ],
)
def test_of_more_answers_than_were_counted_together_or_by_arm_nothing_is_known(
    run: Run, specification: dict[str, Any]
) -> None:
    assert truths(run, **specification) == {}


def test_what_cannot_be_fitted_to_the_truth_is_not_known(run: Run) -> None:
    """About thirty people were on the moon, below the floor of fifty."""
    assert truths(run, item="theft=yes", on=["moon"]) == {}


@pytest.fixture
def modelled_run(run: Run, owner: Person) -> Run:
    modelled.model(run, owner, **BY_AGE_AND_VERSION)
    modelled.model(run, owner, item="theft=yes", on=["age", "arm"])
    return run


def test_a_page_of_models_holds_the_true_coefficients_that_are_known(
    modelled_run: Run, judging: Client
) -> None:
    page = judging.get(desk("models")).content.decode()
    first, second = (page.split(f'id="model-{number}"')[1].split("</section>")[0] for number in (1, 2))
    shown = [number(row[-1]) for row in cells(first, headings(first)[0])]
    assert shown == [round(100 * b, 1) for b in truths(modelled_run, **BY_AGE_AND_VERSION).values()]
    assert "mark truth" not in second


def headings(page: str) -> list[str]:
    return re.findall(r'aria-label="([^"]+)"', page)


def test_files_hold_the_true_coefficients_that_are_known(
    modelled_run: Run, owner: Person, reviewer: Person, signed_in_as: As
) -> None:
    review = Review.objects.with_surveys().get()
    for job in modelled_run.model_jobs.order_by("number"):
        judging.decide_model(review, reviewer, job.model, Decision.Verdict.ACCEPT, "", NOW)
    made.publish(review, reviewer)
    client = signed_in_as(owner)
    known = truths(modelled_run, **BY_AGE_AND_VERSION)
    for read in READERS:
        rows = read(client, "model_coefficients")
        assert list(rows[0])[-1] == "truth", read
        found = [float(row["truth"]) for row in rows[:3]]
        assert found == pytest.approx(list(known.values()), abs=1e-12), read
        assert {row["truth"] or None for row in rows[3:]} == {None}, read
    first, second = from_json(client)["models"]
    assert [row["truth"] for row in first["coefficients"]] == pytest.approx(list(known.values()), abs=1e-12)
    assert not any("truth" in row for row in second["coefficients"])
