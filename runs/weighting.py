"""Weighted shares of the single sensitive answers of a run with margins, counted in one pass over its batches."""

from io import BytesIO
from typing import Any

from django.utils.translation import gettext_noop

from intake.disclosure import records
from jobs.message import JobFailed, Progress
from mining.counts import Item, Numbering
from mining.finite_numbers import finite
from mining.studies.margins import PopulationMargin, read_margins
from mining.studies.pattern_counts import PatternCounts
from mining.study_results.weights import cells_of, margin_questions, weighted_answer
from privacy.designs import Design, Refusal
from runs.models import Margins, Run

Weighted = dict[str, Any]
"""`margins` is their name; `shares`: of each answer with one `item`, `share`, `se`, `low`, `high` and `is_large`."""


def weighted(run: Run, progress: Progress) -> Weighted:
    """Plain answers are not weighted: with the margins their shares would tell small counts."""
    assert run.margins
    design, numbering = run.mined, Numbering(run.mined)
    try:
        margins = margins_of(run.margins, design)
        counted = _counted(run, design, margins, progress)
        cells = cells_of(margins, design)
        found = [(counts.item, weighted_answer(counts, cells)) for counts in counted]
    except Refusal as refusal:
        raise refused_job(refusal) from None
    shares = [
        {
            "item": numbering.number(item),
            **{name: finite(getattr(one.found, name)) for name in ("share", "se", "low", "high")},
            "is_large": one.is_large,
        }
        for item, one in found
        if one is not None
    ]
    return {"margins": run.margins.name, "shares": shares}


def margins_of(row: Margins, design: Design) -> tuple[PopulationMargin, ...]:
    return read_margins(BytesIO(row.csv.encode()), row.name, design)


def _counted(
    run: Run, design: Design, margins: tuple[PopulationMargin, ...], progress: Progress
) -> list[PatternCounts]:
    questions = margin_questions(margins)
    found = [PatternCounts.nothing(design, item, questions) for item in sensitive_items(design)]
    done = 0
    for batch in records.read(run.survey, run.through, run.population):
        progress(done / max(run.records, 1), gettext_noop("The shares are weighted"))
        parts = [batch.columns]
        found = [of + PatternCounts.of(design, parts, of.item, questions) for of in found]
        done += batch.columns.n
    return found


def sensitive_items(design: Design) -> list[Item]:
    sections = [section for section in design.sections for _question in section.questions]
    return [
        (place, code)
        for place, (section, question) in enumerate(zip(sections, design.questions, strict=True))
        if section.sensitive and not question.scored
        for code in range(question.codes)
    ]


def refused_job(refusal: Refusal) -> JobFailed:
    """The failure of a job with the reason, which a page translates."""
    values = {name: value if isinstance(value, int) else str(value) for name, value in refusal.values.items()}
    return JobFailed(refusal.template, **values)
