"""Opening freezes the draft into its design: now or at a time, and only what is complete or what a reviewer read."""

import json
from dataclasses import replace
from datetime import date, timedelta
from hashlib import sha256
from typing import Any

import pytest
from django.test import Client
from pytest_django.fixtures import Settings

from accounts.models import REVIEWERS, History, Person
from privacy import designs
from surveys.kinds.read_draft import read_questionnaire
from surveys.lifecycle import opening, reviewer_approvals, save_draft, survey_creation
from surveys.lifecycle.design_from_draft import phrases_to_translate
from surveys.lifecycle.state_changes import destroy_survey
from surveys.models import Collaborator, Design, Survey
from surveys.phrases.start_page import REHEARSAL
from surveys.questionnaire.closing_settings import EndSettings
from surveys.questionnaire.problems_and_refusals import InputRefused, NotAllowed
from surveys.questionnaire.report_sentence_texts import SentenceTexts
from tests.cast import As, add_collaborator, with_role
from tests.surveys import drafts
from tests.surveys.conftest import NOW, acts, address, decide, design_of, refused_at, reload, update_row

pytestmark = pytest.mark.page
PROMISED = date(2099, 12, 31)
OPENS = NOW + timedelta(hours=2)


def test_opening_freezes_the_draft_into_its_design_and_is_logged(draft: Survey, owner: Person) -> None:
    """What is opened is what is stored, not what was read before."""
    stored = drafts.complete(minutes=9)
    Survey.objects.filter(pk=draft.pk).update(draft=stored)
    opening.open_survey_now(draft, owner, NOW)
    assert draft.state == "open"
    assert draft.design is not None
    written = designs.parse_design(json.dumps({k: v for k, v in stored.items() if k != "expected"}))
    assert replace(draft.design.content, phrases=()) == written
    assert len(draft.design.content.phrases) > 100
    assert sha256(draft.design.json.encode()).hexdigest() == draft.design_id
    act = History.objects.about(draft).get(what="surveys.opened")
    assert (act.who, act.note, act.when) == (owner, draft.design_id, NOW)
    assert draft.destroy_on == PROMISED, "the day that was promised"


def test_opening_stores_proposed_words_beside_the_design_and_a_copy_proposes_again(
    draft: Survey, owner: Person
) -> None:
    plain, theft = drafts.complete()["sections"]
    theft["questions"][0]["text"] = {"en": "Have you stolen?"}
    theft["questions"][0]["choices"][1]["predicate"] = {"en": "took something"}
    stored = {**drafts.complete(), "sections": [plain, theft]}
    Survey.objects.filter(pk=draft.pk).update(draft=stored)
    assert opening.opening_checklist(reload(draft), NOW).quoted_questions == ["How old are you?"]
    opening.open_survey_now(draft, owner, NOW)
    texts = SentenceTexts.from_draft(draft.draft)
    assert texts.proposal_languages == {"en"}
    assert texts.predicates == {"theft=no": {"en": "have not stolen"}, "theft=yes": {"en": "took something"}}
    assert draft.draft["proposed_sentences"] == {"theft=no": {"predicate": {"en": "have not stolen"}}}
    assert "have not" not in design_of(draft).canonical
    copy = survey_creation.duplicate_survey(draft, owner, NOW, rehearsal=True)
    assert "proposed_sentences" not in copy.draft


def test_a_survey_opens_once_and_shares_its_design_with_its_copy(opened: Survey, owner: Person) -> None:
    with pytest.raises(NotAllowed, match="done already"):
        opening.open_survey_now(opened, owner, NOW)
    assert acts(opened) == ["surveys.opened"]
    with pytest.raises(NotAllowed, match="was opened once"):
        opening.open_survey_now(update_row(opened, state="closed"), owner, NOW)
    copy = survey_creation.duplicate_survey(opened, owner, NOW)
    opening.open_survey_now(copy, owner, NOW)
    assert copy.design_id == opened.design_id
    assert Design.objects.count() == 1


def test_an_incomplete_draft_says_what_is_missing(draft: Survey, owner: Person, settings: Settings) -> None:
    """So does one with an end that does not fit, or with smaller batches than the instance allows."""
    before = draft.draft
    for columns, missing in (
        ({"draft": drafts.complete(contact="", why={})}, ["why.en", "contact"]),
        ({"cap": 99}, ["cap"]),
        ({"closes": NOW}, ["closes"]),
        ({"closes": NOW.replace(year=2100)}, ["closes"]),
    ):
        update_row(draft, **{"draft": before, "cap": None, "closes": None} | columns)
        assert refused_at(opening.open_survey_now, draft, owner, NOW) == missing
        draft.refresh_from_db()
        assert (draft.state, draft.design, acts(draft)) == ("draft", None, [])
    update_row(draft, closes=None)
    settings.LEAST_FLOOR = 500
    with pytest.raises(InputRefused, match="least must be at least 500"):
        opening.open_survey_now(draft, owner, NOW)


