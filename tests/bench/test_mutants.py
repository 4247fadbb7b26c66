"""The mutants are drawn from rooms and tried by tests that are there; a failure or a crash notices a change."""

import json
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from bench import mutants
from tests.servers import ROOT

Killing = Callable[[int], bool]


def test_mutants_name_existing_rooms_and_tests() -> None:
    named = {path for area in mutants.AREAS.values() for paths in area for path in paths}
    assert [path for path in sorted(named) if not (ROOT / path).exists()] == []


def test_faults_name_existing_lines(tmp_path: Path) -> None:
    for row in json.loads(mutants.FAULTS.read_text()):
        fault = mutants.Change(**row)
        (tmp_path / fault.file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / fault.file).write_text((ROOT / fault.file).read_text())
        assert fault.old != fault.new
        assert fault.apply(tmp_path), fault


@pytest.fixture
def is_signal_noticed_runner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Killing:
    """Returns whether a test that sends its own process this signal is noticed; 0 sends none."""
    # The test is not of the product.
    monkeypatch.delenv("DJANGO_SETTINGS_MODULE")

    def notice(number: int) -> bool:
        test = f"import os\n\n\ndef test_it():\n    os.kill(os.getpid(), {number})\n"
        (tmp_path / "test_it.py").write_text(test)
        return mutants.notice(["test_it.py"], tmp_path)

    return notice


@pytest.mark.night
def test_crash_counts_as_noticed_but_an_outside_end_does_not(is_signal_noticed_runner: Killing) -> None:
    assert is_signal_noticed_runner(signal.SIGSEGV)
    assert not is_signal_noticed_runner(0)
    for outside in (signal.SIGKILL, signal.SIGTERM):
        with pytest.raises(AssertionError):
            is_signal_noticed_runner(outside)
