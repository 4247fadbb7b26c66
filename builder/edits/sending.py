"""Sending the one question of a section as sets of answers, or as one answer again."""

from django.utils.translation import gettext as _

from surveys.kinds.grouped.draft import GroupedDraft
from surveys.kinds.subset.draft import with_sets
from surveys.kinds.subset.kind import sets_words
from surveys.not_allowed import NotAllowed
from surveys.questionnaire.blocks import section_at, with_section
from surveys.questionnaire.draft_section import DraftSection
from surveys.questionnaire.questionnaire import Questionnaire


def sets_proposed(section: DraftSection) -> str:
    """The proposal to send sets, in words; empty where they do not win."""
    law = section.choice_law()
    return sets_words(section, law) if law else ""


def as_one(section: DraftSection) -> GroupedDraft:
    """Of a section that sends sets: one that sends one choice, at the same protection."""
    keep, questions = section.choice_keep(), section.questions
    return GroupedDraft(keep=keep, preset=section.preset, intro=section.intro, questions=questions)


def sending(draft: Questionnaire, number: int, word: str) -> Questionnaire:
    """The draft whose section sends its one question as sets of answers, or as one again."""
    section = section_at(draft, number)
    if word == "one" and section.sends_sets:
        return with_section(draft, number, as_one(section))
    law = section.choice_law() if word == "sets" else None
    sets = with_sets(section, law) if law else None
    if sets is None:
        raise NotAllowed(_("This section has changed meanwhile. Look at it again."))
    return with_section(draft, number, sets[0])
