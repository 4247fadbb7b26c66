"""XLSForm's question types: those that can be imported, and the reasons why others cannot."""

import re
from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

Kind = Literal["one", "many", "line", "number", "note", "begin", "end", "repeat", "end repeat"]
SELECTS: dict[Kind, re.Pattern[str]] = {
    "one": re.compile(r"select(?:[ _-]?one|1)(?: from| prompt using| using)?[ _](\S+)", re.IGNORECASE),
    "many": re.compile(
        r"(?:select(?: all that apply(?: from)?)? |select[ _-]?multiple(?: from| prompt using| using)?[ _])(\S+)",
        re.IGNORECASE,
    ),
}
NUMBERS = {"integer": "integer", "int": "integer", "decimal": "decimal", "range": "range"}
GROUP = re.compile(r"(begin|end)[ _-]?(group|lgroup|repeat|looped group|loop)(?: .*)?")
GROUPS: dict[tuple[str, bool], Kind] = {
    ("begin", False): "begin",
    ("end", False): "end",
    ("begin", True): "repeat",
    ("end", True): "end repeat",
}
"""Row kinds by the first word (begin or end), and whether the group is repeated."""
LEGACY_FIRST, LEGACY_LAST = ("add ", "get ", "q ", "uri:"), " prompt"
"""Words that older forms write before and after a type: add text prompt, get device id."""
OTHER_CHOICE = re.compile(r" or[ _](?:other|specify other)$", re.IGNORECASE)

FREE = _(
    "takes free answers, which no disguise can hide: a few words can name a person. Ask for one of several answers"
    " (select_one)"
)
DATE = _(
    "takes a date or a time, and an exact one can single a person out. Ask for one of several bands (select_one), such"
    " as 18 to 39"
)
WHERE = _("a continuous place cannot be disguised exactly; use a place question with cells")
MEDIA = _("takes a recording or a file, which says who made it")
TRACE = _("records by itself when, where or by whom the form was filled in; Candor keeps nothing of that")
RANK = _("asks for an order of all answers. Ask for the first one (select_one), or for each of them apart")
REPEAT = _(
    "repeats questions as often as a person chooses, and the number of times would be"
    " visible. Ask a fixed number of times"
)
MATRIX = _("asks the same questions for each row of a list; write each of these questions out")
COMPUTED = _("is computed from other answers, which would tell of them")
FROM_FILE = _("takes its choices from another file or sheet; write them into the sheet choices")
FROM_ANSWERS = _("takes its choices from earlier answers, which would tell of them")
ACKNOWLEDGE = _(
    "only asks people to agree; the consent statement is shown on the start page (candor_consent in settings)"
)

TYPES_BY_REASON: Sequence[tuple[str | Promise, Sequence[str]]] = (
    (FREE, ("text", "string", "barcode")),
    (DATE, ("date", "time", "datetime", "date time")),
    (
        WHERE,
        (
            "geopoint",
            "location",
            "gps",
            "geotrace",
            "geoshape",
            "start-geopoint",
            "background-geopoint",
            "osm",
        ),
    ),
    (MEDIA, ("image", "photo", "audio", "video", "file", "background-audio", "draw", "signature")),
    (TRACE, ("start", "start time", "end", "end time", "today", "username", "email", "audit")),
    (TRACE, ("device id", "subscriber id", "sim id", "phone number", "imei")),
    (TRACE, ("deviceid", "subscriberid", "simserial", "phonenumber")),
    (RANK, ("rank", "begin_rank", "rank__level", "end_rank")),
    (COMPUTED, ("calculate", "hidden", "xml-external", "csv-external")),
    (ACKNOWLEDGE, ("acknowledge", "trigger")),
)
REFUSAL_REASONS = {name: reason for reason, names in TYPES_BY_REASON for name in names}
CANNOT_BE = {
    "calculation": COMPUTED,
    "constraint": _("limits what can be answered, which a choice among fixed answers does not need"),
    "default": _("presets an answer; people who skip the question would give it"),
    "choice_filter": _(
        "offers different choices to different people, so what was offered would tell of them"
    ),
    "repeat_count": REPEAT,
    "trigger": COMPUTED,
    "readonly": _("shows a question that cannot be answered"),
}
"""Columns of the sheet survey that would change which questions are asked or answered, with the reason why
they are left out."""


class RowType(NamedTuple):
    """The type of a row.

    `choices`: name of the list of a select. `other`: the select allows a free-text answer. `number`: type of
    the number. `why`: the reason why the rows of a repeat are left out.
    """

    kind: Kind
    choices: str = ""
    number: str = ""
    other: bool = False
    why: str | Promise = REPEAT


KOBO: Mapping[str, RowType] = {
    "begin_score": RowType("begin"),
    "score__row": RowType("line"),
    "end_score": RowType("end"),
    "begin_kobomatrix": RowType("repeat", why=MATRIX),
    "end_kobomatrix": RowType("end repeat"),
}
"""Row types that KoboToolbox writes for its tables."""


def parse_type(written: str) -> RowType | str | Promise:
    """Returns the type of a row as written in the column type, or the reason why the row is left out."""
    text = _remove_legacy_affixes(re.sub(r"\s+", " ", written.strip()))
    low = text.lower()
    first = low.split(" ", maxsplit=1)[0]
    if "from_file" in first or "external" in first or " from file" in low:
        return FROM_FILE
    bare = OTHER_CHOICE.sub("", text)
    for kind, pattern in SELECTS.items():
        if match := pattern.fullmatch(bare):
            if match[1].startswith("${"):
                return FROM_ANSWERS
            return RowType(kind, match[1], other=bare != text)
    if low in NUMBERS or first == "range":
        return RowType("number", number=NUMBERS.get(low, "range"))
    if group := GROUP.fullmatch(low):
        return RowType(GROUPS[group[1], group[2] != "group"])
    if low == "note":
        return RowType("note")
    if low in KOBO:
        return KOBO[low]
    otherwise = _("is no type of question here; use select_one or select_multiple and the name of a list")
    return REFUSAL_REASONS.get(low) or REFUSAL_REASONS.get(first) or otherwise


def _remove_legacy_affixes(text: str) -> str:
    """Returns the type without the words that older forms write before and after it."""
    low = text.lower()
    first = next((each for each in LEGACY_FIRST if low.startswith(each)), "")
    last = len(LEGACY_LAST) if first and low.endswith(LEGACY_LAST) else 0
    return text[len(first) : len(text) - last]
