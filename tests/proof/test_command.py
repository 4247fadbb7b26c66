"""The command writes a report whatever it is asked for, and its exit status says what came of it."""

import json
import os
import tempfile
from dataclasses import replace
from functools import partial
from hashlib import sha256
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.management import call_command
from django.core.management.base import CommandError
from django.utils import timezone

from accounts.models import Person
from proof.browser_visit import start_chromium
from proof.management.commands import prove as command
from proof.models import Proof
from proof.outcome import CheckFailed
from proof.proof_context import ProofContext
from proof.report import as_markdown
from proof.run_checks import CHECKS, program_hash, prove, store_proof
from proof.site_client import HttpSite
from surveys.lifecycle import state_changes as lifecycle
from surveys.models import Survey
from tests.api.conftest import webhook_receiver
from tests.api.test_webhook_targets import certificate
from tests.intake import asked
from tests.intake.asked import design
from tests.proof.conftest import ClientSite, in_own_thread, static
from tests.proof.test_mutants import honest_visit
from tests.servers import free_port
from tests.surveys import drafts

pytestmark = [pytest.mark.page, pytest.mark.django_db]
NOBODY = 65534
"""The account that Debian calls nobody: root may enter every folder."""


def run_prove(folder: Path, *words: str) -> tuple[int, dict[str, Any]]:
    """The exit status and the report; one file in each format is written."""
    status = 0
    try:
        call_command("prove", *words, "--out", str(folder), stdout=StringIO(), stderr=StringIO())
    except SystemExit as end:
        status = int(str(end.code))
    (content,) = (json.loads(path.read_text()) for path in folder.glob("*.json"))
    assert {path.suffix for path in folder.iterdir()} == {".html", ".md", ".json"}
    return status, content


def only_failed(content: dict[str, Any]) -> str:
    """What the one check saw that failed; nothing else was looked at."""
    (seen,) = (check["seen"] for check in content["checks"] if check["result"] == "failed")
    assert content["counts"] == {"held": 0, "failed": 1, "not checked": len(CHECKS) - 1}
    return str(seen)


def test_proof_report_says_survey_missing_draft_or_destroyed(owner: Person, tmp_path: Path) -> None:
    draft = Survey.objects.create(owner=owner, draft=drafts.complete())
    destroyed = asked.survey(design(), state=Survey.State.CLOSED)
    lifecycle.destroy_survey(destroyed, owner, timezone.now())
    status, content = run_prove(tmp_path / "nowhere", "nowhere")
    assert (status, only_failed(content)) == (1, "there is no survey nowhere")
    for survey, said in ((draft, "the survey is a draft"), (destroyed, "were deleted")):
        status, content = run_prove(tmp_path / survey.slug, survey.slug)
        assert status == 1
        assert said in only_failed(content)


def test_terminal_explains_why_nothing_was_checked(tmp_path: Path) -> None:
    said = StringIO()
    with pytest.raises(SystemExit):
        call_command("prove", "nowhere", "--out", str(tmp_path), stdout=StringIO(), stderr=said)
    assert said.getvalue() == "failed       address: there is no survey nowhere\n"


@pytest.fixture
def without_browser(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "browser_problem", lambda: "no Chromium was found, so no browser was used")


@pytest.mark.usefixtures("without_browser")
def test_proof_report_says_the_site_is_unreachable(tmp_path: Path) -> None:
    survey = asked.survey(design())
    status, content = run_prove(tmp_path, survey.slug, "--address", f"http://127.0.0.1:{free_port()}")
    assert status == 1
    assert "does not answer" in only_failed(content)
    assert not Proof.objects.exists()


def test_prove_command_refuses_an_invalid_address(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="is no address"):
        call_command("prove", "x", "--address", "ftp://here", "--out", str(tmp_path))


def test_proof_report_of_another_build_says_so_and_is_not_linked(context: ProofContext) -> None:
    page = context.site.get(context.path)
    other = page.body.replace(b"privacy/draws.js</a>", b"privacy/others.js</a>")
    assert isinstance(context.site, ClientSite)
    context.site.changed[context.path] = replace(page, body=other)
    report = prove(context)
    assert report.exit_status == 1
    said = "another build answers there: it differs in privacy/draws.js, privacy/others.js"
    assert said in only_failed(report.as_json())
    assert store_proof(context.survey, report) is None


