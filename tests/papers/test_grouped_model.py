"""`reproduce grouped-model`: what records prove, and the tables and figures of document 004."""

import re
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from itertools import product
from math import sqrt
from pathlib import Path
from statistics import mean, stdev
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from papers import site_build
from papers.csv_and_example_tables import read_csv
from papers.grouped_model import formulas, simulated_survey as simulated
from papers.grouped_model.expected_error import expected_frequent_counts, expected_w_by_itemset
from papers.grouped_model.figures import ResultRows, other_estimators_figure, w_figure
from papers.grouped_model.repeated_mining import mine_repeatedly
from papers.svg_figures import Figure
from tests.papers import test_reproduce_command as command
from tests.papers.test_drawing import marks
from tests.papers.test_reproduce_command import Line, text, verdict

pytestmark = pytest.mark.proof

REPETITIONS = 2
VARIED = ("k", "p", "theta", "questions", "respondents", "min_support", "min_confidence")
READINGS: tuple[simulated.Reading, ...] = ("open", "randomised")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return reproduce_document(tmp_path_factory.mktemp("papers") / "new")


def reproduce_document(into: Path, *options: str) -> Path:
    return command.reproduce_into("grouped-model", into, "--repetitions", str(REPETITIONS), *options)


def table(folder: Path, name: str) -> list[Line]:
    return command.table(folder, f"grouped-model-{name}")


def value(line: Line) -> float:
    """Of what is varied."""
    return float(line[line["varied"]])


def test_in_the_original_model_162_in_a_thousand_randomised_records_prove_themselves_true() -> None:
    """.3 are kept, and .54 of all people answer neither all yes nor all no; nothing else sends such a record."""
    assert simulated.revealing_record_share() == Fraction(3, 10) * Fraction(54, 100) == Fraction(162, 1000)
    proving = [row.record for row in simulated.record_posteriors() if row.proves_answers_originally]
    assert proving == ["001", "010", "011", "100", "101", "110"]


def test_in_the_improved_model_the_same_records_can_be_chance() -> None:
    assert simulated.improved_model_law().gamma == Fraction(431, 56)
    shares = dict(zip(product((0, 1), repeat=3), (36, 6, 10, 4, 16, 6, 12, 10), strict=True))
    for row, (record, share) in zip(simulated.record_posteriors(), shares.items(), strict=True):
        chance = 0.7 * np.prod([0.6 if code else 0.4 for code in record])
        assert row.improved == pytest.approx(share / 100 * (0.3 + chance) / (0.3 * share / 100 + chance))
    improved = [row.improved for row in simulated.record_posteriors() if row.proves_answers_originally]
    assert (round(min(improved), 2), round(max(improved), 2)) == (0.14, 0.51)


def test_w_by_theory_is_that_of_an_independent_implementation() -> None:
    """Of all itemsets, where a fifth answer openly; the simulation meets it too (test_grouped_theory.py)."""
    for p, w in {0.1: 0.0127, 0.3: 0.0076, 0.5: 0.0050, 0.7: 0.0032, 0.9: 0.0016}.items():
        survey = simulated.PaperSetting("open", p=p).survey
        assert round(expected_w_by_itemset(survey, "pooled").mean(), 4) == w


@pytest.mark.night
def test_it_writes_one_page_a_language_with_its_figures_that_shows_the_leak_first(folder: Path) -> None:
    tables = [f"grouped-model-{name}.csv" for name in ("bias", "mined", "posteriors", "w")]
    pages = ["grouped-model.en.html", "grouped-model.zh-hans.html"]
    assert sorted(path.name for path in folder.iterdir()) == ["SHA256SUMS", *tables, *pages]
    page = (folder / "grouped-model.en.html").read_text()
    assert page.count("<svg aria-hidden") == 8
    assert "nan" not in "".join(re.findall("<figure.*?</figure>", page, re.DOTALL))
    words = text(folder, "grouped-model")
    assert "16.2 % of the randomised records prove themselves true" in words
    assert "γ = 431/56 = 7.70" in words
    assert words.index("prove themselves true") < words.index("Figure 1: W falls")
    for row in ("004-leaks", "004-figure-1"):
        assert verdict(folder, "grouped-model", row) == "holds"


def test_w_of_the_frequent_itemsets_is_theirs_alone() -> None:
    """a, b, c, ab and ac have .15 or more; bc has .14 and abc .10. The simulation is within its error of theory."""
    stored = site_build.stored_numbers("grouped-model") or {}
    numbers = ResultRows(*(read_csv(stored[name]) for name in ("mined", "w", "bias")))
    survey = simulated.PaperSetting("open").survey
    expected = float(expected_w_by_itemset(survey, "pooled")[:5].mean())
    error = numbers.frequent_errors("p", "open")[0.3]
    assert error.itemsets == ["a", "b", "c", "ab", "ac"]
    assert error.theory == pytest.approx(expected, abs=1e-6)
    assert abs(error.w - expected) < 3 * error.most_se


