"""Mines a record file: reads design and records, and returns itemsets and rules, for `mine` and the library."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mining.counting import MinedRecords, read_record_file
from mining.disclosure.plain_table_counts import undisguised_question_indexes
from mining.disclosure.verdict import Verdict
from mining.engines import candor_engine
from mining.engines.candor_engine import MiningResult
from mining.finite_numbers_for_json import finite_or_none
from mining.inference.selection_correction import holm
from mining.itemsets.frequent import StoppedSearch, Watch, ignore_progress
from mining.itemsets.itemset_intervals import rank_by_support
from mining.json_codec import node_to_json
from mining.parameters import Parameters
from mining.queries_and_counters import (
    NONE,
    Counter,
    Item,
    Numbering,
    Numbers,
    item_name,
    item_names,
    limit_to_disguised_arm,
)
from mining.reconstruction import CachedCounter, Estimator
from mining.reconstruction.coherent_supports import MOST_ITEMS, coherent_supports
from mining.reconstruction.disguise_probabilities import Floats
from mining.reconstruction.open_versus_disguised_sentence import group_test_sentence
from mining.reconstruction.open_versus_disguised_test import GroupTestResult, run_group_test
from mining.rules.fold_redundant_rules import UNFOLDED
from mining.studies import comparison_with_truth
from mining.studies.comparison_with_truth import AMONG, TruthComparison
from privacy.designs import Design, InputError, parse_design_file
from privacy.grammar.input_error import mark_for_translation as _
from privacy.records.record_file import open_as_plain_csv

if TYPE_CHECKING:
    from mining.engines.comparison import Comparison
    from mining.studies.population_margins_csv import PopulationMargin
    from mining.studies.population_weights import WeightedEstimate


@dataclass(frozen=True)
class MinedFile:
    """Result of the command `mine`.

    `n`: number of open (or direct) and of disguised records. `withheld`: open records lack their plain answers and
    places. `design`: the mined one; with arms all but `n` is about the disguised arm alone. `verdict`: results that may
    be disclosed; None: all.

    `coherent`: each itemset's support in the nearest coherent distribution, if asked for. `weighted`: weighted share of
    each single answer. `measures`: include mlxtend's other measures. `check`: comparison with mlxtend's result.
    """

    design: Design
    parameters: Parameters
    n: tuple[int, int]
    result: MiningResult
    alike: GroupTestResult
    compared: TruthComparison | None
    withheld: bool
    coherent: Floats | None = None
    weighted: "Mapping[Item, WeightedEstimate | None] | None" = None
    measures: bool = False
    verdict: Verdict | None = None
    check: "Comparison | None" = None

    def remarks(self) -> Iterator[str]:
        """Yields remarks that limit the interpretation of the numbers."""
        if self.verdict:
            yield "Of what the report may not tell nothing was looked at."
        elif undisguised_question_indexes(self.design):
            yield "Everything is told, small classes too: --told REPORT.json mines what a report may tell."
        if self.design.has_arms:
            yield "Itemsets and rules are of the disguised arm alone; the command arms compares it with the direct arm."
        elif self.withheld:
            yield f"Open records withhold their plain answers and places: itemsets with these are {AMONG}."
        elif self.n[0]:
            yield f"Itemsets and rules that join plain and sensitive answers are {AMONG}."
        hidden = [
            question for question in self.design.questions if question.asked_if_shown and question.show_if
        ]
        if not all(question.made_of_integers for question in hidden):
            yield "Itemsets and rules with a number that a rule hides are of those to whom it applies."
        if any(question.made_of_integers for question in hidden):
            yield "Itemsets and rules with a place that a rule hides are of those to whom it applies."
        if self.coherent is not None:
            yield "Coherent supports fit together, but have no error of their own; support stays the estimate."
        yield from self._weight_remarks()
        if self.check:
            from importlib.metadata import version  # late for cost

            rows = self.check.rows
            differs = "finds something else than Candor, so one of them is wrong."
            same = (
                f"’s apriori found the same {rows.itemsets} itemsets, and its association_rules gives the same "
                f"{rows.directed} rules of their supports."
            )
            yield f"mlxtend {version('mlxtend')}{f' {differs}' if self.check.difference else same}"
        if stopped := self.result.frequent.stopped:
            yield stopped_search_text(stopped)

    def _weight_remarks(self) -> Iterator[str]:
        if self.weighted is None:
            return
        from mining.studies.population_weights import SAID  # late for cost

        if self.n[0]:
            yield f"Weighted shares are {'of the disguised arm' if self.design.has_arms else AMONG}."
        large = [answer.largest for answer in self.weighted.values() if answer and answer.largest > SAID]
        if large:
            yield f"A weight is {max(large):.1f} times the mean: few records represent many people."

    def as_json(self) -> dict[str, Any]:
        respondents = sum(self.n)
        whole: dict[str, Any] = {
            "respondents": respondents,
            "direct" if self.design.has_arms else "open": self.n[0],
            "k": self.n[0] / respondents if respondents else None,
            "estimator": self.parameters.estimator,
            "engine": self.parameters.engine,
        }
        if not self.design.has_arms:
            whole["alike"] = self._group_test_json()
        if self.compared:
            whole["truth"] = {
                "false_positives": self.compared.false_positives,
                "false_negatives": self.compared.false_negatives,
                "rho_by_size": {str(size.size): size.rho for size in self.compared.sizes},
            }
        if stopped := self.result.frequent.stopped:
            whole["stopped"] = {"size": stopped.size, "most": stopped.most, "fits": stopped.fits}
        if self.check:
            whole["check"] = self._check_as_json(self.check)
        return whole | {"itemsets": list(self._itemset_rows()), "rules": list(self._rule_rows())}

    def _check_as_json(self, check: "Comparison") -> dict[str, Any]:
        from importlib.metadata import version  # late for cost

        from mining.engines.comparison import count_incomparable_items  # late for cost

        verdict = self.verdict or Verdict(self.design)
        difference = check.difference
        return {
            "mlxtend": version("mlxtend"),
            "equal": difference is None,
            "itemsets": check.rows.itemsets,
            "rules": check.rows.directed,
            "scored": count_incomparable_items(
                self.design, absences=self.parameters.absences, verdict=verdict
            ),
            "difference": difference
            and {
                "items": [self.names[number] for number in difference.items],
                "consequent": [self.names[number] for number in difference.consequent],
                "candor": difference.candor,
                "mlxtend": difference.mlxtend,
                "column": difference.column,
            },
        }

    def name(self, item: Item) -> str:
        return item_name(self.design, item)

    @cached_property
    def names(self) -> list[str]:
        """Names of the items by item number."""
        return item_names(self.design)

    def _group_test_json(self) -> dict[str, Any]:
        test = self.alike
        columns = {
            "open": test.open,
            "disguised": test.disguised,
            "p": test.p,
            "smallest_more": test.more,
            "smallest_fewer": test.fewer,
        }
        items = [
            {
                "item": self.name(item),
                **{name: finite_or_none(column[row]) for name, column in columns.items()},
            }
            for row, item in enumerate(test.items)
        ]
        return {"differ": test.any_differs, "says": group_test_sentence(test, self.name), "items": items}

    def _disguised_only_mask(self, itemsets: Numbers) -> NDArray[np.bool_]:
        """Returns True for each itemset that is estimated from the disguised records alone, though there are others."""
        return comparison_with_truth.leaves_out_open_records(
            self.design, itemsets, self.n[0], withheld=self.withheld
        )

    def _itemset_rows(self) -> Iterator[dict[str, Any]]:
        supports = self.result.frequent.supports
        among = self._disguised_only_mask(supports.itemsets)
        hidden = np.array([bool(question.show_if) for question in self.design.questions])
        questions = Numbering(self.design).question_indexes(supports.itemsets)
        may_be_hidden = ((questions != NONE) & hidden[questions]).any(axis=1)
        for row in np.argsort(rank_by_support(supports)).tolist():
            numbers = supports.itemsets[row].tolist()
            entry: dict[str, Any] = {
                "items": [self.names[number] for number in numbers if number != NONE],
                "base": int(supports.base[row]),
            }
            for name in ITEMSET_NUMBERS:
                entry[name] = finite_or_none(getattr(supports, name)[row])
            entry["expected_w"] = finite_or_none(supports.expected_w[row])
            if self.compared:
                entry["w"] = finite_or_none(self.compared.w[row])
            if self.coherent is not None:
                entry["coherent"] = finite_or_none(self.coherent[row])
            if may_be_hidden[row]:
                entry["shown"] = int(supports.shown[row])
                for name in ("share_shown", "low_shown", "high_shown"):
                    entry[name] = finite_or_none(getattr(supports, name)[row])
            entry |= self._weighted_share(numbers)
            yield entry | ({"among": AMONG} if among[row] else {})

    def _weighted_share(self, numbers: Sequence[int]) -> dict[str, Any]:
        """Returns the weighted share of an itemset of one answer as JSON, null if too few people were asked; empty for
        larger itemsets."""
        items = [number for number in numbers if number != NONE]
        if self.weighted is None or len(items) > 1:
            return {}
        answer = self.weighted[Numbering(self.design).item(items[0])]
        return {"weighted": node_to_json(answer) if answer else None}

    def _rule_rows(self) -> Iterator[dict[str, Any]]:
        rules = self.result.rules
        names = (*RULE_NUMBERS, *(MLXTEND_MEASURES if self.measures else ()))
        columns = {name: rules[name].tolist() for name in names}
        among = self._disguised_only_mask(rules.itemsets)
        lists, ranks = rules.list_name.tolist(), rules.rank.tolist()
        for row in range(len(rules)):
            first, second = rules.sides(row)
            entry: dict[str, Any] = {
                "antecedent": [self.names[number] for number in first],
                "consequent": [self.names[number] for number in second],
            }
            entry |= {name: finite_or_none(column[row]) for name, column in columns.items()}
            entry["eligible"] = int(rules["eligible"][row])
            entry["list"], entry["rank"] = lists[row], ranks[row]
            entry["association"] = ASSOCIATIONS[int(rules["association"][row])]
            under = int(rules.under[row])
            entry["under"], entry["under_list"] = (
                (None, None) if under == UNFOLDED else (ranks[under], lists[under])
            )
            yield entry | ({"among": AMONG} if among[rules.itemset[row]] else {})


ITEMSET_NUMBERS = ("observed", "support", "pooled", "se", "low", "high", "low_listed", "high_listed")
ITEMSET_COLUMNS = ("items", "base", *ITEMSET_NUMBERS, "expected_w")
RULE_NUMBERS = (
    *("support", "confidence", "lift", "antecedent_support", "consequent_support"),
    *("confidence_low", "confidence_high", "confidence_low_listed", "confidence_high_listed"),
    *("consequent_low", "consequent_high"),
    *("lift_low", "lift_high", "lift_low_listed", "lift_high_listed", "p", "q"),
)
RULE_COLUMNS = (
    *("antecedent", "consequent", *RULE_NUMBERS, "eligible", "list", "rank", "association"),
    *("under", "under_list"),
)
"""What a row of an itemset and one of a rule always have, in their order."""
MLXTEND_MEASURES = (
    *("leverage", "conviction", "zhangs_metric", "jaccard", "certainty", "kulczynski", "representativity"),
)
"""Names of mlxtend's other measures of rules, for comparison; they have no intervals."""
ASSOCIATIONS = {1: "more often together", -1: "less often together", 0: "not shown"}


