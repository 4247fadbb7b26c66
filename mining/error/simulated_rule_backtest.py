"""Backtest: how often a rule is reported again in simulated surveys of the estimated population.

In these surveys a rule is *exactly as strong as estimated*. A run reports rules because they came out high, so in truth
they are weaker on average: this is not the probability that a rule is true
(`reports.texts.report_facts.backtest_caveat`).
"""

from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from mining.counting import make_counter
from mining.counting.mined_records import pack_columns
from mining.disclosure.verdict import Verdict
from mining.engines import candor_engine
from mining.parameters import Parameters
from mining.queries_and_counters import Counter, Item, Numbering, Query
from mining.reconstruction.cached_counter import CachedCounter, as_cached
from mining.reconstruction.coherent_supports import MOST_ITEMS, CoherentShares, fit_coherent_shares
from mining.reconstruction.disguise_probabilities import Floats
from mining.reconstruction.supports import Estimator
from mining.rules import Rules, Sides
from privacy.designs import Design, InputError
from privacy.grammar.input_error import mark_for_translation as _
from privacy.grammar.question import LEFT_OUT, Question, ShowIfRule
from privacy.kinds.answer_code_array_type import Codes
from privacy.kinds.section import Section
from privacy.records import DISGUISED, OPEN
from privacy.records.batch_bit_columns import Columns
from privacy.simulation.disguise import disguise

POPULATIONS = 200

ItemSides = tuple[tuple[Item, ...], tuple[Item, ...]]
Watch = Callable[[int], object]
"""Callback after each simulated population, with their number so far; an exception from it ends the backtest."""


@dataclass(frozen=True)
class BacktestResult:
    """The share of the simulated `populations` in which each rule was reported again."""

    populations: int
    again: NDArray[np.float64]


def backtest(
    counter: Counter | CachedCounter,
    mined: Rules,
    parameters: Parameters,
    rng: "np.random.Generator",
    populations: int = POPULATIONS,
    watch: Watch = int,
    verdict: Verdict | None = None,
) -> BacktestResult:
    """Returns how often each rule is reported again in simulated surveys; NaN for rules with an item of scores. The
    rules have at most 12 different items.

    Simulates so many `populations` from the estimated shares and mines each. `watch` is called with their number so
    far.
    """
    known = as_cached(counter)
    every = [_side_items(known.numbering, mined.sides(row)) for row in range(len(mined))]
    scored = known.numbering.scored
    followed = np.array(
        [not any(scored[question] for side in rule for question, _code in side) for rule in every]
    )
    rules = [rule for rule, is_followed in zip(every, followed.tolist(), strict=True) if is_followed]
    items = sorted({item for sides in rules for side in sides for item in side})
    if len(items) > MOST_ITEMS:
        raise InputError(
            "rules",
            _("%(items)s different answers, but a backtest can follow at most %(most)s"),
            items=len(items),
            most=MOST_ITEMS,
        )
    surveys = SurveySimulator.for_items(known, items, parameters.estimator, verdict)
    numbering = Numbering(surveys.design)
    again = np.zeros(len(rules))
    for number in range(populations if rules else 0):
        columns = surveys.draw(known.n, rng)
        again_counted = CachedCounter(
            make_counter(surveys.design, [columns]), without_plain=bool(known.withheld.any())
        )
        reported = {
            _side_items(numbering, sides)
            for sides in candor_engine.find_reported_rule_sides(again_counted, parameters)
        }
        again += [_renumber_sides(sides, surveys.index) in reported for sides in rules]
        watch(number + 1)
    shares = np.full(len(every), np.nan)
    shares[followed.astype(np.bool_)] = again / populations
    return BacktestResult(populations, shares)


@dataclass(frozen=True)
class SurveySimulator:
    """Simulator of surveys of people from one estimated distribution, with only the questions that the rules need.

    `people` has the share of each pattern of items. `index` maps a question of the survey to its index in `design`.
    `hidden[at, i]` is the probability that question `at` does not apply to a person with pattern i.
    """

    design: Design
    index: dict[int, int]
    people: CoherentShares
    hidden: Floats

    @classmethod
    def for_items(
        cls,
        counter: CachedCounter,
        items: Sequence[Item],
        estimator: Estimator,
        verdict: Verdict | None = None,
    ) -> "SurveySimulator":
        """Makes a simulator from the estimated shares of all itemsets of these items that the `verdict` lets be
        published."""
        smaller, index = reduce_design(counter.design, {question for question, _code in items})
        people = fit_coherent_shares(counter, items, estimator, verdict)
        hidden = np.zeros((len(smaller.questions), len(people.shares)))
        for question, at in index.items():
            hidden[at] = chance_not_applying(counter, question, people)
        return cls(smaller, index, people, hidden)

    def draw(self, n: tuple[int, int], rng: "np.random.Generator") -> Columns:
        """Draws records of new people, so many open and so many disguised as `n` says."""
        group = np.repeat(np.array([OPEN, DISGUISED], np.uint8), n)
        drawn = rng.choice(len(self.people.shares), len(group), p=self.people.shares)
        # One random number per rule: a rule hides all of its questions from the same people.
        chance = {question.show_if: rng.random(len(group)) for question in self.design.questions}
        truth = np.zeros((len(self.design.questions), len(group)), np.uint16)
        for at, question in enumerate(self.design.questions):
            columns = self._item_columns(at)
            others = set(range(question.codes)) - columns.keys()
            truth[at] = min(others, default=question.not_applicable)
            truth[at, chance[question.show_if] < self.hidden[at, drawn]] = question.not_applicable
            for code, column in columns.items():
                truth[at, self.people.patterns[drawn, column]] = code
        codes = disguise(self.design, group, truth, rng)
        self._mark_hidden_as_not_asked(truth, codes)
        return pack_columns(self.design, group, codes)

    def _mark_hidden_as_not_asked(self, truth: Codes, codes: Codes) -> None:
        """Writes the code *not asked* in `codes`, in place, for numbers and places that a rule hides, since devices ask
        them only if shown."""
        for at, question in enumerate(self.design.questions):
            if question.asked_if_shown:
                codes[at, truth[at] == question.not_applicable] = question.not_asked

    def _item_columns(self, index: int) -> dict[int, int]:
        """Maps each code of question `index` that is an item to its column in the patterns."""
        items = enumerate(self.people.items)
        return {code: column for column, (question, code) in items if self.index[question] == index}


