import json
from dataclasses import replace
from datetime import date, datetime, timedelta
from hashlib import sha256
from typing import Any

import pytest
from django.test import Client
from pytest_django.fixtures import Settings

from accounts.models import History, Person
from privacy import designs
from surveys.kinds.read_draft import read_questionnaire
from surveys.lifecycle import approvals, opening, save_draft, survey_creation
from surveys.lifecycle.freeze_draft import phrases_to_translate
from surveys.models import Design, Survey
from surveys.phrases.start_page import REHEARSAL
from surveys.questionnaire.closing_settings import EndSettings
from surveys.questionnaire.problems_and_refusals import InputRefused, NotAllowed
from tests.surveys import drafts
from tests.surveys.conftest import NOW, acts

pytestmark = pytest.mark.page
PROMISED = date(2099, 12, 31)


def test_opening_freezes_the_draft_into_its_design(draft: Survey, owner: Person) -> None:
    opening.open_survey_now(draft, owner, NOW)
    assert draft.state == "open"
    assert draft.design is not None
    written = designs.parse(json.dumps({k: v for k, v in drafts.complete().items() if k != "expected"}))
    assert replace(draft.design.content, phrases=()) == written
    assert len(draft.design.content.phrases) > 100
    assert sha256(draft.design.json.encode()).hexdigest() == draft.design_id


def test_opening_is_written_down_with_its_fingerprint(opened: Survey, owner: Person) -> None:
    act = History.objects.about(opened).get(what="surveys.opened")
    assert (act.who, act.note, act.when) == (owner, opened.design_id, NOW)


def test_the_day_of_destruction_is_the_one_that_was_promised(opened: Survey) -> None:
    assert str(opened.destroy_on) == "2099-12-31"


def test_two_surveys_that_ask_the_very_same_share_their_design(opened: Survey, owner: Person) -> None:
    copy = survey_creation.duplicate_survey(opened, owner, NOW)
    opening.open_survey_now(copy, owner, NOW)
    assert copy.design_id == opened.design_id
    assert Design.objects.count() == 1


def test_a_survey_opens_once(opened: Survey, owner: Person) -> None:
    with pytest.raises(NotAllowed, match="done already"):
        opening.open_survey_now(opened, owner, NOW)
    assert acts(opened) == ["surveys.opened"]


def test_a_closed_survey_is_not_opened_a_second_time_by_the_first_way(closed: Survey, owner: Person) -> None:
    with pytest.raises(NotAllowed, match="was opened once"):
        opening.open_survey_now(closed, owner, NOW)


def test_an_incomplete_draft_stays_a_draft_and_says_what_is_missing(draft: Survey, owner: Person) -> None:
    Survey.objects.filter(pk=draft.pk).update(draft=drafts.complete(contact="", why={}))
    with pytest.raises(InputRefused) as refused:
        opening.open_survey_now(draft, owner, NOW)
    assert [problem.path for problem in refused.value.problems] == ["why.en", "contact"]
    draft.refresh_from_db()
    assert (draft.state, draft.design, acts(draft)) == ("draft", None, [])


def test_what_is_opened_is_what_is_stored_not_what_was_read_before(draft: Survey, owner: Person) -> None:
    stale = Survey.objects.get(pk=draft.pk)
    Survey.objects.filter(pk=draft.pk).update(draft=drafts.complete(minutes=9))
    opening.open_survey_now(stale, owner, NOW)
    assert stale.design is not None
    assert stale.design.content.minutes == 9


def test_the_instances_floor_is_respected(draft: Survey, owner: Person, settings: Settings) -> None:
    settings.LEAST_FLOOR = 500
    with pytest.raises(InputRefused, match="least must be at least 500"):
        opening.open_survey_now(draft, owner, NOW)


@pytest.mark.parametrize(
    ("column", "value"), [("cap", 99), ("closes", NOW), ("closes", NOW.replace(year=2100))]
)
def test_an_end_that_does_not_fit_keeps_it_a_draft(
    draft: Survey, owner: Person, column: str, value: object
) -> None:
    Survey.objects.filter(pk=draft.pk).update(**{column: value})
    with pytest.raises(InputRefused) as refused:
        opening.open_survey_now(draft, owner, NOW)
    assert [problem.path for problem in refused.value.problems] == [column]


