"""The R package says what Python says of random data frames and laws, and makes the same columns of a formula."""

import json
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import candor
from candor.formulas import model_matrix

pytestmark = pytest.mark.server
CASES = 20
FORMULAS = [
    "age + C(sex)",
    "age * sex + region",
    "region + sex:region + age",
    "region * sex * age",
    "log(age) + sex - 1",
]


def random_law(rng: np.random.Generator) -> tuple[candor.ResponseLaw, str]:
    """A law, and how R writes it."""
    p, q = (float(part) for part in rng.uniform(0.05, 0.3, 2).round(3))
    laws = {
        f"warner({p})": candor.warner(p),
        f"crosswise({1 - p})": candor.crosswise(1 - p),
        f"unrelated_question({1 - p}, {q})": candor.unrelated_question(1 - p, q),
        f"forced_response(yes = {p}, no = {q})": candor.forced_response(yes=p, no=q),
        f"kuk(yes = {q}, no = {1 - p})": candor.kuk(yes=q, no=1 - p),
        f"mangat({1 - p})": candor.mangat(1 - p),
        f"triangular({p})": candor.triangular(p),
        "negative_survey(4)": candor.negative_survey(4),
    }
    written = sorted(laws)[rng.integers(len(laws))]
    return laws[written], written


def random_frame(rng: np.random.Generator, laws: Sequence[candor.ResponseLaw]) -> pd.DataFrame:
    """Some hundred people in two samples, each with its law, one in five of whom have the attribute."""
    n = int(rng.integers(200, 1_500))
    columns = {
        "sex": rng.choice(["f", "m"], n),
        "region": rng.choice(["a", "b", "c"], n),
        "sample": rng.choice(["A", "B"], n),
    }
    frame = pd.DataFrame(
        {**columns, "age": rng.uniform(18, 80, n).round(2), "w": rng.choice([0.5, 1.0, 2.5, 6.0], n)}
    )
    share = 0.2 + 0.3 * (frame["sex"] == "m")
    which = (frame["sample"] == "B").to_numpy().astype(int)
    keep, chance = (np.array([getattr(law, name) for law in laws])[which] for name in ("keep", "chance"))
    said = rng.random(n) < chance + keep * share
    frame["theft"] = np.where(np.array([law.turned for law in laws])[which], ~said, said).astype(float)
    frame["place"] = rng.integers(0, 40, n)
    frame.loc[:5, "theft"], frame.loc[4:7, "age"] = np.nan, np.nan
    return frame


def test_random_laws_and_frames_agree_to_nine_digits(library: Path, tmp_path: Path) -> None:
    calls, expected = [], []
    for number in range(CASES):
        rng = np.random.default_rng(number)
        (law, of_r), (other, also) = random_law(rng), random_law(rng)
        frame = random_frame(rng, (law, other))
        frame.to_csv(tmp_path / f"{number}.csv", index=False)
        options: dict[str, Any] = {"law_by": "sample", "level": [0.8, 0.95, 0.99][number % 3]}
        options |= {"weights": "w"} if number % 4 > 1 else {}
        options |= {"clusters": "place"} if number % 2 else {}
        laws = {"A": law, "B": other}
        if number < 5:
            frame["theft"] = frame["theft"].where(frame["sample"] == "A")
            laws, options = {"A": law}, {"law_by": "sample"}
        more = ", ".join(f"{name} = {json.dumps(value)}" for name, value in options.items())
        call = f'read.csv("{number}.csv"), list(A = {of_r}, B = {also}), {more}'
        if number < 5:
            call = f'subset(read.csv("{number}.csv"), sample == "A"), {of_r}'
        calls += [f"shares(theft ~ sex + region, {call})", f"differences(theft ~ region, {call})"]
        calls += [
            f'regress(theft ~ age + C(sex), {call}, family = "{family}")' for family in ("linear", "logit")
        ]
        expected += [candor.shares("theft ~ sex + region", frame, laws, **options)]
        expected += [candor.differences("theft ~ region", frame, laws, **options)]
        expected += [candor.regress("theft ~ age + C(sex)", frame, laws, family="linear", **options)]
        expected += [candor.regress("theft ~ age + C(sex)", frame, laws, family="logit", **options)]
    tables = run_r(library, tmp_path, calls)
    for call, told, of_python in zip(calls, tables, expected, strict=True):
        table = of_python.to_frame()
        for name in table.select_dtypes("number").columns:
            column = np.array(told[name], float)
            assert column == pytest.approx(table[name].to_numpy(float), rel=1e-9, abs=1e-9, nan_ok=True), (
                call,
                name,
            )


def test_formula_gives_the_same_columns_in_r_and_python(library: Path, tmp_path: Path) -> None:
    frame = random_frame(np.random.default_rng(0), (candor.warner(0.8), candor.warner(0.8))).dropna()
    frame.to_csv(tmp_path / "frame.csv", index=False)
    calls = [f'candor:::model_columns(~ {right}, read.csv("frame.csv"))' for right in FORMULAS]
    for right, told in zip(FORMULAS, run_r(library, tmp_path, calls), strict=True):
        ours = model_matrix(right.replace("log", "np.log"), frame)
        of_r = np.array(list(told.values())).T
        assert of_r == pytest.approx(ours.to_numpy(), abs=1e-12), right


def run_r(library: Path, folder: Path, calls: Sequence[str]) -> list[dict[str, Any]]:
    """The tables that these calls return, by column, from one process."""
    script = ",\n".join(f"as.list(as.data.frame({call}))" for call in calls)
    (folder / "calls.R").write_text(
        f'library(candor)\nwriteLines(jsonlite::toJSON(list({script}), digits = NA, na = "null"), "told.json")'
    )
    env = {**os.environ, "R_LIBS": str(library)}
    done = subprocess.run(
        ["Rscript", "--vanilla", "calls.R"], cwd=folder, env=env, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    told: list[dict[str, Any]] = json.loads((folder / "told.json").read_text())
    return told
