"""Compares two runs of one survey: results that both found, with their differences, and results that only one found."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from django.utils.translation import gettext as _

from mining.findings.result_row_conversion import item_numbers
from mining.queries_and_counters import item_names
from privacy.designs import Design
from runs.models import Run
from runs.pages.run_page import RunPage
from runs.result_reading_permissions import ReadableRows, readable_rows
from ui.number_format import format_count

if TYPE_CHECKING:
    from accounts.models import Person

SHOWN = 50
"""Largest number of rows of each list of a comparison; the page also shows the number of all rows."""
K = TypeVar("K", bound=Hashable)


@dataclass(frozen=True)
class ComparedValue:
    """A support or a confidence, with the interval that allows for its rank in the run's list; None: not estimated."""

    number: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True)
class ComparisonRow:
    """The values of one result in both runs; None if that run did not find it."""

    name: str
    first: ComparedValue | None
    second: ComparedValue | None

    @property
    def difference(self) -> float | None:
        numbers = [value.number for value in (self.first, self.second) if value and value.number is not None]
        return numbers[1] - numbers[0] if len(numbers) == 2 else None


@dataclass(frozen=True)
class RunComparison:
    """Compared rows. `both` is ordered by difference, the largest first; the others keep the order of their list."""

    both: Sequence[ComparisonRow]
    only_first: Sequence[ComparisonRow]
    only_second: Sequence[ComparisonRow]


@dataclass(frozen=True)
class ComparisonSection:
    """A section of the page. `what`: name of the rows. `number`: name of the compared value. `many`: number of rows;
    `rows`: the first ones."""

    title: str
    what: str
    number: str
    rows: Sequence[ComparisonRow]
    many: int


class ComparisonPage:
    """Two runs side by side; without `sections` if this person may not read the numbers of both."""

    def __init__(self, first: Run, second: Run, person: "Person") -> None:
        self.first, self.second = RunPage(first, person), RunPage(second, person)
        self.is_same = first == second or second in self.first.runs_with_identical_results
        one, other = dict(self.first.parameter_labels), dict(self.second.parameter_labels)
        # The number of records may be withheld of one run.
        self.settings = [(label, one.get(label, "–"), other.get(label, "–")) for label in {**one, **other}]
        self.settings.append((_("Version"), first.version, second.version))
        self.sections: list[tuple[str, list[ComparisonSection]]] = []
        readable = readable_rows(first, person), readable_rows(second, person)
        if readable[0] and readable[1]:
            itemsets = compare_itemsets(first.mined_design, readable[0], readable[1])
            rules = compare_rules(first.mined_design, readable[0], readable[1])
            self.sections = [
                (_("Itemsets"), self._sections(itemsets, _("Itemset"), _("Support"))),
                (_("Rules"), self._sections(rules, _("Rule"), _("Confidence"))),
            ]

    def _sections(self, comparison: RunComparison, kind: str, number: str) -> list[ComparisonSection]:
        """Returns the sections of the page that compare one kind of result."""
        in_both = _("In both: %(many)s, the largest difference first")
        only = _("Only in %(run)s: %(many)s")
        lists = [
            (in_both % {"many": format_count(len(comparison.both))}, comparison.both),
            *(
                (only % {"run": page.run, "many": format_count(len(rows))}, rows)
                for page, rows in ((self.first, comparison.only_first), (self.second, comparison.only_second))
            ),
        ]
        return [
            ComparisonSection(title, kind, number, rows[:SHOWN], len(rows)) for title, rows in lists if rows
        ]


ITEMSET = ("support", "low_listed", "high_listed")
RULE = ("confidence", "confidence_low_listed", "confidence_high_listed")
CONVERSE = ("converse", "converse_low_listed", "converse_high_listed")


def compare_itemsets(design: Design, first: ReadableRows, second: ReadableRows) -> RunComparison:
    """Compares the supports of the itemsets of two runs."""
    say = item_names_function(design)
    first_values, second_values = (
        {
            items: ComparedValue(*values)
            for items, *values in readable.itemsets.order_by("-support", "place").values_list(
                "items", *ITEMSET
            )
        }
        for readable in (first, second)
    )
    return _compare_values(first_values, second_values, say)


def compare_rules(design: Design, first: ReadableRows, second: ReadableRows) -> RunComparison:
    """Compares the confidences of the rules of two runs."""
    say = item_names_function(design)
    confidences = confidences_by_sides(first), confidences_by_sides(second)
    return _compare_values(*confidences, lambda sides: f"{say(sides[0])} → {say(sides[1])}")


def confidences_by_sides(readable: ReadableRows) -> dict[tuple[str, str], ComparedValue]:
    """Returns the confidences by antecedent and consequent, including converses that reach the run's confidence."""
    values = {}
    for row in readable.rules.defer("heads").order_by("place"):
        values[row.antecedent, row.consequent] = ComparedValue(*(getattr(row, name) for name in RULE))
        if row.both:
            values[row.consequent, row.antecedent] = ComparedValue(*(getattr(row, name) for name in CONVERSE))
    return values


def item_names_function(design: Design) -> Callable[[str], str]:
    """Returns a function from a row's items to their names."""
    names = item_names(design)
    return lambda items: ", ".join(names[number] for number in item_numbers(items))


def _compare_values(
    first: Mapping[K, ComparedValue], second: Mapping[K, ComparedValue], describe: Callable[[K], str]
) -> RunComparison:
    rows = {key: ComparisonRow(describe(key), first.get(key), second.get(key)) for key in [*first, *second]}
    both = [rows[key] for key in first if key in second]
    return RunComparison(
        sorted(both, key=lambda row: -abs(row.difference or 0.0)),
        [rows[key] for key in first if key not in second],
        [rows[key] for key in second if key not in first],
    )
