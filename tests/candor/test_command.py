"""The command `candor`: how it starts, what it loads, and how it ends."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from candor.__main__ import COMMANDS, main
from mining.compile_kernels import KERNELS
from tests.privacy.questionnaires import HALF, question, sensitive, written

ROOT = Path(__file__).parents[2]
HEAVY = ("django", "mlxtend", "numba", "numba.np.linalg", "numpy", "pandas", "pyarrow", "scipy", "sklearn")
START = """
import sys
import candor, candor.__main__
print(sorted({heavy} & sys.modules.keys()))
candor.read_design, candor.read_records, candor.audit, candor.anonymize, candor.fit_model, candor.warner
print(sorted({heavy} & sys.modules.keys()))
"""
MINE = """
import sys
from candor.__main__ import main
status = main(sys.argv[1:])
print(status, sorted({heavy} & sys.modules.keys()), file=sys.stderr)
"""
THREADS = """
import os
import candor.__main__
candor.__main__.main = lambda: __import__("numpy") and print(len(os.listdir("/proc/self/task"))) or 0
candor.__main__.run()
"""


def python(program: str, *words: str | Path) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-c", program.replace("{heavy}", repr({*HEAVY})), *map(str, words)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)


@pytest.mark.page
def test_the_package_and_its_command_load_no_heavy_package_and_what_reads_files_numpy_alone() -> None:
    assert python(START).stdout.splitlines() == ["[]", "['numpy']"]


@pytest.mark.page
def test_disguised_answers_of_yes_and_no_are_mined_without_pandas_and_scipy(tmp_path: Path) -> None:
    design, records = tmp_path / "design.json", tmp_path / "records.csv"
    design.write_text(
        json.dumps(written(sensitive("0.5", question("theft", *HALF), question("lying", *HALF))))
    )
    # More than Python reads by itself, so that machine code reads it.
    rows = ["disguised,yes,yes", "disguised,no,yes", "disguised,yes,no", "open,no,no", "open,yes,yes"]
    records.write_text("\n".join(["group,theft,lying", *rows * 12_000, ""]))
    # Compiling loads more.
    for name in ("counting", "score-test", "score-moments", "record-files"):
        KERNELS[name]()
    done = python(MINE, "mine", design, records, "--min-support", ".1", "--min-confidence", ".5")
    assert len(json.loads(done.stdout)["rules"]) == 2
    assert done.stderr.splitlines()[-1] == "0 ['numba', 'numpy']"


@pytest.mark.page
def test_numpy_starts_no_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENBLAS_NUM_THREADS", raising=False)
    assert python(THREADS).stdout == "1\n"


def test_without_a_command_it_lists_all_of_them(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    listed = re.findall(r"^    ([a-z-]+)(?: |$)", capsys.readouterr().out, re.MULTILINE)
    assert listed == list(COMMANDS)


def test_each_command_has_a_module_and_a_line_in_the_documents() -> None:
    files = {path.stem.replace("_", "-") for path in (ROOT / "candor/commands").glob("[a-z]*.py")}
    assert files == {*COMMANDS, "command-base"}
    text = (ROOT / "docs/commands.md").read_text()
    assert {*re.findall(r"^\.venv/bin/python -m candor ([a-z-]+)", text, re.MULTILINE)} == {*COMMANDS}


@pytest.mark.page
def test_bash_completes_commands_and_options(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", "bash"]) == 0
    script = capsys.readouterr().out
    for words, completed in (
        ("ar", "arms"),
        ("mine --min-c", "--min-confidence"),
        ("own-table t.csv --th", "--theta"),
    ):
        asked = f"COMP_WORDS=(candor {words}); COMP_CWORD={len(words.split())}; _candor"
        program = f'{script}\n{asked}; echo "${{COMPREPLY[@]}}"'
        done = subprocess.run(["bash", "-c", program], capture_output=True, text=True)
        assert done.stdout.split() == [completed], done.stderr


@pytest.mark.page
def test_zsh_and_fish_know_every_command_and_option(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", "zsh"]) == 0
    zsh = capsys.readouterr().out
    assert "waves) compadd -- --help --drawn-anew ;;" in zsh
    assert main(["completion", "fish"]) == 0
    fish = capsys.readouterr().out
    assert "-n '__fish_seen_subcommand_from waves' -l drawn-anew" in fish
    for name, text in COMMANDS.items():
        assert f"'{name}:{text}'" in zsh
        assert f"-f -a {name} -d '{text}'" in fish


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


def test_check_says_what_it_read_and_refuses_the_first_bad_record(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    design, records = tmp_path / "design.json", tmp_path / "records.csv"
    design.write_text(
        json.dumps(written(sensitive("0.5", question("theft", *HALF), question("lying", *HALF))))
    )
    records.write_text("group,theft,lying\nopen,yes,no\ndisguised,no,no\ndisguised,yes,yes\n")
    assert main(["check", str(design), str(records)]) == 0
    told = json.loads(capsys.readouterr().out)
    assert {**told, "design": len(told["design"])} == {
        "design": 64,
        "questions": 2,
        "sensitive": 2,
        "open": 1,
        "disguised": 2,
    }
    records.write_text("group,theft,lying\nopen,yes,perhaps\n")
    assert main(["check", str(design), str(records)]) == 1
    assert "perhaps" in capsys.readouterr().err
    design.write_text("{}")
    assert main(["check", str(design)]) == 1
