"""A battery: questions that stand together and share one scale, so that respondents see them as one table.

In a draft, its questions have the same `of`, form, choices and help, which is the words above the table
(surveys.questionnaire.blocks.with_block). Each is edited, moved and deleted as a question of its own.
"""

from collections.abc import Sequence
from dataclasses import replace

from django.utils.translation import gettext as _

from surveys.not_allowed import NotAllowed
from surveys.questionnaire import normal_values, questions
from surveys.questionnaire.blocks import blocks, groups, names, with_blocks
from surveys.questionnaire.questionnaire import Questionnaire
from surveys.questionnaire.scales import SCALES

MOST_STATEMENTS = 40
LONGEST_STATEMENT = 500


def statements_of(text: str) -> list[str]:
    """One of each line that says something."""
    statements = [line.strip() for line in normal_values.words(text).splitlines() if line.strip()]
    if len(statements) < 2:
        raise NotAllowed(_("Write at least two statements, each on a line of its own."))
    if len(statements) > MOST_STATEMENTS:
        raise NotAllowed(_("A battery has at most %(most)s statements.") % {"most": MOST_STATEMENTS})
    if any(len(each) > LONGEST_STATEMENT for each in statements):
        raise NotAllowed(
            _("A statement has at most %(most)s characters. Write a shorter one.")
            % {"most": LONGEST_STATEMENT}
        )
    return statements


def added(
    draft: Questionnaire, section: int, statements: Sequence[str], scale: str, language: str
) -> tuple[Questionnaire, str]:
    """The statements at the end of a section, and the name of the first."""
    if scale not in SCALES:
        raise NotAllowed(_("Choose one of the scales."))
    if language not in draft.languages:
        raise NotAllowed(_("The survey is not in this language any more."))
    (first,) = questions.new_block(draft, scale, draft.sections[section].sensitive)
    battery = normal_values.unused_name(first.name, groups(draft))
    fresh = normal_values.UniqueNames(names(draft))
    lines = [
        replace(first, name=fresh.give(first.name), text={language: statement}, of=battery)
        for statement in statements
    ]
    there = blocks(draft.sections[section])
    return with_blocks(draft, section, [*there, *([line] for line in lines)]), lines[0].name
