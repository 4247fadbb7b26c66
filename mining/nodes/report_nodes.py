"""The content of a report, as numbers and names; its texts are made in the reader's language.

An answer is written `question=choice`, as in the commands and the exports. Estimates are not clipped; None:
not estimated, or not finite. A publication stores the report as JSON, so the names of fields are the names of
its format: `n_open` counts open records.
"""

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from hashlib import sha256
from math import isclose
from typing import Any

from mining.json_codec import OPTIONAL, UNPUBLISHED, node_from_json, node_to_json
from mining.nodes.number_nodes import NumberNode
from mining.nodes.place_nodes import PlaceNode
from mining.nodes.rule_lists import LARGER, list_of_rule, places_in_lists
from mining.nodes.study_nodes import NO_STUDY, Study

FORMAT = "candor-report/1"
LEVEL = 0.05
"""Largest p of a test that shows a difference."""

Items = tuple[str, ...]
Head = tuple[float | None, ...]
"""Interval ends of one row for the first k rows of a list, k a power of two below the row's rank.

A rule has its association first.
"""
HEAD_ENDS = ("lift_low", "lift_high", "confidence_low", "confidence_high", "converse_low", "converse_high")
"""Names of the interval ends in a rule's heads, in their order after the association."""


def head_at_rank(heads: tuple[Head, ...], rank: int) -> Head | None:
    """Returns the interval that the row of this rank shows, out of its intervals for the first 1, 2, 4, ... rows of a
    list (its heads).

    None: the row shows its own interval.
    """
    power = rank.bit_length() - 1
    return heads[power] if power < len(heads) else None


def shorter_heads(heads: tuple[Head, ...], rank: int) -> tuple[Head, ...]:
    """Returns the intervals for heads of the list that are shorter than the head that contains this rank."""
    return heads[: rank.bit_length() - 1]


@dataclass(frozen=True)
class About:
    """The run behind the report, its records and its parameters.

    `day`: when its records were sealed (ISO 8601, in the site's time zone). `disguised_only`: no open record is
    used, though people could choose no disguise. `finished`: the survey was finished; `left_out` open records
    were not used, about `asked_to_wait` people were asked to wait with their record by then, and at most about
    `not_returned` of them did not come back. `family`: the number of possible rules of which those listed were
    picked. `statements`: by family how many statements could stand on the front page, and
    how many ways there are to divide `larger` itemsets; without it, all rules are one list. `stopped_at`: itemsets of
    so many answers were too many to count; `fits`: a smallest support at which they would not be. `host`: origin of the
    host that served the page; empty: the site that got the records.
    """

    run: int
    fingerprint: str
    rehearsal: bool
    day: str
    records: int
    n_open: int
    disguised: int
    estimator: str
    engine: str
    exact: bool
    min_support: float
    min_confidence: float
    max_size: int
    absences: bool
    version: str
    family: int = 0
    disguised_only: bool = False
    finished: bool = False
    left_out: int = 0
    stopped_at: int | None = None
    fits: float | None = None
    asked_to_wait: int = 0
    not_returned: int = 0
    statements: Mapping[str, int] = field(default_factory=dict)
    host: str = field(default="", metadata=OPTIONAL)

    @property
    def k(self) -> float:
        """The share of open records."""
        return self.n_open / self.records if self.records else 0.0

    @property
    def is_one_list(self) -> bool:
        """True if rules of more than two answers are in one list with the pairs, as an earlier version had them."""
        return LARGER not in self.statements and self.max_size > 2

    def count_possible_rules(self, size: int) -> int:
        """Returns the number of possible rules in the list that rules of so many answers are in."""
        larger = self.statements.get(LARGER, 0)
        return larger if list_of_rule(size, self.statements) == LARGER else self.family - larger


