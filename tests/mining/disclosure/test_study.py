"""What a verdict leaves of a study: everything, or nothing that a few people could be told from."""

import json
from collections.abc import Collection, Iterable
from dataclasses import dataclass, fields, replace
from typing import Any, TypeVar, cast

from mining.disclosure.study import withhold_study, withhold_weighted
from mining.document.codec import dump, load
from mining.document.names import Names
from mining.document.report import Weighted, WeightedShare
from mining.document.study import (
    ArmDifference,
    Arms,
    Completion,
    Controls,
    Correction,
    DrawTest,
    HypothesisResult,
    PlanResult,
    Study,
    WordTest,
)
from privacy.designs import parse
from tests.privacy.questionnaires import HALF, crosswise, drawn, plain, written

T = TypeVar("T")
MARK = 0.123456
DESIGN = parse(
    json.dumps(
        written(
            plain(
                {"name": "age", "choices": ["young", "old"]},
                {"name": "moon", "choices": ["no", "yes"], "known": "0.0000"},
                drawn("version", *HALF),
            ),
            crosswise("theft", "0.25", turned_by="version"),
            open_answers=False,
        )
    )
)
NAMES = Names(DESIGN.mined)


@dataclass(frozen=True)
class Told:
    """`small`: answers of which no number may be told."""

    small: Collection[str] = ()
    open_questions: frozenset[int] = frozenset(range(4))
    naming: Names = NAMES

    def allows(self, names: tuple[str, ...]) -> bool:
        return not set(names) & set(self.small)

    def allows_tables_of(self, questions: Iterable[int]) -> bool:
        return all(
            self.allows(tuple(self.naming.choices(DESIGN.questions[place].name))) for place in questions
        )

    def counts_cells(self, name: str) -> bool:
        return False

    def is_plain(self, name: str) -> bool:
        return not name.startswith("theft")


def marked(kind: type[T], **members: Any) -> T:
    """A node whose other members all are the mark."""
    names = [field.name for field in fields(cast("Any", kind))]
    return load(kind, dict.fromkeys(names, MARK) | members)


def difference(item: str) -> ArmDifference:
    return marked(ArmDifference, item=item, bounds=(MARK, MARK))


STUDY = Study(
    Arms(
        500, 500, 0.5, Completion(1.0, 0.9, 1.1, 0.5), (difference("theft=yes"),), (difference("moon=yes"),)
    ),
    replace(
        marked(
            Controls, item="moon=yes", known=0.0, items=(), words=(), drawn=(), too_few=False, withheld=False
        ),
        items=(marked(Correction, item="theft=yes"),),
        words=(marked(WordTest, item="theft=yes"),),
        drawn=(DrawTest("version", {"a": 123456}, MARK),),
    ),
    PlanResult(
        "ab" * 32,
        {"salt": "MARK"},
        (
            HypothesisResult("many steal", "share", "theft=yes", estimate=MARK, p=MARK, holm=MARK),
            HypothesisResult("more in disguise", "arms", "theft=yes", estimate=MARK, p=MARK),
            HypothesisResult("by version", "version", "theft=yes", by="version", estimate=MARK, p=MARK),
            HypothesisResult(
                "old ones",
                "coefficient",
                "theft=yes",
                model="linear",
                covariates=("age*arm",),
                of="age=old",
                estimate=MARK,
                p=MARK,
            ),
        ),
    ),
)


def test_where_all_may_be_told_all_is_published() -> None:
    assert withhold_study(STUDY, Told()) == STUDY


def test_where_nothing_may_be_told_no_number_is_left() -> None:
    left = withhold_study(STUDY, Told(NAMES.names))
    written = json.dumps(dump(left))
    assert "MARK" not in written
    assert "123456" not in written
    assert "theft" not in written
    assert left.controls
    assert left.plan
    assert (left.controls.withheld, left.plan.withheld) == (True, True)
    assert left.plan.sha256 == "ab" * 32


def test_a_small_version_withholds_what_compares_versions_and_the_whole_plan() -> None:
    left = withhold_study(STUDY, Told(["version=b"]))
    assert left.controls
    assert (left.controls.words, left.controls.drawn) == ((), ())
    assert left.controls.items
    assert left.arms == STUDY.arms
    assert left.plan == PlanResult("ab" * 32, withheld=True)


def test_a_coefficient_by_arm_is_told_only_where_its_answer_is_compared_between_the_arms() -> None:
    assert STUDY.plan
    assert STUDY.arms
    alone = replace(STUDY, plan=replace(STUDY.plan, hypotheses=STUDY.plan.hypotheses[3:]))
    assert withhold_study(alone, Told()).plan == alone.plan
    uncompared = replace(alone, arms=replace(STUDY.arms, items=()))
    kept = withhold_study(uncompared, Told()).plan
    assert kept
    assert kept.withheld


def test_a_plain_control_item_is_compared_where_its_direct_answers_may_be_told() -> None:
    arms = withhold_study(STUDY, Told(open_questions=frozenset())).arms
    assert arms
    assert arms.controls == ()
    assert [one.item for one in arms.items] == ["theft=yes"]


WEIGHTED = Weighted("Census", (WeightedShare("theft=yes", 0.1, 0.01, 0.08, 0.12, is_large=False),))


def test_weighted_shares_are_told_where_no_class_of_the_margins_is_small() -> None:
    assert withhold_weighted(WEIGHTED, ["theft=yes"], [0], Told()) == WEIGHTED
    assert withhold_weighted(WEIGHTED, ["theft=yes"], [0], Told(["age=old"])) is None


def test_a_weighted_share_is_told_only_beside_the_share() -> None:
    assert withhold_weighted(WEIGHTED, ["moon=yes"], [0], Told()) == Weighted("Census", ())
