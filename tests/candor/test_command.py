"""The package `candor` and its command: what they offer and load, how the command starts and ends."""

import ast
import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import candor
from candor.__main__ import COMMANDS, main
from mining.compile_kernels import KERNELS
from mining.own_table import experiment
from tests.privacy.questionnaires import HALF, make_design, question, sensitive

ROOT = Path(__file__).parents[2]
DESIGN = json.dumps(make_design(sensitive("0.5", question("theft", *HALF), question("lying", *HALF))))
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


def names_for_type_checkers() -> dict[str, str]:
    """The module of each name, as the block for type checkers has it."""
    tree = ast.parse(Path(candor.__file__).read_text())
    block = next(node for node in tree.body if isinstance(node, ast.If))
    imports = [node for node in block.body if isinstance(node, ast.ImportFrom)]
    return {
        alias.name: node.module or ""
        for node in imports
        for alias in node.names
        if alias.asname == alias.name
    }


def test_type_checkers_see_the_public_names() -> None:
    assert names_for_type_checkers() == candor._NAMES
    assert {*candor._NAMES} <= {*dir(candor)}
    for room in ("candor", "mining", "privacy"):
        assert (ROOT / room / "py.typed").is_file()


@pytest.mark.page
def test_each_public_name_is_its_modules() -> None:
    for name, module in candor._NAMES.items():
        value = getattr(candor, name)
        assert getattr(value, "__module__", module).startswith(module.partition(".")[0])


def test_unknown_name_of_the_package_raises() -> None:
    with pytest.raises(AttributeError, match="no attribute 'guess'"):
        candor.guess  # type: ignore[attr-defined]  # noqa: B018


def python(program: str, *words: str | Path) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-c", program.replace("{heavy}", repr({*HEAVY})), *map(str, words)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)


@pytest.mark.page
def test_package_and_command_load_no_heavy_library() -> None:
    assert python(START).stdout.splitlines() == ["[]", "['numpy']"]


@pytest.mark.page
def test_disguised_yes_no_answers_are_mined_without_pandas_and_scipy(tmp_path: Path) -> None:
    design, records = tmp_path / "design.json", tmp_path / "records.csv"
    design.write_text(DESIGN)
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
def test_numpy_starts_no_threads_in_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENBLAS_NUM_THREADS", raising=False)
    assert python(THREADS).stdout == "1\n"


def test_candor_without_a_command_lists_all(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    listed = re.findall(r"^    ([a-z-]+)(?: |$)", capsys.readouterr().out, re.MULTILINE)
    assert listed == list(COMMANDS)


def test_version_equals_the_projects(capsys: pytest.CaptureFixture[str]) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert candor.__version__ == project["version"]
    with pytest.raises(SystemExit):
        main(["--version"])
    assert capsys.readouterr().out == f"candor {project['version']}\n"


def test_each_command_has_a_module_and_a_line_in_the_documents() -> None:
    files = {path.stem.replace("_", "-") for path in (ROOT / "candor/commands").glob("[a-z]*.py")}
    assert files == {*COMMANDS, "command-base"}
    text = (ROOT / "docs/commands.md").read_text()
    assert {*re.findall(r"^\.venv/bin/python -m candor ([a-z-]+)", text, re.MULTILINE)} == {*COMMANDS}


@pytest.mark.page
def test_bash_completes_commands_and_options(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", "bash"]) == 0
    script = capsys.readouterr().out
    cases = {"ar": ["arms"], "mine --min-c": ["--min-confidence"], "own-table t.csv --th": ["--theta"]}
    # Files alone, where no option is begun.
    for words, completed in {**cases, "check ''": [], "check --h": ["--help"]}.items():
        asked = f"COMP_WORDS=(candor {words}); COMP_CWORD={len(words.split())}; _candor"
        program = f'{script}\n{asked}; echo "${{COMPREPLY[@]}}"'
        done = subprocess.run(["bash", "-c", program], capture_output=True, text=True)
        assert done.stdout.split() == completed, done.stderr


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


def test_unknown_command_is_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["guess"])
    assert ended.value.code == 2
    assert "invalid choice: 'guess'" in capsys.readouterr().err


def test_process_ends_with_its_status_after_writing_all_output(tmp_path: Path) -> None:
    (tmp_path / "design.json").write_text(DESIGN)
    env = {name: value for name, value in os.environ.items() if name != "DJANGO_SETTINGS_MODULE"}
    for name, status in (("design.json", 0), ("none.json", 1)):
        words = [sys.executable, "-m", "candor", "audit", str(tmp_path / name)]
        done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, env=env)
        assert done.returncode == status
        assert (done.stdout != "") == (status == 0)
        assert ("none.json: cannot be read" in done.stderr) == (status == 1)


def test_check_command_reports_what_it_read_and_refuses_the_first_bad_record(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    design, records = tmp_path / "design.json", tmp_path / "records.csv"
    design.write_text(DESIGN)
    records.write_text("group,theft,lying\nopen,yes,no\ndisguised,no,no\ndisguised,yes,yes\n")
    assert main(["check", str(design), str(records)]) == 0
    told = json.loads(capsys.readouterr().out)
    assert len(told.pop("design")) == 64
    assert told == {"questions": 2, "sensitive": 2, "open": 1, "disguised": 2}
    records.write_text("group,theft,lying\nopen,yes,perhaps\n")
    assert main(["check", str(design), str(records)]) == 1
    assert "perhaps" in capsys.readouterr().err
    design.write_text("{}")
    assert main(["check", str(design)]) == 1


@pytest.mark.page
def test_own_table_writes_the_files_of_the_page(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(experiment, "CURVES", {"keep": (0.2, 0.8)})
    table, out = tmp_path / "own.csv", tmp_path / "out"
    rows = (f"{'yes' if n % 3 else 'no'},{'yes' if n % 2 else 'no'},{n}\n" for n in range(300))
    table.write_text("theft,lie,age\n" + "".join(rows))
    assert main(["own-table", str(table), "--keep", "0.6", "-o", str(out)]) == 0
    assert "age: has more than 12 different values" in capsys.readouterr().err
    assert sorted(path.name for path in out.iterdir()) == ["curves.csv", "result.json", "rules.csv"]
    assert main(["own-table", str(table), "--keep", "0.6"]) == 0
    printed = json.loads(capsys.readouterr().out)
    with Path("/dev/full").open("w") as full, monkeypatch.context() as patch:
        patch.setattr(sys, "stdout", full)
        assert main(["own-table", str(table), "--keep", "0.6"]) == 1
    assert "standard output: cannot be written" in capsys.readouterr().err
    assert printed == json.loads((out / "result.json").read_text())
    assert (printed["settings"]["keep"], printed["rows"]) == (0.6, 300)


def test_own_table_refuses_in_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = tmp_path / "own.csv"
    table.write_text("a\n1\n")
    assert main(["own-table", str(table)]) == 1
    assert capsys.readouterr().err.startswith("candor: own.csv: 1 rows below")
    assert main(["own-table", str(tmp_path / "none.csv")]) == 1
    capsys.readouterr()
    # Before anything is computed.
    assert main(["own-table", str(table), "-o", str(table)]) == 2
    assert capsys.readouterr().err == f"candor: -o: {table} is a file; name a folder\n"
