"""The scripts that leave with a record file say what the product says of the same records."""

import csv
import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from io import BytesIO
from math import isfinite
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import numpy as np
import pyarrow as pa
import pytest
from numpy.typing import NDArray
from pyarrow import parquet

from accounts.models import Person
from config.start import demo_content
from config.start.demo_true_answers import employee_population
from intake.recordfiles import as_csv, as_parquet, as_spss_and_stata
from intake.recordfiles.analysis_scripts import LANGUAGES, PYTHON, R, ScriptLanguage
from intake.recordfiles.download import hand_over_file
from intake.recordfiles.record_file_rows import UsedRows, shuffle_used_records
from intake.rehearsal.respondent_simulation import simulate
from mining.counting.mined_records import MinedRecords, make_counter
from mining.counting.number_and_place_counts import CodeCounts
from mining.disclosure.verdict import Verdict
from mining.engines.candor_engine import mine_rules
from mining.findings.compute_findings import (
    GroupFindingLimits,
    answer_shares,
    group_tables,
    open_against_disguised_tests,
)
from mining.inference.selection_correction import plan_critical_z
from mining.itemsets.answer_names import AnswerNames
from mining.json_codec import node_from_json
from mining.kinds.registry import make_nodes
from mining.nodes.number_nodes import NumberEstimates, NumberNode
from mining.nodes.place_nodes import PlaceNode
from mining.nodes.regression_nodes import ModelResult
from mining.nodes.report_nodes import Estimate, GroupTable, GroupTest, Report, report_from_json
from mining.nodes.study_nodes import Arms
from mining.parameters import Parameters
from mining.queries_and_counters import NONE, item_names
from mining.reconstruction import CachedCounter
from mining.reconstruction.open_versus_disguised_test import run_group_test
from mining.studies.comparison_with_truth import AMONG
from mining.studies.direct_disguised_arm_comparison import analyse_arms
from mining.studies.front_page_statements import Statements
from mining.studies.hypothesis_tests import PlannedRecords, plan_result
from mining.studies.model_fits import fit_model_from_counter
from mining.studies.model_request_and_columns import read_request
from mining.studies.population_margins_csv import read_margins
from mining.studies.population_weights import weighted_answers
from privacy.designs import Design
from privacy.designs.hypothesis_plan import Plan, parse_plan
from privacy.kinds.place.section import PlaceSection
from privacy.records import DISGUISED, OPEN, RecordRow
from privacy.simulation.disguise import disguise
from reports.models import Review
from reports.review import report_state_changes
from runs import regression_job, run_start
from runs.margin_weights import unscored_sensitive_items
from runs.models import ModelJob
from surveys.lifecycle import state_changes
from surveys.lifecycle.opening import load_frozen_plan
from surveys.models import Collaborator
from tests.intake import asked
from tests.jobs.conftest import attempt, broker
from tests.privacy.questionnaires import (
    IF_EMPLOYED,
    WORK,
    classes,
    crosswise,
    design,
    place_in_row,
    plain,
    question,
    sensitive,
    subset,
    window,
)
from tests.runs import sealed

__all__ = ["broker"]
pytestmark = pytest.mark.server
Tables = dict[str, list[dict[str, str]]]
Expected = tuple[str, Mapping[str, str], Mapping[str, float | None]]
"""A table, the cells that name its row, and numbers of this row."""
SHARE = (
    *("n_asked", "n_open", "shown", "observed", "support", "se", "low", "high", "pooled", "expected_w"),
    *("share_shown", "low_shown", "high_shown", "forged_low", "forged_high"),
)
CELL = ("share", "low", "high", "share_shown", "low_shown", "high_shown")
ARM = (
    *("direct", "disguised", "difference", "low", "high", "p", "smallest_more", "smallest_fewer"),
    *("n_direct", "direct_low", "direct_high", "n_disguised", "disguised_low", "disguised_high", "holm"),
)


