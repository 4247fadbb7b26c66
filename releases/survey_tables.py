"""Tables of surveys for releases: the plain answers of the disguised records, or all of their answers."""

import io
from collections.abc import Collection, Sequence
from datetime import datetime
from itertools import cycle, islice
from typing import TYPE_CHECKING

from django.db import transaction
from django.utils.translation import gettext as _

from accounts.activity_log import log_activity
from intake.batches import sealing
from intake.disclosure.canonical_order import DisguisedRecords, Places, plain_question_indexes
from privacy.anonymity.tables.hierarchies import UP_TO
from privacy.anonymity.tables.specification import QuasiKind, Specification
from privacy.anonymity.tables.table import read_table
from privacy.designs import Design, Question
from privacy.designs.formula_escape import escape_formula
from privacy.grammar.input_error import InputError
from privacy.kinds.place.law import ELSEWHERE
from privacy.kinds.place.section import PlaceQuestion
from privacy.records.csv_writer import csv_writer
from releases.models import Release, Source
from releases.specification.specification_proposal import (
    MOST_QUASI,
    Json,
    propose_quasi_identifier,
    specification_with_usual_criteria,
)
from releases.specification.table_profile import ColumnProfile
from surveys.models import Survey
from surveys.questionnaire.problems_and_refusals import NotAllowed, reason_text

if TYPE_CHECKING:
    from accounts.models import Person

NOT_ASKED, NOT_APPLICABLE = "not asked", "not applicable"
LEAST_K = 10
"""Smallest k of a survey's release: no plain cell below ten is ever published (docs/promises.md)."""


def create_survey_release(
    survey: Survey, person: "Person", *, with_sensitive: bool, now: datetime
) -> Release:
    """Creates a draft release of the disguised records that are sealed now."""
    if not survey.may(person, "run"):
        raise NotAllowed(_("Only the owner and the editors of a survey can release its answers."))
    with transaction.atomic():
        # Locked until the source is stored, which pins its last batch: no merge may reach across it.
        locked = Survey.objects.get_locked_while_records_arrive(survey.pk)
        if why := reason_not_to_release(locked, with_sensitive):
            raise NotAllowed(why)
        source = Source.objects.create(
            owner=person,
            survey=locked,
            through=sealing.last_batch_number(survey.pk),
            with_sensitive=with_sensitive,
            created=now,
        )
        text = propose_survey_specification(source)
        release = Release.objects.create(source=source, specification=text, since=now, by=person)
        log_activity(person, "releases.started", locked, note=str(release), when=now)
    return release


def reason_not_to_release(survey: Survey, with_sensitive: bool) -> str:
    """Returns why no release of this survey can be started, and what to do about it; empty if one can."""
    if survey.state == Survey.State.DESTROYED:
        return _("The answers of this survey have been deleted.")
    if survey.design is None or not sealing.last_batch_number(survey.pk):
        return _("No answers are sealed yet, and only sealed ones can be released. Wait for the first batch.")
    design = survey.design.content
    if not with_sensitive and not plain_question_indexes(design):
        return _(
            "All questions of this survey are sensitive, and only answers that are not disguised "
            "can be released."
        )
    return ""


def column_question_indexes(design: Design, with_sensitive: bool) -> tuple[int, ...]:
    """Returns the indexes of the questions that become columns of the table: all with `with_sensitive`, else the plain
    ones."""
    return tuple(range(len(design.questions))) if with_sensitive else plain_question_indexes(design)


def code_texts(question: Question) -> tuple[str, ...]:
    """Returns the text of each answer code of a question: the choices, then "not asked" and "not applicable"."""
    names = question.code_names
    return (*names, *(f"({word})" if word in names else word for word in (NOT_ASKED, NOT_APPLICABLE)))


def possible_values(design: Design, index: int) -> tuple[str, ...]:
    """Returns the texts that can stand in the column of a question."""
    question, texts = design.questions[index], code_texts(design.questions[index])
    rotates = any(section.rotates and question in section.questions for section in design.sections)
    return (
        *texts[: question.codes],
        *texts[question.not_asked : question.not_applicable] * rotates,
        *texts[question.not_applicable :] * bool(question.show_if),
    )


