"""Recomputes the numbers of a deposit's report.json, for `check.py`, which imports this file from library.zip, without
Django.

The path of a number: names of members and indexes of lists. Not recomputed are numbers that depend on plain answers of
open records, on population margins or on simulated people's true answers, since a deposit contains none of these.
"""

import csv
import json
from collections import Counter as Tally
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from math import isfinite, nan
from pathlib import Path
from typing import Any

import numpy as np

from mining.counting import MinedRecords, read_record_csv
from mining.counting.number_and_place_counts import CodeCounts
from mining.engines import candor_engine
from mining.findings.compute_findings import compute_findings, count_single_answers, solve_coherent_supports
from mining.findings.remove_withheld_numbers import verdict_from_withheld_content
from mining.findings.result_row_conversion import (
    Columns,
    estimate_from_row,
    item_numbers,
    itemset_columns,
    row_at,
    rule_columns,
    rule_from_row,
    rule_row_at,
)
from mining.inference.intervals import NORMAL_95, two_sided_p
from mining.inference.selection_correction import CHANGES, holm
from mining.itemsets.answer_names import AnswerNames
from mining.json_codec import dump_brief, node_from_json, node_to_json
from mining.kinds.registry import make_nodes
from mining.nodes.report_nodes import Estimate, Rule, Told, compared_rows_digest, number_and_sort_rules
from mining.nodes.rule_lists import LARGER
from mining.nodes.study_nodes import Study
from mining.parameters import Parameters
from mining.reconstruction import CachedCounter
from mining.reconstruction.disguise_probabilities import DisguiseProbabilities
from mining.studies.direct_disguised_arm_comparison import compare_completion_rates
from mining.studies.front_page_statements import Statements
from mining.studies.group_comparisons import add_change_results, remove_withheld_results
from mining.studies.model_fits import fit_records, read_request_allowing_arm
from privacy.designs import Design, InputError, parse_design_file
from privacy.designs.hypothesis_plan import parse_plan_file
from privacy.grammar.json_node import PARTS
from privacy.grammar.json_text import parse_json
from privacy.records.record_file import open_as_plain_csv

Json = Any
NumberPath = tuple[str | int, ...]
Numbers = Iterator[tuple[NumberPath, float]]

IDENTITY = ("items", "item", "antecedent", "consequent", "question", "of", "name")
"""Members whose values identify a row of a list."""
WITH_PLAIN = ("compared", "controls")
"""Lists that may depend on plain answers of open records, which record files withhold."""
PARAMETERS = ("min_support", "min_confidence", "estimator", "exact", "max_size", "absences")
WHY = {
    **dict.fromkeys(
        ("truth", "truth_shown", "truth_converse", "truth_direct", "truth_disguised"),
        "what simulated respondents truly answered is in no file",
    ),
    "weighted": "the margins are in no file",
    **dict.fromkeys(WITH_PLAIN, "needs plain answers of undisguised records, which are in no file"),
    **dict.fromkeys(("left_out", "asked_to_wait", "not_returned"), "counts what is in no file"),
    CHANGES: "counts what the earlier survey asked too, whose design is in no file",
    "waves": "needs the records of the earlier survey, which are in no file",
}
"""Reason why a number is not recomputed, by a member in its path."""


def contradictions_between_files(folder: Path, document: Json) -> Iterator[str]:
    """Yields contradictions between report.json and the deposit's design, plan and anonymised tables."""
    fingerprint = sha256((folder / "design.json").read_bytes()).hexdigest()
    if fingerprint != document["fingerprint"] or fingerprint != document["report"]["about"]["fingerprint"]:
        yield "design.json does not have the fingerprint of the report"
    design = parse_json((folder / "design.json").read_bytes(), "design.json")
    if document["design"] != design:
        yield "design.json is not the design of report.json"
    digest = document.get("check", {}).get("rows")
    if digest and digest != compared_rows_digest(document["report"]):
        yield "report.json does not have the itemsets and rules that were checked (check.rows)"
    plan = folder / "plan.json"
    if plan.is_file() and sha256(plan.read_bytes()).hexdigest() != design.get("plan"):
        yield "plan.json does not have the SHA-256 that the design holds"
    for path in sorted(folder.glob("releases/*/report.json")):
        release = parse_json(path.read_bytes(), str(path))
        with (path.parent / "release.csv").open(encoding="utf-8", newline="") as file:
            _header, *rows = csv.reader(file)
        columns = len(release["specification"]["quasi_identifiers"])
        sizes = Tally(tuple(row[:columns]) for row in rows).values()
        published = {**release, "discernibility": release["losses"]["discernibility"]}
        counts = {
            "published": len(rows),
            "classes": len(sizes),
            "discernibility": sum(n * n for n in sizes),
        }
        for name, count in counts.items():
            if published[name] != count:
                yield f"{path.parent.name}: {name} is {count}, not {published[name]}"
        if min(sizes, default=0) < release["specification"]["k"]:
            yield f"{path.parent.name}: a class has {min(sizes, default=0)} records"


