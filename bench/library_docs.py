"""Makes docs/library.md from docstrings, the outputs of docs/notebook.ipynb by running its cells, r/LICENSE from
pyproject.toml, and the copy of the published counts that the tests of the package of R read.

`.venv/bin/python -m bench.library_docs` writes them; tests/bench/test_library_docs.py holds that they are current.
"""

import ast
import inspect
import io
import json
import tomllib
from collections.abc import Iterator
from contextlib import chdir, redirect_stdout
from dataclasses import fields, is_dataclass
from pathlib import Path
from textwrap import dedent
from typing import Any

import candor

DOCS = Path(__file__).resolve().parents[1] / "docs"
PAGE, NOTEBOOK = DOCS / "library.md", DOCS / "notebook.ipynb"
LICENCE = DOCS.parent / "r" / "LICENSE"
STUDIES = DOCS.parent / "papers/studies/published-studies.json"
STUDIES_OF_R = DOCS.parent / "r/tests/testthat" / STUDIES.name

HEAD = """\
# The library

`pip install '.[formula,mining,files,dask]'` in the repository, with all extras or some, gives `import candor` and the command `candor` ([commands.md](commands.md))
without the server. All names here are of `candor`, typed, and loaded when they are first asked for.
[notebook.ipynb](notebook.ipynb) walks from a design to rules. Formulas are in [mathematics.md](mathematics.md), files in
[formats.md](formats.md). A refusal is an `InputError` that names the place. What is not named here may change. For R there
is the package in [r/](../r/DESCRIPTION), with the same names.

## From a data frame to a regression table

Any data frame will do: a row is a person. Here 640 of 1,000 people said yes by Warner's method with p = .2, as in the
vignette of RRreg, which uses `RRuni` and `RRlog`. Name the law, and write a formula:

```python
{frame}
```

```
{frame_prints}
```

Counts will do too: of 2,435 people 831 said yes, where a die forced one in six to say yes and one in six to say no.

```python
{counts}
```

```
{counts_prints}
```

## What other packages mean by the same words

| here, in Python and in R | elsewhere |
|---|---|
| `level` is the confidence level; the critical value of .95 is 1.96 | the same is R's `conf.level` and scipy's `confidence_level`; `alpha` of statsmodels is 1 less the level |
| a difference is the second side less the first, the later wave less the earlier, the disguised arm less the direct one | R's `prop.test` and `t.test`, statsmodels: the first less the second |
| p of `warner` is the chance of the statement itself; where a device reverses the answer with chance q, p is 1 - q | the same in RRreg |
| `forced_response` takes `yes` and `no` by name | RRreg: no, then yes; RRTCS: yes, then no |
| `se` of a share divides by n; that of `regress` and `fit_model` is the sandwich times n / (n - k), HC1 | RRreg divides by n - 1; `lm`, `glm` and statsmodels have no sandwich unless it is asked for |
| `weights` weight people of a frame to a population, by classes of similar weights; `mine --margins` does so with records | `weights`: numbers of records, of people, or precisions |
| `regress` solves a score equation, as `fit_model` does; its intervals are Wald's | RRreg's `RRlog` maximises the likelihood of what was received |
| `item_count` is the linear model of list; its test leaves out only shares far above 0 | list's `ict.test` leaves out nearly all above 0 |
| `apriori` without `max_len` stops at three items if answers are disguised | mlxtend does not stop |
"""  # noqa: E501  # lines of a table

FRAME = """\
import numpy as np
import pandas as pd

import candor

rng = np.random.default_rng(1)
frame = pd.DataFrame({"response": [1] * 640 + [0] * 360, "sex": rng.choice(["f", "m"], 1000)})
frame["age"] = rng.integers(18, 80, 1000).astype(float)
frame.loc[:4, "age"] = np.nan
law = candor.warner(p=0.2)
print(law)
print(candor.shares("response ~ 1", frame, law))
print(candor.differences("response ~ sex", frame, law))
print(candor.sample_size(law, share=0.25, difference=0.1), "people show a difference of .1")
print(candor.regress("response ~ age + C(sex)", frame, law, family="logit"))
"""