def run(
    language: ScriptLanguage,
    design: Design,
    folder: Path,
    kind: str = "csv",
    more: str = "",
    plan: Plan | None = None,
    **env: str,
) -> Tables:
    """What the script writes next to the record file; `more` is run behind it."""
    (folder / language.file).write_text(language.script(design, f"records.{kind}", "Work 工作", plan) + more)
    program = [sys.executable] if language is PYTHON else ["Rscript", "--vanilla"]
    words, env = [*program, language.file], os.environ | env
    done = subprocess.run(words, cwd=folder, env=env, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert "Warning" not in done.stderr, done.stderr
    tables = {}
    for path in sorted(folder.glob("analysis-*.csv")):
        with path.open() as file:
            tables[path.stem.removeprefix("analysis-")] = list(csv.DictReader(file))
        path.unlink()
    return tables


def wrong_numbers(tables: Tables, expected: Iterable[Expected], *, published: bool = False) -> list[str]:
    """Every number that no row has, or that its row has otherwise; a publication withholds some numbers."""
    wrong: list[str] = []
    for name, key, numbers in expected:
        rows = [row for row in tables.get(name, []) if all(row[part] == cell for part, cell in key.items())]
        if len(rows) != 1:
            wrong.append(f"{name} {dict(key)}: {len(rows)} rows")
            continue
        wrong += [
            f"{name} {dict(key)}: {member} is {rows[0][member]}, not {number}"
            for member, number in numbers.items()
            if not (published and number is None) and not is_same_number(rows[0][member], number)
        ]
    return wrong


def is_same_number(cell: str, number: float | None) -> bool:
    """An empty cell is None."""
    if number is None or not isfinite(number):
        return cell == ""
    return cell != "" and float(cell) == pytest.approx(number, abs=1e-6, rel=1e-6)


def members(node: Any, *names: str) -> dict[str, float | None]:
    return {name: getattr(node, name) for name in names}


def expected_of_report(report: Report, design: Design) -> Iterator[Expected]:
    yield from expected_shares(report.shares)
    yield from expected_groups(report.groups)
    yield from expected_comparisons(report.compared, design)
    for number in report.numbers:
        yield from expected_number(number, design)
    for place in report.places:
        yield from expected_place(place, design)
    if report.study.arms:
        yield from expected_arms(report.study.arms, design)


def expected_shares(shares: tuple[Estimate, ...]) -> Iterator[Expected]:
    for share in shares:
        among = AMONG if share.disguised_only else ""
        yield "shares", {"item": share.item, "among": among}, members(share, *SHARE)


def expected_groups(groups: tuple[GroupTable, ...]) -> Iterator[Expected]:
    for table in groups:
        for row in table.rows:
            together = {"together": row.together, "low_together": row.low, "high_together": row.high}
            for name, cell in zip(table.classes, row.cells, strict=True):
                key = {"question": table.question, "class": name, "item": row.item}
                # What a plan names has Holm's p of the plan, which no script has.
                p = row.p if row.met is None else None
                yield "groups", key, {**members(cell, *CELL), **together, "p": p}
                if cell.share is not None:
                    yield "groups", key, members(cell, "n_asked", "shown")


def expected_comparisons(compared: tuple[GroupTest, ...], design: Design) -> Iterator[Expected]:
    """The plain answers and the places of open records are withheld, and Holm's p is over these too."""
    for test in compared:
        question = next(one for one in design.questions if one.name == test.item.partition("=")[0])
        if not question.withheld_if_open:
            key = {"item": test.item}
            yield "compared", key, members(test, "opened", "disguised", "more", "fewer")


def expected_number(node: NumberNode, design: Design) -> Iterator[Expected]:
    yield from _expected_estimates(node, "", node.all_records)
    for group in node.groups:
        question = next(question for question in design.questions if question.name == group.question)
        for choice, estimates in zip(question.choices, group.classes, strict=True):
            yield from _expected_estimates(node, f"{group.question}={choice.name}", estimates)


def _expected_estimates(node: NumberNode, name: str, estimates: NumberEstimates) -> Iterator[Expected]:
    key = {"question": node.question, "class": name}
    for share in (*estimates.shares, *estimates.classes[:-1]):
        bounds = members(share, "at_least", "below")
        ends = {part: "" if end is None else str(end) for part, end in bounds.items()}
        yield "numbers", {**key, **ends}, members(share, "n_asked", "share", "se", "low", "high")
    for stated in estimates.quantiles:
        yield "quantiles", {**key, "q": f"{stated.q:g}"}, members(stated, "at_least", "below")
    if estimates.mean:
        means = members(estimates.mean, "value", "se", "low", "high")
        yield "means", key, {"n_asked": estimates.n_asked, **means}
    curve = estimates.distribution
    for cell, blurred in enumerate(curve.blurred if curve else ()):
        assert curve
        columns = {"low": curve.low, "high": curve.high, "received": curve.received}
        numbers = {part: column[cell] if column else None for part, column in columns.items()}
        numbers |= {"n_asked": estimates.n_asked, "modes": curve.modes, "blurred": blurred}
        yield "distributions", {**key, "cell": str(cell + 1)}, numbers


def expected_place(node: PlaceNode, design: Design) -> Iterator[Expected]:
    """A report withholds more than a holder of the records needs to: what it says is compared."""
    section = next(section for section in design.sections if section.questions[0].name == node.question)
    assert isinstance(section, PlaceSection)
    names = section.question.code_names
    for name, received in zip(names, node.received, strict=False):
        if received is not None:
            numbers: dict[str, float | None] = {"n_asked": node.n_asked, "received": received}
            yield "places", {"question": node.question, "cell": name}, numbers
    for cell, outside in zip(section.law.cells_outside_regions, node.outside, strict=False):
        if outside:
            key = {"question": node.question, "cell": names[cell]}
            yield "places", key, members(outside, "share", "low", "high")


def expected_arms(arms: Arms, design: Design) -> Iterator[Expected]:
    completion = members(arms.completion, "completion", "low", "high", "p")
    yield "completion", {}, {**members(arms, "direct", "disguised"), **completion}
    places = {section.questions[0].name for section in design.sections if isinstance(section, PlaceSection)}
    for item in arms.items:
        # Direct records withhold their places, so Holm's p of all answers cannot be had either. Of too few records
        # the product knows nothing, and a script has no row.
        if item.item.partition("=")[0] not in places and item.n_direct is not None:
            bounds = dict(zip(("bound_low", "bound_high"), item.bounds, strict=True))
            numbers = members(item, *ARM[: len(ARM) - bool(places)])
            yield "arms", {"item": item.item}, {**numbers, **bounds}


def expected_model(model: ModelResult) -> Iterator[Expected]:
    fit = {"fit_df": model.fit.df if model.fit else None, "fit_p": model.fit.p if model.fit else None}
    for coefficient in model.coefficients:
        numbers = members(coefficient, "b", "se", "low", "high", "p")
        yield "model", {"of": coefficient.of}, {"n": model.n, **numbers, **fit}
    for term in model.terms:
        columns = [one.of for one in model.coefficients if one.of.count("*") == term.of.count("*")]
        for name in columns:
            if [part.partition("=")[0] for part in name.split("*")] == term.of.split("*"):
                yield "model", {"of": name}, {"term_df": term.df, "term_p": term.p}


# --- the surveys, and what the product says of them

AGE = "年龄"
AGES = {"name": AGE, "choices": ["young", "=old", "older"]}
CHOSEN = (
    plain(WORK, AGES),
    sensitive(
        "0.4",
        question("took-home", "0.4", "0.6"),
        question("sick", "0.7", "0.3", **IF_EMPLOYED),
        {"name": "often", "choices": ["never", "=once", "many times"], "noise": ["0.5", "0.3", "0.2"]},
        {"name": "liked", "form": "scale", "choices": ["3", "1", "2"], "noise": ["0.5", "0.3", "0.2"]},
        asked=3,
    ),
    crosswise("till", "0.25"),
    window("change, in all", 101, 10, "0.4", low=-250, step=5, **IF_EMPLOYED),
)
HOME = place_in_row("home", {"north": [0, 1, 2], "south": [3, 4]}, 7, 1, "6", **IF_EMPLOYED)
SCORED = (subset(8, 3, "0.7"), classes("debt", "0.7142", 0, 500, 1000, 2000, 100_000, rest=2, **IF_EMPLOYED))
BY_ARM: dict[str, Any] = {"open_answers": False, "direct": "0.3", "least": 200}
STUDY = design(*CHOSEN, **BY_ARM)
SURVEYS = {
    "arms": STUDY,
    "open": design(*CHOSEN, HOME),
    "arms-everything": design(*CHOSEN, HOME, *SCORED, **BY_ARM),
    "open-everything": design(*CHOSEN, HOME, *SCORED),
}
HYPOTHESES: list[dict[str, Any]] = [
    {"name": "asked directly", "kind": "arms", "item": "took-home=yes"},
    {"name": "old", "kind": "association", "antecedent": [f"{AGE}==old"], "consequent": ["sick=yes"]},
    {"name": "a third", "kind": "share", "item": "sick=yes", "than": "0.3333"},
]
PLAN = parse_plan(json.dumps({"format": "candor-plan/1", "salt": "0" * 32, "hypotheses": HYPOTHESES}))
ON = [AGE, "work"]
MARGINS = {
    "arms-everything": {AGE: {"young": 0.3, "=old": 0.4, "older": 0.3}},
    "arms": {AGE: {"young": 0.3, "=old": 0.4, "older": 0.3}, "work": {"employed": 0.7, "not": 0.3}},
}
"""By survey the population, which is older, and works more."""


def script_literal(language: ScriptLanguage, value: Any) -> str:
    """Of texts, numbers and lists of them."""
    if isinstance(value, list):
        inside = ", ".join(script_literal(language, each) for each in value)
        return f"[{inside}]" if language is PYTHON else f"c({inside})"
    if isinstance(value, bool) and language is R:
        return str(value).upper()
    return json.dumps(value) if isinstance(value, str) else str(value)


def model(
    language: ScriptLanguage, on: Sequence[str] = ON, item: str = "took-home=yes", **options: Any
) -> str:
    """A call of the script that writes the table `model`."""
    more = "".join(f", {name} = {script_literal(language, value)}" for name, value in options.items())
    return f'put("model", model("{item}", {script_literal(language, [*on])}{more}))\n'


def weighting_code(language: ScriptLanguage, margins: Mapping[str, Mapping[str, float]]) -> str:
    if language is PYTHON:
        return f'put("weighted", weighted({json.dumps(margins)}))\n'
    parts = (
        f"list(on = {script_literal(R, name)}, cells = list({', '.join(map(json.dumps, shares))}),"
        f" share = {script_literal(R, [*shares.values()])})"
        for name, shares in margins.items()
    )
    return f'put("weighted", weighted(list({", ".join(parts)})))\n'


def margins_csv(margins: Mapping[str, Mapping[str, float]]) -> str:
    lines = [
        [*(cell if each == name else "" for each in margins), str(share)]
        for name, shares in margins.items()
        for cell, share in shares.items()
    ]
    return "".join(",".join(line) + "\n" for line in [[*margins, "share"], *lines])


def people(of: Design, n: int) -> tuple[NDArray[np.uint8], NDArray[np.uint32]]:
    """Those without disguise are others than those with it."""
    rng = np.random.default_rng(7)
    group = np.where(rng.random(n) < 0.3, OPEN, DISGUISED).astype(np.uint8)
    true: dict[str, Any] = {
        "work": rng.random(n) < 0.4,
        AGE: rng.choice(3, n, p=[0.5, 0.3, 0.2]),
        "took-home": rng.random(n) < 0.2 + 0.3 * (group == OPEN),
        "sick": rng.random(n) < 0.35,
        "often": rng.choice(3, n, p=[0.5, 0.3, 0.2]),
        "liked": rng.choice(3, n, p=[0.2, 0.3, 0.5]),
        "till": rng.random(n) < 0.3,
        "change, in all": rng.integers(0, 101, n),
        "home": rng.integers(0, 7, n),
        "drug": rng.integers(0, 8, n),
        "debt": rng.integers(0, 100_000, n),
    }
    truth = np.array([true[every.name] for every in of.questions], np.uint32)
    for index, hidden in enumerate(of.questions):
        if hidden.show_if:
            truth[index, truth[0] == 1] = hidden.true_hidden_code
    return group, disguise(of, group, truth, rng)


def records_of(of: Design, n: int) -> UsedRows:
    group, codes = people(of, n)
    rows = [RecordRow(int(arm), tuple(column)) for arm, column in zip(group, codes.T.tolist(), strict=True)]
    return asked.used_rows(of, rows)


def product_statements(of: Design, records: UsedRows, plan: Plan | None = None) -> Iterator[Expected]:
    """What the product says of these records, where nothing stands on the front but what the plan names."""
    counter = make_counter(of.mined, records.parts)
    known = CachedCounter(counter, without_plain=True)
    statements = Statements(known, plan, Verdict(of.mined))
    planned = plan_result(plan, PlannedRecords.from_counter(known)).hypotheses if plan else ()
    by_name = {one.name: one for one in planned}
    planned_groups = {cell: by_name[name] for cell, name in statements.planned_groups.items()}
    front = GroupFindingLimits(planned=planned_groups)
    yield from expected_shares(tuple(answer_shares(known, Parameters(0.1, 0.5))))
    yield from expected_groups(tuple(group_tables(known, Verdict(of.mined), front)))
    if not of.has_arms:
        yield from expected_comparisons(open_against_disguised_tests(known, Verdict(of)), of)
        yield from p_alone(known, of)
    for nodes_of_kind in make_nodes(CodeCounts.count_records(of, records.parts)).values():
        for node in nodes_of_kind:
            if isinstance(node, NumberNode):
                yield from expected_number(node, of)
            else:
                yield from expected_place(node, of)
    if of.has_arms:
        yield from expected_arms(analyse_arms(counter, critical_zs=statements.arm_critical_z({})), of)


MINE = """put("itemsets", itemsets(0.2))
put("rules", rules(0.2, 0.6))
"""
ITEMSET = ("support", "se", "pooled")
RULE = (
    *("eligible", "support", "antecedent_support", "consequent_support", "confidence", "lift", "p"),
    *("confidence_low", "confidence_high", "lift_low", "lift_high"),
)


def product_itemsets_and_rules(of: Design, records: UsedRows) -> Iterator[Expected]:
    """The itemsets and rules of the product, without items of scores, which no script has."""
    known = CachedCounter(make_counter(of.mined, records.parts), without_plain=True)
    result, name = mine_rules(known, Parameters(0.2, 0.6)), item_names(of.mined)
    supports, rules = result.frequent.supports, result.rules

    def is_countable(numbers: Sequence[int]) -> bool:
        return not known.numbering.scored_mask(np.array([numbers])).any()

    for row, itemset in enumerate(supports.itemsets.tolist()):
        numbers = [number for number in itemset if number != NONE]
        if is_countable(numbers):
            told = {member: float(getattr(supports, member)[row]) for member in ITEMSET}
            yield "itemsets", {"itemset": " ".join(name[number] for number in numbers)}, told
    for row in range(len(rules)):
        sides = rules.sides(row)
        if all(map(is_countable, sides)):
            first, second = (" ".join(name[number] for number in side) for side in sides)
            told = {member: float(rules[member][row]) for member in RULE}
            yield "rules", {"antecedent": first, "consequent": second}, told


def p_alone(known: CachedCounter, of: Design) -> Iterator[Expected]:
    """That of each answer alone, which a report does not say."""
    test, names = run_group_test(CachedCounter(known.whole)), AnswerNames(known.design)
    raw = test.p if test.raw is None else test.raw
    for item, p in zip(test.items, raw.tolist(), strict=True):
        if not of.questions[item[0]].withheld_if_open:
            yield "compared", {"item": names.name(item)}, {"p_alone": p}


def expected_fitted_model(of: Design, records: UsedRows, **options: Any) -> Iterator[Expected]:
    counter = make_counter(of.mined, records.parts)
    request = read_request(of.mined, "took-home=yes", ON, **options)
    return expected_model(fit_model_from_counter(counter, request))


def expected_weights(of: Design, records: UsedRows, margins: str) -> Iterator[Expected]:
    mined, names = MinedRecords(of.mined, records.parts), AnswerNames(of.mined)
    known = read_margins(BytesIO(margins.encode()), "margins", of.mined)
    for item, estimate in weighted_answers(mined, unscored_sensitive_items(of.mined), known).items():
        numbers = members(estimate, "share", "se", "low", "high", "effective", "largest")
        yield "weighted", {"item": names.name(item)}, numbers


def write(records: UsedRows, folder: Path) -> None:
    (folder / "records.csv").write_bytes(b"".join(as_csv.write_csv(records)))


IDS = ["r" if each is R else "python" for each in LANGUAGES]
EACH = pytest.mark.parametrize("language", LANGUAGES, ids=IDS)


@pytest.mark.parametrize("language", [PYTHON, pytest.param(R, marks=pytest.mark.night)], ids=["python", "r"])
def test_analysis_script_matches_the_product_for_a_study(language: ScriptLanguage, tmp_path: Path) -> None:
    """Directly asked people have taken home more often, and are not pooled with the disguised. What a plan names has
    its interval, and no p after Holm, which is over the plan."""
    records = records_of(STUDY, 1_200)
    write(records, tmp_path)
    tables = run(language, STUDY, tmp_path, more=model(language), plan=PLAN)
    expected = [*product_statements(STUDY, records, PLAN), *expected_fitted_model(STUDY, records)]
    assert wrong_numbers(tables, expected) == []
    assert {name for name, _key, _numbers in expected} == set(tables)
    # The plan makes the interval of one difference wider, and Holm's p of the others smaller.
    apart = wrong_numbers(tables, product_statements(STUDY, records))
    members_apart = {(text.partition(" ")[0], text.split("}: ")[1].split(" is ")[0]) for text in apart}
    assert members_apart == {("arms", "low"), ("arms", "high"), ("arms", "holm"), ("groups", "p")}
    assert sum("}: low is " in text for text in apart) == 1


@pytest.mark.night
@EACH
@pytest.mark.parametrize("survey", ["arms", "arms-everything", "open-everything"])
def test_analysis_script_matches_the_product_for_every_kind(
    survey: str, language: ScriptLanguage, tmp_path: Path
) -> None:
    """The one in R mines what the product mines; shares of studies with arms, numbers and a place are weighted, where a
    rule hides some questions from some."""
    of, margins = SURVEYS[survey], MARGINS.get(survey)
    records = records_of(of, 3_000)
    write(records, tmp_path)
    more = MINE if language is R else ""
    more += weighting_code(language, margins) if margins else ""
    tables = run(language, of, tmp_path, more=more)
    assert wrong_numbers(tables, product_statements(of, records)) == []
    if margins:
        expected = list(expected_weights(of, records, margins_csv(margins)))
        assert len(expected) > 10
        assert wrong_numbers(tables, expected) == []
    if language is R:
        expected = [*product_itemsets_and_rules(of, records)]
        assert wrong_numbers(tables, expected) == []
        assert len(tables["itemsets"]) > 5
        for name in ("itemsets", "rules"):
            assert len(tables.get(name, [])) == sum(table == name for table, _key, _numbers in expected)


@pytest.mark.night
@EACH
def test_analysis_script_estimates_nothing_from_too_few_records(
    language: ScriptLanguage, tmp_path: Path
) -> None:
    options: list[dict[str, Any]] = [{}, BY_ARM]
    for more in options:
        of = design(window("change, in all", 101, 10, "0.4"), **more)
        write(records_of(of, 200), tmp_path)
        assert set(run(language, of, tmp_path)) == {"distributions", *(["completion"] if more else [])}
    of = SURVEYS["open-everything"]
    for n in (30, 70):
        records = records_of(of, n)
        write(records, tmp_path)
        tables = run(language, of, tmp_path)
        assert wrong_numbers(tables, product_statements(of, records)) == []
        assert "" in [row["support"] for row in tables["shares"]]


@pytest.mark.night
@EACH
def test_analysis_script_fits_the_products_models(language: ScriptLanguage, tmp_path: Path) -> None:
    records, product = records_of(STUDY, 6_000), f"work*{AGE}"
    write(records, tmp_path)
    for options in ({"logit": True}, {"products": [product]}):
        tables = run(language, STUDY, tmp_path, more=model(language, **options))
        assert wrong_numbers(tables, expected_fitted_model(STUDY, records, **options)) == [], options


@EACH
def test_analysis_script_fits_no_model_to_fewer_than_50_records(
    language: ScriptLanguage, tmp_path: Path
) -> None:
    write(records_of(STUDY, 60), tmp_path)
    (tmp_path / language.file).write_text(
        language.script(STUDY, "records.csv", "Work 工作", None) + model(language)
    )
    program = [sys.executable] if language is PYTHON else ["Rscript", "--vanilla"]
    done = subprocess.run([*program, language.file], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 1
    assert "Fewer than 50 records answer the item and all covariates." in done.stderr


def test_conditional_number_has_one_interval_in_shares_and_in_its_node() -> None:
    """Hardly anybody is below 500, so that nobody is estimated on one side of the answer."""
    of = design(plain(WORK), classes("debt", "0.7", 0, 500, 1000, 2000, **IF_EMPLOYED))
    rng = np.random.default_rng(2)
    group = np.full(600, DISGUISED, np.uint8)
    truth = np.array([rng.integers(0, 2, 600), rng.integers(600, 2001, 600)], np.uint32)
    truth[1, truth[0] == 1] = of.questions[1].true_hidden_code
    codes = disguise(of, group, truth, rng)
    records = asked.used_rows(of, [RecordRow(1, tuple(row)) for row in codes.T.tolist()])
    counter = make_counter(of.mined, records.parts)
    of_answers = {one.item: one for one in answer_shares(CachedCounter(counter), Parameters(0.1, 0.5))}
    by_kind = make_nodes(CodeCounts.count_records(of, records.parts))
    ((node,),) = filter(None, by_kind.values())
    assert isinstance(node, NumberNode)
    for share in (*node.all_records.shares, *node.all_records.classes):
        one = of_answers[f"debt={share.item}"]
        assert (one.low, one.high) == pytest.approx((share.low, share.high), abs=1e-6)


# --- the scripts read every kind of file as the CSV file, and equal the published report of the demonstration

NOW = datetime(2026, 12, 1, tzinfo=UTC)
ARROW = {
    "DESCRIPTION": "Package: arrow\nVersion: 0.0.1\nTitle: Stand-In\nDescription: Stand-in.\nAuthor: Candor\n"
    "Maintainer: Candor <candor@example.org>\nLicense: none\nEncoding: UTF-8\n",
    "NAMESPACE": "export(read_parquet)\n",
    "R/read.R": """read_parquet <- function(file) {
  types <- scan(paste0(file, ".types"), "", sep = "\\n", quiet = TRUE)
  found <- read.csv(paste0(file, ".csv"), colClasses = types, check.names = FALSE, encoding = "UTF-8",
                    na.strings = "<null>")
  structure(found, class = c("tbl_df", "tbl", "data.frame"))
}
""",
}
"""A stand-in for the package arrow, which Debian does not have: it returns what arrow does, a tibble with a factor for
each column of categories and an integer for each column of numbers, from what the test has read with pyarrow."""


def write_parquet(records: UsedRows, folder: Path) -> None:
    """With what the stand-in for arrow reads, and the stand-in, installed as a package is."""
    path = folder / "records.parquet"
    path.write_bytes(b"".join(as_parquet.write_parquet(records, "en")))
    table = parquet.read_table(path)
    types = ["factor" if pa.types.is_dictionary(column.type) else "integer" for column in table.columns]
    Path(f"{path}.types").write_text("\n".join(types))
    rows = [table.column_names, *zip(*(column.to_pylist() for column in table.columns), strict=True)]
    lines = (
        ",".join("<null>" if cell is None else json.dumps(cell, ensure_ascii=False) for cell in row)
        for row in rows
    )
    Path(f"{path}.csv").write_text("\n".join(lines) + "\n")
    for name, text in ARROW.items():
        file = folder / "arrow" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    (folder / "library").mkdir()
    install = ["R", "CMD", "INSTALL", "--no-docs", "--library=library", "arrow"]
    subprocess.run(install, cwd=folder, check=True, capture_output=True)


WRITE: dict[str, Callable[[UsedRows, Path], None]] = {
    "csv": write,
    "sav": lambda records, folder: as_spss_and_stata.write_sav(records, folder / "records.sav", "en"),
    "dta": lambda records, folder: as_spss_and_stata.write_dta(records, folder / "records.dta", "en"),
    "parquet": write_parquet,
}


@pytest.mark.night
@pytest.mark.parametrize(
    ("survey", "languages"),
    [("arms-everything", [PYTHON]), ("open-everything", LANGUAGES)],
    ids=["python", "both"],
)
def test_every_file_format_gives_the_same_tables(
    survey: str, languages: Sequence[ScriptLanguage], tmp_path: Path
) -> None:
    """Where open records lack their plain answers, in both languages."""
    of = SURVEYS[survey]
    records, tables = records_of(of, 2_000), {}
    for kind, write_file in WRITE.items():
        write_file(records, tmp_path)
        for language in languages:
            library = {"R_LIBS": str(tmp_path / "library")}
            tables[language.file, kind] = run(language, of, tmp_path, kind, "", None, **library)
    for language in languages:
        of_csv = tables[language.file, "csv"]
        assert {"shares", "groups", "numbers", "means", "distributions", "places"} <= set(of_csv)
        for kind in ("sav", "dta", "parquet"):
            assert tables[language.file, kind] == of_csv, (language.file, kind)


@pytest.mark.night
@pytest.mark.parametrize("kind", ["csv", "sav"])
def test_computer_without_chinese_locale_computes_the_same(kind: str, tmp_path: Path) -> None:
    of = SURVEYS["open"]
    WRITE[kind](records_of(of, 1_000), tmp_path)
    plainly, whole = (run(R, of, tmp_path, kind, LC_ALL=locale) for locale in ("C", "C.UTF-8"))
    assert [row["support"] for row in plainly["shares"]] == [row["support"] for row in whole["shares"]]


@pytest.mark.night
@pytest.mark.django_db
def test_scripts_match_the_published_demo_report(reviewer: Person, tmp_path: Path) -> None:
    owner = Person.objects.create(username="researcher")
    survey = demo_content.open_demo_survey(owner, demo_content.demo_questionnaire_draft(NOW.date()), NOW)
    assert survey.design
    of = survey.design.content
    simulate(survey, 3_000, seed=1, population=employee_population(of))
    survey.refresh_from_db()
    state_changes.close_survey(survey, owner, NOW)
    state_changes.finish_survey(survey, owner, NOW)
    counted = run_start.start_mining_run(survey, owner, demo_content.PARAMETERS, NOW)
    attempt(counted)
    counted.refresh_from_db()
    job = regression_job.start_model_job(counted, owner, demo_content.MODEL, NOW)
    attempt(job)
    report_state_changes.create_reviews_of_finished_runs(NOW)
    review = Review.objects.get(run=counted)
    publication = report_state_changes.publish(review, reviewer, demo_content.CLASSES, "https://x", NOW)
    report = report_from_json({**publication.content, "rules": publication.rules})
    fitted = node_from_json(ModelResult, ModelJob.objects.get(pk=job.pk).model.numbers)
    expected = [*expected_of_report(report, of), *expected_model(fitted)]
    of_table = Counter(name for name, _key, numbers in expected if {*numbers.values()} != {None})
    assert of_table["shares"] > 24
    assert {"groups", "numbers", "means", "places", "arms", "completion", "model"} <= set(of_table)

    write(shuffle_used_records(survey), tmp_path)
    for language in LANGUAGES:
        call = model(language, ["age", "sector"], "supplies=yes")
        tables = run(language, of, tmp_path, more=call, plan=load_frozen_plan(survey))
        assert wrong_numbers(tables, expected, published=True) == []


@pytest.mark.django_db
def test_scripts_hold_the_plan_only_for_people_who_may_see_it(owner: Person) -> None:
    survey = sealed.study_survey(owner, sealed.study(plan=sealed.PLAN), [200])
    editor = Person.objects.create(username="editor")
    Collaborator.objects.create(survey=survey, person=editor)
    level = {
        owner: f"plan_critical_z = {plan_critical_z(len(sealed.HYPOTHESES))!r}",
        editor: "plan_critical_z = 1.96 ",
    }
    knows = "What the plan names has its interval"
    for person, line in level.items():
        archive = ZipFile(BytesIO(b"".join(hand_over_file(survey, person, "csv", "en", NOW))))
        script = archive.read("analysis.py").decode()
        assert line in script
        assert ("planned=['theft=yes']" in script) == (knows in script) == (person == owner)
        assert ("This file does not know the plan" in script) == (person == editor)
