"""The way from a new survey to its report, in words that need no statistics: terms of the field stand behind them."""

import re

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import Person
from reports.models import Review
from surveys.lifecycle.survey_creation import create_survey_from_draft
from tests.reports import made

pytestmark = [pytest.mark.page, pytest.mark.django_db]
TERMS = re.compile(
    r"ε =|\b(?:quasi-identifiers?|sealed|itemsets?|Holm|apriori|folds? beneath|minimum batch size|copies)\b",
    re.IGNORECASE,
)
HIDDEN = re.compile(r"<details.*?</details>|<(script|style|template|dialog)\b.*?</\1>|<[^>]*>", re.DOTALL)


def bare_terms(page: str) -> list[str]:
    """The terms outside of what is folded and of parentheses, each with the words around it."""
    text = " ".join(HIDDEN.sub(" ", page.partition("<main")[2]).split())
    while (shorter := re.sub(r"\([^()]*\)", "", text)) != text:
        text = shorter
    return [text[max(0, term.start() - 40) : term.end() + 20] for term in TERMS.finditer(text)]


@pytest.fixture
def rehearsal(owner: Person) -> Review:
    return made.waiting_review(made.run(made.survey(owner, rehearsal=True)))


def test_no_term_of_the_field_stands_bare_on_the_way_from_a_draft_to_its_report(
    rehearsal: Review, owner: Person, reading: Client
) -> None:
    now = timezone.now()
    draft = create_survey_from_draft(
        owner, {**rehearsal.survey.draft, "rehearsal": False}, "surveys.created", now
    )
    pages = [f"/app/surveys/{draft.pk}{part}" for part in ("/edit", "/edit/protection", "/", "/open")]
    pages += [f"/app/surveys/{rehearsal.survey.pk}/{part}" for part in ("", "rehearse", "runs")]
    pages += ["/app/surveys/", rehearsal.run.get_absolute_url(), rehearsal.get_absolute_url()]
    for page in pages:
        answer = reading.get(page, follow=True)
        assert answer.status_code == 200, page
        assert bare_terms(answer.text) == [], page
