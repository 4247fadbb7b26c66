"""Parses JSON of strangers equally with every version of Python: they bound nesting and place errors differently."""

import json
import re
from array import array
from itertools import accumulate
from typing import Any

from privacy.grammar.input_error import InputError, mark_for_translation as _

MAX_DEPTH = 100
STRING = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"?', re.DOTALL)
"""A string, or the beginning of one that never ends."""
STEPS = bytes.maketrans(b"[{]}", bytes([1, 1, 255, 255]))
"""Replaces a bracket by +1 or -1 as a signed byte."""
NO_BRACKETS = bytes(set(range(256)) - set(b"[{]}"))


def parse_json(source: str | bytes, name: str, **hooks: Any) -> Any:
    """Parses a JSON text, with the hooks of `json.loads`; raises ValueError if it is damaged.

    Raises InputError if lists and objects are nested more than `MAX_DEPTH` deep; `name` is the path of the root.
    """
    text = source if isinstance(source, str) else source.decode(json.detect_encoding(source))
    if text.count("[") + text.count("{") > MAX_DEPTH and _depth(text) > MAX_DEPTH:
        raise InputError(name, _("is nested too deeply"))
    return json.loads(text, **hooks)


def _depth(text: str) -> int:
    """Counts how deep lists and objects are nested, in linear time; the text may be no JSON."""
    brackets = STRING.sub(b"", text.encode(errors="replace")).translate(STEPS, NO_BRACKETS)
    return max(accumulate(array("b", brackets)), default=0)


def json_error_position(error: json.JSONDecodeError) -> tuple[int, int]:
    """Returns line and column of an error; those of the comma if it is trailing, as from Python 3.13 on."""
    before = error.doc[: error.pos].rstrip(" \t\n\r")
    if before.endswith(",") and error.doc.startswith(("]", "}"), error.pos):
        error = json.JSONDecodeError(error.msg, error.doc, len(before) - 1)
    return error.lineno, error.colno
