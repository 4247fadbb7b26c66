"""A small run made by hand: three yes/no questions among 1,000 people, three itemsets and four rules.

Numbers of items: age 18-39 is 0, 40+ 1; theft no 2, yes 3; late 4, 5; cash 6, 7.
"""

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import fields
from itertools import repeat
from typing import Any

import numpy as np

from accounts.models import Person
from intake.disclosure.ledger import content_digest
from intake.disclosure.models import Disclosure, DisclosureKind, Population
from intake.disclosure.table_disclosure_decision import decide_disclosable_tables
from mining.disclosure.plain_table_counts import PlainTable, Questions
from mining.findings.remove_withheld_numbers import withhold_answer, withhold_groups, withhold_node
from mining.itemsets.answer_names import AnswerNames
from mining.json_codec import node_from_json, node_to_json
from mining.nodes.number_nodes import NumberNode
from mining.nodes.place_nodes import PlaceNode
from mining.nodes.report_nodes import Cell, Estimate, GroupRow, GroupTable, GroupTest, Report
from mining.parameters import Parameters
from mining.studies.group_comparisons import add_class_comparison, correct_group_tests_by_holm
from privacy.designs import Design
from reports.models import Decision, Publication, Review
from reports.review import report_state_changes, rule_decisions
from runs import run_start
from runs.models import Itemset, Rule, Run
from runs.run_mining import add_outside_cell_counts
from surveys.models import Survey
from tests.cast import kept_row, make_once
from tests.intake import asked
from tests.surveys.conftest import NOW

YOUNG, OLD, THEFT, LATE, CASH = 0, 1, 3, 5, 7
ITEMS = ["age=18-39", "age=40+", "theft=no", "theft=yes", "late=no", "late=yes", "cash=no", "cash=yes"]
TEXTS = {
    "theft": {"en": "Have you taken something home?", "zh-hans": "您带走过东西吗？"},
    "late": {"en": "Do you come late"},
    "cash": {},
}


def design(*, hidden: bool = False, **more: Any) -> Any:
    """`hidden`: cash is only shown to those who are young."""
    sensitive: list[dict[str, Any]] = [
        {"name": name, "text": text, "choices": ["no", "yes"], "noise": ["0.6", "0.4"]}
        for name, text in TEXTS.items()
    ]
    if hidden:
        sensitive[2]["show_if"] = {"age": ["18-39"]}
    labels = {"18-39": "18 to 39", "40+": "40 or older"}
    choices = [{"name": name, "label": {"en": label}} for name, label in labels.items()]
    age = {"name": "age", "role": "quasi", "text": {"en": "How old are you?"}, "choices": choices}
    said = {
        "title": {"en": "Work & health"},
        "languages": ["en", "zh-hans"],
        "open_answers": True,
        "least": 20,
    }
    return asked.make_design(
        {"kind": "plain", "questions": [age]},
        {"kind": "unrelated-question", "keep": "0.5", "questions": sensitive},
        **said | more,
    )


def answer(item: int, support: float | None, base: int = 1000) -> dict[str, Any]:
    """A row of `answers`: the interval reaches .04 to either side, the error is .02."""
    row: dict[str, Any] = {"item": item, "n_asked": base, "shown": base}
    if support is None:
        nothing = dict.fromkeys(("support", "se", "low", "high", "pooled", "expected_w"))
        return {**row, "n_open": 9, "observed": 0.5, **nothing}
    row |= {"n_open": 200, "observed": round(support / 2 + 0.2, 4), "se": 0.02, "support": support}
    row |= {"low": round(support - 0.04, 4), "high": round(support + 0.04, 4)}
    return row | {"pooled": round(support + 0.01, 4), "expected_w": 0.015}


