"""The lines that budget.toml limits are those of the tree, by room."""

import subprocess
from pathlib import Path

import pytest

from bench import line_budget

LIMITS = """
[python]
mining = {mining}
top = 3
[web]
mining = 2
[whole]
python = 100
tests = 0.5
docs_kB = 1
dependencies = 2
"""
FILES = {
    "mining/__init__.py": "",
    "mining/rules.py": "a = 1\n\nb = 2\n",
    "mining/migrations/0001_initial.py": "c = 3\n",
    "templates/mining/rules.html": "<p>\n</p>\n",
    "static/vendor/library.js": "x\n" * 50,
    "run": "#!/bin/sh\n",
    "manage.py": "d = 4\n",
    "tests/test_rules.py": "e = 5\nf = 6\n",
    "bench/speed.py": "g = 7\n" * 50,
    "docs/library.md": "x" * 500,
    "docs/pictures/rules.png": "x" * 5000,
    "pyproject.toml": "[project]\ndependencies = ['numpy']\n[project.optional-dependencies]\nserver = ['django']\n",
}


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name, text in {**FILES, "budget.toml": LIMITS.format(mining=4)}.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    return tmp_path


def test_budget_counts_python_web_files_tests_documents_and_dependencies(tree: Path) -> None:
    assert line_budget.rows_of_table(tree) == [
        ("python of mining", 4, 4),
        ("python of top", 2, 3),
        ("web of mining", 2, 2),
        ("python", 6, 100),
        ("tests, lines a line of product", 2 / 6, 0.5),
        ("docs without pictures, kB", 0.5, 1),
        ("direct dependencies", 2, 2),
    ]
    assert line_budget.main(tree) == 0


def test_a_room_above_its_limit_is_named_and_fails(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tree / "budget.toml").write_text(LIMITS.format(mining=3))
    assert line_budget.main(tree) == 1
    assert "above budget.toml: python of mining; name what goes instead" in capsys.readouterr().out


def test_room_without_a_budget_row_fails(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tree / "runs").mkdir()
    (tree / "runs" / "__init__.py").write_text("h = 8\n")
    assert line_budget.main(tree) == 1
    assert "above budget.toml: python of runs;" in capsys.readouterr().out
