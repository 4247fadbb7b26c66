"""A survey whose page another host serves is proven at the host: by its address, or by its folder."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from hashlib import sha256
from io import StringIO
from pathlib import Path

import pytest
from django.conf import settings as product_settings
from django.core.management import call_command
from django.core.management.base import CommandError
from django.utils import timezone
from pytest_django.fixtures import Settings

from accounts.models import Person
from intake.hosted.check_page import Answer
from intake.hosted.frozen_page import files_of, freeze_page, note_as_seen
from proof.browser_visit import Visit, start_chromium, visit_survey
from proof.checks import page as page_checks
from proof.device.script_runners import NodeDevice
from proof.hosted_page import open_page
from proof.outcome import Result
from proof.proof_context import ProofContext
from proof.run_checks import CHECKS, run_check
from surveys.lifecycle import opening, survey_creation
from surveys.models import PageFolder, Survey
from tests.proof.conftest import CANARY, ClientSite, in_own_thread
from tests.proof.hosts import Host, serving_host, with_sums
from tests.servers import free_port
from tests.surveys import drafts

pytestmark = [pytest.mark.page, pytest.mark.django_db]
SITE = "https://research.example.org"
HEADERS = {
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Content-Security-Policy": "frame-ancestors 'none'",
}
"""As README.txt of the folder asks for."""
BY_NAME = {check.name: check for check in CHECKS}
OF_PAGE = (
    "address",
    "fingerprint",
    "page",
    "words",
    "hash",
    "composition",
    "source",
    "one-request",
    "same-for-all",
)
"""The checks of the page, which are those of any page."""


@dataclass
class Hosted:
    host: Host
    survey: Survey
    folder: PageFolder

    def context(self, page: str = "", device: NodeDevice | None = None) -> ProofContext:
        design = self.survey.design
        assert design
        site, path = open_page(page or self.host.address)
        return ProofContext(
            self.survey, design.content, ClientSite(SITE), product_settings.BASE_DIR, timezone.now(), device=device,
            canary=CANARY, host=site, host_path=path, folder=files_of(self.folder),
        )  # fmt: skip


@pytest.fixture
def frozen_host(owner: Person, settings: Settings) -> Iterator[Hosted]:
    settings.SITE_URL = SITE
    with serving_host() as host:
        draft = drafts.complete(open_answers=False, asked_at={"host": host.origin})
        survey = survey_creation.create_survey_from_draft(owner, draft, "surveys.created", timezone.now())
        folder = freeze_page(survey, owner, timezone.now())
        host.files, host.always = dict(files_of(folder)), HEADERS
        yield Hosted(host, survey, folder)


@pytest.fixture
def hosted(frozen_host: Hosted, owner: Person) -> Hosted:
    note_as_seen(frozen_host.folder, f"{frozen_host.host.address}/", owner, timezone.now())
    opening.open_survey_now(frozen_host.survey, owner, timezone.now())
    frozen_host.survey.refresh_from_db()
    return frozen_host


def failed_checks(context: ProofContext) -> dict[str, str]:
    """By the name of each check of the page that does not hold what it saw."""
    outcomes = {name: run_check(BY_NAME[name], context) for name in (*OF_PAGE, "headers", "other-origins")}
    return {name: outcome.seen for name, outcome in outcomes.items() if outcome.result != Result.HELD}


def test_every_check_of_a_page_holds_at_its_host(hosted: Hosted) -> None:
    assert failed_checks(hosted.context()) == {}
    assert failed_checks(hosted.context(f"{hosted.host.address}index.html")) == {}


def test_the_modules_that_the_host_serves_are_those_that_disguise(hosted: Hosted, device: NodeDevice) -> None:
    context = hosted.context(device=device)
    assert [run_check(BY_NAME[name], context).result for name in ("coins", "twin", "law")] == 3 * [
        Result.HELD
    ]


def write_files(hosted: Hosted, folder: Path) -> Path:
    for name, content in hosted.host.files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return folder


def test_of_a_folder_the_same_is_checked_but_for_its_headers(hosted: Hosted, tmp_path: Path) -> None:
    said = "the policy in the page is right; a folder has no headers before a host serves it"
    assert failed_checks(hosted.context(str(write_files(hosted, tmp_path)))) == {"headers": said}


def test_a_file_beside_those_of_the_page_is_seen_in_a_folder(hosted: Hosted, tmp_path: Path) -> None:
    (write_files(hosted, tmp_path) / "worker.js").write_text("")
    assert failed_checks(hosted.context(str(tmp_path)))["page"] == "worker.js is no file of the frozen page"


Change = Callable[[Hosted], object]


def edit_text(old: str, new: str, name: str = "index.html") -> Change:
    """The host serves another file, and a list with its digest."""

    def replace_text(hosted: Hosted) -> None:
        files = {key: value for key, value in hosted.host.files.items() if key != "SHA256SUMS"}
        assert old.encode() in files[name], old
        hosted.host.files = with_sums({**files, name: files[name].replace(old.encode(), new.encode(), 1)})

    return replace_text


def header(name: str, value: str) -> Change:
    return lambda hosted: setattr(hosted.host, "always", {**HEADERS, name: value})


FAULTS: dict[str, tuple[str, str, Change]] = {
    "a promise": ("page", "index.html has other bytes", edit_text("<h1", "<p>Nobody ever learns anything.</p><h1")),
    "a base": ("address", "holds <base>", edit_text("<title", '<base href="https://near.example/"><title')),
    "a page that leads on": ("address", "holds <meta>", edit_text("<title", '<meta http-equiv="refresh"><title')),
    "another place of records": ("address", "sends records to", edit_text(f'"record":"{SITE}/', '"record":"/')),
    "a policy that allows another site": ("headers", "another policy", edit_text("connect-src ", "connect-src * ")),
    "a script before the policy": ("headers", "a late one", edit_text("<meta", "<script></script><meta")),
    "another script in the page": ("headers", "another policy", edit_text("</head>", "<script></script></head>")),
    "a script in the page that opens a window": (
        "one-request", "script 2 in the page holds open(", edit_text("</head>", '<script>open("/x");</script></head>'),
    ),
    "a page that is cached": ("headers", "cache-control", header("Cache-Control", "max-age=600")),
    "a page that others frame": ("headers", "another Content", header("Content-Security-Policy", "frame-ancestors *")),
    "a cookie": ("headers", "a cookie is set: who", header("Set-Cookie", "who=1")),
}  # fmt: skip


@pytest.mark.parametrize("name", FAULTS)
def test_a_host_that_serves_another_page_fails_the_check_that_names_it(name: str, hosted: Hosted) -> None:
    check, seen, change = FAULTS[name]
    change(hosted)
    outcome = run_check(BY_NAME[check], hosted.context())
    assert (outcome.result, seen in outcome.seen) == (Result.FAILED, True), outcome.seen


def test_a_page_for_some_and_records_of_a_near_name_are_found(
    hosted: Hosted, monkeypatch: pytest.MonkeyPatch
) -> None:
    context = hosted.context()
    assert isinstance(context.site, ClientSite)
    record, near = f"{context.path}/record", f"{hosted.host.origin}.example.org"
    honest = context.site.options(record)
    for value in (near, "*"):
        context.site.changed[record] = replace(
            honest, headers={**honest.headers, "access-control-allow-origin": value}
        )
        assert f"allows {value}" in failed_checks(context)["other-origins"]
    context.site.changed = {context.path: context.page.answer}
    assert "asks the survey itself" in failed_checks(context)["other-origins"]
    context.site.changed = {}

    def get(path: str, encoding: str = "identity", **headers: str) -> Answer:
        return Answer(200, {}, b"another") if "Cookie" in headers else context.page.answer

    assert context.host
    monkeypatch.setattr(type(context.host), "get", lambda _self, *words, **headers: get(*words, **headers))
    assert "for a browser that says who asks" in page_checks.check_same_page_for_all(context).seen


@pytest.mark.browser
def test_a_browser_answers_at_the_host_and_asks_nobody_else(hosted: Hosted) -> None:
    context = hosted.context()

    def visit() -> Visit:
        with start_chromium() as browser:
            return visit_survey(
                browser, hosted.host.origin, context.page_path, context.design, CANARY, sends=False
            )

    context.visit = in_own_thread(visit)
    outcome = run_check(BY_NAME["submission"], context)
    assert outcome.result == Result.HELD, outcome.seen


# --- the command ---


def outcome(*words: str) -> tuple[int, str]:
    """The exit status and what the command says."""
    lines = StringIO()
    try:
        call_command("prove", *words, stdout=lines, stderr=StringIO())
    except SystemExit as end:
        return int(str(end.code)), lines.getvalue()
    except CommandError as error:
        return error.returncode, str(error)
    return 0, lines.getvalue()


def test_a_frozen_page_that_its_host_serves_is_noted_so_that_the_survey_opens(
    frozen_host: Hosted, owner: Person
) -> None:
    frozen_host.host.files["design.json"] += b" "
    address, fingerprint = frozen_host.host.address, frozen_host.folder.design
    assert outcome(frozen_host.survey.slug, "--page", address) == (
        1,
        "design.json has other bytes than the frozen one.\n",
    )
    frozen_host.folder.refresh_from_db()
    assert frozen_host.folder.seen is None
    frozen_host.host.files["design.json"] = fingerprint.encode()
    assert outcome(frozen_host.survey.slug, "--page", address) == (
        0, f"{address} has each file of the frozen page, byte for byte.\n"
    )  # fmt: skip
    opening.open_survey_now(frozen_host.survey, owner, timezone.now())


def test_a_folder_is_compared_by_the_fingerprint_and_not_noted(frozen_host: Hosted, tmp_path: Path) -> None:
    fingerprint = sha256(frozen_host.folder.design.encode()).hexdigest()
    assert outcome(fingerprint, "--page", str(write_files(frozen_host, tmp_path)))[0] == 0
    (tmp_path / "more.js").write_text("")
    assert outcome(fingerprint, "--page", str(tmp_path)) == (1, "more.js is no file of the frozen page.\n")
    frozen_host.folder.refresh_from_db()
    assert frozen_host.folder.seen is None


def test_what_cannot_be_compared_ends_with_the_status_2(frozen_host: Hosted, tmp_path: Path) -> None:
    for page, why in (
        (f"http://127.0.0.1:{free_port()}/", "The host does not answer"),
        ("https://near.example/?a=1", "Give the address of the page"),
        (str(tmp_path), "is no address and no folder with SHA256SUMS"),
    ):
        status, sentence = outcome(frozen_host.survey.slug, "--page", page)
        assert (status, why in sentence) == (2, True), sentence
    assert outcome("nowhere", "--page", frozen_host.host.address) == (
        2,
        "there is no survey nowhere with a frozen page",
    )


def test_without_the_address_of_its_page_the_survey_of_a_host_is_not_proven(
    hosted: Hosted, tmp_path: Path
) -> None:
    lines = StringIO()
    with pytest.raises(SystemExit):
        call_command("prove", hosted.survey.slug, "--out", str(tmp_path), stdout=StringIO(), stderr=lines)
    assert (
        f"{hosted.host.origin} serves the page of this survey: give its address there with --page"
        in lines.getvalue()
    )
