"""Checks of stored data: database, files, logs, triggers, the ledger of disclosures, and the rows of published
reports."""

import logging
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from io import StringIO
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np
from django.conf import settings
from django.core.checks import WARNING, run_checks
from django.core.handlers.wsgi import WSGIHandler
from django.db import connection
from django.test import RequestFactory

from config.logs import RespondentRequestFilter
from config.remove_identifying_headers import anonymize_application
from intake.disclosure.attack_on_all_disclosures import attack_all_disclosures
from intake.disclosure.ledger import is_missing_rows, list_disclosures
from intake.disclosure.models import Disclosure, DisclosureKind
from intake.models import Batch, FreshKey, Inbox, KeySecret, SeenKeys, SpentToken, Token
from mining.disclosure.plain_table_counts import LEAST
from mining.engines.record_means import RecordBits
from mining.engines.row_comparison import CheckedRows, RowComparison, compare_rows
from mining.itemsets.answer_names import AnswerNames
from mining.nodes.report_nodes import Estimate, Rule
from privacy.records.batch_bit_columns import Columns
from proof.outcome import Outcome, outcome_failed, outcome_held, outcome_unchecked
from proof.proof_context import ProofContext
from reports.models import Review
from reports.review.read_published_content import ENDS, ITEMSET_MEMBERS, RULE_MEMBERS
from reports.review.report_page_data import ReportPage
from runs.mlxtend_check_sentence import CheckState
from runs.run_records import RunRecords
from surveys import triggers

MOST_BYTES = 2_000_000_000
"""Most bytes of files that are searched for canaries."""
BLOCK = 1 << 22
UNSEARCHED = ("static", "numba", "metrics")
"""Folders of VAR without data from requests."""

# --- the database ---


def check_no_trigger_missing(context: ProofContext) -> Outcome:
    if missing := triggers.missing_triggers(connection):
        named = [f"{table}: {', '.join(names)}" for table, names in missing.items()]
        return outcome_failed(
            f"the database lets frozen rows be changed, for it lacks the triggers {'; '.join(named)}"
        )
    return outcome_held(
        f"the database has all {len(triggers.existing_triggers(connection))} triggers that keep frozen rows as they are"
    )


COLUMNS = {
    Inbox: {"id", "survey_id", "record"},
    FreshKey: {"hash", "survey_id", "epoch"},
    SeenKeys: {"survey_id", "epoch", "first", "hashes"},
    KeySecret: {"survey_id", "secret", "dropped_before"},
    Token: {"hash", "survey_id"},
    SpentToken: {"hash", "survey_id"},
    Batch: {"id", "survey_id", "first", "last", "n", "copies", "columns"},
}
"""Allowed columns of the tables of answers and invitations: no time finer than a month, no address, and
nothing that joins a record to a key."""
PRIVACY_WARNINGS = ("candor.W004", "candor.W006", "candor.W007", "candor.W009")
"""Ids of system check warnings about settings that respondents' privacy depends on; errors count too."""
OURS = ("candor.", "surveys.")
UNSAMPLED = {
    Inbox: {"id", "record"},
    FreshKey: {"hash"},
    SeenKeys: {"first", "hashes"},
    KeySecret: {"secret"},
    Token: {"hash"},
    SpentToken: {"hash"},
    Batch: {"columns", "copies"},
}
"""Columns whose values would outlive their rows in PostgreSQL's statistics."""
ORDERLESS = (Inbox, FreshKey, SeenKeys, Token, SpentToken)


def check_stored_columns_and_settings(context: ProofContext) -> Outcome:
    with connection.cursor() as cursor:
        for model, columns in COLUMNS.items():
            table = model._meta.db_table
            existing = {
                column.name for column in connection.introspection.get_table_description(cursor, table)
            }
            if existing != columns:
                return outcome_failed(
                    f"the table {table} has other columns: {', '.join(sorted(existing ^ columns))}"
                )
    if problem := sqlite_problem() if connection.vendor == "sqlite" else postgresql_problem():
        return outcome_failed(problem)
    for message in run_checks(databases=["default"]):
        if message.id in PRIVACY_WARNINGS or (message.level > WARNING and str(message.id).startswith(OURS)):
            return outcome_failed(f"a setting is not safe: {message.msg} ({message.id})")
    if connection.vendor == "sqlite":
        more = "no order, and are overwritten when deleted"
    else:
        more = "and the database samples none of their values"
    return outcome_held(f"records, keys and invitations have no time, no address, {more}")


def sqlite_problem() -> str:
    """Returns a message if SQLite keeps deleted values or the order of arrival; empty if it does not."""
    with connection.cursor() as cursor:
        if not connection.is_in_memory_db() and cursor.execute("PRAGMA secure_delete").fetchone()[0] != 1:  # type: ignore[attr-defined]
            return "the database does not overwrite what is deleted (secure_delete is off)"
        for model in ORDERLESS:
            (sql,) = cursor.execute(
                "SELECT sql FROM sqlite_master WHERE name = %s", [model._meta.db_table]
            ).fetchone()
            if "WITHOUT ROWID" not in sql:
                return f"the table {model._meta.db_table} numbers its rows in the order of their arrival"
    return ""