def chance_not_applying(counter: CachedCounter, question: int, people: CoherentShares) -> Floats:
    """Returns, for each pattern of items that people can have, the probability that show-if rules hide the question
    from them.

    In total they hide it as often as in the survey. People with an answer to the question, or to another question with
    the same rules, were shown it. It was hidden from people whose answer to a rule's question excludes them, or who
    have none of the answers that the rule allows. All others have one common probability.
    """
    rules = counter.design.questions[question].show_if
    if not rules:
        return np.zeros(len(people.shares))
    ruled = [_certainly_fulfilled_and_violated(counter.design, rule, people) for rule in rules]
    let_in = np.all([allowed for allowed, _left_out in ruled], axis=0)
    left_out = np.any([left_out for _allowed, left_out in ruled], axis=0)
    for other in {index for index, _code in people.items if counter.design.questions[index].show_if == rules}:
        answered = _has_answer(people, other)
        let_in |= answered
        if _item_codes(people, other) == set(range(counter.design.questions[other].codes)):
            left_out |= ~answered
    left_out &= ~let_in
    unknown = ~let_in & ~left_out
    asked, shown = _count_asked_and_shown(counter, question)
    missing = 1 - shown / max(asked, 1) - float(people.shares[left_out].sum())
    chance = min(max(missing / max(float(people.shares[unknown].sum()), 1e-12), 0.0), 1.0)
    return np.where(left_out, 1.0, np.where(unknown, chance, 0.0))


def _count_asked_and_shown(counter: CachedCounter, question: int) -> tuple[int, int]:
    """Returns the number of records asked a question, and the number of these to which it applies.

    A question that is asked only if shown counts as asked of every record, and as shown to those who were asked.
    """
    if not counter.design.questions[question].asked_if_shown:
        queries = [Query(asked=(question,)), Query(asked=(question,), applies=(question,))]
        asked, shown = counter.counter.count(queries).sum(axis=1).tolist()
        return asked, shown
    counts = counter.counter.count([Query(asked=(question,))])
    return sum(counter.n), int(counts.sum())


def _certainly_fulfilled_and_violated(
    design: Design, rule: ShowIfRule, people: CoherentShares
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Returns two masks of patterns of items: patterns that certainly fulfil this rule, and patterns that certainly
    violate it."""
    question = design.questions[rule.place]
    others = set(range(question.codes)) - rule.codes
    allowed, left_out = _has_answer(people, rule.place, rule.codes), _has_answer(people, rule.place, others)
    followed = _item_codes(people, rule.place)
    if rule.codes <= followed:
        left_out = ~allowed
    elif others <= followed and not question.show_if:
        allowed = ~left_out
    return allowed, left_out


def _item_codes(people: CoherentShares, question: int) -> set[int]:
    """Returns the codes of this question that are items of `people`."""
    return {code for index, code in people.items if index == question}


def _has_answer(people: CoherentShares, question: int, codes: Set[int] | None = None) -> NDArray[np.bool_]:
    """Returns True for patterns with one of these answers to the question; `codes` None: with any answer."""
    columns = [
        column
        for column, (index, code) in enumerate(people.items)
        if index == question and (codes is None or code in codes)
    ]
    return np.asarray(people.patterns[:, columns].any(axis=1))


def reduce_design(design: Design, questions: set[int]) -> tuple[Design, dict[int, int]]:
    """Returns the design with these questions alone (sections that rotate are kept whole), and the new index of each
    question.

    A show-if rule stays even if the question that it looks at is left out (`LEFT_OUT`), since it still hides its own
    question from some people.
    """
    sections: list[Section] = []
    index: dict[int, int] = {}

    def renumbered_rules(question: Question) -> tuple[ShowIfRule, ...]:
        return tuple(replace(rule, place=index.get(rule.place, LEFT_OUT)) for rule in question.show_if)

    first = 0
    for section in design.sections:
        mine = range(first, first + len(section.questions))
        first = mine.stop
        if not questions.intersection(mine):
            continue
        chosen = [at - mine.start for at in mine if section.rotates or at in questions]
        index |= {mine.start + at: len(index) + order for order, at in enumerate(chosen)}
        sections.append(
            section.with_questions({at: renumbered_rules(section.questions[at]) for at in chosen})
        )
    # Quotas name questions that may be left out.
    return replace(design, sections=tuple(sections), quotas=()), index


def _side_items(numbering: Numbering, sides: Sides) -> ItemSides:
    antecedent, consequent = sides
    return tuple(map(numbering.item, antecedent)), tuple(map(numbering.item, consequent))


def _renumber_sides(sides: ItemSides, index: dict[int, int]) -> ItemSides:
    antecedent, consequent = (tuple((index[question], code) for question, code in side) for side in sides)
    return antecedent, consequent
