"""Records on the workers of a cluster: the digits of one machine, and files that are not what they were."""

import os
import pickle
from collections.abc import Iterator
from pathlib import Path

import dask.dataframe
import numpy as np
import pandas as pd
import pytest
from distributed import Client, LocalCluster

import candor
import candor.dask
from candor.__main__ import main
from privacy.simulation.disguise import disguise
from tests.privacy.questionnaires import HALF, YES_NO, design, plain, question, refusal, sensitive

pytestmark = pytest.mark.proof
NAMES = ["theft", "lie", "bribe", "young", "rural"]
FORM = design(
    sensitive("0.5", *(question(name, *HALF) for name in NAMES[:3])),
    plain(*({"name": name, "choices": YES_NO} for name in NAMES[3:])),
)


@pytest.fixture(scope="module")
def rows() -> pd.DataFrame:
    """100,000 people, a quarter of whom answer openly."""
    random = np.random.default_rng(5)
    n = 100_000
    true = (random.random((5, n)) < 0.3) | (random.random(n) < 0.2)
    group = (random.random(n) < 0.75).astype(np.uint8)
    sent = disguise(FORM, group, true.astype(np.uint8), random)
    table = pd.DataFrame(np.array(["no", "yes"])[sent.T], columns=NAMES)
    return table.assign(group=np.array(["open", "disguised"])[group])


@pytest.fixture
def csv_records(rows: pd.DataFrame, tmp_path: Path) -> candor.Records:
    rows.to_csv(tmp_path / "all.csv", index=False)
    return candor.read_records(tmp_path / "all.csv", FORM)


@pytest.fixture(scope="module")
def dask_client() -> Iterator[Client]:
    with Client(
        processes=False, n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0"
    ) as client:
        yield client


def write_parts(rows: pd.DataFrame, folder: Path, parts: int) -> str:
    """Records in parts at random, in CSV and Parquet by turns; the pattern of their names."""
    of_row = np.random.default_rng(parts).integers(0, parts, len(rows))
    for number in range(parts):
        chosen = rows[of_row == number]
        if number % 2:
            chosen.to_csv(folder / f"part-{number}", index=False)
        else:
            chosen.to_parquet(folder / f"part-{number}", index=False)
    return str(folder / "part-*")


def assert_same(many: candor.Records, one: candor.Records) -> None:
    for call in (
        candor.shares,
        lambda records: candor.itemsets(records, 0.1, max_size=4),
        lambda records: candor.rules(records, 0.1, 0.3),
    ):
        pd.testing.assert_frame_equal(call(many), call(one), check_exact=True)


def test_dask_result_has_the_digits_of_one_machine(
    rows: pd.DataFrame, csv_records: candor.Records, dask_client: Client, tmp_path: Path
) -> None:
    told: list[tuple[int, int]] = []
    many = candor.dask.counter(
        write_parts(rows, tmp_path, 5), FORM, dask_client, progress=lambda *number: told.append(number)
    )
    assert told == [(number, 5) for number in range(1, 6)]
    assert many.n == csv_records.n
    assert_same(many, csv_records)
    assert "on the workers of a cluster" in refusal(many.mined.complete.__getitem__, 0)


@pytest.mark.parametrize("among", [(), ["rural=yes"]])
def test_a_model_on_a_cluster_has_the_digits_of_one_machine(
    rows: pd.DataFrame, csv_records: candor.Records, dask_client: Client, tmp_path: Path, among: list[str]
) -> None:
    many = candor.dask.counter(write_parts(rows, tmp_path, 3), FORM, dask_client)
    on = ["young"] if among else ["young", "rural"]
    fits = [
        candor.fit_model(records, "theft=yes", on, among=among, logit=True) for records in (many, csv_records)
    ]
    assert fits[0] == fits[1]


