import re
from hashlib import sha256

import pytest
from django.utils import timezone

from intake.invitations import making as tokens, tally
from intake.models import Token
from surveys.lifecycle import states as lifecycle
from surveys.models import Survey
from surveys.not_allowed import NotAllowed
from tests.intake import asked

pytestmark = pytest.mark.django_db
ASKS = asked.design(least=20)


@pytest.fixture
def survey() -> Survey:
    return asked.survey(ASKS, invited=True)


def test_a_token_has_128_bits_and_is_never_made_twice(survey: Survey) -> None:
    made = tokens.invite(survey, 100)
    assert all(re.fullmatch("[0-9a-f]{32}", token) for token in made)
    assert len(set(made)) == 100


def test_only_hashes_are_stored_in_hash_order(survey: Survey) -> None:
    made = tokens.invite(survey, 50)
    stored = asked.as_they_lie("intake_token", str)
    assert stored == sorted(sha256(token.encode()).hexdigest() for token in made)
    assert tokens.unused(survey) == 50


def test_fewer_than_least_are_refused_in_words(survey: Survey) -> None:
    with pytest.raises(NotAllowed, match="Make at least 20 invitation links"):
        tokens.invite(survey, 19)
    assert not Token.objects.exists()


def test_what_was_made_is_counted_and_what_was_not_passed_on_is_not(survey: Survey) -> None:
    made = tokens.invite(survey, 25)
    tokens.generate(survey, 5)
    tokens.withdraw(survey, made[0])
    tokens.withdraw(survey, "of nobody")
    stored = Survey.objects.get(pk=survey.pk)
    assert (stored.invitations_made, stored.invitations_sent) == (29, None)


def test_a_count_of_an_opened_survey_may_grow_and_nothing_else_changes(survey: Survey) -> None:
    before = Survey.objects.values().get(pk=survey.pk)
    tally.add(survey, sent=3)
    tally.add(survey, made=2, sent=4)
    tally.add(survey)
    assert Survey.objects.values().get(pk=survey.pk) == before | {
        "invitations_made": 2,
        "invitations_sent": 7,
    }


def test_mail_goes_out_in_parts_of_one_list(survey: Survey) -> None:
    assert len(tokens.generate(survey, 5)) == 5


@pytest.mark.parametrize("values", [{"invited": False}, {"invited": True, "state": Survey.State.CLOSED}])
def test_only_an_open_survey_that_asks_for_invitations_has_some(values: dict[str, object]) -> None:
    with pytest.raises(NotAllowed):
        tokens.generate(asked.survey(ASKS, **values), 30)


def test_a_survey_that_was_closed_since_it_was_looked_at_has_none(survey: Survey) -> None:
    looked_at = Survey.objects.get(pk=survey.pk)
    lifecycle.close(survey, None, timezone.now())
    with pytest.raises(NotAllowed):
        tokens.generate(looked_at, 30)
    assert not Token.objects.exists()


def test_a_token_of_another_survey_opens_nothing(survey: Survey) -> None:
    other = asked.survey(ASKS, invited=True)
    (token,) = tokens.generate(other, 1)
    assert asked.post(survey, asked.envelope(ASKS, token=token)).status_code == 403
    assert tokens.unused(other) == 1