@pytest.mark.night
@pytest.mark.usefixtures("without_browser")
def test_proof_without_a_browser_skips_two_checks_with_status_2(
    rehearsal: Survey, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settings, "VAR", tmp_path / "var")
    monkeypatch.setattr(command, "HttpSite", lambda *_: ClientSite())
    status, content = run_prove(tmp_path / "out", rehearsal.slug)
    unmade = [check["name"] for check in content["checks"] if check["result"] == "not checked"]
    assert (status, unmade) == (2, ["submission", "receipt"])
    assert Proof.last_for_survey(rehearsal.pk).result == "not checked"  # type: ignore[union-attr]


def test_proof_passes_with_status_0_and_names_each_check_in_every_format(context: ProofContext) -> None:
    context.visit = honest_visit(context)
    report = prove(context)
    assert report.exit_status == 0, report.verdict
    content = report.as_json()
    for text in (as_markdown(content), report.as_html(), json.dumps(content)):
        assert all(check.name in text and check.means in text for check in CHECKS)
        assert "a host in front" not in text
        assert "proxies, load balancers" in text
        assert context.design.fingerprint in text
        assert str(settings.BASE_DIR) not in text


def test_proof_client_follows_no_redirect_and_sends_no_password() -> None:
    assert not HttpSite("https://a.invalid").session.trust_env


def test_a_certificate_that_is_not_trusted_is_said(tmp_path: Path) -> None:
    with webhook_receiver(certificate("localhost", tmp_path)) as receiver:
        site = HttpSite(receiver.address("localhost", "https"))
        words = r"does not answer: its certificate is not trusted \(self-signed certificate\)$"
        with pytest.raises(CheckFailed, match=words):
            site.get("/")


def test_certificate_authority_of_an_institution_is_trusted_by_client_and_browser(tmp_path: Path) -> None:
    with webhook_receiver(certificate("localhost", tmp_path)) as receiver:
        address = f"https://localhost:{receiver.port}"
        trusted = HttpSite(address, tmp_path / "authority.pem")
        assert trusted.post("/", b"{}").status == 200

        def visit(hash_of_key: str) -> None:
            with start_chromium(hash_of_key) as browser:
                assert browser.new_page().goto(address) is not None

        with pytest.raises(Exception, match="ERR_CERT_AUTHORITY_INVALID"):
            in_own_thread(partial(visit, ""))
        in_own_thread(partial(visit, trusted.hash_of_key()))
    (tmp_path / "other").mkdir()
    with webhook_receiver(certificate("localhost", tmp_path / "other")) as receiver:
        foreign = HttpSite(f"https://localhost:{receiver.port}", tmp_path / "authority.pem")
        with pytest.raises(CheckFailed, match="does not answer"):
            foreign.hash_of_key()


def test_a_file_without_certificates_is_refused_before_anything_is_checked(tmp_path: Path) -> None:
    words = "cannot be read as certificates; give a file in PEM"
    for name in ("missing.pem", "text.pem"):
        (tmp_path / "text.pem").write_text("no certificate")
        with pytest.raises(CommandError, match=words):
            call_command("prove", "x", "--ca", str(tmp_path / name))


def test_module_name_cannot_leave_its_folder(context: ProofContext) -> None:
    assert context.device
    with pytest.raises(Exception, match="no file can have this name"):
        context.device.run_operation(
            {"/static/../../x.js": static("/static/privacy/coins.js").body}, "/x.js", "below"
        )


def test_closed_git_folder_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """As docs/operations.md closes it."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        (folder / "package").mkdir()
        (folder / "package" / "__init__.py").write_text("A = 1\n")
        closed = folder / ".git"
        closed.mkdir()
        closed.chmod(0)
        monkeypatch.setattr(settings, "BASE_DIR", folder)
        account = os.geteuid()
        os.seteuid(account or NOBODY)
        try:
            with pytest.raises(PermissionError):
                (closed / "__init__.py").stat()
            found = program_hash()
        finally:
            os.seteuid(account)
            closed.chmod(0o700)
    assert found == sha256(b"package/__init__.py\nA = 1\n").hexdigest()
