"""Builds the content of a report from the rows of its run."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Protocol

import numpy as np

from intake.disclosure.models import Population
from intake.disclosure.records import is_ledgered, left_out_of
from intake.rehearsal import truth as surveys_truth
from mining.document.codec import load
from mining.document.study import Study
from mining.document.weighted import Weighted
from mining.finite_numbers import finite
from mining.inference.selection import holm
from mining.kinds.number.finding import NumberFinding, number_truth
from mining.reconstruction.shares import compared_classes
from mining.truth import RehearsalTruth
from reports.content import (
    About,
    Cell,
    Content,
    Estimate,
    GroupComparison,
    GroupRow,
    Groups,
    Items,
    Pair,
    ReportedRule,
)
from reports.kinds.place.reported import ReportedPlace, from_finding
from reports.models import Backtest
from reports.naming import Naming
from reports.studies.true_values import beside_truth
from runs import rehearsal_truth
from runs.findings import finite as finite_list
from runs.models import Itemset as ItemsetRow, Rule as RuleRow, Run
from runs.rounding import lowest_threshold
from surveys.counts import Waits, waits


class TrueShare(Protocol):
    """The true share of those who have all these answers, where a rehearsal knows it (`PopulationTruth.share`)."""

    def __call__(
        self, names: Sequence[str], given: Sequence[str] = (), *, disguised_only: bool, shown: bool = False
    ) -> float | None: ...


@dataclass(frozen=True)
class KnownShares:
    """The truth of a rehearsal, and its shares by the names of answers; `known` is None elsewhere."""

    naming: Naming
    known: RehearsalTruth | None

    def __call__(
        self, names: Sequence[str], given: Sequence[str] = (), *, disguised_only: bool, shown: bool = False
    ) -> float | None:
        if self.known is None:
            return None
        items, of = (tuple(map(self.naming.item, some)) for some in (names, given))
        return finite(self.known.of(disguised_only=disguised_only).share(items, of, shown=shown))


SAME = [
    field.name
    for field in fields(ReportedRule)
    if field.name in {column.name for column in RuleRow._meta.fields}
]
"""The fields that a rule's row and a reported rule have in common."""
SAME_OF_ITEMSETS = [
    field.name
    for field in fields(Estimate)
    if field.name in {column.name for column in ItemsetRow._meta.fields} - {"items", "heads", "observed"}
]
CELLS = [field.name for field in fields(Cell)]


def whole(run: Run, naming: Naming, true: KnownShares) -> Content:
    """All that a run found, without its itemsets and rules, which may be very many."""
    return Content(
        about=about(run),
        shares=tuple(answers(run, naming, true)),
        compared=tuple(compared(run, naming)),
        groups=tuple(groups(table, run, naming, true) for table in run.findings["groups"]),
        itemsets=(),
        pairs=tuple(pair(row, run, naming) for row in run.findings["pairs"]),
        numbers=tuple(numbers(run)),
        places=places(run),
        study=beside_truth(load(Study, run.findings), naming, true.known),
        weighted=weighted(run),
    )


def published(
    run: Run,
    naming: Naming,
    true: KnownShares,
    itemsets: Sequence[Estimate],
    accepted: Sequence[ReportedRule],
    groups_of: Collection[str],
) -> Content:
    """The shares of single answers and the numbers, both also in the classes of the questions `groups_of`, the places,
    and these rules and itemsets.
    """
    of_run = about(run)
    questions = naming.design.questions
    listed = {frozenset(one.items) for one in itemsets}
    return Content(
        about=replace(of_run, fits=lowest_threshold(of_run.fits)),
        shares=tuple(answers(run, naming, true)),
        compared=tuple(compared(run, naming)),
        groups=tuple(
            groups(table, run, naming, true)
            for table in run.findings["groups"]
            if questions[table["question"]].name in groups_of
        ),
        itemsets=tuple(itemsets),
        pairs=tuple(
            pair(row, run, naming)
            for row in run.findings["pairs"]
            if frozenset(item_names(row["items"], naming)) in listed
        ),
        rules=tuple(accepted),
        numbers=tuple(
            replace(found, groups=tuple(of for of in found.groups if of.question in groups_of))
            for found in numbers(run)
        ),
        places=places(run),
        study=beside_truth(load(Study, run.findings), naming, true.known),
        weighted=weighted(run),
    )


