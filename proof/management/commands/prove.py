import re
import ssl
from argparse import ArgumentParser, ArgumentTypeError
from contextlib import ExitStack
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from secrets import token_hex
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from config.start.start_preparation import write_atomically
from intake.hosted.frozen_page import files_of
from intake.invitations.tokens import create_tokens
from proof.browser_visit import browser_problem, start_chromium, visit_survey
from proof.device.script_runners import BrowserDevice, find_node, node_device
from proof.hosted_page import compare_frozen_page, open_page
from proof.outcome import CheckFailed
from proof.proof_context import ProofContext
from proof.report import Report, as_json_text, as_markdown
from proof.run_checks import prove, report_without_checks, store_proof
from proof.site_client import FolderSite, HttpSite
from surveys.lifecycle import asked_at
from surveys.models import PageFolder, Survey
from surveys.questionnaire.problems_and_refusals import NotAllowed


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
        parser.add_argument(
            "survey", metavar="SURVEY", help="the last part of its address, its number or its fingerprint"
        )
        parser.add_argument(
            "--address",
            type=site_address,
            default=settings.SITE_URL,
            metavar="URL",
            help="the site as respondents reach it",
        )
        parser.add_argument(
            "--page",
            default="",
            metavar="URL",
            help="where another host serves the page: its address there, or a folder of its files",
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
        page: str = "",
        ca: Path | None = None,
        source: Path,
        logs: list[Path],
        out: Path | None,
        **_: Any,
    ) -> None:
        """Proves the survey, writes the report files, and exits with 0 only if every check held."""
        now = timezone.now()
        row = find_survey(survey)
        folder = asked_at.current_folder(row) if row else None
        if page:
            if row is None or folder is None:
                raise CommandError(f"there is no survey {survey} with a frozen page", returncode=2)
            if self._has_differences(folder, page, now):
                raise SystemExit(1)
            if row.design is None:
                return
        if reason := why_unprovable(row, survey, page):
            report = report_without_checks(survey, address, now, reason, self.stderr.write)
        else:
            assert row is not None
            assert row.design is not None
            served: HttpSite | FolderSite = (site := HttpSite(address, ca))
            context = ProofContext(row, row.design.content, site, source, now, logs=tuple(logs))
            if page and folder:
                served, context.host_path = open_page(page, ca)
                context.host = served
                context.folder = files_of(folder)
            report = self._prove(context, served)
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

    def _has_differences(self, folder: PageFolder, page: str, now: datetime) -> bool:
        """Says each difference between the frozen page and what is served or lies in a folder."""
        try:
            differences = compare_frozen_page(folder, page, now)
        except (NotAllowed, OSError, ValueError) as error:
            raise CommandError(f"{page} cannot be compared: {error}", returncode=2) from None
        for difference in differences:
            self.stdout.write(f"{difference.sentence}.")
        if not differences:
            self.stdout.write(f"{page} has each file of the frozen page, byte for byte.")
        return bool(differences)

    def _prove(self, context: ProofContext, site: HttpSite | FolderSite) -> Report:
        """Proves the survey, whose page is on this site."""
        survey = context.survey
        context.canary = token_hex(12)
        context.why = browser_problem()
        if isinstance(site, FolderSite):
            context.why = context.why or "no browser visits a folder"
        elif not context.why:
            try:
                sends = survey.is_rehearsal and survey.state == Survey.State.OPEN
                path = context.page_path
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


def find_survey(text: str) -> Survey | None:
    """Returns the survey that the command names: by its number, its fingerprint or the last part of its address."""
    if re.fullmatch("[0-9a-f]{64}", text):
        frozen = (
            folder
            for folder in PageFolder.objects.all()
            if sha256(folder.design.encode()).hexdigest() == text
        )
        by_design = Survey.objects.filter(design=text).first()
        return by_design or next((folder.survey for folder in frozen), None)
    return Survey.objects.filter(**{"pk" if text.isdecimal() else "slug": text}).first()


def why_unprovable(row: Survey | None, survey: str, page: str) -> str:
    """Returns why nothing of a survey can be proven, or an empty string; `survey`, `page`: what the command names."""
    if row is None:
        return f"there is no survey {survey}"
    if row.state == Survey.State.DESTROYED:
        return "the answers of this survey were deleted, so nothing is left to prove"
    if row.design is None:
        return "the survey is a draft: what it promises is frozen when it opens"
    if (host := row.design.content.host) and not page:
        return f"{host} serves the page of this survey: give its address there with --page"
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
