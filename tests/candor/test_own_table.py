"""The command `candor own-table`."""

import json
from pathlib import Path

import pytest

from candor.__main__ import main
from mining.own_table import experiment

CSV = "theft,lie,age\n" + "".join(
    f"{'yes' if n % 3 else 'no'},{'yes' if n % 2 else 'no'},{n}\n" for n in range(300)
)


@pytest.fixture(autouse=True)
def no_curves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(experiment, "CURVES", {"keep": (0.2, 0.8)})


@pytest.mark.page
def test_it_writes_the_files_of_the_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = tmp_path / "own.csv"
    table.write_text(CSV)
    assert main(["own-table", str(table), "--keep", "0.6", "-o", str(tmp_path / "out")]) == 0
    assert "age: has more than 12 different values" in capsys.readouterr().err
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "curves.csv",
        "result.json",
        "rules.csv",
    ]
    assert main(["own-table", str(table), "--keep", "0.6"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed == json.loads((tmp_path / "out" / "result.json").read_text())
    assert (printed["settings"]["keep"], printed["rows"]) == (0.6, 300)


def test_a_refusal_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = tmp_path / "own.csv"
    table.write_text("a\n1\n")
    assert main(["own-table", str(table)]) == 1
    assert capsys.readouterr().err.startswith("CommandError: own.csv: 1 rows below")
    assert main(["own-table", str(tmp_path / "none.csv")]) == 1
