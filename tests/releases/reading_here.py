"""Reads uploads in this process, for tests of what becomes of a table; test_uploading has the real process."""

import json
from typing import Any

import pytest

from importing import isolated
from releases.reading import binary_tables, process


@pytest.fixture
def read_here(monkeypatch: pytest.MonkeyPatch) -> None:
    def answer(data: bytes, _place: object, _entry: object, configuration: dict[str, Any]) -> Any:
        path = binary_tables.load(data)
        said, text = process.answer(data, configuration["name"], configuration["layout"], path)
        return json.loads(json.dumps(said)), text

    monkeypatch.setattr(isolated, "_answer", answer)
