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
from intake.rehearsal import respondent_simulation, true_counts
from mining.nodes.study_nodes import Controls, Study
from privacy.simulation.population import Independent, Population
from reports.models import Decision, Review
from reports.review import (
    read_published_content,
    regression_decisions as judging_models,
    report_state_changes,
)
from reports.review.report_page_data import ReportPage
from runs import regression_job, rehearsal_truth
from runs.models import Run
from runs.rehearsal_truth import true_coefficients
from surveys.lifecycle import state_changes as lifecycle
from surveys.models import Survey
from tests.cast import As, shared_rows, with_role
from tests.reports import made
from tests.reports.conftest import READERS, desk_page, from_json
from tests.reports.test_studies import PARAMETERS, as_number, cells
from tests.runs import sealed
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

    def shares_by_version(self, item: str, among: True_) -> list[float]:
        drawn = self.yes[VERSION]
        return [self.share(item, among & (drawn == version)) for version in (False, True)]


@pytest.fixture(scope="module")
def rehearsal_run_with_people(shared_rows: None, django_db_blocker: DjangoDbBlocker) -> tuple[Run, People]:
    """A run, and the people of it, noted while they answer, before anything of them is counted."""
    noted, add = People(), true_counts.add_to_true_counts

    def note_and_add(survey: Survey, design: Any, group: True_, true: True_) -> None:
        noted.add(group, true)
        add(survey, design, group, true)

    with django_db_blocker.unblock(), pytest.MonkeyPatch.context() as patched:
        patched.setattr(true_counts, "add_to_true_counts", note_and_add)
        return rehearse(with_role(RESEARCHERS, "owner")), noted


@pytest.fixture
def cast(rehearsal_run_with_people: tuple[Run, People], db: None) -> tuple[Person, Person]:
    return Person.objects.get(username="owner"), with_role(REVIEWERS, "reviewer")


@pytest.fixture
def people(rehearsal_run_with_people: tuple[Run, People]) -> People:
    return rehearsal_run_with_people[1]


@pytest.fixture
def run(rehearsal_run_with_people: tuple[Run, People], db: None) -> Run:
    return Run.objects.get(pk=rehearsal_run_with_people[0].pk)


def rehearse(owner: Person) -> Run:
    """A few answer the control items at random, as many as may be published and too few for a model."""
    design = sealed.study(rehearsal=True)
    survey = sealed.survey(owner, design, [])
    Survey.objects.filter(pk=survey.pk).update(state=Survey.State.OPEN)
    survey.refresh_from_db()
    yes = sealed.YES | {"moon": 0.03, "mars": 0.03}
    shares = tuple((1 - yes[asked.name], yes[asked.name]) for asked in design.questions)
    respondent_simulation.simulate(survey, 2_000, population=Population(Independent(shares)), seed=1)
    lifecycle.close_survey(survey, owner, NOW)
    done = sealed.mine_sealed(survey, owner, PARAMETERS)
    report_state_changes.create_reviews_of_finished_runs(NOW)
    return done


@pytest.fixture
def study_of_report(run: Run) -> Study:
    return ReportPage(Review.objects.with_surveys().get(), whole=True).content.study


def controls(of: Study) -> Controls:
    assert of.controls
    return of.controls