def recompute_numbers(folder: Path, document: Json) -> tuple[list[str], list[tuple[NumberPath, float]]]:
    """Recomputes the numbers of report.json; returns remarks for the reader, and numbers by path."""
    design, content = parse_design_file(folder / "design.json"), document["report"]
    numbers = [*_derive_numbers(document, design.mined)]
    path = folder / "records.csv"
    if not path.is_file():
        return ["records.csv is not in this deposit."], numbers
    with open_as_plain_csv(path) as file:
        records = read_record_csv(design, file, path.name)
    counter = CachedCounter(records.counter(), without_plain=True)
    n, reported = counter.n[1], content["about"]["disguised"]
    if n != reported:
        note = f"records.csv has {n} disguised records, the report counts {reported}: they are not compared."
        return [note], numbers
    recomputed: dict[str, Json] = {"report": _recompute_report(folder, content, design, records, counter)}
    if models := document.get("models"):
        recomputed["models"] = [_recompute_model(records, model) for model in models]
    return [], [*numbers, *matching_numbers_or_nan(document, recomputed)]


def numbers_with_paths(node: Json, path: NumberPath = ()) -> Numbers:
    """Yields every number of a JSON document with its path."""
    members = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for name, member in members:
        yield from numbers_with_paths(member, (*path, name))
    if isinstance(node, int | float) and not isinstance(node, bool):
        yield path, node


def matching_numbers_or_nan(published: Json, recomputed: Json, path: NumberPath = ()) -> Numbers:
    """Yields the recomputed numbers by their paths in the published document; NaN for rows without a match, and for
    numbers that the recomputation does not have."""
    if isinstance(published, dict) and isinstance(recomputed, dict):
        for name in published.keys() & recomputed.keys():
            yield from matching_numbers_or_nan(published[name], recomputed[name], (*path, name))
    elif isinstance(published, list) and isinstance(recomputed, list):
        for index, (row, match) in enumerate(
            zip(published, _matching_rows(published, recomputed), strict=True)
        ):
            if match is None and path[-1] not in WITH_PLAIN:
                yield from (((*path, index, *rest), nan) for rest, _number in numbers_with_paths(row))
            yield from matching_numbers_or_nan(row, match, (*path, index))
    elif isinstance(published, int | float) and isinstance(recomputed, int | float):
        yield path, recomputed
    elif isinstance(published, int | float) and recomputed is None and {*WHY}.isdisjoint(path):
        yield path, nan


def _matching_rows(published: list[Json], recomputed: list[Json]) -> list[Json]:
    """Returns the recomputed row for each published row: by `IDENTITY` if this is unique, else by index."""
    keys, recomputed_keys = (
        [json.dumps([row.get(name) for name in IDENTITY]) if isinstance(row, dict) else "" for row in rows]
        for rows in (published, recomputed)
    )
    if len(set(keys)) == len(keys) and len(set(recomputed_keys)) == len(recomputed_keys):
        by_key = dict(zip(recomputed_keys, recomputed, strict=True))
        return [by_key.get(key) for key in keys]
    return recomputed if len(published) == len(recomputed) else [None] * len(published)


