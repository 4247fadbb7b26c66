"""A published report made by hand, of a survey whose record files nobody has allowed; the form of a deposit as a person
fills it in; the files of a download, and the list of their sums."""

import io
from hashlib import sha256
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from django.http import StreamingHttpResponse

from tests.cast import partial, viewer
from tests.jobs.conftest import broker
from tests.reports.conftest import published_review, review, run, survey

__all__ = ["broker", "partial", "published_review", "review", "run", "survey", "viewer"]
FORM = {
    "title": "Work & health",
    "creators": "Owner, Olga; 0000-0002-1825-0097\nInstitute of Work",
    "contact": "olga@example.org",
    "publisher": "Zenodo",
    "year": "2026",
    "licence": "CC-BY-4.0",
    "language": "en",
    "doi": "",
}


@pytest.fixture(autouse=True)
def folder_of_machine_code(monkeypatch: pytest.MonkeyPatch) -> None:
    """A deposit's script sets it in its own process, which is that of the tests here: no later test shall find it."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", "")


def files_of(answer: Any) -> dict[str, bytes]:
    return files_in(bytes_of(answer))


def files_in(content: bytes) -> dict[str, bytes]:
    archive = ZipFile(io.BytesIO(content))
    return {name: archive.read(name) for name in archive.namelist()}


def bytes_of(answer: Any) -> bytes:
    assert isinstance(answer, StreamingHttpResponse), answer.status_code
    pieces: Any = answer.streaming_content
    return b"".join(pieces)


def list_files(folder: Path) -> None:
    """Writes SHA256SUMS, as somebody would who changes files and knows of the list."""
    names = (path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    lines = (
        f"{sha256((folder / name).read_bytes()).hexdigest()}  {name}\n"
        for name in sorted(names)
        if name != "SHA256SUMS"
    )
    (folder / "SHA256SUMS").write_text("".join(lines))