SHARES = {YOUNG: 0.4, OLD: 0.6, 2: 0.75, THEFT: 0.25, 4: 0.6, LATE: 0.4, 6: 1.012, CASH: -0.012}
FINDINGS: dict[str, Any] = {
    "answers": [answer(item, share) for item, share in sorted(SHARES.items())],
    "alike": [
        {"item": THEFT, "opened": 0.1, "disguised": 0.3, "p": 0.001, "more": 0.08, "fewer": None},
        {"item": LATE, "opened": 0.41, "disguised": 0.4, "p": 0.9, "more": 0.09, "fewer": 0.08},
    ],
    "forged": {"low": [0.1] * 8, "high": [0.5] * 8},
    "groups": [
        {
            "question": 0,
            "answers": [THEFT, LATE, CASH],
            "share": [[0.35, 0.18], [0.4, 0.4], [-0.05, None]],
            "low": [[0.29, 0.13], [0.3, 0.3], [-0.12, None]],
            "high": [[0.41, 0.23], [0.5, 0.5], [0.02, None]],
            "n_asked": [[400, 600], [400, 600], [400, 9]],
            # p is .0004 for theft: (.35 - .18)^2 * 400 * 600 / 1000 / .5015 = 13.83, of one degree, twice.
            "second": [[0.563] * 2] * 3,
            "slope": [[0.0] * 2] * 3,
        }
    ],
    "coherent": [[[THEFT], 0.26], [[LATE], 0.39], [[THEFT, LATE], 0.175]],
    "pairs": [
        {"items": [THEFT, LATE], "lift": 1.8, "lift_low": 1.4, "lift_high": 2.3, "n_shown_all": 1000},
        {"items": [LATE, CASH], "lift": 0.6, "lift_low": None, "lift_high": None, "n_shown_all": 1000},
    ],
    # 100 young and 100 old people answered openly, 300 and 500 chose disguise.
    "plain_tables": [{"questions": [], "counts": 800}, {"questions": [0], "counts": [300, 500]}],
}

ITEMSETS: list[tuple[tuple[int, ...], float]] = [
    ((THEFT,), 0.25),
    ((LATE,), 0.4),
    ((THEFT, LATE), 0.18),
    ((LATE, CASH), 0.11),
]
"""Items and support."""
RULES: list[dict[str, Any]] = [
    {"sides": ((THEFT,), (LATE,)), "confidence": 0.72, "low": 0.6, "lift": 1.8, "q": 0.01, "in": 2},
    {"sides": ((LATE,), (THEFT,)), "confidence": 0.45, "low": 0.35, "lift": 1.8, "q": 0.02, "in": 2},
    {"sides": ((LATE,), (CASH,)), "confidence": 1.04, "low": None, "lift": 0.6, "q": None, "in": 3},
    {"sides": ((CASH,), (LATE,)), "confidence": 0.55, "low": 0.51, "lift": 0.6, "q": 0.4, "in": 3},
]
"""Of lifts below 1 no lower end in the list is known, and no association is shown."""
VERSION = "mining 1"
NOTHING_FOUND: dict[str, Any] = {
    "family": 75,
    "statements": {"pairs": 15, "larger": 60, "groups": 2},
    **{name: [] for name in ("answers", "alike", "groups", "pairs", "coherent", "plain_tables")},
    "forged": {},
}


def survey(owner: Person, **more: Any) -> Survey:
    return asked_survey(design(**more), owner)


def asked_survey(asks: Design, owner: Person) -> Survey:
    step = ("survey", asks.fingerprint, owner.pk)
    return kept_row(step, lambda: asked.survey(asks, owner=owner))


def run(
    of: Survey, *, findings: dict[str, Any] | None = None, rules: int = len(RULES), version: str = VERSION
) -> Run:
    """A run that is done; its rules are the first so many of RULES."""

    def make() -> tuple[Run, dict[str, Any]]:
        made = run_anew(of, findings=findings, rules=rules, version=version)
        return made, ESTIMATED[made.pk]

    said = json.dumps([findings, rules, version], sort_keys=True)
    return make_once(("run", of.pk, said), make, read_again(of))[0]


def read_again(of: Survey) -> Callable[[tuple[Run, dict[str, Any]]], tuple[Run, dict[str, Any]]]:
    def load_run_again(first: tuple[Run, dict[str, Any]]) -> tuple[Run, dict[str, Any]]:
        made = Run.objects.get(pk=first[0].pk)
        made.survey = of
        ESTIMATED[made.pk] = first[1]
        return made, first[1]

    return load_run_again


def waiting_review(run: Run) -> Review:
    """Of all runs that are done; the one of this run."""

    def read(_first: object = None) -> Review:
        return Review.objects.with_surveys().get(run=run)

    def make() -> Review:
        report_state_changes.create_reviews_of_finished_runs(NOW)
        return read()

    return make_once(("waiting", run.pk), make, read)


