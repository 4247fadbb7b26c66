"""Names that XLSForm and pyxform allow, and the form of languages in column headers."""

import re
from collections.abc import Mapping

from django.conf.locale import LANG_INFO

SAFE_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,62}")
SAFE_CHOICE = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+-]{0,62}")
COLUMN = re.compile(r"::?")


def choose_names(wishes: Mapping[str, str], allowed: re.Pattern[str], stem: str) -> dict[str, str]:
    """Returns an allowed, unique name for each key: the wish if possible, else `stem` and a number."""
    made: dict[str, str] = {}
    given: set[str] = set()
    taken = set(wishes.values())
    number = 0
    for key, wish in wishes.items():
        if allowed.fullmatch(wish) and wish not in given:
            made[key] = wish
            given.add(wish)
            continue
        number += 1
        while f"{stem}{number}" in taken:
            number += 1
        made[key] = f"{stem}{number}"
    return made


def language_header(code: str) -> str:
    """Returns a language as it is written in column headers, such as English (en)."""
    known = LANG_INFO.get(code, {})
    return f"{known.get('name', code)} ({code})"


def split_header(header: str) -> tuple[str, str]:
    """Splits a column header into its name and its language as written; the language is empty if there is none."""
    name, *language = COLUMN.split(header, maxsplit=1)
    return re.sub(r"[\s_]+", "_", name.strip().lower()), language[0].strip() if language else ""
