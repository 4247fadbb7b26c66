"""Weighted shares of the single sensitive answers of a run with margins, counted in one pass over its batches."""

from collections.abc import Collection, Iterator
from io import BytesIO

from django.utils.translation import gettext_noop

from jobs.message import JobFailed, Progress
from mining.counts import Item, item_name
from mining.disclosure.verdict import Verdict
from mining.document.report import Weighted, WeightedShare
from mining.studies.margins import PopulationMargin, read_margins
from mining.studies.pattern_counts import PatternCounts
from mining.studies.weights import SAID, cells_of, margin_questions, weighted_answer
from privacy.designs import Design, InputError
from privacy.records.columns import Columns
from runs.models import Margins, Run
from runs.reading import RunRecords


def weighted(run: Run, verdict: Verdict, answered: Collection[str], progress: Progress) -> Weighted | None:
    """None where the margins let nothing be told: exact weighted shares tell each count of the table of their
    questions. `answered`: those with a share. Plain answers are not weighted: with the margins their shares would tell
    small counts.
    """
    assert run.margins
    design = run.mined
    try:
        margins = margins_of(run.margins, design)
        questions = margin_questions(margins)
        items = [
            item
            for item in sensitive_items(design)
            if item_name(design, item) in answered and verdict.allows_tables_of([item[0], *questions])
        ]
        if not items:
            return None
        counted = _counted(run, design, margins, items, progress)
        cells = cells_of(margins, design)
        answers = [(item_name(design, counts.item), weighted_answer(counts, cells)) for counts in counted]
    except InputError as refusal:
        raise refused_job(refusal) from None
    shares = [
        WeightedShare(name, one.share, one.se, one.low, one.high, one.largest > SAID)
        for name, one in answers
        if one is not None
    ]
    return Weighted(run.margins.name, tuple(shares))


def margins_of(row: Margins, design: Design) -> tuple[PopulationMargin, ...]:
    return read_margins(BytesIO(row.csv.encode()), row.name, design)


def _counted(
    run: Run,
    design: Design,
    margins: tuple[PopulationMargin, ...],
    items: list[Item],
    progress: Progress,
) -> list[PatternCounts]:
    questions = margin_questions(margins)

    def add_up(parts: Iterator[Columns]) -> list[PatternCounts]:
        counts = [PatternCounts.nothing(design, item, questions) for item in items]
        for part in parts:
            counts = [
                patterns + PatternCounts.of(design, [part], patterns.item, questions) for patterns in counts
            ]
        return counts

    def watch(share: float) -> None:
        progress(share, gettext_noop("The shares are weighted"))

    return RunRecords(run, watch).compute(add_up)


def sensitive_items(design: Design) -> list[Item]:
    sections = [section for section in design.sections for _question in section.questions]
    return [
        (index, code)
        for index, (section, question) in enumerate(zip(sections, design.questions, strict=True))
        if section.sensitive and not question.scored
        for code in range(question.codes)
    ]


def refused_job(refusal: InputError) -> JobFailed:
    """The failure of a job with the reason, which a page translates."""
    values = {name: value if isinstance(value, int) else str(value) for name, value in refusal.values.items()}
    return JobFailed(refusal.template, **values)
