import ssl
from argparse import ArgumentParser, ArgumentTypeError
from contextlib import ExitStack
from pathlib import Path
from secrets import token_hex
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from config.start.start_preparation import write_atomically
from intake.invitations.tokens import create_tokens
from proof.browser_visit import browser_problem, start_chromium, visit_survey
from proof.device.script_runners import BrowserDevice, find_node, node_device
from proof.outcome import CheckFailed
from proof.proof_context import ProofContext
from proof.report import Report, as_json_text, as_markdown
from proof.run_checks import prove, report_without_checks, store_proof
from proof.site_client import HttpSite
from surveys.models import Survey


def site_address(text: str) -> str:
    parts = urlsplit(text.rstrip("/"))
    if parts.scheme not in ("http", "https") or not parts.netloc or parts.path or parts.query:
        raise ArgumentTypeError(f"{text} is no address such as https://survey.example.org")
    return f"{parts.scheme}://{parts.netloc}"


def file_of_authorities(text: str) -> Path:
    try:
        ssl.create_default_context(cafile=text)
    except OSError:
        raise ArgumentTypeError(
            f"{text} cannot be read as certificates; give a file in PEM, as the institution hands it out"
        ) from None
    return Path(text)


class Command(BaseCommand):
    help = (
        "Check what is deployed: what the site serves for a survey, the law of its disguise, what it stores and logs. "
        "Write a dated report as HTML, Markdown and JSON. Exit status: 0 all held, 1 something failed, 2 something was "
        "not checked."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("survey", metavar="SURVEY", help="the last part of its address, or its number")
        parser.add_argument(
            "--address",
            type=site_address,
            default=settings.SITE_URL,
            metavar="URL",
            help="the site as respondents reach it",
        )
        parser.add_argument(
            "--ca",
            type=file_of_authorities,
            metavar="FILE",
            help="certificates (PEM) of the authority that signed the site's own, where browsers do not know it",
        )
        parser.add_argument(
            "--source",
            type=Path,
            default=settings.BASE_DIR,
            metavar="FOLDER",
            help="the published source to compare with (default: that of this program)",
        )
        parser.add_argument(
            "--logs",
            type=Path,
            action="append",
            default=[],
            metavar="FILE",
            help="a log to search, such as the proxy's",
        )
        parser.add_argument(
            "--out", type=Path, metavar="FOLDER", help="where to write the report (default: VAR/proofs)"
        )

    def handle(
        self,
        *,
        survey: str,
        address: str,
        ca: Path | None = None,
        source: Path,
        logs: list[Path],
        out: Path | None,
        **_: Any,
    ) -> None:
        """Proves the survey, writes the report files, and exits with 0 only if every check held."""
        now = timezone.now()
        row = Survey.objects.filter(**{"pk" if survey.isdecimal() else "slug": survey}).first()
        if reason := why_unprovable(row, survey):
            report = report_without_checks(survey, address, now, reason, self.stderr.write)
        else:
            assert row is not None
            report = self._prove(row, HttpSite(address, ca), source, tuple(logs))
            store_proof(row, report)
        try:
            paths = write_files(report, out or settings.VAR / "proofs")
        except OSError as error:
            where = error.filename or "the report"
            raise CommandError(
                f"{where} cannot be written ({error.strerror}); --out names another folder"
            ) from None
        for path in paths:
            self.stdout.write(str(path))
        self.stdout.write(report.verdict)
        if report.exit_status:
            raise SystemExit(report.exit_status)

    def _prove(self, survey: Survey, site: HttpSite, source: Path, logs: tuple[Path, ...]) -> Report:
        assert survey.design is not None
        context = ProofContext(
            survey,
            survey.design.content,
            site,
            source,
            timezone.now(),
            logs=logs,
            canary=token_hex(12),
        )
        context.why = browser_problem()
        if not context.why:
            try:
                sends = survey.is_rehearsal and survey.state == Survey.State.OPEN
                path = survey.address
                if sends and survey.invited:
                    path += f"#{create_tokens(survey, 1)[0]}"
                with start_chromium(site.hash_of_key()) as browser:
                    context.visit = visit_survey(
                        browser, site.address, path, context.design, token_hex(12), sends=sends
                    )
            except CheckFailed as error:
                context.why = str(error)
        with ExitStack() as at_end:
            if program := find_node():
                context.device = at_end.enter_context(node_device(program))
            elif not browser_problem():
                context.device = BrowserDevice(start_chromium)
            return prove(context, self.stderr.write)


def why_unprovable(row: Survey | None, survey: str) -> str:
    """Returns why nothing of a survey can be proven, or an empty string; `survey`: as the command names it."""
    if row is None:
        return f"there is no survey {survey}"
    if row.state == Survey.State.DESTROYED:
        return "the answers of this survey were deleted, so nothing is left to prove"
    if row.design is None:
        return "the survey is a draft: what it promises is frozen when it opens"
    return ""


def write_files(report: Report, folder: Path) -> list[Path]:
    """Writes the report in each format to a file that only this account can read; returns the paths."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    name = f"{Path(report.survey).name}-{report.made:%Y-%m-%dT%H%M%S}"
    content = report.as_json()
    texts = {"html": report.as_html(), "md": as_markdown(content), "json": as_json_text(content)}
    paths = []
    for suffix, text in texts.items():
        path = folder / f"{name}.{suffix}"
        write_atomically(path, text)
        paths.append(path)
    return paths
