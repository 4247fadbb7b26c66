"""candor anonymize, as it is run."""

import csv
import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from privacy.anonymity import table_anonymisation
from privacy.anonymity.anonymisation_result import AnonymisedTable, outcome_from_labels
from privacy.anonymity.published_file import measure_published_file
from privacy.anonymity.table_anonymisation import METHODS
from privacy.anonymity.tables.specification_reading import read_specification
from privacy.anonymity.tables.table import Table
from tests.privacy.anonymity.sample_tables import PLAIN
from tests.runs.sealed import Done, Folder

pytestmark = pytest.mark.page

HEADER = "name,age,wealth,town,illness"
WEALTH, TOWNS = ("poor", "rich"), ("Aa", "Bee", "Dee")
ROWS = [f"p{n},{20 + n % 37},{WEALTH[n % 2]},{TOWNS[n % 3]},i{n % 5}" for n in range(90)]


@pytest.fixture
def folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Folder:
    made = Folder(tmp_path, capsys)
    made.write("table.csv", [HEADER, *ROWS])
    criteria = {"k": 4, "l": {"kind": "distinct", "value": 2}, "seconds": 0}
    made.write("spec.json", {**PLAIN, **criteria, "identifiers": ["name"]})
    return made


def run(folder: Folder, **changed: Any) -> Done:
    if changed:
        said = json.loads((folder.folder / "spec.json").read_text())
        folder.write("spec.json", {**said, **changed})
    names = [str(folder.folder / name) for name in ("table.csv", "spec.json", "out.csv")]
    return folder.run("anonymize", *names[:2], "-o", names[2])


def published_rows(folder: Folder) -> list[dict[str, str]]:
    with (folder.folder / "out.csv").open() as file:
        return list(csv.DictReader(file))


def file_names_left(folder: Folder) -> list[str]:
    return sorted(path.name for path in folder.folder.iterdir())


@pytest.mark.night
def test_anonymize_reports_criteria_losses_and_uses(folder: Folder) -> None:
    # It says what is kept and what is lost.
    said = run(folder).output
    assert set(said) == {
        *("criteria", "losses", "risks", "classes", "seconds", "special", "ends", "tries", "seed")
    }
    assert said["criteria"]["k"]["asked"] == 4
    assert said["criteria"]["k"]["reached"] >= 4
    assert {"ncp", "ilp", "discernibility", "hasr", "falsified", "suppressed"} <= set(said["losses"])
    assert (said["losses"]["falsified"], said["losses"]["suppressed"]) == (0, 0)
    # It says what the file is good for.
    losses = run(folder).output["losses"]
    assert set(losses["marginals"]) == {"age", "wealth", "town", "illness"}
    assert losses["marginals"]["illness"] == 0
    assert losses["queries"]["queries"] == 2000
    assert 0 < losses["queries"]["median"] <= losses["queries"]["mean"]
    # What is said of the source has two digits and its queries no seed. Else exact means over known queries
    # would give single values back.
    found = [run(folder).output for _turn in range(4)]
    assert len({json.dumps(one["losses"]["queries"]) for one in found}) > 1
    for one in found:
        of_source = [one["losses"]["queries"], one["losses"]["marginals"], one["risks"]["before"]]
        for number in re.findall(r"\d+\.\d+", json.dumps(of_source)):
            assert len(number.replace(".", "").strip("0")) <= 2, number


