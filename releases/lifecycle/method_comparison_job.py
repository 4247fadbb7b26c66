"""Job that compares anonymisation methods and values of k by risk and loss, on an upload or on a table simulated from a
survey's design."""

import io
import json
import secrets
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from django.db import transaction
from django.utils.translation import gettext as _, gettext_noop, override

from accounts.activity_log import log_activity
from intake.disclosure import ledger
from intake.disclosure.canonical_order import DisguisedRecords, withheld_classes
from intake.disclosure.models import DisclosureKind
from jobs import database, job_queue
from jobs.models import State as JobState, Write
from jobs.progress_messages import JobFailed, Progress
from mining.disclosure.plain_table_counts import PlainTable
from mining.json_codec import node_from_json
from mining.table_file_anonymisation import anonymize_table
from privacy.anonymity.criteria_check import asked_and_reached_levels
from privacy.anonymity.tables.specification import Specification
from privacy.anonymity.tables.table import Table, read_table
from privacy.designs import Design
from privacy.grammar.input_error import InputError
from releases import source_tables, survey_tables
from releases.models import Comparison, Release, Source
from releases.specification import save_specification
from releases.specification.column_role_editing import DIVERSE
from releases.specification.criteria_conversion import METHOD_NAMES
from releases.survey_tables import LEAST_K
from surveys.lifecycle import record_counts
from surveys.models import Survey
from surveys.questionnaire.problems_and_refusals import NotAllowed, reason_text

if TYPE_CHECKING:
    from accounts.models import Person

NUMBERS = (2, 5, 10, 20, 50)
"""Values of k that are compared, besides that of the draft."""
Json = dict[str, Any]


def start_comparison(release: Release, person: "Person", now: datetime) -> Comparison:
    """Starts the job that compares anonymisation methods for a draft release."""
    if not release.may(person, "configure"):
        raise NotAllowed(_("Only people with edit access can compare methods for a draft."))
    save_specification.check_specification(release.source, release.specification, now)
    with transaction.atomic():
        Release.objects.lock(release.pk)
        if Comparison.objects.filter(release=release, state__in=(JobState.QUEUED, JobState.RUNNING)).exists():
            raise NotAllowed(_("A comparison is under way already. Wait for it, or cancel it."))
        comparison = Comparison(release=release)
        job_queue.enqueue(comparison)
        log_activity(person, "releases.compared", release.history_subject, note=f"{release}.", when=now)
    return comparison


def perform(comparison: Comparison, progress: Progress) -> Write:
    """Anonymises the table by every method with every k and measures the losses; returns the function that stores the
    rows."""
    release, now = comparison.release, database.now()
    said = source_tables.get_specification(release)
    try:
        if release.survey:
            invented = simulated_csv(release.source, np.random.default_rng(secrets.randbits(256)))
            table = read_table(io.BytesIO(invented), str(release.source), said)
        else:
            table = source_tables.read_source_table(release.source, None, said, now)
    except (InputError, NotAllowed):
        raise JobFailed(
            gettext_noop("The table cannot be read as the specification says. Make the release to see where.")
        ) from None
    numbers = sorted({said.criteria.k, *(k for k in NUMBERS if k >= LEAST_K or not release.survey)})
    choices = [(method, k) for method in sorted(METHOD_NAMES) for k in numbers]
    rows: list[Json] = []
    for index, (method, k) in enumerate(choices):
        choice = replace(said, method=method, criteria=replace(said.criteria, k=k))
        with override("en"):
            name = str(METHOD_NAMES.get(method, method))
        rows.append(
            measure_method(table, choice, partial(report_progress, progress, index, len(choices), name, k))
        )
    return partial(Comparison.objects.filter(pk=comparison.pk).update, rows=rows)


def report_progress(progress: Progress, index: int, total: int, method: str, k: int, share: float) -> None:
    """Reports the progress of a comparison: choice `index` (from 0) of `total` is being measured; `share`: how much of
    its search is done."""
    words = gettext_noop("Choice %(choice)s of %(number)s: %(method)s with k = %(k)s")
    done = (index + min(share, 1.0)) / total
    progress(done, words, choice=index + 1, number=total, method=method, k=k)