class TestWeakSettings:
    def assert_opening_refused(self, survey: Survey, owner: Person) -> None:
        with pytest.raises(NotAllowed, match="no reviewer has approved them"):
            opening.open_survey_now(survey, owner, NOW)

    def test_approval_by_a_collaborator_is_void(self, weak: Survey, owner: Person, reviewer: Person) -> None:
        decide(weak, reviewer, allow=True)
        assert status(weak).allowed
        add_collaborator(weak, reviewer, may_edit=True)
        weak = Survey.objects.get(pk=weak.pk)
        assert status(weak).void
        self.assert_opening_refused(weak, owner)
        another = with_role(REVIEWERS, "another")
        ask(weak, owner, "Again.")
        decide(weak, another, allow=True)
        opening.open_survey_now(weak, owner, NOW)

    def test_weak_settings_are_named_with_their_numbers(self, weak: Survey, draft: Survey) -> None:
        """One yes/no question with noise .4/.6: gamma = 1 + p/((1-p)·.4) passes e^5 = 148.41 between .9833 and 34."""
        assert [problem.reason for problem in opening.opening_checklist(weak, NOW).weak] == [
            "one person's epsilon is 6.94, above 5",
            "batches of 50, fewer than 100",
        ]
        for keep, least, paths in (
            ("0.5000", 99, ["least"]),
            ("0.9833", 100, []),
            ("0.9834", 100, ["sections"]),
        ):
            made = drafts.complete(least=least)
            made["sections"][1]["keep"] = keep
            found = opening.opening_checklist(update_row(draft, draft=made), NOW).weak
            assert [problem.path for problem in found] == paths

    def test_weak_settings_do_not_open_without_an_approval(
        self, weak: Survey, owner: Person, reviewer: Person
    ) -> None:
        """It holds for that survey and that very fingerprint, and the last word counts."""
        self.assert_opening_refused(weak, owner)
        with pytest.raises(NotAllowed, match="no reviewer has approved them"):
            opening.schedule_opening(weak, owner, OPENS, NOW)
        assert not Design.objects.exists()
        before = weak.draft
        decide(weak, reviewer, allow=True)
        self.assert_opening_refused(survey_creation.duplicate_survey(weak, owner, NOW), owner)
        self.assert_opening_refused(update_row(weak, draft={**before, "minutes": 5}), owner)
        decide(update_row(weak, draft=before), reviewer, allow=False)
        self.assert_opening_refused(weak, owner)
        decide(weak, reviewer, allow=True)
        opening.open_survey_now(weak, owner, NOW)
        assert weak.state == "open"


class TestOpeningLater:
    @pytest.fixture
    def scheduled(self, draft: Survey, owner: Person) -> Survey:
        opening.schedule_opening(draft, owner, OPENS, NOW)
        return draft

    def test_scheduled_survey_opens_at_its_time(self, scheduled: Survey, owner: Person) -> None:
        """Settings that stay as they are leave the time."""
        kept = save_draft.stored_settings(scheduled)
        assert not save_draft.save_settings_and_unschedule_opening(scheduled, owner, kept, kept.digest, NOW)
        opening.open_survey_as_scheduled(scheduled, OPENS)
        assert (scheduled.state, scheduled.opens) == ("open", OPENS)
        assert History.objects.about(scheduled).get(what="surveys.opened").who is None

    def test_a_changed_draft_does_not_open_and_says_why(self, scheduled: Survey, owner: Person) -> None:
        before = scheduled.draft
        update_row(scheduled, draft=drafts.complete(minutes=9))
        opening.open_survey_as_scheduled(scheduled, OPENS)
        scheduled.refresh_from_db()
        assert (scheduled.state, scheduled.opens) == ("draft", None)
        assert History.objects.about(scheduled).get(what="surveys.not-opened").note == (
            "The draft was changed after the opening time was set."
        )
        opening.schedule_opening(update_row(scheduled, draft=before), owner, OPENS, NOW)
        opening.open_survey_as_scheduled(update_row(scheduled, cap=5), OPENS)
        assert acts(scheduled)[-2:] == ["surveys.scheduled", "surveys.not-opened"]

    @pytest.mark.parametrize(
        "other",
        [
            {"end_settings": EndSettings(NOW + timedelta(days=9), None, PROMISED)},
            {"end_settings": EndSettings(None, 500, PROMISED)},
            {"invited": True},
        ],
        ids=["closes", "cap", "invited"],
    )
    def test_changing_the_draft_withdraws_its_schedule(
        self, scheduled: Survey, owner: Person, other: dict[str, Any]
    ) -> None:
        stored = save_draft.stored_settings(scheduled)
        assert save_draft.save_settings_and_unschedule_opening(
            scheduled, owner, replace(stored, **other), stored.digest, NOW
        )
        opening.open_survey_as_scheduled(scheduled, OPENS)
        scheduled.refresh_from_db()
        assert (scheduled.state, scheduled.opens) == ("draft", None)
        done = ("scheduled", "settings-changed", "unscheduled")
        assert acts(scheduled) == [f"surveys.{each}" for each in done]

    def test_opening_time_is_between_now_and_the_end(self, draft: Survey, owner: Person) -> None:
        in_two_days = NOW + timedelta(days=2)
        for opens, closes, reason in (
            (NOW, in_two_days, "is over already"),
            (in_two_days, in_two_days, "is not before the closing time"),
            (NOW.replace(year=2100), None, "must be before the deletion date"),
        ):
            with pytest.raises(InputRefused, match=f"opens {reason}"):
                opening.schedule_opening(update_row(draft, closes=closes), owner, opens, NOW)

    def test_opening_time_is_withdrawn_or_overtaken_by_hand(self, scheduled: Survey, owner: Person) -> None:
        opening.unschedule_opening(scheduled, owner, NOW)
        assert scheduled.opens is None
        assert acts(scheduled) == ["surveys.scheduled", "surveys.unscheduled"]
        opening.schedule_opening(scheduled, owner, OPENS, NOW)
        opening.open_survey_now(scheduled, owner, NOW)
        assert (scheduled.state, scheduled.opens) == ("open", None)


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


