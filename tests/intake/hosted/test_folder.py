"""The folder for a host: complete, checked by digests from its first page on, and the same whenever it is made."""

import base64
import json
import re
from hashlib import sha256
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from intake.hosted.check_page import parse_sums
from intake.hosted.folder import folder_digest, hosted_folder, unzip_folder, zip_folder
from intake.pages.language_negotiation import accepted_language
from intake.pages.respondent_views import load_survey_page
from privacy.designs import Design
from surveys.kinds.phrase_selection import phrases_for_design
from surveys.phrases.phrase_rendering import with_complete_phrases
from tests.intake import asked

pytestmark = [pytest.mark.page, pytest.mark.django_db]
RECORD = "https://research.example.org/a/abc/record"
HOST = {"host": "https://ethics.example.edu", "record": RECORD}
SECTION = {
    "kind": "unrelated-question",
    "keep": "0.5",
    "questions": [{"name": "theft", "choices": ["no", "yes"], "noise": ["0.4", "0.6"]}],
}


def hosted_design(**more: Any) -> Design:
    given: dict[str, Any] = {"languages": ["en", "ar"], "title": {"en": "Work"}, "asked_at": HOST, **more}
    asks = asked.make_design(SECTION, **given)
    return with_complete_phrases(asks, phrases_for_design(asks))


def files_to_host(**more: Any) -> dict[str, bytes]:
    asks = hosted_design(**more)
    page = load_survey_page(asks, "answer", record_url=RECORD)
    return hosted_folder(page)


def test_the_list_of_files_names_each_with_its_digest() -> None:
    files = files_to_host(accent="#1f5fbf")
    sums = parse_sums(files["SHA256SUMS"])
    assert sums == {
        name: sha256(content).hexdigest() for name, content in files.items() if name != "SHA256SUMS"
    }
    assert folder_digest(files) == sha256(files["SHA256SUMS"]).hexdigest()
    assert {"index.html", "receipt.html", "design.json", "README.txt", "check_page.py"} <= files.keys()
    assert files["design.json"].decode() == hosted_design(accent="#1f5fbf").canonical
    assert any(name.startswith("colour/") for name in files)


def test_the_page_inside_a_tool_sends_nothing_and_may_be_served_from_anywhere() -> None:
    tools = ["https://tool.example.com", "https://www.example.edu"]
    files = files_to_host(asked_at={"inside": tools})
    page, readme = files["index.html"].decode(), files["README.txt"].decode()
    assert "connect-src &#x27;none&#x27;" in page
    assert 'data-host=""' in page
    assert "This page belongs inside tool.example.com, www.example.edu: open it there." in unescape(page)
    assert readme.count('"frame-ancestors https://tool.example.com https://www.example.edu"') == 3
    assert "Opener" not in readme
    assert "#try" not in readme
    assert "Opener" in files_to_host()["README.txt"].decode()


def test_the_same_design_gives_the_same_bytes_also_out_of_its_archive() -> None:
    first = files_to_host()
    assert files_to_host() == first
    assert unzip_folder(zip_folder(first)) == first


@pytest.mark.parametrize("page", ["index.html", "receipt.html"])
def test_a_page_names_only_files_of_the_folder_and_checks_each(page: str) -> None:
    files = files_to_host()
    html = files[page].decode()
    assert not re.search(r'(?:src|href)="/', html)
    for name in re.findall(r'(?:src|href)="\./([^"#]+)"', html):
        assert name in files, name
    loaded = re.findall(r'<(?:script|link)[^>]* (?:src|href)="\./([^"]+\.(?:js|css))"([^>]*)>', html)
    assert len(loaded) > 5
    for name, rest in loaded:
        digest = base64.b64encode(sha256(files[name]).digest()).decode()
        assert f'integrity="sha256-{digest}"' in rest, name


def test_every_module_that_a_script_imports_is_checked_by_the_page() -> None:
    files = files_to_host()
    checked = set(re.findall(r'href="\./([^"]+\.js)" integrity', files["index.html"].decode()))
    checked |= set(re.findall(r'src="\./([^"]+\.js)" integrity', files["index.html"].decode()))
    for name in sorted(checked):
        for path in re.findall(rb'^(?:import|export)\b[^"\n]*?"\./([\w-]+\.js)"', files[name], re.MULTILINE):
            beside = f"{name.rpartition('/')[0]}/{path.decode()}"
            assert beside in checked, (name, beside)


def test_the_policy_comes_first_and_lets_records_go_to_one_address() -> None:
    html = files_to_host()["index.html"].decode()
    first = re.match(
        r'<!doctype html>\s*<html[^>]*>\s*<head>\s*<meta http-equiv="Content-Security-Policy" content="([^"]*)">',
        html,
    )
    assert first
    policy = unescape(first[1])
    (script,) = re.findall(r"<script>(.*?)</script>", html, re.DOTALL)
    digest = base64.b64encode(sha256(script.encode()).digest()).decode()
    assert policy == (
        f"default-src 'none'; script-src 'self' 'sha256-{digest}'; style-src 'self'; img-src 'self' data:; "
        f"connect-src {RECORD}; form-action 'none'; base-uri 'none'; require-trusted-types-for 'script'; "
        "trusted-types 'none'"
    )


def test_the_page_has_no_month_and_remembers_by_the_fingerprint() -> None:
    asks, html = hosted_design(), files_to_host()["index.html"].decode()
    settings = json.loads(re.search(r'id="page">(.*?)</script>', html)[1])  # type: ignore[index]
    assert "epoch" not in settings
    assert (settings["record"], settings["mode"]) == (RECORD, "answer")
    assert f'data-memory="candor {asks.fingerprint}" data-host="https://ethics.example.edu"' in html


def test_the_page_says_who_serves_it_and_who_gets_the_records_in_each_language() -> None:
    html = files_to_host()["index.html"].decode().partition('id="page"')[0]
    about = "This page comes from ethics.example.edu. Your record goes to research.example.org"
    assert html.count(about) == 1
    assert html.count("research.example.org") > 6, "and in Arabic"
    assert "The people who run this site supply this page" not in html
    assert "For trying only" not in html
    local = {"host": "http://localhost:8001", "record": "http://localhost:8000/a/abc/record"}
    trying = files_to_host(asked_at=local)
    assert "For trying only" in trying["index.html"].decode()
    assert "FOR TRYING ONLY" in trying["README.txt"].decode()


def test_the_readme_names_the_headers_and_the_duties_of_a_host() -> None:
    text = files_to_host()["README.txt"].decode()
    servers = ("nginx:", "Apache:", "Caddy:", "object store")
    headers = ("frame-ancestors 'none'", "no-store", "nosniff", "Cross-Origin-Opener-Policy")
    assert [words for words in (*servers, *headers, "origin of its own", "log") if words not in text] == []


def test_this_site_chooses_the_languages_of_the_vectors_that_hold_its_twin() -> None:
    vectors = json.loads((Path(__file__).parents[2] / "vectors" / "languages.json").read_text())
    for vector in vectors:
        weighed = (f"{wish};q={1 - place / 10}" for place, wish in enumerate(vector["wishes"]))
        assert accepted_language(",".join(weighed), vector["offered"]) == vector["language"], vector
