"""What the tick does to surveys."""

import logging
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta

import pytest

from accounts.models import History, Person
from jobs import tick
from surveys.kinds.read_draft import read_questionnaire
from surveys.lifecycle import due_surveys, opening, state_changes as lifecycle
from surveys.models import Logo, Survey
from tests.surveys import drafts
from tests.surveys.conftest import NOW, acts, state

pytestmark = pytest.mark.page
Answers = Callable[..., None]


def test_the_tick_knows_of_surveys() -> None:
    fired = tick.registrations()
    assert [fired[f"surveys.{name}"].function for name in ("open", "close", "destroy", "logos")] == [
        due_surveys.open_due_surveys,
        due_surveys.close_due_surveys,
        due_surveys.destroy_due_surveys,
        due_surveys.delete_unused_logos,
    ]


def test_a_survey_opens_at_its_time_and_not_before(draft: Survey, owner: Person) -> None:
    opens = NOW + timedelta(hours=1)
    opening.schedule_opening(draft, owner, opens, NOW)
    due_surveys.open_due_surveys(opens - timedelta(seconds=1))
    assert state(draft) == "draft"
    due_surveys.open_due_surveys(opens)
    assert state(draft) == "open"


def test_a_survey_closes_at_its_time_and_not_before(opened: Survey) -> None:
    closes = NOW + timedelta(hours=1)
    Survey.objects.filter(pk=opened.pk).update(closes=closes)
    due_surveys.close_due_surveys(closes - timedelta(seconds=1))
    assert state(opened) == "open"
    due_surveys.close_due_surveys(closes)
    assert state(opened) == "closed"
    assert History.objects.about(opened).get(what="surveys.closed").who is None


@pytest.mark.parametrize(
    ("sealed", "waiting", "after"), [(200, 99, "open"), (200, 100, "closed"), (0, 301, "closed")]
)
def test_a_survey_closes_when_the_cap_is_reached(
    opened: Survey, answers: Answers, sealed: int, waiting: int, after: str
) -> None:
    Survey.objects.filter(pk=opened.pk).update(cap=300)
    answers(opened, sealed=sealed, waiting=waiting)
    due_surveys.close_due_surveys(NOW)
    assert state(opened) == after


def test_a_survey_without_cap_takes_any_number(opened: Survey, answers: Answers) -> None:
    answers(opened, sealed=10**6)
    due_surveys.close_due_surveys(NOW)
    assert state(opened) == "open"


@pytest.mark.parametrize("fixture", ["opened", "closed", "finished"])
def test_on_its_day_a_survey_is_destroyed_whatever_its_state(
    fixture: str, request: pytest.FixtureRequest
) -> None:
    survey: Survey = request.getfixturevalue(fixture)
    Survey.objects.filter(pk=survey.pk).update(destroy_on=date(2027, 3, 1))
    due_surveys.destroy_due_surveys(datetime(2027, 2, 28, 23, 59, tzinfo=UTC))
    assert state(survey) != "destroyed"
    due_surveys.destroy_due_surveys(datetime(2027, 3, 1, 0, 0, tzinfo=UTC))
    assert state(survey) == "destroyed"
    assert History.objects.about(survey).get(what="surveys.destroyed").who is None


def test_the_day_begins_in_the_instances_own_time_zone(closed: Survey, settings: object) -> None:
    settings.TIME_ZONE = "Asia/Shanghai"  # type: ignore[attr-defined]
    Survey.objects.filter(pk=closed.pk).update(destroy_on=date(2027, 3, 1))
    due_surveys.destroy_due_surveys(datetime(2027, 2, 28, 15, 59, tzinfo=UTC))
    assert state(closed) == "closed"
    due_surveys.destroy_due_surveys(datetime(2027, 2, 28, 16, 0, tzinfo=UTC))
    assert state(closed) == "destroyed"


