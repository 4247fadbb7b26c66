"""The list of a reviewer stays quick and small, however many rules there are."""

from itertools import combinations
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.models import Person
from reports.pages import undecided_rules
from reports.pages.views import RULES
from reports.review import publishing
from runs.models import Itemset, Rule, Run
from tests.intake import asked
from tests.kept_rows import kept_row
from tests.reports import made
from tests.surveys.conftest import NOW

pytestmark = pytest.mark.page

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
    return kept_row(("many rules", rules), lambda: many_rules_anew(owner, rules))


def many_rules_anew(owner: Person, rules: int) -> Run:
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


SCRIPT: Any = {"headers": {"HX-Request": "true"}}


def asked_of(client: Client, run: Run, page: str, **data: str) -> tuple[int, int]:
    """Queries and bytes of an answer."""
    address = f"/app/admin/reports/review/{run.pk}/{page}"
    client.get(address.replace("/judge", ""))  # what is read once and kept
    with CaptureQueriesContext(connection) as queries:
        answer = client.post(address, data, **SCRIPT) if data else client.get(address)
    assert answer.status_code == 200
    return len(queries), len(answer.content)


def test_a_thousand_rules_need_as_many_queries_and_bytes_as_one_page_of_them(
    owner: Person, judging: Client
) -> None:
    few, many = many_rules(owner, 2 * RULES), many_rules(owner)
    publishing.create_reviews_of_finished_runs(NOW)
    (queries, size), (more_queries, more) = (asked_of(judging, run, "rules") for run in (few, many))
    assert more_queries == queries
    assert more < min(1.1 * size, 100_000)
    queries, more_queries = (
        asked_of(judging, run, "rules/1/judge", verdict="accept")[0] for run in (few, many)
    )
    assert more_queries == queries


def test_of_a_thousand_rules_all_need_a_decision_and_a_page_shows_the_first(
    owner: Person, judging: Client
) -> None:
    run = many_rules(owner)
    publishing.create_reviews_of_finished_runs(NOW)
    assert undecided_rules.count_undecided(run) == 1000
    page = judging.get(f"/app/admin/reports/review/{run.pk}/rules").content.decode()
    assert page.count('class="judged"') == RULES
    assert "1,000 rules left to decide" in page
    # The questions in full stand once above the rules, and no rule has a tooltip.
    assert page.count("The questions in full") == 1
    assert 'tabindex="0"' not in page[page.index('class="judged"') :]