@dataclass(frozen=True)
class Estimate:
    """The estimated support of some answers together, among `n_asked` records, `n_open` of them open.

    `disguised_only`: among those who chose disguise. `shown` of the records were shown all of the questions; behind
    show-if `share_shown` is the share among these. `low_listed` and `high_listed` are the ends of an itemset's interval
    at its place in the list of all. `truth` is the share among a rehearsal's simulated respondents, `truth_shown` that
    among those of them shown. `forged_low` and `forged_high` bound the share of a single answer with 1 % of forged
    records. `coherent` is the coherent support of an itemset. See `mining.reconstruction`.
    """

    items: Items
    n_asked: int | None = None
    n_open: int | None = None
    observed: float | None = None
    support: float | None = None
    se: float | None = None
    low: float | None = None
    high: float | None = None
    pooled: float | None = None
    expected_w: float | None = None
    shown: int | None = None
    share_shown: float | None = None
    low_shown: float | None = None
    high_shown: float | None = None
    low_listed: float | None = None
    high_listed: float | None = None
    truth: float | None = None
    truth_shown: float | None = None
    forged_low: float | None = None
    forged_high: float | None = None
    coherent: float | None = None
    disguised_only: bool = False
    heads: tuple[Head, ...] = ()

    def at_rank(self, rank: int) -> "Estimate":
        """Returns the estimate with the intervals for this rank (from 1) in a list that was chosen from all itemsets.

        A single answer keeps its interval: every report states it, so it was not chosen.
        """
        if len(self.items) == 1:
            return replace(self, low_listed=self.low, high_listed=self.high, heads=())
        head = head_at_rank(self.heads, rank)
        if head is None:
            return self
        return replace(self, low_listed=head[0], high_listed=head[1], heads=shorter_heads(self.heads, rank))

    @property
    def item(self) -> str:
        """Name of the answer; only for estimates of a single answer."""
        (name,) = self.items
        return name

    @property
    def is_hidden(self) -> bool:
        """True if a rule hid one of its questions from some people whose devices drew all of them."""
        return self.shown is not None and self.shown != self.n_asked

    @property
    def by_denominator(self) -> "tuple[Estimate, ...]":
        """The estimate in one or two versions: among all who were asked and, if a rule hid a question from some, among
        those shown all questions."""
        return (self, self.rescaled_to_shown) if self.is_hidden else (self,)

    @property
    def among_shown(self) -> "Estimate":
        """The estimate among people shown all of its questions, if a rule hid one from some people; else among all who
        were asked."""
        return self.by_denominator[-1]

    @property
    def rescaled_to_shown(self) -> "Estimate":
        """The estimate divided by the share of people who were shown all of its questions."""
        factor = (self.n_asked or 0) / self.shown if self.shown else 0.0
        pooled = self.pooled if self.share_shown is not None else None
        return replace(
            self,
            n_asked=self.shown,
            observed=None if self.observed is None else self.observed * factor,
            support=self.share_shown,
            low=self.low_shown,
            high=self.high_shown,
            pooled=None if pooled is None else pooled * factor,
            truth=self.truth_shown,
        )

    @property
    def pooled_if_different(self) -> float | None:
        """The pooled estimate if it differs from the main one; without open records the two are equal."""
        if self.pooled is None or self.support is None or isclose(self.pooled, self.support, abs_tol=1e-9):
            return None
        return self.pooled


