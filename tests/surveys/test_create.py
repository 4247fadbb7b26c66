import pytest

from accounts.models import History, Person
from surveys.lifecycle import opening, survey_creation, survey_people
from surveys.models import Survey, random_slug
from surveys.questionnaire.problems_and_refusals import NotAllowed
from tests.surveys import drafts
from tests.surveys.conftest import NOW

pytestmark = pytest.mark.page


def test_a_new_survey_is_a_draft_of_its_maker_with_their_name_and_address(owner: Person) -> None:
    survey = survey_creation.create_new_survey(owner, "Work", "en", NOW)
    assert (survey.owner, survey.state, str(survey)) == (owner, "draft", "Work")
    assert (survey.draft["asker"], survey.draft["contact"]) == ({"en": "Olga Owner"}, "owner@example.org")
    assert History.objects.about(survey).get().what == "surveys.created"


def test_two_surveys_never_share_an_address(owner: Person) -> None:
    slugs = {survey_creation.create_new_survey(owner, "Work", "en", NOW).slug for _ in range(5)}
    assert len(slugs) == 5
    assert {len(slug) for slug in slugs} == {16}


def test_researchers_begin_surveys_and_others_do_not(
    owner: Person, reviewer: Person, superuser: Person
) -> None:
    assert [survey_creation.may_create_surveys(person) for person in (owner, reviewer, superuser)] == [
        True,
        False,
        True,
    ]


def test_a_copy_asks_the_same_and_belongs_to_its_maker(opened: Survey, stranger: Person) -> None:
    copy = survey_creation.duplicate_survey(opened, stranger, NOW)
    assert (copy.owner, copy.state, copy.design) == (stranger, "draft", None)
    assert copy.draft == drafts.complete()
    assert copy.slug != opened.slug


def test_a_copy_of_the_questions_brings_neither_people_nor_times(
    opened: Survey, viewer: Person, stranger: Person
) -> None:
    Survey.objects.filter(pk=opened.pk).update(cap=500, closes=NOW.replace(year=2030))
    copy = survey_creation.duplicate_survey(Survey.objects.get(pk=opened.pk), stranger, NOW)
    assert (copy.cap, copy.closes, copy.collaborators.count()) == (None, None, 0)


def test_a_rehearsal_says_so_in_its_design(draft: Survey, owner: Person) -> None:
    rehearsal = survey_creation.duplicate_survey(draft, owner, NOW, rehearsal=True)
    assert rehearsal.is_rehearsal
    assert not draft.is_rehearsal
    assert History.objects.about(draft).get().what == "surveys.rehearsal-made"


@pytest.mark.parametrize("rehearsal", [True, False])
@pytest.mark.parametrize("invited", [True, False])
def test_a_copy_is_answered_by_whom_the_survey_was(
    draft: Survey, owner: Person, rehearsal: bool, invited: bool
) -> None:
    Survey.objects.filter(pk=draft.pk).update(invited=invited)
    survey = Survey.objects.get(pk=draft.pk)
    assert survey_creation.duplicate_survey(survey, owner, NOW, rehearsal=rehearsal).invited is invited


def test_a_real_copy_of_a_rehearsal_is_none(draft: Survey, owner: Person) -> None:
    rehearsal = survey_creation.duplicate_survey(draft, owner, NOW, rehearsal=True)
    assert not survey_creation.duplicate_survey(rehearsal, owner, NOW).is_rehearsal


def test_what_was_opened_can_be_copied_even_after_its_answers_are_gone(
    destroyed: Survey, owner: Person
) -> None:
    assert survey_creation.duplicate_survey(destroyed, owner, NOW).draft == drafts.complete()


def test_of_a_destroyed_draft_nothing_is_left_to_copy(draft: Survey, owner: Person) -> None:
    Survey.objects.filter(pk=draft.pk).update(draft={}, state="destroyed")
    draft.refresh_from_db()
    with pytest.raises(NotAllowed, match="Nothing is left"):
        survey_creation.duplicate_survey(draft, owner, NOW)


def test_a_design_written_by_hand_is_questionnaire_enough(opened: Survey, owner: Person) -> None:
    by_hand = Survey.objects.create(owner=owner, state="open", design=opened.design)
    assert str(by_hand) == "Work and health"
    assert survey_creation.duplicate_survey(by_hand, owner, NOW).draft["contact"] == "council@example.org"


def test_copying_an_opened_sensitive_section_asks_people_again(
    opened: Survey, draft: Survey, owner: Person
) -> None:
    assert survey_creation.would_copy_ask_again(opened)


def test_copying_a_draft_a_plain_survey_or_a_rehearsal_asks_nobody_again(
    draft: Survey, owner: Person
) -> None:
    assert not survey_creation.would_copy_ask_again(draft)
    plain = Survey.objects.create(
        owner=owner, draft=drafts.complete(sections=drafts.complete()["sections"][:1])
    )
    rehearsal = survey_creation.duplicate_survey(draft, owner, NOW, rehearsal=True)
    for survey in (plain, rehearsal):
        opening.open_survey_now(survey, owner, NOW)
        assert not survey_creation.would_copy_ask_again(survey)


class TestCollaborators:
    def test_are_added_changed_and_removed_and_each_is_written_down(
        self, draft: Survey, owner: Person, stranger: Person
    ) -> None:
        survey_people.add_collaborator(draft, owner, stranger, may_edit=False, now=NOW)
        collaborator = draft.collaborators.get()
        survey_people.set_collaborator_may_edit(draft, owner, collaborator, True, NOW)
        assert draft.may(stranger, "edit")
        survey_people.remove_collaborator(draft, owner, collaborator, NOW)
        assert not draft.may(stranger, "see")
        acts = [(act.what, act.note) for act in History.objects.about(draft).order_by("pk")]
        assert acts == [
            ("surveys.collaborator-added", "stranger"),
            ("surveys.collaborator-changed", "stranger"),
            ("surveys.collaborator-removed", "stranger"),
        ]

    @pytest.mark.parametrize(
        ("survey", "newcomer", "reason"),
        [
            ("draft", "owner", "owns this survey"),
            ("draft", "viewer", "already"),
            ("destroyed", "stranger", "has been deleted"),
        ],
    )
    def test_are_added_once_to_a_survey_of_somebody_else(
        self, survey: str, newcomer: str, reason: str, owner: Person, request: pytest.FixtureRequest
    ) -> None:
        person: Person = request.getfixturevalue(newcomer)
        shared: Survey = request.getfixturevalue(survey)
        before = shared.may(person, "edit")
        with pytest.raises(NotAllowed, match=reason):
            survey_people.add_collaborator(shared, owner, person, may_edit=True, now=NOW)
        assert shared.may(person, "edit") is before is (newcomer == "owner")

    def test_whose_rights_do_not_change_leave_no_trace(
        self, draft: Survey, owner: Person, viewer: Person
    ) -> None:
        survey_people.set_collaborator_may_edit(draft, owner, draft.collaborators.get(), False, NOW)
        assert not History.objects.about(draft).exists()


def test_a_slug_never_looks_like_an_option_of_a_command(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = iter(["-abcdefghijklmno", "abcdefghijklmno-"])
    monkeypatch.setattr("secrets.token_urlsafe", lambda _size: next(drawn))
    assert random_slug() == "abcdefghijklmno-"
