"""The R package says what Python says of the same designs and records."""

import json
import os
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray

import candor
from intake.recordfiles.analysis_scripts import LANGUAGES, R
from mining.counting.mined_records import MinedRecords
from mining.counting.number_and_place_counts import CodeCounts
from mining.kinds.registry import make_nodes
from mining.nodes.number_nodes import NumberNode
from mining.nodes.regression_nodes import ModelResult
from mining.queries_and_counters import Item, item_name
from mining.reconstruction import CachedCounter, reconstruct_supports
from mining.reconstruction.shares_by_group import reported_sensitive_answers
from mining.studies.direct_disguised_arm_comparison import analyse_arms
from mining.studies.model_fits import fit_records, read_request_allowing_arm
from mining.studies.waves import compare_waves
from privacy.designs import Design, InputError, parse_design, parse_design_file
from privacy.kinds.number.classes.section import ClassesSection
from privacy.records import RecordRow, write_records
from privacy.simulation.disguise import disguise
from privacy.simulation.population import Independent, Population
from tests.intake.asked import used_rows
from tests.intake.test_analysis import (
    MINE,
    RULE,
    product_itemsets_and_rules,
    product_statements,
    run,
    write,
    wrong_numbers,
)
from tests.privacy.questionnaires import (
    classes,
    crosswise,
    make_design,
    place_in_row,
    plain,
    sensitive,
    subset,
)

# Random studies: a design with plain and sensitive questions, and records of two waves of simulated people.

AGES = ["18-39", "40-59", "60+"]
YEARS = ["<10", "10..19", "20+"]
"""The bands of a plain number."""


@dataclass(frozen=True)
class RandomStudy:
    """`records` and `again` are the record files of two waves with one design."""

    name: str
    design: Path
    records: Path
    again: Path


def random_study(folder: Path, number: int) -> RandomStudy:
    """The study of this number, with its files in the folder."""
    rng = np.random.default_rng(number)
    design = random_design(rng)
    files = (
        folder / name for name in (f"design-{number}.json", f"records-{number}.csv", f"again-{number}.csv")
    )
    study = RandomStudy(str(number), *files)
    study.design.write_text(json.dumps(design.as_json()) if number % 2 else design.canonical)
    for path in (study.records, study.again):
        with path.open("w", newline="") as file:
            write_records(file, design, _records(design, rng), withhold=True)
    return study


def random_design(rng: np.random.Generator) -> Design:
    rule: dict[str, Any] = {"show_if": {"work": ["employed", "=self"]}}

    def random_rule() -> dict[str, Any]:
        return rule if rng.random() < 0.3 else {}

    sections = [
        plain(
            {"name": "work", "choices": ["employed", "=self", "not"][: rng.integers(2, 4)]},
            {"name": "年龄", "form": "scale", "choices": AGES[: rng.integers(2, 4)], **random_rule()},
            {"name": "years", "choices": list(YEARS), "number": {"low": 0, "high": 60, "limits": [10, 20]}},
        )
    ]
    rule["show_if"]["work"] = rule["show_if"]["work"][: rng.integers(1, 3)]
    if len(sections[0]["questions"][0]["choices"]) == 2:
        rule["show_if"]["work"] = ["employed"]
    for section in range(rng.integers(1, 3)):
        questions = [
            _question(rng, f"s{section}{place}", **random_rule()) for place in range(rng.integers(1, 4))
        ]
        asked = {"asked": int(rng.integers(1, len(questions) + 1))} if rng.random() < 0.4 else {}
        sections.append(sensitive(f"{rng.integers(2000, 9500) / 10000:.4f}", *questions, **asked))
    if rng.random() < 0.3:
        sections.append(crosswise("tax", ["0.2466", "0.7", "0.0833"][rng.integers(3)], **random_rule()))
    if rng.random() < 0.3:
        cells = int(rng.integers(5, 8))
        regions = {"north": [0, 1], "-south": [2, 3, 4]}
        sections.append(
            place_in_row("home", regions, cells, int(rng.integers(1, 3)), "6.50", **random_rule())
        )
    if rng.random() < 0.3:
        sections.append(subset(6, 2, "0.6"))
        rest = {"rest": 4} if rng.random() < 0.7 else {}
        sections.append(classes("debt", "0.7", 0, 10, 20, 40, **rest, **random_rule()))
    kind = rng.integers(3)
    more = {"open_answers": bool(kind == 1), **({"direct": "0.4", "least": 200} if kind == 2 else {})}
    return parse_design(json.dumps(make_design(*sections, **more)))