def postgresql_problem() -> str:
    """Returns a message if PostgreSQL copies values into its statistics; empty if it does not."""
    columns = {(model._meta.db_table, name) for model, names in UNSAMPLED.items() for name in names}
    with connection.cursor() as cursor:
        cursor.execute("SELECT tablename, attname FROM pg_stats WHERE schemaname = current_schema()")
        sampled = columns.intersection(cursor.fetchall())
    if not sampled:
        return ""
    table, name = min(sampled)
    return f"the database samples values of the column {name} of {table} into its statistics"


# --- traces of what was sent ---


def check_canary_traces(context: ProofContext) -> Outcome:
    """Searches database, files and logs for marked texts (canaries) that were sent before in headers, address and
    body."""
    canaries = [context.canary, *(context.visit.canaries if context.visit else ())]
    for canary in canaries:
        if table := find_table_with(canary):
            return outcome_failed(f"the table {table} holds what a browser sends beside the record")
    files, size = 0, 0
    for path in files_to_search():
        try:
            size += path.stat().st_size
            if size > MOST_BYTES:
                return outcome_unchecked(
                    f"the files are more than {MOST_BYTES // 10**9} GB; {files} of them hold nothing"
                )
            if any(does_file_contain(path, canary) for canary in canaries):
                return outcome_failed(f"the file {path.name} holds what a browser sends beside the record")
        except FileNotFoundError:  # it was deleted since it was listed
            continue
        except OSError as error:
            return outcome_unchecked(f"the file {path.name} cannot be read: {error.strerror}")
        files += 1
    return outcome_held(
        f"what a browser sends beside the record is in no table and in none of {files} files, logs among them"
    )


def find_table_with(canary: str) -> str:
    """Returns the name of the first database table that contains the marked text, as text or bytes; empty if none
    does."""
    hexadecimal = canary.encode().hex()
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            names = [column.name for column in connection.introspection.get_table_description(cursor, table)]
            quoted = connection.ops.quote_name
            if connection.vendor == "postgresql":
                whole = f"{quoted(table)}::text"
                where, values = (
                    f"position(%s in {whole}) > 0 OR position(%s in {whole}) > 0",
                    [canary, hexadecimal],
                )
            else:
                where = " OR ".join(
                    f"instr(CAST({quoted(name)} AS BLOB), CAST(%s AS BLOB))" for name in names
                )
                values = [canary] * len(names)
            cursor.execute(f"SELECT 1 FROM {quoted(table)} WHERE {where} LIMIT 1", values)  # noqa: S608 - names of the database
            if cursor.fetchone():
                return table
    return ""


def files_to_search() -> Iterator[Path]:
    root: Path = settings.VAR
    for path in sorted(root.rglob("*")):
        if path.is_file() and not path.is_symlink() and path.relative_to(root).parts[0] not in UNSEARCHED:
            yield path


def does_file_contain(path: Path, canary: str) -> bool:
    """Returns True if the file contains the canary, also across two blocks; raises OSError if it cannot be read."""
    needle, tail = canary.encode(), b""
    with path.open("rb") as file:
        while block := file.read(BLOCK):
            if needle in tail + block:
                return True
            tail = block[-len(needle) :]
    return False


# --- logs ---


def check_logs(context: ProofContext) -> Outcome:
    """Performs a respondent's requests in this process, and searches what they log for the address and the browser."""
    environ = RequestFactory(headers={"user-agent": context.canary}).get(f"/a/{context.canary}").environ
    host = urlsplit(context.site.address)
    environ |= {"HTTP_HOST": host.netloc, "wsgi.url_scheme": host.scheme, "REMOTE_ADDR": "198.51.100.7"}
    with capture_log() as log:
        list(
            anonymize_application(WSGIHandler(), settings.BEHIND_PROXY)(
                environ, lambda *_: lambda _body: None
            )
        )
        log_error(environ)
    text = log.getvalue()
    if context.canary in text or "198.51.100.7" in text:
        return outcome_failed("the log names the address or the browser of a respondent")
    for path in context.logs:
        try:
            if does_file_contain(path, context.canary):
                return outcome_failed(f"the log {path.name} names what a respondent's browser sends")
        except OSError as error:
            return outcome_unchecked(f"the log {path.name} cannot be read: {error.strerror}")
    files = (
        f"{len(context.logs)} log files searched"
        if context.logs
        else "no log file was searched (--logs names them)"
    )
    return outcome_held(f"a respondent's requests leave no line in the log, nor do their errors; {files}")


def log_error(environ: dict[str, object]) -> None:
    """Logs an error whose message quotes the request, as Django would."""
    request = RequestFactory().get(str(environ["PATH_INFO"]))
    try:
        raise ValueError(environ["PATH_INFO"])
    except ValueError:
        logging.getLogger("django.request").error(
            "failed: %s", request.path, exc_info=True, extra={"request": request}
        )


