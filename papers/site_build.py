"""Builds the pages of the documents: for the site, which shows them at /documents, and for a folder.

The body of a page is one template fed by a `Document`; the same numbers give the same bytes.
"""

import fcntl
import gzip
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from hashlib import sha256
from importlib import import_module
from pathlib import Path

from django.conf import settings
from django.template.loader import render_to_string
from django.utils.translation import gettext as _, override

from candor import __version__
from papers import pages_folder
from papers.document_structure import DOCUMENTS, LONG, Document, Reproduction, ReproductionOptions, Verdict
from papers.pages_folder import INDEX, LANGUAGES
from papers.quotes import terms
from ui.references import read_references

NUMBERS = Path(__file__).parent / "numbers"


def render_body(document: Document, *, alone: bool = False) -> str:
    """Renders the body of a document's page in the active language; `alone`: without links to the site."""
    references = [read_references()[key] for key in document.cited]
    context = {"document": document, "references": references, "alone": alone, "version": __version__}
    return render_to_string("papers/document.html", context)


def render_index(documents: Sequence[Document], suffix: str = "") -> str:
    """Renders the body of the list of documents; `suffix`: ending of the links to their pages."""
    context = {"documents": documents, "verdicts": list(Verdict), "suffix": suffix, "terms": terms()}
    return render_to_string("papers/index.html", context)


def render_page(title: str, content: str, name: str, language: str, files: Sequence[str] = ()) -> str:
    """Renders a complete page with its styles inside; it loads no other file."""
    others = {code: words for code, words in LANGUAGES.items() if code != language}
    sheets = [settings.BASE_DIR / "static" / "papers" / sheet for sheet in ("alone.css", "documents.css")]
    style = f"<style>{''.join(sheet.read_text(encoding='utf-8') for sheet in sheets)}</style>"
    context = {"title": title, "content": content, "name": name, "language": language, "others": others}
    return render_to_string("papers/alone.html", {**context, "files": files, "style": style})


def stored_body(name: str, language: str) -> str | None:
    """Returns the stored body of a page; None if it has not been built of these sources."""
    path = pages_folder.page_path(name, language)
    return path.read_text(encoding="utf-8") if path.is_file() else None


def stored_numbers(name: str) -> dict[str, str] | None:
    """Returns the stored tables of a long experiment; None if there are none."""
    paths = {table: NUMBERS / f"{name}-{table}.csv.gz" for table in LONG.get(name, ())}
    if not paths or not all(path.is_file() for path in paths.values()):
        return None
    return {table: gzip.decompress(path.read_bytes()).decode() for table, path in paths.items()}


def reproduce_documents(
    names: Sequence[str], options: ReproductionOptions, repeat_long_experiments: bool
) -> dict[str, Reproduction]:
    """Reproduces these documents; `repeat_long_experiments`: also runs those whose numbers are stored."""
    results: dict[str, Reproduction] = {}
    for name in names:
        options.say(name)
        stored = None if repeat_long_experiments else stored_numbers(name)
        run_of_name = ReproductionOptions(options.say, options.seed, options.repetitions, stored)
        results[name] = import_module(DOCUMENTS[name]).reproduce(run_of_name)
    return results


@contextmanager
def lock_site_pages() -> Iterator[None]:
    """Context manager: lets one process make the pages of the site; others wait, and find them made."""
    for folder in (pages_folder.FOLDER.parent, pages_folder.FOLDER):
        _create_open_folder(folder)
    with (pages_folder.FOLDER / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def store_numbers(results: Mapping[str, Reproduction]) -> None:
    """Stores the numbers of the long experiments in the repository."""
    NUMBERS.mkdir(exist_ok=True)
    for name in LONG.keys() & results.keys():
        for table, text in results[name].tables.items():
            (NUMBERS / f"{name}-{table}.csv.gz").write_bytes(gzip.compress(text.encode(), mtime=0))
    pages_folder.sources_digest.cache_clear()


def store_site_pages(results: Mapping[str, Reproduction]) -> None:
    """Stores the pages of the site; once all are there, deletes those of other sources."""
    bodies: dict[tuple[str, str], str] = {}
    indexes: dict[tuple[str, str], str] = {}
    for language in LANGUAGES:
        with override(language):
            documents = {name: result.document() for name, result in results.items()}
            bodies |= {(name, language): render_body(document) for name, document in documents.items()}
            if len(documents) == len(DOCUMENTS):
                indexes[INDEX, language] = render_index(list(documents.values()))
    folder = pages_folder.site_folder()
    _create_open_folder(folder)
    for page, text in (bodies | indexes).items():
        path = pages_folder.page_path(*page)
        part = path.with_suffix(".part")
        part.write_text(text, encoding="utf-8", newline="")
        part.chmod(0o644)
        part.rename(path)
    if indexes:
        for other in pages_folder.FOLDER.iterdir():
            if other.is_dir() and other != folder:
                shutil.rmtree(other, ignore_errors=True)


def _create_open_folder(folder: Path) -> None:
    """Creates a folder that every account can read, since another one may serve than installs."""
    if not folder.is_dir():
        folder.mkdir()
        folder.chmod(0o755)


def write_folder(results: Mapping[str, Reproduction], folder: Path) -> None:
    """Writes the pages to a folder, each complete, with all tables as CSV and a list of digests."""
    folder.mkdir(parents=True, exist_ok=True)
    files = {
        f"{name}-{table}.csv": text
        for name, result in results.items()
        for table, text in result.tables.items()
    }
    tables = {name: [f"{name}-{table}.csv" for table in result.tables] for name, result in results.items()}
    for language in LANGUAGES:
        with override(language):
            documents = {name: result.document() for name, result in results.items()}
            for name, document in documents.items():
                text = render_page(
                    document.title, render_body(document, alone=True), name, language, tables[name]
                )
                files[f"{name}.{language}.html"] = text
            if len(documents) > 1:
                text = render_index(list(documents.values()), f".{language}.html")
                files[f"{INDEX}.{language}.html"] = render_page(
                    _("Documents made again"), text, INDEX, language
                )
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8", newline="")
    digests = [f"{sha256(text.encode()).hexdigest()}  {name}\n" for name, text in sorted(files.items())]
    (folder / "SHA256SUMS").write_text("".join(digests), encoding="utf-8", newline="")
