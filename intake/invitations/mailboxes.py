"""Addresses that somebody has typed: which are usable, and which of them reach the same mailbox."""

import re
import unicodedata
from collections.abc import Sequence
from contextlib import suppress

from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.utils.translation import gettext as _

QUOTED = re.compile(r'"(.*)"', re.DOTALL)


def addresses(text: str) -> list[str]:
    """One to a line, or with commas or semicolons between them."""
    return [address for part in re.split(r"[\n,;]", text) if (address := part.strip())]


def is_address(text: str) -> bool:
    try:
        validate_email(text)
    except ValidationError:
        return False
    return True


def mailbox(address: str) -> str:
    """Where it arrives: case does not count, nor what follows a plus sign. Dots do: most servers tell them apart."""
    local, _at, domain = unicodedata.normalize("NFKC", address).casefold().rpartition("@")
    if quoted := QUOTED.fullmatch(local):
        local = re.sub(r"\\(.)", r"\1", quoted[1])
    with suppress(
        UnicodeError
    ):  # labels too long for a name, or an address in brackets, stay as they are written
        domain = domain.encode("idna").decode()
    return f"{local.partition('+')[0] or local}@{domain}"


def unusable(to: Sequence[str]) -> dict[int, str]:
    """Position, from 1, and reason: no address, or the mailbox of an earlier one. The rest are distinct."""
    seen: set[str] = set()
    reasons: dict[int, str] = {}
    for position, address in enumerate(to, 1):
        if not is_address(address):
            reasons[position] = _("This is not an email address.")
        elif mailbox(address) in seen:
            reasons[position] = _("This email address appears twice.")
        else:
            seen.add(mailbox(address))
    return reasons