def test_each_formula_gives_every_set_of_answers_back_and_a_wrong_theta_does_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    checks = formulas.check_inversion()
    assert {key: len(met) for key, met in checks.items()} == {
        (1, 0): 3,
        (0, 1): 3,
        (2, 0): 3,
        (1, 1): 6,
        (0, 2): 3,
        (3, 0): 1,
        (2, 1): 3,
        (1, 2): 3,
        (0, 3): 1,
    }
    assert all(all(met) for met in checks.values())
    monkeypatch.setattr(formulas, "THETA", Fraction(1, 2))
    assert not any(any(met) for met in formulas.check_inversion().values())


def test_the_last_line_but_one_of_formula_12_is_wrong_as_printed() -> None:
    """Its constant is .56 · .4 · .6² = .08064, not .56 · .4² · .6 = .05376; the gain is .44."""
    truth = Fraction(6, 100)
    printed = truth - Fraction(8064 - 5376, 100_000) / Fraction(44, 100)
    assert formulas.last_yes_alone_as_printed() == (truth, printed)
    assert printed < 0


def test_the_variance_of_formula_6_is_that_of_all_outcomes() -> None:
    """Two people: no yes, one or two, with 331/625 each; the estimate is (count / 2 - .336) / .44."""
    chance, gain = Fraction(331, 625), Fraction(11, 25)
    weights = [(1 - chance) ** 2, 2 * chance * (1 - chance), chance**2]
    estimates = [(Fraction(count, 2) - Fraction(42, 125)) / gain for count in range(3)]
    mean_by_hand = sum(w * e for w, e in zip(weights, estimates, strict=True))
    variance = sum(w * (e - mean_by_hand) ** 2 for w, e in zip(weights, estimates, strict=True))
    assert formulas.mean_and_variance(Fraction(11, 25), 2) == (mean_by_hand, variance, variance)


@pytest.mark.night
def test_the_posteriors_and_sweeps_are_tables_of_the_page(folder: Path) -> None:
    words = text(folder, "grouped-model")
    assert "100 | 0.1600 | 1.0000 | 0.5100 |" in words
    # A table has few columns, and no error in brackets in each.
    heads = [line for line in words.splitlines() if line.startswith(("k |", "p |")) and "rules in D" in line]
    assert [line.count("|") for line in heads] == [9, 9]


@pytest.mark.night
def test_every_setting_is_in_the_tables_for_both_readings(folder: Path) -> None:
    lines = table(folder, "mined")
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


@pytest.mark.night
def test_both_readings_coincide_under_k_and_its_complement(folder: Path) -> None:
    for name in ("mined", "w"):
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
            shared = line.keys() - {"reading", "k"}
            assert {of: line[of] for of in shared} == {of: other[of] for of in shared}
    # And they differ where k stays the same.
    by_p = [line for line in table(folder, "w") if line["varied"] == "p" and value(line) == 0.3]
    at = {line["reading"]: line for line in by_p}
    assert at["open"]["w"] != at["randomised"]["w"]


@pytest.mark.night
def test_the_tables_hold_the_means_of_what_was_mined_and_their_standard_errors(folder: Path) -> None:
    at = simulated.setting_with("randomised", "min_support", 0.1)
    result = mine_repeatedly(at.survey, [at.parameters], REPETITIONS, 1)
    wanted = {"varied": "min_support", "reading": "randomised", "estimator": "combined"}
    lines = (line for line in table(folder, "mined") if wanted.items() <= line.items())
    (line,) = (line for line in lines if value(line) == 0.1)
    columns = [(kind, count) for kind in ("itemsets", "rules") for count in COUNTS]
    numbers = result.counts[at.parameters]["combined"].reshape(REPETITIONS, -1).T.tolist()
    for (kind, count), found in zip(columns, numbers, strict=True):
        assert float(line[f"{kind}_{count}"]) == pytest.approx(mean(found))
        se = stdev(found) / sqrt(REPETITIONS)
        assert float(line[f"{kind}_{count}_se"]) == pytest.approx(se, abs=1e-6)
    theory = expected_frequent_counts(at.survey, "combined", 0.1)
    assert [float(line[f"itemsets_{count}_theory"]) for count in COUNTS] == pytest.approx(theory, abs=1e-6)


COUNTS = ("in_d", "in_d_star", "false_positives", "misses")
ITEMSETS = ("a", "b", "c", "ab", "ac", "bc", "abc")


