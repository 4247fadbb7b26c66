"""From the rows of a run to what its report says."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

from mining.counts import Item
from mining.models import Itemset, Rule as RuleRow, Run
from mining.reports.content import (
    About,
    Cell,
    Compared,
    Content,
    Estimate,
    GroupRow,
    Groups,
    Items,
    Pair,
    Rule,
)
from mining.reports.models import Backtest
from mining.reports.naming import Naming
from mining.runs.forecast import THRESHOLDS
from surveys.intake import truth

Share = Callable[[Sequence[str]], float | None]
"""The true share of those who gave all these answers, where a rehearsal knows it."""

SAME = [
    field.name for field in fields(Rule) if field.name in {column.name for column in RuleRow._meta.fields}
]
"""What a rule's row and a report call alike."""


def whole(run: Run, naming: Naming, true: Share) -> Content:
    """Everything that a run found but its itemsets and rules, which may be very many."""
    found = run.findings
    return Content(
        about=about(run),
        shares=tuple(answers(found, naming, true)),
        compared=tuple(compared(row, naming) for row in found.get("alike", [])),
        groups=tuple(groups(table, naming, true) for table in found.get("groups", [])),
        itemsets=(),
        pairs=tuple(pair(row, naming) for row in found.get("pairs", [])),
    )


def about(run: Run) -> About:
    wanted = run.wanted
    return About(
        run=run.pk,
        fingerprint=run.design,
        rehearsal=run.content.rehearsal,
        through=run.through,
        records=(run.opened or 0) + (run.disguised or 0),
        opened=run.opened or 0,
        disguised=run.disguised or 0,
        estimator=wanted.estimator,
        engine=wanted.engine,
        exact=wanted.exact,
        min_support=wanted.min_support,
        min_confidence=wanted.min_confidence,
        max_size=wanted.max_size,
        absences=wanted.absences,
        version=run.version,
        rules=run.rule_count or 0,
        stopped_at=run.stopped["size"] if run.stopped else None,
        fits=run.stopped["fits"] if run.stopped else None,
    )


def true_shares(run: Run, naming: Naming) -> Share:
    known = truth.read(run.survey) if run.content.rehearsal else None
    if known is None or not known.n:
        return lambda names: None

    def share(names: Sequence[str]) -> float | None:
        items: tuple[Item, ...] = tuple(sorted(map(naming.item, names)))
        count = known.counts.get(items)
        return None if count is None else count / known.n

    return share


def answers(found: dict[str, Any], naming: Naming, true: Share) -> Iterator[Estimate]:
    moved = found.get("forged") or {}
    for place, row in enumerate(found.get("answers", [])):
        names = (naming.named(row["item"]),)
        values = {name: value for name, value in row.items() if name != "item"}
        ends = {f"forged_{end}": column[place] for end, column in moved.items()}
        yield Estimate(items=names, truth=true(names), **values, **ends)


def itemsets(rows: Iterable[Itemset], run: Run, naming: Naming, true: Share) -> list[Estimate]:
    fitted = fitting_together(run)
    return [itemset(row, naming, true, fitted.get(row.item_numbers)) for row in rows]


def fitting_together(run: Run) -> dict[tuple[int, ...], float | None]:
    """The supports that all fit together, by items."""
    return {tuple(row["items"]): row["support"] for row in run.findings.get("coherent") or []}


def itemset(row: Itemset, naming: Naming, true: Share, coherent: float | None) -> Estimate:
    names = in_words(row.item_numbers, naming)
    same = ("base", "opened", "observed", "support", "se", "low", "high", "pooled", "expected_w", "certain")
    values = {name: getattr(row, name) for name in same}
    return Estimate(items=names, truth=true(names), coherent=coherent, **values)


def compared(row: dict[str, Any], naming: Naming) -> Compared:
    return Compared(**{**row, "item": naming.named(row["item"])})


def pair(row: dict[str, Any], naming: Naming) -> Pair:
    return Pair(**{**row, "items": in_words(row["items"], naming)})


def groups(found: dict[str, Any], naming: Naming, true: Share) -> Groups:
    question = naming.design.questions[found["question"]]
    classes = tuple(naming.name((found["question"], code)) for code in range(len(question.choices)))
    rows = []
    for place, number in enumerate(found["answers"]):
        name = naming.named(number)
        columns = (found[column][place] for column in ("base", "share", "low", "high"))
        cells = tuple(
            Cell(base, share, low, high, quotient(true((of, name)), true((of,))))
            for of, (base, share, low, high) in zip(classes, zip(*columns, strict=True), strict=True)
        )
        rows.append(GroupRow(name, cells, found["everybody"][place], found["p"][place]))
    return Groups(question.name, classes, tuple(rows))


def tested(run: Run) -> dict[int, float | None]:
    """By a rule’s place, in which share of simulated surveys it was found again."""
    again = Backtest.objects.filter(run=run).values_list("again", flat=True).first() or {}
    return {int(place): share for place, share in again.items()}


def rules(
    rows: Iterable[RuleRow], of: About, naming: Naming, true: Share, again: Mapping[int, float | None]
) -> list[Rule]:
    """`rows` with their itemsets read; `again` as in `tested`."""
    return [rule(row, of, naming, true, again.get(row.place)) for row in rows]


def rule(row: RuleRow, of: About, naming: Naming, true: Share, again: float | None) -> Rule:
    antecedent, consequent = (in_words(side, naming) for side in row.sides)
    values = {name: getattr(row, name) for name in SAME if name not in {"antecedent", "consequent"}}
    return Rule(
        number=row.place + 1,
        antecedent=antecedent,
        consequent=consequent,
        support_low=row.itemset.low,
        support_high=row.itemset.high,
        certain=bool(row.itemset.certain and (row.confidence_low or 0) >= of.min_confidence),
        truth=quotient(true((*antecedent, *consequent)), true(antecedent)),
        again=again,
        **values,
    )


def in_words(numbers: Iterable[int], naming: Naming) -> Items:
    return tuple(map(naming.named, numbers))


def quotient(above: float | None, below: float | None) -> float | None:
    return above / below if above is not None and below else None


def only(
    found: Content, itemsets: Sequence[Estimate], accepted: Sequence[Rule], groups_of: Sequence[str]
) -> Content:
    """What is published: the shares of single answers, these rules, and the itemsets that they consist of."""
    kept = {frozenset(one.items) for one in itemsets}
    return replace(
        found,
        about=replace(found.about, fits=roughly(found.about.fits)),
        groups=tuple(table for table in found.groups if table.question in groups_of),
        itemsets=tuple(itemsets),
        pairs=tuple(one for one in found.pairs if frozenset(one.items) in kept),
        rules=tuple(accepted),
    )


def roughly(fits: float | None) -> float | None:
    """One of a short list: the exact threshold would tell of itemsets that are not published."""
    return min((one for one in THRESHOLDS if fits is not None and one >= fits), default=None)
