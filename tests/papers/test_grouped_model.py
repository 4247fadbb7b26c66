"""`reproduce grouped-model`: the text, the tables and the figures that it writes."""

import csv
import json
from concurrent.futures import ThreadPoolExecutor
from io import StringIO
from math import sqrt
from pathlib import Path
from statistics import mean, stdev
from xml.etree import ElementTree as ET

import pytest
from django.core.management import call_command

from papers import grouped_model
from papers.grouped_model.mined import mined
from papers.grouped_model.settings import VALUES, PaperSetting, setting
from papers.grouped_model.theory import expected_itemsets, expected_w

pytestmark = pytest.mark.proof

SVG = "{http://www.w3.org/2000/svg}"
REPETITIONS = 2
VARIED = ("k", "p", "theta", "questions", "respondents", "min_support", "min_confidence")
READINGS = ("open", "randomised")
Line = dict[str, str]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    into = tmp_path_factory.mktemp("papers") / "new"
    reproduced(into)
    return into


def reproduced(into: Path, *options: str) -> None:
    given = ["-o", str(into), "--repetitions", str(REPETITIONS), *options]
    call_command("reproduce", "grouped-model", *given, stderr=StringIO())


def table(folder: Path, name: str) -> list[Line]:
    with (folder / name).open(newline="") as file:
        return list(csv.DictReader(file))


def value(line: Line) -> float:
    """Of what is varied."""
    return float(line[line["varied"]])


def test_it_writes_a_text_tables_and_figures(folder: Path) -> None:
    of_sweeps = [
        f"{kind}-by-{varied}-{reading}{more}.svg"
        for kind, more in (("w", ""), ("w", "-others"), ("found", ""))
        for varied in ("k", "p")
        for reading in READINGS
    ]
    assert sorted(path.name for path in folder.iterdir()) == sorted(
        [*of_sweeps, "bias.svg", "bias.csv", "mined.csv", "w.csv", "grouped-model.json", "grouped-model.md"]
    )
    text = (folder / "grouped-model.md").read_text()
    for name in [*of_sweeps, "bias.svg"]:
        assert f"({name})" in text
        assert ET.parse(folder / name).getroot().tag == f"{SVG}svg"
        assert "nan" not in (folder / name).read_text()


def test_every_setting_is_in_the_tables_for_both_readings(folder: Path) -> None:
    lines = table(folder, "mined.csv")
    for varied in VARIED:
        for reading in READINGS:
            mine = [line for line in lines if (line["varied"], line["reading"]) == (varied, reading)]
            values = sorted({value(line) for line in mine})
            assert len(values) >= 3
            assert len(mine) == 4 * len(values)
            assert {line["estimator"] for line in mine} == {"pooled", "stratified", "combined", "coherent"}
    assert sorted({value(line) for line in lines if line["varied"] == "k"}) == [at / 10 for at in range(11)]
    usual = {"p": "0.3", "theta": "0.6", "questions": "3", "respondents": "10000", "min_support": "0.15"}
    assert all(usual.items() <= line.items() for line in lines if line["varied"] == "k")


def test_both_readings_coincide_under_k_and_its_complement(folder: Path) -> None:
    for name in ("mined.csv", "w.csv"):
        by_k = [line for line in table(folder, name) if line["varied"] == "k"]
        by_reading: dict[str, dict[tuple[str, ...], Line]] = {reading: {} for reading in READINGS}
        for line in by_k:
            key = (line["open_share"], line["estimator"], line.get("size", ""), line.get("itemset", ""))
            by_reading[line["reading"]][key] = line
        assert by_reading["open"].keys() == by_reading["randomised"].keys()
        for same, line in by_reading["open"].items():
            other = by_reading["randomised"][same]
            assert float(line["k"]) == float(same[0])
            assert float(line["k"]) + float(other["k"]) == pytest.approx(1)
            apart = {"reading", "k"}
            assert {of: line[of] for of in line.keys() - apart} == {
                of: other[of] for of in line.keys() - apart
            }
    # And they differ where k stays the same.
    at = {
        line["reading"]: line
        for line in table(folder, "w.csv")
        if line["varied"] == "p" and value(line) == 0.3
    }
    assert at["open"]["w"] != at["randomised"]["w"]


