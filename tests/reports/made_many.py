"""A run with very many rules: twelve yes/no questions, each rule with one or two of them in front of another."""

from itertools import combinations
from typing import Any

from accounts.models import Person
from runs.models import Itemset, Rule, Run
from tests.intake import asked
from tests.reports import made

WORDS = (
    "take something home from work",
    "claim expenses that you did not have",
    "come late without saying so",
    "drive after drinking too much",
    "copy from somebody in an exam",
    "pay for a service without a bill",
    "leave something out of a tax return",
    "travel without a ticket",
    "hide how much you drink",
    "read messages of somebody else",
    "take medicine that was not for you",
    "keep money that you had found",
)


def many_rules(owner: Person, rules: int = 1000) -> Run:
    """All of them need a decision."""
    run = made.run(asked.survey(design(), owner=owner), findings={**made.FINDINGS, **NOTHING}, rules=0)
    run.itemsets.all().delete()
    Itemset.objects.bulk_create([made.itemset(run, 0, (yes(0), yes(1)), 0.18)])
    itemset = run.itemsets.get()
    Rule.objects.bulk_create(
        one_of_many(run, place, itemset, front, then) for place, (front, then) in enumerate(sides(rules))
    )
    Run.objects.filter(pk=run.pk).update(itemset_count=1, rule_count=rules)
    run.refresh_from_db()
    return run


NOTHING: dict[str, Any] = {"answers": [], "alike": [], "groups": [], "coherent": [], "pairs": []}


def design() -> Any:
    questions = [
        {"name": f"q{place}", "text": {"en": f"Did you ever {words}?"}, "choices": ["no", "yes"]}
        for place, words in enumerate(WORDS)
    ]
    noise = {"noise": ["0.6", "0.4"]}
    sensitive = [{**question, **noise} for question in questions]
    section = {"kind": "unrelated-question", "keep": "0.5", "questions": sensitive}
    return asked.written(section, title={"en": "A thousand rules"}, languages=["en"], least=20)


def yes(place: int) -> int:
    return 2 * place + 1


def sides(rules: int) -> list[tuple[tuple[int, ...], int]]:
    """The antecedents and the consequent of so many different rules."""
    every = range(len(WORDS))
    fronts = [front for size in (1, 2, 3) for front in combinations(every, size)]
    found = [(front, then) for front in fronts for then in every if then not in front]
    return [(tuple(map(yes, front)), yes(then)) for front, then in found[:rules]]


def one_of_many(run: Run, place: int, itemset: Itemset, front: tuple[int, ...], then: int) -> Rule:
    low = 2 - place / 1000
    row = made.rule(
        run, place, [itemset], **{**made.RULES[0], "sides": (front, (then,)), "in": 0, "lift": low + 0.45}
    )
    row.under = None
    return row