def count_and_reason_lines(paths: Iterable[NumberPath], *, has_records: bool = True) -> Iterator[str]:
    """Yields a line for each kind of number: how many there are, its name, and why such numbers are not recomputed.

    `has_records`: the deposit's records were mined again. The name is the path of the number without indexes.
    """
    otherwise = "says what the numbers are about"
    if not has_records:
        otherwise = f"needs the records, or {otherwise}"
    names = Tally("".join("[]" if isinstance(part, int) else f".{part}" for part in path) for path in paths)
    for name, n in sorted(names.items()):
        members = name.replace("[]", "").split(".")
        why = next((WHY[member] for member in members if member in WHY), otherwise)
        yield f"  {n:6} {name[1:]}: {why}"


# --- from the records


def _recompute_report(
    folder: Path, content: Json, design: Design, records: MinedRecords, counter: CachedCounter
) -> dict[str, Json]:
    """Mines the deposit's records again; returns the report's numbers, as far as its member `told` discloses them."""
    names, about = AnswerNames(design.mined), content["about"]
    verdict = replace(
        verdict_from_withheld_content(node_from_json(Told, content["told"]), names),
        open_questions=frozenset(names.item(test["item"])[0] for test in content["compared"]),
    )
    parameters = Parameters(**{name: about[name] for name in PARAMETERS})
    plan_file = folder / "plan.json"
    is_frozen = plan_file.is_file() and sha256(plan_file.read_bytes()).hexdigest() == design.plan
    plan = parse_plan_file(plan_file) if is_frozen else None
    kind_nodes = make_nodes(CodeCounts.count_records(design, (*records.complete, *records.without_plain)))
    count_single_answers(counter, parameters)
    known = about["statements"]
    statements = Statements(
        counter, plan, verdict, changes=known.get(CHANGES, 0), is_one_list=LARGER not in known
    )
    found = candor_engine.mine_rules(
        counter, parameters, heads=True, verdict=verdict, front=statements.pairs()
    )
    computed = compute_findings(parameters, statements, found, plan, kind_nodes)
    statements_of: Json = computed["statements"]
    prepared: Json = computed["coherent"]
    fitted = {
        frozenset(map(names.name_of_number, items)): support
        for items, support in solve_coherent_supports(prepared, counter.design)
    }
    n_open, disguised = counter.n
    itemsets, rules = itemset_columns(found.frequent.supports), rule_columns(found.rules)
    group_tests: Json = computed["alike"]
    if records.without_plain:
        # The report compares the plain answers of open records too, and Holm's p is over all.
        group_tests = [{**test, "p": None} for test in group_tests]
    return {
        "about": {
            "records": n_open + disguised,
            "n_open": n_open,
            "disguised": disguised,
            "family": computed["family"],
            "statements": {name: m for name, m in statements_of.items() if name != CHANGES},
        },
        "shares": computed["answers"],
        "compared": group_tests,
        "groups": computed["groups"],
        "pairs": computed["pairs"],
        "itemsets": [
            *map(node_to_json, _recomputed_itemsets(names, n_open, itemsets, fitted, content["itemsets"]))
        ],
        "rules": [*map(node_to_json, _recomputed_rules(names, n_open, itemsets, rules, content))],
        **{member: computed[member] for member in kind_nodes},
        "study": node_to_json(_with_published_results(node_from_json(Study, computed), content)),
    }


def _with_published_results(study: Study, content: Json) -> Study:
    """Returns the study with those results of its plan that the report has: a publication may refuse some, and takes
    changes from the report of the earlier survey."""
    if study.plan is None:
        return study
    of_report = content.get("study", {})
    published = of_report.get("plan", {}).get("hypotheses", [])
    withheld = {one["name"] for one in published if one.get("withheld")}
    allowed = [one.name not in withheld for one in study.plan.hypotheses]
    plan = remove_withheld_results(study.plan, allowed)
    waves = node_from_json(Study, {"waves": of_report.get("waves")}).waves
    return replace(study, plan=add_change_results(plan, waves.items) if waves else plan)


def _recomputed_itemsets(
    names: AnswerNames,
    n_open: int,
    itemsets: Columns,
    fitted: Mapping[Any, float | None],
    published: Sequence[Json],
) -> Iterator[Estimate]:
    """Yields the published itemsets that the recomputation found, with intervals at their published rank."""
    rows = {
        frozenset(map(names.name_of_number, item_numbers(items))): row
        for row, items in enumerate(itemsets["items"])
    }
    for rank, itemset in enumerate(published, 1):
        if (row := rows.get(frozenset(itemset["items"]))) is not None:
            coherent = fitted.get(frozenset(itemset["items"]))
            yield estimate_from_row(row_at(itemsets, row), n_open, names, coherent).at_rank(rank)