COUNTS = """\
import candor

law = candor.forced_response(yes=1 / 6, no=1 / 6)
print(candor.count_shares(831, 2435, law).round(4))
"""

DESIGN = "A survey's design ([formats.md](formats.md))."

CONTENTS: dict[str, tuple[str, ...]] = {
    "Designs and records": (
        *("read_design", "Design", "audit", "Audit", "read_records", "records", "Records", "InputError"),
        *("read_export", "Export"),
    ),
    "Estimates": ("shares", "supports", "estimate", "itemsets", "rules"),
    "Studies": (*("compare_arms", "compare_classes", "compare_waves", "control_items", "fit_model", "plan"),),
    "As mlxtend has it": ("apriori", "association_rules"),
    "Any data frame, with any law of randomised response": (
        *(
            "differences",
            "regress",
            "Estimates",
            "item_count",
            "power",
            "sample_size",
            "count_shares",
            "compare_shares",
            "ResponseLaw",
            "warner",
        ),
        *("unrelated_question", "forced_response", "kuk", "mangat", "crosswise", "triangular"),
        "negative_survey",
    ),
    "What documents compute": (
        *("breaches", "Breaches", "square_mechanism", "generalisation_lattice", "GeneralisationLattice"),
    ),
    "Tables of people": ("anonymize", "attack", "own_table", "OwnTableResult"),
    "Simulation and single records": (
        *("disguise", "Population", "Independent", "LatentClasses", "JointDistribution", "RecordRow"),
        *("write_records", "read_truth", "parse_record", "read_record"),
    ),
}
"""By heading what people who use the library call."""


def page() -> str:
    parts = [
        HEAD.format(
            frame=FRAME.rstrip(),
            frame_prints=printed_by(FRAME).rstrip(),
            counts=COUNTS.rstrip(),
            counts_prints=printed_by(COUNTS).rstrip(),
        )
    ]
    for heading, names in CONTENTS.items():
        parts.append(f"## {heading}\n")
        for name in names:
            parts += described(f"candor.{name}", getattr(candor, name))
    return "\n".join(parts)


def printed_by(program: str, names: dict[str, Any] | None = None) -> str:
    """Runs a program in the root of the repository, and returns what it prints."""
    printed = io.StringIO()
    with redirect_stdout(printed), chdir(DOCS.parent):
        exec(compile(program, "example", "exec"), {"__name__": "example"} if names is None else names)
    return printed.getvalue()


def described(name: str, what: Any) -> Iterator[str]:
    """Heading, signature and docstring; of a class also of what it offers."""
    if not inspect.isclass(what):
        yield f"### `{signature(what)}`\n"
        yield f"{inspect.getdoc(what)}\n"
        return
    yield f"### `{name}`\n"
    text = inspect.getdoc(what) or ""
    # docs/formats.md says what the members of a design mean.
    yield f"{DESIGN if what is candor.Design else text}\n"
    every = [field.name for field in fields(what)] if is_dataclass(what) else getattr(what, "_fields", ())
    names = [name for name in every if f"`{name}`" not in text]
    if names and what is not candor.Design:
        yield f"More fields: {', '.join(f'`{field}`' for field in names)}.\n"
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
        text = printed_by("".join(cell["source"]), names).splitlines(keepends=True)
        cell["execution_count"] = number
        cell["outputs"] = [{"name": "stdout", "output_type": "stream", "text": text}] if text else []
    return f"{json.dumps(content, indent=1, ensure_ascii=False)}\n"


def licence_of_r() -> str:
    """Returns r/LICENSE: the licence that the owner set in pyproject.toml."""
    project = tomllib.loads((DOCS.parent / "pyproject.toml").read_text())["project"]
    text = f"The licence of Candor is that of its pyproject.toml: {project['license']}."
    if project["license"].startswith("LicenseRef-Not-Chosen"):
        text += " Until one is chosen all rights are the owner's."
    return f"{text}\n"


if __name__ == "__main__":
    PAGE.write_text(page())
    LICENCE.write_text(licence_of_r())
    STUDIES_OF_R.write_text(STUDIES.read_text())
    NOTEBOOK.write_text(executed(NOTEBOOK.read_text()))
