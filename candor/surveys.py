"""Survey designs and records, and estimates from them: shares, supports, numbers, itemsets and rules."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args, overload

from mining.counting import MinedRecords, read_record_file
from mining.counting.mined_records import is_parquet
from mining.parameters import MAX_SIZE, Parameters
from mining.queries_and_counters import Item, item_name
from mining.reconstruction import CachedCounter, Estimator, reconstruct_supports
from mining.reconstruction.itemsets_grouped_by_shape import as_item_numbers
from privacy.designs import Design, InputError, parse_design, parse_design_file
from privacy.grammar.input_error import mark_for_translation as _
from privacy.guarantee.design_guarantees import Audit, audit as audit_exactly
from privacy.records.record_file import open_as_plain_csv, record_header

if TYPE_CHECKING:
    import pandas as pd

    from candor.estimates import Estimates
    from candor.frames import Laws
    from candor.record_file_mining import MinedFile

Target = Literal["frequent", "maximal", "closed"]

SHARE = (
    *("observed", "support", "se", "low", "high", "pooled"),
    *("share_shown", "low_shown", "high_shown"),
)
"""Columns of a table of shares that have the names of `mining.reconstruction.Supports`."""


@dataclass(frozen=True, repr=False)
class Records:
    """The records of a survey with its `design`; `mined`: their packed columns; `left_out`: numbers of rows without
    all answers, by reason. `len` is their number."""

    design: Design
    mined: MinedRecords
    left_out: Mapping[str, int] = field(default_factory=dict)

    def __len__(self) -> int:
        return self.mined.n

    def __repr__(self) -> str:
        reasons = "".join(f", {number:,} left out for {reason}" for reason, number in self.left_out.items())
        return f"<records of {len(self.design.questions)} questions: {len(self):,}{reasons}>"

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
    """Reads a record file in CSV, of any common layout, or Parquet; `design`: a design or its file.

    A file that Candor did not write is read as `records` reads a data frame.
    """
    of = design if isinstance(design, Design) else read_design(design)
    try:
        return Records(of, read_record_file(of, Path(file)))
    except InputError as refusal:
        if is_parquet(Path(file)):
            raise
        import pandas as pd  # late for cost

        names: set[str] = set()
        try:
            with open_as_plain_csv(Path(file)) as rows:
                frame = pd.read_csv(rows, dtype=str, keep_default_na=False)
            names = {*frame.columns}
            return records(frame, of)
        except ValueError as second:
            # The first refusal names the line; what pandas says is of a file that is no table.
            if not names - {*record_header(of)} or not isinstance(second, InputError):
                raise refusal from None
            raise second.with_outer_path(str(file)) from None


def records(
    frame: "pd.DataFrame",
    design: Design,
    columns: Mapping[str, str] | None = None,
    codes: Mapping[str, Mapping[Any, str]] | None = None,
) -> Records:
    """Reads records from any data frame, with a row for each person.

    `columns`: the column of a question, where it has another name; `codes`: by question the choice that a value means.
    Names and labels of choices may be in another case; 1 and 0 or True and False are yes and no. Other columns are
    ignored. Without a column `group` all are disguised, unless the design has arms. Rows without an answer that
    everybody is asked for are left out, and counted in `left_out`.
    """
    from candor.frame_records import read_frame  # late for cost

    mined, left_out = read_frame(frame, design, columns or {}, codes or {})
    if not mined.n:
        raise InputError("frame", _("has no record with an answer to every question"))
    return Records(design, mined, left_out)


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


@overload
def shares(records: Records, items: Iterable[str] | None = None) -> "pd.DataFrame": ...
@overload
def shares(
    records: str,
    items: "pd.DataFrame",
    law: "Laws",
    *,
    law_by: str | None = None,
    weights: str | None = None,
    clusters: str | None = None,
    yes: object = None,
    level: float = 0.95,
) -> "Estimates": ...
def shares(
    records: "Records | str",
    items: "Iterable[str] | pd.DataFrame | None" = None,
    law: "Laws | None" = None,
    *,
    law_by: str | None = None,
    weights: str | None = None,
    clusters: str | None = None,
    yes: object = None,
    level: float = 0.95,
) -> "pd.DataFrame | Estimates":
    """Estimates shares with score intervals: `shares("theft ~ sex", frame, warner(.8))` of any data frame, or of
    `records` the share of every answer, or of these `items` (`theft=yes`), with 95 %.

    Of a frame: several answers as `theft + lying ~ sex + age`, everybody as `theft ~ 1`. `law`: one, or a dict by
    answer; with `law_by`, a column such as the sample, by its values, or by answer and value. `weights` and `clusters`
    are columns; clusters divide the counts by their design effect. `yes`: the value that is a yes, if it is none of 1,
    True and yes; or a dict by answer. Rows without a value are left out, and counted.

    Of records: `n_asked`: number of records asked the question, `n_open` the open ones among them, `shown` those to
    which it applies. `observed` is the received share, `support` the estimate, `pooled` the estimate if open and
    disguised people are alike. Where a rule may hide the question, `share_shown` is among those shown it. Estimates are
    NaN with fewer than 50 records, or one to nine of a group. In a design with arms all numbers are of the disguised
    arm.
    """
    if isinstance(records, str):
        from candor.formulas import shares_by_formula  # late for cost
        from candor.frames import Roles  # late for cost

        frame: Any = items
        return shares_by_formula(records, frame, law or {}, Roles(law_by, weights, clusters, yes), level)
    if law is not None or level != 0.95:
        raise InputError("shares", _("of records take items alone: the design has their law"))
    asked: Any = items
    questions = enumerate(records.mined.design.questions)
    wanted = (
        [(index, code) for index, question in questions for code in range(question.item_count)]
        if asked is None
        else [records.item(name) for name in _listed(asked)]
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
    target: Target = "frequent",
    max_size: int = MAX_SIZE,
    estimator: Estimator = "stratified",
    absences: bool = False,
) -> "pd.DataFrame":
    """Finds the itemsets with a support of at least `min_support`, the largest support first.

    `low` and `high`: the 95 % interval of an itemset chosen before the survey; `low_listed`, `high_listed`: at its
    place in the list of all. `absences`: no is an item too. `target`: of these, those that are part of no other one
    (maximal), or of none with as large an estimated support (closed).
    """
    from candor.record_file_mining import ITEMSET_COLUMNS  # late for cost

    if target not in get_args(Target):
        raise InputError("target", _("is one of %(names)s"), names=", ".join(get_args(Target)))
    parameters = Parameters(min_support, 1.0, estimator, max_size=max_size, absences=absences)
    found = _mine(records, parameters).as_json()["itemsets"]
    return _data_frame(found if target == "frequent" else _without_parts(found, target), ITEMSET_COLUMNS)


def _without_parts(found: Sequence[dict[str, Any]], target: Target) -> list[dict[str, Any]]:
    """Returns the itemsets that are part of no other one, or of none that is as frequent."""
    largest = {frozenset(row["items"]): -inf for row in found}
    """The largest support of those that contain an itemset."""
    for row in found:
        for size in range(1, len(row["items"])):
            for part in map(frozenset, combinations(row["items"], size)):
                largest[part] = max(largest.get(part, -inf), row["support"])
    contained = [largest[frozenset(row["items"])] for row in found]
    if target == "maximal":
        return [row for row, support in zip(found, contained, strict=True) if support == -inf]
    return [row for row, support in zip(found, contained, strict=True) if support < row["support"]]


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
