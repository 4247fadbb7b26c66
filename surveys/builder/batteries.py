"""A battery: questions that stand together and share one scale, so that respondents see them as one table.

In a draft, its questions have the same `of`, form, choices and help, which is the words above the table
(surveys.questionnaire.blocks.with_block). Each is edited, moved and deleted as a question of its own.
"""

from collections.abc import Sequence

from django.utils.translation import gettext as _

from surveys.draft import Draft, is_sensitive
from surveys.questionnaire import normal_values, questions
from surveys.questionnaire.blocks import blocks, groups, names, with_blocks
from surveys.questionnaire.scales import SCALES
from surveys.refused import Refused

MOST_STATEMENTS = 40
LONGEST_STATEMENT = 500


def statements_of(text: str) -> list[str]:
    """One of each line that says something."""
    found = [line.strip() for line in normal_values.words(text).splitlines() if line.strip()]
    if len(found) < 2:
        raise Refused(_("Write at least two statements, each on a line of its own."))
    if len(found) > MOST_STATEMENTS:
        raise Refused(_("A battery has at most %(most)s statements.") % {"most": MOST_STATEMENTS})
    if any(len(each) > LONGEST_STATEMENT for each in found):
        raise Refused(
            _("A statement has at most %(most)s characters. Write a shorter one.")
            % {"most": LONGEST_STATEMENT}
        )
    return found


def added(
    draft: Draft, section: int, statements: Sequence[str], scale: str, language: str
) -> tuple[Draft, str]:
    """The statements at the end of a section, and the name of the first."""
    if scale not in SCALES:
        raise Refused(_("Choose one of the scales."))
    if language not in draft["languages"]:
        raise Refused(_("The survey is not in this language any more."))
    sensitive = is_sensitive(draft["sections"][section])
    first = questions.new_block(draft, scale, sensitive)[0]
    of = normal_values.unused_name(first["name"], groups(draft))
    taken, made = names(draft), []
    for statement in statements:
        name = normal_values.unused_name(first["name"], taken)
        taken.add(name)
        made.append([{**first, "name": name, "text": {language: statement}, "of": of}])
    there = blocks(draft["sections"][section])
    return with_blocks(draft, section, [*there, *made]), made[0][0]["name"]