def survey_column_profiles(source: Source) -> tuple[ColumnProfile, ...]:
    """Returns the columns' profiles from the design alone, since counts would be unpublished results."""
    assert source.survey
    assert source.survey.design
    design = source.survey.design.content
    return tuple(
        _question_profile(design, index) for index in column_question_indexes(design, source.with_sensitive)
    )


def _question_profile(design: Design, index: int) -> ColumnProfile:
    question, values = design.questions[index], possible_values(design, index)
    # A run of ordered values is shown with this sign between its ends.
    ordered = question.form == "scale" and not any(UP_TO in value for value in values)
    kind = QuasiKind.ORDERED if ordered else QuasiKind.CATEGORY
    return ColumnProfile(question.name, kind, len(values), 0, tuple((value, None) for value in values))


def propose_survey_specification(source: Source) -> str:
    """Returns the proposed specification: plain answers and places become quasi-identifiers, disguised answers other
    columns.

    If there are too many quasi-identifiers, the first questions are taken.
    """
    assert source.survey
    assert source.survey.design
    design = source.survey.design.content
    quasi: list[Json] = []
    disguised = []
    for index in column_question_indexes(design, source.with_sensitive):
        question = design.questions[index]
        if isinstance(question, PlaceQuestion):
            regions = _place_hierarchy(question, possible_values(design, index))
            quasi.append({"name": question.name, "kind": "category", "hierarchy": regions})
        elif index in plain_question_indexes(design):
            quasi.append(propose_quasi_identifier(_question_profile(design, index)))
        else:
            disguised.append(question.name)
    other = {"other": disguised} if disguised else {}
    return specification_with_usual_criteria({"quasi_identifiers": quasi[:MOST_QUASI], **other})


def _place_hierarchy(question: PlaceQuestion, values: tuple[str, ...]) -> dict[str, list[str]]:
    """Returns the cells of a place question by region, and all other values in a group of their own."""
    regions = {
        region.name: [question.cells[cell].name for cell in region.cells] for region in question.regions
    }
    known = {name for cells in regions.values() for name in cells}
    rest = [value for value in values if value not in known]
    label = ELSEWHERE if ELSEWHERE not in {*regions, *values} else f"({ELSEWHERE})"
    return regions | ({label: rest} if rest else {})


def records_as_csv(records: DisguisedRecords, positions: Places, with_sensitive: bool) -> bytes:
    """Returns the table of the records at these positions, in this order, as CSV."""
    columns = []
    for index in column_question_indexes(records.design, with_sensitive):
        question = records.design.questions[index]
        texts = list(map(escape_formula, code_texts(question)))
        codes = records.codes[index][positions].tolist()
        columns.append([escape_formula(question.name), *(texts[code] for code in codes)])
    return _columns_as_csv(columns)


def refuse_impossible_values(source: Source, specification: Specification) -> None:
    """Raises `NotAllowed` if an answer that the design allows cannot be read as the specification says.

    The records are not looked at: what is wrong with them would say how many people gave which answer.
    """
    assert source.survey
    assert source.survey.design
    design = source.survey.design.content
    columns = {
        design.questions[index].name: possible_values(design, index)
        for index in column_question_indexes(design, source.with_sensitive)
    }
    most = max(map(len, columns.values()))
    rows = [
        [escape_formula(text) for text in (name, *islice(cycle(texts), most))]
        for name, texts in columns.items()
    ]
    try:
        read_table(io.BytesIO(_columns_as_csv(rows)), str(source), specification)
    except InputError as refusal:
        column = refusal.path.rpartition(": ")[2]
        raise NotAllowed(
            _("%(place)s: %(reason)s") % {"place": column, "reason": reason_text(refusal)}
        ) from None


def _columns_as_csv(columns: Sequence[Sequence[str]]) -> bytes:
    file = io.StringIO()
    csv_writer(file).writerows(zip(*columns, strict=True))
    return file.getvalue().encode()


def last_batches_of_releases(survey: int) -> Collection[int]:
    """Returns the last batch of each release's source. No merge may reach across such a batch, since the release covers
    the records up to it."""
    sources = Source.objects.filter(survey=survey).values_list("through", flat=True)
    return {last_batch for last_batch in sources if last_batch is not None}