def test_the_file_keeps_its_criteria_and_the_risks_before_and_after_are_said(folder: Folder) -> None:
    said = run(folder).output
    rows = published_rows(folder)
    classes = Counter((row["age"], row["wealth"], row["town"]) for row in rows)
    assert list(rows[0]) == ["age", "wealth", "town", "illness"]
    assert min(classes.values()) >= 4
    assert len(classes) == said["classes"]
    assert Counter(row["illness"] for row in rows) == Counter(row.rsplit(",", 1)[1] for row in ROWS)
    assert file_names_left(folder) == ["out.csv", "spec.json", "table.csv"]
    found = said["risks"]
    assert found["after"]["prosecutor"]["worst"] == pytest.approx(1 / min(classes.values()))
    assert found["after"]["uniqueness"] == 0 < found["before"]["uniqueness"]
    assert "journalist" not in found["after"]
    for when in ("before", "after"):
        assert set(found[when]["sensitive"]["illness"]) == {
            "information", "odds_shift", "worst", "mean", "informed_worst", "informed_mean",
        }  # fmt: skip
    # A column that is not disguised is not estimated.
    names = [str(folder.folder / name) for name in ("spec.json", "out.csv")]
    assert "is not a disguised column" in folder.run("estimate", *names, "--question", "illness").refusal
    # Ends are rounded, and none is the value of one person.
    age, *others = json.loads((folder.folder / "spec.json").read_text())["quasi_identifiers"]
    rounded = run(folder, quasi_identifiers=[{**age, "ends": {"grid": "10"}}, *others]).output
    assert rounded["ends"]["age"] == 0
    assert rounded["losses"]["columns"]["age"] > said["losses"]["columns"]["age"]
    ends = {end for row in published_rows(folder) for end in row["age"].split("..") if row["age"] != "*"}
    assert all(not end or int(end) % 10 in (0, 9) for end in ends)


@pytest.mark.at_push(1)
@pytest.mark.parametrize("method", ["tree", "bottom-up", "k-member"])
def test_anonymize_reports_what_a_reader_of_equal_rows_counts(folder: Folder, method: str) -> None:
    """A search makes several classes of equal records, which are one class to everybody else."""
    rows = [f"p{n},{20 + n % 3},poor,Aa,i{n % 5}" for n in range(120)]
    folder.write("table.csv", [HEADER, *rows])
    said = run(folder, method=method, seconds="0.2").output
    classes = Counter((row["age"], row["wealth"], row["town"]) for row in published_rows(folder))
    assert said["classes"] == len(classes) == 3
    assert said["losses"]["discernibility"] == sum(size**2 for size in classes.values()) == 3 * 40**2
    specification = read_specification((folder.folder / "spec.json").read_bytes(), "spec", frozenset(METHODS))
    with (folder.folder / "out.csv").open("rb") as file:
        read = measure_published_file(file, "out.csv", specification)
    assert said["criteria"] == read["criteria"]
    assert {name: said["losses"][name] for name in read["losses"]} == read["losses"]
    assert said["risks"]["after"]["prosecutor"] == pytest.approx(read["risks"]["prosecutor"])
    assert said["risks"]["after"]["hasr"] == read["risks"]["hasr"]


def test_kacluk_keeps_the_criteria_and_says_what_it_needs(folder: Folder) -> None:
    assert run(folder, method="kacluk").output["criteria"]["k"]["reached"] >= 4
    rows = published_rows(folder)
    assert sorted(row["illness"] for row in rows) == sorted(row.rpartition(",")[2] for row in ROWS)
    sizes = Counter((row["age"], row["wealth"], row["town"]) for row in rows)
    assert len(sizes) > 1
    assert min(sizes.values()) >= 4
    folder.write("table.csv", [HEADER, *(row[:-1] + str(n % 2) for n, row in enumerate(ROWS))])
    assert "one sensitive column of 3 to 50 values" in run(folder).refusal


@pytest.mark.parametrize("method", ["samarati", "datafly"])
def test_records_are_left_out_as_far_as_allowed(folder: Folder, method: str) -> None:
    said = run(folder, method=method, suppression="0.1").output
    rows = published_rows(folder)
    left_out = said["losses"]["suppressed"] * len(ROWS)
    assert left_out == pytest.approx(len(ROWS) - len(rows))
    assert left_out <= 0.1 * len(ROWS)
    classes = Counter((row["age"], row["wealth"], row["town"]) for row in rows)
    assert min(classes.values()) >= 4
    assert len(classes) == said["classes"]


def test_stated_number_of_tries_reproduces_the_file(folder: Folder) -> None:
    found = run(folder, seed=7).output
    first = (folder.folder / "out.csv").read_bytes()
    again = run(folder, seed=7, tries=found["tries"]).output
    assert (again["tries"], again["seed"]) == (found["tries"], 7)
    assert (folder.folder / "out.csv").read_bytes() == first