@dataclass(frozen=True)
class Rule:
    """A rule A -> C with its converse C -> A (`mining.rules`).

    All measures but the support are among the records of `n_shown_all`. Ends `_listed` are of the rule at its place in
    the list, the others of a rule that was chosen before the survey.
    """

    number: int  # from 1 through both lists of all, pairs first, each by p
    antecedent: Items
    consequent: Items
    n_asked: int  # records that were asked all of it
    antecedent_support: float | None
    consequent_support: float | None
    support: float | None
    support_low: float | None
    support_high: float | None
    confidence: float | None
    confidence_low: float | None
    confidence_high: float | None
    lift: float | None
    lift_low: float | None
    lift_high: float | None
    p: float | None
    q: float | None
    n_shown_all: int  # of these, the records that were shown all of it
    association: int  # 1: both sides go together more often than by chance, -1: less often, 0: not shown
    both: bool  # the converse, too, has the confidence that the run asked for
    said: str  # what a publication states: "both", the "rule" alone or the "converse" alone
    converse: float | None = None
    converse_low: float | None = None
    converse_high: float | None = None
    antecedent_low: float | None = None
    antecedent_high: float | None = None
    consequent_low: float | None = None
    consequent_high: float | None = None
    confidence_low_listed: float | None = None
    confidence_high_listed: float | None = None
    converse_low_listed: float | None = None
    converse_high_listed: float | None = None
    lift_low_listed: float | None = None
    lift_high_listed: float | None = None
    truth: float | None = None  # the confidence among a rehearsal's simulated respondents
    truth_converse: float | None = None  # that of the converse
    disguised_only: bool = False  # among those who chose disguise
    heads: tuple[Head, ...] = ()  # the ends for shorter lists, see `at_rank`
    under: int | None = None  # number of the shorter rule beneath which this one is shown

    @property
    def items(self) -> Items:
        return (*self.antecedent, *self.consequent)

    @property
    def is_noise(self) -> bool:
        """True if one of its shares lies outside [0, 1], which only noise can cause."""
        return any(map(is_outside_unit, (self.confidence, self.converse, self.support)))

    @property
    def states_only_converse(self) -> bool:
        """True if the converse C -> A is stated, but not the rule A -> C."""
        return self.said == "converse"

    @property
    def states_only_rule(self) -> bool:
        """True if the rule A -> C is stated, but not its converse C -> A."""
        return self.said == "rule"

    def renumber(self, numbers: Mapping[int, int]) -> "Rule":
        """Returns the rule with new numbers (`numbers` maps old to new): its own, and that of the rule beneath which it
        is shown.

        If that other rule is not in `numbers`, this rule is shown beneath none.
        """
        under = None if self.under is None else numbers.get(self.under)
        return replace(self, number=numbers[self.number], under=under)

    def at_rank(self, rank: int) -> "Rule":
        """Returns the rule with the intervals for this rank (from 1) in a list that was chosen from all rules.

        Shorter lists have wider intervals.
        """
        head = head_at_rank(self.heads, rank)
        if head is None:
            return self
        association, *ends = head
        listed: dict[str, Any] = {f"{name}_listed": end for name, end in zip(HEAD_ENDS, ends, strict=True)}
        return replace(
            self, association=int(association or 0), heads=shorter_heads(self.heads, rank), **listed
        )


@dataclass(frozen=True)
class Pair:
    """The lift of two answers, among the `n_shown_all` records of people shown both questions.

    `disguised_only`: among those who chose disguise.
    """

    items: Items
    lift: float | None
    lift_low: float | None
    lift_high: float | None
    n_shown_all: int
    disguised_only: bool = False


@dataclass(frozen=True)
class GroupTest:
    """Comparison of one answer between open and disguised people, among those shown its question.

    `opened` and `disguised` are the estimated shares, `p` is Holm's. `more` and `fewer` are the smallest
    differences that a test of this answer alone would find four times out of five; None where it would find none.
    """

    item: str
    opened: float
    disguised: float
    p: float
    more: float | None
    fewer: float | None


