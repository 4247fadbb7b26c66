"""A survey that repeats another one, compared with it on the page of its study."""

import csv
from collections.abc import Callable
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

import candor
from accounts.models import Person
from mining.nodes.report_nodes import Estimate
from mining.parameters import Parameters
from reports.models import Review
from reports.pages.wave_comparison import WaveComparison, compare_waves
from reports.review import report_state_changes
from reports.review.report_page_data import ReportPage, readable_page
from reports.review.wave_differences import NUMBERS, has_error, has_same_population, reconstruct_answer_counts
from surveys.models import Collaborator, Survey
from tests.cast import As
from tests.privacy import questionnaires as questions
from tests.reports import made
from tests.reports.conftest import page_text
from tests.runs import sealed
from tests.surveys.conftest import NOW

pytestmark = pytest.mark.page

Published = Callable[..., Survey]


@pytest.fixture
def publish_survey(owner: Person, reviewer: Person) -> Published:
    """A survey with its published report; `asks` changes its design."""

    def publish(n: int, *, estimator: Any = "stratified", **asks: Any) -> Survey:
        survey = sealed.study_survey(owner, sealed.study(direct=None, **asks), [n])
        wanted = Parameters(min_support=0.3, min_confidence=0.5, max_size=2, estimator=estimator)
        run = sealed.mine_sealed(survey, owner, wanted)
        made.publish(made.waiting_review(run), reviewer)
        return survey

    return publish


def report(survey: Survey) -> ReportPage:
    return ReportPage(Review.objects.with_surveys().get(run__survey=survey), whole=False)


def waves(survey: Survey, person: Person) -> WaveComparison:
    page = readable_page(report(survey).review, person)
    assert page
    found = compare_waves(page)
    assert found
    return found


def page_of(survey: Survey, person: Person, signed_in_as: As) -> str:
    return unescape(page_text(signed_in_as(person), f"/app/reports/{report(survey).review.pk}/study"))


@pytest.mark.parametrize("open_answers", [False, pytest.param(True, marks=pytest.mark.night)])
def test_page_and_file_say_what_the_command_finds_in_the_records_of_both_to_who_may_read_both(
    publish_survey: Published, owner: Person, reviewer: Person, stranger: Person, signed_in_as: As, reading: Client,
    judging: Client, tmp_path: Path, open_answers: bool,
) -> None:  # fmt: skip
    first = publish_survey(300, open_answers=open_answers)
    second = publish_survey(400, open_answers=open_answers, follows=first.design_id)
    Collaborator.objects.create(survey=second, person=stranger, may_edit=False)
    folders = [tmp_path / name for name in ("first", "second")]
    for survey, folder in zip((first, second), folders, strict=True):
        folder.mkdir()
        sealed.write_files(survey, folder)
    files = [candor.read_records(folder / "records.csv", folder / "design.json") for folder in folders]
    wanted = {one.item: one for one in candor.compare_waves(*files).items}
    found = waves(second, owner)
    assert found.left_out == 0
    # Control items are no results of the survey.
    assert {row.item for row in found.rows} == wanted.keys() - {"moon=yes", "mars=yes"}
    for row in found.rows:
        for name in (*NUMBERS, "n_earlier", "n_later"):
            assert getattr(row, name) == pytest.approx(getattr(wanted[row.item], name), abs=1e-9), name
    ordered = sorted(found.rows, key=lambda row: row.p or 0)
    adjusted = [(len(ordered) - place) * (row.p or 0) for place, row in enumerate(ordered)]
    holm = [min(1, max(adjusted[: place + 1])) for place in range(len(ordered))]
    assert [row.holm for row in ordered] == pytest.approx(holm)
    number = report(second).review.pk
    address = f"/app/reports/{number}/study/waves.csv"
    page = page_of(second, owner, signed_in_as)
    assert "Compared with the earlier survey" in page
    assert "Work and health, run" in page
    assert "The same people may have answered both surveys, with other answers" in page
    assert f'href="{address}"' in reading.get(f"/app/reports/{number}/study").content.decode()
    answer = reading.get(address)
    assert answer["Content-Type"] == "text/csv; charset=utf-8"
    rows = list(csv.DictReader(answer.content.decode().splitlines()))
    assert [row["item"] for row in rows] == [row.item for row in found.rows]
    for written, row in zip(rows, found.rows, strict=True):
        assert written["item_in_words"].endswith(report(second).labels.answer(row.item).choice)
        for name in (*NUMBERS, "holm", "n_earlier", "n_later"):
            assert float(written[name]) == getattr(row, name), name
    desk = f"/app/admin/reports/review/{number}/study/waves.csv"
    assert judging.get(desk).content == answer.content
    # The first repeats nothing, and who may not read its report is not told its numbers.
    assert reading.get(f"/app/reports/{report(first).review.pk}/study/waves.csv").status_code == 404
    assert signed_in_as(stranger).get(address).status_code == 404
    assert waves(second, stranger) == WaveComparison(None)
    assert "There is nothing to compare with" in page_of(second, stranger, signed_in_as)
    # A withdrawn report is not compared.
    report_state_changes.withdraw(report(first).review, reviewer, "Wrong.", "http://localhost", NOW)
    assert waves(second, owner).earlier is None


