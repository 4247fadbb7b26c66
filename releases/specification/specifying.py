"""Specifications of releases: read, checked against the columns of their source, and saved."""

from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from django.db import transaction
from django.utils.translation import gettext as _

from intake.batches.sweeping import schedule
from intake.disclosure.canonical import plain_places
from privacy.anonymity.methods import METHODS
from privacy.anonymity.tables.specification import Specification
from privacy.anonymity.tables.specification_reading import read_specification
from privacy.grammar.input_error import InputError, quoted
from releases import sources
from releases.models import Comparison, Release, Source
from releases.survey_tables import LEAST_K
from surveys.questionnaire.problems import NotAllowed, reason_with_place

if TYPE_CHECKING:
    from accounts.models import Person


def save_specification(
    release: Release, person: "Person", text: str, now: datetime, *, joined: bool = False
) -> Specification:
    """Save the specification of a draft; refused with the place and the reason where it is wrong.

    `joined`: the classes of the survey's earlier releases stay together.
    """
    if not release.may(person, "configure"):
        raise NotAllowed(_("This release is no draft any more, so its specification stays as it is."))
    said = checked(release.source, text, now)
    saved = Release.objects.filter(pk=release.pk, state=Release.State.DRAFT)
    with transaction.atomic():
        if not saved.update(specification=text, joined=joined, problem={}, reason=""):
            raise NotAllowed(_("This release is no draft any more, so its specification stays as it is."))
        if _compared(specification_of(release)) != _compared(said):
            release.comparisons.all().delete()
            schedule(Comparison)
    release.refresh_from_db()
    return said


def _compared(said: Specification) -> Specification:
    """What all rows of a comparison have in common: another one makes it out of date."""
    return replace(said, method="", criteria=replace(said.criteria, k=0))


def specification_of(release: Release) -> Specification:
    return read_specification(release.specification, "specification", frozenset(METHODS))


def checked(source: Source, text: str, now: datetime) -> Specification:
    try:
        said = read_specification(text, "specification", frozenset(METHODS))
    except InputError as refusal:
        raise NotAllowed(reason_with_place(refusal)) from None
    known = {column.name for column in sources.profile(source, now)}
    for name in (*said.identifiers, *said.columns_read):
        if name not in known:
            raise NotAllowed(
                _("There is no column %(column)s. The table has: %(columns)s.")
                % {"column": quoted(name), "columns": ", ".join(sorted(known))}
            )
    if source.survey:
        _check_survey(source, said)
    return said


def _check_survey(source: Source, said: Specification) -> None:
    """Promise 7: no plain answer of fewer than ten people is told."""
    assert source.survey
    assert source.survey.design
    if said.criteria.k < LEAST_K:
        raise NotAllowed(
            _("k is at least %(least)s for the answers of a survey. Raise k.") % {"least": LEAST_K}
        )
    design = source.survey.design.content
    plain = {design.questions[index].name for index in plain_places(design)}
    for name in said.other:
        if name in plain:
            raise NotAllowed(
                _(
                    "The answers to %(column)s would leave Candor exactly as given. Make the column a "
                    "quasi-identifier or sensitive, or leave it out."
                )
                % {"column": quoted(name)}
            )
