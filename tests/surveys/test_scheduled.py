"""What the tick does to surveys."""

import logging
from datetime import UTC, date, datetime, timedelta

import pytest

from accounts.models import History, Person
from jobs import tick
from surveys.kinds.read_draft import read_questionnaire
from surveys.lifecycle import due_surveys, opening, state_changes as lifecycle
from surveys.models import Logo, Survey
from tests.surveys import drafts
from tests.surveys.conftest import NOW, Answers, acts, changed, state

pytestmark = pytest.mark.page
DAY, SECOND = timedelta(days=1), timedelta(seconds=1)


def test_the_tick_opens_and_closes_a_survey_at_its_time_and_not_before(draft: Survey, owner: Person) -> None:
    fired = tick.registrations()
    assert [fired[f"surveys.{name}"].function for name in ("open", "close", "destroy", "logos")] == [
        due_surveys.open_due_surveys,
        due_surveys.close_due_or_full_surveys,
        due_surveys.destroy_due_surveys,
        due_surveys.delete_unused_logos,
    ]
    opens, closes = NOW + timedelta(hours=1), NOW + timedelta(hours=2)
    opening.schedule_opening(draft, owner, opens, NOW)
    due_surveys.open_due_surveys(opens - SECOND)
    assert state(draft) == "draft"
    due_surveys.open_due_surveys(opens)
    assert state(draft) == "open"
    changed(draft, closes=closes)
    due_surveys.close_due_or_full_surveys(closes - SECOND)
    assert state(draft) == "open"
    due_surveys.close_due_or_full_surveys(closes)
    assert state(draft) == "closed"
    assert History.objects.about(draft).get(what="surveys.closed").who is None


@pytest.mark.parametrize(
    ("cap", "sealed", "waiting", "after"),
    [(300, 200, 99, "open"), (300, 200, 100, "closed"), (300, 0, 301, "closed"), (None, 10**6, 0, "open")],
)
def test_a_survey_closes_when_the_cap_is_reached(
    opened: Survey, answers: Answers, cap: int | None, sealed: int, waiting: int, after: str
) -> None:
    changed(opened, cap=cap)
    answers(opened, sealed=sealed, waiting=waiting)
    due_surveys.close_due_or_full_surveys(NOW)
    assert state(opened) == after


@pytest.mark.parametrize("fixture", ["opened", "closed", "finished"])
def test_on_its_day_a_survey_is_destroyed_whatever_its_state(
    fixture: str, request: pytest.FixtureRequest
) -> None:
    survey: Survey = request.getfixturevalue(fixture)
    changed(survey, destroy_on=date(2027, 3, 1))
    due_surveys.destroy_due_surveys(datetime(2027, 2, 28, 23, 59, tzinfo=UTC))
    assert state(survey) != "destroyed"
    due_surveys.destroy_due_surveys(datetime(2027, 3, 1, 0, 0, tzinfo=UTC))
    assert state(survey) == "destroyed"
    assert History.objects.about(survey).get(what="surveys.destroyed").who is None


def test_the_day_begins_in_the_instances_own_time_zone(closed: Survey, settings: object) -> None:
    settings.TIME_ZONE = "Asia/Shanghai"  # type: ignore[attr-defined]
    changed(closed, destroy_on=date(2027, 3, 1))
    due_surveys.destroy_due_surveys(datetime(2027, 2, 28, 15, 59, tzinfo=UTC))
    assert state(closed) == "closed"
    due_surveys.destroy_due_surveys(datetime(2027, 2, 28, 16, 0, tzinfo=UTC))
    assert state(closed) == "destroyed"


def test_a_second_tick_does_nothing_more(opened: Survey) -> None:
    changed(opened, destroy_on=date(2026, 12, 1), closes=NOW)
    for _ in range(2):
        due_surveys.close_due_or_full_surveys(NOW)
        due_surveys.destroy_due_surveys(NOW)
    assert acts(opened) == ["surveys.opened", "surveys.closed", "surveys.destroyed"]


def test_a_failure_keeps_no_others(opened: Survey, owner: Person, caplog: pytest.LogCaptureFixture) -> None:
    other = Survey.objects.create(owner=owner, draft=opened.draft)
    opening.open_survey_now(other, owner, NOW)
    Survey.objects.update(closes=NOW)

    def fail(sender: object, survey: Survey, **more: object) -> None:
        if survey.pk == other.pk:
            raise RuntimeError("cannot seal")

    lifecycle.survey_closed.connect(fail)
    try:
        with caplog.at_level(logging.ERROR):
            due_surveys.close_due_or_full_surveys(NOW)
    finally:
        lifecycle.survey_closed.disconnect(fail)
    assert (state(opened), state(other)) == ("closed", "open")
    assert f"survey {other.pk} could not be handled" in caplog.text


def with_logo(owner: Person, logo: str) -> Survey:
    more = {"logo": logo, "logo_alt": {"en": "University of Example"}}
    return Survey.objects.create(owner=owner, draft=read_questionnaire(drafts.complete() | more).as_json())


def logos(days: int, less: timedelta = timedelta()) -> set[str]:
    """Those that are left so many days after NOW."""
    due_surveys.delete_unused_logos(NOW + days * DAY - less)
    return set(Logo.objects.values_list("pk", flat=True))


def test_a_logo_is_deleted_a_day_after_the_last_draft_that_named_it(owner: Person) -> None:
    replaced, deleted = Logo.store_picture(b"replaced"), Logo.store_picture(b"of a deleted draft")
    survey, other = with_logo(owner, replaced), with_logo(owner, deleted)
    copy = with_logo(owner, replaced)
    Survey.objects.create(owner=owner, draft=drafts.complete())
    assert logos(0) == {replaced, deleted} == logos(2)
    changed(survey, draft={**survey.draft, "logo": Logo.store_picture(b"new")})
    lifecycle.destroy_survey(other, owner, NOW + 2 * DAY)
    # It can be taken back for a day, and the copy still has the one that was replaced.
    assert logos(2) > {replaced, deleted}
    assert logos(3, less=SECOND) > {replaced, deleted}
    assert logos(3) == {replaced, Logo.store_picture(b"new")}
    lifecycle.destroy_survey(copy, owner, NOW + 3 * DAY)
    assert replaced in logos(4)
    assert logos(5) == {Logo.store_picture(b"new")}


def test_a_logo_that_was_taken_back_or_uploaded_again_begins_anew(owner: Person) -> None:
    logo = Logo.store_picture(b"a picture")
    assert logos(0) == {logo}
    survey = with_logo(owner, logo)
    assert logos(2) == {logo}
    lifecycle.destroy_survey(survey, owner, NOW + 2 * DAY)
    assert logos(3) == {logo}
    Logo.store_picture(b"a picture")
    assert logos(4) == {logo}
    assert logos(5) == set()


def test_the_logo_of_a_survey_that_was_opened_stays_with_its_design(owner: Person) -> None:
    logo = Logo.store_picture(b"a picture")
    survey = with_logo(owner, logo)
    for step in (opening.open_survey_now, *(lifecycle.close_survey, lifecycle.finish_survey)):
        step(survey, owner, NOW)
    lifecycle.destroy_survey(survey, owner, NOW)
    logos(1)
    assert logos(3) == {logo}