def publish(review: Review, person: Person, groups: Iterable[str] = (), *accepted: int) -> Publication:
    """With the rules of these numbers."""
    told = tuple(groups)

    def make() -> Publication:
        if accepted:
            places = [number - 1 for number in accepted]
            rules = rule_decisions.rules_with_verdicts(review.run).filter(place__in=places)
            rule_decisions.decide_rules(review, person, rules, Decision.Verdict.ACCEPT, "", NOW)
        return report_state_changes.publish(review, person, told, "", NOW)

    def load_publication_again(first: Publication) -> Publication:
        vars(review).update(vars(Review.objects.with_surveys().get(pk=review.pk)))
        return Publication.objects.get(pk=first.pk)

    return make_once(("published", review.pk, person.pk, told, accepted), make, load_publication_again)


def published_content(run: Run, *groups: str) -> Report:
    """What a publication of this run would say, with the shares within the classes of these questions."""
    return report_state_changes.build_and_attack_publication(run, groups)[0]


def run_anew(of: Survey, *, findings: dict[str, Any] | None, rules: int, version: str) -> Run:
    made = Run.objects.create(
        survey=of, number=Run.objects.filter(survey=of).count() + 1, through=2, records=1000,
        design=of.design_id or "", parameters=run_start.stored_parameters(Parameters(0.1, 0.5)),
        version=version, state="done", created=NOW, finished=NOW, n_open=200, disguised=800,
        population=finished_population(of, 800, (100, 100)), itemset_count=len(ITEMSETS), rule_count=rules,
    )  # fmt: skip
    ESTIMATED.pop(made.pk, None)
    decide_again(made, stored_findings(of, FINDINGS if findings is None else findings))
    Itemset.objects.bulk_create(itemset(made, place, *row) for place, row in enumerate(ITEMSETS))
    kept = list(Itemset.objects.filter(run=made).order_by("place"))
    Rule.objects.bulk_create(rule(made, place, kept, **RULES[place]) for place in range(rules))
    return made


ESTIMATED: dict[int, dict[str, Any]] = {}
"""By run all that was estimated, before a verdict."""


def decide_again(run: Run, found: dict[str, Any]) -> Run:
    """Store what a search finds with the plain tables that stand in these findings: the verdict, and what it leaves."""
    ESTIMATED[run.pk] = ESTIMATED.get(run.pk, {}) | json.loads(json.dumps(found))
    found = json.loads(json.dumps(ESTIMATED[run.pk]))
    stored_tables = [node_from_json(PlainTable, table) for table in found.pop("plain_tables", [])]
    tables = {table.questions: table for table in stored_tables}
    names = AnswerNames(run.mined_design)

    def count(wanted: Sequence[Questions]) -> dict[Questions, PlainTable]:
        return {table: tables[table] for table in wanted if table in tables}

    decision = decide_disclosable_tables(
        run.survey, run.mined_design, run.through, run.population, count, run.search_parameters.max_size
    )
    nodes = [node_from_json(PlaceNode, row) for row in found.get("places", [])]
    decision = add_outside_cell_counts(decision, run.mined_design, nodes)
    verdict = decision.verdict
    tests = [node_from_json(GroupTest, row) for row in found["alike"]]
    told = [one for one in tests if verdict.allows_comparing_open_and_disguised(names.item(one.item))]
    found["alike"] = list(map(node_to_json, correct_group_tests_by_holm(told)))
    kinds: dict[str, tuple[Any, Any]] = {
        "answers": (Estimate, withhold_answer),
        "groups": (GroupTable, withhold_groups),
        "numbers": (NumberNode, withhold_node),
        "places": (PlaceNode, withhold_node),
    }
    for member, (kind, withhold) in kinds.items():
        if member in found:
            rows = [withhold(node_from_json(kind, row), names, verdict) for row in found[member]]
            found[member] = list(map(node_to_json, rows))
    values = {
        # As once somebody has asked for them.
        "coherent": found.pop("coherent"),
        "findings": found,
        "verdict": decision.as_json(),
        "verdict_digest": content_digest(decision.as_json()),
        "head": decision.head,
    }
    Run.objects.filter(pk=run.pk).update(**values)
    for name, value in values.items():
        setattr(run, name, value)
    return run