@dataclass(frozen=True)
class Cell:
    """The share of an answer in one class of a plain question, among `n_asked` records; None: too few records.

    `shown` of these were shown the question; behind show-if `share_shown` is the share among them, and `truth_shown`
    the true one in a rehearsal. `disguised_only`: among those who chose disguise. `second` and `slope` are the moments
    that `holm_class_difference_p` takes. `received` is what `strongest_class_differences` takes: open and disguised
    records that were shown the question, those of them that sent the answer, and keep and chance of the disguised.
    """

    n_asked: int | None = None
    share: float | None = None
    low: float | None = None
    high: float | None = None
    shown: int | None = None
    share_shown: float | None = None
    low_shown: float | None = None
    high_shown: float | None = None
    truth: float | None = None
    truth_shown: float | None = None
    disguised_only: bool = False
    second: float | None = field(default=None, metadata=UNPUBLISHED)
    slope: float | None = field(default=None, metadata=UNPUBLISHED)
    received: tuple[float, ...] = field(default=(), metadata=UNPUBLISHED)

    @property
    def is_hidden(self) -> bool:
        """True if a rule hid the question from some people of the class."""
        return self.shown is not None and self.shown != self.n_asked


@dataclass(frozen=True)
class ClassDifference:
    """Difference of an answer's share between one class and all other published classes together.

    It is among people shown the question; its interval has the level of the front page, divided by the number of
    classes.
    """

    of_class: str
    difference: float
    low: float
    high: float
    p: float


@dataclass(frozen=True)
class GroupRow:
    """One answer in every class of a plain question; `p` tests that it is equally frequent in all published classes.

    `p` is Holm's over the table. `together` is the answer's share in these classes, of `n_asked` records, with its
    interval. `front`: what the front page may say of it. `met`: the verdict of a plan on this answer and a class; then
    `p` is Holm's over the plan.
    """

    item: str
    cells: tuple[Cell, ...]
    together: float | None
    p: float | None
    low: float | None = None
    high: float | None = None
    n_asked: int = 0
    front: ClassDifference | None = field(default=None, metadata=OPTIONAL)
    met: bool | None = field(default=None, metadata=OPTIONAL)

    @property
    def differs(self) -> bool:
        """True if a difference between the classes is shown."""
        if self.met is not None:
            return self.met
        return self.front is not None or (self.p is not None and self.p <= LEVEL)


@dataclass(frozen=True)
class GroupTable:
    """A table of the shares of every sensitive answer (rows) in each class of a plain question (columns).

    `disguised_only`: among those who chose disguise. `part`: the largest p with which a row stands on the front page.
    """

    question: str
    classes: Items
    rows: tuple[GroupRow, ...]
    disguised_only: bool = False
    part: float | None = field(default=None, metadata=UNPUBLISHED)


@dataclass(frozen=True, slots=True)
class WeightedShare:
    """The weighted share of an item among the disguised records that were shown its question.

    `low` and `high` are None where the counts contradict each other. `is_large`: a weight is above 5 times the mean.
    """

    item: str
    share: float
    se: float
    low: float | None
    high: float | None
    is_large: bool


@dataclass(frozen=True, slots=True)
class Weighted:
    """Shares weighted so that plain answers agree with known shares in the population; `margins` names the file of the
    known shares, `questions` the plain questions that it has shares of."""

    margins: str
    shares: tuple[WeightedShare, ...]
    questions: tuple[str, ...] = field(default=(), metadata=OPTIONAL)

    @property
    def has_large_weight(self) -> bool:
        return any(one.is_large for one in self.shares)


@dataclass(frozen=True)
class LeftOut:
    """How many rules a publication leaves out, by the reviewer's last decision on them."""

    rejected: int = 0
    more_data: int = 0
    undecided: int = 0


@dataclass(frozen=True)
class HiddenClasses:
    """Classes of a plain question, or regions of a place, that are withheld; None stands for *not applicable*."""

    question: str
    answers: tuple[str | None, ...]


@dataclass(frozen=True)
class Told:
    """What the report withholds: the `hidden` classes, and the smallest sets of `questions` that are never reported
    together.

    Everything else in the report is computed without it.
    """

    hidden: tuple[HiddenClasses, ...] = ()
    questions: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True)
