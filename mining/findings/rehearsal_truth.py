"""Adds the true shares of a rehearsal's simulated respondents to the estimates of its report."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from mining.finite_numbers_for_json import finite_or_none
from mining.itemsets.answer_names import AnswerNames
from mining.nodes.report_nodes import Estimate, GroupTable, Rule
from mining.studies.comparison_with_truth import RehearsalTruth

TrueShare = Callable[..., float | None]
"""Function with the arguments of `KnownShares.__call__`; returns a true share."""


@dataclass(frozen=True)
class KnownShares:
    """Callable that returns the true share of people who have all named answers; None if the truth is not known (only
    rehearsals know it)."""

    names: AnswerNames
    known: RehearsalTruth | None

    def __call__(
        self, names: Sequence[str], given: Sequence[str] = (), *, disguised_only: bool, shown: bool = False
    ) -> float | None:
        """Returns the true share of people with all answers `names` among those with all answers `given`.

        `disguised_only`: among people who chose disguise. `shown`: among those shown the questions of `names`.
        """
        if self.known is None:
            return None
        items, condition = (tuple(map(self.names.item, some)) for some in (names, given))
        return finite_or_none(
            self.known.for_population(disguised_only=disguised_only).share(items, condition, shown=shown)
        )


def add_truth_to_answer(answer: Estimate, names: AnswerNames, true: TrueShare) -> Estimate:
    """Returns a published answer with its true share and, if a rule may hide its question, the true share among people
    shown it."""
    if answer.n_asked is None:
        return answer
    alone = answer.disguised_only
    shown = names.may_be_hidden(answer.items)
    return replace(
        answer,
        truth=true(answer.items, disguised_only=alone),
        truth_shown=true(answer.items, disguised_only=alone, shown=True) if shown else None,
    )


def add_truth_to_rule(rule: Rule, true: TrueShare) -> Rule:
    """Returns the rule with the true confidence of it and of its converse."""
    alone = rule.disguised_only
    return replace(
        rule,
        truth=true(rule.items, rule.antecedent, disguised_only=alone, shown=True),
        truth_converse=true(rule.items, rule.consequent, disguised_only=alone, shown=True),
    )


def add_truth_to_groups(table: GroupTable, names: AnswerNames, true: TrueShare) -> GroupTable:
    """Returns the table of shares by group with the true share in each published class."""
    alone = table.disguised_only
    rows = []
    for row in table.rows:
        hidden = names.may_be_hidden([row.item])
        cells = tuple(
            replace(
                cell,
                truth=true((class_item, row.item), (class_item,), disguised_only=alone),
                truth_shown=true((class_item, row.item), (class_item,), disguised_only=alone, shown=True)
                if hidden
                else None,
            )
            if cell.n_asked is not None
            else cell
            for class_item, cell in zip(table.classes, row.cells, strict=True)
        )
        rows.append(replace(row, cells=cells))
    return replace(table, rows=tuple(rows))
