"""Where uploads are read in tests, and what is asked of an import and of a refusal."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings

from importing import isolated_reader, isolated_reader_main, questionnaire_file, xlsform
from importing.faults import FileRefused
from importing.import_result import CHANGED, LEFT, ImportResult
from tests import servers
from tests.cast import judging, reading
from tests.hostile.arena import Arena, arena
from tests.surveys.conftest import closed, destroyed, draft, editor, finished, opened, viewer

__all__ = ["closed", "destroyed", "draft", "editor", "finished", "judging", "opened", "reading", "viewer"]


@pytest.fixture
def read_here(monkeypatch: pytest.MonkeyPatch) -> None:
    def answer(data: bytes, _place: object, _entry: object, configuration: dict[str, Any]) -> Any:
        said = isolated_reader_main.read_or_faults(data, configuration["expected"])
        return json.loads(json.dumps(said)), b""

    monkeypatch.setattr(isolated_reader, "_run_child_process", answer)


@pytest.fixture(autouse=True)
def own_folder_for_reading(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of this test alone, since others read files at the same time; these take long on a busy machine."""
    monkeypatch.setattr(settings, "VAR", tmp_path)
    monkeypatch.setattr(isolated_reader, "PATIENCE", servers.PATIENCE)


@pytest.fixture(scope="module")
def forks(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Arena]:
    """Processes that read a file within their limits, each forked from one that has started."""
    with arena("reading", tmp_path_factory.mktemp("reading")) as running:
        yield running


def questions_of(taken: ImportResult) -> list[dict[str, Any]]:
    return [question for section in taken.draft["sections"] for question in section["questions"]]


def rules(taken: ImportResult) -> dict[str, Any]:
    return {question["name"]: question.get("show_if", {}) for question in questions_of(taken)}


def remarks_of(taken: ImportResult, location: str = "") -> str:
    """All remarks, each behind its row: of the rows of this location, or of all."""
    rows = [line for line in taken.lines if location in ("", line.location)]
    return " ".join(f"{line.location}: {remark}" for line in rows for remark in line.remarks)


def faults(data: bytes, read: Callable[[bytes], object] = questionnaire_file.read) -> list[str]:
    """Of a file that is not taken, a place and a reason each."""
    with pytest.raises(FileRefused) as refusal:
        read(data)
    return [f"{place}: {reason}" for place, reason in refusal.value.faults]


def refusals(data: bytes) -> list[str]:
    return faults(data, xlsform.read)


def outcomes(data: bytes, outcome: str) -> list[str]:
    """What is said of the rows of a form that came to this, a place and a remark in each line."""
    lines = [line for line in xlsform.read(data).lines if line.outcome == outcome]
    return [f"{line.location}: {remark}" for line in lines for remark in line.remarks]


def items_left_out(data: bytes) -> list[str]:
    return outcomes(data, LEFT)


def changes_of(data: bytes) -> list[str]:
    return outcomes(data, CHANGED)
