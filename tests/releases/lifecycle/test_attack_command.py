"""candor attack, as it is run."""

import json
import sys
from pathlib import Path

import pytest

from tests.privacy.anonymity.sample_tables import MEDICAL, REGISTER
from tests.runs.sealed import Done, Folder

pytestmark = pytest.mark.page
QUASI = [
    {"name": "age", "kind": "number"},
    {"name": "sex", "kind": "category"},
    {"name": "zip", "kind": "category", "hierarchy": "prefixes"},
]
SPEC: dict[str, object] = {"format": "candor-release/1", "quasi_identifiers": QUASI, "sensitive": ["problem"]}
SPEC |= {"k": 2, "max_frequency": None}
ARX = """age,sex,zip,problem
"[20, 30[",F,1****,AIDS
"[20, 30[",F,1****,pneumonia
"[26, 38[",M,"{12600, 13010}",flu
"[26, 38[",M,"{12600, 13010}",flu
*,*,*,bronchitis
"[30, 41[",M,13***,bronchitis
"[30, 41[",M,13***,bronchitis
"""
"""The medical table as ARX could write it, with a record that it leaves out."""


@pytest.fixture
def folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Folder:
    made = Folder(tmp_path, capsys)
    made.write("spec.json", SPEC)
    for name, text in (("medical.csv", MEDICAL), ("register.csv", REGISTER), ("arx.csv", ARX)):
        (tmp_path / name).write_text(text)
    return made


def run(folder: Folder, release: str, *more: str) -> Done:
    files = [str(folder.folder / name) if name.endswith((".csv", ".json")) else name for name in more]
    return folder.run("attack", str(folder.folder / release), str(folder.folder / "spec.json"), *files)


def test_attack_command_reports_findings_and_sets_its_status(folder: Folder) -> None:
    # Plain words come first and name who is found.
    done = run(folder, "medical.csv", "--register", "register.csv")
    answer = json.loads(done.out)
    assert next(iter(answer)) == "says"
    assert answer["says"][0] == "One of the 5 people in the register is found: Betty (row 1), AIDS."
    assert answer["says"][1] == "“Minimum class size (k)” is broken in 6 of 6 classes: rows 1, 2, 3, 4, 5, 6."
    # A file that breaks its criteria ends with status 1 and its answer.
    done = run(folder, "medical.csv")
    assert (done.status, json.loads(done.out)["holds"]) == (1, False)
    assert done.err == "candor: the file does not keep the criteria of the specification\n"
    # A file of another tool that keeps them ends with status 0.
    said = run(folder, "arx.csv", "--register", "register.csv").output
    assert said["holds"]
    # Of the two that are not known already, without AIDS or without pneumonia one is known; without the others none.
    assert said["says"] == [
        "None of the 5 people in the register is found.",
        "All 3 classes keep the criteria.",
        "Rows that show nothing, left aside: 1.",
        "In 2 of 3 classes everybody has the same problem. So it is known of 4 people: rows 3, 4, 6, 7.",
        (
            "Somebody who knows that problem is not AIDS knows it of 50.0 % of the people whose class does not tell it "
            "already: the worst case. On average over all values it is known of 25.0 % of them."
        ),
    ]


def test_attack_command_names_who_is_in_a_small_joint_group(folder: Folder) -> None:
    lines = MEDICAL.splitlines()
    first = [
        "25..29,F,*", "25..29,F,*", "38..40,M,13***", "26..37,M,1****", "38..40,M,13***", "26..37,M,1****",
    ]  # fmt: skip
    second = ["*,F,*", "*,F,*", "26..38,M,*", "37..40,M,*", "37..40,M,*", "26..38,M,*"]
    illnesses = [line.rsplit(",", 1)[1] for line in lines[1:]]
    for name, rows, order in (("a.csv", first, range(6)), ("b.csv", second, (4, 1, 5, 0, 3, 2))):
        folder.write(name, [lines[0], *(f"{rows[row]},{illnesses[row]}" for row in order)])
    said = run(folder, "a.csv", "--beside", "b.csv").output["says"]
    other = folder.folder / "b.csv"
    assert f"Together with {other}, the group has fewer than 2 people for 4 of 6 rows; alone: 4." in said
    assert "These are rows 3, 4, 5, 6." in said


@pytest.mark.parametrize(
    ("files", "said"),
    [
        (["nowhere.csv"], "nowhere.csv: cannot be read"),
        (["register.csv"], "register.csv:1: the column 'problem' is missing"),
        (["wrong.csv"], "wrong.csv:3: age: 'x' stands for none of its values"),
        (["medical.csv", "--register", "wrong.csv"], "wrong.csv:3: age: 'x' stands for none of its values"),
        (["medical.csv", "--beside", "empty.csv"], "empty.csv:1: the line with the names"),
        (["medical.csv", "--ruled-out", "-5"], "ruled_out: must not be negative"),
    ],
)
def test_bad_input_ends_with_status_2_and_its_place(folder: Folder, files: list[str], said: str) -> None:
    folder.write("wrong.csv", [*MEDICAL.splitlines()[:2], "x,F,12300,flu"])
    folder.write("empty.csv", [])
    done = run(folder, *files)
    assert (done.status, done.out) == (2, "")
    assert said in done.err


def test_unwritable_output_and_broken_criteria_have_different_statuses(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Path("/dev/full").open("w") as full, monkeypatch.context() as patch:
        patch.setattr(sys, "stdout", full)
        done = run(folder, "medical.csv")
    assert done.status == 2
    assert "standard output: cannot be written" in done.err


@pytest.mark.night
def test_attack_command_passes_every_anonymized_file(folder: Folder) -> None:
    names = [str(folder.folder / name) for name in ("medical.csv", "spec.json", "out.csv")]
    assert folder.run("anonymize", *names[:2], "-o", names[2]).status == 0
    assert run(folder, "out.csv", "--register", "register.csv").output["register"]["found"]["count"] == 0
