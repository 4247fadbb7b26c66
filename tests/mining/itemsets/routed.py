"""What a questionnaire implies, followed from rule to rule as it is defined."""

from collections.abc import Iterable

from mining.counts import Item
from privacy.designs import Design, PlainSection


def plain_places(design: Design) -> set[int]:
    sections = [section for section in design.sections for _ in section.questions]
    return {place for place, section in enumerate(sections) if isinstance(section, PlainSection)}


def allowed(design: Design, of: int, others: Iterable[int]) -> set[int]:
    """K_r: the choices of `of` that the rules of the others allow, and the rules of the questions that those name."""
    found = set(range(len(design.questions[of].choices)))
    for other in others:
        rules = design.questions[other].show_if
        for rule in rules:
            if rule.place == of:
                found &= rule.codes
        found &= allowed(design, of, [rule.place for rule in rules])
    return found


def is_settled(design: Design, itemset: Iterable[Item]) -> bool:
    """Whether it is impossible, or implied."""
    items = dict(itemset)
    for place in items.keys() & plain_places(design):
        left = allowed(design, place, items.keys() - {place})
        if items[place] not in left or left == {items[place]}:
            return True
    return False
