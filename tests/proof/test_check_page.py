"""Anybody who has the digest of the study sheet sees each difference of the page that a host serves."""

import json
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from intake.hosted import check_page
from tests.proof.hosts import Host, serving_host, with_sums
from tests.servers import free_port
from ui.statements import DOCUMENT, read_limits

pytestmark = pytest.mark.proof
HTML = b'<!doctype html><meta charset="utf-8"><script type="module" src="./page.js"></script>\n'
Change = Callable[[Host], object]


@pytest.fixture
def host() -> Iterator[Host]:
    with serving_host() as running:
        design = json.dumps(
            {"asked_at": {"host": running.origin, "record": "https://research.example.org/a/x/record"}}
        )
        running.serve(
            index_html=HTML, page_js=b"begin();\n", design_json=design.encode(), README_txt=b"Serve it.\n"
        )
        yield running


def outcome(
    host: Host, capsys: pytest.CaptureFixture[str], digest: str = "", address: str = ""
) -> tuple[int, str]:
    status = check_page.main([address or host.address, digest or host.digest])
    return status, capsys.readouterr().out


def test_the_frozen_folder_has_no_difference_at_either_address_of_its_page(
    host: Host, capsys: pytest.CaptureFixture[str]
) -> None:
    said = f"{host.address} serves the frozen page, byte for byte.\n"
    assert outcome(host, capsys) == (0, said)
    assert set(host.asked) == {"", *host.files}
    del host.asked[:]
    assert outcome(host, capsys, address=f"{host.address}index.html")[0] == 0
    assert "" not in host.asked


