"""The script that leaves with a record file, run by R itself, gives the shares that the product gives."""

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.core.management import call_command

from intake.recordfiles import as_csv, r_script
from mining.parameters import Parameters
from mining.reconstruction import CachedCounter, reconstruct
from mining.reconstruction.supports import Supports
from privacy.designs import Design
from privacy.records import DISGUISED, OPEN, RecordRow
from privacy.simulation.disguise import disguise
from runs.findings import answers
from tests.intake import asked
from tests.intake.recordfiles import filed
from tests.mining.listed import Listed

pytestmark = pytest.mark.server

ASKS = asked.written(
    {"kind": "plain", "questions": [{"name": "work", "choices": ["employed", "not"]}]},
    {
        "kind": "unrelated-question",
        "keep": "0.4",
        "asked": 2,
        "questions": [
            {"name": "theft", "choices": ["no", "yes"], "noise": ["0.4", "0.6"]},
            {
                "name": "sick",
                "choices": ["no", "yes"],
                "noise": ["0.7", "0.3"],
                "show_if": {"work": ["employed"]},
            },
            {"name": "often", "choices": ["never", "once", "weekly"], "noise": ["0.5", "0.3", "0.2"]},
        ],
    },
    open_answers=True,
)
FIELD = re.compile(r"\S+")


def people(design: Design, n: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(5)
    group = np.where(rng.random(n) < 0.3, OPEN, DISGUISED).astype(np.uint8)
    work, theft, sick = (rng.random(n) < share for share in (0.4, 0.2, 0.35))
    truth = np.array([work, theft, sick, rng.choice(3, n, p=[0.5, 0.3, 0.2])], np.uint16)
    truth[2, work] = design.questions[2].not_applicable
    return group, disguise(design, group, truth, rng)


def by_r(folder: Path) -> dict[str, list[float | None]]:
    """By answer: asked, shown, share, share among those shown."""
    done = subprocess.run(
        ["Rscript", "--vanilla", "analysis.R"], cwd=folder, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    header, *lines = done.stdout.strip().splitlines()
    columns = FIELD.findall(header)
    found = {}
    for line in lines:
        cells = dict(zip(columns, FIELD.findall(line), strict=True))
        names = ("asked", "shown", "share", "share_shown")
        found[f"{cells['question']}={cells['choice']}"] = [
            None if cells[name] == "NA" else float(cells[name]) for name in names
        ]
    return found


def test_r_report_and_mine_agree_on_every_share(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    group, codes = people(ASKS, 4_000)
    rows = [RecordRow(int(of), tuple(column)) for of, column in zip(group, codes.T.tolist(), strict=True)]
    records = filed.records(ASKS, rows)
    (tmp_path / "records.csv").write_bytes(b"".join(as_csv.written(records)))
    (tmp_path / "analysis.R").write_text(r_script.code(ASKS, "records.csv", "Work"))
    (tmp_path / "design.json").write_text(ASKS.canonical)
    found = by_r(tmp_path)
    known = CachedCounter(Listed(ASKS, group, codes))
    of_report = {row.items[0]: row for row in answers(known, Parameters(0.1, 0.5))}
    call_command(
        "mine",
        tmp_path / "design.json",
        tmp_path / "records.csv",
        "--min-support=0.000001",
        "--min-confidence=0.5",
        "--max-size=1",
        "--absences",
    )
    mined = {one["items"][0]: one for one in json.loads(capsys.readouterr().out)["itemsets"]}
    assert len(found) == 7
    for place in (1, 2, 3):
        for choice in ASKS.questions[place].choices:
            name = f"{ASKS.questions[place].name}={choice.name}"
            asked_, shown, share, share_shown = found[name]
            row = of_report[name]
            assert (asked_, shown) == (row.n_asked, row.shown)
            assert share == pytest.approx(row.support, abs=1e-6)
            if ASKS.questions[place].show_if:
                assert share_shown == pytest.approx(row.share_shown, abs=1e-6)
                assert share_shown == pytest.approx(mined[name]["share_shown"], abs=1e-6)
                assert mined[name]["shown"] == shown
            else:
                assert share_shown == share
            assert mined[name]["support"] == pytest.approx(share, abs=1e-6)
            assert mined[name]["base"] == asked_


def test_r_estimates_nothing_from_too_few(tmp_path: Path) -> None:
    group, codes = people(ASKS, 70)
    rows = [RecordRow(int(of), tuple(column)) for of, column in zip(group, codes.T.tolist(), strict=True)]
    (tmp_path / "records.csv").write_bytes(b"".join(as_csv.written(filed.records(ASKS, rows))))
    (tmp_path / "analysis.R").write_text(r_script.code(ASKS, "records.csv", "Work"))
    product: Supports = reconstruct(Listed(ASKS, group, codes), [((1, 1),), ((2, 1),), ((3, 1),)])
    found = by_r(tmp_path)
    shares = [found[name][2] for name in ("theft=yes", "sick=yes", "often=once")]
    assert [share is None for share in shares] == (~product.enough).tolist()
    assert None in shares
