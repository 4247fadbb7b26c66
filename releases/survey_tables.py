"""Tables of surveys for releases: the plain answers of the disguised records, or all answers of these."""

import csv
import io
from collections.abc import Collection
from datetime import datetime
from typing import TYPE_CHECKING

from django.db import transaction
from django.utils.translation import gettext as _

from accounts.history import log_activity
from intake.batches import sealing
from intake.disclosure.canonical_order import DisguisedRecords, Places, plain_question_indexes
from privacy.anonymity.tables.hierarchies import UP_TO
from privacy.anonymity.tables.specification import QuasiKind
from privacy.designs import Design, Question
from privacy.designs.spreadsheet_cells import escape_formula
from privacy.kinds.place.law import ELSEWHERE
from privacy.kinds.place.section import PlaceQuestion
from releases.models import Release, Source
from releases.specification.specification_proposal import (
    MOST_QUASI,
    Json,
    quasi_identifier,
    with_usual_criteria,
)
from releases.specification.table_profile import ColumnProfile
from surveys.models import Survey
from surveys.questionnaire.problems_and_refusals import NotAllowed

if TYPE_CHECKING:
    from accounts.models import Person

NOT_ASKED, NOT_APPLICABLE = "not asked", "not applicable"
LEAST_K = 10
"""No plain cell below ten is ever published (docs/promises.md)."""


def start_from_survey(survey: Survey, person: "Person", *, with_sensitive: bool, now: datetime) -> Release:
    """A draft of a release of the disguised records that are sealed now."""
    if not survey.may(person, "run"):
        raise NotAllowed(_("Only the owner and the editors of a survey can release its answers."))
    with transaction.atomic():
        # Locked until the source is stored, which pins its last batch: no merge may reach across it.
        locked = Survey.objects.get_locked_beside_records(survey.pk)
        if why := refusal_text(locked, with_sensitive):
            raise NotAllowed(why)
        source = Source.objects.create(
            owner=person,
            survey=locked,
            through=sealing.last_batch_number(survey.pk),
            with_sensitive=with_sensitive,
            created=now,
        )
        text = propose(source)
        release = Release.objects.create(source=source, specification=text, since=now, by=person)
        log_activity(person, "releases.started", locked, note=str(release), when=now)
    return release


def refusal_text(survey: Survey, with_sensitive: bool) -> str:
    """Why no release can start, and what to do about it; empty if one can."""
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


def column_questions(design: Design, with_sensitive: bool) -> tuple[int, ...]:
    """The indices of the questions whose answers the table holds."""
    return tuple(range(len(design.questions))) if with_sensitive else plain_question_indexes(design)


def code_texts(question: Question) -> tuple[str, ...]:
    """The text of every code: the choices, then not asked and not applicable, which are values of their own."""
    names = question.code_names
    return (*names, *(f"({word})" if word in names else word for word in (NOT_ASKED, NOT_APPLICABLE)))


def possible_values(design: Design, index: int) -> tuple[str, ...]:
    """The texts that a record can have."""
    question, texts = design.questions[index], code_texts(design.questions[index])
    rotates = any(section.rotates and question in section.questions for section in design.sections)
    return (
        *texts[: question.codes],
        *texts[question.not_asked : question.not_applicable] * rotates,
        *texts[question.not_applicable :] * bool(question.show_if),
    )


def column_profiles(source: Source) -> tuple[ColumnProfile, ...]:
    """The columns by the design alone: numbers of records would be unpublished results."""
    assert source.survey
    assert source.survey.design
    design = source.survey.design.content
    return tuple(_profile(design, index) for index in column_questions(design, source.with_sensitive))


def _profile(design: Design, index: int) -> ColumnProfile:
    question, values = design.questions[index], possible_values(design, index)
    # A run of ordered values is shown with this sign between its ends.
    ordered = question.form == "scale" and not any(UP_TO in value for value in values)
    kind = QuasiKind.ORDERED if ordered else QuasiKind.CATEGORY
    return ColumnProfile(question.name, kind, len(values), 0, tuple((value, None) for value in values))


def propose(source: Source) -> str:
    """The specification that is proposed: plain answers and places are quasi-identifiers; disguised answers are not.

    Of too many those that are asked first are proposed.
    """
    assert source.survey
    assert source.survey.design
    design = source.survey.design.content
    quasi: list[Json] = []
    disguised = []
    for index in column_questions(design, source.with_sensitive):
        question = design.questions[index]
        if isinstance(question, PlaceQuestion):
            regions = _regions(question, possible_values(design, index))
            quasi.append({"name": question.name, "kind": "category", "hierarchy": regions})
        elif index in plain_question_indexes(design):
            quasi.append(quasi_identifier(_profile(design, index)))
        else:
            disguised.append(question.name)
    other = {"other": disguised} if disguised else {}
    return with_usual_criteria({"quasi_identifiers": quasi[:MOST_QUASI], **other})


def _regions(question: PlaceQuestion, values: tuple[str, ...]) -> dict[str, list[str]]:
    """The cells by region, then all else that an answer can be."""
    regions = {
        region.name: [question.cells[cell].name for cell in region.cells] for region in question.regions
    }
    known = {name for cells in regions.values() for name in cells}
    rest = [value for value in values if value not in known]
    label = ELSEWHERE if ELSEWHERE not in {*regions, *values} else f"({ELSEWHERE})"
    return regions | ({label: rest} if rest else {})


def csv_of(records: DisguisedRecords, places: Places, with_sensitive: bool) -> bytes:
    """The table of the records at these places, in this order."""
    columns = []
    for index in column_questions(records.design, with_sensitive):
        question = records.design.questions[index]
        texts = list(map(escape_formula, code_texts(question)))
        codes = records.codes[index][places].tolist()
        columns.append([escape_formula(question.name), *(texts[code] for code in codes)])
    file = io.StringIO()
    csv.writer(file, lineterminator="\n").writerows(zip(*columns, strict=True))
    return file.getvalue().encode()


def pinned_batches(survey: int) -> Collection[int]:
    """The last batch of each source: no merge may reach across it, since a release is made of the records up to it."""
    sources = Source.objects.filter(survey=survey).values_list("through", flat=True)
    return {last_batch for last_batch in sources if last_batch is not None}
