"""A direct arm: it opens with an approval of that very draft, and epsilon is stated for the disguised arm alone.

Batches must be large enough for it; nothing is promised to people asked directly, nor for both arms together.
"""

import re

import pytest
from django.test import Client

from accounts.models import Person
from privacy.designs import Design
from surveys.lifecycle import opening
from surveys.lifecycle.design_from_draft import freeze_design
from surveys.lifecycle.record_counts import records_that_fill_a_batch
from surveys.models import Survey
from surveys.questionnaire.problems_and_refusals import InputRefused, NotAllowed
from surveys.questionnaire.protection import find_weak_settings
from tests.cast import As
from tests.intake import asked
from tests.privacy.questionnaires import HALF, question, sensitive
from tests.reports.conftest import page_text
from tests.surveys import drafts as texts
from tests.surveys.conftest import NOW, decide, design_of, state, update_row

pytestmark = pytest.mark.page


def write_draft(survey: Survey, **more: object) -> Survey:
    """20 / .25 = 80, below the usual minimum; all other settings are within the usual limits."""
    return update_row(survey, draft=texts.complete(**{"open_answers": False, **more}))


def test_survey_with_a_direct_arm_opens_with_approval_of_that_share(
    draft: Survey, owner: Person, reviewer: Person
) -> None:
    def stays_closed() -> None:
        with pytest.raises(NotAllowed, match="no reviewer has approved"):
            opening.open_survey_now(draft, owner, NOW)
        assert state(draft) == "draft"

    write_draft(draft, direct="0.2500")
    stays_closed()
    with pytest.raises(NotAllowed, match="Nobody reviews a survey that they own"):
        decide(draft, owner, allow=True)
    decide(draft, reviewer, allow=False)
    stays_closed()
    decide(draft, reviewer, allow=True)
    write_draft(draft, direct="0.3000")
    stays_closed()
    write_draft(draft, direct="0.2500")
    opening.open_survey_now(draft, owner, NOW)
    assert design_of(draft).direct_parts == 2500


def test_batches_below_20_direct_answers_are_refused(draft: Survey, owner: Person) -> None:
    """20 / .1 = 200, 20 / .15 = 133.3, 20 / .1999 = 100.05; one more record is enough."""
    for direct, needed in {"0.1000": 200, "0.1500": 134, "0.1999": 101}.items():
        write_draft(draft, direct=direct, least=needed - 1)
        with pytest.raises(InputRefused) as refused:
            opening.open_survey_now(draft, owner, NOW)
        [problem] = refused.value.problems
        assert problem.path == "least"
        assert f"the minimum batch size is at least {needed}" in problem.reason
        assert freeze_design(write_draft(draft, direct=direct, least=needed).draft).least == needed


def test_margins_to_expect_are_of_the_people_who_are_not_asked_directly(
    draft: Survey, client: Client
) -> None:
    def margins_on_pages(**more: object) -> list[list[str]]:
        write_draft(draft, **more)
        pages = (f"/app/surveys/{draft.pk}/edit/protection", "/app/account/home")
        return [re.findall(r"±.?[0-9.]+", client.get(page).text) for page in pages]

    with_arms = margins_on_pages(direct="0.2500", expected=4_000)
    assert with_arms == margins_on_pages(expected=3_000)
    assert all(with_arms)
    # Both pages say of how many people.
    write_draft(draft, direct="0.2500", expected=4_000)
    page = client.get(f"/app/surveys/{draft.pk}/edit/protection").text
    assert "Of 4,000 expected answers about 3,000 are disguised." in page
    assert "With about 3,000 disguised answers the interval" in client.get("/app/account/home").text
    write_draft(draft, expected=4_000)
    assert "expected answers about" not in client.get(f"/app/surveys/{draft.pk}/edit/protection").text
    assert "With 4,000 answers the interval" in client.get("/app/account/home").text
    # People who are asked directly fill a batch too.
    filled = records_that_fill_a_batch(200)
    write_draft(draft, direct="0.2500", least=200, expected=filled)
    few = "Nothing can be counted while the survey is open"
    assert few not in client.get(f"/app/surveys/{draft.pk}/edit/protection").text
    write_draft(draft, direct="0.2500", least=200, expected=filled - 1)
    assert few in client.get(f"/app/surveys/{draft.pk}/edit/protection").text
    assert with_arms != margins_on_pages(expected=4_000)
    assert texts.draft(direct="0.9999", expected=1).disguised_respondents == 1


def test_people_asked_directly_can_be_the_only_ones_with_their_answers_too(
    draft: Survey, client: Client
) -> None:
    write_draft(draft, direct="0.2500", open_answers=True, expected=4_000)
    page = client.get(f"/app/surveys/{draft.pk}/edit/protection").text
    assert "about 0 of 4,000 people would be the only ones with theirs" in page


def design(**more: str) -> Design:
    ten = [question(f"q{place}", *HALF) for place in range(10)]
    return asked.make_design(sensitive("0.5", *ten), least=200, **more)


def test_the_page_of_a_survey_says_for_whom_it_holds(
    owner: Person, client: Client, reviewer: Person, signed_in_as: As
) -> None:
    """So do the page of a reviewer, the weak setting, and the page about the method."""
    arms, without = (asked.survey(each, owner=owner) for each in (design(direct="0.5"), design()))
    page = page_text(client, arms.get_absolute_url())
    assert "(ε = 6.94, all sensitive answers together)" in page
    assert (
        "It does not hold for people who are asked directly: they have no protection but the batch." in page
    )
    assert "for each person" not in page
    page = page_text(client, without.get_absolute_url())
    assert "ε = 6.94 for each person" in page
    assert "directly" not in page
    page = page_text(signed_in_as(reviewer), f"/app/surveys/{arms.pk}/review")
    assert "Epsilon of a person whose answers are disguised" in page
    assert "Epsilon of one person" not in page
    assert "Only the batch protects their answers." in page
    problem, _direct = find_weak_settings(design(direct="0.5"))
    assert problem.reason == (
        "the epsilon of a person whose answers are disguised is 6.94, above 5; people asked directly have none"
    )
    words = "gamma is that of the disguised arm. The direct arm has none, and neither have both arms together"
    assert words in page_text(Client(), "/app/method")
