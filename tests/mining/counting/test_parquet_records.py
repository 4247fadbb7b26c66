"""Records in Parquet files: the same as those of a CSV file."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from mining.counting import read_record_file
from mining.queries_and_counters import Query
from privacy.designs import Design
from privacy.records import record_parquet_blocks
from tests.privacy.questionnaires import HALF, design, plain, question, refusal, sensitive

pytestmark = pytest.mark.proof


@pytest.fixture
def form() -> Design:
    asked = {"name": "work", "choices": ["yes", "no"]}
    behind = {"name": "late", "choices": ["no", "yes"], "show_if": {"work": ["yes"]}}
    return design(plain(asked, behind), sensitive("0.5", question("theft", *HALF)))


def table(n: int = 500) -> pd.DataFrame:
    random = np.random.default_rng(4)
    work = random.choice(["yes", "no"], n)
    late = np.where(work == "yes", random.choice(["no", "yes"], n), "-")
    group = random.choice(["disguised", "open"], n)
    return pd.DataFrame(
        {"group": group, "work": work, "late": late, "theft": random.choice(["no", "yes"], n)}
    )


def counts(form: Design, path: Path) -> list[Any]:
    counter = read_record_file(form, path).counter()
    queries = [Query(((question, code),)) for question in range(3) for code in range(2)]
    return [counter.n, *counter.count(queries).tolist()]


@pytest.mark.parametrize("kind", [str, "category"])
def test_parquet_records_are_read_like_csv(
    form: Design, tmp_path: Path, kind: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In blocks of 64 rows, with a column more, in another order."""
    monkeypatch.setattr(record_parquet_blocks, "ROWS", 64)
    rows = table()
    rows.to_csv(tmp_path / "records.csv", index=False)
    wide = rows.assign(note=1.5)[["note", "theft", "group", "late", "work"]].astype(
        {"theft": kind, "late": kind}
    )
    wide.to_parquet(tmp_path / "records.parquet", index=False, row_group_size=150)
    assert counts(form, tmp_path / "records.parquet") == counts(form, tmp_path / "records.csv")


def test_empty_cell_and_whole_number_are_read_as_text(tmp_path: Path) -> None:
    """A number with missing ones is a float in pandas."""
    form = design(
        sensitive("0.5", *(question(name, *HALF, choices=["1", "2"]) for name in ("a", "b", "c")), asked=2)
    )
    rows = pd.DataFrame(
        {"group": "disguised", "a": [1.0, 2.0, None], "b": [2.0, None, 1.0], "c": [None, 1.0, 2.0]}
    )
    rows.to_parquet(tmp_path / "records.parquet", index=False)
    counter = read_record_file(form, tmp_path / "records.parquet").counter()
    found = counter.count([Query(((question, 0),)) for question in range(3)])
    assert (counter.n, found.sum(axis=1).tolist()) == ((0, 3), [1, 1, 1])


def test_invalid_parquet_record_is_refused_with_its_row(form: Design, tmp_path: Path) -> None:
    path = tmp_path / "{all} records.parquet"
    rows = table()
    rows.loc[170, "theft"] = "maybe"
    rows.to_parquet(path, index=False)
    assert "records.parquet:171" in refusal(read_record_file, form, path)
    rows.drop(columns="late").to_parquet(path, index=False)
    assert "late" in refusal(read_record_file, form, path)
    path.write_bytes(path.read_bytes()[:200])
    assert "cannot be read" in refusal(read_record_file, form, path)
