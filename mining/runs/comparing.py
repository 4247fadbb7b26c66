"""Two runs of one survey side by side: what both found and how far apart, and what only one of them did."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from mining.counts import Numbering
from mining.models import Run, numbers
from mining.runs.reading import Readable
from privacy.designs import Design

K = TypeVar("K", bound=Hashable)


@dataclass(frozen=True)
class Row:
    """One itemset's support or one rule's confidence in each run; None where that is not found or not estimated."""

    name: str
    first: float | None
    second: float | None

    @property
    def difference(self) -> float | None:
        return None if self.first is None or self.second is None else self.second - self.first


@dataclass(frozen=True)
class Compared:
    """In `both` the largest difference comes first, else the largest number."""

    both: Sequence[Row]
    only_first: Sequence[Row]
    only_second: Sequence[Row]


def itemsets(design: Design, first: Readable, second: Readable) -> Compared:
    say = naming(design)
    found = [dict(readable.itemsets.values_list("items", "support")) for readable in (first, second)]
    return _compared(found[0], found[1], say)


def rules(design: Design, first: Readable, second: Readable) -> Compared:
    say = naming(design)
    found = [
        {(a, c): confidence for a, c, confidence in readable.rules.values_list(*SIDES, "confidence")}
        for readable in (first, second)
    ]
    return _compared(found[0], found[1], lambda sides: f"{say(sides[0])} → {say(sides[1])}")


SIDES = ("antecedent", "consequent")


def naming(design: Design) -> Callable[[str], str]:
    """From the items of a row to their names."""
    numbering = Numbering(design)
    names = []
    for number in range(len(numbering)):
        place, code = numbering.item(number)
        question = design.questions[place]
        names.append(f"{question.name}={question.choices[code].name}")
    return lambda items: ", ".join(names[number] for number in numbers(items))


def _compared(
    first: Mapping[K, float | None], second: Mapping[K, float | None], say: Callable[[K], str]
) -> Compared:
    rows = {key: Row(say(key), first.get(key), second.get(key)) for key in [*first, *second]}
    both = [rows[key] for key in first if key in second]
    return Compared(
        sorted(both, key=lambda row: -abs(row.difference or 0.0)),
        sorted((rows[key] for key in first if key not in second), key=lambda row: -(row.first or 0.0)),
        sorted((rows[key] for key in second if key not in first), key=lambda row: -(row.second or 0.0)),
    )


def same_digits(run: Run) -> list[Run]:
    """Other runs of the survey with the very same results."""
    if not run.digest:
        return []
    others = Run.objects.filter(survey=run.survey_id, digest=run.digest).exclude(pk=run.pk)
    return list(others.order_by("pk"))


def asked_the_same(one: Run, other: Run) -> bool:
    return all(getattr(one, name) == getattr(other, name) for name in ("through", "engine", "parameters"))


def should_be_same(run: Run) -> list[Run]:
    """Runs that were asked for the same and gave other digits: something else than the records has changed."""
    same = Run.objects.filter(
        survey=run.survey_id, through=run.through, engine=run.engine, parameters=run.parameters
    )
    return list(same.exclude(digest__in=["", run.digest]).order_by("pk")) if run.digest else []
