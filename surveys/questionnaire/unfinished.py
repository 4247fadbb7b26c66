"""A question that may be unfinished, with whatever a design needs of it."""

from collections.abc import Mapping
from typing import Any

ANY_CHOICES = ["a", "b", "c"]


def finished(question: Mapping[str, Any]) -> dict[str, Any]:
    """With two choices, where fewer are written yet."""
    made = with_rules(question)
    choices = question.get("choices")
    if isinstance(choices, list) and len(choices) < 2:
        names = [each.get("name") if isinstance(each, Mapping) else each for each in choices]
        made["choices"] = [*choices, *(name for name in ANY_CHOICES if name not in names)][:2]
        made.pop("noise", None)
    return made


def with_rules(question: Mapping[str, Any]) -> dict[str, Any]:
    """Without the rules that allow nothing yet."""
    made, rules = dict(question), question.get("show_if")
    if isinstance(rules, Mapping):
        made["show_if"] = {name: allowed for name, allowed in rules.items() if allowed != []}
    return made
