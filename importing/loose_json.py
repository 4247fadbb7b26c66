"""Parses JSON of other programs, in which any part may be missing or have another type than usual."""

import json
import re
from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _

from importing.faults import Fault, FileRefused, file_refusal
from privacy.grammar.input_error import InputError
from privacy.grammar.json_text import json_error_position, parse_json
from surveys.questionnaire.problems_and_refusals import reason_text

Members = Mapping[str, Any]
BEGIN = re.compile(r'\ufeff?\s*\{\s*["}]')
HALF_CHARACTER = re.compile(r"\\u[dD][89a-fA-F]")


def looks_like_json(data: bytes) -> bool:
    """True if the file begins like a JSON object."""
    begin = data[:1_000]
    return BEGIN.match(begin.decode(json.detect_encoding(begin), "ignore")) is not None


def parse_object_or_empty(data: bytes) -> Members:
    """Returns the JSON object in a file; raises `FileRefused` with the line if the file is damaged.

    A lone surrogate, which no page can show, becomes a question mark. Any other JSON value becomes an empty object.
    """
    try:
        text = data.decode(json.detect_encoding(data))
        root = parse_json(text, "")
        if HALF_CHARACTER.search(text):
            root = json.loads(json.dumps(root, ensure_ascii=False).encode(errors="replace"))
    except InputError as refusal:
        raise file_refusal(reason_text(refusal)) from None
    except ValueError as error:
        line = json_error_position(error)[0] if isinstance(error, json.JSONDecodeError) else 1
        location = _("line %(number)s") % {"number": line}
        raise FileRefused([Fault(location, _("is damaged JSON; export it again"))]) from None
    return members_or_empty(root)


def members_or_empty(node: object) -> Members:
    return node if isinstance(node, dict) else {}


def items_or_values_or_empty(node: object) -> list[Any]:
    """Returns the items of a list, which some programs write as an object with numbers for keys."""
    return list(node.values()) if isinstance(node, dict) else node if isinstance(node, list) else []


def scalar_text(node: object) -> str:
    if isinstance(node, bool):
        return "true" if node else "false"
    return str(node) if isinstance(node, str | int | float) else ""