def stored_findings(of: Survey, findings: dict[str, Any]) -> dict[str, Any]:
    """As a run with open records stores what is written here by numbers of items."""
    assert of.design
    names = AnswerNames(of.design.content.mined)
    found = NOTHING_FOUND | findings
    bounds = zip(*found["forged"].values(), strict=True) if found["forged"] else repeat((None, None))
    answers = []
    for row, (low, high) in zip(found["answers"], bounds, strict=False):
        items = [names.name_of_number(row["item"])]
        observed = None if names.has_scores(items) else row["observed"]
        of_disguised = {"disguised_only": names.leaves_out_open_records(items, 200), "observed": observed}
        answers.append({**row, "items": items, **of_disguised, "forged_low": low, "forged_high": high})
    alike = [GroupTest(**{**row, "item": names.name_of_number(row["item"])}) for row in found["alike"]]
    pairs = [{**row, "items": list(map(names.name_of_number, row["items"]))} for row in found["pairs"]]
    pairs = [{**row, "disguised_only": names.leaves_out_open_records(row["items"], 200)} for row in pairs]
    return {
        **{name: value for name, value in found.items() if name != "forged"},
        "answers": answers,
        "alike": list(map(node_to_json, alike)),
        "groups": [node_to_json(add_class_comparison(group_table(names, row))) for row in found["groups"]],
        "pairs": pairs,
    }


def group_table(names: AnswerNames, row: dict[str, Any]) -> GroupTable:
    question = names.design.questions[row["question"]]
    classes = tuple(names.name((row["question"], code)) for code in range(question.codes))
    columns = {field.name: row[field.name] for field in fields(Cell) if field.name in row}
    alone = names.leaves_out_open_records(classes, 200)
    rows = []
    for place, item in enumerate(row["answers"]):
        values = [{name: of[place][code] for name, of in columns.items()} for code in range(len(classes))]
        cells = tuple(Cell(disguised_only=alone, **of_class) for of_class in values)
        rows.append(GroupRow(names.name_of_number(item), cells, together=None, p=None))
    return GroupTable(question.name, classes, tuple(rows), alone)


def finished_population(of: Survey, disguised: int, opened: Sequence[int]) -> Population:
    """With the choice of open records of a finished survey without rules: all of them, by the first plain question."""
    kept = {"patterns": [""], "disguised": disguised, "open": sum(opened), "kept": sum(opened)}
    kept |= {"tables": [{"questions": [0], "counts": [list(opened)]}]}
    row = {"door": DisclosureKind.FINISHING, "key": "finishing", "last_batch": 2, "title": "the end"}
    if not Disclosure.objects.filter(survey=of).exists():
        Disclosure.objects.create(survey=of, number=1, when=NOW, kept=kept, population=Population.USED, **row)
    return Population.USED


def run_of_1656(of: Survey, findings: dict[str, Any]) -> Run:
    """A run without itemsets and rules: of 1,506 who chose disguise and 150 who answered openly."""

    def make() -> tuple[Run, dict[str, Any]]:
        finished_population(of, 1506, (100, 50, 0))
        row = run(of, findings=findings, rules=0)
        row.itemsets.all().delete()
        people = {"records": 1656, "n_open": 150, "disguised": 1506}
        Run.objects.filter(pk=row.pk).update(**people, itemset_count=0, rule_count=0)
        row.refresh_from_db()
        return row, ESTIMATED[row.pk]

    return make_once(("run of 1656", of.pk, json.dumps(findings)), make, read_again(of))[0]


def with_a_hidden_question(owner: Person, **more: Any) -> Run:
    """Like `run`, but cash was shown only to the 400 who are young: 8 % of all have it, 20 % of them.

    Rule 4 is about these; rule 5 joins a plain and a sensitive answer, of 800 who chose disguise.
    """
    of = survey(owner, hidden=True, **more)
    return make_once(("hidden", of.pk), lambda: (hidden_anew(of), {}), read_again(of))[0]


