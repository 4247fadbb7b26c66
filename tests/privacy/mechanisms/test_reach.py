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

from tests.privacy.conftest import COMPOSER, MODULES, ROOT

pytestmark = pytest.mark.proof
MECHANISMS = ("simulated_device", "disguise_by_given_coins", "random_draws")
EXACT = [*(f"privacy.mechanisms.{name}" for name in MECHANISMS), "privacy.designs"]
GUARANTEE = [f"privacy.guarantee.{of}" for of in ("design_guarantees", "presets", "section_layout_search")]
"""A page that states the guarantee of a design draws in no arrays, and so no numpy.random."""


def test_no_other_randomness_is_reachable_by_import() -> None:
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


@dataclass(frozen=True)
class Named:
    """What a file names: modules that it imports anywhere, and those that it imports at once; generators."""

    imported: set[str]
    imported_at_once: set[str]
    generators: set[str]


@cache
def names_in_file(file: Path) -> Named:
    nodes = [*ast.walk(ast.parse(file.read_text()))]
    functions = [node for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    inside = {id(line) for function in functions for line in ast.walk(function)}
    used = {node.attr for node in nodes if isinstance(node, ast.Attribute)}
    used |= {node.id for node in nodes if isinstance(node, ast.Name)}
    at_once = imports(node for node in nodes if id(node) not in inside)
    return Named(imports(nodes), at_once, used & {"random", "default_rng", "RandomState"})


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


def test_no_late_import_reaches_other_randomness() -> None:
    waiting, seen = list(EXACT), set()
    while waiting:
        module = waiting.pop()
        file = source_of(module)
        if file is None or module in seen:
            continue
        seen.add(module)
        names = names_in_file(file).imported
        assert {"random", "secrets", "numpy", "importlib", "scipy"}.isdisjoint(n.split(".")[0] for n in names)
        waiting += names
    assert "privacy.kinds.grouped.law" in seen


def files_of(*rooms: str) -> list[Path]:
    return [file for room in rooms for file in sorted(ROOT.joinpath("privacy", room).rglob("*.py"))]


def test_only_simulations_estimates_and_the_guarantee_import_numpy() -> None:
    files = files_of("grammar", "kinds", "designs", "mechanisms")
    files = [file for file in files if not is_simulation(file) and not estimates(file)]
    assert len(files) > 20
    assert not [
        file for file in files if any(name.split(".")[0] == "numpy" for name in names_in_file(file).imported)
    ]


def test_only_the_simulation_in_privacy_draws_from_numpy() -> None:
    """The guarantee's general laws are numpy arrays, but nothing in them is left to chance. The method kacluk merges
    classes of a table at random, and squares of a plane are drawn in simulations, as their documents have it: nobody
    is disguised by these."""
    found = {file: chance_sources(file) for file in files_of("")}
    found = {file: reached for file, reached in found.items() if not {"kacluk.py", "plane"} & {*file.parts}}
    assert set().union(*found.values()) == {"random", "privacy.simulation"}
    assert not [file for file, reached in found.items() if reached and not is_simulation(file)]


def is_simulation(file: Path) -> bool:
    """The room `simulation`, and of each kind the module of that name; `answer_code_array_type` is their array type.

    `usual_answers` says whom a rehearsal makes up.
    """
    names = ("simulation", "simulated_true_numbers", "answer_code_array_type", "usual_answers")
    return file.parent.name == "simulation" or file.stem in names


def estimates(file: Path) -> bool:
    """The modules of a window's blurred distribution and of scores work on arrays, as mining does."""
    return file.stem in ("smoothed_distribution_estimate", "score_table", "scores", "scores_of_record_codes")


def chance_sources(file: Path) -> set[str]:
    """Every way to chance that a file names anywhere: modules imported, generators made, `.random` of anything."""
    found = set(names_in_file(file).generators)
    for name in names_in_file(file).imported:
        parts = name.split(".")
        if parts[0] == "random" or parts[:2] == ["numpy", "random"]:
            found.add(".".join(parts[:2]))
        if parts[:2] == ["privacy", "simulation"]:
            found.add("privacy.simulation")
    return found


RESPONDENTS = ("intake.endpoint.endpoint", "intake.pages.respondent_views")


def files_reached_by_import(modules: tuple[str, ...]) -> dict[str, Path]:
    """Every file of the project that importing these modules runs, packages above them included."""
    waiting, found = list(modules), dict[str, Path]()
    while waiting:
        name = waiting.pop()
        file = source_of(name)
        if file is None or name in found:
            continue
        found[name] = file
        for told in names_in_file(file).imported_at_once | {name}:
            parts = told.split(".")
            waiting += [".".join(parts[:end]) for end in range(1, len(parts) + 1)]
    return found


def test_respondent_side_names_no_source_of_randomness() -> None:
    """No `random`, no `np.random` or its generators, no simulation; `secrets` and `os.urandom` are allowed."""
    found = files_reached_by_import(RESPONDENTS)
    some = {"intake.endpoint.accept_record", "intake.batches.sealing", "privacy.records.record"}
    assert some <= found.keys()
    assert not {name: chance_sources(file) for name, file in found.items() if chance_sources(file)}


def test_each_source_of_randomness_is_detected(tmp_path: Path) -> None:
    imported = ["numpy.random", "privacy.simulation.disguise", "random"]
    taken = "random: shuffle, numpy: random, numpy.random: default_rng, privacy.simulation: population"
    lines = [
        *(f"import {name}" for name in imported),
        *("from {} import {}".format(*of.split(": ")) for of in taken.split(", ")),
        "def f():\n    import random",
        *("x = np.random.rand()", "x = numpy.random", "x = rng.default_rng(1)"),
    ]
    for number, line in enumerate(lines):
        (tmp_path / f"{number}.py").write_text(line)
    assert [line for number, line in enumerate(lines) if not chance_sources(tmp_path / f"{number}.py")] == []


MATH = r"Math\s*\.\s*random|Math\s*\[|\beval\b|\bFunction\b"


def test_device_module_imports_nothing_and_has_no_randomness() -> None:
    for module in MODULES:
        code = re.sub(r"/\*.*?\*/|//[^\n]*", "", module.read_text(), flags=re.DOTALL)
        assert not re.search(rf"{MATH}|\bimport\b|\brequire\b|globalThis", code), module
        # The only secure source is the one that the caller passes in.
        passed_in = ["crypto", "crypto"] if module.name == "coins.js" else []
        assert re.findall(r"\bcrypto\b", code) == passed_in, module


def test_respondent_scripts_have_no_other_randomness() -> None:
    """No `Math.random`, no way to spell it, and no script but the page's own; device.js alone reaches the modules that
    disguise, blinding.js the vendored blind signatures, handing.js the text of a record."""
    scripts = sorted((ROOT / "intake" / "static" / "intake").glob("*.js"))
    assert {"answer.js", "sending.js", "tab_storage.js"} <= {script.name for script in scripts}
    device = {f"../privacy/{module.relative_to(MODULES[0].parent)}" for module in MODULES}
    for script in scripts:
        code = script.read_text()
        assert not re.search(rf"{MATH}|\brandom\b|(?<!\{{)\bimport\s*\(", code), script
        allowed = device if script == COMPOSER else {f"./{own.name}" for own in scripts}
        if script.name == "blinding.js":
            allowed |= {"../vendor/blindrsa.min.js"}
        if script.name == "handing.js":
            allowed |= {"../privacy/handed.js"}
        sources = re.findall(r"\bfrom\s+[\"']([^\"']+)[\"']|\bimport\s+[\"']([^\"']+)[\"']", code)
        assert {"".join(source) for source in sources} <= allowed, script