def test_incomparable_waves_are_left_out(publish_survey: Published, owner: Person, signed_in_as: As) -> None:
    first = publish_survey(300, estimator="pooled")
    # A survey that repeats none has no such page.
    of = report(first)
    assert compare_waves(of) is None
    assert "study" not in [tab.label.lower() for tab in of.tabs("shares")] or of.is_study
    second = publish_survey(400, follows=first.design_id)
    assert not waves(second, owner).stratified
    assert "The estimators differ" in page_of(second, owner, signed_in_as)
    unpublished = sealed.study_survey(owner, sealed.study(direct=None, title={"en": "Other"}), [300])
    third = publish_survey(400, follows=unpublished.design_id)
    assert "There is nothing to compare with" in page_of(third, owner, signed_in_as)


def test_who_may_read_the_earlier_report_before_it_is_published_reads_the_comparison(
    publish_survey: Published, owner: Person, reviewer: Person, judging: Client
) -> None:
    earlier = sealed.study_survey(owner, sealed.study(direct=None), [300])
    wanted = Parameters(min_support=0.3, min_confidence=0.5, max_size=2, estimator="stratified")
    unpublished = made.waiting_review(sealed.mine_sealed(earlier, owner, wanted))
    second = publish_survey(400, follows=earlier.design_id)
    assert waves(second, owner).earlier is None
    found = waves(second, reviewer)
    assert found.earlier
    assert (found.earlier.review.pk, found.earlier.whole) == (unpublished.pk, True)
    assert found.rows
    page = unescape(page_text(judging, f"/app/admin/reports/review/{report(second).review.pk}/study"))
    assert "There is nothing to compare with" not in page
    made.publish(unpublished, reviewer)
    of_both = [waves(second, person) for person in (owner, reviewer)]
    assert [of.earlier and of.earlier.whole for of in of_both] == [False, False]
    assert of_both[0].rows == of_both[1].rows == found.rows


def share(**changed: Any) -> Estimate:
    known: dict[str, Any] = {"items": ("theft=yes",), "n_asked": 100, "n_open": 0, "observed": 0.3}
    known |= {"support": 0.2, "se": 0.02, "low": 0.16, "high": 0.24, "pooled": 0.2, "expected_w": None}
    return Estimate(**known | changed)


def test_what_is_withheld_or_of_others_is_not_compared() -> None:
    assert has_error(share())
    assert not has_error(share(support=None, se=None, low=None, high=None))
    alone = share(disguised_only=True)
    assert not has_same_population(share(), alone)
    assert has_same_population(alone, alone)


def test_what_a_condition_can_hide_is_not_compared(publish_survey: Published, owner: Person) -> None:
    """Of so few people who were shown it a report says no share among them, but one among all."""
    behind = questions.question("lying", *questions.HALF, show_if={"age": ["old"]})
    age = {"name": "age", "text": {"en": "How old are you?"}, "choices": ["young", "old"]}
    theft = questions.question("theft", *questions.HALF)
    asks: dict[str, Any] = {
        "sections": [questions.plain(age), questions.sensitive("0.7", theft, behind)],
        "least": 50,
    }
    first = publish_survey(80, **asks)
    second = publish_survey(90, follows=first.design_id, **asks)
    said = {one.item: one for one in report(second).content.shares}
    assert said["lying=yes"].support is not None
    assert said["lying=yes"].share_shown is None
    found = waves(second, owner)
    assert {row.item for row in found.rows} == {"age=young", "age=old", "theft=yes"}
    assert found.left_out == 1


def test_the_counts_of_both_groups_follow_from_what_a_report_says(publish_survey: Published) -> None:
    """Of 100 records 40 are open with 8 *yes*; of 60 disguised 27 came back *yes*: .4 * .2 + .6 * (.45 - .15) / .7."""
    support = 0.4 * 0.2 + 0.6 * (0.45 - 0.15) / 0.7
    of = [share(n_open=40, observed=0.35, support=support), share(), share(items=("age=old",))]
    of.append(share(n_open=40, disguised_only=True))
    found = reconstruct_answer_counts(report(publish_survey(300)).labels, of)
    assert found.records.T.tolist() == [[40, 60], [0, 100], [100, 0], [0, 100]]
    assert found.having.T.tolist() == [[8, 27], [0, 30], [30, 0], [0, 30]]
    # Keep .7 and noise one half.
    assert (found.keep[1, 0], found.chance[1, 0]) == pytest.approx((0.7, 0.15))
