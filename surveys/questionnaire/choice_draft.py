"""Questions with choices in normal form, plain ones and those that are disguised together."""

from collections.abc import Mapping, Sequence
from typing import Any

from privacy.grammar.node import PARTS, decimal
from privacy.grammar.question import DRAWN, FORMS, SHUFFLED, TABLE_FORMS, YES_NO
from privacy.grammar.reading import RESERVED_CHOICES
from privacy.kinds.grouped.section import uniform
from privacy.kinds.plain.section import ROLES
from surveys import draft as drafts
from surveys.questionnaire.control_items import KNOWN, known_of
from surveys.questionnaire.normal_values import Node, UniqueNames, name_of, probability, texts


def plain_question(question: Mapping[str, Any], common: Node, spoken: Sequence[str]) -> Node:
    role = question.get("role")
    made = choices_question(question, common, spoken) | {"role": role if role in ROLES else "other"}
    return as_drawn(made, question.get("shares")) if question.get("form") == DRAWN else made


def as_drawn(question: Node, shares: object) -> Node:
    """The question that the device answers, for everybody, with these shares; with equal ones where they do not fit."""
    choices = len(question["choices"])
    equal = [decimal(parts) for parts in uniform(choices)] if choices else []
    rest = {key: value for key, value in question.items() if key not in ("of", KNOWN)}
    return {**rest, "form": DRAWN, "shares": _noise(shares, choices) or equal, "show_if": {}}


def sensitive_question(question: Mapping[str, Any], common: Node, spoken: Sequence[str]) -> Node:
    made = choices_question(question, common, spoken)
    noise = _noise(question.get("noise"), len(made["choices"]))
    share = probability(question.get(drafts.SHARE))
    return made | ({"noise": noise} if noise else {}) | ({drafts.SHARE: share} if share else {})


def no_settings(_section: Mapping[str, Any], _questions: Sequence[Node]) -> Node:
    return {}


def grouped_settings(section: Mapping[str, Any], questions: Sequence[Node]) -> Node:
    return {"keep": probability(section.get("keep")) or drafts.KEEP} | asked(section, len(questions))


def asked(section: Mapping[str, Any], questions: int) -> Node:
    """A section that asks all of its questions does not say how many."""
    found = section.get("asked")
    return {"asked": found} if type(found) is int and 1 <= found < questions else {}


def as_plain(question: Node) -> Node:
    """For a section of this kind: a role belongs to plain questions, noise and an expected share to disguised ones."""
    made = {key: value for key, value in question.items() if key not in ("noise", drafts.SHARE)}
    return {**made, "role": made.get("role", "other")}


def as_sensitive(question: Node) -> Node:
    made = {key: value for key, value in question.items() if key not in ("role", "shares")}
    return {**made, "form": "one"} if made["form"] == DRAWN else made


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


def _noise(given: object, choices: int) -> list[str] | None:
    if not isinstance(given, list) or len(given) != choices:
        return None
    noise = [probability(each) for each in given]
    valid = [each for each in noise if each is not None]
    total = sum(int(each[2:]) for each in valid)
    return valid if len(valid) == choices and total == PARTS else None