def test_it_runs_alone_in_any_python_and_says_by_its_status_what_it_saw(host: Host, tmp_path: Path) -> None:
    copy = tmp_path / "check_page.py"
    copy.write_bytes(Path(check_page.__file__).read_bytes())
    statuses = []
    for address, digest in (
        (host.address, host.digest),
        (host.address, "0" * 64),
        (f"http://127.0.0.1:{free_port()}/", "0" * 64),
    ):
        words = [sys.executable, "-I", "-S", str(copy), address, digest]
        statuses.append(subprocess.run(words, check=False, capture_output=True, cwd=tmp_path).returncode)
    assert statuses == [0, 1, 2]


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("https://host.example/",),
        ("https://host.example/", "0"),
        ("ftp://host.example/", "0" * 64),
        ("https://host.example/?a=1", "0" * 64),
        ("https://host.example/page", "0" * 64),
        ("https://ann@host.example/", "0" * 64),
        ("https:///", "0" * 64),
    ],
)
def test_without_an_address_and_a_digest_nothing_is_asked(
    words: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert check_page.main(words) == 2
    assert capsys.readouterr().out.count("\n") == 1


def answer(name: str, content: bytes = b"", **headers: str) -> Change:
    """The host answers with other bytes, or beside them with headers."""

    def set_content(host: Host) -> None:
        if content:
            host.files[name or "index.html"] = content
        host.headers[name] = {key.replace("_", "-"): value for key, value in headers.items()}

    return set_content


def status(name: str, code: int, **headers: str) -> Change:
    def set_status(host: Host) -> None:
        host.statuses[name] = code
        host.headers[name] = headers

    return set_status


def add_listed_file(host: Host) -> None:
    host.files = with_sums(
        {**{k: v for k, v in host.files.items() if k != "SHA256SUMS"}, "more.js": b"more();"}
    )


MANIPULATIONS: dict[str, tuple[Change, str]] = {
    "a byte": (answer("page.js", b"begin(); \n"), "page.js has other bytes than the frozen one"),
    "a byte of the page": (
        answer("index.html", HTML + b"\n"),
        "index.html has other bytes than the frozen one",
    ),
    "a file more in the list": (add_listed_file, "SHA256SUMS has other bytes than the frozen one"),
    "a file less": (lambda host: host.files.pop("page.js"), "page.js is answered with 404"),
    "base": (
        answer("index.html", HTML.replace(b"<script", b'<base href="/x/"><script')),
        "the address of the page has other bytes than the frozen one",
    ),
    "a content type": (
        answer("page.js", Content_Type="text/plain"),
        "page.js has the content type 'text/plain'",
    ),
    "a page in other letters": (
        answer("", Content_Type="text/html; charset=iso-2022-jp"),
        "the address of the page has the content type 'text/html; charset=iso-2022-jp'",
    ),
    "two content types": (
        answer("", Content_Type="text/html; charset=utf-8, text/plain"),
        "the address of the page has the content type 'text/html; charset=utf-8, text/plain'",
    ),
    "a redirect": (
        status("", 302, Location="https://near.example/"),
        "the address of the page leads on to 'https://near.example/'",
    ),
    "a script elsewhere": (status("page.js", 307, Location="/x.js"), "page.js leads on to '/x.js'"),
    "a cache": (
        answer("index.html", HTML.replace(b"page", b"past"), Age="600"),
        "index.html has other bytes than the frozen one; it comes from a cache that has had it for '600' seconds",
    ),
    "a page that leads away": (
        answer("", Refresh="0; url=https://near.example"),
        "comes with the header refresh",
    ),
    "a report of each Send": (
        answer("", Content_Security_Policy_Report_Only="connect-src 'none'; report-uri /log"),
        "comes with the header content-security-policy-report-only, which lets people's browsers tell",
    ),
    "a policy that reports": (
        answer("", Content_Security_Policy="frame-ancestors 'none'; report-uri /log"),
        "comes with a policy that lets people's browsers tell when they send an answer",
    ),
    "an address of reports": (
        answer(
            "",
            Reporting_Endpoints='x="https://host.example/log"',
            Connection_Allowlist_Report_Only="(response-origin); report-to=x",
        ),
        "comes with the header reporting-endpoints, which lets people's browsers tell when they send an answer",
    ),
    "an older address of reports": (
        answer("", Report_To='{"group": "x", "max_age": 9, "endpoints": []}'),
        "comes with the header report-to, which lets people's browsers tell",
    ),
    "a style beside the page": (answer("", Link="</x.css>; rel=stylesheet"), "comes with the header link"),
    "a cookie": (answer("page.js", Set_Cookie="who=1"), "page.js comes with the header set-cookie"),
    "a file without end": (answer("page.js", b" " * 1_000_001), "page.js has more than 1000000 bytes"),
}


@pytest.mark.parametrize("name", MANIPULATIONS)
def test_each_manipulation_is_one_sentence(name: str, host: Host, capsys: pytest.CaptureFixture[str]) -> None:
    change, said = MANIPULATIONS[name]
    digest = host.digest
    change(host)
    code, lines = outcome(host, capsys, digest)
    assert (code, said in lines) == (1, True), lines


NOT_SEEN = (
    "both together", "another page for one person", "the frozen page for nobody but who compares",
    "files that a changed Candor made", "an older copy from a cache", "a name that looks alike",
    "a service worker that an earlier page of the host left", "a file beside those of the page",
)  # fmt: skip


@pytest.mark.parametrize("name", NOT_SEEN)
def test_what_no_comparison_sees_stands_in_the_document_and_on_the_page_of_limits(name: str) -> None:
    stated = read_limits()["operator-serves-the-code"].defence.split("No comparison finds")
    written = " ".join(DOCUMENT.read_text().split()).split(
        "no comparison (`check_page.py`, `prove --page`) finds"
    )
    assert name in stated[1]
    assert name in written[1].partition("## ")[0]


def test_an_older_folder_is_another_one(host: Host, capsys: pytest.CaptureFixture[str]) -> None:
    digest = host.digest
    host.serve(index_html=b"<!doctype html>older\n")
    assert outcome(host, capsys, digest) == (1, "SHA256SUMS has other bytes than the frozen one.\n")


def test_a_near_name_that_serves_the_whole_folder_is_not_the_host(
    host: Host, capsys: pytest.CaptureFixture[str]
) -> None:
    near = host.address.replace("127.0.0.1", "localhost")
    said = f"this page belongs to {host.origin}, not to {host.origin.replace('127.0.0.1', 'localhost')}.\n"
    assert outcome(host, capsys, address=near) == (1, said)


def test_what_a_host_says_cannot_forge_the_outcome(capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing that moves the cursor of a terminal is printed."""
    forged = "serves the frozen page, byte for byte."
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answer() -> None:
            connection, _peer = server.accept()
            with connection:
                connection.recv(10_000)
                connection.sendall(f"\x1b[2K\rhttps://ethics.example.edu/ {forged}\n".encode())

        thread = threading.Thread(target=answer)
        thread.start()
        address = f"http://127.0.0.1:{server.getsockname()[1]}/"
        assert check_page.main([address, "0" * 64]) == 2
        thread.join()
    said = capsys.readouterr().out
    assert forged in said
    assert said.strip().isprintable()