def stopped_search_text(stopped: StoppedSearch) -> str:
    words = (
        f"More than {stopped.most} itemsets of {stopped.size} items would have to be counted, so none was."
    )
    if stopped.fits is None:
        return f"{words} No higher --min-support makes them fewer."
    return f"{words} With --min-support {stopped.fits:g} they are not more."


def mine_records(
    records: MinedRecords,
    parameters: Parameters,
    truth_counter: Counter | None = None,
    *,
    coherent: bool = False,
    check: bool = False,
    watch: Watch = ignore_progress,
    margins: "Sequence[PopulationMargin]" = (),
    verdict: Verdict | None = None,
) -> MinedFile:
    """Mines records, and returns the result of the command `mine`.

    `truth_counter`: counts the true answers of the same respondents. `check`: mlxtend mines the same
    records for comparison.
    """
    check_estimator(records.design, parameters)
    largest = min(parameters.max_size, len(records.design.questions))
    parameters, counter = replace(parameters, max_size=largest), records.counter()
    if check or parameters.engine == "mlxtend":
        from mining.engines import mlxtend_engine  # late for cost
    if parameters.engine == "mlxtend":
        result = mlxtend_engine.mine_rules_by_mlxtend(records, counter, parameters, watch, verdict=verdict)
    else:
        result = candor_engine.mine_rules(counter, parameters, watch, verdict=verdict)
    known = CachedCounter(counter)
    withheld = bool(records.without_plain)
    compared = None
    if truth_counter:
        supports = result.frequent.supports
        file_truth = comparison_with_truth.FileTruth(limit_to_disguised_arm(truth_counter), withheld)
        compared = comparison_with_truth.compare_with_truth(
            supports.itemsets, supports.support, file_truth, parameters, verdict
        )
    fitting = (
        coherent_supports_or_refusal(known, result.frequent.itemsets, parameters.estimator, verdict)
        if coherent
        else None
    )
    weighted = None
    if margins:
        from mining.studies.population_weights import weighted_answers  # late for cost

        weighted = weighted_answers(records, _frequent_single_items(result, known), margins)
    comparison = None
    if check:
        ours = (
            candor_engine.mine_rules(known, parameters, verdict=verdict)
            if parameters.engine == "mlxtend"
            else result
        )
        comparison = mlxtend_engine.check_by_mlxtend(ours, records, known, parameters, verdict=verdict)
    return MinedFile(
        records.design,
        parameters,
        counter.n,
        result,
        allowed_group_tests(run_group_test(known), verdict) if verdict else run_group_test(known),
        compared,
        withheld,
        fitting,
        weighted,
        verdict=verdict,
        check=comparison,
    )