def _recomputed_rules(
    names: AnswerNames, n_open: int, itemsets: Columns, rules: Columns, content: Json
) -> tuple[Rule, ...]:
    """Returns the published rules that the recomputation found, numbered and with intervals as in lists of these
    alone; a rule and its converse are one row."""
    published: Sequence[Json] = content["rules"]
    sides = zip(rules["antecedent"], rules["consequent"], strict=True)
    rows = {
        frozenset(frozenset(map(names.name_of_number, item_numbers(side))) for side in both): row
        for row, both in enumerate(sides)
    }
    keys = (frozenset((frozenset(rule["antecedent"]), frozenset(rule["consequent"]))) for rule in published)
    accepted = [
        rule_from_row(rule_row_at(itemsets, rules, rows[key]), n_open, names) for key in keys if key in rows
    ]
    return number_and_sort_rules(accepted, content["about"]["statements"])


def _recompute_model(records: MinedRecords, published: Json) -> Json:
    # What has its default is not in the file.
    names = ("numbers", "products", "among", "logit")
    options = {name: published[name] for name in names if name in published}
    try:
        request = read_request_allowing_arm(records.design, published["item"], published["on"], **options)
        return {"item": published["item"], **dump_brief(fit_records(records, request))}
    except InputError:
        # The model needs the plain answers of direct records.
        return {"item": published["item"]}


# --- from other published numbers


def _derive_numbers(document: Json, mined: Design) -> Numbers:
    """Yields numbers that follow from other published numbers, without the records."""
    content = document["report"]
    yield ("report", "about", "records"), content["about"]["n_open"] + content["about"]["disguised"]
    computed = (
        *_derive_share_numbers(content["shares"], mined),
        *_derive_rule_numbers(content["rules"]),
        *_derive_group_numbers(content["groups"]),
        *_derive_shares_above_limits(content.get("numbers", [])),
        *_derive_study_numbers(content.get("study", {}), mined),
    )
    yield from ((("report", *path), number) for path, number in computed if isfinite(number))
    for index, model in enumerate(document.get("models", [])):
        for row, coefficient in enumerate(model["coefficients"]):
            path: NumberPath = ("models", index, "coefficients", row)
            yield (*path, "low"), coefficient["b"] - NORMAL_95 * coefficient["se"]
            yield (*path, "high"), coefficient["b"] + NORMAL_95 * coefficient["se"]
            if not model.get("logit", False):
                yield (*path, "p"), float(two_sided_p(np.array(coefficient["b"] / coefficient["se"])))


def _derive_share_numbers(shares: Json, mined: Design) -> Numbers:
    """Yields numbers that follow from other numbers of each published share (docs/mathematics.md, Estimators).

    These are the share among people to whom the question applies and, if no record is open, support and standard error.
    """
    laws, names = DisguiseProbabilities.from_design(mined), AnswerNames(mined)
    for index, share in enumerate(shares):
        path, item = ("shares", index), names.item(share["items"][0])
        n, shown = share["n_asked"], share["shown"]
        if share["support"] is not None and share["share_shown"] is not None:
            yield (*path, "share_shown"), share["support"] * n / shown
        if share["observed"] is None or share["n_open"] or share["support"] is None:
            continue
        p, q = float(laws.keep[item[0]]), float(laws.noise[names.numbering.number(item)])
        yes, no = (1 - (1 - p) * q) / p, -(1 - p) * q / p
        received = share["observed"] * n
        support = (received * yes + (shown - received) * no) / n
        square = (received * yes**2 + (shown - received) * no**2) / n
        yield (*path, "support"), support
        yield (*path, "pooled"), support
        yield (*path, "se"), float(np.sqrt(max(square - support**2, 0) / n))


