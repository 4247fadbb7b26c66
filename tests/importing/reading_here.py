"""Reads uploads in this process, for tests of what a page does with the answer; test_isolated has the real process."""

import json
from typing import Any

import pytest

from importing import isolated, isolated_main


@pytest.fixture
def read_here(monkeypatch: pytest.MonkeyPatch) -> None:
    def answer(data: bytes, _place: object, expected: str) -> Any:
        return json.loads(json.dumps(isolated_main.answer(data, expected)))

    monkeypatch.setattr(isolated, "_answer", answer)
