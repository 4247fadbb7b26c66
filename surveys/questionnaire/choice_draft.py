"""Questions with choices, of all kinds: how they are read."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from privacy.grammar.node import PARTS, decimal
from privacy.grammar.question import DRAWN, FORMS, SHUFFLED, TABLE_FORMS, YES_NO
from privacy.grammar.reading import RESERVED_CHOICES
from privacy.kinds.grouped.section import uniform
from surveys.questionnaire.control_items import read_known
from surveys.questionnaire.draft_question import OPTION, Choice, DraftQuestion, Given
from surveys.questionnaire.normal_values import UniqueNames, as_name, probability, texts


def as_drawn(question: DraftQuestion, shares: object) -> DraftQuestion:
    """The question that the device answers, for everybody, with these shares; with equal ones where they do not fit."""
    count = len(question.choices)
    equal = [decimal(parts) for parts in uniform(count)] if count else []
    fitting = read_noise(shares, count) or tuple(equal)
    return replace(question, of="", known="", form=DRAWN, shares=fitting, show_if={})


def read_choices_question(given: Given) -> DraftQuestion:
    data = given.data
    choices = read_choices(data.get("choices"), given.languages)
    is_yes_no = tuple(choice.name for choice in choices) == YES_NO
    form = data.get("form", "yes-no" if is_yes_no else "one")
    if form not in FORMS or (form in ("yes-no", OPTION) and not is_yes_no):
        form = "one"
    group = as_name(data.get("of"))
    if form == OPTION:
        group = group or given.common["name"]
    elif form not in TABLE_FORMS:
        group = ""
    return DraftQuestion(
        **given.common,
        form=form,
        choices=choices,
        known=read_known(data, form),
        shuffled=1 if data.get(SHUFFLED) else 0,
        of=group,
        none=texts(data.get("none"), given.languages) if form == OPTION else {},
    )


def read_choices(given: object, languages: Sequence[str]) -> tuple[Choice, ...]:
    names = UniqueNames(RESERVED_CHOICES)
    nodes = (each if isinstance(each, Mapping) else {"name": each} for each in _listed(given))
    return tuple(
        Choice(names.give(as_name(node.get("name")) or "1"), texts(node.get("label"), languages))
        for node in nodes
    )


def read_noise(given: object, choices: int) -> tuple[str, ...]:
    """A probability by choice; empty for what is none."""
    values = _listed(given)
    if len(values) != choices:
        return ()
    noise = tuple(filter(None, map(probability, values)))
    total = sum(int(each[2:]) for each in noise)
    return noise if len(noise) == choices and total == PARTS else ()


def _listed(given: object) -> Sequence[Any]:
    return given if isinstance(given, list | tuple) else ()


def with_labels(choices: Iterable[Choice], names: Sequence[str]) -> tuple[Choice, ...]:
    """These choices where they have these names, else others without words."""
    before = tuple(choices)
    return before if tuple(choice.name for choice in before) == tuple(names) else tuple(map(Choice, names))
