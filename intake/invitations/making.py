"""Makes invitations: single-use tokens. Only their hashes are stored, and only until they are used."""

import secrets

from django.db import transaction
from django.utils.translation import gettext as _

from intake.endpoint.accept import hashed
from intake.invitations import tally
from intake.models import Token
from surveys.models import Survey
from surveys.questionnaire.problems import NotAllowed
from ui.numbers import count


def invite(survey: Survey, n: int) -> list[str]:
    """n new tokens, at least `least`: among fewer, having answered would single a person out."""
    if n < survey.least:
        raise NotAllowed(
            _("Make at least %(least)s invitation links at once, as many as the minimum batch size.")
            % {"least": count(survey.least)}
        )
    return generate(survey, n)


def generate(survey: Survey, n: int) -> list[str]:
    """n new tokens of an open survey, however few: for mail, which goes out in parts of one list."""
    tokens = [secrets.token_hex(16) for _place in range(n)]
    # In hash order: rows tell nothing of the order of the list.
    rows = [Token(hash=hash_, survey=survey) for hash_ in sorted(map(hashed, tokens))]
    with transaction.atomic():
        # Locked until the tokens are stored: a destruction meanwhile waits, and then deletes them. Records that come in
        # need not wait.
        locked = Survey.objects.locked_beside_records(survey.pk)
        if locked.state != Survey.State.OPEN or not locked.invited:
            raise NotAllowed(
                _(
                    "Invitation links can be made only while the survey is open, and only if its settings "
                    "ask for them."
                )
            )
        Token.objects.bulk_create(rows, batch_size=500)
        tally.add(survey, made=n)
    return tokens


def unused(survey: Survey) -> int:
    return Token.objects.filter(survey=survey).count()


def withdraw(survey: Survey, token: str) -> None:
    """Forget a token that was not passed on."""
    gone, _by_model = Token.objects.filter(hash=hashed(token), survey=survey).delete()
    tally.add(survey, made=-gone)
