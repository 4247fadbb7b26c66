"""The lowest and highest numbers of an imported question, as the person who reads the import through says them."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from django import forms
from django.core.exceptions import ValidationError

from privacy.kinds.number.section import FURTHEST
from surveys import draft as drafts
from surveys.draft import Draft
from surveys.kinds.number.draft import has_limits
from surveys.kinds.number.proposals import proposal, replanned

Node = dict[str, Any]
END = forms.IntegerField(min_value=-FURTHEST, max_value=FURTHEST)


class AskedEnds(NamedTuple):
    """`place` is that of its section."""

    place: int
    name: str
    low: int
    high: int


def asked_ends(draft: Draft) -> Iterator[AskedEnds]:
    """Of the numbers whose limits are only proposed: these follow the ends."""
    for place, section in enumerate(drafts.sections(draft)):
        if has_limits(section):
            [question] = section["questions"]
            if question["limits"] == proposal(question):
                yield AskedEnds(place, question["name"], question["low"], question["high"])


def with_ends(draft: Draft, sent: Mapping[str, str]) -> tuple[Draft, list[str]]:
    """The draft with the ends that were sent, and the names of the numbers that have those of the file still."""
    sections, refused = list(drafts.sections(draft)), []
    for place, name, low, high in asked_ends(draft):
        try:
            ends = [END.clean(sent.get(f"{end}-{place}", was)) for end, was in (("low", low), ("high", high))]
            if ends != [low, high]:
                sections[place] = _moved(sections[place], *ends)
        except (ValidationError, ValueError):
            refused.append(name)
    return {**draft, "sections": sections}, refused


def _moved(section: Any, low: int, high: int) -> Node:
    """`ValueError` where they do not fit."""
    question = {**section["questions"][0], "low": low, "high": high}
    limits = proposal(question)
    if not limits or limits[0] <= low:
        raise ValueError(limits)
    return replanned(section, {**question, "limits": limits})
