"""The character NUL, which no browser sends and PostgreSQL cannot store."""

from django.http import QueryDict

NUL = "\x00"


def has_nul(fields: QueryDict) -> bool:
    """Returns True if a name or value of a form contains NUL."""
    return any(NUL in name or any(NUL in value for value in values) for name, values in fields.lists())
