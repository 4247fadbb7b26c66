"""The pages at /documents: public, in both languages, from the folder of what was made; their terms."""

import re
from functools import cache
from pathlib import Path

import pytest
from django.test import Client
from django.utils.translation import gettext, override

from papers import site_build
from papers.document_structure import (
    DOCUMENTS,
    STUDIES,
    Claim,
    PrintedItem,
    Reproduction,
    ReproductionOptions,
    Verdict,
    document_title,
)
from papers.glossary_terms import OF_THE_FIELD, QUOTED
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


QUICK = ("studies", "privacy-breach", "k-anonymity")


@cache
def result(name: str) -> Reproduction:
    quiet = ReproductionOptions(lambda _line: None)
    return site_build.reproduce_documents([name], quiet, repeat_long_experiments=False)[name]


def test_every_claim_and_printed_thing_has_a_verdict_and_a_sentence_why() -> None:
    for document in (result(name).document() for name in QUICK):
        judged: list[Claim | PrintedItem] = [*document.claims, *document.printed]
        for item in judged:
            assert isinstance(item.verdict, Verdict)
            assert item.reason.endswith((".", ")"))
        assert sum(document.verdict_counts()) == len(document.claims) + len(document.printed)


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


CHINESE = {
    "square mechanism": "平方机制",
    "discernibility penalty": "可辨别性惩罚",
    "normalised certainty penalty": "归一确定性惩罚",
    "data distortion": "数据失真",
    "consistency attack": "一致性攻击",
    "homogeneity attack": "同质化攻击",
    "complementary release attack": "互补发布攻击",
    "unsorted matching": "未排序匹配",
}


def test_the_glossary_has_every_term_as_the_catalogue_translates_it() -> None:
    glossary = (servers.ROOT / "docs/glossary.md").read_text().partition("## Terms of the documents")[2]
    rows = dict(re.findall(r"^\| ([\w -]+) \| ([^|]+) \| \[00\d\]", glossary, re.MULTILINE))
    with override("zh-hans"):
        assert {term: gettext(term) for term in QUOTED} == CHINESE
        assert rows == {term: gettext(term) for term in (*QUOTED, *OF_THE_FIELD)}
    assert len(rows) == 35
