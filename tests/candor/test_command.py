"""The command `candor`: how it starts, what it loads, and how it ends."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from candor.__main__ import COMMANDS, main
from tests.privacy.questionnaires import HALF, question, sensitive, written

ROOT = Path(__file__).parents[2]
HEAVY = ("django", "mlxtend", "numba", "numpy", "pandas", "pyarrow", "scipy", "sklearn")
START = """
import sys, time
import candor, mining, privacy
import candor.__main__
print(time.process_time() < .35, sorted({heavy} & sys.modules.keys()))
"""
MINE = """
import sys
from candor.__main__ import main
status = main(sys.argv[1:])
print(status, sorted({heavy} & sys.modules.keys()), file=sys.stderr)
"""


def python(program: str, *words: str | Path) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-c", program.replace("{heavy}", repr({*HEAVY})), *map(str, words)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)


def test_it_starts_in_a_third_of_a_second_without_a_heavy_package() -> None:
    assert python(START).stdout.split(maxsplit=1) == ["True", "[]\n"]


@pytest.mark.page
def test_disguised_answers_of_yes_and_no_are_mined_without_pandas_and_scipy(tmp_path: Path) -> None:
    design, records = tmp_path / "design.json", tmp_path / "records.csv"
    design.write_text(
        json.dumps(written(sensitive("0.5", question("theft", *HALF), question("lying", *HALF))))
    )
    # More than Python reads by itself, so that machine code reads it.
    rows = ["disguised,yes,yes", "disguised,no,yes", "disguised,yes,no", "open,no,no", "open,yes,yes"]
    records.write_text("\n".join(["group,theft,lying", *rows * 30_000, ""]))
    done = python(MINE, "mine", design, records, "--min-support", ".1", "--min-confidence", ".5")
    assert len(json.loads(done.stdout)["rules"]) == 2
    assert done.stderr.splitlines()[-1] == "0 ['numba', 'numpy']"


def test_without_a_command_it_lists_all_of_them(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    listed = re.findall(r"^    ([a-z-]+)(?: |$)", capsys.readouterr().out, re.MULTILINE)
    assert listed == list(COMMANDS)


def test_each_command_has_a_module_and_a_line_in_the_documents() -> None:
    files = {path.stem.replace("_", "-") for path in (ROOT / "candor/commands").glob("[a-z]*.py")}
    assert files == {*COMMANDS, "command", "mine-files"}
    text = (ROOT / "docs/commands.md").read_text()
    assert {*re.findall(r"^\.venv/bin/python -m candor ([a-z-]+)", text, re.MULTILINE)} == {*COMMANDS}


def test_a_command_that_is_not_there_is_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["guess"])
    assert ended.value.code == 2
    assert "invalid choice: 'guess'" in capsys.readouterr().err


def test_the_process_ends_with_its_status_and_has_written_all(tmp_path: Path) -> None:
    design = tmp_path / "design.json"
    design.write_text(json.dumps(written(sensitive("0.5", question("theft", *HALF)))))
    for path, status in ((design, 0), (tmp_path / "none.json", 1)):
        words = [sys.executable, "-m", "candor", "audit", str(path)]
        env = {name: value for name, value in os.environ.items() if name != "DJANGO_SETTINGS_MODULE"}
        done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, env=env)
        assert done.returncode == status
        assert (done.stdout != "") == (status == 0)
        assert ("none.json: cannot be read" in done.stderr) == (status == 1)
