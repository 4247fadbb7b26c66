"""A closed question in one line: its kind and its answers."""

from dataclasses import dataclass

from django.utils.translation import gettext as _, ngettext

from privacy.grammar.question import DRAWN
from surveys.kinds.forms.choices_form import answer_words
from surveys.questionnaire import answer_choices
from surveys.questionnaire.blocks import Block
from surveys.questionnaire.questions import KINDS, kind_of
from ui.numbers import exact_percent

SHOWN = 5
"""Answers that a closed question lists."""


@dataclass(frozen=True)
class BlockLine:
    """`answers` are the first few, as a respondent reads them; `more` are left out."""

    kind: str
    answers: tuple[str, ...] = ()
    more: int = 0


def choices_line(block: Block, language: str) -> BlockLine:
    if block[0].known:
        words = _("Control item: %(share)s truly say yes")
        return BlockLine(words % {"share": exact_percent(float(block[0].known))})
    if kind_of(block) == "yes-no" and not answer_choices.prefers_not(block):
        return BlockLine(_kind(block))
    rows = len(answer_choices.rows(block))
    answers = tuple(answer_words(block, row, language) for row in range(min(rows, SHOWN)))
    return BlockLine(_kind(block), answers, rows - len(answers))


def _kind(block: Block) -> str:
    kind = kind_of(block)
    if kind in ("yes-no", DRAWN):
        return str(KINDS[kind])
    own = answer_choices.own(block)
    return {
        "one": ngettext("One of %(count)s", "One of %(count)s", own),
        "many": ngettext("Several of %(count)s", "Several of %(count)s", own),
        "scale": ngettext("Scale of %(count)s", "Scale of %(count)s", own),
    }[kind] % {"count": own}
