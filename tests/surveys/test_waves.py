"""Asking again: a copy that follows the survey it repeats, and the product of gamma over the chain."""

from fractions import Fraction
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import Person
from builder.editing.save_edit import load_questionnaire
from builder.editing.separately_saved_parts import part_digest
from builder.planning.repeated_rounds import FollowsPart, repetition_of_draft
from privacy.designs import InputError
from surveys import draft_json
from surveys.lifecycle import opening, survey_creation
from surveys.lifecycle.earlier_designs import are_all_earlier_designs_stored, chain_guarantee, earlier_designs
from surveys.lifecycle.freeze_draft import freeze_design
from surveys.models import Survey
from surveys.questionnaire.problems_and_refusals import InputRefused, NotAllowed
from tests.builder.written import crosswise
from tests.cast import As
from tests.surveys.drafts import complete

pytestmark = pytest.mark.page
UNKNOWN = "0" * 64


@pytest.fixture
def first(draft: Survey, owner: Person) -> Survey:
    """Gamma 3.5."""
    draft.draft = complete()
    draft.save()
    opening.open_survey_now(draft, owner, timezone.now())
    return draft


def again(survey: Survey, owner: Person) -> Survey:
    return survey_creation.duplicate_survey(survey, owner, timezone.now(), follows=True)


def test_a_wave_follows_the_design_that_was_opened(first: Survey, owner: Person) -> None:
    second = again(first, owner)
    assert freeze_design(second.draft).follows == first.design_id
    assert load_questionnaire(second).follows == first.design_id


def test_a_copy_that_is_a_new_survey_follows_nothing(first: Survey, owner: Person) -> None:
    assert "follows" not in survey_creation.duplicate_survey(again(first, owner), owner, timezone.now()).draft


def test_a_rehearsal_of_a_wave_follows_what_the_wave_follows(first: Survey, owner: Person) -> None:
    copy = survey_creation.duplicate_survey(again(first, owner), owner, timezone.now(), rehearsal=True)
    assert copy.draft["follows"] == first.design_id
    assert (
        "follows" not in survey_creation.duplicate_survey(first, owner, timezone.now(), rehearsal=True).draft
    )


def test_a_copy_does_not_get_the_plan_of_the_earlier_survey(first: Survey) -> None:
    given = {**first.draft, "plan": UNKNOWN}
    assert "plan" not in draft_json.copy_draft(given, timezone.localdate(), rehearsal=False)


def test_only_an_opened_survey_is_asked_again(draft: Survey, owner: Person) -> None:
    with pytest.raises(NotAllowed, match="was opened"):
        again(draft, owner)


def test_gammas_multiply_over_the_chain(first: Survey, owner: Person) -> None:
    """3.5 for each of three waves: 3.5^3 = 42.875."""
    second = again(first, owner)
    found = repetition_of_draft(load_questionnaire(second))
    assert found is not None
    assert found.person_protection is not None
    assert found.person_protection.guarantee.gamma == Fraction(7, 2) ** 2
    opening.open_survey_now(second, owner, timezone.now())
    third = freeze_design(again(second, owner).draft)
    guarantee = chain_guarantee(third)
    assert guarantee is not None
    assert guarantee.gamma == Fraction(7, 2) ** 3
    assert [each.fingerprint for each in earlier_designs(third.follows)] == [
        second.design_id,
        first.design_id,
    ]


def test_a_reviewer_sees_the_epsilon_of_the_whole_chain(
    first: Survey, owner: Person, reviewer: Person, signed_in_as: As
) -> None:
    """2 ln 3.5 = 2.5055, rounded up; of the first survey there is none to add."""
    said = "Epsilon of a person who answered the earlier surveys too</dt><dd>"
    page = signed_in_as(reviewer).get(f"/app/surveys/{again(first, owner).pk}/review").content.decode()
    assert f"{said}2.51" in page
    assert said not in signed_in_as(reviewer).get(f"/app/surveys/{first.pk}/review").content.decode()


def test_an_unknown_survey_cannot_be_followed(draft: Survey, owner: Person) -> None:
    draft.draft = complete(follows=UNKNOWN)
    draft.save()
    assert not are_all_earlier_designs_stored(UNKNOWN)
    found = opening.opening_checklist(draft, timezone.now())
    assert [problem.path for problem in found.problems] == ["follows"]
    with pytest.raises(InputError, match="missing"):
        chain_guarantee(freeze_design(draft.draft))


@pytest.fixture
def client(owner: Person, signed_in_as: As) -> Client:
    return signed_in_as(owner)


def made_by(client: Client, survey: Survey, kind: str) -> Any:
    return client.post(f"/app/surveys/{survey.pk}/duplicate", {"kind": kind})


def test_the_page_makes_a_wave(client: Client, first: Survey) -> None:
    assert 'value="wave"' in client.get(f"/app/surveys/{first.pk}/duplicate").content.decode()
    assert made_by(client, first, "wave").status_code == 302
    assert Survey.objects.order_by("pk").last().draft["follows"] == first.design_id  # type: ignore[union-attr]


def test_a_draft_offers_no_wave(client: Client, draft: Survey) -> None:
    assert 'value="wave"' not in client.get(f"/app/surveys/{draft.pk}/duplicate").content.decode()
    assert made_by(client, draft, "wave").status_code == 200
    assert Survey.objects.count() == 1


def test_the_study_page_shows_the_product_and_ends_the_chain(
    client: Client, first: Survey, owner: Person
) -> None:
    second = again(first, owner)
    page = client.get(f"/app/surveys/{second.pk}/edit/study").content.decode()
    assert "12.25 times" in page
    assert "Work and health" in page
    sent = {"part": "follows", "base": part_digest(FollowsPart(), load_questionnaire(second))}
    assert client.post(f"/app/surveys/{second.pk}/edit/study/save", sent).status_code == 302
    second.refresh_from_db()
    assert "follows" not in second.draft


def test_without_a_chain_the_page_says_how_to_ask_again(client: Client, draft: Survey) -> None:
    assert "“A new wave”" in client.get(f"/app/surveys/{draft.pk}/edit/study").content.decode()


def test_a_wave_with_the_same_secret_cannot_open_and_the_study_page_states_no_product(
    client: Client, draft: Survey, owner: Person
) -> None:
    """The coin of a crosswise question is the secret of the person, which is the same in both waves."""
    whole = complete()
    draft.draft = {**whole, "open_answers": False, "sections": [*whole["sections"], crosswise("tax")]}
    draft.save()
    opening.open_survey_now(draft, owner, timezone.now())
    second = again(draft, owner)
    with pytest.raises(InputRefused) as refused:
        opening.open_survey_now(second, owner, timezone.now())
    [problem] = refused.value.problems
    assert problem.path.endswith(".secret")
    assert "with the same secret" in problem.reason
    page = client.get(f"/app/surveys/{second.pk}/edit/study").content.decode()
    assert "The same secret in other words escapes this, and then nothing is promised." in page
    assert "For people who answer all of them" not in page
    *others, last = second.draft["sections"]
    [question] = last["questions"]
    other = {**last, "questions": [{**question, "secret": {"en": "Is your phone number even?"}}]}
    Survey.objects.filter(pk=second.pk).update(draft={**second.draft, "sections": [*others, other]})
    second.refresh_from_db()
    assert (
        "For people who answer all of them"
        in client.get(f"/app/surveys/{second.pk}/edit/study").content.decode()
    )
    opening.open_survey_now(second, owner, timezone.now())
    assert second.state == "open"