@pytest.mark.night
def test_w_is_told_by_size_and_of_every_itemset_beside_theory(folder: Path) -> None:
    usual = simulated.PaperSetting("open")
    w = mine_repeatedly(usual.survey, [], REPETITIONS, 1).w["pooled"]
    wanted = {"varied": "k", "reading": "open", "estimator": "pooled"}
    pooled = (line for line in table(folder, "w") if wanted.items() <= line.items())
    lines = {(line["size"], line["itemset"]): line for line in pooled if value(line) == 0.2}
    theory = expected_w_by_itemset(usual.survey, "pooled")
    sizes = {"0": slice(7), "1": slice(3), "2": slice(3, 6), "3": slice(6, 7)}
    groups: dict[tuple[str, str], slice] = {(size, ""): places for size, places in sizes.items()}
    groups |= {(str(len(name)), name): slice(at, at + 1) for at, name in enumerate(ITEMSETS)}
    assert lines.keys() == groups.keys()
    for key, places in groups.items():
        by_repetition = w[:, places].mean(axis=1).tolist()
        assert float(lines[key]["w"]) == pytest.approx(mean(by_repetition), abs=1e-6)
        assert float(lines[key]["w_se"]) == pytest.approx(stdev(by_repetition) / sqrt(2), abs=1e-6)
        assert float(lines[key]["w_theory"]) == pytest.approx(theory[places].mean(), abs=1e-6)
        assert float(lines[key]["w_stated"]) == pytest.approx(theory[places].mean(), rel=0.05)
    assert lines["1", "a"]["support"] == "0.44"
    # Coherent has W, but neither theory nor rules.
    of_w = [line for line in table(folder, "w") if line["estimator"] == "coherent"]
    assert all(line["w"] and not line["w_theory"] and not line["w_stated"] for line in of_w)
    of_mined = [line for line in table(folder, "mined") if line["estimator"] == "coherent"]
    assert all(line["itemsets_misses"] and line["rules_in_d"] for line in of_mined)
    assert not any(line["rules_misses"] for line in of_mined)


@pytest.fixture(scope="module")
def result_tables(folder: Path) -> ResultRows:
    return ResultRows(*(table(folder, name) for name in ("mined", "w", "bias")))


@pytest.mark.night
def test_the_documents_curves_have_axes_of_their_own_and_are_mirror_images(result_tables: ResultRows) -> None:
    across = {"open": "k: share who answer openly", "randomised": "k: share who are randomised"}
    varieds: tuple[simulated.Varied, ...] = ("k", "p")
    for varied, reading in product(varieds, READINGS):
        drawn = w_figure(varied, reading, result_tables)
        assert names(drawn) == ["all itemsets", "1 item", "2 items", "3 items"]
        assert (across[reading] == drawn.across) is (varied == "k")
        # The axis is the document's, whole, whatever was simulated of it.
        words = {"".join(of.itertext()) for of in ET.fromstring(drawn.svg).iter("text")}
        assert {"0", "0.2", "0.4", "0.6", "0.8", "1"} <= words
    assert {"stratified", "combined", "coherent"} <= set(names(other_estimators_figure(result_tables)))
    opened, randomised = (
        marks(ET.fromstring(w_figure("k", reading, result_tables).svg)) for reading in READINGS
    )
    assert len(opened) == 11
    assert [y for _, y in opened] == [y for _, y in reversed(randomised)]
    assert [x for x, _ in opened] == [x for x, _ in randomised]


def names(figure: Figure) -> list[str]:
    return [name for _number, name in figure.legend]


@pytest.mark.night
def test_a_seed_gives_the_same_numbers_and_another_one_others(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of some settings and in this process: each survey has random numbers of its own, wherever it is simulated."""
    one_thread = "papers.grouped_model.result_tables.ProcessPoolExecutor"
    monkeypatch.setattr(one_thread, lambda _processes, mp_context: ThreadPoolExecutor(1))
    few: dict[str, tuple[float, ...]] = {"k": (0.0, 0.4, 1.0), "p": (0.3, 0.6)}
    for varied in simulated.VALUES:
        monkeypatch.setitem(simulated.VALUES, varied, few.get(varied, ()))
    same = reproduce_document(tmp_path / "same")
    for name in ("mined", "w"):
        again = (same / f"grouped-model-{name}.csv").read_text().splitlines()
        assert len(again) > 40
        assert set(again) <= set((folder / f"grouped-model-{name}.csv").read_text().splitlines())
    bias = "grouped-model-bias.csv"
    assert (same / bias).read_bytes() == (folder / bias).read_bytes()
    other = reproduce_document(tmp_path / "other", "--seed", "2")
    for name in ("mined", "w", "bias"):
        file = f"grouped-model-{name}.csv"
        assert (other / file).read_bytes() != (same / file).read_bytes()
