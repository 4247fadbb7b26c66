"""Strict JSON reader: each value knows its path, so an error message can name the place of a wrong value."""

import json
import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, TypeVar

from privacy.grammar.input_error import (
    SHOWN,
    InputError,
    mark_for_translation as _,
    quote_value,
    unreadable_file,
)
from privacy.grammar.json_text import json_error_position, parse_json

PARTS = 10_000
"""Unit of probabilities: an integer counts ten-thousandths."""

T = TypeVar("T")

MAX_BYTES = 4_000_000
MAX_DIGITS = 15
MAX_WRITTEN = 400
"""Most characters of a number with a fraction: more than any program writes."""
MAX_NAME = 200
MOST_MARKS = 30
PROBABILITY = re.compile(r"([01])(?:\.([0-9]{1,4}))?", re.ASCII)
LINE_BREAKS = "\t\n\r"
NAMELESS = ("Cc", "Cf", "Zl", "Zp")
"""Unicode categories of characters that break a line, reverse it or change it invisibly."""
JOINERS = "\u200c\u200d"
"""Invisible joining characters, which Persian, Hindi and other languages need."""


class _WrittenObject(tuple[tuple[str, object], ...]):
    """The key-value pairs of a JSON object in written order, kept so that a duplicate key can be found."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class _NotAnInteger:
    """A number in JSON with more digits than are read as an integer; `written`: its text."""

    written: str


class Node(NamedTuple):
    """A JSON value with its path: its `key` or index in the parent node `above`; the root has no parent."""

    # A large file has a million: a tuple is made in a third of the time of a frozen dataclass.

    value: object
    name_of_root: str
    above: "Node | None" = None
    key: str | int = ""

    @property
    def path(self) -> str:
        """The path as text; computed only for an error, since a million values would each have a long one."""
        keys: list[str | int] = []
        node = self
        while node.above is not None:
            keys.append(node.key)
            node = node.above
        written = ""
        for key in reversed(keys):
            if isinstance(key, str) and _may_stay_unquoted(key):
                written = f"{written}.{key}" if written else key
            else:
                written = (
                    f"{written or self.name_of_root}[{key if isinstance(key, int) else quote_value(key)}]"
                )
        return written or self.name_of_root

    @property
    def is_object(self) -> bool:
        return isinstance(self.value, _WrittenObject)

    def refuse(self, template: str, **values: object) -> InputError:
        """Returns the error that refuses this value; the reason is `template` with `values` filled in."""
        return InputError(self.path, template, **values)

    def object_members(self) -> dict[str, "Node"]:
        """Reads a JSON object: returns its members by key, normalised (NFC); refuses a duplicate key."""
        if not isinstance(self.value, _WrittenObject):
            raise self.refuse(_("must be an object"))
        members: dict[str, Node] = {}
        for written, value in self.value:
            key = self._normalise_text(written)
            if key in members:
                raise self.refuse(_("the key %(key)s appears twice"), key=quote_value(key))
            members[key] = Node(value, self.name_of_root, self, key)
        return members

    def members(self, required: frozenset[str], optional: frozenset[str]) -> dict[str, "Node"]:
        """Reads a JSON object with all `required` and perhaps some `optional` keys; refuses any other key."""
        members = self.object_members()
        for key in members:
            if key not in required and key not in optional:
                raise self.refuse(_("unknown key %(key)s"), key=quote_value(key))
        for key in sorted(required):
            if key not in members:
                raise self.refuse(_("%(key)s is missing"), key=quote_value(key))
        return members

    def items(self) -> Iterator["Node"]:
        """Reads a JSON array: yields its elements."""
        if not isinstance(self.value, list):
            raise self.refuse(_("must be a list"))
        return (Node(value, self.name_of_root, self, index) for index, value in enumerate(self.value))

    def text(self) -> str:
        """Reads a JSON text, normalised (NFC); the only control characters are tabs and line breaks."""
        if not isinstance(self.value, str):
            raise self.refuse(_("must be a text"))
        if _is_printable_ascii(self.value):
            return self.value
        for character in self.value:
            kind = unicodedata.category(character)
            if kind == "Cs" or (kind == "Cc" and character not in LINE_BREAKS):
                raise self.refuse(_("holds the character U+%(code)s"), code=f"{ord(character):04X}")
        return self._normalise_text(self.value)

    def _normalise_text(self, text: str) -> str:
        """Returns the text normalised (NFC); refuses long runs of accents, which take quadratic time."""
        if text.isascii():
            return text
        marks = 0
        for character in text:
            marks = marks + 1 if unicodedata.combining(character) else 0
            if marks > MOST_MARKS:
                raise self.refuse(_("holds more than %(most)s accents in a row"), most=MOST_MARKS)
        return unicodedata.normalize("NFC", text)

    def name(self) -> str:
        """Reads a JSON text that may be a name: it has no invisible or misleading characters."""
        name = self.text()
        if not name:
            raise self.refuse(_("a name is not empty"))
        if len(name) > MAX_NAME:
            raise self.refuse(_("a name has at most %(most)s characters"), most=MAX_NAME)
        if name != name.strip():
            raise self.refuse(_("a name neither begins nor ends with a space"))
        for character in "" if _is_printable_ascii(name) else name:
            if not is_allowed_in_names(character):
                raise self.refuse(_("a name holds no U+%(code)s"), code=f"{ord(character):04X}")
        return name

    def integer(self, low: int, high: int) -> int:
        """Reads an integer from `low` to `high`."""
        if type(self.value) is not int:
            raise self.refuse(_("must be an integer"))
        if not low <= self.value <= high:
            raise self.refuse(_("must lie between %(low)s and %(high)s"), low=low, high=high)
        return self.value

    def real_number(self, low: float, high: float) -> float:
        """Reads a number from `low` to `high`, with or without fraction and exponent; refuses NaN."""
        if not isinstance(self.value, int | _NotAnInteger) or isinstance(self.value, bool):
            raise self.refuse(_("must be a number"))
        if isinstance(self.value, int):
            value = float(self.value)
        elif len(self.value.written) <= MAX_WRITTEN:
            value = float(self.value.written)
        else:
            raise self.refuse(_("a number has at most %(most)s characters"), most=MAX_WRITTEN)
        if not low <= value <= high:
            raise self.refuse(_("must lie between %(low)s and %(high)s"), low=low, high=high)
        return value

    def boolean(self) -> bool:
        """Reads a JSON value that must be true or false."""
        if not isinstance(self.value, bool):
            raise self.refuse(_("must be true or false"))
        return self.value

    def probability(self) -> int:
        """Reads a probability strictly between 0 and 1; returns ten-thousandths."""
        parts = self.probability_including_ends()
        if not 0 < parts < PARTS:
            raise self.refuse(_("a probability of %(value)s is not allowed"), value=self.value)
        return parts

    def probability_between(self, low: int, high: int) -> int:
        """Reads a probability; returns ten-thousandths, which must be from `low` to `high`."""
        parts = self.probability()
        if not low <= parts <= high:
            raise self.refuse(
                _("must lie between %(low)s and %(high)s"),
                low=parts_to_decimal(low),
                high=parts_to_decimal(high),
            )
        return parts

    def probability_including_ends(self) -> int:
        """Reads a probability from 0 to 1, both ends included; returns ten-thousandths."""
        if not isinstance(self.value, str):
            raise self.refuse(_('a probability is a text with up to four places, such as "0.2500"'))
        match = PROBABILITY.fullmatch(self.value)
        if match is None:
            raise self.refuse(
                _('%(value)s is not a probability with one to four places, such as "0.2500"'),
                value=quote_value(self.value),
            )
        parts = int(match[1]) * PARTS + int((match[2] or "").ljust(4, "0"))
        if parts > PARTS:
            raise self.refuse(_("a probability of %(value)s is not allowed"), value=self.value)
        return parts


def parts_to_decimal(parts: int) -> str:
    """Writes ten-thousandths as a decimal text with four places."""
    return f"{parts // PARTS}.{parts % PARTS:04d}"


def _may_stay_unquoted(key: str) -> bool:
    """Returns True if an error message can show this key of an object without quotation marks."""
    return len(key) <= SHOWN and key.isascii() and key.replace("-", "_").isidentifier()


def _is_printable_ascii(text: str) -> bool:
    """Returns True if the text has only printable ASCII characters, which every text and name may contain."""
    return text.isascii() and text.isprintable()


def is_allowed_in_names(character: str) -> bool:
    """Returns True if a name may contain this character."""
    return unicodedata.category(character) not in NAMELESS or character in JOINERS


def read_json_file(path: Path, parse: Callable[[bytes], T]) -> T:
    """Parses a JSON file by the function `parse`; an error message names the file, too."""
    try:
        with path.open("rb") as file:
            # A device or a pipe may be endless.
            data = file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        raise unreadable_file(path, error) from None
    try:
        return parse(data)
    except InputError as refusal:
        raise refusal.with_outer_path(str(path)) from None


def canonical_text(content: object) -> str:
    """Writes content as canonical JSON, from which fingerprints are computed."""
    return json.dumps(content, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def read_json(source: str | bytes, name: str) -> Node:
    """Parses a JSON text into its root node; `name` is the path of the root."""
    text = _decode(source, name)
    try:
        value = parse_json(
            text,
            name,
            object_pairs_hook=_WrittenObject,
            parse_int=_parse_integer,
            parse_float=_NotAnInteger,
            parse_constant=_NotAnInteger,
        )
    except json.JSONDecodeError as error:
        line, column = json_error_position(error)
        raise InputError(
            name,
            _(
                "line %(line)s, column %(column)s: not JSON; here a sign such as a comma or a quotation mark is "
                "missing, wrong or too many"
            ),
            line=line,
            column=column,
        ) from None
    return Node(value, name)


def _decode(source: str | bytes, name: str) -> str:
    """Decodes a JSON text from UTF-8; refuses other encodings and very long texts."""
    if len(source) > MAX_BYTES:
        raise InputError(name, _("is longer than %(limit)s bytes"), limit=MAX_BYTES)
    if isinstance(source, str):
        return source
    try:
        return source.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(name, _("byte %(place)s: not UTF-8"), place=error.start) from None


def _parse_integer(written: str) -> int | _NotAnInteger:
    """Parses an integer of JSON; returns `_NotAnInteger` for one with very many digits."""
    # int() takes quadratic time on long texts and, past 4,300 digits, raises.
    return int(written) if len(written) <= MAX_DIGITS else _NotAnInteger(written)