def test_a_dask_frame_is_counted_like_a_data_frame(rows: pd.DataFrame, dask_client: Client) -> None:
    """Answers in other words, some missing, and a partition in which no row is whole."""
    frame = rows.replace({"theft": {"yes": "Y", "no": "N"}}).rename(columns={"lie": "lied"})
    frame.loc[:40_000, "bribe"] = None
    columns, codes = {"lie": "lied"}, {"theft": {"Y": "yes", "N": "no"}}
    parts = dask.dataframe.from_pandas(frame, npartitions=3)  # type: ignore[no-untyped-call]
    many = candor.dask.counter(parts, FORM, dask_client, columns=columns, codes=codes)
    one = candor.records(frame, FORM, columns, codes)
    assert (many.n, many.left_out) == (one.n, one.left_out) == (one.n, {"no bribe": 40_001})
    assert_same(many, one)


def test_missing_or_foreign_record_files_are_named(
    rows: pd.DataFrame, dask_client: Client, tmp_path: Path
) -> None:
    assert "no file has this name" in refusal(candor.dask.counter, str(tmp_path / "*.csv"), FORM, dask_client)
    missing = tmp_path / "missing.csv"
    assert "missing.csv: cannot be read" in refusal(candor.dask.counter, [missing], FORM, dask_client)
    rows[:100].to_parquet(tmp_path / "good.parquet", index=False)
    rows[:100].drop(columns="lie").to_parquet(tmp_path / "other.parquet", index=False)
    assert "other.parquet" in refusal(candor.dask.counter, str(tmp_path / "*.parquet"), FORM, dask_client)
    (tmp_path / "other.parquet").write_bytes((tmp_path / "good.parquet").read_bytes()[:-40])
    assert "other.parquet: cannot be read" in refusal(
        candor.dask.counter, str(tmp_path / "*.parquet"), FORM, dask_client
    )


def test_file_changed_after_discovery_is_named(rows: pd.DataFrame, tmp_path: Path) -> None:
    """As a worker meets it that reads the file again in the place of another."""
    path = tmp_path / "part.csv"
    rows[:500].to_csv(path, index=False)
    found = path.stat()
    rows[:600].to_csv(path, index=False)
    stamp = (found.st_size, found.st_mtime_ns)
    read = candor.dask._read_part
    assert "part.csv: changed while it was counted" in refusal(read, str(path), stamp, text=FORM.canonical)


def test_refusal_has_the_same_words_in_another_process() -> None:
    said = candor.InputError("file:7", "more than %(most)s columns", most=3)
    again = pickle.loads(pickle.dumps(said))
    assert (str(again), again.template, again.values) == (str(said), said.template, said.values)


@pytest.mark.night
@pytest.mark.parametrize("parts", [1, 3, 40])
def test_result_does_not_depend_on_how_records_are_divided(
    rows: pd.DataFrame, csv_records: candor.Records, dask_client: Client, tmp_path: Path, parts: int
) -> None:
    assert_same(candor.dask.counter(write_parts(rows, tmp_path, parts), FORM, dask_client), csv_records)


@pytest.mark.night
def test_killed_dask_worker_is_replaced(
    rows: pd.DataFrame, csv_records: candor.Records, tmp_path: Path
) -> None:
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0") as cluster,
        Client(cluster) as client,
    ):
        many = candor.dask.counter(write_parts(rows, tmp_path, 6), FORM, client)
        pd.testing.assert_frame_equal(candor.shares(many), candor.shares(csv_records), check_exact=True)
        (killed, *_others) = client.run(os.getpid).values()
        os.kill(killed, 9)
        found = candor.itemsets(many, 0.1)
        pd.testing.assert_frame_equal(found, candor.itemsets(csv_records, 0.1), check_exact=True)


@pytest.mark.night
def test_command_counts_in_processes_of_this_machine(
    rows: pd.DataFrame, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "design.json").write_text(FORM.canonical)
    rows.to_csv(tmp_path / "all.csv", index=False)
    words = ["--min-support", ".1", "--min-confidence", ".3"]
    assert main(["mine", str(tmp_path / "design.json"), str(tmp_path / "all.csv"), *words]) == 0
    expected = capsys.readouterr().out
    pattern = write_parts(rows, tmp_path, 4)
    assert main(["mine", str(tmp_path / "design.json"), pattern, *words, "--local-cluster", "2"]) == 0
    assert capsys.readouterr().out == expected
