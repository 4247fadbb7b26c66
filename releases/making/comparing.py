"""Compares methods and numbers of k on an upload, or on a table simulated from a survey's design: risk against loss."""

import io
import json
import secrets
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from django.db import transaction
from django.utils.translation import gettext as _, gettext_noop

from accounts.history import log_activity
from jobs import database, wake
from jobs.message import JobFailed, Progress
from jobs.models import State as JobState, Write
from privacy.anonymity.criteria import reached
from privacy.anonymity.methods import METHODS
from privacy.anonymity.tables.specification import Specification
from privacy.anonymity.tables.table import Table, read_table
from privacy.grammar.input_error import InputError
from releases import sources
from releases.making import kernel_cache, simulated
from releases.making.anonymizing import anonymized
from releases.models import Comparison, Release
from releases.specification import specifying
from releases.survey_tables import LEAST_K
from surveys.questionnaire.problems import NotAllowed, reason_text

if TYPE_CHECKING:
    from accounts.models import Person

NUMBERS = (2, 5, 10, 20, 50)
"""The numbers of k."""
Json = dict[str, Any]


def start(release: Release, person: "Person", now: datetime) -> Comparison:
    """Start a comparison for a draft."""
    if not release.may(person, "configure"):
        raise NotAllowed(_("Only people with edit access can compare methods for a draft."))
    specifying.check(release.source, release.specification, now)
    with transaction.atomic():
        Release.objects.lock(release.pk)
        if Comparison.objects.filter(release=release, state__in=(JobState.QUEUED, JobState.RUNNING)).exists():
            raise NotAllowed(_("A comparison is under way already. Wait for it, or cancel it."))
        comparison = Comparison(release=release)
        wake.enqueue(comparison)
        log_activity(person, "releases.compared", release.thing, note=f"{release}.", when=now)
    return comparison


def perform(comparison: Comparison, progress: Progress) -> Write:
    release, now = comparison.release, database.now()
    said = sources.get_specification(release)
    try:
        if release.survey:
            invented = simulated.csv_of(release.source, np.random.default_rng(secrets.randbits(256)))
            table = read_table(io.BytesIO(invented), str(release.source), said)
        else:
            table = sources.read_source(release.source, None, said, now)
    except (InputError, NotAllowed):
        raise JobFailed(
            gettext_noop("The table cannot be read as the specification says. Make the release to see where.")
        ) from None
    wanted = [(method, k) for method in sorted(METHODS) for k in numbers(release, said.criteria.k)]
    rows: list[Json] = []
    for index, (method, k) in enumerate(wanted):
        progress(index / len(wanted), gettext_noop("%(method)s with k = %(k)s"), method=method, k=k)
        rows.append(
            compared(table, replace(said, method=method, criteria=replace(said.criteria, k=k)), progress)
        )
    return partial(store, comparison, rows)


def numbers(release: Release, own: int) -> list[int]:
    """The numbers of k that the source allows, and that of the draft."""
    return sorted({own, *(k for k in NUMBERS if k >= LEAST_K or not release.survey)})


def compared(table: Table, said: Specification, progress: Progress) -> Json:
    """One row: what the method reaches with this k, or why it cannot."""
    row: Json = {"method": said.method, "k": said.criteria.k}

    def stopped(_share: float) -> bool:
        progress(None)
        return False

    try:
        outcome, seconds = anonymized(table, said, kernel_cache.folder(), "", stopped)
    except InputError as refusal:
        return row | {"refusal": reason_text(refusal)}
    losses = outcome.losses(said)
    kept = reached(outcome.table, said, outcome.partition.labels)
    return row | {
        "ncp": losses.ncp,
        "discernibility": losses.discernibility,
        "hasr": losses.hasr,
        "max_frequency": kept.get("max_frequency", {}).get("reached"),
        "classes": outcome.partition.number,
        "smallest": kept["k"]["reached"],
        "seconds": seconds,
    }


def choose(release: Release, person: "Person", method: str, k: int, now: datetime) -> None:
    """Take a row of a comparison into the specification of the draft."""
    document = json.loads(release.specification) | {"method": method, "k": k}
    text = json.dumps(document, ensure_ascii=False, indent=2)
    specifying.save_specification(release, person, text, now, joined=release.joined)


def store(comparison: Comparison, rows: list[Json]) -> None:
    Comparison.objects.filter(pk=comparison.pk).update(rows=rows)
