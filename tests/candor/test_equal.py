"""The R package says what Python says of the same designs and records."""

import json
import os
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mining.document.models import ModelResult
from mining.reconstruction import CachedCounter, reconstruct
from mining.reconstruction.shares import sensitive_answers
from mining.counts import item_name
from mining.studies.answer_counts import read_study
from mining.studies.arms import arms_of
from mining.studies.models import model_of, requested
from mining.studies.waves import differences, version_side, waves_of
from mining.inference.sums_of_shares import Side
from privacy.designs import InputError
from runs import kernel_cache
from tests import servers
from tests.candor.random_studies import RandomStudy, random_study

pytestmark = pytest.mark.server

STUDIES = 200
SHARE = ("support", "se", "low", "high", "share_shown", "low_shown", "high_shown")
DIFFERENCE = ("difference", "low", "high", "p", "holm")
COEFFICIENT = ("n", "b", "se", "low", "high", "p")
Numbers = Mapping[str, Mapping[str, float | None]]
"""By name of an answer or coefficient its numbers."""


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library of R with the package."""
    folder = tmp_path_factory.mktemp("library")
    words = ["R", "CMD", "INSTALL", "--no-docs", "--no-test-load", f"--library={folder}", "candor"]
    subprocess.run(words, cwd=servers.ROOT, check=True, capture_output=True)
    return folder


def shares(known: CachedCounter) -> Numbers:
    """Of every answer that is counted, not estimated from scores."""
    items = [
        (index, code)
        for index, question in enumerate(known.design.questions)
        if not question.scored
        for code in range(question.items)
    ]
    told = reconstruct(known, [(item,) for item in items])
    columns = {name: getattr(told, name).tolist() for name in SHARE}
    columns |= {"n_asked": told.base.tolist(), "n_open": told.groups[:, 0].tolist(), "shown": told.shown.tolist()}
    return {
        item_name(known.design, item): {name: column[row] for name, column in columns.items()}
        for row, item in enumerate(items)
    }


def classes(known: CachedCounter, choices: Sequence[int]) -> Numbers:
    """Of the disguised people with these two choices of the first question."""
    items = [item for item in sensitive_answers(known) if not known.design.questions[item[0]].scored]
    sides = [
        Side(*(np.concatenate(parts, axis=1) for parts in zip(*(version_side(known, item, (0, choice)) for item in items))))
        for choice in choices
    ]
    result = asdict(differences(*sides, shared=False))
    return {
        item_name(known.design, item): {name: result[name][row] for name in DIFFERENCE}
        for row, item in enumerate(items)
    }


def numbers_of(nodes: Sequence[Any], members: Sequence[str]) -> Numbers:
    return {
        getattr(node, "item", None) or node.of: {name: getattr(node, name) for name in members} for node in nodes
    }


def model(result: ModelResult) -> dict[str, Numbers]:
    coefficients = {one.of: {name: getattr(one, name) for name in COEFFICIENT} for one in result.coefficients}
    return {"coefficients": coefficients, "terms": {one.of: {"df": one.df, "p": one.p} for one in result.terms}}


def models_asked(study: RandomStudy, known: CachedCounter) -> Iterator[dict[str, Any]]:
    work, age = (question.name for question in known.design.questions[:2])
    item = item_name(known.design, sensitive_answers(known)[0])
    for logit in (False, True):
        yield {"item": item, "on": [work, age], "numbers": [], "products": [], "among": [], "logit": logit}
        product = {"numbers": [age], "products": [f"{work}*{age}"]}
        yield {"item": item, "on": [work, age], "among": [], "logit": logit, **product}
    employed = item_name(known.design, (0, 0))
    yield {"item": item, "on": [age], "numbers": [], "products": [], "among": [employed], "logit": False}


class Compared:
    """What of R differs from Python, and how many numbers were the same."""

    def __init__(self) -> None:
        self.wrong: list[str] = []
        self.same = 0
        self.worst = 0.0

    def table(self, where: str, rows: list[dict[str, Any]], expected: Numbers, key: str = "item") -> None:
        told = {row[key]: row for row in rows}
        if list(told) != list(expected):
            self.wrong.append(f"{where}: {list(told)}, not {list(expected)}")
            return
        for name, numbers in expected.items():
            for member, number in numbers.items():
                self.number(f"{where} {name} {member}", told[name].get(member), number)

    def number(self, where: str, told: float | None, number: float | None) -> None:
        if number is None or not isfinite(number):
            if told is not None:
                self.wrong.append(f"{where}: {told}, not null")
        elif told is None or told != pytest.approx(number, abs=1e-6, rel=1e-6):
            self.wrong.append(f"{where}: {told}, not {number}")
        else:
            self.same += 1
            self.worst = max(self.worst, abs(told - number))


def test_r_says_what_python_says_of_two_hundred_random_designs(library: Path, tmp_path: Path) -> None:
    studies = [random_study(tmp_path, number) for number in range(STUDIES)]
    asked, expected = [], []
    for number, study in enumerate(studies):
        records, again = (read_study(study.design, path) for path in (study.records, study.again))
        counter = records.counter(kernel_cache.folder())
        known = CachedCounter(counter, without_plain=True)
        later = CachedCounter(again.counter(kernel_cache.folder()))
        fits: list[Any] = []
        models = []
        for one in models_asked(study, known):
            options = {name: one[name] for name in ("numbers", "products", "among", "logit")}
            try:
                request = requested(records.design, one["item"], one["on"], **options)
                fits.append(model(model_of(records, request)))
            except InputError as refusal:
                if not refusal.template.startswith("cannot be estimated"):
                    continue  # too few people, which R leaves to its user
                fits.append("cannot be estimated")
            models.append(one)
        shared = bool(number % 2)
        waves = waves_of(CachedCounter(counter), later, shared=shared)
        asked.append(
            {
                "design": str(study.design),
                "records": str(study.records),
                "again": str(study.again),
                "classes": [item_name(records.design, (0, code)) for code in (0, 1)],
                "shared": shared,
                "models": models,
            }
        )
        expected.append(
            {
                "shares": shares(known),
                "arms": numbers_of(arms_of(counter).items, DIFFERENCE) if records.design.has_arms else None,
                "classes": classes(known, (0, 1)),
                "waves": numbers_of(waves.items, DIFFERENCE),
                "models": fits,
            }
        )
    (tmp_path / "asked.json").write_text(json.dumps(asked))
    script = Path(__file__).with_name("equal.R")
    words = ["Rscript", "--vanilla", str(script)]
    env = {**os.environ, "R_LIBS": str(library)}
    done = subprocess.run(words, cwd=tmp_path, env=env, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    told = json.loads((tmp_path / "estimates.json").read_text())
    compared = Compared()
    refused = 0
    for study, of_r, of_python in zip(studies, told, expected, strict=True):
        for name in ("shares", "arms", "classes", "waves"):
            if of_python[name] is not None:
                compared.table(f"{study.name} {name}", of_r[name], of_python[name])
        for number, (fit, wanted) in enumerate(zip(of_r["models"], of_python["models"], strict=True)):
            where = f"{study.name} model {number}"
            if isinstance(fit, str) or isinstance(wanted, str):
                refused += 1
                if not (isinstance(fit, str) and isinstance(wanted, str) and wanted in fit):
                    compared.wrong.append(f"{where}: {fit}, not {wanted}")
                continue
            for part in ("coefficients", "terms"):
                compared.table(f"{where} {part}", fit[part], wanted[part], "of")
    print(compared.same, refused, compared.worst)
    assert compared.wrong == []
    assert compared.same > 20_000
    assert refused >= 3
