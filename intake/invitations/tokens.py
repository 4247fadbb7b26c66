"""Creates invitations: single-use tokens, of which only the hashes are stored, and only until they are used.

Only totals of created and sent invitations are kept; nothing ties them to a person.
"""

import secrets
from collections.abc import Iterable

from django.db import transaction
from django.db.models import F, Value
from django.db.models.functions import Coalesce
from django.utils.translation import gettext as _

from intake.endpoint.keyed_hashes_of_secrets import (
    HashedTextKind,
    get_or_create_survey_secret,
    hash_with_secret,
)
from intake.models import Token
from surveys.models import Survey
from surveys.questionnaire.problems_and_refusals import NotAllowed
from ui.number_format import format_count


def create_invitations(survey: Survey, n: int) -> list[str]:
    """Creates n invitations and returns their tokens; n must be at least `least`.

    Among fewer invited people, having answered would single a person out.
    """
    if n < survey.least:
        raise NotAllowed(
            _("Make at least %(least)s invitation links at once, as many as the minimum batch size.")
            % {"least": format_count(survey.least)}
        )
    return create_tokens(survey, n)


def create_tokens(survey: Survey, n: int) -> list[str]:
    """Creates n invitations of an open survey and returns their tokens, however few: emails are sent in parts
    of a list."""
    tokens = [secrets.token_hex(16) for _index in range(n)]
    with transaction.atomic():
        # Locked until the tokens are stored: a destruction meanwhile waits, and then deletes them. Records that come in
        # need not wait.
        locked = Survey.objects.get_locked_while_records_arrive(survey.pk)
        if locked.state != Survey.State.OPEN or not locked.invited:
            raise NotAllowed(
                _(
                    "Invitation links can be made only while the survey is open, and only if its settings "
                    "ask for them."
                )
            )
        # In hash order: rows tell nothing of the order of the list.
        rows = [Token(hash=hash_, survey=survey) for hash_ in sorted(hash_links(survey.pk, tokens))]
        Token.objects.bulk_create(rows, batch_size=500)
        add_to_totals(survey, made=n)
    return tokens


def hash_links(survey: int, tokens: Iterable[str]) -> list[bytes]:
    """Returns the hashes under which the invitation links of a survey are stored."""
    secret = get_or_create_survey_secret(survey)
    return [hash_with_secret(secret, HashedTextKind.LINK, token) for token in tokens]


def delete_unsent_invitation(survey: Survey, token: str) -> None:
    """Deletes an invitation whose token was given to nobody."""
    (hash_,) = hash_links(survey.pk, [token])
    deleted, _by_model = Token.objects.filter(hash=hash_, survey=survey).delete()
    add_to_totals(survey, made=-deleted)


def add_to_totals(survey: Survey, *, made: int = 0, sent: int = 0) -> None:
    """Adds to the survey's stored totals of created and sent invitations."""
    more = {"invitations_made": made, "invitations_sent": sent}
    totals = {name: Coalesce(F(name), Value(0)) + number for name, number in more.items() if number}
    if totals:
        Survey.objects.filter(pk=survey.pk).update(**totals)
