"""For shells: surveys whose records are texts that nothing else in a file can be."""

import secrets
from collections.abc import Sequence

from django.utils import timezone

from surveys.lifecycle import states as lifecycle
from surveys.models import Survey
from tests.intake import asked

# 30 digits in base 8 are 90 bits.
ASKS = asked.design(least=20, digits=30)


def answer(survey: Survey, n: int, tokens: Sequence[str | None] = ()) -> list[str]:
    """So many people answer; their records as they lie in the inbox."""
    sent = [asked.envelope(ASKS, secrets.randbelow(8**30), token=token) for token in tokens or [None] * n]
    assert {asked.post(survey, each).status_code for each in sent} == {201}
    return [f"1{each.record.answers}" for each in sent]


def destroy(survey: Survey) -> None:
    lifecycle.close(survey, None, timezone.now())
    lifecycle.destroy(survey, None, timezone.now())
