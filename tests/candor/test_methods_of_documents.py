"""What the documents compute, on one's own data: their printed numbers come out of the public functions."""

import json
import xml.etree.ElementTree as ET
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import candor
from candor.__main__ import main
from candor.privacy_breaches import read_breaches
from papers.k_anonymity import lattice as document
from papers.privacy_breach.breaches import LAWS
from papers.publishing.medical_table_linkage import HEAD, MEDICAL, QUASI
from tests.privacy.questionnaires import refusal

pytestmark = pytest.mark.proof


def test_table_1_of_document_000_matches_the_printed_digits() -> None:
    """The record 0; 0 has the prior .01, and all other numbers of 0 to 1,000 are alike."""
    prior = [0.01, *[0.99 / 1000] * 1000]
    properties: dict[str, Any] = {"zero": {0}, "outside": lambda x: not 200 <= x <= 800}
    numbers = np.arange(1001)
    after = {}
    for name, law in LAWS.items():
        weights = np.array(law.weights, np.float64)
        matrix = weights[(numbers[None, :] - numbers[:, None]) % 1001]
        found = candor.breaches(matrix, prior, properties)
        after[name] = [round(100 * found.after.loc[one, 0], 1) for one in properties]
        before = [round(100 * found.before[one], 1) for one in properties]
        assert before == [1, 40.5]
    assert after == {"R1": [71.6, 83.0], "R2": [4.8, 100], "R3": [2.9, 70.8]}


def test_posteriors_follow_bayes_rule_within_the_bound() -> None:
    """By hand: 1/4 and 3/4 answer yes with 2/3 and 1/3; after a yes 1/6 to 1/4, so 2/5."""
    matrix = pd.DataFrame([[2 / 3, 1 / 3], [1 / 3, 2 / 3]], ["thief", "honest"], ["yes", "no"])
    found = candor.breaches(matrix, {"honest": 0.75, "thief": 0.25}, {"anybody": ["thief", "honest"]})
    assert found.amplification == pytest.approx(2)
    assert found.after.loc["thief"].tolist() == pytest.approx([2 / 5, 1 / 7])
    assert found.after.loc["anybody"].tolist() == pytest.approx([1, 1])
    row = found.to_frame().loc["thief"]
    assert (row["most_after"], row["least_after"]) == ("yes", "no")
    assert row["bound"] == pytest.approx(2 / 5)
    certain = candor.breaches([[1, 0], [0.5, 0.5]], [0.5, 0.5])
    assert certain.amplification == inf
    assert certain.to_frame()["bound"].tolist() == [1, 1]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (([[0.5, 0.6]], [1]), "matrix: each row"),
        (([[1.5, -0.5]], [1]), "matrix: each row"),
        (([[1, 0], [0, 1]], [0.5]), "prior: has a probability of each value"),
        (([[1, 0], [0, 1]], [0.5, 0.6]), "prior: has a probability of each value"),
        (([[1, 0], [0, 1]], [0.5, 0.5], {"odd": [7]}), "properties.odd: 7 is no value"),
    ],
)
def test_invalid_matrix_or_prior_is_refused(given: tuple[Any, ...], said: str) -> None:
    assert said in refusal(candor.breaches, *given)


def test_squares_have_the_errors_of_document_002() -> None:
    """Its map has the half-side 1,000; a corner of it is a region of one quarter."""
    whole = candor.square_mechanism(2000, 2000, epsilon=5)
    assert round(whole.error()) == 165_985
    corner = candor.square_mechanism(2000, 2000, [(0, 0, 1000, 1000)], epsilon=5)
    assert corner.width == pytest.approx(578.54, abs=0.005)
    points = np.random.default_rng(1).uniform(0, 2000, (200_000, 2))
    squares = ((whole.draw(points, np.random.default_rng(2)) - points) ** 2).sum(axis=1)
    assert abs(squares.mean() - whole.error()) < 4 * squares.std() / np.sqrt(len(points))
    assert "does not fit" in refusal(candor.square_mechanism, 10, 10, epsilon=1, side=11)
    assert "reaches beyond" in refusal(candor.square_mechanism, 10, 10, [(5, 5, 15, 9)], epsilon=1)
    assert "epsilon" in refusal(candor.square_mechanism, 10, 10, epsilon=0)


def write_table_and_specification(
    folder: Path, quasi: Any, head: tuple[str, ...], rows: Any, **more: Any
) -> list[str]:
    """The paths of a table and of its specification."""
    said = {"format": "candor-release/1", "quasi_identifiers": quasi, **more}
    (folder / "table.csv").write_text("\n".join(map(",".join, [head, *rows])) + "\n")
    (folder / "spec.json").write_text(json.dumps(said))
    return [str(folder / "table.csv"), str(folder / "spec.json")]


