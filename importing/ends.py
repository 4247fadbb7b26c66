"""The lowest and highest numbers of an imported question, as the person who reads the import through says them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from django import forms
from django.core.exceptions import ValidationError

from importing.read_through import ReadLine
from privacy.kinds.number.number import FURTHEST
from surveys import draft as drafts
from surveys.draft import Draft
from surveys.kinds.number.draft import has_limits
from surveys.kinds.number.proposals import proposal, replanned

Node = dict[str, Any]
END = forms.IntegerField(min_value=-FURTHEST, max_value=FURTHEST)


Endless = Mapping[str, Sequence[int | None]]
"""By name the lowest and the highest of the numbers of which the file lacks one."""


class AskedEnds(NamedTuple):
    """`place` is that of its section. None: the file does not say it."""

    place: int
    name: str
    low: int | None
    high: int | None


def endless_of(lines: Iterable[ReadLine]) -> Endless:
    return {line.questions[0]: line.asks for line in lines if line.asks}


def asked_ends(draft: Draft, endless: Endless) -> Iterator[AskedEnds]:
    """Of the numbers whose limits are only proposed: these follow the ends."""
    for place, section in enumerate(drafts.sections(draft)):
        if has_limits(section):
            [question] = section["questions"]
            name = question["name"]
            if name in endless:
                yield AskedEnds(place, name, *endless[name])
            elif question["limits"] == proposal(question):
                yield AskedEnds(place, name, question["low"], question["high"])


class DraftWithEnds(NamedTuple):
    """`refused` are the names of the numbers that have those of the file still, `left` of those without any."""

    draft: Draft
    refused: list[str]
    left: list[str]


def with_ends(draft: Draft, endless: Endless, sent: Mapping[str, str]) -> DraftWithEnds:
    """The draft with the ends that were sent; numbers that have none then are left out."""
    sections: list[Any] = list(drafts.sections(draft))
    refused, left = list[str](), list[str]()
    for place, name, low, high in asked_ends(draft, endless):
        try:
            ends = [END.clean(sent.get(f"{end}-{place}", was)) for end, was in (("low", low), ("high", high))]
            if name in endless or ends != [low, high]:
                sections[place] = _moved(sections[place], *ends)
        except (ValidationError, ValueError):
            (left if name in endless else refused).append(name)
            sections[place] = None if name in endless else sections[place]
    kept = [section for section in sections if section is not None]
    return DraftWithEnds({**draft, "sections": kept}, refused, left)


def _moved(section: Any, low: int, high: int) -> Node:
    """`ValueError` where they do not fit."""
    question = {**section["questions"][0], "low": low, "high": high}
    limits = proposal(question)
    if not limits or limits[0] <= low:
        raise ValueError(limits)
    return replanned(section, {**question, "limits": limits})
