"""Compares two runs of one survey: what both found, with the differences, and what only one found."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from mining.counts import item_names
from privacy.designs import Design
from runs.models import Run
from runs.readers import Readable
from runs.result_rows import item_numbers

K = TypeVar("K", bound=Hashable)


@dataclass(frozen=True)
class Value:
    """A support or a confidence, and its interval at its place in the list of the run; None: not estimated."""

    number: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True)
class ComparisonRow:
    """The value in each run; None where that run did not find it."""

    name: str
    first: Value | None
    second: Value | None

    @property
    def difference(self) -> float | None:
        numbers = [value.number for value in (self.first, self.second) if value and value.number is not None]
        return numbers[1] - numbers[0] if len(numbers) == 2 else None


@dataclass(frozen=True)
class RunComparison:
    """`both` starts with the largest difference. The others are in the order of their list."""

    both: Sequence[ComparisonRow]
    only_first: Sequence[ComparisonRow]
    only_second: Sequence[ComparisonRow]


ITEMSET = ("support", "low_listed", "high_listed")
RULE = ("confidence", "confidence_low_listed", "confidence_high_listed")
CONVERSE = ("converse", "converse_low_listed", "converse_high_listed")


def compare_itemsets(design: Design, first: Readable, second: Readable) -> RunComparison:
    say = naming(design)
    readings = [
        {
            items: Value(*values)
            for items, *values in readable.itemsets.order_by("-support", "place").values_list(
                "items", *ITEMSET
            )
        }
        for readable in (first, second)
    ]
    return _compare(readings[0], readings[1], say)


def compare_rules(design: Design, first: Readable, second: Readable) -> RunComparison:
    say = naming(design)
    values = [confidences_by_sides(readable) for readable in (first, second)]
    return _compare(values[0], values[1], lambda sides: f"{say(sides[0])} → {say(sides[1])}")


def confidences_by_sides(readable: Readable) -> dict[tuple[str, str], Value]:
    """The confidences by both sides, also those of converses that have the confidence that the run asked for."""
    values = {}
    for row in readable.rules.defer("heads").order_by("place"):
        values[row.antecedent, row.consequent] = Value(*(getattr(row, name) for name in RULE))
        if row.both:
            values[row.consequent, row.antecedent] = Value(*(getattr(row, name) for name in CONVERSE))
    return values


def naming(design: Design) -> Callable[[str], str]:
    """A function from the items of a row to their names."""
    names = item_names(design)
    return lambda items: ", ".join(names[number] for number in item_numbers(items))


def _compare(first: Mapping[K, Value], second: Mapping[K, Value], say: Callable[[K], str]) -> RunComparison:
    rows = {key: ComparisonRow(say(key), first.get(key), second.get(key)) for key in [*first, *second]}
    both = [rows[key] for key in first if key in second]
    return RunComparison(
        sorted(both, key=lambda row: -abs(row.difference or 0.0)),
        [rows[key] for key in first if key not in second],
        [rows[key] for key in second if key not in first],
    )


def identical_results(run: Run) -> list[Run]:
    """Other runs of the survey with identical results."""
    if not run.digest:
        return []
    others = Run.objects.filter(survey=run.survey_id, digest=run.digest).exclude(pk=run.pk)
    return list(others.order_by("pk"))


def have_same_parameters(one: Run, other: Run) -> bool:
    return all(
        getattr(one, name) == getattr(other, name)
        for name in ("through", "parameters", "population", "margins_id")
    )


def differing_repetitions(run: Run) -> list[Run]:
    """Runs with the same batches and parameters but other results: something else than the records has changed.

    Without runs of another version of the mathematics, whose results may differ.
    """
    same = Run.objects.filter(
        survey=run.survey_id,
        through=run.through,
        parameters=run.parameters,
        margins=run.margins_id,
    )
    others = same.exclude(digest__in=["", run.digest]).order_by("pk") if run.digest else []
    return [other for other in others if mathematics(other) == mathematics(run)]


def mathematics(run: Run) -> str:
    """The first part of a run's version, as in "mining 1, numpy 2.4.6"."""
    return run.version.partition(",")[0]
