"""Survey designs and records, and estimates from them: shares, supports, numbers, itemsets and rules."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mining.counting import MinedRecords, read_record_csv
from mining.parameters import MAX_SIZE, Parameters
from mining.queries_and_counters import Item, item_name
from mining.reconstruction import CachedCounter, Estimator, reconstruct_supports
from mining.reconstruction.itemsets_grouped_by_shape import as_item_numbers
from privacy.designs import Design, InputError, parse_design, parse_design_file
from privacy.grammar.input_error import mark_for_translation as _
from privacy.guarantee.design_guarantees import Audit, audit as audit_exactly
from privacy.records.record_file import open_as_plain_csv

if TYPE_CHECKING:
    import pandas as pd

    from candor.record_file_mining import MinedFile

SHARE = (
    *("observed", "support", "se", "low", "high", "pooled"),
    *("share_shown", "low_shown", "high_shown"),
)
"""Columns of a table of shares that have the names of `mining.reconstruction.Supports`."""


@dataclass(frozen=True)
class Records:
    """The records of a survey with its `design`, from `read_records`; `mined`: their packed columns."""

    design: Design
    mined: MinedRecords

    @cached_property
    def counter(self) -> CachedCounter:
        return CachedCounter(self.mined.counter())

    @property
    def n(self) -> tuple[int, int]:
        """Returns the number of open (with arms: direct) and of disguised records."""
        opened, disguised = self.counter.whole.n
        return opened, disguised

    def item(self, name: str) -> Item:
        """Returns the question index and the code of an answer, given as `theft=yes`."""
        from mining.studies.model_request_and_columns import parse_item  # late for cost

        return parse_item(self.mined.design, name, "item")

    def item_name(self, item: Item) -> str:
        """Returns the name of an answer, such as `theft=yes`; the inverse of `item`."""
        return item_name(self.mined.design, item)


def read_design(source: Path | str | bytes) -> Design:
    """Reads and checks a survey design, from a file or from its JSON text, which begins with a brace."""
    if isinstance(source, bytes) or (isinstance(source, str) and source.lstrip().startswith("{")):
        return parse_design(source)
    return parse_design_file(Path(source))


def read_records(file: Path | str, design: Design | Path | str) -> Records:
    """Reads a record file in CSV, of any common layout; `design`: a design or its file."""
    of = design if isinstance(design, Design) else read_design(design)
    with open_as_plain_csv(Path(file)) as rows:
        return Records(of, read_record_csv(of, rows, str(file)))


def audit(
    design: Design,
    prior: Fraction | float | str = ".05",
    rho1: Fraction | float | str = ".05",
    rho2: Fraction | float | str = ".5",
    *,
    earlier: Sequence[Design] = (),
) -> Audit:
    """Audits a design: the largest posterior of a property with this `prior`, and breaches from rho1 to rho2.

    `earlier`: the design that it follows, the one that this one follows, and so on. A float counts as its decimal text.
    """
    try:
        exact = [Fraction(str(number)) for number in (prior, rho1, rho2)]
    except (ValueError, ZeroDivisionError):
        exact = []
    if not exact or not all(0 < number < 1 for number in exact) or exact[1] >= exact[2]:
        raise InputError("audit", _("probabilities lie between 0 and 1, and rho1 is below rho2"))
    return audit_exactly(design, *exact, earlier=earlier)


def shares(records: Records, items: Iterable[str] | None = None) -> "pd.DataFrame":
    """Estimates the share of every answer, or of these `items` (`theft=yes`), each with its 95 % score interval.

    `n_asked`: number of records asked the question, `n_open` the open ones among them, `shown` those to which it
    applies. `observed` is the received share, `support` the estimate, `pooled` the estimate if open and disguised
    people are alike. Where a rule may hide the question, `share_shown` is among those shown it. Estimates are NaN with
    fewer than 50 records, or one to nine of a group. In a design with arms all numbers are of the disguised arm.
    """
    questions = enumerate(records.mined.design.questions)
    wanted = (
        [(index, code) for index, question in questions for code in range(question.item_count)]
        if items is None
        else [records.item(name) for name in _listed(items)]
    )
    names = [records.item_name(item) for item in wanted]
    return _support_table(records, "item", names, [(item,) for item in wanted])


def supports(records: Records, itemsets: Iterable[Iterable[str]]) -> "pd.DataFrame":
    """Estimates the share of people with all answers of each itemset; the columns are those of `shares`.

    `disguised_only`: the share is of people who chose disguise, and tells nothing of those who did not. So it is of an
    itemset with plain and sensitive answers, or with a plain answer that the file withholds of those who did not.
    """
    from mining.studies.comparison_with_truth import leaves_out_open_records  # late for cost

    wanted = [tuple(sorted(map(records.item, _listed(names)))) for names in _listed(itemsets)]
    for itemset in wanted:
        if len({question for question, _code in itemset}) < len(itemset):
            raise InputError("itemsets", _("an itemset has one answer of a question"))
    names = [" ".join(map(records.item_name, itemset)) for itemset in wanted]
    table = _support_table(records, "itemset", names, wanted)
    table["disguised_only"] = leaves_out_open_records(
        records.mined.design,
        as_item_numbers(records.counter.numbering, wanted),
        records.n[0],
        withheld=bool(records.mined.without_plain),
    )
    return table


def _listed(names: Iterable[Any]) -> Iterable[Any]:
    """Returns a text as a list of one, since a loop would go over its letters."""
    return [names] if isinstance(names, str) else names


def _support_table(
    records: Records, key: str, names: Sequence[str], itemsets: Sequence[tuple[Item, ...]]
) -> "pd.DataFrame":
    import pandas as pd  # late for cost

    found = reconstruct_supports(records.counter, itemsets)
    counts = {"n_asked": found.base, "n_open": found.groups[:, 0], "shown": found.shown}
    return pd.DataFrame({key: names, **counts, **{name: getattr(found, name) for name in SHARE}})


def estimate(records: Records, question: str, quantiles: Sequence[float] | None = None) -> dict[str, Any]:
    """Estimates a sensitive number or place: shares, mean and quantiles, as far as its law allows.

    None: the law does not allow it, or there are too few records.
    """
    from mining.counting.number_and_place_counts import CodeCounts  # late for cost
    from mining.estimates_from_files import (  # late for cost
        check_quantiles,
        estimate_section,
        find_question_index_and_section,
    )
    from mining.kinds.number.report_node_from_counts import QUANTILES  # late for cost

    index, section = find_question_index_and_section(records.design, question)
    wanted = QUANTILES if quantiles is None else quantiles
    check_quantiles(wanted)
    parts = (*records.mined.complete, *records.mined.without_plain)
    counts = CodeCounts.count_records(records.design, parts, classes=False).counts_for_estimates(index)
    return estimate_section(section, counts, wanted)


def itemsets(
    records: Records,
    min_support: float,
    *,
    max_size: int = MAX_SIZE,
    estimator: Estimator = "stratified",
    absences: bool = False,
) -> "pd.DataFrame":
    """Finds the itemsets with a support of at least `min_support`, the largest support first.

    `low` and `high`: the 95 % interval of an itemset chosen before the survey; `low_listed`, `high_listed`: at its
    place in this list. `absences`: no is an item too.
    """
    from candor.record_file_mining import ITEMSET_COLUMNS  # late for cost

    parameters = Parameters(min_support, 1.0, estimator, max_size=max_size, absences=absences)
    return _data_frame(_mine(records, parameters).as_json()["itemsets"], ITEMSET_COLUMNS)


def rules(
    records: Records,
    min_support: float,
    min_confidence: float,
    *,
    max_size: int = MAX_SIZE,
    estimator: Estimator = "stratified",
    absences: bool = False,
) -> "pd.DataFrame":
    """Finds the association rules with at least these supports and confidences, those with an association first.

    Confidence, lift and base rate have intervals; ends `_listed` allow for the choice among all rules of the `list`,
    `pairs` or `larger` itemsets, as `association` and q do; `rank` is a place in it. `under_list` and `under`: list and
    rank of a shorter rule that says as much, if there is one.
    """
    from candor.record_file_mining import RULE_COLUMNS  # late for cost

    parameters = Parameters(min_support, min_confidence, estimator, max_size=max_size, absences=absences)
    return _data_frame(_mine(records, parameters).as_json()["rules"], RULE_COLUMNS)


def _mine(records: Records, parameters: Parameters) -> "MinedFile":
    from candor.record_file_mining import mine_records  # late for cost

    return mine_records(records.mined, parameters)


def _data_frame(rows: Sequence[dict[str, Any]], columns: Sequence[str]) -> "pd.DataFrame":
    """Returns a table of the rows, which may have more columns than these; with these if there is no row."""
    import pandas as pd  # late for cost

    return pd.DataFrame(rows) if rows else pd.DataFrame(columns=columns)
