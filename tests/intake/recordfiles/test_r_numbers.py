"""What the script that leaves with a record file says of numbers, run by R itself, is what the product says."""

import csv
import subprocess
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from intake.recordfiles import as_csv, r_script
from mining.kinds.number import finding
from mining.kinds.number.classes import estimate_mean
from mining.kinds.number.window import estimate_window
from privacy.designs import Design
from privacy.kinds.number.classes.section import ClassesSection
from privacy.kinds.number.window.section import WindowSection
from privacy.kinds.scores import scores_of
from privacy.records import DISGUISED, OPEN, RecordRow
from privacy.simulation.disguise import disguise
from tests.intake.recordfiles import filed
from tests.privacy.questionnaires import IF_EMPLOYED, WORK, classes, design, plain, sensitive, window

pytestmark = pytest.mark.server

ASKED = design(
    plain(WORK),
    window("change, in all", 101, 10, "0.4", low=-250, step=5, **IF_EMPLOYED),
    classes("debt", "0.7142", 0, 500, 1000, 2000, 100_000, rest=2, **IF_EMPLOYED),
    classes("drinks", "0.5", 0, 2, 5, 9),
    sensitive("0.5", {"name": "theft", "choices": ["no", "yes"], "noise": ["0.4", "0.6"]}),
)
GROUPS = (OPEN, DISGUISED)


def people(of: Design, n: int) -> tuple[NDArray[np.uint8], NDArray[np.uint32]]:
    rng = np.random.default_rng(5)
    group = np.where(rng.random(n) < 0.3, OPEN, DISGUISED).astype(np.uint8)
    work = rng.random(n) < 0.3
    change = np.clip(rng.normal(40 + 20 * (group == OPEN), 12, n), 0, 100)
    debt = np.minimum(rng.lognormal(6.5, 1.5, n), 100_000)
    truth = np.array([work, change, debt, rng.integers(0, 10, n), rng.random(n) < 0.2], np.uint32)
    for place in (1, 2):
        truth[place, work] = of.questions[place].true_hidden
    return group, disguise(of, group, truth, rng)


def counted(of: Design, place: int, group: NDArray[np.uint8], codes: NDArray[np.uint32]) -> NDArray[np.int64]:
    """Records by group and code, of those to whom the number applies."""
    question = of.questions[place]
    return np.array(
        [
            np.bincount(
                codes[place][(group == g) & (codes[place] < question.codes)], minlength=question.codes
            )
            for g in GROUPS
        ]
    )


def run(
    folder: Path, of: Design, group: NDArray[np.uint8], codes: NDArray[np.uint32]
) -> list[list[list[str]]]:
    """The printed tables, each with its header, as lists of cells."""
    rows = [RecordRow(int(g), tuple(column)) for g, column in zip(group, codes.T.tolist(), strict=True)]
    (folder / "records.csv").write_bytes(b"".join(as_csv.written(filed.records(of, rows))))
    (folder / "analysis.R").write_text(r_script.code(of, "records.csv", "Numbers"))
    done = subprocess.run(
        ["Rscript", "--vanilla", "analysis.R"], cwd=folder, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    found: list[list[list[str]]] = []
    for line in done.stdout.splitlines():
        cells = line.split()
        if cells[0] == "question":
            found.append([])
        found[-1].append(cells)
    return found


def test_r_and_the_product_agree_on_numbers(tmp_path: Path) -> None:
    group, codes = people(ASKED, 6_000)
    shares, above, means = run(tmp_path, ASKED, group, codes)
    assert [row[0] for row in shares[1:]] == ["theft", "theft"]

    listed = {tuple(row[:3]): row[3:] for row in above[1:]}
    for place in (2, 3):
        section = ASKED.sections[place]
        assert isinstance(section, ClassesSection)
        counts = counted(ASKED, place, group, codes)
        found = finding.estimates(section, counts)
        for one in (*found.shares, *found.classes[:-1]):
            ends = ("NA" if end is None else str(end) for end in (one.at_least, one.below))
            records, share, se = listed.pop((section.question.name, *ends))
            assert int(records) == one.n_asked
            assert float(share) == pytest.approx(one.share, abs=1e-6)
            assert float(se) == pytest.approx(one.se, abs=1e-6)
    assert not listed

    debt = ASKED.sections[2]
    assert isinstance(debt, ClassesSection)
    of = debt.question
    mean = estimate_mean(
        scores_of(debt.as_mined().questions[0]),
        counted(ASKED, 2, group, codes),
        of.starts,
        of.high,
        of.span,
        debt.law.rest_keep,
    )
    assert mean is not None
    ((name, records, value, se),) = means[1:]
    assert (name, int(records)) == ("debt", counted(ASKED, 2, group, codes).sum())
    assert float(value) == pytest.approx(mean.value, rel=1e-7)
    assert float(se) == pytest.approx(mean.se, rel=1e-7)


def test_r_and_the_product_agree_on_a_blurred_distribution(tmp_path: Path) -> None:
    group, codes = people(ASKED, 6_000)
    run(tmp_path, ASKED, group, codes)
    section = ASKED.sections[1]
    assert isinstance(section, WindowSection)
    product = estimate_window(section.law, counted(ASKED, 1, group, codes))
    assert product is not None
    # "change, in all" is no name of a variable; the nearest one is.
    with (tmp_path / "distribution-change_in_all.csv").open() as file:
        table = list(csv.DictReader(file))
    assert [int(row["value"]) for row in table] == list(range(-250, 251, 5))
    for name in ("received", "blurred", "low", "high"):
        assert [float(row[name]) for row in table] == pytest.approx(getattr(product, name).tolist(), abs=1e-9)


def test_r_estimates_nothing_of_numbers_from_too_few(tmp_path: Path) -> None:
    group, codes = people(ASKED, 30)
    _shares, above, means = run(tmp_path, ASKED, group, codes)
    assert {tuple(row[-2:]) for row in above[1:]} == {("NA", "NA")}
    assert means[1][-2:] == ["NA", "NA"]
    with (tmp_path / "distribution-change_in_all.csv").open() as file:
        assert {row["blurred"] for row in csv.DictReader(file)} == {"NA"}


def test_a_script_for_a_number_alone_runs(tmp_path: Path) -> None:
    of = design(window("income", 64, 3))
    rng = np.random.default_rng(1)
    truth = rng.integers(20, 40, (1, 500)).astype(np.uint32)
    group = np.full(500, DISGUISED, np.uint8)
    codes = disguise(of, group, truth, rng)
    assert run(tmp_path, of, group, codes) == []
    section = of.sections[0]
    assert isinstance(section, WindowSection)
    product = estimate_window(section.law, counted(of, 0, group, codes))
    assert product is not None
    with (tmp_path / "distribution-income.csv").open() as file:
        table = list(csv.DictReader(file))
    assert np.isnan(product.low).all()
    assert {row["low"] for row in table} == {row["high"] for row in table} == {"NA"}
    assert [float(row["blurred"]) for row in table] == pytest.approx(product.blurred.tolist(), abs=1e-9)
