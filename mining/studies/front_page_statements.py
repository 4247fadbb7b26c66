"""Lists the statements that can stand on the front page of a report, by family, and the statements that a plan names.

A statement is one comparison that may be published, estimated or not. A statement that a plan names shows the result of
the plan, and counts in no family (docs/mathematics.md, The front of a report).
"""

from collections.abc import Iterable, Mapping
from functools import cached_property

import numpy as np

from mining.disclosure.verdict import Verdict
from mining.inference.selection_correction import (
    ARMS,
    CHANGES,
    GROUPS,
    UNDERSTANDING,
    FamilyCriticalZ,
    RulePairCorrection,
    critical_z,
    front_page_p_limit,
    plan_critical_z,
)
from mining.queries_and_counters import Item, item_name
from mining.reconstruction import CachedCounter
from mining.reconstruction.shares_by_group import plain_questions, reported_sensitive_answers
from mining.studies.direct_disguised_arm_comparison import compared_answers
from mining.studies.hypothesis_tests import may_be_published
from mining.studies.model_request_and_columns import parse_item
from mining.studies.understanding_check import understanding_answers
from privacy.designs import Design
from privacy.designs.hypothesis_plan import (
    ArmsHypothesis,
    AssociationHypothesis,
    ChangeHypothesis,
    Hypothesis,
    Plan,
)
from privacy.designs.repeated_questions import reported_changes

LEAST_CLASSES = 2
"""Least number of classes that are compared."""


def arm_hypothesis_names(hypotheses: Iterable[Hypothesis]) -> Mapping[str, str]:
    """Returns, for each sensitive answer that a hypothesis compares between the arms, the name of the hypothesis."""
    return {one.item: one.name for one in hypotheses if isinstance(one, ArmsHypothesis)}


def group_hypothesis_names(hypotheses: Iterable[Hypothesis], design: Design) -> Mapping[tuple[str, str], str]:
    """Returns, for each pair of a sensitive answer and a plain question, the name of the hypothesis that they are
    associated, if a plan has one.

    Such a hypothesis says that the answer and one answer of the plain question are not independent.
    """
    plain = {
        question.name
        for section in design.sections
        if not section.sensitive
        for question in section.questions
    }
    cells = {}
    for hypothesis in hypotheses:
        if isinstance(hypothesis, AssociationHypothesis):
            named = [(item.partition("=")[0] in plain, item) for item in hypothesis.items]
            if sorted(is_plain for is_plain, _item in named) == [False, True]:
                (_sensitive, answer), (_plain, of_class) = sorted(named)
                cells[answer, of_class.partition("=")[0]] = hypothesis.name
    return cells


def count_changes(design: Design, earlier: Design | None, plan: Plan | None) -> int:
    """Returns the number of answers whose change since the earlier survey a report can tell, except those that the plan
    names.

    It depends on the designs alone. `earlier` is the design that this one follows; both as mining uses them.
    """
    planned = {one.item for one in plan.hypotheses if isinstance(one, ChangeHypothesis)} if plan else set()
    changes = reported_changes(earlier, design) if earlier else []
    return sum(item_name(design, item) not in planned for _before, item in changes)


class Statements:
    """The statements about a survey that may be published, by family, and the critical z of their intervals.

    A family is a kind of comparison: of groups, of arms, by understanding, with the survey that this one follows, or
    pairs of answers (rules). All `changes` count, since whether one may be told depends on the reader.
    `is_one_list`: larger itemsets are of the pairs' family, as in reports of an earlier version.
    """

    def __init__(
        self,
        known: CachedCounter,
        plan: Plan | None,
        verdict: Verdict,
        *,
        changes: int = 0,
        is_one_list: bool = False,
    ) -> None:
        self.changes, self.is_one_list = changes, is_one_list
        self.known, self.verdict, self.design = known, verdict, known.design
        self.hypotheses = len(plan.hypotheses) if plan else 0
        told = [one for one in plan.hypotheses if may_be_published(one, self.design, verdict)] if plan else []
        self.associations = [one for one in told if isinstance(one, AssociationHypothesis)]
        self.planned_arms = arm_hypothesis_names(told)
        self.planned_groups = group_hypothesis_names(told, self.design)

    @cached_property
    def arm_answers(self) -> list[Item]:
        is_compared = self.design.has_arms and self.known.whole.n[0]
        return compared_answers(self.known, self.verdict) if is_compared else []

    @cached_property
    def answers_by_understanding(self) -> list[Item]:
        check = self.design.understanding_index
        return understanding_answers(self.known, check, self.verdict) if check is not None else []

    @cached_property
    def answer_and_question_pairs(self) -> list[tuple[Item, int]]:
        """Pairs of a sensitive answer and a plain question of which at least two classes may be published with the
        answer.

        The check of understanding is left out, since it is a family of its own.
        """
        questions = self.design.questions
        return [
            (answer, by)
            for by in plain_questions(self.known)
            if by != self.design.understanding_index
            for answer in reported_sensitive_answers(self.known)
            if not questions[answer[0]].scored
            and self._count_publishable_classes(answer, by) >= LEAST_CLASSES
        ]

    def _count_publishable_classes(self, answer: Item, by: int) -> int:
        codes = range(self.design.questions[by].codes)
        return sum(self.verdict.allows([(by, code), answer]) for code in codes)

    @cached_property
    def count_by_family(self) -> Mapping[str, int]:
        """Number of statements of each family: groups, arms, understanding and changes (pairs are counted by the
        search)."""
        cells = [
            (item_name(self.design, item), self.design.questions[by].name)
            for item, by in self.answer_and_question_pairs
        ]
        arms = [item_name(self.design, item) for item in self.arm_answers]
        return {
            GROUPS: sum(cell not in self.planned_groups for cell in cells),
            ARMS: sum(item not in self.planned_arms for item in arms),
            UNDERSTANDING: len(self.answers_by_understanding),
            **({CHANGES: self.changes} if self.changes else {}),
        }

    def pairs(self) -> RulePairCorrection:
        """Returns what the critical z of the intervals of rule pairs depends on: the number of other families, and the
        splits that the plan names."""

        def side_item_numbers(side: tuple[str, ...]) -> frozenset[int]:
            return frozenset(
                self.known.numbering.number(parse_item(self.design, written, "item")) for written in side
            )

        planned = frozenset(
            frozenset((side_item_numbers(hypothesis.antecedent), side_item_numbers(hypothesis.consequent)))
            for hypothesis in self.associations
        )
        return RulePairCorrection(
            sum(many > 0 for many in self.count_by_family.values()),
            planned,
            self.hypotheses,
            self.is_one_list,
        )

    def arm_critical_z(self, statements: Mapping[str, int]) -> FamilyCriticalZ:
        """Returns the critical z of the intervals in comparisons of arms; `statements` has the number of statements by
        family."""
        names = [item_name(self.design, item) for item in self.arm_answers]
        return self._family_critical_z(
            [name in self.planned_arms for name in names], front_page_p_limit(statements, ARMS)
        )

    def understanding_critical_z(self, statements: Mapping[str, int]) -> FamilyCriticalZ:
        return self._family_critical_z(
            [False] * len(self.answers_by_understanding), front_page_p_limit(statements, UNDERSTANDING)
        )

    def _family_critical_z(self, is_planned: list[bool], part: float) -> FamilyCriticalZ:
        return FamilyCriticalZ(
            np.array(is_planned, np.bool_),
            plan_critical_z(self.hypotheses),
            critical_z(part) if part else np.inf,
        )