def test_arms_corrected_shares_and_versions_stand_beside_their_truth(
    study_of_report: Study, people: People
) -> None:
    # The shares of both arms stand beside those of their people.
    assert study_of_report.arms
    rows = (*study_of_report.arms.items, *study_of_report.arms.controls)
    assert [row.item for row in rows][-2:] == ["moon=yes", "mars=yes"]
    assert len(rows) == 6
    for row in rows:
        direct, disguised = (people.share(row.item, among) for among in (~people.disguised, people.disguised))
        assert row.truth_direct == pytest.approx(direct, abs=1e-12)
        assert row.truth_disguised == pytest.approx(disguised, abs=1e-12)
        assert row.truth == pytest.approx(disguised - direct, abs=1e-12)
        # Direct answers are not disguised, and every record is in the run.
        assert row.direct == pytest.approx(direct, abs=1e-12)
    # Corrected shares stand beside the truth without those who answer at random.
    of = controls(study_of_report)
    assert of.item == "moon=yes"
    assert len(of.items) == 4
    # Nobody who reads the control item says yes, of those at random one half: in this design all items are yes or no.
    careless = 2 * people.share("moon=yes", people.disguised)
    assert careless > 0
    for one in of.items:
        share = people.share(one.item, people.disguised)
        assert one.truth == pytest.approx((share - careless / 2) / (1 - careless), abs=1e-12)
    # The difference of versions stands beside that of the people who drew them.
    (words,) = of.words
    first, second = people.shares_by_version(words.item, people.disguised)
    assert words.truth == pytest.approx(first - second, abs=1e-12)
    assert words.truth != 0


def test_every_true_value_stands_on_the_page(study_of_report: Study, run: Run, judging: Client) -> None:
    page = judging.get(desk_page("study")).content.decode()
    assert study_of_report.arms
    for heading, of in (
        ("By arm", study_of_report.arms.items),
        ("Control items by arm", study_of_report.arms.controls),
    ):
        for row, one in zip(cells(page, heading), of, strict=True):
            shown = [as_number(cell.split(" Truth ")[1].split("%")[0].split(" if ")[0]) for cell in row[1:4]]
            wanted = [one.truth_direct, one.truth_disguised, one.truth]
            assert shown == [round(100 * value, 1) for value in wanted if value is not None]
    shown = [as_number(row[4].split(" Truth ")[1].rstrip(" %")) for row in cells(page, "Corrected shares")]
    assert shown == [round(100 * (one.truth or 0), 1) for one in controls(study_of_report).items]
    ((*_others, last),) = cells(page, "Was one of the words “same” and “different” preferred?")
    assert [as_number(last)] == [round(100 * (one.truth or 0), 1) for one in controls(study_of_report).words]
    assert "The diamond marks what the simulated respondents of each arm truly answered." in page


def test_files_hold_the_truth_in_columns_of_its_own(run: Run, reviewer: Person, reading: Client) -> None:
    made.publish(Review.objects.get(), reviewer)
    left = read_published_content.published_report_without_rules(Review.objects.get()).study
    assert left.arms
    tables: dict[str, tuple[Any, ...]] = {
        "arms": (*left.arms.items, *left.arms.controls),
        "corrected_shares": controls(left).items,
        "crosswise_words": controls(left).words,
    }
    for (table, of), read in product(tables.items(), READERS):
        columns = ("truth_direct", "truth_disguised", "truth") if table == "arms" else ("truth",)
        rows = read(reading, table)
        assert tuple(rows[0])[-len(columns) :] == columns, read
        for column in columns:
            truth = [getattr(one, column) for one in of]
            assert [float(row[column]) for row in rows] == pytest.approx(truth, rel=0, abs=1e-12), read
    study = from_json(reading)["report"]["study"]
    assert [row["truth"] for row in study["arms"]["items"]] == [row.truth for row in left.arms.items]
    assert [row["truth"] for row in study["controls"]["items"]] == [one.truth for one in controls(left).items]


def test_report_of_real_people_has_no_truth(
    stranger: Person, reviewer: Person, signed_in_as: As, judging: Client
) -> None:
    survey = sealed.study_survey(stranger, sealed.study(), [500, 300])
    review = made.waiting_review(sealed.mine_sealed(survey, stranger, PARAMETERS))
    page = judging.get(desk_page("study", review)).content.decode()
    assert "mark truth" not in page
    assert "Truth" not in page
    made.publish(review, reviewer)
    for read, table in product(READERS, ("arms", "corrected_shares", "crosswise_words")):
        rows = read(signed_in_as(stranger), table, review)
        assert not [column for column in rows[0] if "truth" in column], (read, table)


