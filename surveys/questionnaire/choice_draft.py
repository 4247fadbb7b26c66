"""Questions with choices in normal form, of all kinds."""

from collections.abc import Mapping, Sequence
from typing import Any

from privacy.grammar.node import PARTS, decimal
from privacy.grammar.question import DRAWN, FORMS, SHUFFLED, TABLE_FORMS, YES_NO
from privacy.grammar.reading import RESERVED_CHOICES
from privacy.kinds.grouped.section import uniform
from surveys.questionnaire.control_items import KNOWN, known_of
from surveys.questionnaire.normal_values import Node, UniqueNames, name_of, probability, texts


def as_drawn(question: Node, shares: object) -> Node:
    """The question that the device answers, for everybody, with these shares; with equal ones where they do not fit."""
    choices = len(question["choices"])
    equal = [decimal(parts) for parts in uniform(choices)] if choices else []
    rest = {key: value for key, value in question.items() if key not in ("of", KNOWN)}
    return {**rest, "form": DRAWN, "shares": noise_of_choices(shares, choices) or equal, "show_if": {}}


def choices_question(question: Mapping[str, Any], common: Node, spoken: Sequence[str]) -> Node:
    choices = choices_of(question.get("choices"), spoken)
    is_yes_no = tuple(choice["name"] for choice in choices) == YES_NO
    form = question.get("form", "yes-no" if is_yes_no else "one")
    if form not in FORMS or (form in ("yes-no", "many") and not is_yes_no):
        form = "one"
    made = {**common, "form": form, "choices": choices, **known_of(question, form)}
    if question.get(SHUFFLED):
        made[SHUFFLED] = question[SHUFFLED]
    of = name_of(question.get("of"))
    if form == "many":
        none = texts(question.get("none"), spoken)
        return made | {"of": of or common["name"]} | ({"none": none} if none else {})
    return made | {"of": of} if of and form in TABLE_FORMS else made


def choices_of(given: object, spoken: Sequence[str]) -> list[Node]:
    made: list[Node] = []
    names = UniqueNames(RESERVED_CHOICES)
    for each in given if isinstance(given, list) else []:
        choice = each if isinstance(each, Mapping) else {"name": each}
        name = names.give(name_of(choice.get("name")) or "1")
        made.append({"name": name, "label": texts(choice.get("label"), spoken)})
    return made


def noise_of_choices(given: object, choices: int) -> list[str] | None:
    if not isinstance(given, list) or len(given) != choices:
        return None
    noise = [probability(each) for each in given]
    valid = [each for each in noise if each is not None]
    total = sum(int(each[2:]) for each in valid)
    return valid if len(valid) == choices and total == PARTS else None