# Reviewers are asked, decide and are asked again; each decision is of what was read.


def fingerprint(survey: Survey) -> str:
    return reviewer_approvals.current_fingerprint(survey, "weak")


def ask(survey: Survey, person: Person, reason: str = "") -> None:
    reviewer_approvals.request_approval(survey, person, "weak", fingerprint(survey), reason, NOW)


def status(survey: Survey) -> reviewer_approvals.ApprovalStatus:
    return reviewer_approvals.approval_status(survey, "weak", fingerprint(survey))


def test_who_asks_is_known_and_asks_again_if_refused(weak: Survey, owner: Person, reviewer: Person) -> None:
    assert status(weak).verdict is None
    ask(weak, owner, "A small clinic.")
    answer = status(weak)
    assert answer.asked
    assert answer.approval is not None
    assert (answer.approval.by, answer.note) == (owner, "A small clinic.")
    assert answer.approval.fingerprint == fingerprint(weak)
    with pytest.raises(NotAllowed, match="asked already"):
        ask(weak, owner)
    decide(weak, reviewer, allow=False)
    ask(weak, owner, "Please.")
    assert [one.survey for one in reviewer_approvals.waiting_approvals(reviewer)] == [weak]
    decide(weak, reviewer, allow=True)
    with pytest.raises(NotAllowed, match="said already"):
        decide(weak, reviewer, allow=True)


def test_nobody_reviews_or_finds_what_they_share_in(weak: Survey, owner: Person, reviewer: Person) -> None:
    Collaborator.objects.create(survey=weak, person=reviewer)
    for person in (owner, reviewer):
        with pytest.raises(NotAllowed, match="own, work on or have worked on"):
            decide(weak, person, allow=True)
    assert not History.objects.about(weak).exists()
    ask(weak, owner)
    assert reviewer_approvals.waiting_approvals(reviewer) == []


def test_of_two_reviewers_nobody_overrules_what_they_have_not_seen(
    weak: Survey, reviewer: Person, owner: Person, signed_in_as: As
) -> None:
    ask(weak, owner)
    client, page = signed_in_as(reviewer), address(weak, "review")
    seen = client.get(page).context["form"].initial
    decide(weak, with_role(REVIEWERS, "second"), allow=False)
    answer = client.post(page, {**seen, "allow": "yes"}).text
    assert "second has decided since you opened this page: refused." in answer
    assert status(weak).refused
    seen = client.get(page).context["form"].initial
    assert client.post(page, {**seen, "allow": "yes"}).status_code == 302
    assert status(weak).allowed


def test_the_queue_holds_what_waits(weak: Survey, opened: Survey, owner: Person, reviewer: Person) -> None:
    def waiting_survey_matters() -> list[tuple[Survey, str]]:
        return [(one.survey, one.matter) for one in reviewer_approvals.waiting_approvals(reviewer)]

    ask(weak, owner)
    reviewer_approvals.request_approval(opened, owner, "records", str(opened.design_id), "", NOW)
    assert waiting_survey_matters() == [(weak, "weak"), (opened, "records")]
    before = weak.draft
    for key, value in (("minutes", 9), ("sections", [])):  # another draft, and one that is no design any more
        update_row(weak, draft={**before, key: value})
        assert waiting_survey_matters() == [(opened, "records")]
    update_row(weak, draft=before)
    decide(weak, reviewer, allow=True)
    assert waiting_survey_matters() == [(opened, "records")]
    update_row(opened, state="closed")
    destroy_survey(opened, owner, NOW)
    assert waiting_survey_matters() == []


def test_the_queue_asks_the_database_as_often_for_ten_as_for_one(
    weak: Survey, owner: Person, reviewer: Person, django_assert_max_num_queries: object
) -> None:
    for survey in [weak, *(survey_creation.duplicate_survey(weak, owner, NOW) for _ in range(9))]:
        ask(survey, owner)
    with django_assert_max_num_queries(5):  # type: ignore[operator]
        assert len(reviewer_approvals.waiting_approvals(reviewer)) == 10
    # Record files are a matter of what was opened.
    assert reviewer_approvals.current_fingerprint(weak, "records") == ""
    assert not weak.are_record_files_approved