BY_AGE_AND_VERSION = {"item": "theft=yes", "on": ["age", "version"]}


def columns(people: People, *, product: bool) -> True_:
    age, version = people.yes[0], people.yes[VERSION]
    kept = [np.ones(len(age)), age, version, *([age & version] if product else [])]
    return np.stack(kept, axis=1).astype(np.float64)[people.disguised]


def true_coefficients_of(run: Run, **specification: Any) -> dict[str, float]:
    known = rehearsal_truth.read_truth(run)
    return dict(true_coefficients(regression_job.parse_request(run.mined_design, specification), known))


def test_true_coefficients_are_those_of_the_equations_on_the_true_answers(run: Run, people: People) -> None:
    """Least squares, without a product and with one; and the score of a logit, which is 0 there."""
    steals = people.yes[THEFT, people.disguised].astype(np.float64)
    for products in ([], ["age*version"]):
        wanted = np.linalg.lstsq(columns(people, product=bool(products)), steals, rcond=None)[0]
        known = true_coefficients_of(run, **BY_AGE_AND_VERSION, products=products)
        assert list(known)[:3] == ["1", "age=old", "version=b"]
        assert list(known.values()) == pytest.approx(wanted, abs=1e-9)
    w = columns(people, product=False)
    found = np.array(list(true_coefficients_of(run, **BY_AGE_AND_VERSION, logit=True).values()))
    assert w.T @ (steals - 1 / (1 + np.exp(-w @ found))) == pytest.approx(np.zeros(3), abs=1e-6)


def test_a_filter_leaves_out_others_and_what_is_too_rare_is_not_known(run: Run, people: People) -> None:
    found = true_coefficients_of(run, item="theft=yes", on=["version"], among=["age=old"])
    first, second = people.shares_by_version("theft=yes", people.disguised & people.yes[0])
    assert list(found.values()) == pytest.approx([first, second - first], abs=1e-9)
    assert true_coefficients_of(run, item="theft=yes", on=["age", "version"], among=["moon=no"]) == {}
    assert true_coefficients_of(run, item="theft=yes", on=["age", "arm"]) == {}
    # About thirty people were on the moon, below the floor of fifty.
    assert true_coefficients_of(run, item="theft=yes", on=["moon"]) == {}


def test_page_and_files_of_models_hold_the_true_coefficients_that_are_known(
    run: Run, owner: Person, reviewer: Person, signed_in_as: As, judging: Client
) -> None:
    sealed.model(run, owner, **BY_AGE_AND_VERSION)
    sealed.model(run, owner, item="theft=yes", on=["age", "arm"])
    known = true_coefficients_of(run, **BY_AGE_AND_VERSION)
    page = judging.get(desk_page("models")).content.decode()
    by_version, by_arm = (page.split(f'id="model-{number}"')[1].split("</section>")[0] for number in (1, 2))
    (heading, *_others) = re.findall(r'aria-label="([^"]+)"', by_version)
    shown = [as_number(row[-1]) for row in cells(by_version, heading)]
    assert shown == [round(100 * b, 1) for b in known.values()]
    assert "mark truth" not in by_arm
    review = Review.objects.with_surveys().get()
    for job in run.model_jobs.order_by("number"):
        judging_models.decide_model(review, reviewer, job.model, Decision.Verdict.ACCEPT, "", NOW)
    made.publish(review, reviewer)
    client = signed_in_as(owner)
    for read in READERS:
        rows = read(client, "model_coefficients")
        assert list(rows[0])[-1] == "truth", read
        found = [float(row["truth"]) for row in rows[:3]]
        assert found == pytest.approx(list(known.values()), abs=1e-12), read
        assert {row["truth"] or None for row in rows[3:]} == {None}, read
    first, second = from_json(client)["models"]
    assert [row["truth"] for row in first["coefficients"]] == pytest.approx(list(known.values()), abs=1e-12)
    assert not any("truth" in row for row in second["coefficients"])
