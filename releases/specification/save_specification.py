"""Checks and saves the specification of a draft release."""

from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from django.db import transaction
from django.utils.translation import gettext as _

from intake.disclosure.canonical_order import plain_question_indexes
from privacy.anonymity.table_anonymisation import METHODS
from privacy.anonymity.tables.specification import Specification
from privacy.anonymity.tables.specification_reading import read_specification
from privacy.grammar.input_error import InputError, quote_value
from releases import source_tables
from releases.models import Release, Source
from releases.survey_tables import LEAST_K
from releases.uploads import delete_comparisons
from surveys.models import Survey
from surveys.questionnaire.problems_and_refusals import NotAllowed, path_and_reason_text

if TYPE_CHECKING:
    from accounts.models import Person


def save_specification(
    release: Release, person: "Person", text: str, now: datetime, *, joined: bool = False
) -> None:
    """Saves the specification of a draft release; raises `NotAllowed` with the place and the reason if it is wrong.

    `joined`: the classes of the survey's earlier releases stay together.
    """
    no_draft = _("This release is no draft any more, so its specification stays as it is.")
    if not release.may(person, "configure"):
        raise NotAllowed(no_draft)
    specification = check_specification(release.source, text, now)
    draft = Release.objects.filter(pk=release.pk, state=Release.State.DRAFT)
    with transaction.atomic():
        if not draft.update(specification=text, joined=joined, problem={}, reason=""):
            raise NotAllowed(no_draft)
        if _comparison_conditions(source_tables.get_specification(release)) != _comparison_conditions(
            specification
        ):
            delete_comparisons(release)
        release.refresh_from_db()


def _comparison_conditions(specification: Specification) -> Specification:
    """Returns the specification without method and k: the part on which a comparison of methods depends."""
    return replace(specification, method="", criteria=replace(specification.criteria, k=0))


def check_specification(source: Source, text: str, now: datetime) -> Specification:
    """Returns the parsed specification; raises `NotAllowed` if it is wrong, does not fit the source or breaks a
    promise."""
    try:
        specification = read_specification(text, "specification", frozenset(METHODS))
    except InputError as refusal:
        raise NotAllowed(path_and_reason_text(refusal)) from None
    known = {column.name for column in source_tables.column_profiles(source, now)}
    for name in (*specification.identifiers, *specification.columns_to_read):
        if name not in known:
            raise NotAllowed(
                _("There is no column %(column)s. The table has: %(columns)s.")
                % {"column": quote_value(name), "columns": ", ".join(sorted(known))}
            )
    if source.survey:
        _check_small_cells(source.survey, specification)
    return specification


def _check_small_cells(survey: Survey, specification: Specification) -> None:
    """Refuses k below ten, and plain answers published unchanged, for a release of a survey (promise 7 of
    docs/promises.md)."""
    assert survey.design
    if specification.criteria.k < LEAST_K:
        raise NotAllowed(
            _("k is at least %(least)s for the answers of a survey. Raise k.") % {"least": LEAST_K}
        )
    design = survey.design.content
    plain = {design.questions[index].name for index in plain_question_indexes(design)}
    for name in specification.other:
        if name in plain:
            raise NotAllowed(
                _(
                    "The answers to %(column)s would leave Candor exactly as given. Make the column a "
                    "quasi-identifier or sensitive, or leave it out."
                )
                % {"column": quote_value(name)}
            )