def allowed_group_tests(tests: GroupTestResult, verdict: Verdict) -> GroupTestResult:
    """Returns the tests (open against disguised people) of answers that may be disclosed, with Holm's p recomputed for
    these."""
    kept = [row for row, item in enumerate(tests.items) if verdict.allows_comparing_open_and_disguised(item)]
    raw = (tests.p if tests.raw is None else tests.raw)[kept]
    columns = (tests.open[kept], tests.disguised[kept], holm(raw), tests.more[kept], tests.fewer[kept])
    return GroupTestResult(tuple(tests.items[row] for row in kept), *columns, raw=raw)


def _frequent_single_items(result: MiningResult, counter: CachedCounter) -> list[Item]:
    """Returns the answers that are themselves itemsets of size one."""
    itemsets = result.frequent.itemsets
    single = (itemsets != NONE).sum(axis=1) == 1
    return [counter.numbering.item(number) for number in itemsets[single, 0].tolist()]


def check_estimator(design: Design, parameters: Parameters) -> None:
    """Raises `InputError` for an estimator other than *stratified* if the design has arms: then all mined records are
    disguised."""
    if design.has_arms and parameters.estimator != "stratified":
        raise InputError(
            "estimator", _("a design with a direct arm uses its disguised arm alone: leave the estimator out")
        )


