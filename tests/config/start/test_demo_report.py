"""The demo's report: each interval and the truth beside it are of the same people, and the words say of whom."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime

import pytest

from accounts.models import Person
from config.start import demo
from config.start.demo_people import employees
from config.tour import walk
from intake.rehearsal.made_up import made_up
from intake.rehearsal.simulating import simulate
from privacy.designs import Design
from privacy.simulation.population import Population
from reports.models import Review
from reports.pages import page_rows
from reports.review import publishing
from reports.review.report_page import ReportPage
from runs import starting
from surveys.draft import Draft
from tests.cast import As
from tests.jobs.attempts import attempt
from tests.reports.paged import shown
from ui.numbers import count

pytestmark = [pytest.mark.page, pytest.mark.django_db]
NOW = datetime(2026, 12, 1, tzinfo=UTC)
SEEDS = range(1, 6)


def report(seed: int, draft: Draft, people: Callable[[Design], Population]) -> ReportPage:
    """Of another survey that asks this, which 3,000 simulated people answered."""
    owner = Person.objects.create(username=f"researcher-{seed}")
    survey = demo.opened(owner, draft, NOW)
    assert survey.design
    simulate(survey, 3_000, seed=seed, population=people(survey.design.content))
    run = starting.start(survey, owner, demo.WANTED, NOW)
    attempt(run)
    publishing.add_finished_runs(NOW)
    return ReportPage(Review.objects.with_surveys().get(run=run), whole=True)


def of_the_code() -> Draft:
    return demo.questionnaire(NOW.date(), walk.QUESTIONNAIRE)


Row = tuple[float | None, float | None, float | None]


def rows(page: ReportPage) -> Iterator[Row]:
    """The interval's ends and the truth of every sensitive answer, in its denominators, of each class and itemset."""
    for question in page_rows.shares(page, sensitive=True):
        for share in question.shares:
            yield from ((one.low, one.truth, one.high) for one in share.by_denominator)
    for table in page.content.groups:
        for group in table.rows:
            for cell in group.cells:
                yield cell.low, cell.truth, cell.high
                yield cell.low_shown, cell.truth_shown, cell.high_shown
    for itemset in page.read_itemsets(page.itemsets):
        yield itemset.low, itemset.truth, itemset.high
        yield itemset.low_shown, itemset.truth_shown, itemset.high_shown


def test_intervals_of_the_demo_hold_the_truth_that_stands_beside_them() -> None:
    inside = [
        low <= truth <= high
        for seed in SEEDS
        for low, truth, high in rows(report(seed, demo.questionnaire(NOW.date()), employees))
        if low is not None and truth is not None and high is not None
    ]
    assert len(inside) > 2_000
    assert sum(inside) >= 0.93 * len(inside)


def test_intervals_hold_the_truth_of_the_people_that_they_are_of() -> None:
    """Those with something to hide choose openness less often: the truth of everybody would be missed."""
    for seed in SEEDS:
        page = report(seed, of_the_code(), made_up)
        assert page.about.n_open > 500
        told = [(low, truth, high) for low, truth, high in rows(page) if None not in (low, truth, high)]
        assert len(told) > 100
        inside = [low <= truth <= high for low, truth, high in told]  # type: ignore[operator]

        assert sum(inside) >= 0.9 * len(inside), seed


def test_the_words_of_the_report_are_of_the_same_people(reviewer: Person, signed_in_as: As) -> None:
    """A rehearsal uses the answers of those who chose no disguise at any time."""
    page = report(1, of_the_code(), made_up)
    about = page.about
    assert not about.disguised_only
    assert 0 < about.n_open < about.records
    text = shown(signed_in_as(reviewer), page.url("shares"))
    said = f"From {count(about.disguised)} people who chose disguise and {count(about.n_open)} who did not."
    assert said in text
    assert "estimated apart" in text
