"""The pages of the site as the installation makes them: all of them, once for a state of the sources, open to read."""

import fcntl
import os
import re
import stat
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from papers import pages_folder, site_build
from papers.document_structure import DOCUMENTS, LONG, STUDIES, Document, Reproduction, Verdict
from papers.management.commands import reproduce as command
from papers.pages_folder import INDEX, LANGUAGES, are_all_pages_made
from tests import servers

pytestmark = pytest.mark.page
ALL = {f"{name}.{language}.html" for name in (*DOCUMENTS, INDEX) for language in LANGUAGES}


def make_pages() -> None:
    call_command("reproduce", "all", stderr=StringIO())


@pytest.fixture
def reproductions(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the documents that were reproduced so far; each is an empty page with a table of one number."""
    names: list[str] = []
    empty = Reproduction(lambda: Document(STUDIES, "", "", (), [], [], []), {"n": "n\r\n1\r\n"})

    def reproduce_nothing(asked: list[str], *_options: object) -> dict[str, Reproduction]:
        names.extend(asked)
        return dict.fromkeys(asked, empty)

    monkeypatch.setattr(command, "reproduce_documents", reproduce_nothing)
    return names


@pytest.mark.proof
def test_all_documents_and_their_list_are_made_in_both_languages(made_pages: Path) -> None:
    assert {path.name for path in made_pages.iterdir()} == ALL
    for name in DOCUMENTS:
        english, chinese = ((made_pages / f"{name}.{code}.html").read_text() for code in LANGUAGES)
        for page in (english, chinese):
            assert set(re.findall(r'<b class="([\w-]+)">', page)) <= {verdict.value for verdict in Verdict}
            assert page.count("<table") > 2
            assert "<svg" in page
        assert "What of the document holds" in english
        assert re.search("<h2>[一-鿿]{4}", chinese)


@pytest.mark.proof
def test_the_list_counts_the_verdicts_of_each_page(made_pages: Path) -> None:
    rows = re.findall(
        r'<a href="/app/documents/([\w-]+)">.*?</a></td>((?:<td class="number">\d+</td>)+)',
        (made_pages / "index.en.html").read_text(),
    )
    assert [name for name, _counts in rows] == list(DOCUMENTS)
    for name, counts in rows:
        page = (made_pages / f"{name}.en.html").read_text()
        assert [int(count) for count in re.findall(r"\d+", counts)] == [
            page.count(f'<b class="{verdict.value}">') for verdict in Verdict
        ], name


def test_pages_that_are_there_are_not_made_again(folder_of_pages: Path, reproductions: list[str]) -> None:
    make_pages()
    assert reproductions == list(DOCUMENTS)
    assert {path.name for path in folder_of_pages.iterdir()} == ALL
    make_pages()
    assert reproductions == list(DOCUMENTS)
    (folder_of_pages / "index.zh-hans.html").unlink()
    make_pages()
    assert reproductions == [*DOCUMENTS, *DOCUMENTS]


def test_one_document_alone_does_not_make_the_site_complete(
    folder_of_pages: Path, reproductions: list[str]
) -> None:
    call_command("reproduce", STUDIES, stderr=StringIO())
    assert {path.name for path in folder_of_pages.iterdir()} == {
        f"{STUDIES}.{code}.html" for code in LANGUAGES
    }
    assert not are_all_pages_made()
    make_pages()
    assert reproductions == [STUDIES, *DOCUMENTS]


def test_other_sources_have_other_pages_and_the_old_ones_go(
    folder_of_pages: Path, reproductions: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    make_pages()
    monkeypatch.setattr(pages_folder, "sources_digest", lambda: "other")
    assert not are_all_pages_made()
    make_pages()
    assert are_all_pages_made()
    folders = {path.name for path in folder_of_pages.parent.iterdir() if path.is_dir()}
    assert folders == {"other"}


@pytest.mark.parametrize("change", ["numbers", "experiment", "mathematics", "template", "words", "packages"])
def test_each_source_counts(change: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = {
        "numbers": "papers/numbers/grouped-model-w.csv.gz",
        "experiment": "papers/location/expected_errors.py",
        "mathematics": "mining/inference/score_test.py",
        "template": "templates/papers/table.html",
        "words": "locale/zh_Hans/LC_MESSAGES/django.mo",
        "packages": "requirements.lock",
    }
    monkeypatch.setattr(pages_folder, "ROOT", tmp_path)
    for path in paths.values():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text("before")
    before = pages_folder.sources_digest.__wrapped__()
    assert pages_folder.sources_digest.__wrapped__() == before
    (tmp_path / paths[change]).write_text("after")
    assert pages_folder.sources_digest.__wrapped__() != before


def test_the_sources_are_there() -> None:
    assert [pattern for pattern in pages_folder.SOURCES if not list(pages_folder.ROOT.glob(pattern))] == []


def test_every_account_can_read_the_pages_whatever_the_umask(
    folder_of_pages: Path, reproductions: list[str]
) -> None:
    before = os.umask(0o077)
    try:
        make_pages()
    finally:
        os.umask(before)
    for folder in (folder_of_pages.parent.parent, folder_of_pages.parent, folder_of_pages):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o755
    assert {stat.S_IMODE(path.stat().st_mode) for path in folder_of_pages.iterdir()} == {0o644}


def test_a_folder_that_cannot_be_written_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "build").write_text("in the way")
    monkeypatch.setattr(pages_folder, "FOLDER", tmp_path / "build" / "documents")
    with pytest.raises(CommandError, match=r"build.*: cannot be written \((File exists|Not a directory)\)"):
        make_pages()


def test_a_second_maker_waits_and_finds_the_pages(
    folder_of_pages: Path, reproductions: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    waits, flock = Event(), fcntl.flock

    def wait_for_lock(*asked: Any) -> None:
        waits.set()
        flock(*asked)

    with site_build.lock_site_pages():
        monkeypatch.setattr(fcntl, "flock", wait_for_lock)
        second = Thread(target=make_pages)
        second.start()
        assert waits.wait(servers.PATIENCE)
        folder_of_pages.mkdir()
        for language in LANGUAGES:
            pages_folder.page_path(INDEX, language).touch()
    second.join()
    assert reproductions == []


@pytest.fixture
def own_sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder for all sources, which has none yet."""
    monkeypatch.setattr(pages_folder, "ROOT", tmp_path)
    pages_folder.sources_digest.cache_clear()
    yield tmp_path
    pages_folder.sources_digest.cache_clear()


def test_numbers_are_stored_only_if_they_are_computed_again_and_have_pages_of_their_own(
    own_sources: Path, folder_of_pages: Path, reproductions: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    numbers = own_sources / "papers" / "numbers"
    numbers.parent.mkdir()
    monkeypatch.setattr(site_build, "NUMBERS", numbers)
    make_pages()
    assert not numbers.exists()
    assert are_all_pages_made()
    call_command("reproduce", "all", "--again", stderr=StringIO())
    assert reproductions == [*DOCUMENTS, *DOCUMENTS]
    assert {path.name for path in numbers.iterdir()} == {f"{name}-n.csv.gz" for name in LONG}
    assert pages_folder.site_folder() != folder_of_pages
    assert are_all_pages_made()
