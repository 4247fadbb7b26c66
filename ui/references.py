"""The list of references by key, read from docs/references.md; pages and the command `reproduce` cite from
it.
"""

import re
from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

from django.conf import settings

ENTRY = re.compile(r'^\* <a id="(?P<key>[^"]+)"></a>\*\*[^*]+\*\* (?P<text>.+)$', re.MULTILINE)


class Reference(NamedTuple):
    """A literature reference. `parts`: its text split at asterisks, so that every second part is a title."""

    key: str
    parts: tuple[str, ...]


@cache
def read_references() -> Mapping[str, Reference]:
    text = (settings.BASE_DIR / "docs" / "references.md").read_text(encoding="utf-8")
    return {
        entry["key"]: Reference(entry["key"], tuple(entry["text"].split("*")))
        for entry in ENTRY.finditer(text)
    }
