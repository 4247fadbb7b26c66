"""Reads uploads in this process, for tests of what a page does with the answer; test_isolated has the real process."""

import json
from typing import Any

import pytest

from importing import isolated, isolated_main


@pytest.fixture
def read_here(monkeypatch: pytest.MonkeyPatch) -> None:
    def answer(data: bytes, _place: object, _entry: object, configuration: dict[str, Any]) -> Any:
        return json.loads(json.dumps(isolated_main.answer(data, configuration["expected"]))), b""

    monkeypatch.setattr(isolated, "_answer", answer)