def test_a_disguised_column_is_estimated_from_the_file(folder: Folder) -> None:
    values = sorted({row.rsplit(",", 1)[1] for row in ROWS})
    sensitive = [{"name": "illness", "gamma": "20", "values": values}]
    run(folder, sensitive=sensitive, l=None, max_frequency=None)
    shown = Counter(row["illness"] for row in published_rows(folder))
    names = [str(folder.folder / name) for name in ("spec.json", "out.csv")]
    found = folder.run("estimate", *names, "--question", "illness").output
    assert (found["base"], found["gamma"]) == (len(ROWS), 20)
    # p is the largest number of ten-thousandths with 1 + m p / (1 - p) <= 20.
    p = int(19 / (19 + len(values)) * 10_000) / 10_000
    for share in found["shares"]:
        assert share["published"] == shown[share["value"]] / len(ROWS)
        corrected = (share["published"] - (1 - p) / len(values)) / p
        assert share["share"] == pytest.approx(corrected)
        assert share["low"] <= max(min(corrected, 1), 0) <= share["high"]
    assert "no disguised column" not in str(found)


def test_sample_has_a_journalist_risk_and_two_population_models(folder: Folder) -> None:
    found = run(folder, sample={"fraction": "0.1"}).output["risks"]
    assert found["after"]["journalist"]["population"] == len(ROWS) * 10
    assert found["after"]["journalist"]["worst"] < found["after"]["prosecutor"]["worst"]
    assert "population" not in found["after"]


def test_impossible_release_is_refused_in_one_line_and_nothing_written(folder: Folder) -> None:
    tries: list[tuple[dict[str, Any], str]] = [
        ({"k": 91}, "table.csv: k is 91, and there are fewer records"),
        ({"l": {"kind": "distinct", "value": 6}}, "table.csv: illness: l is 6, and there are fewer values"),
        ({"max_frequency": "0.1"}, "table.csv: the whole table as one class does not keep max_frequency"),
        ({"method": "magic"}, "spec.json: method: 'magic' is not a method"),
        ({"sensitive": ["disease"]}, "table.csv:1: the column 'disease' is missing"),
    ]
    plain = json.loads((folder.folder / "spec.json").read_text())
    for changed, said in tries:
        folder.write("spec.json", plain | changed)
        assert said in run(folder).refusal
        assert file_names_left(folder) == ["spec.json", "table.csv"]
    folder.write("spec.json", plain)
    names = [str(folder.folder / name) for name in ("table.csv", "spec.json", "nowhere/out.csv")]
    assert "cannot be written" in folder.run("anonymize", *names[:2], "-o", names[2]).refusal
    # The specification says another layout.
    done = run(folder, table={"separator": ";"})
    assert done.status == 1
    assert "table.csv:1: the column 'name' is missing" in done.err


def test_a_broken_line_is_refused_and_an_earlier_file_stays(folder: Folder) -> None:
    (folder.folder / "out.csv").write_text("earlier")
    folder.write("table.csv", [HEADER, *ROWS, "x,thirty,poor,Aa,i1"])
    assert "table.csv:92: age: 'thirty' is no number" in run(folder).refusal
    assert (folder.folder / "out.csv").read_text() == "earlier"


def test_file_rejected_by_the_checker_is_not_written(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    def every_record_alone(table: Table, *_rest: object) -> AnonymisedTable:
        return outcome_from_labels(table, np.arange(table.records))

    monkeypatch.setitem(table_anonymisation.METHODS, "tree", every_record_alone)
    assert "the checker finds classes that do not keep k" in run(folder).refusal
    assert file_names_left(folder) == ["spec.json", "table.csv"]


def test_the_layout_of_a_table_is_found_where_the_specification_does_not_say_it(folder: Folder) -> None:
    lines = [line.replace(",", ";") for line in (HEADER, *ROWS)]
    (folder.folder / "table.csv").write_bytes("\n".join(lines).replace("rich", "rïch").encode("utf-16"))
    columns = [{**PLAIN["quasi_identifiers"][1], "order": ["poor", "rïch"]}]
    assert run(folder, quasi_identifiers=columns).status == 0
    assert {row["wealth"] for row in published_rows(folder)} == {"poor", "rïch"}