def _question(rng: np.random.Generator, name: str, **more: Any) -> dict[str, Any]:
    """Of two to four choices, with a noise law that is sometimes far from even, or the default."""
    choices = ["no", "yes"] if rng.random() < 0.5 else ["a", "=b", "c", "d"][: rng.integers(2, 5)]
    asked = {"name": name, "choices": choices, **more}
    if rng.random() < 0.2:
        return asked
    cuts = np.sort(rng.choice(np.arange(1, 10_000), len(choices) - 1, replace=False))
    return {**asked, "noise": [f"{part / 10_000:.4f}" for part in np.diff([0, *cuts, 10_000])]}


def _records(design: Design, rng: np.random.Generator) -> list[RecordRow]:
    """Of few people or of many; shares are often near 0 or 1, and open people differ from the others."""
    sources = [
        Independent(tuple(tuple(rng.dirichlet([0.7] * question.true_codes)) for question in design.questions))
        for _group in range(2)
    ]
    n = int(10 ** rng.uniform(2.1, 3.3))
    group, truth = Population(sources[0], sources[1], 0.3 * design.open_answers).draw(design, n, rng)
    codes: NDArray[Any] = disguise(design, group, truth, rng)
    return [RecordRow(int(arm), tuple(row)) for arm, row in zip(group, codes.T.tolist(), strict=True)]


pytestmark = pytest.mark.server

PEOPLE = ("n_asked", "n_open")
SCORED = ("support", "se", "low", "high")
AVERAGE = {"mean": "value", "se": "se", "low": "low", "high": "high"}
"""By what R calls it the member of a node."""
ITEMSET = ("support", "se", "pooled")
SHARE = (*SCORED, "share_shown", "low_shown", "high_shown", "shown", *PEOPLE)
DIFFERENCE = ("difference", "low", "high", "p", "holm")
NO_END = "cannot be estimated"
MIN_SUPPORT, MIN_CONFIDENCE = 0.2, 0.6
COEFFICIENT = ("n", "b", "se", "low", "high", "p")
Numbers = Mapping[str, Mapping[str, float | None]]
"""By name of an answer or coefficient its numbers."""


def single_answers(known: CachedCounter, members: Sequence[str], *, scored: bool) -> Numbers:
    """Of every answer that is counted; or of numbers and of choices sent as sets, which are estimated from scores."""
    items = [
        ((index, code),)
        for index, question in enumerate(known.design.questions)
        if bool(question.scored) is scored
        for code in range(question.item_count)
    ]
    return itemsets(known, items, members)


def averages(design: Design, records: MinedRecords) -> Numbers:
    """Of numbers whose law tells a mean."""
    counts = CodeCounts.count_records(design, (*records.complete, *records.without_plain), classes=False)
    nodes = (node for kind in make_nodes(counts).values() for node in kind if isinstance(node, NumberNode))
    sections = {section.questions[0].name: section for section in design.sections}
    told: dict[str, dict[str, float | None]] = {}
    for node in nodes:
        section = sections[node.question]
        if isinstance(section, ClassesSection) and section.question.has_mean:
            mean = node.all_records.mean
            told[node.question] = {of_r: getattr(mean, name, None) for of_r, name in AVERAGE.items()}
    return told


def itemsets_asked(known: CachedCounter, number: int) -> list[tuple[Item, ...]]:
    """Random itemsets of two and of three answers, each once."""
    rng = np.random.default_rng(number)
    counted = [index for index, question in enumerate(known.design.questions) if not question.scored]
    itemsets = dict[tuple[Item, ...], None]()
    for size in (2, 2, 2, 3, 3):
        chosen = sorted(rng.choice(counted, min(size, len(counted)), replace=False).tolist())
        itemset = tuple((index, int(rng.integers(known.design.questions[index].codes))) for index in chosen)
        itemsets[itemset] = None
    return list(itemsets)