@contextmanager
def capture_log() -> Iterator[StringIO]:
    """Context manager: captures log output of level INFO, through the filters of the product's own handler.

    No other handler gets it, since an operator would take the error that the check provokes for a real one.
    """
    root, log = logging.getLogger(), StringIO()
    handler = logging.StreamHandler(log)
    filters = (existing.filters for existing in root.handlers)
    ours = (some for some in filters if any(isinstance(rule, RespondentRequestFilter) for rule in some))
    handler.filters = [*next(ours, [])]
    handlers, level = root.handlers, root.level
    root.handlers = [handler]
    root.setLevel(logging.INFO)
    try:
        yield log
    finally:
        root.handlers = handlers
        root.setLevel(level)


# --- the ledger ---


def check_combined_disclosures(context: ProofContext) -> Outcome:
    """Attacks all published disclosures of the survey together; the check fails if small groups of people can
    be singled out."""
    survey = context.survey
    if is_missing_rows(survey):
        return outcome_unchecked(
            "a restored backup lacks some of what was told, so nobody knows what that was"
        )
    rows = list(Disclosure.objects.filter(survey=survey).order_by("number").values_list("number", flat=True))
    if rows != list(range(1, len(rows) + 1)):
        return outcome_failed("the ledger of what was told has a gap")
    attacked = len(
        list_disclosures(survey, DisclosureKind.REPORT, DisclosureKind.MODEL, DisclosureKind.RELEASE)
    )
    quotas = len(list_disclosures(survey, DisclosureKind.QUOTA))
    attack = attack_all_disclosures(survey)
    if attack.smallest and attack.smallest.count < LEAST:
        return outcome_failed(f"from all that was told a count of {attack.smallest.count} people follows")
    if attack.few_open:
        return outcome_failed("from all that was told it follows how few people chose no disguise")
    if attack.left_out:
        return outcome_unchecked(
            f"the tables of {len(attack.left_out)} questions are too large for the attacker"
        )
    words = (
        f"from all {attacked} reports, models and releases together, records apart, no count of fewer than {LEAST} "
        "people follows"
    )
    if quotas:
        words += f"; {quotas} full quotas, which are published with noise, are not part of this check"
    return outcome_held(words)


# --- what was published ---


MOST_ROWS = 1_000
"""Most rows of a published report that are computed anew."""


def check_published_rows(context: ProofContext) -> Outcome:
    """Computes published rows anew from the sealed records, and compares the digests of all with those of the check."""
    published = Review.objects.filter(run__survey=context.survey, state=Review.State.PUBLISHED).with_surveys()
    reports = [ReportPage(review, whole=False) for review in published.order_by("pk")]
    if not reports:
        return outcome_held("no report is published")
    if any(report.is_disputed for report in reports):
        return outcome_failed(" ".join(f"{report.review.run}: {report.check_sentence}" for report in reports))
    seen, differs = [], False
    for report in reports:
        compared = compare_published_rows(report)
        differs |= bool(compared.differences)
        wrong = f"; numbers that differ: {len(compared.differences)}" if compared.differences else ""
        rows = f"{compared.itemsets} itemsets and {compared.rules} rules were computed anew{wrong}"
        seen.append(
            f"{report.review.run}: {report.check_status.label}. {report.check_sentence} Of it {rows}."
        )
    states = {report.check_status.state for report in reports}
    if differs or CheckState.CHANGED in states:
        return outcome_failed(" ".join(seen))
    return (
        outcome_held(" ".join(seen)) if states == {CheckState.CHECKED} else outcome_unchecked(" ".join(seen))
    )


def compare_published_rows(report: ReportPage) -> RowComparison:
    """Compares up to `MOST_ROWS` published itemsets and rules, drawn at random, with means over all records."""
    run, content = report.review.run, report.published_content_with_rules
    names = AnswerNames(run.mined_design)

    def numbers(items: Iterable[str]) -> tuple[int, ...]:
        return tuple(sorted(map(names.number, items)))

    nodes = [*content.itemsets, *content.rules]
    drawn = [nodes[at] for at in np.random.default_rng(run.pk).permutation(len(nodes))[:MOST_ROWS].tolist()]
    itemsets = [
        (
            numbers(node.items),
            {name: getattr(node, of) for of, name in ITEMSET_MEMBERS.items() if name not in ENDS},
        )
        for node in drawn
        if isinstance(node, Estimate)
    ]
    rules = [
        (
            numbers(node.antecedent),
            numbers(node.consequent),
            {name: getattr(node, of) for of, name in RULE_MEMBERS.items()},
        )
        for node in drawn
        if isinstance(node, Rule)
    ]
    rows = CheckedRows(itemsets, rules)

    def compare(pieces: Iterator[list[Columns]]) -> RowComparison:
        bits = (RecordBits.from_columns(run.mined_design, piece) for piece in pieces)
        return compare_rows(
            rows, bits, run.mined_design, run.search_parameters, run.stored_verdict, lists_all_rules=False
        )

    return RunRecords(run).compute_by_pieces(compare)
