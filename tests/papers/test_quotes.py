"""quotes.toml: what the five documents print, each with one verdict, and the texts where they are at hand."""

import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import redirect_stdout
from hashlib import sha256
from html import unescape
from importlib import import_module
from io import StringIO
from pathlib import Path
from string import Formatter
from typing import Any

import pytest

from papers.k_anonymity.eleven_example_rows import ROWS
from papers.publishing.medical_table_linkage import MEDICAL, REGISTER
from papers.quotes import Quote, printed_documents, quotes_by_id, terms
from tests import servers

pytestmark = pytest.mark.proof
KINDS = {"caption", "formula", "digits", "claim", "open"}
DOCUMENTS = list(printed_documents())
TEXTS = os.environ.get("CANDOR_DOCUMENTS", "")
with_texts = pytest.mark.skipif(not TEXTS, reason="not run: CANDOR_DOCUMENTS names no folder with the texts")


def rows_of_page(
    made_pages: Path, name: str, language: str = "en"
) -> Iterator[tuple[str, str, str, str, str]]:
    """Id, statement, result, verdict and reason of each row of a page."""
    page = (made_pages / f"{name}.{language}.html").read_text()
    for key, document, ours, verdict, reason in re.findall(
        r'<tr id="q([\w-]+)"><td>(.*?)</td><td>(.*?)</td><td><b class="([\w-]+)">.*?</b>(.*?)</td></tr>',
        page,
        re.DOTALL,
    ):
        yield key, unescape(document), unescape(ours), verdict, unescape(reason.split("<span")[0]).strip()


@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_quote_has_one_verdict_and_no_verdict_is_without_a_quote(made_pages: Path, name: str) -> None:
    for language in ("en", "zh-hans"):
        judged = Counter(key for key, *_row in rows_of_page(made_pages, name, language))
        number = printed_documents()[name].number
        assert judged == Counter(key for key in quotes_by_id() if key.startswith(f"{number}-"))


@pytest.mark.parametrize("name", DOCUMENTS)
def test_what_does_not_hold_says_where_or_why(made_pages: Path, name: str) -> None:
    for key, _document, ours, verdict, reason in rows_of_page(made_pages, name):
        assert verdict in {"holds", "in-part", "fails", "not-public", "beyond"}, key
        assert ours, key
        assert reason or verdict == "holds", key


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_formula_that_the_text_lacks_holds_in_part(made_pages: Path, name: str) -> None:
    """The quote is its number alone, so that no more than the words around it can be judged."""
    for key, _document, _ours, verdict, _reason in rows_of_page(made_pages, name):
        if re.fullmatch(r"\(\d+\)", quotes_by_id()[key].quote):
            assert verdict == "in-part", key


def test_quotes_are_of_a_kind_and_say_what_they_were_computed_with() -> None:
    for quote in quotes_by_id().values():
        assert quote.kind in KINDS, quote.id
        assert quote.line > 0
        assert len(quote.quote) < 120, f"{quote.id} copies a sentence"
        assert quote.by or quote.ours in ("–", "It lists four."), quote.id


def test_what_computed_a_row_is_there() -> None:
    for quote in quotes_by_id().values():
        for name in quote.by:
            module, *attributes = name.split(".")
            found: Any = import_module(module)
            for attribute in attributes:
                module = f"{module}.{attribute}"
                found = getattr(found, attribute, None) or import_module(module)
            assert found is not None, name


def test_every_quote_has_its_words_in_both_languages_with_the_same_numbers() -> None:
    words = re.compile(r"(?<![\w{\\^.])[a-z]{4,}(?![\w(}])")
    for quote in quotes_by_id().values():
        for english, chinese in ((quote.ours, quote.ours_zh), (quote.reason, quote.reason_zh)):
            if words.search(english):
                assert re.search("[一-鿿]", chinese), quote.id
            if chinese:
                assert _names(english) == _names(chinese), quote.id
        assert re.search("[一-鿿]", quote.zh or quote.quote) or quote.kind == "formula", quote.id


def _names(text: str) -> set[str | None]:
    return {name for _text, name, _form, _conversion in Formatter().parse(text)} - {None}


@pytest.mark.parametrize(
    "quote", [quote for quote in quotes_by_id().values() if quote.alone], ids=lambda quote: quote.id
)
def test_a_row_is_recomputed_without_candor(quote: Quote, made_pages: Path) -> None:
    assert len(quote.alone.strip().splitlines()) <= 20
    assert "papers" not in quote.alone
    assert "privacy" not in quote.alone
    printed = StringIO()
    with redirect_stdout(printed):
        exec(quote.alone, {})
    assert printed.getvalue().strip() == quote.prints
    (name,) = (name for name, document in printed_documents().items() if quote.id.startswith(document.number))
    (ours,) = (ours for key, _document, ours, *_rest in rows_of_page(made_pages, name) if key == quote.id)
    assert quote.prints in ours.split("<details")[0]


def test_the_glossary_has_every_term_with_its_chinese_and_its_documents() -> None:
    glossary = (servers.ROOT / "docs/glossary.md").read_text().partition("## Terms of the documents")[2]
    rows = {
        term: (chinese, re.findall(r"\[(\d{3})\]", documents))
        for term, chinese, documents in re.findall(
            r"^\| ([\w -]+) \| ([^|]+) \| ([^|]*) \|", glossary, re.MULTILINE
        )
        if term != "term"
    }
    assert rows == {term.english: (term.chinese, list(term.documents)) for term in terms()}


@pytest.fixture(scope="module")
def texts() -> Mapping[str, list[str]]:
    """The lines of each text by the number of its document."""
    return {path.name[:3]: path.read_text().split("\n") for path in Path(TEXTS).glob("00?_*.txt")}


@with_texts
def test_the_texts_are_those_that_were_read() -> None:
    digests = {path.name[:3]: sha256(path.read_bytes()).hexdigest() for path in Path(TEXTS).glob("00?_*.txt")}
    assert digests == {document.number: document.sha256 for document in printed_documents().values()}


@with_texts
def test_titles_quotes_and_terms_are_those_of_the_texts(texts: Mapping[str, list[str]]) -> None:
    for document in printed_documents().values():
        for line, title in (
            (document.english_line, document.english),
            (document.chinese_line, document.chinese),
        ):
            assert not line or texts[document.number][line - 1] == title
    for quote in quotes_by_id().values():
        assert quote.quote in texts[quote.id[:3]][quote.line - 1], quote.id
    for term in terms():
        for number, (line, words) in term.documents.items():
            assert words in texts[number][line - 1], term.english


@with_texts
def test_the_printed_tables_are_those_of_the_texts(texts: Mapping[str, list[str]]) -> None:
    """Diseases are in Chinese there; all other cells are compared."""
    medical = [tuple(line.split("\t")[:3]) for line in texts["003"][37:43]]
    assert medical == [row[:3] for row in MEDICAL]
    assert [tuple(line.split("\t")) for line in texts["003"][49:54]] == list(REGISTER)
    assert [tuple(line.split("\t")[1:]) for line in texts["001"][148:159]] == ROWS
