"""Writes what is reproduced: a page a document in each language, its numbers as CSV, and the digests of all files."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from importlib import import_module
from pathlib import Path

from django.utils.translation import override

from papers.page import Page, html, index

LANGUAGES = {"en": "English", "zh-hans": "简体中文"}
DOCUMENTS = {
    "privacy-breach": "papers.privacy_breach",
    "k-anonymity": "papers.k_anonymity",
    "location": "papers.location",
    "publishing": "papers.publishing",
    "grouped-model": "papers.grouped_model",
    "studies": "papers.studies",
}
"""The module of each, whose function `reproduced` takes a `Run`. In the order of docs/references.md."""


@dataclass(frozen=True)
class Run:
    """`cache`: the folder of the compiled kernels; `say` is told of every step. Only grouped-model draws by `seed`."""

    cache: Path
    say: Callable[[str], object] = print
    seed: int = 1
    repetitions: int = 30


@dataclass(frozen=True)
class Reproduced:
    """`page` is in the active language; `tables` are CSV by name."""

    page: Callable[[], Page]
    tables: Mapping[str, str]


def reproduce(names: Sequence[str], folder: Path, run: Run) -> None:
    """Into one folder; the same seed gives the same bytes."""
    folder.mkdir(parents=True, exist_ok=True)
    results: dict[str, Reproduced] = {}
    for name in names:
        run.say(name)
        results[name] = import_module(DOCUMENTS[name]).reproduced(run)
    files = {
        f"{name}-{table}.csv": text for name, made in results.items() for table, text in made.tables.items()
    }
    for language in LANGUAGES:
        with override(language):
            pages = {name: made.page() for name, made in results.items()}
            for name, page in pages.items():
                files[f"{name}.{language}.html"] = html(page, name, language, _others(name, language))
            if len(pages) > 1:
                files[f"index.{language}.html"] = index(pages, language, _others("index", language))
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8", newline="")
    digests = [f"{sha256(text.encode()).hexdigest()}  {name}\n" for name, text in sorted(files.items())]
    (folder / "SHA256SUMS").write_text("".join(digests), encoding="utf-8", newline="")


def _others(name: str, language: str) -> dict[str, str]:
    return {title: f"{name}.{code}.html" for code, title in LANGUAGES.items() if code != language}
