"""What the exact path and the device's module can reach: no chance but the one handed in."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from tests.privacy.node import COMPOSER, MODULES, ROOT

pytestmark = pytest.mark.proof
EXACT = [
    "privacy.mechanisms.simulated_device",
    "privacy.mechanisms.disguise",
    "privacy.mechanisms.random_draws",
    "privacy.designs",
]


GUARANTEE = [
    "privacy.guarantee.design_guarantees",
    "privacy.guarantee.presets",
    "privacy.guarantee.section_layout_search",
]
"""A page that states the guarantee of a design draws in no arrays, and so no numpy.random."""


def test_no_other_chance_can_be_reached_by_import() -> None:
    """In a fresh interpreter, everything that importing a module loads, the library's own imports included."""
    program = f"""
import sys
sys.path.insert(0, {str(ROOT)!r})
from importlib import import_module
chance = {{"random", "secrets", "numpy", "numba", "uuid", "tempfile", "django"}}
for modules, refused in (({EXACT}, chance), ({GUARANTEE}, {{"numpy"}})):
    for module in modules:
        import_module(module)
        print(*(f"{{module}} loads {{name}}" for name in refused & sys.modules.keys()))
"""
    words = [sys.executable, "-I", "-c", program]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


GENERATORS = ("random", "default_rng", "RandomState")


@dataclass(frozen=True)
class Named:
    """What a file names: modules that it imports anywhere, and those that it imports at once; generators."""

    imported: set[str]
    imported_at_once: set[str]
    generators: set[str]


