"""Simulates surveys in memory and judges whether their reports begin with a false sentence, or state a true
finding.

People are drawn, disguised, mined and worded by the functions that a rehearsal uses; nothing is stored. The
truth comes from many more of the same people, none of them disguised.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from intake.rehearsal.true_counts import applies_mask, convert_true_codes_to_mined, item_mask
from mining.counting import make_counter
from mining.counting.mined_records import pack_columns
from mining.counting.number_and_place_counts import CodeCounts
from mining.disclosure.plain_table_counts import table_counter
from mining.disclosure.verdict import Decision, decide_verdict
from mining.findings.rehearsal_truth import KnownShares
from mining.findings.result_row_conversion import rule_from_row
from mining.nodes.number_nodes import MeanEstimate, NumberShare, QuantileStatement
from mining.nodes.report_nodes import About, Estimate, Report, Rule
from mining.nodes.study_nodes import ASSOCIATION, SHARE, HypothesisResult, UnderstandingDifference
from mining.parameters import Parameters
from mining.reconstruction import CachedCounter
from mining.studies.hypothesis_tests import question_indexes_by_hypothesis
from privacy.designs import Design
from privacy.designs.design import UNDERSTOOD
from privacy.designs.hypothesis_plan import Plan
from privacy.kinds.answer_code_array_type import Codes
from privacy.kinds.number.number_question import NumberQuestion
from privacy.records.record import DISGUISED
from privacy.simulation.disguise import disguise
from privacy.simulation.population import Population, Respondents
from reports.answer_labels import Labels
from reports.review import build_content
from reports.sentences import association_pairs
from reports.sentences.finding import Finding, MeasuredValue
from reports.sentences.first_finding_sentences import headline_findings
from runs.models import Itemset as ItemsetRow, Rule as RuleRow
from runs.result_storage import RunResult
from runs.run_mining import result_from_counter

TRUTH = 100_000
"""Number of simulated people who give the true values."""
SURE = 4.0
"""Standard errors of the true values that a difference must exceed to count as real."""
OTHERS_READ = 10
"""Largest number of rules without an association that the front may name."""


@dataclass(frozen=True)
class FirstFindingsVerdict:
    """The verdict on the first findings (front) of one simulated report.

    `begins_false`: its first sentence is false. `finds_true`: it states something true beyond shares.
    """

    begins_false: bool
    finds_true: bool


@dataclass(frozen=True)
class SimulatedSurveys:
    """Simulator of surveys of one design, with `n` records each, mined with the parameters `wanted`."""

    design: Design
    wanted: Parameters
    n: int
    plan: Plan | None
    about: About
    population: Population
    seed: int
    alike: bool = False
    """True if all people answer by the same probabilities, so that every true coefficient is 0."""
    earlier: Design | None = None
    """The design that this one follows, of which nothing is simulated."""

    def simulate_headlines(self, number: int) -> FirstFindingsVerdict:
        """Simulates survey `number` and judges its first findings; the same number always gives the same survey."""
        return self.judge_first_findings(self.simulate_report(np.random.default_rng([self.seed, number])))

    def judge_first_findings(self, report: Report) -> FirstFindingsVerdict:
        """Judges the first findings of a report: a false first sentence, and something true beyond shares."""
        judged = [*self._truth_and_comparison_by_sentence(report)]
        compared = [is_true for is_true, is_compared in judged if is_compared]
        return FirstFindingsVerdict(
            judged[0][0] is False if judged else False,
            any(is_true is True for is_true in compared),
        )

    def simulate_report(self, rng: "np.random.Generator") -> Report:
        """Simulates one survey and returns its report, with only those rules that can be first findings."""
        group, true = self.population.draw(self.design, self.n, rng)
        sent = disguise(self.design, group, true, rng)
        columns = pack_columns(self.design, group, sent)
        counter = make_counter(self.labels.design, [columns])
        known = CachedCounter(counter, without_plain=True)
        codes = (
            CodeCounts.count_records(self.design, [columns]) if self.design.has_numbers_or_places else None
        )
        sets = question_indexes_by_hypothesis(self.plan, self.labels.design) if self.plan else []
        decision = Decision(
            *decide_verdict(self.labels.design, table_counter(known.counter), self.wanted.max_size, sets)
        )
        result = result_from_counter(
            self.wanted, known, decision, codes=codes, plan=self.plan, earlier=self.earlier
        )
        return self._build_report(result)

    def _build_report(self, result: RunResult) -> Report:
        n_open, disguised = result.n
        many: Any = result.findings
        about = replace(
            self.about,
            records=n_open + disguised,
            n_open=n_open,
            disguised=disguised,
            family=many["family"],
            statements=many["statements"],
            disguised_only=self.design.offers_choice and not n_open,
        )
        labels, nothing = self.labels, KnownShares(self.labels, None)
        report = build_content.content_from_findings(many, result.decision.verdict, labels, nothing, about)
        return replace(
            report, rules=tuple(rule_from_row(row, n_open, labels) for row in first_finding_rule_rows(result))
        )

    @cached_property
    def labels(self) -> Labels:
        return Labels(self.design.mined)

    # --- what is true -------------------------------------------------------------------------------------

    def _truth_and_comparison_by_sentence(self, report: Report) -> Iterator[tuple[bool | None, bool]]:
        """Yields for each sentence of the first findings whether it is true, and whether it compares anything.

        None: the sentence claims nothing, or the truth is unknown.
        """
        for finding in headline_findings(report, self.labels):
            yield self._is_true(finding, report), finding.verdict is not None

    def _is_true(self, finding: Finding, report: Report) -> bool | None:
        """Returns True if a finding is true of the simulated people; None if it claims nothing, or if the truth is
        unknown."""
        node, shown = finding.node, finding.verdict
        if isinstance(node, Estimate):
            share = self.true_share(node.item, disguised_only=node.disguised_only)
            return _is_in_interval(share, finding.measured)
        if isinstance(node, MeanEstimate | QuantileStatement | NumberShare):
            return self._is_number_true(finding, report)
        if not shown:
            return None
        if isinstance(node, HypothesisResult):
            return self._is_hypothesis_true(node, shown, report.about.n_open)
        if isinstance(node, Rule):
            return self._true_association_sign(
                node.antecedent, node.consequent, node.disguised_only
            ) == association_pairs.shown_association_sign(node)
        if finding.kind == "group":
            rows = (row for table in report.groups for row in table.rows)
            item = next(row.item for row in rows if row.front is node)
            return self._true_association_sign([node.of_class], [item], disguised_only=True) == shown
        if isinstance(node, UnderstandingDifference):
            *_understood, others = self.labels.choices(UNDERSTOOD)
            return self._true_association_sign([others], [node.item], disguised_only=True) == -shown
        # Arms are drawn: people answer alike in both.
        return False

    def _is_number_true(self, finding: Finding, report: Report) -> bool:
        """Returns True if a mean, a quantile or a share of a number is true of the simulated people."""
        part = finding.node
        number = next(
            one for one in report.numbers if any(part is of_one for of_one in one.all_records.parts)
        )
        alone = number.all_records.disguised_only
        if isinstance(part, NumberShare):
            share = self.true_share(f"{number.question}={part.item}", disguised_only=alone)
            return _is_in_interval(share, finding.measured)
        numbers = self.true_numbers(number.question, disguised_only=alone)
        if isinstance(part, MeanEstimate):
            return _is_in_interval(float(numbers.mean()), finding.measured)
        quantile = int(np.quantile(numbers, part.q, method="inverted_cdf"))
        is_reached = part.at_least is None or quantile >= part.at_least
        return is_reached and (part.below is None or quantile < part.below)

    def _is_hypothesis_true(self, result: HypothesisResult, shown: int, n_open: int) -> bool | None:
        """Returns True if the stated direction of a hypothesis is true of the simulated people; None if it is
        unknown."""
        names = (result.item,) if result.kind == SHARE else (*result.antecedent, *result.consequent)
        alone = self.labels.leaves_out_open_records(names, n_open)
        if result.kind == SHARE:
            # Of all who were asked, also those from whom a rule hides the question.
            share = self.true_share(result.item, disguised_only=alone, shown=False)
            error = np.sqrt(share * (1 - share) / TRUTH)
            return bool(shown * (share - float(result.than)) > SURE * error)
        if result.kind == ASSOCIATION:
            sign = self._true_association_sign(result.antecedent, result.consequent, disguised_only=alone)
            return sign == shown
        # Arms and versions are drawn: people answer alike in all. Nobody knows the coefficients of a model.
        return None if result.kind == "coefficient" and not self.alike else False

    def true_share(
        self, *items: str, given: Iterable[str] = (), disguised_only: bool = False, shown: bool = True
    ) -> float:
        """Returns the true share of the answers `items` among people with the answers `given`.

        `shown`: among people to whom all questions apply; for numbers and places this holds always.
        """
        always = items if shown else tuple(filter(self.labels.is_asked_if_shown, items))
        (has, _applies), (chosen, also) = self.answer_masks(items), self.answer_masks(given)
        chosen = chosen & also & self.answer_masks(always)[1]
        if disguised_only:
            chosen &= self.true_answers[0] == DISGUISED
        return float(has[chosen].mean())

    def true_numbers(self, name: str, *, disguised_only: bool) -> NDArray[np.int64]:
        """Returns the true numbers of the people to whom a number question applies."""
        index = self.labels.question_index(name)
        question = self.design.questions[index]
        assert isinstance(question, NumberQuestion)
        group, codes = self._people
        chosen = codes[index] != question.true_hidden_code
        if disguised_only:
            chosen &= group == DISGUISED
        numbers: NDArray[np.int64] = question.low + question.step * codes[index][chosen].astype(np.int64)
        return numbers

    def _true_association_sign(
        self, first: Iterable[str], second: Iterable[str], disguised_only: bool
    ) -> int:
        """Returns the true association of two answers: 1 if they occur together more often than by chance, -1 if
        less often, else 0."""
        (has_first, applies), (has_second, also) = self.answer_masks(first), self.answer_masks(second)
        chosen = applies & also
        if disguised_only:
            chosen &= self.true_answers[0] == DISGUISED
        a, b = has_first[chosen].astype(np.float64), has_second[chosen].astype(np.float64)
        spread = a.std() * b.std()
        if not spread:
            return 0
        z = ((a * b).mean() - a.mean() * b.mean()) / spread * np.sqrt(len(a))
        return int(np.sign(z)) if abs(z) > SURE else 0

    def answer_masks(self, items: Iterable[str]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Returns two masks of the simulated people: those who have all these answers, and those to whom all their
        questions apply."""
        _group, true = self.true_answers
        has = np.ones(true.shape[1], np.bool_)
        applies = has.copy()
        for name in items:
            index, code = self.labels.item(name)
            question = self.labels.design.questions[index]
            has &= item_mask(question, code, true[index])
            applies &= applies_mask(question, true[index])
        return has, applies

    @cached_property
    def true_answers(self) -> tuple[NDArray[np.uint8], Codes]:
        """The groups and true answers of `TRUTH` simulated people, as mining sees these."""
        group, true = self._people
        return group, convert_true_codes_to_mined(self.design, true)

    @cached_property
    def _people(self) -> Respondents:
        return self.population.draw(self.design, TRUTH, np.random.default_rng(self.seed))


def _is_in_interval(true: float, measured: MeasuredValue) -> bool:
    assert measured.low is not None
    assert measured.high is not None
    return measured.low <= true <= measured.high


def first_finding_rule_rows(result: RunResult) -> list[RuleRow]:
    """Returns unsaved rows of the rules that can be first findings: all with a shown association, and the first of the
    others."""
    columns = result.rules
    shown: Sequence[int] = [
        at for at, sign in enumerate(columns["association"]) if sign and columns["under"][at] is None
    ]
    others = [at for at, sign in enumerate(columns["association"]) if not sign][:OTHERS_READ]
    rows = []
    for at in sorted([*shown, *others]):
        values = {name: column[at] for name, column in columns.items() if name != "itemset"}
        place = columns["itemset"][at]
        ends = {name: result.itemsets[name][place] for name in ("low", "high")}
        rows.append(RuleRow(**values | {"heads": b""}, itemset=ItemsetRow(**ends)))
    return rows
