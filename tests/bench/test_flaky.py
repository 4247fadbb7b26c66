"""Tests are run often enough, and in all parts, to find those that fail by chance."""

import json
from pathlib import Path

import pytest

from bench import flaky
from tests import servers


def test_ten_nights_run_every_test_file_once() -> None:
    files = [file for part in range(flaky.PARTS) for file in flaky.files_of_part(part)]
    every = {str(path.relative_to(servers.ROOT)) for path in (servers.ROOT / "tests").rglob("test_*.py")}
    assert len(files) == len(every)
    assert {*files} == every


@pytest.mark.night
@pytest.mark.page
def test_flaky_test_is_named_and_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    apart = ["-p", "tests.processes", "-p", "no:django", "-c", str(tmp_path / "pytest.ini")]
    monkeypatch.setattr(flaky, "PYTEST", [*flaky.PYTEST[:5], *apart])
    marks = tmp_path / "marks"
    marks.mkdir()
    test = tmp_path / "test_sometimes.py"
    test.write_text(
        "from pathlib import Path\n\n\ndef test_a():\n"
        f"    marks = Path({str(marks)!r})\n    number = len(list(marks.iterdir()))\n"
        "    (marks / str(number)).touch()\n    assert number % 2 == 0\n"
    )
    counts = tmp_path / "counts.json"
    assert flaky.main(["--times", "3", "--busy", "1", "--counts", str(counts), str(test)]) == 1
    assert "test_sometimes.py::test_a failed 1 of 3 times" in capsys.readouterr().out
    result = json.loads(counts.read_text())
    assert result["passed"] == 2
    assert len(result["failed_tests"]) == 1
    assert (
        flaky.main(["--times", "1", "--busy", "0", "--counts", str(counts), str(tmp_path / "none.py")]) == 1
    )
    assert json.loads(counts.read_text()) == {"passed": 0, "failed_tests": ["no result with seed 0"]}