def test_the_tables_hold_the_means_of_what_was_mined_and_their_standard_errors(
    folder: Path, tmp_path: Path
) -> None:
    at = setting("randomised", "min_support", 0.1)
    result = mined(at.survey, [at.wanted], REPETITIONS, 1, tmp_path)
    (line,) = (
        line
        for line in table(folder, "mined.csv")
        if (line["varied"], line["reading"], line["estimator"]) == ("min_support", "randomised", "combined")
        and value(line) == 0.1
    )
    columns = [(kind, count) for kind in ("itemsets", "rules") for count in COUNTS]
    numbers = result.counts[at.wanted]["combined"].reshape(REPETITIONS, -1).T.tolist()
    for (kind, count), found in zip(columns, numbers, strict=True):
        assert float(line[f"{kind}_{count}"]) == pytest.approx(mean(found))
        se = stdev(found) / sqrt(REPETITIONS)
        assert float(line[f"{kind}_{count}_se"]) == pytest.approx(se, abs=1e-6)
    theory = expected_itemsets(at.survey, "combined", 0.1)
    assert [float(line[f"itemsets_{count}_theory"]) for count in COUNTS] == pytest.approx(theory, abs=1e-6)


COUNTS = ("in_d", "in_d_star", "false_positives", "misses")
ITEMSETS = ("a", "b", "c", "ab", "ac", "bc", "abc")


def test_w_is_told_by_size_and_of_every_itemset_beside_theory(folder: Path, tmp_path: Path) -> None:
    usual = PaperSetting("open")
    w = mined(usual.survey, [], REPETITIONS, 1, tmp_path).w["pooled"]
    lines = {
        (line["size"], line["itemset"]): line
        for line in table(folder, "w.csv")
        if (line["varied"], line["reading"], line["estimator"]) == ("k", "open", "pooled")
        and value(line) == 0.2
    }
    theory = expected_w(usual.survey, "pooled")
    groups: dict[tuple[str, str], slice] = {
        ("0", ""): slice(7),
        ("1", ""): slice(3),
        ("2", ""): slice(3, 6),
        ("3", ""): slice(6, 7),
    }
    groups |= {(str(len(name)), name): slice(at, at + 1) for at, name in enumerate(ITEMSETS)}
    assert lines.keys() == groups.keys()
    for key, rows in groups.items():
        by_repetition = w[:, rows].mean(axis=1).tolist()
        assert float(lines[key]["w"]) == pytest.approx(mean(by_repetition), abs=1e-6)
        assert float(lines[key]["w_se"]) == pytest.approx(stdev(by_repetition) / sqrt(2), abs=1e-6)
        assert float(lines[key]["w_theory"]) == pytest.approx(theory[rows].mean(), abs=1e-6)
        assert float(lines[key]["w_stated"]) == pytest.approx(theory[rows].mean(), rel=0.05)
    assert lines["1", "a"]["support"] == "0.4400000"


def test_coherent_has_w_but_neither_theory_nor_rules(folder: Path) -> None:
    of_w = [line for line in table(folder, "w.csv") if line["estimator"] == "coherent"]
    assert all(line["w"] and not line["w_theory"] and not line["w_stated"] for line in of_w)
    of_mined = [line for line in table(folder, "mined.csv") if line["estimator"] == "coherent"]
    assert all(
        line["itemsets_misses"] and line["rules_in_d"] and not line["rules_misses"] for line in of_mined
    )


def test_the_json_says_what_the_tables_say(folder: Path) -> None:
    whole = json.loads((folder / "grouped-model.json").read_text())
    assert (whole["paper"], whole["seed"], whole["repetitions"]) == ("grouped-model", 1, REPETITIONS)
    assert set(whole["readings"]) == set(READINGS)
    lines = table(folder, "mined.csv")
    for found, line in zip(whole["settings"], lines, strict=True):
        assert {name: str(found[name]) for name in ("varied", "reading", "estimator")}.items() <= line.items()
        for kind in ("itemsets", "rules"):
            for count, of in found[kind].items():
                assert line[f"{kind}_{count}"] == ("" if of is None else f"{of['value']:.7f}")
    sizes = [(of["size"], of["itemset"]) for of in whole["settings"][0]["w"]]
    assert sizes[:5] == [(0, ""), (1, ""), (2, ""), (3, ""), (1, "a")]
    assert whole["bias"]["differences"] == [step / 20 for step in range(-10, 11)]