def hidden_anew(of: Survey) -> Run:
    answers = [answer(item, share) for item, share in sorted((SHARES | {6: 0.32, CASH: 0.08}).items())]
    for row in answers[6:]:
        of_shown = {f"{name}_shown": round(row[name] / 0.4, 4) for name in ("low", "high")}
        row |= {"shown": 400, "share_shown": round(row["support"] / 0.4, 4), **of_shown}
    groups: Any = json.loads(json.dumps(FINDINGS["groups"]))
    groups[0] |= {
        "shown": [[400, 600], [400, 600], [250, 0]],
        "n_asked": [[400, 600]] * 3,
        "share": [[0.35, 0.18], [0.4, 0.4], [0.1, None]],
        "low": [[0.29, 0.13], [0.3, 0.3], [0.05, None]],
        "high": [[0.41, 0.23], [0.5, 0.5], [0.15, None]],
    }
    for name, share in (("share_shown", 0.16), ("low_shown", 0.08), ("high_shown", 0.24)):
        groups[0][name] = [[None, None], [None, None], [share, None]]
    made = run(of, findings={**FINDINGS, "answers": answers, "groups": groups}, rules=3)
    few = {"shown": 400, "share_shown": 0.2, "low_shown": 0.1, "high_shown": 0.3}
    joined = {"base": 800, "n_open": 0, "shown": 800}
    rows: list[tuple[tuple[int, ...], float, dict[str, Any]]] = [
        ((CASH,), 0.08, few),
        ((LATE, CASH), 0.12, few),
        ((YOUNG, THEFT), 0.14, joined),
    ]
    for place, (items, support, values) in enumerate(rows, len(ITEMSETS)):
        one = itemset(made, place, items, support)
        vars(one).update(values)
        Itemset.objects.bulk_create([one])
    kept = list(Itemset.objects.filter(run=made).order_by("place"))
    young = {**RULES[0], "sides": ((YOUNG,), (THEFT,)), "in": 6}
    for place, row, eligible in ((3, {**RULES[3], "in": 5}, 400), (4, young, 800)):
        last = rule(made, place, kept, **row)
        last.eligible = eligible
        Rule.objects.bulk_create([last])
    Run.objects.filter(pk=made.pk).update(itemset_count=len(ITEMSETS) + 3, rule_count=5)
    made.refresh_from_db()
    return made


def itemset(of: Run, place: int, items: tuple[int, ...], support: float) -> Itemset:
    values = answer(items[0], support)
    values.pop("item")
    values |= {"low_listed": round(support - 0.06, 4), "high_listed": round(support + 0.06, 4)}
    values["base"] = values.pop("n_asked")
    return Itemset(run=of, place=place, items=text(items), size=len(items), **values)


def rule(of: Run, place: int, itemsets: list[Itemset], **row: Any) -> Rule:
    """A row of RULES as it is stored, in this place."""
    first, second = row["sides"]
    confidence, low, lift = row["confidence"], row["low"], row["lift"]
    high = None if low is None else 2 * confidence - low
    values: dict[str, Any] = (
        {"items": text(sorted((*first, *second))), "antecedent": text(first), "consequent": text(second)}
        | {"base": 1000, "eligible": 1000, "support": itemsets[row["in"]].support}
        | {"confidence": confidence, "confidence_low": low, "confidence_high": high}
        | {"confidence_low_listed": None if low is None else round(low - 0.05, 4)}
        | {"confidence_high_listed": None if high is None else round(high + 0.05, 4)}
        | {"lift": lift, "lift_low": lift - 0.4, "lift_high": lift + 0.5}
        | {"lift_low_listed": None if lift < 1 else round(lift - 0.45, 4)}
        | {"lift_high_listed": round(lift + 0.55, 4), "association": int(lift > 1)}
        | {"antecedent_support": 0.25, "antecedent_low": 0.2, "antecedent_high": 0.3}
        | {"consequent_support": 0.4, "consequent_low": 0.3, "consequent_high": 0.5}
        | {"converse": 0.3, "converse_low": 0.22, "converse_high": 0.38}
        | {"converse_low_listed": 0.2, "converse_high_listed": 0.4, "both": False}
        | {"p": 0.001, "q": row["q"], "under": 0 if place == 3 else None}
    )
    return Rule(run=of, place=place, itemset=itemsets[row["in"]], **values)


def rule_of_three(of: Run, place: int) -> None:
    """A rule in this place, of which the interval of a list's first row is 20 % to 80 %."""
    whole = itemset(of, len(ITEMSETS), (THEFT, LATE, CASH), 0.1)
    Itemset.objects.bulk_create([whole])
    row = rule(of, place, [whole], **RULES[0] | {"sides": ((THEFT, LATE), (CASH,)), "in": 0})
    row.heads = np.array([[0, 0.9, 2.3, *(0.2, 0.8), *(0.2, 0.8)]]).tobytes()
    Rule.objects.bulk_create([row])


def text(items: Any) -> str:
    return f" {' '.join(map(str, items))} "
