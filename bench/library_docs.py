"""Makes docs/library.md from docstrings, and the outputs of docs/notebook.ipynb by running its cells.

`.venv/bin/python -m bench.library_docs` writes both; tests/bench/test_library_docs.py holds that they are current.
"""

import ast
import inspect
import io
import json
from collections.abc import Iterator
from contextlib import redirect_stdout
from dataclasses import fields, is_dataclass
from importlib import import_module
from pathlib import Path
from textwrap import dedent
from typing import Any

DOCS = Path(__file__).resolve().parents[1] / "docs"
PAGE, NOTEBOOK = DOCS / "library.md", DOCS / "notebook.ipynb"

HEAD = """\
# The library

`pip install .` in the repository gives the packages `candor`, `privacy` and `mining` and the command `candor`
([commands.md](commands.md)) without the server: no Django, no database. [notebook.ipynb](notebook.ipynb) walks from a
design to rules, with simulated people whose truth is known. Formulas are in [mathematics.md](mathematics.md), files in
[formats.md](formats.md). An error in a file or a wrong name is an `InputError` that names the place.

`.venv/bin/python -m bench.library_docs` makes this page of docstrings. Modules that are not named here may change at
any time. For R there is the package in [r/](../r/DESCRIPTION).
"""

CONTENTS: dict[str, dict[str, tuple[str, ...]]] = {
    "Designs": {
        "privacy.designs": ("parse", "parse_file", "Design", "InputError"),
        "privacy.guarantee.audit": ("audit", "Audit"),
    },
    "Disguise and simulation": {
        "privacy.mechanisms.disguise": ("disguise",),
        "privacy.mechanisms.draws": ("draw_coins",),
        "privacy.simulation.disguise": ("disguise",),
        "privacy.simulation.population": ("Population", "Independent", "LatentClasses", "JointDistribution"),
    },
    "Records": {
        "privacy.records": (
            "RecordRow",
            "open_file",
            "write_records",
            "read_truth",
            "parse_record",
            "read_record",
        ),
        "privacy.records.record_file": ("open_rows",),
        "mining.counting": ("read_file", "MinedRecords"),
        "mining.counts": ("Query", "Counter", "item_name"),
    },
    "Estimates of files": {
        "mining.number_and_place_estimates": ("estimate_file",),
        "mining.studies.arms": ("arms_file",),
        "mining.studies.waves": ("waves_files",),
        "mining.studies.control_items": ("controls_file",),
        "mining.studies.model_fits": ("model_file",),
        "mining.studies.hypothesis_tests": ("plan_file",),
    },
    "Shares and rules": {
        "mining.reconstruction": ("reconstruct", "Supports", "CachedCounter"),
        "mining.reconstruction.shares_by_group": ("shares_by_group", "GroupShares"),
        "mining.reconstruction.group_test": ("run_group_test", "GroupTestResult"),
        "mining.parameters": ("Parameters",),
        "mining.itemsets.frequent": ("frequent", "Frequent"),
        "mining.rules": ("rules", "Rules"),
    },
    "As mlxtend has it": {
        "candor.frequent_patterns": ("apriori", "association_rules"),
    },
    "Intervals and differences of counts": {
        "mining.studies.single_answer_estimates": ("AnswerLaw", "answer_table"),
        "mining.inference.score_test": ("support_test",),
        "mining.inference.intervals": ("share_interval", "exact_interval", "two_sided"),
        "mining.inference.sums_of_shares": ("Side", "SumOfShares"),
        "mining.inference.share_differences": ("compare", "Differences", "smallest_found_differences"),
    },
}
"""By heading and module what people who use the library call."""


def page() -> str:
    parts = [HEAD]
    for heading, modules in CONTENTS.items():
        parts.append(f"## {heading}\n")
        for module, names in modules.items():
            for name in names:
                parts += described(f"{module}.{name}", getattr(import_module(module), name))
    return "\n".join(parts)


def described(name: str, what: Any) -> Iterator[str]:
    """Heading, signature and docstring; of a class also of what it offers."""
    yield f"### `{name}`\n"
    if not inspect.isclass(what):
        yield f"```python\n{signature(what)}\n```\n"
        yield f"{inspect.getdoc(what)}\n"
        return
    yield f"{inspect.getdoc(what)}\n"
    names = [field.name for field in fields(what)] if is_dataclass(what) else getattr(what, "_fields", ())
    if names:
        yield f"Fields: {', '.join(f'`{field}`' for field in names)}.\n"
    for member, value in vars(what).items():
        function = getattr(value, "__func__", value)
        if inspect.isfunction(function) and not member.startswith("_") and function.__doc__:
            yield f"* `{signature(function)}`: {' '.join(function.__doc__.split())}\n"


def signature(function: Any) -> str:
    """As the source has it, on one line."""
    (node,) = ast.parse(dedent(inspect.getsource(function))).body
    assert isinstance(node, ast.FunctionDef)
    returns = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    return f"{node.name}({ast.unparse(node.args)}){returns}"


def executed(notebook: str) -> str:
    """The notebook with the outputs of its cells: what each prints."""
    content = json.loads(notebook)
    names: dict[str, Any] = {"__name__": "notebook"}
    code = [cell for cell in content["cells"] if cell["cell_type"] == "code"]
    for number, cell in enumerate(code, 1):
        printed = io.StringIO()
        with redirect_stdout(printed):
            exec(compile("".join(cell["source"]), f"cell {number}", "exec"), names)
        text = printed.getvalue().splitlines(keepends=True)
        cell["execution_count"] = number
        cell["outputs"] = [{"name": "stdout", "output_type": "stream", "text": text}] if text else []
    return f"{json.dumps(content, indent=1, ensure_ascii=False)}\n"


if __name__ == "__main__":
    PAGE.write_text(page())
    NOTEBOOK.write_text(executed(NOTEBOOK.read_text()))
