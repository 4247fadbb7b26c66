"""`reproduce` itself: what it accepts, and what it says where it cannot."""

import csv
import re
from hashlib import sha256
from html import unescape
from io import StringIO
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from django.core.management import CommandError, call_command

from papers.document_structure import DOCUMENTS, ReproductionOptions, Verdict
from papers.grouped_model.result_tables import Mean
from papers.management.commands.reproduce import Command
from papers.pages_folder import LANGUAGES
from papers.site_build import reproduce_documents, write_folder
from tests import servers

# What it wrote: its pages as texts, its tables as lines.

Line = dict[str, str]


def reproduce_into(name: str, into: Path, *options: str) -> Path:
    call_command("reproduce", name, "-o", str(into), *options, stderr=StringIO())
    return into


def table(folder: Path, name: str) -> list[Line]:
    with (folder / f"{name}.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def text(folder: Path, name: str, language: str = "en") -> str:
    """Words of a page without its figures; a cell of a table ends with a bar."""
    page = (folder / f"{name}.{language}.html").read_text()
    page = re.sub(r"<style>.*?</style>|<figure.*?</figure>", "", page, flags=re.DOTALL)
    return unescape(re.sub(r"<[^>]+>", "", re.sub(r"</t[dh]>", " | ", page)))


def verdict(folder: Path, name: str, claim: str) -> str:
    """Of the row with this quote."""
    page = (folder / f"{name}.en.html").read_text()
    lines = re.findall(r'<tr id="q([\w-]+)">.*?<b class="[\w-]+">(.*?)</b>', page, re.DOTALL)
    (found,) = [verdict for key, verdict in lines if key == claim]
    return str(found)


def test_a_mean_of_what_cannot_be_estimated_is_none() -> None:
    assert Mean.from_values(np.array([1.0, np.nan])) is None
    assert Mean.from_values(np.array([1.0, 3.0])) == Mean(2.0, 1.0)


def test_a_mistake_in_use_is_said_before_anything_is_written(tmp_path: Path) -> None:
    fixed = [name for name in DOCUMENTS if name != "grouped-model"]
    odd_numbers = [("--repetitions", "1"), ("--repetitions", "many"), ("--seed", "-1"), ("--seed", "x")]
    changed = ("--repetitions", "3"), ("--seed", "0")
    for name, option, words in (
        ("another", (), "invalid choice"),
        *(("grouped-model", odd, "a whole number, at least") for odd in odd_numbers),
        *((name, odd, "has a fixed seed") for name, odd in product(fixed, changed)),
    ):
        with pytest.raises(CommandError, match=words):
            call_command("reproduce", name, "-o", str(tmp_path), *option)
        assert not list(tmp_path.iterdir()), name


def test_where_nothing_can_be_written_one_line_says_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    told = StringIO()
    with pytest.raises(CommandError, match=r"file: cannot be written \(File exists\)"):
        call_command("reproduce", "all", "-o", str(tmp_path / "file"), stderr=told)
    # Before anything is computed.
    assert told.getvalue() == ""


def test_the_documents_give_the_command_with_options_that_it_has() -> None:
    commands = (servers.ROOT / "docs/commands.md").read_text()
    (line,) = re.findall(r"manage\.py reproduce (NAME .*)", commands)
    parser = Command().create_parser("manage.py", "reproduce")
    args = parser.parse_args(line.replace("NAME", "all").replace("[", "").replace("]", "").split())
    assert (args.seed, args.repetitions) == (ReproductionOptions.seed, ReproductionOptions.repetitions)
    for name in DOCUMENTS:
        assert f"`{name}`" in commands


def silent_options() -> ReproductionOptions:
    return ReproductionOptions(lambda _line: None)


def judged_rows(page: str) -> list[str]:
    return re.findall(r'<tr id="q.*?</tr>', page, re.DOTALL)


@pytest.mark.proof
def test_what_is_reproduced_says_the_same_as_the_pages(folder: Path, made_pages: Path) -> None:
    for name, language in product(SOME, LANGUAGES):
        shown, written = ((of / f"{name}.{language}.html").read_text() for of in (made_pages, folder))
        assert judged_rows(shown) == judged_rows(written) != []


SOME = ("k-anonymity", "studies")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The quick documents, as `all` writes all of them."""
    into = tmp_path_factory.mktemp("papers") / "new"
    write_folder(reproduce_documents(SOME, silent_options(), repeat_long_experiments=False), into)
    return into


@pytest.mark.proof
def test_all_make_one_folder_with_a_page_a_document_and_language(folder: Path) -> None:
    names = {path.name for path in folder.iterdir()}
    for language in LANGUAGES:
        assert {f"{name}.{language}.html" for name in (*SOME, "index")} <= names
    assert {name.split(".")[-1] for name in names - {"SHA256SUMS"}} == {"html", "csv"}
    index = (folder / "index.en.html").read_text()
    for name in SOME:
        assert f'href="{name}.en.html"' in index
    assert 'href="index.zh-hans.html"' in index


@pytest.mark.proof
def test_the_digests_are_those_of_all_files(folder: Path) -> None:
    lines = (folder / "SHA256SUMS").read_text().splitlines()
    digests = {name: digest for digest, name in (line.split("  ") for line in lines)}
    assert set(digests) == {path.name for path in folder.iterdir()} - {"SHA256SUMS"}
    for name, digest in digests.items():
        assert sha256((folder / name).read_bytes()).hexdigest() == digest


@pytest.mark.night
@pytest.mark.proof
def test_the_same_seed_gives_the_same_bytes(folder: Path, tmp_path: Path) -> None:
    write_folder(reproduce_documents(SOME, silent_options(), repeat_long_experiments=False), tmp_path)
    for path in folder.iterdir():
        assert path.read_bytes() == (tmp_path / path.name).read_bytes()


@pytest.mark.proof
@pytest.mark.parametrize("name", SOME)
def test_a_page_names_its_document_and_links_tables_and_the_other_language(folder: Path, name: str) -> None:
    for language, other in (("en", "zh-hans"), ("zh-hans", "en")):
        page = (folder / f"{name}.{language}.html").read_text()
        assert f'<html lang="{language}">' in page
        assert f'href="{name}.{other}.html"' in page
        assert "<cite>" in page
        for file in re.findall(r'href="([^"]+\.csv)"', page):
            assert (folder / file).exists()
        # Nothing is fetched from elsewhere, and nothing runs.
        assert not re.search(r"<script|<img|https?://", page)
        verdicts = re.findall(r'<b class="([\w-]+)">', page)
        assert verdicts
        assert set(verdicts) <= {verdict.value for verdict in Verdict}
    # Headings, captions, claims and figures are Chinese; names of works, symbols and values stay as they are.
    page = re.sub(r"<style>.*?</style>", "", (folder / f"{name}.zh-hans.html").read_text(), flags=re.DOTALL)
    for part in re.findall(r"<(?:h1|h2|caption|title|summary)>([^<]+)<", page):
        assert re.search("[\u4e00-\u9fff]", part), part
