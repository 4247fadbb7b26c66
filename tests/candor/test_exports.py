"""Records out of another tool's export, beside its other columns."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st

import candor
from privacy.designs import InputError
from tests.candor.exports import DESIGN, export, simulated_codes, text
from tests.privacy.questionnaires import HALF, design, plain, question, refusal, sensitive
from tests.servers import ROOT

pytestmark = pytest.mark.page
ONE = design(sensitive("0.5", question("theft", *HALF)), open_answers=False)
FRAME = export(DESIGN, 60)
CODES = simulated_codes(DESIGN, 60)


def reasons(read: candor.Export) -> dict[str, int]:
    return dict(read.records.left_out)


def test_a_record_stands_beside_the_answers_of_its_row() -> None:
    read = candor.read_export(FRAME, DESIGN, ["arm", "age"])
    assert list(read.frame) == [
        *("arm", "age", "work", "theft", "drink=choice 0", "drink=choice 1", "drink=choice 2")
    ]
    assert read.frame["age"].tolist() == FRAME["age"].tolist()
    assert read.frame["theft"].tolist() == [row[1] for row in CODES]
    assert read.frame["work"].tolist() == [["employed", "not"][row[0]] for row in CODES]
    hidden = [row[2] == 4 for row in CODES]
    assert read.frame["drink=choice 1"].isna().tolist() == hidden
    assert (len(read), reasons(read), read.records.n) == (60, {}, (0, 60))
    # .5 of noise .5, and of noise .2, .5, .3.
    laws = {name: (law.keep, law.chance) for name, law in read.laws.items()}
    assert laws["theft"] == (0.5, 0.25)
    assert laws["drink=choice 1"] == (0.5, 0.25)
    assert laws["drink=choice 2"] == pytest.approx((0.5, 0.15))


def test_all_estimators_take_what_is_read() -> None:
    """Of 40 and 60 people 30 and 20 records say yes: (.75 - .25) / .5 and (1/3 - .25) / .5, which differ by -5/6."""
    yes = [1] * 30 + [0] * 10 + [1] * 20 + [0] * 40
    fields = [text(ONE, [code], key) for key, code in enumerate(yes)]
    frame = pd.DataFrame({"arm": ["a"] * 40 + ["b"] * 60, "field": fields})
    read = candor.read_export(frame, ONE)
    shares = candor.shares("theft ~ arm", read.frame, read.laws).to_frame()
    assert shares["share"].tolist() == pytest.approx([1, 1 / 6])
    differences = candor.differences("theft ~ arm", read.frame, read.laws).to_frame()
    assert differences["difference"].tolist() == pytest.approx([-5 / 6])
    model = candor.regress("theft ~ C(arm)", read.frame, read.laws).to_frame()
    assert model["b"].tolist() == pytest.approx([1, -5 / 6])
    assert candor.shares(read.records, ["theft=yes"])["support"].tolist() == pytest.approx([0.5])
    assert candor.itemsets(read.records, 0.1)["items"].tolist() == [["theft=yes"]]


def test_it_says_that_nothing_is_withheld() -> None:
    assert "below any least" in repr(candor.read_export(FRAME, DESIGN))


def qualtrics(frame: pd.DataFrame) -> pd.DataFrame:
    """With the rows of question texts and of ids that Qualtrics writes below the names."""
    ids = {name: json.dumps({"ImportId": name}) for name in frame}
    return pd.concat([pd.DataFrame([{name: f"Text, “{name}”" for name in frame}, ids]), frame])


@pytest.mark.parametrize(
    "write",
    [
        lambda path: FRAME.to_csv(path, index=False),
        lambda path: FRAME.to_csv(path, index=False, encoding="utf-8-sig", sep=";"),
        lambda path: FRAME.to_csv(path, index=False, encoding="utf-16", sep="\t"),
        lambda path: FRAME.to_csv(path, index=False, quoting=1, lineterminator="\r\n"),
        lambda path: qualtrics(FRAME).to_csv(path, index=False, encoding="utf-8-sig"),
        lambda path: FRAME.assign(candor="'" + FRAME["candor"]).to_csv(path, index=False),
        lambda path: path.with_suffix(".json").write_text(FRAME.to_json(orient="records")),
        lambda path: path.with_suffix(".JSON").write_bytes(FRAME.to_json(orient="records").encode("utf-16")),
        lambda path: path.with_suffix(".jsonl").write_text(FRAME.to_json(orient="records", lines=True)),
    ],
)
def test_files_of_common_tools_read_as_the_frame(write: Callable[[Path], Any], tmp_path: Path) -> None:
    write(tmp_path / "export.csv")
    (path,) = tmp_path.iterdir()
    read, whole = candor.read_export(path, DESIGN), candor.read_export(FRAME, DESIGN)
    assert read.frame["age"].tolist() == FRAME["age"].tolist()
    assert (
        read.frame.drop(columns="note")
        .reset_index(drop=True)
        .equals(whole.frame.drop(columns="note").reset_index(drop=True))
    )
    assert (reasons(read), read.laws) == ({}, whole.laws)


def test_answers_that_json_nests_are_columns(tmp_path: Path) -> None:
    nested = [{"data": row} for row in FRAME.to_dict("records")]
    (tmp_path / "export.json").write_text(json.dumps(nested))
    read = candor.read_export(tmp_path / "export.json", DESIGN, ["data.age"])
    assert (len(read), read.frame["data.age"].tolist()) == (60, FRAME["age"].tolist())


@pytest.mark.parametrize(
    "lines", ["a,b\n1,{0},x\n", "My export\na,b\n1,{0}\n", "1,{0}\n2,{1}\n", "a,b\n1,{0}\n2,{1},x\n"]
)
def test_cells_without_a_name_are_refused(tmp_path: Path, lines: str) -> None:
    """Columns would move by one, or a record be taken for the name of its column."""
    (tmp_path / "export.csv").write_text(lines.format(text(ONE, [1], 1), text(ONE, [0], 2)))
    assert refusal(candor.read_export, tmp_path / "export.csv", ONE)


def test_what_a_person_types_takes_no_column_away() -> None:
    typed = [*FRAME["arm"].tolist()[:-2], "candor1.x", text(DESIGN, CODES[0], 99)]
    read = candor.read_export(FRAME.assign(arm=typed), DESIGN)
    assert read.frame["arm"].tolist() == typed
    assert "candor" not in read.frame
    assert reasons(read) == {"malformed": 1, "further record of its row": 1}


def test_what_gives_no_record_is_counted() -> None:
    whole = text(ONE, [1], 1)
    fields = [
        *(whole, text(ONE, [0], 2)),
        whole,  # pasted from another row
        text(ONE, [0], 2),
        text(ONE, [1], 3, is_trial=True),
        text(DESIGN, CODES[0], 4),
        whole[: len(whole) // 2],  # cut
        text(ONE, [1], 5)[:-1] + "*",
        f" {text(ONE, [1], 6)}",
        text(ONE, [1], 7).upper(),
        text(ONE, [2], 8),  # as if the question were not asked
        *("", None, 4.5, "candour"),
    ]
    read = candor.read_export(pd.DataFrame({"field": fields}), ONE)
    assert read.frame["theft"].tolist() == [1, 0]
    assert reasons(read) == {
        "trial": 1,
        "another design": 1,
        "near miss": 3,
        "malformed": 2,
        "repeated key": 2,
        "row without a record": 13,
    }


def test_a_cell_that_a_spreadsheet_cut_is_malformed() -> None:
    cut = ("candor1." + "A" * 40_000)[:32_767]
    read = candor.read_export(pd.DataFrame({"field": [text(ONE, [1], 1), cut]}), ONE)
    assert reasons(read) == {"malformed": 1, "row without a record": 1}


def test_of_ten_columns_of_records_the_first_counts() -> None:
    columns = {f"c{n}": [text(ONE, [row], 10 * n + row) for row in (0, 1)] for n in range(10)}
    read = candor.read_export(pd.DataFrame({"id": [7, 8]} | columns), ONE)
    assert (list(read.frame), read.frame["theft"].tolist()) == (["id", "theft"], [0, 1])
    assert reasons(read) == {"further record of its row": 18}


def test_the_same_text_in_two_columns_of_a_row_is_one_record() -> None:
    field = [text(ONE, [1], 1)]
    read = candor.read_export(pd.DataFrame({"a": field, "b": field}), ONE)
    assert (len(read), reasons(read)) == (1, {"repeated key": 1})


def test_refusals_name_the_reason(tmp_path: Path) -> None:
    assert "no record of this design (60 another design" in refusal(candor.read_export, FRAME, ONE)
    assert "has no column 'income'" in refusal(candor.read_export, FRAME, DESIGN, ["income"])
    renamed = FRAME.rename(columns={"arm": "theft"})
    assert "'theft' is an answer of the design" in refusal(candor.read_export, renamed, DESIGN)
    lets_open = design(sensitive("0.5", question("theft", *HALF)))
    assert "no tool may ask it" in refusal(candor.read_export, FRAME, lets_open)
    for name, content in (
        ("a.json", b"{"),
        ("b.json", b"5"),
        ("c.csv", b""),
        ("d.csv", b'a,b\n"'),
        ("e.csv", b"\x00"),
    ):
        (tmp_path / name).write_bytes(content)
        assert refusal(candor.read_export, tmp_path / name, ONE)
    assert refusal(candor.read_export, tmp_path / "none.csv", ONE)


PLAIN = design(
    plain({"name": "sex", "choices": ["f", "m"]}),
    sensitive("0.5", question("theft", *HALF)),
    open_answers=False,
)


@given(
    st.lists(
        st.one_of(
            st.builds(
                lambda codes, key: text(PLAIN, list(codes), key),
                st.tuples(st.integers(0, 3), st.integers(0, 3)),
                st.integers(0, 5),
            ),
            st.text(max_size=20).map("candor1.".__add__),
            st.text(),
            st.none(),
            st.floats(),
        ),
        min_size=1,
        max_size=12,
    ),
    st.integers(0, 300),
    st.integers(-1, 300),
)
def test_whatever_stands_in_cells_is_read_or_counted(cells: list[Any], cut: int, extra: int) -> None:
    """Texts with possible and impossible codes, some cut or with a letter more; each cell is one of the counts."""
    if isinstance(cells[0], str):
        cells[0] = cells[0][:cut] + ("" if extra < 0 else chr(extra)) + cells[0][cut:][:200]
    resembling = [cell for cell in cells if isinstance(cell, str) and "candor1" in cell.lower()]
    try:
        read = candor.read_export(pd.DataFrame({"field": pd.Series(cells, dtype=object)}), PLAIN)
    except InputError:
        return
    counts = reasons(read)
    without = counts.pop("row without a record", 0)
    assert len(read) + without == len(cells)
    assert len(read) + sum(counts.values()) == len(resembling)
    assert np.isin(read.frame["theft"], [0, 1]).all()


def test_the_command_mines_an_export(tmp_path: Path) -> None:
    fields = [text(ONE, [int(key < 75)], key) for key in range(100)]
    pd.DataFrame({"field": ["", *fields]}).to_csv(tmp_path / "export.csv", index=False)
    (tmp_path / "design.json").write_text(ONE.canonical)
    files = [str(tmp_path / name) for name in ("design.json", "export.csv")]
    words = ["mine", *files, "--export", "--min-support=.1", "--min-confidence=.5"]
    command = [sys.executable, "-m", "candor", *words]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    # (.75 - .25) / .5
    assert json.loads(done.stdout)["itemsets"][0]["support"] == pytest.approx(1)
    assert "1 left out for row without a record" in done.stderr
    assert "below any least" in done.stderr