def test_lattice_of_document_001_is_listed_and_drawn(tmp_path: Path) -> None:
    quasi = json.loads(json.dumps(document.QUASI))
    files = write_table_and_specification(tmp_path, quasi, document.HEAD, document.UNEVEN, k=2)
    found = candor.generalisation_lattice(*files)
    # By hand: three of nine rows are equal; by race 5, 2 and 2; by the first digits of ZIP 6 and 3.
    nodes = found.nodes.set_index(["race", "ZIP"])
    assert len(nodes) == 2 * 3
    assert nodes.loc[(0, 0), ["classes", "smallest", "below_k"]].tolist() == [7, 1, 6]
    assert nodes.index[nodes["minimal"]].tolist() == [(0, 2), (1, 1)]
    drawn = ET.fromstring(found.svg())
    kinds = [element.tag.rpartition("}")[2] for element in drawn.iter()]
    assert (kinds.count("rect"), kinds.count("line")) == (6, 7)


def test_medical_table_loses_as_in_document_003(tmp_path: Path) -> None:
    """At k = 2 two of three classes tell their problem; at l = 2 none does, at a loss of .419."""
    for diversity, ncp, told in ((None, 0.404, 2 / 3), ({"kind": "distinct", "value": 2}, 0.419, 0)):
        wanted = {"k": 2, "tries": 300, "max_frequency": None, **({"l": diversity} if diversity else {})}
        table, specification = write_table_and_specification(
            tmp_path, QUASI, HEAD, MEDICAL, sensitive=["problem"], **wanted
        )
        losses = candor.anonymize(table, specification, tmp_path / "out.csv")["losses"]
        assert round(losses["ncp"], 3) == ncp
        assert losses["hasr"] == pytest.approx(told)


def test_breaches_command_prints_amplification_and_beliefs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    matrix = tmp_path / "matrix.csv"
    matrix.write_text("value,prior,yes,no\nthief,.25,.7,.3\nhonest,.75,.3,.7\n")
    assert main(["breaches", str(matrix), "--property", "all=thief,honest"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["amplification"] == pytest.approx(7 / 3)
    assert [row["of"] for row in said["beliefs"]] == ["thief", "honest", "all"]
    assert main(["breaches", str(matrix), "--property", "odd=nobody"]) == 1
    assert "properties.odd: nobody is no value of the matrix" in capsys.readouterr().err
    assert main(["square-mechanism", "2000", "2000", "5", "--region", "0,0,1000,1000"]) == 0
    assert json.loads(capsys.readouterr().out)["side"] == pytest.approx(578.54, abs=0.005)
    files = write_table_and_specification(
        tmp_path, json.loads(json.dumps(document.QUASI)), document.HEAD, document.EVEN, k=2
    )
    assert main(["lattice", *files]) == 0
    assert capsys.readouterr().out.splitlines()[0] == "race,ZIP,classes,smallest,below_k,minimal"
    assert main(["lattice", *files, "--svg"]) == 0
    assert capsys.readouterr().out.startswith("<svg")
    assert main(["square-mechanism", "2000", "2000", "5", "--region", "1,2"]) == 1
    assert "four numbers" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", ":1: the line with the names of the columns is missing"),
        ("no matrix\n", ": has a value, its prior"),
        ("value,yes\nthief,1\n", ": has a value, its prior"),
        ("value,prior,yes\nthief,1\n", ":2: 2 cells, not 3"),
        ("value,prior,yes\nthief,1,often\n", ":2: has another cell than a number"),
        ("value,prior,yes\nthief,1,1\nthief,0,1\n", ":3: appears twice"),
        ("value,prior,yes,yes\nthief,1,1,0\n", ":1: the column 'yes' appears twice"),
        (
            "value,prior,yes\n" + "".join(f"{n},0,1\n" for n in range(10_001)),
            ":10002: more than 10000 values",
        ),
    ],
)
def test_invalid_matrix_file_is_refused_with_its_place(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "matrix.csv"
    file.write_text(text)
    assert refusal(read_breaches, file, {}).startswith(f"{file}{said}")


def test_matrix_file_with_semicolons_and_decimal_commas_is_read(tmp_path: Path) -> None:
    file = tmp_path / "matrix.csv"
    file.write_text("value;prior;yes;no\nthief;0,25;0,7;0,3\nhonest;0,75;0,3;0,7\n")
    assert read_breaches(file, {}).amplification == pytest.approx(7 / 3)
