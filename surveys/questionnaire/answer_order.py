"""Which answers each device shows in a random order: all of a person's own, so "Prefer not to say" stays last."""

from collections.abc import Sequence
from itertools import groupby

from privacy.grammar.question import SHUFFLED, SHUFFLED_FORMS, YES_NO
from surveys.draft import PREFER_NOT
from surveys.questionnaire.normal_values import Node

FEWEST = 2


def settled_orders(questions: Sequence[Node]) -> list[Node]:
    """The questions of a section. Where a random order is wanted, it counts the answers that there are by now.

    Of a question of several of many the options move, and the first of them says so.
    """
    made: list[Node] = []
    for _of, members in groupby(questions, key=_group):
        block = list(members)
        made += with_order(block, any(SHUFFLED in each for each in block))
    return made


def _group(question: Node) -> tuple[bool, str]:
    is_option = question.get("form") == "many"
    return is_option, question["of"] if is_option else question["name"]


def movable(block: Sequence[Node]) -> int:
    """How many answers of a question may change places."""
    names = [each["name"] for each in (block if block[0]["form"] == "many" else block[0]["choices"])]
    last = names[-1] if names else ""
    return len(names) - (last == PREFER_NOT or last.endswith(f"-{PREFER_NOT}"))


def may_shuffle(block: Sequence[Node]) -> bool:
    """Whether its answers have no order of their own."""
    first = block[0]
    if first.get("form") not in SHUFFLED_FORMS or (first["form"] != "many" and "of" in first):
        return False
    if (
        tuple(each["name"] for each in first["choices"][: movable(block)]) == YES_NO
        and first["form"] == "one"
    ):
        return False
    names = {each["name"] for each in block}
    return movable(block) >= FEWEST and not any(names & each["show_if"].keys() for each in block)


def with_order(block: Sequence[Node], is_random: bool) -> list[Node]:
    """The question with its answers in random order, or as written."""
    bare = [{key: value for key, value in each.items() if key != SHUFFLED} for each in block]
    return [{**bare[0], SHUFFLED: movable(block)}, *bare[1:]] if is_random and may_shuffle(block) else bare