def test_the_text_has_the_numbers_of_the_tables(folder: Path) -> None:
    text = (folder / "grouped-model.md").read_text()
    (line,) = (
        line
        for line in table(folder, "mined.csv")
        if (line["varied"], line["reading"], line["estimator"]) == ("p", "randomised", "pooled")
        and value(line) == 0.5
    )
    part = text.split("## Over the keep probability p")[1].split("(the paper's section 4)")[1]
    row = next(row for row in part.splitlines() if row.startswith("| 0.5 |"))
    cells = [cell.strip() for cell in row.strip("|").split("|")]
    mean_, se = float(line["itemsets_in_d_star"]), float(line["itemsets_in_d_star_se"])
    assert cells[2].startswith(f"{mean_:.2f} ± {se:.2f} (")
    assert len(cells) == 12
    assert "section 3" in text
    assert "not mined" in text


def words(folder: Path, name: str) -> list[str]:
    return ["".join(of.itertext()) for of in ET.parse(folder / f"{name}.svg").getroot().iter(f"{SVG}text")]


@pytest.mark.parametrize("varied", ["k", "p"])
@pytest.mark.parametrize("reading", READINGS)
def test_the_papers_curve_has_an_axis_of_its_own(folder: Path, varied: str, reading: str) -> None:
    of_paper, of_others = (
        words(folder, f"w-by-{varied}-{reading}"),
        words(folder, f"w-by-{varied}-{reading}-others"),
    )
    assert {"1 item", "2 items", "3 items"} <= set(of_paper)
    assert not {"stratified", "combined", "coherent"} & set(of_paper)
    assert {"stratified", "combined", "coherent"} <= set(of_others)
    assert "pooled" not in of_others
    across = {"open": "k: share who answer openly", "randomised": "k: share who are randomised"}[reading]
    assert (across in of_paper) is (varied == "k")
    # The axis is the paper's, whole, whatever was simulated of it.
    assert {"0", "0.2", "0.4", "0.6", "0.8", "1"} <= set(of_paper) & set(of_others)


def marks(folder: Path, name: str) -> list[tuple[float, float]]:
    """The places of the round points, without that of the legend."""
    circles = ET.parse(folder / f"{name}.svg").getroot().iter(f"{SVG}circle")
    return [(float(of.attrib["cx"]), float(of.attrib["cy"])) for of in circles][:-1]


def test_the_figures_of_the_readings_are_mirror_images(folder: Path) -> None:
    opened, randomised = marks(folder, "w-by-k-open"), marks(folder, "w-by-k-randomised")
    assert len(opened) == 11
    assert [y for _, y in opened] == [y for _, y in reversed(randomised)]
    assert [x for x, _ in opened] == [x for x, _ in randomised]


def test_a_seed_gives_the_same_numbers_and_another_one_others(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of some settings and in this process: each survey has random numbers of its own, wherever it is simulated."""
    monkeypatch.setattr(
        grouped_model, "ProcessPoolExecutor", lambda _processes, mp_context: ThreadPoolExecutor(1)
    )
    few: dict[str, tuple[float, ...]] = {"k": (0.0, 0.4, 1.0), "p": (0.3, 0.6)}
    for varied in VALUES:
        monkeypatch.setitem(VALUES, varied, few.get(varied, ()))
    reproduced(tmp_path / "same")
    for name in ("mined.csv", "w.csv", "grouped-model.json", "grouped-model.md"):
        again = (tmp_path / "same" / name).read_text().splitlines()
        assert len(again) > 40
        assert set(again) <= set((folder / name).read_text().splitlines())
    for name in ("bias.csv", "bias.svg"):
        assert (tmp_path / "same" / name).read_bytes() == (folder / name).read_bytes()
    reproduced(tmp_path / "other", "--seed", "2")
    for name in ("mined.csv", "w.csv", "bias.csv"):
        assert (tmp_path / "other" / name).read_bytes() != (tmp_path / "same" / name).read_bytes()