def about(run: Run) -> About:
    wanted = run.wanted
    is_finished = run.population == Population.USED
    waited = waits(run.survey) if is_finished else Waits()
    return About(
        run=run.number,
        fingerprint=run.design,
        rehearsal=run.content.rehearsal,
        through=run.through,
        records=(run.n_open or 0) + (run.disguised or 0),
        opened=run.n_open or 0,
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
        family=run.findings["family"],
        disguised_alone=run.content.open_answers and not run.n_open,
        finished=is_finished,
        left_out=left_out(run),
        stopped_at=run.stopped["size"] if run.stopped else None,
        fits=run.stopped["fits"] if run.stopped else None,
        asked_to_wait=waited.asked,
        not_returned=waited.missing,
    )


def left_out(run: Run) -> int:
    """The open records of a finished survey that are not used, as far as it is told."""
    has_open = run.population == Population.USED and run.content.has_group_open
    if not has_open or not is_ledgered(run.survey):
        return 0
    return left_out_of(run.survey)


def true_shares(run: Run, naming: Naming) -> KnownShares:
    return KnownShares(naming, rehearsal_truth.true_shares(run))


def answers(run: Run, naming: Naming, true: TrueShare) -> Iterator[Estimate]:
    moved = run.findings["forged"]
    for place, row in enumerate(run.findings["answers"]):
        names = (naming.named(row["item"]),)
        values = {name: value for name, value in row.items() if name != "item"}
        values["observed"] = observed(names, naming, row["observed"])
        ends = {f"forged_{end}": column[place] for end, column in moved.items()}
        alone = disguised_alone(names, run, naming)
        yield Estimate(items=names, **truths(names, naming, true, disguised_only=alone), **values, **ends)


def truths(names: Items, naming: Naming, true: TrueShare, *, disguised_only: bool) -> dict[str, Any]:
    """Whom an estimate is about, and the true share among them: of all who were asked and, where a rule may hide it, of
    those who were shown all of it.
    """
    return {
        "disguised_alone": disguised_only,
        "truth": true(names, disguised_only=disguised_only),
        "truth_shown": true(names, disguised_only=disguised_only, shown=True)
        if naming.may_be_hidden(names)
        else None,
    }


def disguised_alone(names: Iterable[str], run: Run, naming: Naming) -> bool:
    """Whether an estimate of these answers is of those who chose disguise, where others could choose none."""
    return naming.design.open_answers and (not run.n_open or naming.is_of_disguised(names))


def itemsets(rows: Iterable[ItemsetRow], run: Run, naming: Naming, true: TrueShare) -> list[Estimate]:
    fitted = coherent_supports(run)
    return [itemset(row, run, naming, true, fitted.get(row.item_numbers)) for row in rows]


def coherent_supports(run: Run) -> dict[tuple[int, ...], float | None]:
    """The coherent supports, by items."""
    return {tuple(row["items"]): row["support"] for row in run.findings["coherent"]}


def itemset(row: ItemsetRow, run: Run, naming: Naming, true: TrueShare, coherent: float | None) -> Estimate:
    names = item_names(row.item_numbers, naming)
    return Estimate(
        items=names,
        opened=row.n_open,
        heads=tuple(map(tuple, row.heads)),
        coherent=coherent,
        **truths(names, naming, true, disguised_only=disguised_alone(names, run, naming)),
        **{name: getattr(row, name) for name in SAME_OF_ITEMSETS},
        observed=observed(names, naming, row.observed),
    )


def observed(names: Items, naming: Naming, share: float | None) -> float | None:
    """The share received of these answers; of scores there is none, since their mean is the estimate."""
    return None if naming.has_scores(names) else share


def compared(
    run: Run, naming: Naming, is_told: Callable[[GroupComparison], bool] = bool
) -> Iterator[GroupComparison]:
    """Each answer of those who answered openly and of the others that is told, with Holm's p over these."""
    every = (GroupComparison(**{**row, "item": naming.named(row["item"])}) for row in run.findings["alike"])
    told = list(filter(is_told, every))
    adjusted = holm(np.array([one.p for one in told], np.float64)).tolist()
    return (replace(one, p=p) for one, p in zip(told, adjusted, strict=True))