@cache
def named(file: Path) -> Named:
    nodes = [*ast.walk(ast.parse(file.read_text()))]
    functions = [node for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    inside = {id(line) for function in functions for line in ast.walk(function)}
    generators = {
        name
        for node in nodes
        if isinstance(node, ast.Attribute | ast.Name)
        for name in [node.attr if isinstance(node, ast.Attribute) else node.id]
        if name in GENERATORS
    }
    return Named(imports(nodes), imports(node for node in nodes if id(node) not in inside), generators)


def imports(nodes: Iterable[ast.AST]) -> set[str]:
    names: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0
            names |= {str(node.module), *(f"{node.module}.{alias.name}" for alias in node.names)}
    return names


@cache
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
        names = named(file).imported
        assert not {name.split(".")[0] for name in names} & {
            "random",
            "secrets",
            "numpy",
            "importlib",
            "scipy",
        }
        waiting += names
    assert "privacy.kinds.grouped.law" in seen


def files_of(*rooms: str) -> list[Path]:
    return [file for room in rooms for file in sorted(ROOT.joinpath("privacy", room).rglob("*.py"))]


def test_only_simulations_estimates_and_the_guarantee_import_numpy() -> None:
    files = files_of("grammar", "kinds", "designs", "mechanisms")
    files = [file for file in files if not simulates(file) and not estimates(file)]
    assert len(files) > 20
    assert not [file for file in files if any(name.split(".")[0] == "numpy" for name in named(file).imported)]


def test_of_privacy_only_the_simulation_draws_from_numpy() -> None:
    """The guarantee's general laws are numpy arrays, but nothing in them is left to chance."""
    found = {file: chances(file) for file in files_of("")}
    assert set().union(*found.values()) == {"random", "privacy.simulation"}
    assert not [file for file, reached in found.items() if reached and not simulates(file)]


def simulates(file: Path) -> bool:
    """The room `simulation`, and of each kind the module of that name; `code_arrays` is their array type.

    `usual_answers` says whom a rehearsal makes up.
    """
    return file.parent.name == "simulation" or file.name in (
        "simulation.py",
        "code_arrays.py",
        "usual_answers.py",
    )


def estimates(file: Path) -> bool:
    """The modules of a window's blurred distribution and of scores work on arrays, as mining does."""
    return file.name in ("smoothed_distribution_estimate.py", "score_table.py", "scores.py")


def chances(file: Path) -> set[str]:
    """Every way to chance that a file names anywhere: modules imported, generators made, `.random` of anything."""
    found = set(named(file).generators)
    for name in named(file).imported:
        parts = name.split(".")
        if parts[0] == "random" or parts[:2] == ["numpy", "random"]:
            found.add(".".join(parts[:2]))
        if parts[:2] == ["privacy", "simulation"]:
            found.add("privacy.simulation")
    return found


RESPONDENTS = ("intake.endpoint.endpoint", "intake.pages.respondent_views")


def reached(modules: tuple[str, ...]) -> dict[str, Path]:
    """Every file of the project that importing these modules runs, packages above them included."""
    waiting, found = list(modules), dict[str, Path]()
    while waiting:
        name = waiting.pop()
        file = source_of(name)
        if file is None or name in found:
            continue
        found[name] = file
        for told in named(file).imported_at_once | {name}:
            parts = told.split(".")
            waiting += [".".join(parts[:end]) for end in range(1, len(parts) + 1)]
    return found


def test_what_the_respondents_side_imports_names_no_chance() -> None:
    """No `random`, no `np.random` or its generators, no simulation; `secrets` and `os.urandom` are allowed."""
    found = reached(RESPONDENTS)
    assert {
        "intake.endpoint.accept_record",
        "intake.batches.sealing",
        "privacy.records.record",
    } <= found.keys()
    assert not {name: chances(file) for name, file in found.items() if chances(file)}


def test_each_way_to_chance_is_seen(tmp_path: Path) -> None:
    lines = [
        "import random",
        "from random import shuffle",
        "def f():\n    import random",
        "import numpy.random",
        "from numpy import random",
        "from numpy.random import default_rng",
        "x = np.random.rand()",
        "x = numpy.random",
        "x = rng.default_rng(1)",
        "import privacy.simulation.disguise",
        "from privacy.simulation import population",
    ]
    for number, line in enumerate(lines):
        (tmp_path / f"{number}.py").write_text(line)
    assert [line for number, line in enumerate(lines) if not chances(tmp_path / f"{number}.py")] == []


def test_a_device_module_imports_nothing_and_has_no_chance_of_its_own(subtests: pytest.Subtests) -> None:
    for module in MODULES:
        with subtests.test(f"{module.name}"):
            code = re.sub(r"/\*.*?\*/|//[^\n]*", "", module.read_text(), flags=re.DOTALL)
            assert not re.search(
                r"\bimport\b|\brequire\b|Math\s*\.\s*random|Math\s*\[|globalThis|\beval\b|\bFunction\b", code
            )
            # The only secure source is the one that the caller passes in.
            passed_in = ["crypto", "crypto"] if module.name == "coins.js" else []
            assert re.findall(r"\bcrypto\b", code) == passed_in


SCRIPTS = sorted((ROOT / "intake" / "static" / "intake").glob("*.js"))


def test_the_respondents_scripts_are_there() -> None:
    assert {"answer.js", "sending.js", "tab_storage.js"} <= {script.name for script in SCRIPTS}


def test_no_script_of_the_respondents_pages_has_another_chance(subtests: pytest.Subtests) -> None:
    """No `Math.random`, no way to spell it, and no script but the page's own; device.js alone reaches the modules that
    disguise, blinding.js the vendored blind signatures."""
    for script in SCRIPTS:
        with subtests.test(f"{script.name}"):
            code = script.read_text()
            assert not re.search(
                r"Math\s*\.\s*random|Math\s*\[|\brandom\b|\beval\b|\bFunction\b|(?<!\{)\bimport\s*\(", code
            )
            for source in re.findall(r"\bfrom\s+[\"']([^\"']+)[\"']|\bimport\s+[\"']([^\"']+)[\"']", code):
                device = {f"../privacy/{module.relative_to(MODULES[0].parent)}" for module in MODULES}
                allowed = device if script == COMPOSER else {f"./{own.name}" for own in SCRIPTS}
                if script.name == "blinding.js":
                    allowed |= {"../vendor/blindrsa.min.js"}
                assert "".join(source) in allowed