class Report:
    """A report: the run, its estimates, itemsets, rules and tables. For a reviewer `itemsets` and `rules` are
    empty here, since there may be very many.

    `told` names what could reveal fewer than ten people, and was not looked at. `numbers` and `places` are the
    sensitive ones in the order of the design. `study` has the results of its arms, control items and plan,
    `weighted` the weighted shares; only a report that has any of these says so in its JSON.
    """

    about: About
    shares: tuple[Estimate, ...]
    compared: tuple[GroupTest, ...]
    groups: tuple[GroupTable, ...]
    itemsets: tuple[Estimate, ...]
    pairs: tuple[Pair, ...]
    rules: tuple[Rule, ...] = ()
    left_out: LeftOut | None = None
    told: Told = Told()
    numbers: tuple[NumberNode, ...] = field(default=(), metadata=OPTIONAL)
    places: tuple[PlaceNode, ...] = field(default=(), metadata=OPTIONAL)
    study: Study = field(default=NO_STUDY, metadata=OPTIONAL)
    weighted: Weighted | None = field(default=None, metadata=OPTIONAL)

    @property
    def knows_truth(self) -> bool:
        return any(share.truth is not None for share in self.shares)


def is_outside_unit(share: float | None) -> bool:
    """Returns True if a share lies outside [0, 1] after rounding to 0.1 %, as pages show it: only noise can cause
    this."""
    return share is not None and not 0 <= round(share, 3) <= 1


def sort_rules(rules: Iterable[Rule], statements: Mapping[str, int]) -> tuple[Rule, ...]:
    """Returns the rules sorted as in lists, pairs first; each gets the interval for its rank in its list among them."""
    listed = sorted(rules, key=lambda rule: rule.number)
    places = places_in_lists((len(rule.items) for rule in listed), statements)
    return tuple(rule.at_rank(rank) for rule, (_list, rank) in zip(listed, places, strict=True))


def number_and_sort_rules(rules: Collection[Rule], statements: Mapping[str, int]) -> tuple[Rule, ...]:
    """Returns some rules of a run as lists of their own: numbered from 1 in their order, each with the interval for
    its rank."""
    numbers = {number: place for place, number in enumerate(sorted(rule.number for rule in rules), 1)}
    return sort_rules((rule.renumber(numbers) for rule in rules), statements)


def sort_itemsets(itemsets: Iterable[Estimate]) -> tuple[Estimate, ...]:
    """Returns the itemsets sorted by estimated support, largest first, None last; each gets the interval for its rank
    among them."""
    listed = sorted(itemsets, key=lambda one: (one.support is None, -(one.support or 0.0)))
    return tuple(one.at_rank(rank) for rank, one in enumerate(listed, 1))


def report_to_json(content: Report) -> dict[str, Any]:
    return {"format": FORMAT, **node_to_json(content)}


def content_without_rules(data: Mapping[str, Any]) -> dict[str, Any]:
    """Returns a report's JSON without its rules, which is enough for most pages."""
    return {**data, "rules": []}


COMPARED_ITEMSET = (
    *(
        "items",
        "n_asked",
        "n_open",
        "shown",
        "observed",
        "support",
        "se",
        "pooled",
        "expected_w",
        "share_shown",
    ),
)
COMPARED_RULE = (
    *(
        "antecedent",
        "consequent",
        "n_asked",
        "n_shown_all",
        "support",
        "antecedent_support",
        "consequent_support",
    ),
    *("confidence", "converse", "lift"),
)
"""Members of published itemsets and rules that a check compares with means over the records."""


def compared_rows_digest(report: Mapping[str, Any]) -> str:
    """Returns the SHA-256 of the compared members of a report's itemsets and rules, in whatever order it has them."""
    rows = sorted(
        json.dumps([row.get(member) for member in members])
        for kind, members in (("itemsets", COMPARED_ITEMSET), ("rules", COMPARED_RULE))
        for row in report[kind]
    )
    return sha256("\n".join(rows).encode()).hexdigest()


def report_from_json(data: Mapping[str, Any]) -> Report:
    if data.get("format") != FORMAT:
        raise ValueError(f"not a {FORMAT}")
    return node_from_json(Report, data)