def pair(row: dict[str, Any], run: Run, naming: Naming) -> Pair:
    names = item_names(row["items"], naming)
    return Pair(**{**row, "items": names, "disguised_alone": disguised_alone(names, run, naming)})


def groups(found: dict[str, Any], run: Run, naming: Naming, true: TrueShare) -> Groups:
    question = naming.design.questions[found["question"]]
    classes = tuple(naming.name((found["question"], code)) for code in range(question.codes))
    rows = []
    alone = False
    for place, number in enumerate(found["answers"]):
        name = naming.named(number)
        hidden = naming.may_be_hidden([name])
        alone = disguised_alone((classes[0], name), run, naming)
        columns = {column: found[column][place] for column in CELLS if column in found}
        cells = tuple(
            Cell(
                **{column: values[at] for column, values in columns.items()},
                truth=true((of, name), (of,), disguised_only=alone),
                truth_shown=true((of, name), (of,), disguised_only=alone, shown=True) if hidden else None,
            )
            for at, of in enumerate(classes)
        )
        rows.append(GroupRow(name, cells, None, None))
    return compared_in(Groups(question.name, classes, tuple(rows), alone), found)


def compared_in(table: Groups, found: dict[str, Any]) -> Groups:
    """With the share in all told classes together, and p; `found`: of the run."""
    share = np.array([[cell.share for cell in row.cells] for row in table.rows], np.float64)
    second, slope, base = (np.array(found[name], np.float64) for name in ("second", "slope", "base"))
    columns = zip(*map(finite_list, compared_classes(share, second, slope, base)), strict=True)
    rows = (replace(row, together=of, p=p) for row, (of, p) in zip(table.rows, columns, strict=True))
    return replace(table, rows=tuple(rows))


def numbers(run: Run) -> Iterator[NumberFinding]:
    """What was found about the sensitive numbers, in the order of the design, in a rehearsal beside the truth."""
    found = [load(NumberFinding, row) for row in run.findings.get("numbers") or []]
    if not found or not run.content.rehearsal:
        yield from found
        return
    true = surveys_truth.read_numbers(run.survey, disguised=not run.n_open)
    sections = {section.questions[0].name: section for section in run.content.sections}
    for one in found:
        truth = true.get(one.question)
        yield replace(one, truth=number_truth(one, sections[one.question], truth)) if truth else one


def weighted(run: Run) -> Weighted | None:
    found = run.findings.get("weighted")
    return load(Weighted, found) if found else None


def places(run: Run) -> tuple[ReportedPlace, ...]:
    """What was found about the sensitive places, in the order of the design."""
    return tuple(map(from_finding, run.findings.get("places") or []))


def shares_found_again(run: Run) -> dict[int, float | None]:
    """By the place of a rule the share of simulated surveys in which the backtest found it again."""
    again = Backtest.objects.filter(run=run).values_list("again", flat=True).first() or {}
    return {int(place): share for place, share in again.items()}


def rules(
    rows: Iterable[RuleRow], run: Run, naming: Naming, true: TrueShare, again: Mapping[int, float | None]
) -> list[ReportedRule]:
    """`rows` with their itemsets read; `again` as in `tested`."""
    return [rule(row, run, naming, true, again.get(row.place)) for row in rows]


def rule(row: RuleRow, run: Run, naming: Naming, true: TrueShare, again: float | None) -> ReportedRule:
    antecedent, consequent = (item_names(side, naming) for side in row.sides)
    names = (*antecedent, *consequent)
    alone = disguised_alone(names, run, naming)
    values = {name: getattr(row, name) for name in SAME if name not in {"antecedent", "consequent", "heads"}}
    return ReportedRule(
        number=row.place + 1,
        antecedent=antecedent,
        consequent=consequent,
        support_low=row.itemset.low,
        support_high=row.itemset.high,
        said=said(row),
        heads=tuple(map(tuple, row.heads)),
        truth=true(names, antecedent, disguised_only=alone, shown=True),
        truth_converse=true(names, consequent, disguised_only=alone, shown=True),
        again=again,
        disguised_alone=alone,
        **values,
    )


def said(row: RuleRow) -> str:
    """What is said of a rule and its converse: what a reviewer chose, or else what the run asked for."""
    return getattr(row, "direction", "") or ("both" if row.both else "rule")


def item_names(numbers: Iterable[int], naming: Naming) -> Items:
    return tuple(map(naming.named, numbers))
