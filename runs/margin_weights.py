"""Margins of a survey (known shares of the population), and the weighting of shares to them.

Only the single sensitive answers of a run are weighted, in one pass over its batches.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import datetime
from io import BytesIO
from typing import TYPE_CHECKING

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _, gettext_noop

from accounts.activity_log import log_activity
from jobs.progress_messages import Message, Progress
from mining.disclosure.verdict import Verdict
from mining.nodes.report_nodes import Weighted, WeightedShare
from mining.queries_and_counters import Item, item_name
from mining.studies.answer_counts_by_plain_pattern import PatternCounts
from mining.studies.population_margins_csv import PopulationMargin, read_margins
from mining.studies.population_weights import SAID, margin_questions, pattern_margin_cells, weighted_answer
from privacy.designs import Design, InputError
from privacy.records.batch_bit_columns import Columns
from runs.models import Margins, Run
from runs.run_records import RunRecords
from surveys.models import Survey
from surveys.questionnaire.problems_and_refusals import NotAllowed

if TYPE_CHECKING:
    from accounts.models import Person


def weighted_shares(
    run: Run, verdict: Verdict, answered: Collection[str], progress: Progress
) -> Weighted | None:
    """Returns the weighted shares of the sensitive answers of a run; `answered`: answers that have a share.

    None if nothing may be disclosed: exact weighted shares reveal each count in the table of the margins' questions.
    Plain answers are not weighted, since their shares together with the margins would reveal small counts. Raises
    `InputError`, with numbers of records, if the records cannot be weighted to the margins.
    """
    assert run.margins
    design = run.mined_design
    margins = read_stored_margins(run.margins, design)
    questions = margin_questions(margins)
    items = [
        item
        for item in unscored_sensitive_items(design)
        if item_name(design, item) in answered and verdict.allows_full_table([item[0], *questions])
    ]
    if not items:
        return None
    counted = _count_patterns(run, design, margins, items, progress)
    cells = pattern_margin_cells(margins, design)
    answers = [(item_name(design, counts.item), weighted_answer(counts, cells)) for counts in counted]
    shares = [
        WeightedShare(name, answer.share, answer.se, answer.low, answer.high, answer.largest > SAID)
        for name, answer in answers
        if answer is not None
    ]
    names = tuple(design.questions[index].name for index in questions)
    return Weighted(run.margins.name, tuple(shares), names)


def read_stored_margins(row: Margins, design: Design) -> tuple[PopulationMargin, ...]:
    return read_margins(BytesIO(row.csv.encode()), row.name, design)


def _count_patterns(
    run: Run,
    design: Design,
    margins: tuple[PopulationMargin, ...],
    items: list[Item],
    progress: Progress,
) -> list[PatternCounts]:
    questions = margin_questions(margins)

    def sum_pattern_counts(parts: Iterator[Columns]) -> list[PatternCounts]:
        counts = [PatternCounts.zeros(design, item, questions) for item in items]
        for part in parts:
            counts = [
                patterns + PatternCounts.count_records(design, [part], patterns.item, questions)
                for patterns in counts
            ]
        return counts

    def report_read_share(share: float) -> None:
        progress(share, gettext_noop("The shares are weighted"))

    return RunRecords(run, report_read_share).compute_in_one_pass(sum_pattern_counts)


def unscored_sensitive_items(design: Design) -> list[Item]:
    sections = [section for section in design.sections for _question in section.questions]
    return [
        (index, code)
        for index, (section, question) in enumerate(zip(sections, design.questions, strict=True))
        if section.sensitive and not question.scored
        for code in range(question.codes)
    ]


def refusal_message(refusal: InputError) -> Message:
    """Converts a refusal to a message that a row stores and a page translates."""
    values: dict[str, str | int | float] = {
        name: value if isinstance(value, int) else str(value) for name, value in refusal.values.items()
    }
    return Message(refusal.template, values)


MOST_BYTES = 1_000_000
BETWEEN = " × "


def store_margins(
    survey: Survey, person: "Person", name: str, content: BytesIO, file_name: str, now: datetime
) -> Margins:
    """Stores an uploaded file of margins; raises `InputError` with the line of a fault, NotAllowed if the name is
    taken."""
    assert survey.design
    read_margins(content, file_name, survey.design.content.mined)
    text = content.getvalue().decode("utf-8-sig")
    try:
        with transaction.atomic():
            stored = Margins.objects.create(survey=survey, name=name, csv=text)
            log_activity(person, "mining.margins", survey, note=name, when=now)
    except IntegrityError:
        raise NotAllowed(_("This survey has weights of that name already. Choose another name.")) from None
    return stored


@dataclass(frozen=True)
class ListedMargins:
    """The margins of one file as a list shows them; `questions`: question names of each margin, such as `age × sex`."""

    name: str
    questions: tuple[str, ...]


@dataclass(frozen=True)
class MarginColumn:
    """A question that can have a margin: its column in a file, and its choices with their labels."""

    name: str
    text: str
    choices: tuple[tuple[str, str], ...]


def margin_columns(survey: Survey, language: str) -> list[MarginColumn]:
    """Returns the possible columns of a file of margins: plain questions that everybody was shown."""
    assert survey.design
    sections = survey.design.content.mined.sections
    plain = [question for section in sections if not section.sensitive for question in section.questions]
    return [
        MarginColumn(
            question.name,
            question.text.in_language_or_first(language),
            tuple((choice.name, choice.label.in_language_or_first(language)) for choice in question.choices),
        )
        for question in plain
        if question.choices and not question.show_if
    ]


def list_margins(survey: Survey) -> list[ListedMargins]:
    assert survey.design
    design = survey.design.content.mined
    return [
        ListedMargins(
            row.name,
            tuple(
                BETWEEN.join(design.questions[index].name for index in questions)
                for questions, _shares in read_stored_margins(row, design)
            ),
        )
        for row in survey.margins.order_by("pk")
    ]