def itemsets(known: CachedCounter, asked: Sequence[tuple[Item, ...]], members: Sequence[str]) -> Numbers:
    told = reconstruct_supports(known, asked)
    columns = {name: getattr(told, name).tolist() for name in members if name not in PEOPLE}
    if set(PEOPLE) <= set(members):
        columns |= {"n_asked": told.base.tolist(), "n_open": told.groups[:, 0].tolist()}
    names = [" ".join(item_name(known.design, item) for item in itemset) for itemset in asked]
    return {name: {of: column[row] for of, column in columns.items()} for row, name in enumerate(names)}


def found_itemsets(records: candor.Records) -> Numbers:
    """Of what a search finds, without numbers and sets, which R does not search."""
    table = candor.itemsets(records, MIN_SUPPORT)
    return numbers_by_name(records, table, "items", (*ITEMSET, "observed"))


def found_rules(records: candor.Records) -> Numbers:
    table = candor.rules(records, MIN_SUPPORT, MIN_CONFIDENCE)
    return numbers_by_name(records, table, ("antecedent", "consequent"), RULE)


def numbers_by_name(
    records: candor.Records, table: pd.DataFrame, by: str | Sequence[str], members: Sequence[str]
) -> Numbers:
    scored = {question.name for question in records.mined.design.questions if question.scored}
    told = {}
    for row in table.to_dict("records"):
        sides = [row[name] for name in ([by] if isinstance(by, str) else by)]
        if not {item.partition("=")[0] for side in sides for item in side} & scored:
            told[" -> ".join(map(" ".join, sides))] = {name: row[name] for name in members}
    return dict(sorted(told.items()))


def class_numbers(records: candor.Records, choices: Sequence[str]) -> Numbers:
    """Of the disguised people with these two answers to the first question."""
    table = candor.compare_classes(records, *choices)
    return {row["item"]: {name: row[name] for name in DIFFERENCE} for row in table.to_dict("records")}


def numbers_of(nodes: Sequence[Any], members: Sequence[str]) -> Numbers:
    return {
        getattr(node, "item", None) or node.of: {name: getattr(node, name) for name in members}
        for node in nodes
    }


def model(result: ModelResult) -> dict[str, Numbers]:
    coefficients = {one.of: {name: getattr(one, name) for name in COEFFICIENT} for one in result.coefficients}
    terms = {one.of: {"df": one.df, "p": one.p} for one in result.terms}
    return {"coefficients": coefficients, "terms": terms}


def models_asked(known: CachedCounter) -> Iterator[dict[str, Any]]:
    work, age = (question.name for question in known.design.questions[:2])
    item = item_name(known.design, reported_sensitive_answers(known)[0])
    for logit in (False, True):
        yield {"item": item, "on": [work, age], "numbers": [], "products": [], "among": [], "logit": logit}
        product = {"numbers": [age], "products": [f"{work}*{age}"]}
        yield {"item": item, "on": [work, age], "among": [], "logit": logit, **product}
    employed = item_name(known.design, (0, 0))
    yield {"item": item, "on": [age], "numbers": [], "products": [], "among": [employed], "logit": False}


class Compared:
    """What of R differs from Python, and how many numbers were the same."""

    def __init__(self) -> None:
        self.wrong: list[str] = []
        self.same = 0

    def study(self, name: str, told: dict[str, Any], expected: dict[str, Any]) -> None:
        for table in ("shares", "scores", "arms", "classes", "waves"):
            self.table(f"{name} {table}", told[table] or [], expected[table])
        self.table(f"{name} averages", told["averages"], expected["averages"], "question")
        self.table(f"{name} itemsets", told["itemsets"], expected["itemsets"], "itemset")
        for table in ("found", "rules"):
            self.table(f"{name} {table}", told[table], expected[table], "name")
        for fit, wanted in zip(told["models"], expected["models"], strict=True):
            if isinstance(fit, str) or isinstance(wanted, str):
                if not (isinstance(fit, str) and isinstance(wanted, str) and wanted in fit):
                    self.wrong.append(f"{name} model: {fit}, not {wanted}")
                continue
            for part in ("coefficients", "terms"):
                self.table(f"{name} {part}", fit[part], wanted[part], "of")

    def table(self, where: str, rows: list[dict[str, Any]], expected: Numbers, key: str = "item") -> None:
        told = {row[key]: row for row in rows}
        if list(told) != list(expected):
            self.wrong.append(f"{where}: {list(told)}, not {list(expected)}")
            return
        for name, numbers in expected.items():
            for member, number in numbers.items():
                self.compare_numbers(f"{where} {name} {member}", told[name].get(member), number)

    def compare_numbers(self, where: str, told: float | None, number: float | None) -> None:
        if number is None or not isfinite(number):
            if told is not None:
                self.wrong.append(f"{where}: {told}, not null")
        elif told is None or told != pytest.approx(number, abs=1e-6, rel=1e-6):
            self.wrong.append(f"{where}: {told}, not {number}")
        else:
            self.same += 1