def measure_method(table: Table, specification: Specification, tick: Callable[[float], None]) -> Json:
    """Returns one row of the comparison: the losses of the specification's method with its k, or why it was refused."""
    row: Json = {"method": specification.method, "k": specification.criteria.k}
    tick(0.0)

    def report_without_stopping(share: float) -> bool:
        tick(share)
        return False

    try:
        outcome, seconds = anonymize_table(table, specification, "", report_without_stopping)
    except InputError as refusal:
        return row | {"refusal": reason_text(refusal)}
    losses = outcome.information_losses(specification)
    kept = asked_and_reached_levels(outcome.table, specification, outcome.partition.labels)
    return row | {
        "ncp": losses.ncp,
        "discernibility": losses.discernibility,
        "hasr": losses.hasr,
        "max_frequency": kept.get("max_frequency", {}).get("reached"),
        "classes": outcome.partition.class_count,
        "smallest": kept["k"]["reached"],
        "seconds": seconds,
    }


def choose_method(release: Release, person: "Person", method: str, k: int, now: datetime) -> None:
    """Copies the method and k of a row of the comparison into the draft's specification."""
    _change_specification(release, person, {"method": method, "k": k}, now)


def set_two_sensitive_values_per_class(release: Release, person: "Person", now: datetime) -> None:
    """Sets distinct l-diversity with two values as a criterion of the draft; deletes the comparison made without it."""
    _change_specification(release, person, {"l": DIVERSE}, now)


def allows_single_value(specification: Specification) -> bool:
    """Returns True if all records of a class may have the same sensitive value, since no criterion limits it."""
    diversity = specification.criteria.diversity
    return (
        bool(specification.sensitive)
        and specification.criteria.max_frequency is None
        and (not diversity or diversity.least < 2)
    )


def _change_specification(release: Release, person: "Person", changes: Json, now: datetime) -> None:
    """Saves the draft's specification with these members changed."""
    text = json.dumps(json.loads(release.specification) | changes, ensure_ascii=False, indent=2)
    save_specification.save_specification(release, person, text, now, joined=release.joined)


def simulated_csv(source: Source, rng: "np.random.Generator") -> bytes:
    """Returns a simulated table of a survey's design, since the losses of the real one would reveal its cells.

    It has as many records as are sealed, rounded down to a multiple of the smallest batch. Each question is answered
    independently, with the published shares, or with equal ones if none are published.
    """
    survey = source.survey
    assert survey
    assert survey.design
    design, n = (
        survey.design.content,
        record_counts.counts_of_survey(survey).as_shown_to_people(survey.least, rounded=True).sealed,
    )
    shares = published_shares(survey, design)
    codes = np.zeros((len(design.questions), n), np.uint16)
    rotates = [section.rotates for section in design.sections for _ in section.questions]
    for index, question in enumerate(design.questions):
        p = shares.get(index)
        codes[index] = rng.choice(question.codes, n, p=p)
        if rotates[index]:
            codes[index, rng.random(n) < 0.5] = question.not_asked
        for rule in question.show_if:
            codes[index, ~np.isin(codes[rule.place], sorted(rule.codes))] = question.not_applicable
    records = DisguisedRecords(design, codes, np.ones(n, np.int64))
    return survey_tables.records_as_csv(records, np.arange(n), source.with_sensitive)


def published_shares(survey: Survey, design: Design) -> dict[int, np.ndarray]:
    """Returns the shares of the choices in the last report, by index of the plain question.

    Withheld classes get equal parts.
    """
    reports = ledger.list_disclosures(survey, DisclosureKind.REPORT)
    if not reports:
        return {}
    hidden = withheld_classes(reports[-1])
    tables = (node_from_json(PlainTable, table) for table in reports[-1].tables["tables"])
    single = {
        table.questions[0]: table.counts.astype(np.float64) for table in tables if len(table.questions) == 1
    }
    shares = {}
    for index, question in enumerate(design.questions):
        if index in single and index in hidden:
            kept = single[index].copy()
            withheld = sorted(hidden[index])
            kept[withheld] = kept[withheld].mean() if withheld else 0
            kept = kept[: question.codes]
            if len(kept) == question.codes and kept.sum():
                shares[index] = kept / kept.sum()
    return shares
