"""The types of question that XLSForm has: which can be asked here, and why the others cannot."""

import re
from collections.abc import Mapping
from typing import Literal, NamedTuple

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

Kind = Literal["one", "many", "number", "begin", "end"]
SELECTS: dict[Kind, re.Pattern[str]] = {
    "one": re.compile(r"(?:select[ _]one|select1|select one from) (\S+)", re.IGNORECASE),
    "many": re.compile(r"(?:select[ _]multiple|select all that apply(?: from)?) (\S+)", re.IGNORECASE),
}
NUMBERS = {"integer": "integer", "int": "integer", "decimal": "decimal", "range": "range"}
GROUPS: dict[str, Kind] = {"begin_group": "begin", "end_group": "end"}

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
TRACE = _(
    "records by itself when, where or by whom the form was filled in; Candor keeps nothing of that. Delete this row"
)
NOTE = _(
    "only shows words; put them into the hint of the next question, or on the start page in the column candor_intro"
    " of the sheet settings"
)
RANK = _("asks for an order of all answers. Ask for the first one (select_one), or for each of them apart")
REPEAT = _(
    "repeats questions as often as somebody likes, and so would say how often they did. Ask a fixed number of times"
)
COMPUTED = _("is computed from other answers, which would tell of them")
OTHER = _(
    "adds an answer in one’s own words (or_other), which no disguise can hide. Add a choice such as “something else”"
)
FROM_FILE = _("takes its choices from another file; write them into the sheet choices")
ACKNOWLEDGE = _(
    "only waits for a yes; what people agree to stands on the start page (candor_consent in settings)"
)

WHY_NOT: Mapping[str, str | Promise] = (
    dict.fromkeys(["text", "string", "barcode"], FREE)
    | dict.fromkeys(["date", "time", "datetime"], DATE)
    | dict.fromkeys(
        ["geopoint", "geotrace", "geoshape", "start-geopoint", "background-geopoint", "osm"], WHERE
    )
    | dict.fromkeys(
        ["image", "photo", "audio", "video", "file", "background-audio", "draw", "signature"], MEDIA
    )
    | dict.fromkeys(
        [
            "start",
            "end",
            "today",
            "deviceid",
            "subscriberid",
            "simserial",
            "phonenumber",
            "username",
            "email",
            "audit",
        ],
        TRACE,
    )
    | dict.fromkeys(["note"], NOTE)
    | dict.fromkeys(["rank"], RANK)
    | dict.fromkeys(["begin_repeat", "begin repeat", "end_repeat", "end repeat"], REPEAT)
    | dict.fromkeys(["calculate", "hidden", "xml-external", "csv-external"], COMPUTED)
    | dict.fromkeys(["acknowledge", "trigger"], ACKNOWLEDGE)
)
CANNOT_BE = {
    "calculation": COMPUTED,
    "constraint": _("limits what can be answered, which a choice among fixed answers does not need"),
    "default": _("presets an answer, and whoever passes over it would give it"),
    "choice_filter": _(
        "offers different choices to different people, so what was offered would tell of them"
    ),
    "repeat_count": REPEAT,
    "trigger": COMPUTED,
    "readonly": _("shows a question that cannot be answered"),
}
"""Columns of the sheet survey that would change what is asked."""


class RowType(NamedTuple):
    """`choices` names the list of a select; `number` is the type of a number."""

    kind: Kind
    choices: str = ""
    number: str = ""


def type_of(written: str) -> RowType | str | Promise:
    """The type of a row, or why it is refused."""
    text = re.sub(r"\s+", " ", written.strip())
    low = text.lower()
    first = low.split(" ", maxsplit=1)[0]
    if re.search(r" or[ _]other$", low):
        return OTHER
    if "from_file" in first or "external" in first:
        return FROM_FILE
    for kind, pattern in SELECTS.items():
        if found := pattern.fullmatch(text):
            return RowType(kind, found[1])
    if low in NUMBERS:
        return RowType("number", number=NUMBERS[low])
    if low.replace(" ", "_") in GROUPS:
        return RowType(GROUPS[low.replace(" ", "_")])
    otherwise = _("is no type of question here; use select_one or select_multiple and the name of a list")
    return WHY_NOT.get(low) or WHY_NOT.get(first) or otherwise