def asked_and_expected(study: RandomStudy, number: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """What R is asked of a study, and what Python says of it."""
    read, read_again = (candor.read_records(path, study.design) for path in (study.records, study.again))
    records, again = read.mined, read_again.mined
    counter, later = records.counter(), again.counter()
    known = CachedCounter(counter, without_plain=True)
    models: list[dict[str, Any]] = []
    fits: list[dict[str, Numbers] | str] = []
    for asked in models_asked(known):
        options = {name: asked[name] for name in ("numbers", "products", "among", "logit")}
        try:
            request = read_request_allowing_arm(records.design, asked["item"], asked["on"], **options)
            fits.append(model(fit_records(records, request)))
        except InputError as refusal:
            if not refusal.template.startswith(NO_END):
                continue  # too few people, which R leaves to its user
            fits.append(NO_END)
        models.append(asked)
    shared = bool(number % 2)
    asked_together = itemsets_asked(known, number)
    waves = compare_waves(CachedCounter(counter), CachedCounter(later), shared=shared)
    asked = {
        "design": str(study.design),
        "records": str(study.records),
        "again": str(study.again),
        "classes": [item_name(records.design, (0, code)) for code in (0, 1)],
        "itemsets": [[item_name(records.design, item) for item in itemset] for itemset in asked_together],
        "shared": shared,
        "models": models,
        "min_support": MIN_SUPPORT,
        "min_confidence": MIN_CONFIDENCE,
    }
    expected = {
        "shares": single_answers(known, SHARE, scored=False),
        "scores": single_answers(known, SCORED, scored=True),
        "averages": averages(parse_design_file(study.design), records),
        "itemsets": itemsets(known, asked_together, (*ITEMSET, *PEOPLE)),
        "found": found_itemsets(read),
        "rules": found_rules(read),
        "arms": numbers_of(analyse_arms(counter).items, DIFFERENCE) if records.design.has_arms else {},
        "classes": class_numbers(read, [item_name(records.design, (0, code)) for code in (0, 1)]),
        "waves": numbers_of(waves.items, DIFFERENCE),
        "models": fits,
    }
    return asked, expected


def estimated_by_r(library: Path, folder: Path, asked: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """In one process for all studies."""
    (folder / "asked.json").write_text(json.dumps(asked))
    words = ["Rscript", "--vanilla", str(Path(__file__).with_name("equal.R"))]
    env = {**os.environ, "R_LIBS": str(library)}
    done = subprocess.run(words, cwd=folder, env=env, capture_output=True, text=True, timeout=3_600)
    assert done.returncode == 0, done.stderr
    estimates: list[dict[str, Any]] = json.loads((folder / "estimates.json").read_text())
    return estimates


@pytest.mark.parametrize("studies", [1, pytest.param(12, marks=pytest.mark.night)])
def test_random_designs_give_equal_results_in_r_and_python(
    studies: int, library: Path, tmp_path: Path
) -> None:
    pairs = [asked_and_expected(random_study(tmp_path, number), number) for number in range(studies)]
    compared = Compared()
    told = estimated_by_r(library, tmp_path, [asked for asked, _expected in pairs])
    for number, (of_r, (_asked, of_python)) in enumerate(zip(told, pairs, strict=True)):
        compared.study(str(number), of_r, of_python)
    assert not compared.wrong, "\n".join(compared.wrong)
    assert compared.same > 150 * studies


LAWS = {
    "warner(0.2)": candor.warner(0.2),
    "unrelated_question(0.5, 0.3)": candor.unrelated_question(0.5, 0.3),
    "forced_response(yes = 0.2, no = 0.1)": candor.forced_response(yes=0.2, no=0.1),
    "forced_response(yes = 0, no = 0)": candor.forced_response(yes=0, no=0),
}
COUNTS = ([40, 180, 300, 9_000], [60, 500, 480, 20_000])


def test_counts_have_the_same_intervals_at_each_level_in_r_as_in_python(
    library: Path, tmp_path: Path
) -> None:
    having, records = (f"c({', '.join(map(str, counts))})" for counts in COUNTS)
    cases = [(of_r, law, level) for of_r, law in LAWS.items() for level in (0.8, 0.9, 0.95, 0.99)]
    calls = [f"count_shares({having}, {records}, {of_r}, level = {level})" for of_r, _law, level in cases]
    calls += [f"compare_shares({having}, {records}, 200, 500, {of_r}, shared = TRUE)" for of_r in LAWS]
    script = f"cat(jsonlite::toJSON(list({', '.join(calls)}), digits = NA, dataframe = 'columns'))"
    (tmp_path / "counts.R").write_text(f"library(candor)\n{script}")
    words, env = ["Rscript", "--vanilla", str(tmp_path / "counts.R")], {**os.environ, "R_LIBS": str(library)}
    done = subprocess.run(words, env=env, capture_output=True, text=True, check=True)
    of_r = [pd.DataFrame(table) for table in json.loads(done.stdout)]
    for (_of_r, law, level), table in zip(cases, of_r, strict=False):
        expected = candor.count_shares(*COUNTS, law, level)
        pd.testing.assert_frame_equal(table, expected, check_dtype=False, rtol=0, atol=5e-10)
    for law, table in zip(LAWS.values(), of_r[len(cases) :], strict=True):
        expected = candor.compare_shares(*COUNTS, 200, 500, law, shared=True)
        pd.testing.assert_frame_equal(table[expected.columns], expected, check_dtype=False, rtol=0, atol=2e-7)


@pytest.mark.night
def test_random_designs_give_equal_results_in_scripts_library_and_product(tmp_path: Path) -> None:
    """The product's functions, the scripts beside its record file, and the library that reads this file."""
    wrong, same, studies = list[str](), 0, 5
    for number in range(studies):
        rng = np.random.default_rng(number)
        design = random_design(rng)
        records = used_rows(design, _records(design, rng))
        write(records, tmp_path)
        expected = [*product_statements(design, records)]
        mining = [*product_itemsets_and_rules(design, records)]
        for language in LANGUAGES:
            of_r = language is R
            tables = run(language, design, tmp_path, more=MINE if of_r else "")
            differing = wrong_numbers(tables, expected + mining * of_r)
            wrong += [f"{number} {language.file} {text}" for text in differing]
        read = candor.read_records(tmp_path / "records.csv", design)
        found = candor.itemsets(read, 0.2).assign(itemset=lambda row: row["items"].str.join(" "))
        of_library = {"shares": candor.shares(read), "itemsets": found, "rules": candor.rules(read, 0.2, 0.6)}
        tables = {name: as_texts(table) for name, table in of_library.items()}
        own = []
        for name, key, numbers in expected + mining:
            if name in OWN and (name != "shares" or {*OWN[name]} <= {*numbers}):
                row = {"item": key["item"]} if name == "shares" else key
                own.append((name, row, {member: numbers[member] for member in OWN[name]}))
        same += sum(len(numbers) for _name, _key, numbers in own)
        wrong += [f"{number} library {text}" for text in wrong_numbers(tables, own)]
    assert not wrong, "\n".join(wrong[:40])
    assert same > 100 * studies


OWN = {
    "shares": ("n_asked", "n_open", "shown", "support", "se", "low", "high", "pooled"),
    "itemsets": ("support", "se", "pooled"),
    "rules": RULE,
}
"""What the library has of each table of the product."""


def as_texts(table: pd.DataFrame) -> list[dict[str, str]]:
    """Rows as a script writes them."""

    def text(value: Any) -> str:
        if isinstance(value, list):
            return " ".join(value)
        return "" if isinstance(value, float) and not isfinite(value) else str(value)

    return [{name: text(value) for name, value in row.items()} for row in table.to_dict("records")]
