"""A closed question in one line: its kind and its answers, one table by kind of section."""

from collections.abc import Callable
from dataclasses import dataclass

from django.utils.translation import gettext as _, ngettext

from look.numbers import count, exact_percent
from privacy.grammar.question import DRAWN
from privacy.grammar.refusal import Refusal
from surveys.kinds.crosswise.draft import CROSSWISE
from surveys.kinds.number.draft import NUMBER, WANTED, range_of, wanted_of
from surveys.kinds.number.picture import number_words
from surveys.kinds.place.draft import PLACE
from surveys.kinds.subset.draft import SUBSET
from surveys.questionnaire import answer_choices
from surveys.questionnaire.blocks import Block
from surveys.questionnaire.choices_form import answer_words
from surveys.questionnaire.control_items import KNOWN
from surveys.questionnaire.questions import KINDS, kind_of
from surveys.questionnaire.section_kinds import GROUPED, PLAIN

SHOWN = 5
"""Answers that a closed question lists."""


@dataclass(frozen=True)
class BlockLine:
    """`answers` are the first few, as a respondent reads them; `more` are left out."""

    kind: str
    answers: tuple[str, ...] = ()
    more: int = 0


def _with_choices(block: Block, language: str) -> BlockLine:
    if KNOWN in block[0]:
        words = _("Control item: %(share)s truly say yes")
        return BlockLine(words % {"share": exact_percent(float(block[0][KNOWN]))})
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


def _number(block: Block, language: str) -> BlockLine:
    question = block[0]
    wanted = str(WANTED[wanted_of(question)])
    try:
        numbers = range_of(question)
    except Refusal:
        return BlockLine(_("Number"), (wanted,))
    unit = question["unit"].get(language, "")
    words = _("Number from %(low)s to %(high)s") % {
        "low": number_words(numbers.low),
        "high": f"{number_words(numbers.high)} {unit}".strip(),
    }
    return BlockLine(words, (wanted,))


def _place(block: Block, language: str) -> BlockLine:
    question = block[0]
    cells, regions = len(question["cells"]), question["regions"]
    words = ngettext("One of %(cells)s place", "One of %(cells)s places", cells) % {"cells": count(cells)}
    names = (each["label"].get(language) or each["name"] for each in regions[:SHOWN])
    return BlockLine(words, tuple(names), max(0, len(regions) - SHOWN))


def _crosswise(block: Block, language: str) -> BlockLine:
    secret = block[0]["secret"].get(language)
    return BlockLine(_("Crosswise question"), (secret,) if secret else ())


LINES: dict[str, Callable[[Block, str], BlockLine]] = {
    PLAIN: _with_choices,
    GROUPED: _with_choices,
    NUMBER: _number,
    PLACE: _place,
    CROSSWISE: _crosswise,
    SUBSET: _with_choices,
}


def block_line(section_kind: str, block: Block, language: str) -> BlockLine:
    return LINES[section_kind](block, language)
