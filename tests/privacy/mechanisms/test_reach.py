"""What the exact path and the device's module can reach: no chance but the one handed in."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.privacy.node import MODULE, ROOT

EXACT = [
    "privacy.mechanisms.truth_file",
    "privacy.mechanisms.disguise",
    "privacy.mechanisms.coins",
    "privacy.designs",
]


@pytest.mark.parametrize("module", EXACT)
def test_no_other_chance_can_be_reached_by_import(module: str) -> None:
    """In a fresh interpreter, everything that importing the module loads, the library's own imports included."""
    program = (
        f"import sys, {module}; "
        "print(*{'random', 'secrets', 'numpy', 'numba', 'uuid', 'tempfile', 'django'} & sys.modules.keys())"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-c", f"import sys; sys.path.insert(0, {str(ROOT)!r}); {program}"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == ""


def imported(path: Path) -> set[str]:
    """Every module that a file names in an import, at its top or inside a function."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0
            names |= {str(node.module), *(f"{node.module}.{alias.name}" for alias in node.names)}
    return names


def source_of(module: str) -> Path | None:
    path = ROOT.joinpath(*module.split("."))
    return next((file for file in (path.with_suffix(".py"), path / "__init__.py") if file.exists()), None)


def test_no_import_inside_a_function_reaches_chance_either() -> None:
    waiting, seen = list(EXACT), set()
    while waiting:
        module = waiting.pop()
        file = source_of(module)
        if file is None or module in seen:
            continue
        seen.add(module)
        names = imported(file)
        assert not {name.split(".")[0] for name in names} & {
            "random",
            "secrets",
            "numpy",
            "importlib",
            "scipy",
        }
        waiting += names
    assert "privacy.mechanisms.section" in seen


def test_vectorised_code_lives_in_the_simulation_only() -> None:
    rooms = [ROOT / "privacy" / room for room in ("designs", "mechanisms")]
    files = [file for room in rooms for file in room.rglob("*.py")]
    assert len(files) > 10
    assert not [file for file in files if any(name.split(".")[0] == "numpy" for name in imported(file))]


def test_the_device_module_imports_nothing_and_has_no_chance_of_its_own() -> None:
    code = re.sub(r"/\*.*?\*/|//[^\n]*", "", MODULE.read_text(), flags=re.DOTALL)
    assert not re.search(
        r"\bimport\b|\brequire\b|Math\s*\.\s*random|Math\s*\[|globalThis|\beval\b|\bFunction\b", code
    )
    # The only secure source is the one that the caller passes in.
    assert re.findall(r"\bcrypto\b", code) == ["crypto", "crypto"]