def test_a_second_tick_does_nothing_more(opened: Survey) -> None:
    Survey.objects.filter(pk=opened.pk).update(destroy_on=date(2026, 12, 1), closes=NOW)
    for _ in range(2):
        due_surveys.close_due_surveys(NOW)
        due_surveys.destroy_due_surveys(NOW)
    assert acts(opened) == ["surveys.opened", "surveys.closed", "surveys.destroyed"]


def test_one_survey_that_fails_does_not_keep_the_others(
    opened: Survey, owner: Person, caplog: pytest.LogCaptureFixture
) -> None:
    other = Survey.objects.create(owner=owner, draft=opened.draft)
    opening.open_survey_now(other, owner, NOW)
    Survey.objects.update(closes=NOW)

    def fail(sender: object, survey: Survey, **more: object) -> None:
        if survey.pk == other.pk:
            raise RuntimeError("cannot seal")

    lifecycle.survey_closed.connect(fail)
    try:
        with caplog.at_level(logging.ERROR):
            due_surveys.close_due_surveys(NOW)
    finally:
        lifecycle.survey_closed.disconnect(fail)
    assert (state(opened), state(other)) == ("closed", "open")
    assert f"survey {other.pk} could not be handled" in caplog.text


def with_logo(owner: Person, logo: str) -> Survey:
    words = {"en": "University of Example"}
    draft = read_questionnaire({**drafts.complete(), "logo": logo, "logo_alt": words}).as_json()
    return Survey.objects.create(owner=owner, draft=draft)


def logos(now: datetime) -> set[str]:
    due_surveys.delete_unused_logos(now)
    return set(Logo.objects.values_list("pk", flat=True))


DAY = timedelta(days=1)


def test_a_logo_is_deleted_a_day_after_the_last_draft_that_named_it(owner: Person) -> None:
    replaced, deleted = Logo.store_picture(b"replaced"), Logo.store_picture(b"of a deleted draft")
    survey, other = with_logo(owner, replaced), with_logo(owner, deleted)
    copy = with_logo(owner, replaced)
    Survey.objects.create(owner=owner, draft=drafts.complete())
    assert logos(NOW) == {replaced, deleted} == logos(NOW + 2 * DAY)
    Survey.objects.filter(pk=survey.pk).update(draft={**survey.draft, "logo": Logo.store_picture(b"new")})
    lifecycle.destroy_survey(other, owner, NOW + 2 * DAY)
    # It can be taken back for a day, and the copy still has the one that was replaced.
    assert logos(NOW + 2 * DAY) > {replaced, deleted}
    assert logos(NOW + 3 * DAY - timedelta(seconds=1)) > {replaced, deleted}
    assert logos(NOW + 3 * DAY) == {replaced, Logo.store_picture(b"new")}
    lifecycle.destroy_survey(copy, owner, NOW + 3 * DAY)
    assert replaced in logos(NOW + 4 * DAY)
    assert logos(NOW + 5 * DAY) == {Logo.store_picture(b"new")}


def test_a_logo_that_was_taken_back_or_uploaded_again_begins_anew(owner: Person) -> None:
    logo = Logo.store_picture(b"a picture")
    assert logos(NOW) == {logo}
    survey = with_logo(owner, logo)
    assert logos(NOW + 2 * DAY) == {logo}
    lifecycle.destroy_survey(survey, owner, NOW + 2 * DAY)
    assert logos(NOW + 3 * DAY) == {logo}
    Logo.store_picture(b"a picture")
    assert logos(NOW + 4 * DAY) == {logo}
    assert logos(NOW + 5 * DAY) == set()


def test_the_logo_of_a_survey_that_was_opened_stays_with_its_design(owner: Person) -> None:
    logo = Logo.store_picture(b"a picture")
    survey = with_logo(owner, logo)
    opening.open_survey_now(survey, owner, NOW)
    lifecycle.close_survey(survey, owner, NOW)
    lifecycle.finish_survey(survey, owner, NOW)
    lifecycle.destroy_survey(survey, owner, NOW)
    logos(NOW + DAY)
    assert logos(NOW + 3 * DAY) == {logo}