def _derive_rule_numbers(rules: Json) -> Numbers:
    """Yields the confidence, the converse and the lift of each published rule, computed from its supports."""
    for index, rule in enumerate(rules):
        if rule["support"] is None or not rule["n_shown_all"]:
            continue
        both = rule["support"] * rule["n_asked"] / rule["n_shown_all"]
        for name, of in (("confidence", "antecedent_support"), ("converse", "consequent_support")):
            if rule[of]:
                yield ("rules", index, name), both / rule[of]
        if rule["consequent_support"] and rule["confidence"] is not None:
            yield ("rules", index, "lift"), rule["confidence"] / rule["consequent_support"]


def _derive_group_numbers(groups: Json) -> Numbers:
    for index, table in enumerate(groups):
        for number, row in enumerate(table["rows"]):
            path: NumberPath = ("groups", index, "rows", number)
            cells = {i: cell for i, cell in enumerate(row["cells"]) if cell["share"] is not None}
            if n := sum(cell["n_asked"] for cell in cells.values()):
                yield (*path, "together"), sum(cell["n_asked"] * cell["share"] for cell in cells.values()) / n
                yield (*path, "n_asked"), n
            for i, cell in cells.items():
                if cell["shown"]:
                    share_shown = cell["share"] * cell["n_asked"] / cell["shown"]
                    yield (*path, "cells", i, "share_shown"), share_shown


def _derive_shares_above_limits(numbers: Json) -> Numbers:
    """Yields the share above each limit of a number as the sum over the classes above it.

    This is for all records, and for each class of a plain question.
    """
    for index, number in enumerate(numbers):
        estimates: list[tuple[NumberPath, Json]] = [(("all_records",), number["all_records"])]
        for i, group in enumerate(number["groups"]):
            estimates += [(("groups", i, "classes", j), part) for j, part in enumerate(group["classes"])]
        for path, estimate in estimates:
            lows, shares = ([row[name] for row in estimate["classes"]] for name in ("at_least", "share"))
            if None in shares:
                continue
            for i, row in enumerate(estimate["shares"]):
                limit = row["at_least"]
                above = [
                    share for low, share in zip(lows, shares, strict=True) if low is not None and low >= limit
                ]
                yield ("numbers", index, *path, "shares", i, "share"), sum(above)


def _derive_study_numbers(study: Json, mined: Design) -> Numbers:
    if arms := study.get("arms"):
        share = mined.direct_parts / PARTS
        dropout = compare_completion_rates(np.array(arms["direct"]), np.array(arms["disguised"]), share)
        yield ("study", "arms", "share"), share
        for name in ("completion", "low", "high", "p"):
            yield ("study", "arms", "completion", name), float(dropout[name])
        for kind in ("items", "controls"):
            for index, item in enumerate(arms[kind]):
                if None not in (item["disguised"], item["direct"]):
                    yield ("study", "arms", kind, index, "difference"), item["disguised"] - item["direct"]
        # A planned difference has Holm's p of the plan.
        hypotheses = (study.get("plan") or {}).get("hypotheses", [])
        planned = {hypothesis["item"] for hypothesis in hypotheses if hypothesis["kind"] == "arms"}
        ps = {index: item["p"] for index, item in enumerate(arms["items"]) if item["item"] not in planned}
        yield from _holm_adjusted(("study", "arms", "items"), ps)
    if waves := study.get("waves"):
        for index, item in enumerate(waves["items"]):
            yield ("study", "waves", "items", index, "difference"), item["later"] - item["earlier"]
        ps = {index: item["p"] for index, item in enumerate(waves["items"]) if item["holm"] is not None}
        yield from _holm_adjusted(("study", "waves", "items"), ps)
    if plan := study.get("plan"):
        ps = {
            index: 1.0 if hypothesis["p"] is None else hypothesis["p"]
            for index, hypothesis in enumerate(plan["hypotheses"])
        }
        yield from _holm_adjusted(("study", "plan", "hypotheses"), ps)


def _holm_adjusted(path: NumberPath, ps: Mapping[int, float | None]) -> Numbers:
    """Yields Holm's adjusted p-values of rows; `ps`: p-value by index of the row."""
    if None not in ps.values():
        for index, adjusted in zip(ps, holm(np.array([*ps.values()], np.float64)).tolist(), strict=True):
            yield (*path, index, "holm"), adjusted
