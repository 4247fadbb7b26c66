"""Which answers each device shows in a random order: all of a person's own, so "Prefer not to say" stays last."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby

from privacy.grammar.question import SHUFFLED_FORMS, YES_NO
from surveys.draft import PREFER_NOT
from surveys.questionnaire.draft_question import DraftQuestion

FEWEST = 2


def settled_orders(questions: Sequence[DraftQuestion]) -> list[DraftQuestion]:
    """The questions of a section. Where a random order is wanted, it counts the answers that there are by now.

    Of a question of several of many the options move, and the first of them says so.
    """
    result: list[DraftQuestion] = []
    for _of, members in groupby(questions, key=_group):
        block = list(members)
        result += with_order(block, any(question.shuffled for question in block))
    return result


def _group(question: DraftQuestion) -> tuple[bool, str]:
    return question.is_option, question.of if question.is_option else question.name


def movable(block: Sequence[DraftQuestion]) -> int:
    """How many answers of a question may change places."""
    names = [question.name for question in block] if block[0].is_option else block[0].choice_names
    last = names[-1] if names else ""
    return len(names) - (last == PREFER_NOT or last.endswith(f"-{PREFER_NOT}"))


def may_shuffle(block: Sequence[DraftQuestion]) -> bool:
    """Whether its answers have no order of their own."""
    first = block[0]
    if first.form not in SHUFFLED_FORMS or first.in_battery:
        return False
    if first.choice_names[: movable(block)] == YES_NO and first.form == "one":
        return False
    names = {question.name for question in block}
    return movable(block) >= FEWEST and not any(names & question.show_if.keys() for question in block)


def with_order(block: Sequence[DraftQuestion], is_random: bool) -> list[DraftQuestion]:
    """The question with its answers in random order, or as written."""
    first = movable(block) if is_random and may_shuffle(block) else 0
    return [
        replace(question, shuffled=0 if number else first) if question.shuffled or first else question
        for number, question in enumerate(block)
    ]
