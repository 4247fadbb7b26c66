"""The pages at /documents: public, in both languages, from the folder of what was made; their terms."""

import re
from functools import cache
from pathlib import Path

import pytest
from django.test import Client
from django.utils.translation import override

from candor import __version__
from papers import site_build
from papers.document_structure import DOCUMENTS, STUDIES, Reproduction, ReproductionOptions, document_title
from papers.pages_folder import INDEX, LANGUAGES
from tests import servers

pytestmark = pytest.mark.page


def write_page(folder: Path, name: str, language: str, body: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.{language}.html").write_text(body)


@pytest.mark.parametrize(
    ("language", "words"), [("en", "This page is not here yet"), ("zh-hans", "此页尚未生成")]
)
@pytest.mark.usefixtures("folder_of_pages")
def test_while_a_page_is_missing_a_sentence_says_how_to_make_it(
    language: str, words: str, client: Client
) -> None:
    for name in ("", *DOCUMENTS):
        response = client.get(f"/app/documents/{name}", headers={"accept-language": language})
        assert response.status_code == 404, name
        assert words in response.text, name
        assert "<code>manage.py reproduce all</code>" in response.text, name


def test_what_was_made_is_shown_in_the_readers_language(folder_of_pages: Path, client: Client) -> None:
    for code in LANGUAGES:
        write_page(folder_of_pages, STUDIES, code, f"<p>body in {code}</p>")
    for language in LANGUAGES:
        response = client.get(f"/app/documents/{STUDIES}", headers={"accept-language": language})
        assert response.status_code == 200
        assert f"<p>body in {language}</p>" in response.text
        with override(language):
            assert f"<h1>{document_title(STUDIES)}</h1>" in response.text


def test_nobody_need_sign_in_and_nothing_is_sent_there(folder_of_pages: Path, client: Client) -> None:
    write_page(folder_of_pages, INDEX, "en", "<p>list</p>")
    assert client.get("/app/documents/").status_code == 200
    for address in ("/app/documents/", f"/app/documents/{STUDIES}"):
        assert client.post(address).status_code == 405
    assert client.get("/app/documents/another").status_code == 404
    for address in ("/", "/app/method", "/app/limits"):
        assert 'href="/app/documents/"' in client.get(address).text
    assert "`/documents`" in (servers.ROOT / "README.md").read_text()


def test_a_page_has_an_address_that_names_its_version(folder_of_pages: Path, client: Client) -> None:
    write_page(folder_of_pages, STUDIES, "en", "<p>body</p>")
    address = f"/app/documents/{STUDIES}/{__version__}"
    for shown in (client.get(f"/app/documents/{STUDIES}"), client.get(address)):
        assert "<p>body</p>" in shown.text
        assert f'<a href="http://testserver{address}">' in shown.text
    assert client.get(f"/app/documents/another/{__version__}").status_code == 404


def test_the_address_of_another_version_says_how_to_get_its_page(
    folder_of_pages: Path, client: Client
) -> None:
    write_page(folder_of_pages, STUDIES, "en", "<p>body</p>")
    response = client.get(f"/app/documents/{STUDIES}/0.0.9")
    assert response.status_code == 404
    assert "<p>body</p>" not in response.text
    assert f"that of version 0.0.9; here is version {__version__}" in response.text


QUICK = ("studies", "privacy-breach", "k-anonymity")


@cache
def result(name: str) -> Reproduction:
    quiet = ReproductionOptions(lambda _line: None)
    return site_build.reproduce_documents([name], quiet, repeat_long_experiments=False)[name]


def test_a_slider_has_its_numbers_in_the_page_and_asks_nobody(folder_of_pages: Path, client: Client) -> None:
    script = (servers.ROOT / "static/papers/sliders.js").read_text()
    assert not re.search(r"fetch|XMLHttpRequest|import\(|innerHTML", script)
    write_page(folder_of_pages, "privacy-breach", "en", "<p>page</p>")
    page = client.get("/app/documents/privacy-breach")
    assert "script-src 'self'" in page["Content-Security-Policy"]
    assert re.search(r'<script type="module" src="/static/papers/sliders[^"]*\.js">', page.text)
    for document in (result(name).document() for name in QUICK):
        for section in document.sections:
            for slider in section.sliders:
                assert 0 <= slider.start < len(slider.lines)
                assert all(len(line) == len(slider.head) for line in slider.lines)
                steps = [line[0] for line in slider.lines]
                assert steps == sorted(set(steps))
