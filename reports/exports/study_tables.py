"""Builds the tables of a study for files: plan, arms, check of understanding, control items, changes."""

from collections.abc import Iterator
from dataclasses import fields

from mining.nodes.study_nodes import (
    ArmDifference,
    Arms,
    Completion,
    Controls,
    Correction,
    HypothesisResult,
    PlanResult,
    Study,
    Understanding,
    UnderstandingDifference,
    UnderstandingShare,
    WaveDifference,
    WordTest,
)
from reports.export_table import JOINED, AnswersToText, ExportTable, node_table

TRUTH_OF_ARMS = ("truth_direct", "truth_disguised", "truth")
"""Columns that only files of rehearsals have."""
SEEN = ("item", "known", "seen", "low", "high", "p", "careless")


def study_tables(study: Study, answers_to_text: AnswersToText) -> list[ExportTable]:
    """Returns the tables of the study, its plan first; tables that are withheld are left out."""
    made: list[ExportTable] = []
    if study.plan:
        made.append(plan_table(study.plan))
    if study.arms:
        made += arms_tables(study.arms, answers_to_text)
    if study.understanding:
        made += understanding_tables(study.understanding, answers_to_text)
    if study.controls:
        made += controls_tables(study.controls, answers_to_text)
    if study.waves:
        made.append(node_table(WaveDifference, "waves", study.waves.items, answers_to_text))
    return made


def plan_table(result: PlanResult) -> ExportTable:
    names = [field.name for field in fields(HypothesisResult) if field.name != "reason"]
    rows = [
        tuple(
            JOINED.join(value) if isinstance(value := getattr(one, name), tuple) else value for name in names
        )
        for one in result.hypotheses
    ]
    return ExportTable("plan", tuple(names), tuple(rows))


def arms_tables(arms: Arms, answers_to_text: AnswersToText) -> Iterator[ExportTable]:
    left = [field.name for field in fields(Completion)]
    row = (arms.direct, arms.disguised, arms.share, *(getattr(arms.completion, name) for name in left))
    yield ExportTable("who_left", ("direct", "disguised", "share", *left), (row,))
    apart = ("item", "bounds", *TRUTH_OF_ARMS)
    names = [field.name for field in fields(ArmDifference) if field.name not in apart]
    rows = [
        (
            *(one.item, answers_to_text((one.item,)), is_control),
            *(getattr(one, name) for name in names),
            *one.bounds,
            *(getattr(one, name) for name in TRUTH_OF_ARMS),
        )
        for is_control, several in ((False, arms.items), (True, arms.controls))
        for one in several
    ]
    columns = ("item", "item_in_words", "control", *names, "bound_low", "bound_high", *TRUTH_OF_ARMS)
    yield ExportTable("arms", columns, tuple(rows))


def understanding_tables(
    understanding: Understanding, answers_to_text: AnswersToText
) -> Iterator[ExportTable]:
    """Yields the tables of the check of understanding; an empty cell of `question` stands for all disguised records."""
    names = [field.name for field in fields(UnderstandingShare)]
    rows = (
        (counts.question, counts.n, *(getattr(share, name) for name in names))
        for counts in understanding.counts
        for share in counts.shares
    )
    yield ExportTable("understanding", ("question", "n", *names), tuple(rows))
    yield node_table(
        UnderstandingDifference, "understanding_differences", understanding.items, answers_to_text
    )


def controls_tables(controls: Controls, answers_to_text: AnswersToText) -> Iterator[ExportTable]:
    if controls.item and not controls.withheld:
        row = [getattr(controls, name) for name in SEEN]
        yield ExportTable("control_item", SEEN, (tuple(row),))
        yield node_table(Correction, "corrected_shares", controls.items, answers_to_text)
    if controls.words:
        yield node_table(WordTest, "crosswise_words", controls.words, answers_to_text)
    if controls.drawn:
        rows = [
            (one.question, choice, n, one.p) for one in controls.drawn for choice, n in one.records.items()
        ]
        yield ExportTable("drawn_versions", ("question", "choice", "records", "p"), tuple(rows))
