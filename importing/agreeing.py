"""Which questions of a form from elsewhere are plain: those that a person ticks; the others become sensitive."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from privacy.guarantee.presets import DEFAULT
from privacy.kinds.presentation import INTRO
from surveys import draft as drafts
from surveys.draft import Draft
from surveys.kinds.grouped.draft import GROUPED, GroupedDraft
from surveys.kinds.number.editing import scale_section
from surveys.questionnaire import normal_form

Node = Mapping[str, Any]


def agreed(draft: Draft, unmarked: Sequence[Sequence[str]], ticked: Collection[int]) -> Draft:
    """The draft in which only the ticked ones of the unmarked questions are plain. Rules on the others are left out."""
    hidden = {name for number, names in enumerate(unmarked) if number not in ticked for name in names}
    if not hidden:
        return draft
    sections = [made for section in drafts.sections(draft) for made in _parts(section, hidden)]
    return normal_form.normalized({**draft, "sections": [_without_rules(each, hidden) for each in sections]})


def _parts(section: Node, hidden: Collection[str]) -> Iterator[Node]:
    """The section, cut where plain and sensitive questions of it meet, and round each scale of numbers."""
    questions = drafts.questions(section)
    if not any(each.get("name") in hidden for each in questions):
        yield section
        return
    words: Node = {INTRO: section[INTRO]} if INTRO in section else {}
    bare = {key: value for key, value in section.items() if key != INTRO}

    def kind(question: Node) -> tuple[bool, Node | None]:
        is_hidden = question.get("name") in hidden
        return is_hidden, scale_section(question) if is_hidden else None

    for (is_hidden, scale), found in groupby(questions, kind):
        asked = list(found)
        if scale:
            yield {**scale, **words}
        elif is_hidden:
            fitted = [GroupedDraft().fitted(dict(each)) for each in asked]
            following = {drafts.PRESET: DEFAULT.name}
            yield {"kind": GROUPED, "keep": drafts.KEEP, **following, **words, "questions": fitted}
        else:
            yield {**bare, **words, "questions": asked}
        words = {}


def _without_rules(section: Node, hidden: Collection[str]) -> Node:
    questions = [
        {
            **each,
            "show_if": {name: said for name, said in each.get("show_if", {}).items() if name not in hidden},
        }
        for each in drafts.questions(section)
    ]
    return {**section, "questions": questions}


def looked_at(draft: Draft) -> dict[str, list[str]]:
    """By question the names of those whose rules look at it, which are lost if it becomes sensitive."""
    found: dict[str, list[str]] = {}
    for section in drafts.sections(draft):
        for question in drafts.questions(section):
            for name in question.get("show_if", {}):
                found.setdefault(name, []).append(question["name"])
    return found