class TestWeakSettings:
    def test_are_named_with_their_numbers(self, weak: Survey) -> None:
        assert [problem.reason for problem in opening.opening_checklist(weak, NOW).weak] == [
            "one person's epsilon is 6.94, above 5",
            "batches of 50, fewer than 100",
        ]

    def test_do_not_open_without_a_reviewers_yes(self, weak: Survey, owner: Person) -> None:
        with pytest.raises(NotAllowed, match="no reviewer has approved them"):
            opening.open_survey_now(weak, owner, NOW)
        assert not Design.objects.exists()

    def test_open_with_it(self, weak: Survey, owner: Person, reviewer: Person) -> None:
        self.allow(weak, reviewer)
        opening.open_survey_now(weak, owner, NOW)
        assert weak.state == "open"

    def test_a_yes_holds_for_that_very_fingerprint(
        self, weak: Survey, owner: Person, reviewer: Person
    ) -> None:
        self.allow(weak, reviewer)
        Survey.objects.filter(pk=weak.pk).update(draft={**weak.draft, "minutes": 5})
        with pytest.raises(NotAllowed, match="no reviewer has approved them"):
            opening.open_survey_now(weak, owner, NOW)

    def test_a_yes_for_one_survey_is_none_for_its_twin(
        self, weak: Survey, owner: Person, reviewer: Person
    ) -> None:
        self.allow(weak, reviewer)
        twin = survey_creation.duplicate_survey(weak, owner, NOW)
        with pytest.raises(NotAllowed, match="no reviewer has approved them"):
            opening.open_survey_now(twin, owner, NOW)

    def test_the_last_word_counts(self, weak: Survey, owner: Person, reviewer: Person) -> None:
        fingerprint = self.allow(weak, reviewer)
        approvals.decide_approval(weak, reviewer, "weak", fingerprint, allow=False, reason="No.", now=NOW)
        with pytest.raises(NotAllowed, match="no reviewer has approved them"):
            opening.open_survey_now(weak, owner, NOW)

    def test_a_small_batch_alone_is_weak(self, draft: Survey) -> None:
        Survey.objects.filter(pk=draft.pk).update(draft=drafts.complete(least=99))
        draft.refresh_from_db()
        assert [problem.path for problem in opening.opening_checklist(draft, NOW).weak] == ["least"]

    @pytest.mark.parametrize(("keep", "weak"), [("0.9833", False), ("0.9834", True)])
    def test_epsilon_above_five_alone_is_weak(self, draft: Survey, keep: str, weak: bool) -> None:
        # One yes/no question with noise .4/.6: gamma = 1 + p/((1-p)·.4) passes e^5 = 148.41 between these.
        changed = drafts.complete()
        changed["sections"][1]["keep"] = keep
        Survey.objects.filter(pk=draft.pk).update(draft=changed)
        draft.refresh_from_db()
        assert bool(opening.opening_checklist(draft, NOW).weak) is weak

    @staticmethod
    def allow(survey: Survey, reviewer: Person) -> str:
        fingerprint = approvals.current_fingerprint(survey, "weak")
        approvals.decide_approval(survey, reviewer, "weak", fingerprint, allow=True, reason="", now=NOW)
        return fingerprint


