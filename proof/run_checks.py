"""Runs all checks of a proof and builds its report."""

import os
import platform
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256

import django
from django.conf import settings
from django.db import DatabaseError, connection

from proof.checks import browser_requests, disguise, other_origins, page, stored_data
from proof.models import Proof
from proof.outcome import CheckFailed, Outcome, Result, outcome_failed, outcome_unchecked
from proof.proof_context import ProofContext
from proof.report import CheckLine, Report
from surveys.models import Survey

Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Check:
    """A named check; `means`: what a respondent learns if it holds."""

    name: str
    means: str
    look: Callable[[ProofContext], Outcome]


FIRST = Check(
    "address",
    "You see the survey that the operator says it is, and your record goes to it alone.",
    page.check_served_survey,
)
"""First check; if it fails, the others are not run, since they would check another site."""

CHECKS = (
    FIRST,
    Check("clock", "The date of this proof is true.", page.check_clocks_agree),
    Check(
        "fingerprint",
        "Nobody has changed the questions or the chances since the survey was opened.",
        page.check_fingerprint,
    ),
    Check(
        "page", "The promises on the start page are those of the frozen design.", page.check_page_as_rendered
    ),
    Check(
        "words",
        "What the pages say about your protection is said by the program, not by the people who ask.",
        page.check_words_of_protection,
    ),
    Check(
        "hash",
        "Everybody gets the program whose hash the start page shows.",
        page.check_modules_match_shown_hash,
    ),
    Check("composition", "The page runs that program and no other.", page.check_script_composed_of_modules),
    Check("source", "That program is the published one, which others can read.", page.check_published_source),
    Check("one-request", "Your browser sends the record and nothing else.", page.check_network_calls),
    Check(
        "headers",
        "Your browser refuses scripts and pictures from elsewhere, and keeps no cookie.",
        page.check_headers,
    ),
    Check(
        "other-origins",
        "Only the page that your survey names can send a record.",
        other_origins.check_other_origins,
    ),
    Check("same-for-all", "Nobody gets another page because of who they are.", page.check_same_page_for_all),
    Check("coins", "The random numbers in your browser are fair.", disguise.check_coin_fairness),
    Check("law", "Your answers are replaced as often as the page says.", disguise.check_record_probabilities),
    Check(
        "twin",
        "What your browser sends follows from your answers and from chance, and from nothing else.",
        browser_requests.check_same_request_in_python,
    ),
    Check(
        "guarantee", "Nobody can become surer of your answers than the page says.", disguise.check_guarantee
    ),
    Check("submission", "This was tried with a real browser.", browser_requests.check_submission),
    Check("receipt", "Your receipt shows what was sent.", browser_requests.check_receipt_equals_sent),
    Check(
        "traces",
        "Your browser and your connection leave no trace on the server.",
        stored_data.check_canary_traces,
    ),
    Check("logs", "No log says that you answered.", stored_data.check_logs),
    Check(
        "triggers",
        "The database itself refuses to change what was promised.",
        stored_data.check_no_trigger_missing,
    ),
    Check(
        "storage",
        "Your record lies in the database without a time and without an order.",
        stored_data.check_stored_columns_and_settings,
    ),
    Check(
        "ledger",
        "All that was published together gives no small group of people away.",
        stored_data.check_combined_disclosures,
    ),
    Check(
        "engines",
        "What was published follows from the records, computed anew in another way.",
        stored_data.check_published_rows,
    ),
)


def prove(context: ProofContext, progress: Progress = lambda _line: None) -> Report:
    """Runs all checks and returns their report; if the address does not serve this survey, the others are not
    checked."""
    lines: list[CheckLine] = []
    for check in CHECKS:
        if lines and lines[0].result == Result.FAILED:
            lines.append(
                make_check_line(check, outcome_unchecked("the address does not serve this survey"), 0)
            )
            continue
        began = time.monotonic()
        line = make_check_line(check, run_check(check, context), time.monotonic() - began)
        progress(progress_line(line))
        lines.append(line)
    facts = {"versions": versions()}
    if lines[0].result == Result.HELD:
        modules = {name: sha256(body).hexdigest() for name, body in context.modules.items()}
        together = {"design": context.design.fingerprint, "modules together": context.modules_digest}
        facts["hashes"] = together | modules
    return Report(context.survey.slug, context.site.address, context.now, lines, facts)


def run_check(check: Check, context: ProofContext) -> Outcome:
    """Runs a check; returns a failed outcome if something that it needs is wrong or missing."""
    try:
        return check.look(context)
    except CheckFailed as error:
        return outcome_failed(str(error))
    except (ValueError, KeyError, TypeError, StopIteration, DatabaseError) as error:
        return outcome_failed(f"what was served cannot be read ({type(error).__name__})")


def progress_line(line: CheckLine) -> str:
    return f"{line.result:12} {line.name}: {line.seen}"


def make_check_line(check: Check, outcome: Outcome, seconds: float) -> CheckLine:
    return CheckLine(check.name, outcome.result, outcome.seen, check.means, round(seconds, 1))


def report_without_checks(
    slug: str, address: str, now: datetime, reason: str, progress: Progress = lambda _line: None
) -> Report:
    """Returns the report of a proof that could check nothing; `reason`: why, such as an unknown survey."""
    lines = [
        make_check_line(check, outcome_failed(reason) if check is FIRST else outcome_unchecked(reason), 0)
        for check in CHECKS
    ]
    progress(progress_line(lines[0]))
    return Report(slug, address, now, lines, {"versions": versions()})


def versions() -> dict[str, str]:
    return {
        "Candor": program_hash(),
        "Python": platform.python_version(),
        "Django": django.get_version(),
        "database": f"{connection.vendor} {'.'.join(map(str, connection.get_database_version()))}",
    }


def program_hash() -> str:
    """Returns the SHA-256 of what every installation has of Python, JavaScript and templates, sorted by path."""
    digest = sha256()
    root = settings.BASE_DIR
    rooms = sorted(
        path
        for path in root.iterdir()
        # `.git` is closed to the account of the site: docs/operations.md.
        if os.access(path / "__init__.py", os.R_OK) and path.name not in ("bench", "tests")
    )
    for room in [*rooms, root / "templates"]:
        for path in sorted(room.rglob("*")):
            if path.suffix in (".py", ".js", ".html"):
                digest.update(f"{path.relative_to(root)}\n".encode() + path.read_bytes())
    return digest.hexdigest()


def store_proof(survey: Survey, report: Report) -> Proof | None:
    """Stores the report for the start page; stores nothing and returns None if another survey answered at the
    address."""
    if report.checks[0].result != Result.HELD:
        return None
    return Proof.objects.create(
        survey=survey, made=report.made, result=report.result, document=report.as_json()
    )
