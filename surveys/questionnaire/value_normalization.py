"""Normalises unchecked values: texts, names and probabilities as a design allows them."""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from privacy.grammar.json_node import MAX_NAME, PARTS, PROBABILITY, is_allowed_in_names, parts_to_decimal
from privacy.kinds.section_intro_and_random_order import INTRO, ORDER
from surveys.draft_json import PRESET

Node = dict[str, Any]

SHOWN = frozenset({"text", "label", "predicate", "people", "help", "unit", "show_if", INTRO, ORDER})
"""Keys of a section and its questions that concern only what respondents see, and not the law."""

CONTROLS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\ud800-\udfff]")
"""Control characters except line breaks (categories Cc and Cs), and those that force a direction of writing, as a
regular expression for speed: every page of the builder normalises a draft."""


def list_or_empty(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def normal_text(value: object) -> str:
    """Returns the text in the form that a design allows: Unicode NFC, line feeds, no other control characters, and none
    that forces a direction of writing."""
    text = value if isinstance(value, str) else ""
    if not text.isprintable():
        text = CONTROLS.sub("", text.replace("\r\n", "\n"))
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def normal_name(value: object) -> str:
    """Returns the valid name nearest to `value`; empty if there is none."""
    text = normal_text(value)
    if not text.isprintable():
        text = "".join(filter(is_allowed_in_names, text))
    return text.replace("=", "").strip()[:MAX_NAME].strip()


def normal_texts(value: object, spoken: Sequence[str]) -> dict[str, str]:
    """Returns the texts by language; a single text counts as written in the first of the languages `spoken`."""
    given = value if isinstance(value, Mapping) else dict.fromkeys(spoken[:1], value)
    return {code: text for code in spoken if (text := normal_text(given.get(code)))}


class UniqueNames:
    """Makes names unique by adding numbers.

    Remembers the last number tried for each name, since a file may repeat one name twenty thousand times.
    """

    def __init__(self, used: Iterable[str] = ()) -> None:
        self._used = set(used)
        self._next: dict[tuple[str, int], int] = {}

    def make_unique(self, stem: str) -> str:
        """Returns `stem`; if it is used already, the stem with the next free number."""
        name = stem
        if stem in self._used:
            counted = re.fullmatch(r"(.*?)([0-9]{1,6})", stem, re.DOTALL)
            base, number = (counted[1], int(counted[2])) if counted else (f"{stem[: MAX_NAME - 8]}-", 2)
            passed = []
            while (name := f"{base}{number}") in self._used:
                passed.append(number)
                number = self._next.get((base, number), number + 1)
            self._next |= dict.fromkeys(((base, earlier) for earlier in passed), number)
        self._used.add(name)
        return name


def unused_name(stem: str, names: Iterable[str]) -> str:
    return UniqueNames(names).make_unique(stem)


def members_that_affect_disguise(node: Node, *excluded: str) -> Node:
    """Returns the members of a section's or question's JSON on which the probabilities of its disguise depend.

    Leaves out texts, rules, order, the preset, and the keys `excluded`.
    """
    return {key: value for key, value in node.items() if key not in SHOWN and key not in (PRESET, *excluded)}


def normal_probability(value: object) -> str | None:
    """Returns a probability between 0 and 1, both excluded, with four decimals; None for anything else."""
    parts = read_ten_thousandths(value)
    return parts_to_decimal(parts) if parts is not None and 0 < parts < PARTS else None


def read_ten_thousandths(value: object) -> int | None:
    """Returns a probability from 0 to 1 in ten-thousandths; None for anything else."""
    match = PROBABILITY.fullmatch(value) if isinstance(value, str) else None
    if match is None:
        return None
    parts = int(match[1]) * PARTS + int((match[2] or "").ljust(4, "0"))
    return parts if parts <= PARTS else None