class TestOpeningLater:
    def test_it_opens_at_its_time(self, draft: Survey, owner: Person) -> None:
        opens = NOW + timedelta(hours=2)
        opening.schedule_opening(draft, owner, opens, NOW)
        opening.open_survey_as_scheduled(draft, opens)
        assert draft.state == "open"
        assert draft.opens == opens
        opened = History.objects.about(draft).get(what="surveys.opened")
        assert opened.who is None

    def test_a_draft_that_was_changed_meanwhile_does_not_open(self, draft: Survey, owner: Person) -> None:
        opening.schedule_opening(draft, owner, NOW + timedelta(hours=2), NOW)
        Survey.objects.filter(pk=draft.pk).update(draft=drafts.complete(minutes=9))
        later = Survey.objects.get(pk=draft.pk)
        opening.open_survey_as_scheduled(later, NOW + timedelta(hours=2))
        later.refresh_from_db()
        assert (later.state, later.opens) == ("draft", None)
        assert History.objects.about(later).get(what="surveys.not-opened").note == (
            "The draft was changed after the opening time was set."
        )

    @pytest.mark.parametrize(
        "other",
        [
            {"end_settings": EndSettings(NOW + timedelta(days=9), None, PROMISED)},
            {"end_settings": EndSettings(None, 500, PROMISED)},
            {"invited": True},
        ],
        ids=["closes", "cap", "invited"],
    )
    def test_settings_that_were_changed_meanwhile_withdraw_the_time(
        self, draft: Survey, owner: Person, other: dict[str, Any]
    ) -> None:
        opening.schedule_opening(draft, owner, NOW + timedelta(hours=2), NOW)
        stored = save_draft.stored_settings(draft)
        assert save_draft.save_settings(draft, owner, replace(stored, **other), stored.digest, NOW)
        opening.open_survey_as_scheduled(draft, NOW + timedelta(hours=2))
        draft.refresh_from_db()
        assert (draft.state, draft.opens) == ("draft", None)
        assert acts(draft) == [
            "surveys.scheduled",
            "surveys.settings-changed",
            "surveys.unscheduled",
        ]

    def test_settings_that_stay_as_they_are_leave_the_time(self, draft: Survey, owner: Person) -> None:
        opens = NOW + timedelta(hours=2)
        opening.schedule_opening(draft, owner, opens, NOW)
        stored = save_draft.stored_settings(draft)
        assert not save_draft.save_settings(draft, owner, stored, stored.digest, NOW)
        opening.open_survey_as_scheduled(draft, opens)
        assert draft.state == "open"

    def test_what_stands_in_the_way_by_then_is_written_down(self, draft: Survey, owner: Person) -> None:
        opens = NOW + timedelta(hours=2)
        opening.schedule_opening(draft, owner, opens, NOW)
        Survey.objects.filter(pk=draft.pk).update(cap=5)
        opening.open_survey_as_scheduled(Survey.objects.get(pk=draft.pk), opens)
        assert acts(draft)[-1] == "surveys.not-opened"

    def test_only_what_could_open_now_can_be_set_to_open_later(self, weak: Survey, owner: Person) -> None:
        with pytest.raises(NotAllowed, match="no reviewer has approved them"):
            opening.schedule_opening(weak, owner, NOW + timedelta(hours=2), NOW)

    @pytest.mark.parametrize(
        ("opens", "closes", "reason"),
        [
            (NOW, NOW + timedelta(days=2), "is over already"),
            (NOW + timedelta(days=2), NOW + timedelta(days=2), "is not before the closing time"),
            (NOW.replace(year=2100), None, "must be before the deletion date"),
        ],
        ids=["now", "closing", "destruction"],
    )
    def test_the_time_lies_between_now_and_the_end(
        self, draft: Survey, owner: Person, opens: datetime, closes: datetime | None, reason: str
    ) -> None:
        Survey.objects.filter(pk=draft.pk).update(closes=closes)
        with pytest.raises(InputRefused, match=f"opens {reason}"):
            opening.schedule_opening(draft, owner, opens, NOW)

    def test_the_time_can_be_withdrawn(self, draft: Survey, owner: Person) -> None:
        opening.schedule_opening(draft, owner, NOW + timedelta(hours=2), NOW)
        opening.unschedule_opening(draft, owner, NOW)
        assert draft.opens is None
        assert acts(draft) == ["surveys.scheduled", "surveys.unscheduled"]

    def test_whoever_opens_by_hand_overtakes_the_time(self, draft: Survey, owner: Person) -> None:
        opening.schedule_opening(draft, owner, NOW + timedelta(hours=2), NOW)
        opening.open_survey_now(draft, owner, NOW)
        assert (draft.state, draft.opens) == ("open", None)


def test_no_words_of_its_own_hide_that_a_survey_is_a_rehearsal(owner: Person) -> None:
    """Its owner reads all of it unreviewed, so people must be told not to answer as themselves in any language."""
    la = json.dumps({**drafts.complete(), "rehearsal": True}).replace('"en"', '"la"')
    draft = json.loads(la)
    own = {key: {"la": str(phrase)} for key, phrase in phrases_to_translate(draft).items()}
    assert not own.keys() & REHEARSAL.keys()
    own |= {key: {"la": "Answer as yourself."} for key in REHEARSAL}
    draft = read_questionnaire({**draft, "phrases": own}).as_json()
    for choice in draft["sections"][1]["questions"][0]["choices"]:
        choice["label"] = {"la": choice["name"]}
    survey = Survey.objects.create(owner=owner, draft=draft)
    opening.open_survey_now(survey, owner, NOW)
    page = Client().get(survey.address).text
    assert "This is a rehearsal." in page
    assert "Do not answer as yourself." in page
    assert "Answer as yourself." not in page