def coherent_supports_or_refusal(
    counter: CachedCounter, itemsets: Numbers, estimator: Estimator, verdict: Verdict | None
) -> Floats:
    """Returns coherent supports of the itemsets; raises `InputError` if there are too many items."""
    supports = coherent_supports(counter, itemsets, estimator, verdict)
    if supports is None:
        items = len(np.unique(itemsets[itemsets != NONE]))
        raise InputError(
            "coherent",
            _("the itemsets found have %(items)s different items, more than the %(most)s that it can do"),
            items=items,
            most=MOST_ITEMS,
        )
    return supports


class MiningFiles(NamedTuple):
    """`told`: a report of the same survey; only what it may tell is mined."""

    design: Path
    records: Path
    truth: Path | None
    margins: Path | None
    told: Path | None


def mine_files(
    files: MiningFiles,
    parameters: Parameters,
    *,
    coherent: bool,
    check: bool,
    watch: Watch,
    read: Callable[[Design, Path], MinedRecords] = read_record_file,
) -> MinedFile:
    """Reads and mines files of a design and records; raises `InputError` with the place of a fault.

    `read`: how records are read, here or on a cluster.
    """
    design = parse_design_file(files.design)
    margins: Sequence[PopulationMargin] = ()
    verdict = None
    if files.margins:
        from mining.studies.population_weights import read_margins_file  # late for cost

        margins = read_margins_file(files.margins, design)
    if files.told:
        from mining.findings.remove_withheld_numbers import read_report_verdict  # late for cost

        verdict = read_report_verdict(files.told, design.mined)
    records = read(design, files.records)
    of_truth = None
    if files.truth:
        with open_as_plain_csv(files.truth) as file:
            of_truth = comparison_with_truth.read_true_counter(design, file, str(files.truth), records.n)
    return mine_records(
        records,
        parameters,
        of_truth,
        coherent=coherent,
        check=check,
        watch=watch,
        margins=margins,
        verdict=verdict,
    )
