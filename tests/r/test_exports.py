"""The R package reads exports of other tools as the library does, and hashes designs as Python does."""

import json
import os
import subprocess
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import candor
from privacy.designs import Design
from privacy.records.record_file import code_cells
from tests import servers
from tests.candor.exports import DESIGN, export, simulated_codes, text
from tests.privacy.questionnaires import HALF, design, place_in_row, plain, question, sensitive, window

pytestmark = pytest.mark.server
OTHER = design(
    plain(
        {"name": "年龄", "choices": ["jung", "=alt", "b"]}, {"name": "work", "choices": ["employed", "not"]}
    ),
    sensitive("0.3", *(question(name, *HALF) for name in ("drugs", "theft", "lying")), asked=2),
    place_in_row("home", {"north": [0, 1], "south": [2, 3, 4, 5]}, 6, 1, "6.50", show_if={"work": ["not"]}),
    window("worth", 11, 1),
    open_answers=False,
    title={"en": "Ünï – 🙂"},
)


def damaged_export(of: Design) -> pd.DataFrame:
    """Forty good records among one of each fault; codes at random give impossible records."""
    frame = export(of, 40)
    good, rng = frame["candor"].tolist(), np.random.default_rng(3)
    faults = [
        *(
            good[0],
            good[1][:-1],
            good[1][:60],
            " " + good[2],
            good[3].upper(),
            f'"{good[4]}"',
            "candor1.",
            "candor1.é",
        ),
        text(of, simulated_codes(of, 1)[0], 99, is_trial=True),
        text(design(sensitive("0.5", question("x", *HALF)), open_answers=False), [0], 98),
        *(
            text(of, rng.integers(0, [q.codes + 3 for q in of.questions]).clip(0, 9).tolist(), 200 + n)
            for n in range(30)
        ),
    ]
    more = pd.DataFrame({"age": 30, "arm": "c", "note": "", "candor": faults})
    whole = pd.concat([frame, more], ignore_index=True)
    return whole.assign(second=["'" + good[7]] + [""] * 5 + [good[8]] + [""] * (len(whole) - 7))


def in_r(folder: Path, library: Path, asked: list[dict[str, str]]) -> list[dict[str, Any]]:
    (folder / "asked.json").write_text(json.dumps(asked))
    env = os.environ | {"R_LIBS_USER": str(library), "LC_ALL": "C.UTF-8"}
    script = servers.ROOT / "tests/r/exports.R"
    done = subprocess.run(["Rscript", str(script)], cwd=folder, env=env, capture_output=True, text=True)
    assert "unused connection" not in done.stderr
    assert done.returncode == 0, done.stderr
    read: list[dict[str, Any]] = json.loads((folder / "exports.json").read_text())
    return read


def as_python_reads(path: Path, of: Design) -> dict[str, Any]:
    """What `exports.R` says, of the library."""
    read = candor.read_export(path, of)
    frame = read.frame.astype(object).where(read.frame.notna(), None)
    return {
        "left_out": dict(read.records.left_out),
        "laws": {name: [law.keep, law.chance] for name, law in read.laws.items()},
        "frame": {name: frame[name].tolist() for name in frame},
        "shares": candor.shares("theft ~ arm", read.frame, read.laws).to_frame(),
    }


@pytest.mark.parametrize("of", [DESIGN, OTHER], ids=["rules-sets-classes", "rotation-places-windows"])
def test_r_reads_a_damaged_export_as_python_does(of: Design, tmp_path: Path, library: Path) -> None:
    (tmp_path / "design.json").write_text(of.canonical, encoding="utf-8")
    damaged_export(of).to_csv(tmp_path / "export.csv", index=False, encoding="utf-8-sig")
    (ours,) = in_r(tmp_path, library, [{"design": "design.json", "export": "export.csv"}])
    expected = as_python_reads(tmp_path / "export.csv", of)
    assert ours["left_out"] == expected["left_out"]
    assert ours["laws"] == {name: pytest.approx(law) for name, law in expected["laws"].items()}
    frame = ours["frame"]
    assert frame == expected["frame"]
    names = ["arm", "n", "share", "low", "high"]
    theirs = pd.DataFrame(ours["shares"])[names].round(9).to_numpy().tolist()
    assert theirs == expected["shares"][names].round(9).to_numpy().tolist()


def test_r_reads_files_of_common_tools_as_python_does(tmp_path: Path, library: Path) -> None:
    """Also with words that a person typed in the form of a text of a page."""
    (tmp_path / "design.json").write_text(DESIGN.canonical)
    frame = export(DESIGN, 60).assign(city="Córdoba")
    frame.loc[0, "city"] = "candor1.x"
    frame.to_csv(tmp_path / "utf-16.tsv", index=False, encoding="utf-16", sep="\t")
    frame.to_csv(tmp_path / "windows.csv", index=False, encoding="windows-1252", sep=";")
    frame.to_csv(tmp_path / "pipes.csv", index=False, sep="|")
    frame.to_json(tmp_path / "lines.jsonl", orient="records", lines=True)
    names = ["utf-16.tsv", "windows.csv", "pipes.csv", "lines.jsonl"]
    ours = in_r(tmp_path, library, [{"design": "design.json", "export": name} for name in names])
    for name, read in zip(names, ours, strict=True):
        expected = as_python_reads(tmp_path / name, DESIGN)
        assert expected["left_out"] == {"malformed": 1}, name
        assert (read["left_out"], read["frame"]) == (expected["left_out"], expected["frame"]), name


@pytest.mark.parametrize("lines", ["a,b\n1,{0},x\n", "My export\na,b\n1,{0}\n", "1,{0}\n2,{0}\n", ""])
def test_r_refuses_cells_without_a_name(lines: str, tmp_path: Path, library: Path) -> None:
    (tmp_path / "design.json").write_text(DESIGN.canonical)
    (tmp_path / "export.csv").write_text(lines.format(text(DESIGN, simulated_codes(DESIGN, 1)[0], 1)))
    with pytest.raises(AssertionError, match=r"the first row must hold|is empty"):
        in_r(tmp_path, library, [{"design": "design.json", "export": "export.csv"}])


def test_r_names_the_cells_of_sets_and_numbers(tmp_path: Path, library: Path) -> None:
    """By the names that a record file has, in the order of the codes."""
    (tmp_path / "design.json").write_text(DESIGN.canonical)
    export(DESIGN, 60).to_csv(tmp_path / "export.csv", index=False)
    (ours,) = in_r(tmp_path, library, [{"design": "design.json", "export": "export.csv"}])
    cells = ours["cells"]
    rows = simulated_codes(DESIGN, 60)
    for index in (3, 4):
        asked = DESIGN.questions[index]
        assert cells[asked.name] == [code_cells(asked)[row[index]] for row in rows]


def test_the_hash_of_r_is_sha_256() -> None:
    """Texts around the ends of one and two blocks, with letters of several bytes."""
    texts = ["", *("a" * n for n in (55, 56, 63, 64, 119, 120)), "é漢🙂" * 30]
    script = f"source('r/R/exports.R'); cat(vapply(jsonlite::fromJSON('{json.dumps(texts)}'), sha256, ''), sep = '\\n')"
    done = subprocess.run(
        ["Rscript", "-e", script], cwd=servers.ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == [sha256(text.encode()).hexdigest() for text in texts]
