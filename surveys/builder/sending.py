"""Sending the one question of a section as sets of answers, or as one answer again."""

from django.utils.translation import gettext as _

from surveys.draft import Draft
from surveys.kinds.grouped.draft import grouped_law, is_grouped
from surveys.kinds.subset.draft import SUBSET, as_one, sets_of
from surveys.kinds.subset.warnings import sets_words
from surveys.questionnaire.blocks import section_at, with_section
from surveys.questionnaire.normal_values import Node
from surveys.refused import Refused


def sends_sets(section: Node) -> bool:
    return section.get("kind") == SUBSET


def sets_proposed(section: Node) -> str:
    """The proposal to send sets, in words; empty where they do not win."""
    law = grouped_law(section) if is_grouped(section) else None
    return sets_words(section, law.gamma) if law else ""


def sending(draft: Draft, number: int, word: str) -> Draft:
    """The draft whose section sends its one question as sets of answers, or as one again."""
    section = section_at(draft, number)
    if word == "one" and sends_sets(section):
        return with_section(draft, number, as_one(section))
    law = grouped_law(section) if word == "sets" and is_grouped(section) else None
    found = sets_of(section, law.gamma) if law else None
    if found is None:
        raise Refused(_("This section has changed meanwhile. Look at it again."))
    return with_section(draft, number, found[0])
