"""How many invitations of a survey were made and sent: two counts, and nothing that ties one to a person."""

from django.db.models import F, Value
from django.db.models.functions import Coalesce

from surveys.models import Survey


def add(survey: Survey, *, made: int = 0, sent: int = 0) -> None:
    """Add to the counts as they are stored; a list that was made in parts is one number."""
    more = {"invitations_made": made, "invitations_sent": sent}
    grown = {name: Coalesce(F(name), Value(0)) + number for name, number in more.items() if number}
    if grown:
        Survey.objects.filter(pk=survey.pk).update(**grown)
