"""Recomputes what this deposit publishes, with Python 3.10 and numpy; nothing is fetched.

    python3 check.py        from records.csv by analysis.py, where the records are here
    python3 check.py --r    the same by analysis.R

The end says which numbers of report.json were recomputed, and which cannot be. Exit status: 0 where all that was
recomputed is equal, else 1.
"""

import contextlib
import csv
import hashlib
import io
import json
import os
import re
import runpy
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from math import erfc, exp, isclose, isfinite, lgamma, log, log1p, pi, sqrt
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np

Path_ = tuple[str | int, ...]
"""Of a number in report.json: names of members, and places in lists."""
Computed = Iterator[tuple[Path_, float | None]]
Json = Any
Table = list[dict[str, str]]

CLOSE = 1e-6
Z95 = 1.96
SHARE = (
    *("n_asked", "n_open", "observed", "support", "se", "low", "high", "pooled", "expected_w"),
    *("shown", "share_shown", "low_shown", "high_shown", "forged_low", "forged_high"),
)
CELL = ("n_asked", "shown", "share", "low", "high", "share_shown", "low_shown", "high_shown")
ARM = (
    *("direct", "disguised", "difference", "low", "high", "p", "holm", "smallest_more", "smallest_fewer"),
    *("n_direct", "direct_low", "direct_high", "n_disguised", "disguised_low", "disguised_high"),
)
TERMS = {"df": "term_df", "p": "term_p", "n": "n"}
SIDES = ("antecedent", "consequent")
ENDS = ("lift", "confidence", "converse", *SIDES, "support")
"""The order of the intervals in `heads` of a rule, behind its association."""
MOST = 512
WHY = {
    re.compile(r"(?:\b|_)about(?:\b|_)|\bnumbers\b.*n_open$"): "says what was counted, and how",
    re.compile(r"(?:\b|_)truth(?:\b|_)"): "what simulated respondents truly answered is in no file",
    re.compile(r"(?:\b|_)illustration(?:\b|_)"): "an illustration by expectation maximisation",
    re.compile(r"\bpairs\b|\.q$"): "follows from a list that is not published whole",
    re.compile(r"\bitemsets\b.*(listed|heads)"): "needs the size of a family that is not published",
    re.compile(r"\bcoherent\b"): "fits all itemsets together, and not all are published",
    re.compile(
        r"\bcompared\b|\barms\b"
    ): "needs plain answers or places of undisguised records, which are in no file",
    re.compile(r"\bgroups\b.*\.(p|low|high)$"): "is over classes of which one is not published",
    re.compile(r"\bweighted\b"): "the margins are not published",
    re.compile(
        r"(?:\b|_)(at_least|below|number|run|known|min_.*|max_size|width)(?:\b|_)"
    ): "says what the numbers are about",
    re.compile(r"(?:\b|_)(left_out|patterns)(?:\b|_)"): "counts what is not published",
    re.compile(r"\bhypotheses\b"): "a test that this program does not make",
    re.compile(r"\bmodel$"): "says what the numbers are about",
}
ELSE = "needs what is not published"


# --- files


def wrong_files(folder: Path) -> Iterator[str]:
    """Each file whose SHA-256 is another one."""
    for line in (folder / "SHA256SUMS").read_text(encoding="utf-8").splitlines():
        digest, name = line.split("  ", 1)
        file = folder / name
        if not file.is_file():
            yield f"{name} is missing"
        elif hashlib.sha256(file.read_bytes()).hexdigest() != digest:
            yield f"{name} has another SHA-256"


def wrong_hashes(folder: Path, report: Json, design: Json) -> Iterator[str]:
    fingerprint = hashlib.sha256((folder / "design.json").read_bytes()).hexdigest()
    if fingerprint != report["fingerprint"] or fingerprint != report["report"]["about"]["fingerprint"]:
        yield "design.json does not have the fingerprint of the report"
    if report["design"] != design:
        yield "design.json is not the design of report.json"
    plan = folder / "plan.json"
    if plan.is_file() and hashlib.sha256(plan.read_bytes()).hexdigest() != design.get("plan"):
        yield "plan.json does not have the SHA-256 that the design holds"


def wrong_releases(folder: Path) -> Iterator[str]:
    """Sizes of classes in the anonymised tables, against their own reports."""
    for path in sorted(folder.glob("releases/*/report.json")):
        said = json.loads(path.read_text(encoding="utf-8"))
        with (path.parent / "release.csv").open(encoding="utf-8", newline="") as file:
            _header, *rows = csv.reader(file)
        columns = len(said["specification"]["quasi_identifiers"])
        sizes = Counter(tuple(row[:columns]) for row in rows)
        counted = {
            "published": len(rows),
            "classes": len(sizes),
            "discernibility": sum(size**2 for size in sizes.values()),
        }
        told = {**said, "discernibility": said["losses"]["discernibility"]}
        for name, number in counted.items():
            if told[name] != number:
                yield f"{path.parent.name}: {name} is {number}, not {told[name]}"
        if min(sizes.values()) < said["specification"]["k"]:
            yield f"{path.parent.name}: a class has {min(sizes.values())} records"


# --- numbers that follow from other published numbers


def laws(design: Json) -> dict[str, tuple[float, float]]:
    """By answer keep p and the noise q of an answer; of one that is not disguised 1 and 0."""
    known = {}
    for section in design["sections"]:
        for question in section["questions"]:
            choices = [choice["name"] for choice in question.get("choices", [])]
            if section["kind"] == "plain" and "of" not in question:
                known.update({f"{question['name']}={choice}": (1.0, 0.0) for choice in choices})
            if section["kind"] == "unrelated-question":
                noise = map(float, question["noise"])
                keep = float(section["keep"])
                known.update(
                    {
                        f"{question['name']}={choice}": (keep, q)
                        for choice, q in zip(choices, noise, strict=True)
                    }
                )
    return known


def followed(report: Json, design: Json) -> Computed:
    about = report["report"]["about"]
    yield ("report", "about", "records"), about["n_open"] + about["disguised"]
    yield from of_received(report["report"]["shares"], laws(design))
    for at, table in enumerate(report["report"]["groups"]):
        for row, answer in enumerate(table["rows"]):
            yield from of_cells(("report", "groups", at, "rows", row), answer)
    for at, rule in enumerate(report["report"]["rules"]):
        of_rule: Path_ = ("report", "rules", at)
        # The support is among all who were asked, the rest among those to whom both sides apply.
        applies = ratio(rule["n_asked"], rule["n_shown_all"])
        both = None if applies is None or rule["support"] is None else rule["support"] * applies
        yield (*of_rule, "confidence"), ratio(both, rule["antecedent_support"])
        yield (*of_rule, "converse"), ratio(both, rule["consequent_support"])
        yield (*of_rule, "lift"), ratio(rule["confidence"], rule["consequent_support"])
    for at, number in enumerate(report["report"].get("numbers", [])):
        for where, estimates in estimates_of(number):
            yield from of_classes(("report", "numbers", at, *where), estimates)
    if arms := report["report"].get("study", {}).get("arms"):
        yield from of_arms(("report", "study", "arms"), arms, float(design["direct"]))
    if plan := report["report"].get("study", {}).get("plan"):
        ps = [1.0 if one["p"] is None else one["p"] for one in plan.get("hypotheses", [])]
        for at, adjusted in enumerate(holm(ps)):
            yield ("report", "study", "plan", "hypotheses", at, "holm"), adjusted
    for at, fitted in enumerate(report.get("models", [])):
        for place, one in enumerate(fitted["coefficients"]):
            path: Path_ = ("models", at, "coefficients", place)
            yield (*path, "low"), one["b"] - Z95 * one["se"]
            yield (*path, "high"), one["b"] + Z95 * one["se"]
            if not fitted["logit"]:
                yield (*path, "p"), erfc(abs(one["b"] / one["se"]) / sqrt(2))


def of_received(shares: Json, known: Mapping[str, tuple[float, float]]) -> Computed:
    """Of answers that everybody sent by one law: from the share received, those the question appeared to, p and q."""
    for at, share in enumerate(shares):
        path = ("report", "shares", at)
        if share["support"] is not None and share["share_shown"] is not None:
            yield (*path, "share_shown"), share["support"] * share["n_asked"] / share["shown"]
        law = known.get(share["items"][0])
        if law is None or share["observed"] is None or share["n_open"]:
            continue
        (p, q), n, shown = law, share["n_asked"], share["shown"]
        received = share["observed"] * n
        yes, no = (1 - (1 - p) * q) / p, -(1 - p) * q / p
        support = (received * yes + (shown - received) * no) / n
        square = (received * yes**2 + (shown - received) * no**2) / n
        yield (*path, "support"), support
        yield (*path, "pooled"), support
        yield (*path, "se"), sqrt(max(square - support**2, 0) / n)


def of_cells(path: Path_, row: Json) -> Computed:
    told = [cell for cell in row["cells"] if cell["share"] is not None]
    n = sum(cell["n_asked"] for cell in told)
    if n:
        yield (*path, "together"), sum(cell["n_asked"] * cell["share"] for cell in told) / n
        yield (*path, "n_asked"), n
    for place, cell in enumerate(row["cells"]):
        if cell["share"] is not None and cell["shown"]:
            yield (*path, "cells", place, "share_shown"), cell["share"] * cell["n_asked"] / cell["shown"]


def estimates_of(number: Json) -> Iterator[tuple[Path_, Json]]:
    """Of everybody, then of each class of a plain question."""
    yield ("all_records",), number["all_records"]
    for at, group in enumerate(number["groups"]):
        for place, estimates in enumerate(group["classes"]):
            yield ("groups", at, "classes", place), estimates


def of_classes(path: Path_, estimates: Json) -> Computed:
    """The shares above each limit are sums of the classes above it."""
    classes = [one["share"] for one in estimates["classes"]]
    if None in classes:
        return
    for at, share in enumerate(estimates["shares"]):
        above = [
            one["share"]
            for one in estimates["classes"]
            if one["at_least"] is not None and one["at_least"] >= share["at_least"]
        ]
        yield (*path, "shares", at, "share"), sum(above)


def of_arms(path: Path_, arms: Json, d: float) -> Computed:
    n0, n1 = arms["direct"], arms["disguised"]
    completion, half = n0 * (1 - d) / (n1 * d), Z95 * sqrt(1 / n0 + 1 / n1)
    z = (n0 - (n0 + n1) * d) / sqrt((n0 + n1) * d * (1 - d))
    yield (*path, "share"), d
    yield (*path, "completion", "completion"), completion
    yield (*path, "completion", "low"), completion * exp(-half)
    yield (*path, "completion", "high"), completion * exp(half)
    yield (*path, "completion", "p"), erfc(abs(z) / sqrt(2))
    for kind in ("items", "controls"):
        for at, item in enumerate(arms[kind]):
            if None not in (item["disguised"], item["direct"]):
                yield (*path, kind, at, "difference"), item["disguised"] - item["direct"]
    ps = [item["p"] for item in arms["items"]]
    if None not in ps:
        for at, adjusted in enumerate(holm(ps)):
            yield (*path, "items", at, "holm"), adjusted


def ratio(above: float | None, below: float | None) -> float | None:
    return above / below if above is not None and below else None


def holm(ps: list[float]) -> list[float]:
    order = np.argsort(ps, kind="stable")
    steps = np.array(ps)[order] * (len(ps) - np.arange(len(ps)))
    adjusted = np.empty(len(ps))
    adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1)
    listed: list[float] = adjusted.tolist()
    return listed


# --- numbers that follow from the records


def tables_of(folder: Path, *, by_r: bool) -> tuple[dict[str, Table], dict[str, Any]]:
    """What the script writes, and its names; of R no names."""
    script: dict[str, Any] = {}
    if by_r:
        subprocess.run(
            ["Rscript", "--vanilla", "analysis.R"], cwd=folder, check=True, stdout=subprocess.DEVNULL
        )
    else:
        with in_folder(folder), contextlib.redirect_stdout(io.StringIO()):
            script = runpy.run_path("analysis.py")
    tables = {}
    for path in sorted(folder.glob("analysis-*.csv")):
        with path.open(encoding="utf-8", newline="") as file:
            tables[path.stem.removeprefix("analysis-")] = list(csv.DictReader(file))
        path.unlink()
    return tables, script


def estimated(report: Json, design: Json, tables: Mapping[str, Table]) -> Computed:
    content = report["report"]
    for at, share in enumerate(content["shares"]):
        row = one_of(tables.get("shares", []), item=share["items"][0])
        yield from cells(("report", "shares", at), row, *SHARE)
    for at, test in enumerate(content["compared"]):
        row = one_of(tables.get("compared", []), item=test["item"])
        yield from cells(("report", "compared", at), row, "opened", "disguised", "more", "fewer")
    for at, table in enumerate(content["groups"]):
        for place, answer in enumerate(table["rows"]):
            path: Path_ = ("report", "groups", at, "rows", place)
            for number, name in enumerate(table["classes"]):
                key = {"question": table["question"], "item": answer["item"], "class": name}
                row = one_of(tables.get("groups", []), **key)
                yield from cells((*path, "cells", number), row, *CELL)
                # What is withheld of a class changes what is said of all.
                if all(one["share"] is not None for one in answer["cells"]):
                    yield from cells(path, row, "together")
                    yield (*path, "low"), cell(row, "low_together")
                    yield (*path, "high"), cell(row, "high_together")
            if all(one["share"] is not None for every in table["rows"] for one in every["cells"]):
                yield from cells(path, row, "p")
    for at, number in enumerate(content.get("numbers", [])):
        names = ["", *class_names(number, design)]
        for name, (where, estimates) in zip(names, estimates_of(number), strict=True):
            path = ("report", "numbers", at, *where)
            yield from of_number(path, tables, {"question": number["question"], "class": name}, estimates)
    for at, place in enumerate(content.get("places", [])):
        yield from of_place(("report", "places", at), tables.get("places", []), place, design)
    if arms := content.get("study", {}).get("arms"):
        path = ("report", "study", "arms")
        yield from cells(path, tables["completion"][0], "direct", "disguised")
        yield from cells((*path, "completion"), tables["completion"][0], "completion", "low", "high", "p")
        for at, item in enumerate(arms["items"]):
            row = one_of(tables.get("arms", []), item=item["item"])
            yield from cells((*path, "items", at), row, *ARM)
            for end, name in enumerate(("bound_low", "bound_high")):
                yield (*path, "items", at, "bounds", end), cell(row, name)


def of_number(path: Path_, tables: Mapping[str, Table], key: Mapping[str, str], estimates: Json) -> Computed:
    for kind in ("shares", "classes"):
        for at, share in enumerate(estimates[kind]):
            ends = {end: "" if share[end] is None else str(share[end]) for end in ("at_least", "below")}
            row = one_of(tables["numbers"], **key, **ends)
            yield from cells((*path, kind, at), row, "n_asked", "share", "se", "low", "high")
    for at, stated in enumerate(estimates["quantiles"]):
        row = one_of(tables.get("quantiles", []), **key, q=f"{stated['q']:g}")
        yield from cells((*path, "quantiles", at), row, "q", "at_least", "below")
    if estimates["mean"]:
        row = one_of(tables["means"], **key)
        yield from cells(path, row, "n_asked")
        yield from cells((*path, "mean"), row, "value", "se", "low", "high")
    if curve := estimates["distribution"]:
        rows = rows_of(tables["distributions"], **key)
        for at, row in enumerate(rows):
            yield from cells(path, row, "n_asked")
            yield from cells((*path, "distribution"), row, "modes")
            for name in ("blurred", "low", "high", "received"):
                if curve[name]:
                    yield (*path, "distribution", name, at), cell(row, name)


def of_place(path: Path_, table: Table, place: Json, design: Json) -> Computed:
    (asked,) = (
        question
        for section in design["sections"]
        for question in section["questions"]
        if question["name"] == place["question"]
    )
    inside = {name for region in asked["regions"] for name in region["cells"]}
    rows, outside = rows_of(table, question=place["question"]), 0
    for at, row in enumerate(rows):
        yield from cells(path, row, "n_asked")
        yield (*path, "received", at), cell(row, "received")
        if row["cell"] not in inside:
            yield from cells((*path, "outside", outside), row, "share", "low", "high")
            outside += 1


def class_names(number: Json, design: Json) -> Iterator[str]:
    choices = {
        question["name"]: [choice["name"] for choice in question.get("choices", [])]
        for section in design["sections"]
        for question in section["questions"]
    }
    for group in number["groups"]:
        for choice, _class in zip(choices[group["question"]], group["classes"], strict=True):
            yield f"{group['question']}={choice}"


def fitted(report: Json, model: Callable[..., Table]) -> Computed:
    """The models of the disguised records."""
    for at, said in enumerate(report.get("models", [])):
        if any("arm" in (one["of"], *one["of"].split("*")) for one in said["coefficients"]):
            continue
        rows = model(
            said["item"], said["on"], said["numbers"], said["products"], said["among"], logit=said["logit"]
        )
        named = {row["of"]: row for row in rows}
        yield ("models", at, "n"), float(rows[0]["n"])
        for place, one in enumerate(said["coefficients"]):
            path: Path_ = ("models", at, "coefficients", place)
            for name in ("n", "b", "se", "low", "high", "p"):
                yield (*path, name), float(named[one["of"]][name])
        for place, term in enumerate(said["terms"]):
            row = next(row for row in rows if row["term"] == term["of"])
            for name, column in TERMS.items():
                yield ("models", at, "terms", place, name), float(row[column])
        if said["fit"] and rows[0]["fit_df"]:
            yield ("models", at, "fit", "df"), float(rows[0]["fit_df"])
            yield ("models", at, "fit", "p"), float(rows[0]["fit_p"])


class Records:
    """The records by answer, and the tables of answers together that itemsets, rules and pairs are made of."""

    def __init__(self, script: Mapping[str, Any], design: Json) -> None:
        self.script, self.disguised, self.used = script, script["disguised"], script["used"]
        self.answers: dict[str, tuple[Json, int, Any]] = {}
        for question in script["answered"]:
            coded = script["coded"](question)
            for index, item in enumerate(question["items"]):
                self.answers[f"{question['name']}={item}"] = (question, index, coded)
        self.sections = {
            question["name"]: at
            for at, section in enumerate(design["sections"])
            for question in section["questions"]
        }

    def asked(self, items: list[str], *, disguised_only: bool) -> Any:
        """The records that were asked all, of those that such an estimate is of."""
        asked = [self.answers[item][2][0] >= 0 for item in items]
        return np.logical_and.reduce([self.disguised if disguised_only else self.used, *asked])

    def shown(self, items: list[str]) -> Any:
        """Of those who were asked all."""
        codes = [self.answers[item][2][:2] for item in items]
        return np.logical_and.reduce([shows[code] for code, shows in codes])

    def has(self, item: str, rows: Any) -> Any:
        """By group and record whether the answer was received, or its score."""
        question, index, coded = self.answers[item]
        return self.script["scores_of"](question, coded, index)[:, coded[0][rows]]

    def parts(self, items: list[str], rows: Any, side: int = 0) -> Iterator[Json]:
        """What these answers are in each section, as `part` of analysis.py."""
        by_section: dict[Any, list[str]] = {}
        for item in items:
            question, index, _coded = self.answers[item]
            scored = self.script["is_scored"](question)
            at = self.sections[question["name"]] if question["sensitive"] else -1
            by_section.setdefault((at, question["name"]) if scored else (at, ""), []).append(item)
        for (section, scored), members in by_section.items():
            question, index, coded = self.answers[members[0]]
            law: Json = {"side": side}
            if scored:
                of_question = np.bincount(coded[0][rows & self.disguised], minlength=len(coded[1]))
                law["moments"] = self.script["score_moments"](question, of_question, coded[3])[index]
                law["touched"] = coded[4][coded[0][rows], index] * np.ones((2, 1))
            elif section >= 0:
                noise = [self.answers[item][0]["noise"][self.answers[item][1]] for item in members]
                law |= {"keep": question["keep"], "noise": np.prod(noise)}
            has = np.prod([self.has(item, rows) for item in members], axis=0)
            yield self.script["part"](has, len(self.sections) + index if scored else section, **law)

    def table(self, sides: list[list[str]], rows: Any, *, applies: Any = None) -> Any:
        """Of those in these rows; `applies`: whether all questions apply, a part of its own or of the plain answers."""
        parts = [part for side, items in enumerate(sides) for part in self.parts(items, rows, side)]
        if applies is not None:
            both = np.array([applies[rows]] * 2, float)
            plain = [part for part in parts if part["section"] == -1] or [self.script["part"](both)]
            parts = [
                plain[0] | {"has": plain[0]["has"] * both},
                *(part for part in parts if part["section"] >= 0),
            ]
        parts.sort(key=lambda part: (part["section"], part["side"]))
        return self.script["Table"](np.array([~self.disguised[rows], self.disguised[rows]], float), parts)

    def together(self, items: list[str], *, disguised_only: bool) -> tuple[Any, Any, Any]:
        """Those who were asked all, those of them to whom all applies, and the table of all answers together."""
        rows = self.asked(items, disguised_only=disguised_only)
        shown = rows.copy()
        shown[rows] = self.shown(items)[rows]
        questions = [self.answers[item][0] for item in items]
        applies = any(question["hidden"] or not question["sensitive"] for question in questions)
        return rows, shown, self.table([items], rows, applies=shown if applies else None)


class Intervals:
    """Tests of which the ends are searched at once, each with its level and the paths of both ends."""

    def __init__(self, script: Mapping[str, Any]) -> None:
        self.script, self.shares, self.lifts = script, list[Any](), list[Any]()

    def add(self, test: Json, level: float, low: Path_, high: Path_, lacking: float | None = None) -> None:
        if lacking is None:
            self.shares.append((test, level, low, high))
        else:
            self.lifts.append((test, level, low, high, lacking))

    def computed(self) -> Computed:
        for added, search in ((self.shares, "share_intervals"), (self.lifts, "lift_intervals")):
            if added:
                tests, levels, lows, highs, *lacking = zip(*added, strict=True)
                ends = self.script[search](list(tests), *lacking, level=np.array(levels))
                for paths, values in zip((lows, highs), ends, strict=True):
                    yield from (
                        (path, float(end) if isfinite(end) else None)
                        for path, end in zip(paths, values, strict=True)
                    )


def level(k: int, family: int) -> float:
    """z0 of the intervals in the first k rows of a list that was chosen from so many."""
    return max(Z95, NormalDist().inv_cdf(1 - 0.025 * min(k / max(family, 1), 1)))


def heads_of(place: int) -> list[int]:
    """1, 2, 4 and so on, up to the place in the list; the last is its own."""
    return [2**power for power in range(min(place, MOST).bit_length())]


def of_itemsets(report: Json, records: Records, intervals: Intervals) -> Computed:
    content, about = report["report"], report["report"]["about"]
    # With at most two answers the families of rules and of itemsets are told apart.
    family = n_singles(records, about) + about["family"] if about["max_size"] == 2 else 0
    for at, itemset in enumerate(content["itemsets"]):
        path: Path_ = ("report", "itemsets", at)
        items = itemset["items"]
        rows, shown, table = records.together(items, disguised_only=itemset["disguised_only"])
        sensitive = [item for item in items if records.answers[item][0]["sensitive"]]
        n, support, se = int(rows.sum()), table.supports()[0], table.se()
        scored = bool(table.scored)
        received = (
            np.prod([records.has(item, rows).max(axis=0) for item in items], axis=0) if not scored else None
        )
        people = (records.disguised if len(sensitive) < len(items) else records.used).sum()
        spread = max(se**2 - support * (1 - support) / max(people, 1), 0)
        yield (*path, "n_asked"), n
        yield (*path, "n_open"), int((rows & ~records.disguised).sum())
        yield (*path, "shown"), int(shown.sum())
        yield (*path, "observed"), None if received is None else float(received.sum() / n)
        yield (*path, "support"), support
        yield (*path, "se"), se
        yield (*path, "expected_w"), sqrt(2 / pi * spread)
        yield (*path, "share_shown"), support * n / shown.sum() if shown.any() else None
        if scored or not table.n[0]:
            yield (*path, "pooled"), support
        elif shown.any():
            yield (*path, "pooled"), inverted(records.table([items], shown)) * float(shown.sum() / n)
        if not sensitive:
            having, counted = table.counts[-1].sum(), records.script["counted_interval"]
            for name, z0 in levels_of(path, at, itemset, family):
                yield from zip((name("low"), name("high")), counted(having, n, z0), strict=True)
            continue
        test = table.test("support")
        for name, z0 in levels_of(path, at, itemset, family):
            intervals.add(test, z0, name("low"), name("high"))
        if itemset["low_shown"] is not None:
            plain = shown if len(sensitive) < len(items) else None
            among = records.table([items], shown, applies=plain).test("support")
            intervals.add(among, Z95, (*path, "low_shown"), (*path, "high_shown"))


Named = Callable[[str], Path_]


def levels_of(path: Path_, at: int, itemset: Json, family: int) -> Iterator[tuple[Named, float]]:
    """Chosen before the survey, then at its place in the list, then in shorter ones."""
    yield lambda end: (*path, end), Z95
    if family:
        *shorter, own = heads_of(at + 1)
        yield lambda end: (*path, f"{end}_listed"), level(own, family)
        for power, k in enumerate(shorter):
            yield lambda end, power=power: (*path, "heads", power, int(end == "high")), level(k, family)  # type: ignore[misc]


def n_singles(records: Records, about: Json) -> int:
    """The answers that the search began with."""
    absent = ("prefer-not-to-say", "no")
    return sum(
        about["absences"]
        or (listed and not (item == absent[0] or (item == absent[1] and "yes" in question["items"])))
        for question in records.script["answered"]
        for item, listed in zip(question["items"], question["listed"], strict=True)
    )


def inverted(table: Any) -> float:
    """The support by the inversion that takes both groups for alike, among those to whom all applies."""
    cells, parts, k = range(len(table.counts)), table.parts, table.n[0] / table.records
    supports = [
        sum(table.counts[cell].sum() for cell in cells if cell & whole == whole) / table.records
        for whole in cells
    ]

    def keep(bits: int) -> float:
        return float(np.prod([part["keep"] for i, part in enumerate(parts) if bits >> i & 1]))

    def chance(bits: int) -> float:
        return float(
            np.prod([(1 - part["keep"]) * part["noise"] for i, part in enumerate(parts) if bits >> i & 1])
        )

    for whole in cells[1:]:
        below = sum(
            keep(part) * chance(whole & ~part) * supports[part]
            for part in range(whole)
            if part & whole == part
        )
        supports[whole] = (supports[whole] - (1 - k) * below) / (k + (1 - k) * keep(whole))
    return float(supports[-1])


def of_rules(report: Json, records: Records, intervals: Intervals) -> Computed:
    """Rules and pairs. Those that join plain and sensitive answers are of the disguised records alone."""
    content, about = report["report"], report["report"]["about"]
    for kind in ("rules", "pairs"):
        for at, rule in enumerate(content[kind]):
            path: Path_ = ("report", kind, at)
            sides = [rule[side] for side in SIDES] if kind == "rules" else [[item] for item in rule["items"]]
            both = [item for side in sides for item in side]
            asked = records.asked(both, disguised_only=rule["disguised_only"])
            rows = asked.copy()
            rows[asked] = records.shown(both)[asked]
            table = records.table(sides, rows)
            p_s, p_a, p_c = table.supports()
            yield (*path, "n_asked"), int(asked.sum())
            yield (*path, "n_shown_all"), int(rows.sum())
            yield (*path, "antecedent_support"), p_a
            yield (*path, "consequent_support"), p_c
            yield (*path, "lift"), p_s / (p_a * p_c) if p_a and p_c else None
            if kind == "rules":
                yield (*path, "support"), p_s * float(rows.sum() / asked.sum())
                yield from of_rule(
                    path, rule, about["family"], records, intervals, (sides, asked, rows, table)
                )


def of_rule(
    path: Path_, rule: Json, family: int, records: Records, intervals: Intervals, of: Any
) -> Computed:
    (sides, asked, rows, table), script = of, records.script
    both = [item for side in sides for item in side]
    lift = table.test("lift")
    z = float(script["z_of"]([lift])(np.ones(1))[0])
    at = int(path[-1])
    *shorter, own = heads_of(at + 1)
    yield (*path, "p"), erfc(abs(z) / sqrt(2))
    associations = [int(np.sign(z)) if abs(z) > level(k, family) else 0 for k in (*shorter, own)]
    yield (*path, "association"), associations[-1]
    for power, shown in enumerate(associations[:-1]):
        yield (*path, "heads", power, 0), shown
    plain = any(not records.answers[item][0]["sensitive"] for item in both)
    hidden = any(records.answers[item][0]["hidden"] for item in both)
    tests = {
        "lift": lift,
        "confidence": table.test("confidence"),
        "converse": table.test("confidence", converse=True),
        "antecedent": records.table(sides[:1], rows).test("support"),
        "consequent": records.table(sides[1:], rows).test("support"),
        "support": records.table([both], asked, applies=rows if plain or hidden else None).test("support"),
    }
    counted = None
    if all(not records.answers[item][0]["sensitive"] for item in both):
        counted = int(records.table([both], rows).counts[-1].sum())
    lacking = float(lacked(table))
    for number, name in enumerate(ENDS):
        for end_names, z0 in rule_levels(path, number, name, shorter, own, family):
            if name == "support" and counted is not None:
                yield from zip(end_names, script["counted_interval"](counted, asked.sum(), z0), strict=True)
            else:
                intervals.add(tests[name], z0, *end_names, *([lacking] if name == "lift" else []))


def rule_levels(
    path: Path_, number: int, name: str, shorter: list[int], own: int, family: int
) -> Iterator[tuple[tuple[Path_, Path_], float]]:
    yield ((*path, f"{name}_low"), (*path, f"{name}_high")), Z95
    yield ((*path, f"{name}_low_listed"), (*path, f"{name}_high_listed")), level(own, family)
    for power, k in enumerate(shorter):
        first = 1 + 2 * number
        yield ((*path, "heads", power, first), (*path, "heads", power, first + 1)), level(k, family)


def lacked(table: Any) -> float:
    """The received records without the one side or without the other, whichever are fewer."""
    fewer = []
    for side in (0, 1):
        has = np.prod([part["touched"] for part in table.parts if part["side"] == side], axis=0)
        fewer.append((table.w * (1 - has)).sum())
    return float(min(fewer))


def of_controls(report: Json, design: Json, records: Records, intervals: Intervals) -> Computed:
    """A control item that is plain is counted, among the disguised."""
    said = report["report"].get("study", {}).get("controls")
    if not said or said.get("known") is None:
        return
    path, item, known, script = ("report", "study", "controls"), said["item"], said["known"], records.script
    rows = records.asked([item], disguised_only=True)
    rows[rows] = records.shown([item])[rows]
    if not records.answers[item][0]["sensitive"]:
        n, having = int(rows.sum()), int(records.has(item, rows)[1].sum())
        yield (*path, "seen"), having / n
        yield (*path, "careless"), (having / n - known) / (0.5 - known)
        yield from zip(((*path, "low"), (*path, "high")), script["counted_interval"](having, n), strict=True)
        yield (*path, "p"), binomial_p(having, n, known)
    for at, one in enumerate(said["items"]):
        both = records.asked([item, one["item"]], disguised_only=not records.answers[item][0]["sensitive"])
        both[both] = records.shown([item, one["item"]])[both]
        table, of_item = records.table([[item], [one["item"]]], both), (*path, "items", at)
        _joint, control, share = table.supports()
        variance, control_variance, covariance = (
            (table.second(*pair) - product) / table.records
            for pair, product in (("cc", share**2), ("aa", control**2), ("ac", share * control))
        )
        careless, step = (
            (control - known) / (0.5 - known),
            1 / ((0.5 - known) * len(records.answers[one["item"]][0]["items"])),
        )
        above, below = share - step * (control - known), 1 - careless
        yield (*of_item, "n"), int(both.sum())
        yield (*of_item, "share"), share
        yield (*of_item, "corrected"), above / below
        ends = fieller(
            above,
            below,
            variance + step**2 * control_variance - 2 * step * covariance,
            control_variance / (0.5 - known) ** 2,
            (step * control_variance - covariance) / (0.5 - known),
        )
        yield from zip(((*of_item, "corrected_low"), (*of_item, "corrected_high")), ends, strict=True)
        test = records.table([[one["item"]]], both).test("support")
        intervals.add(test, Z95, (*of_item, "low"), (*of_item, "high"))


def fieller(
    above: float, below: float, above_variance: float, below_variance: float, covariance: float
) -> tuple[float | None, float | None]:
    """All t with (above - t below)^2 <= 1.96^2 of its variance."""
    curve = below**2 - Z95**2 * below_variance
    middle = above * below - Z95**2 * covariance
    square = middle**2 - curve * (above**2 - Z95**2 * above_variance)
    if curve <= 0 or square < 0:
        return None, None
    return (middle - sqrt(square)) / curve, (middle + sqrt(square)) / curve


def binomial_p(having: int, n: int, share: float) -> float:
    """The probability of all counts that are no more probable than this one."""
    if share in (0, 1):
        return float(having == n * share)
    logs = [
        lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1) + k * log(share) + (n - k) * log1p(-share)
        for k in range(n + 1)
    ]
    chance = np.exp(logs)
    return min(float(chance[chance <= chance[having] * (1 + 1e-7)].sum()), 1.0)


def of_plan(
    report: Json, records: Records, tables: Mapping[str, Table], model: Callable[..., Table]
) -> Computed:
    """The tests of the plan, made again."""
    plan = report["report"].get("study", {}).get("plan") or {}
    for at, one in enumerate(plan.get("hypotheses", [])):
        estimate: float | None = None
        p: float | None = None
        if one["kind"] == "association":
            sides = [one[side] for side in SIDES]
            both = [item for side in sides for item in side]
            plain = any(not records.answers[item][0]["sensitive"] for item in both)
            rows = records.asked(both, disguised_only=plain)
            rows[rows] = records.shown(both)[rows]
            table = records.table(sides, rows)
            p_s, p_a, p_c = table.supports()
            estimate = p_s / (p_a * p_c)
            p = erfc(abs(float(records.script["z_of"]([table.test("lift")])(np.ones(1))[0])) / sqrt(2))
        elif one["kind"] == "share":
            plain = not records.answers[one["item"]][0]["sensitive"]
            _rows, _shown, table = records.together([one["item"]], disguised_only=plain)
            estimate, than = table.supports()[0], float(one["than"])
            z = float(records.script["z_of"]([table.test("support")])(np.array([than]))[0])
            having, n = round(float(table.counts[-1].sum())), round(float(table.n.sum()))
            p = binomial_p(having, n, than) if plain else erfc(abs(z) / sqrt(2))
        elif one["kind"] == "arms":
            row = one_of(tables.get("arms", []), item=one["item"])
            estimate, p = cell(row, "difference"), cell(row, "p")
        elif one["kind"] == "coefficient" and "arm" not in one["covariates"]:
            on = [name for name in one["covariates"] if "*" not in name]
            products = [name for name in one["covariates"] if "*" in name]
            numbers = [name for name in one["of"].split("*") if name in on]
            fit = model(one["item"], on, numbers, products, [], logit=one["model"] == "logit")
            row = next(row for row in fit if row["of"] == one["of"])
            estimate, p = float(row["b"]), float(row["p"])
        yield ("report", "study", "plan", "hypotheses", at, "estimate"), estimate
        yield ("report", "study", "plan", "hypotheses", at, "p"), p


def rows_of(table: Table, **key: str) -> Table:
    return [row for row in table if all(row[name] == value for name, value in key.items())]


def one_of(table: Table, **key: str) -> dict[str, str]:
    """The row with this key; empty where there is none."""
    return next(iter(rows_of(table, **key)), {})


def cell(row: Mapping[str, str], name: str) -> float | None:
    return float(row[name]) if row.get(name) else None


def cells(path: Path_, row: Mapping[str, str], *names: str) -> Computed:
    for name in names:
        yield (*path, name), cell(row, name)


@contextlib.contextmanager
def in_folder(folder: Path) -> Iterator[None]:
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


# --- what is said of it


def numbers_of(node: Json, path: Path_ = ()) -> Iterator[tuple[Path_, float]]:
    """Every number of a JSON document."""
    if isinstance(node, dict):
        for name, member in node.items():
            yield from numbers_of(member, (*path, name))
    elif isinstance(node, list):
        for at, member in enumerate(node):
            yield from numbers_of(member, (*path, at))
    elif isinstance(node, int | float) and not isinstance(node, bool):
        yield path, node


def spelled(path: Path_) -> str:
    return ".".join(map(str, path))


def pattern(path: Path_) -> str:
    """Without the places in lists."""
    parts = ("[]" if isinstance(one, int) else f".{one}" for one in path)
    return "".join(parts).removeprefix(".").replace("[][]", "[]")


def why(name: str) -> str:
    return next((words for part, words in WHY.items() if part.search(name)), ELSE)


def main(folder: Path, *, by_r: bool) -> int:
    report = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    design = json.loads((folder / "design.json").read_text(encoding="utf-8"))
    wrong = [*wrong_files(folder), *wrong_hashes(folder, report, design), *wrong_releases(folder)]
    published = dict(numbers_of({name: report[name] for name in ("report", "models") if name in report}))
    computed = list(followed(report, design))
    notes = ["records.csv is not in this deposit."]
    if (folder / "records.csv").is_file():
        notes = list(other_records(report, folder))
        if not notes:
            tables, script = tables_of(folder, by_r=by_r)
            computed += estimated(report, design, tables)
            if script:
                computed += fitted(report, script["model"])
                records, intervals = Records(script, design), Intervals(script)
                for part in (of_itemsets, of_rules):
                    computed += part(report, records, intervals)
                computed += of_controls(report, design, records, intervals)
                computed += of_plan(report, records, tables, script["model"])
                computed += intervals.computed()
    equal = set()
    for path, value in computed:
        number = published.get(path)
        if number is None or value is None:
            continue
        if isclose(value, number, rel_tol=CLOSE, abs_tol=CLOSE):
            equal.add(path)
        else:
            wrong.append(f"{spelled(path)} is {value}, not {number}")
    print("\n".join(notes))
    print(f"Recomputed and equal: {len(equal)} of {len(published)} numbers of report.json.")
    for name, n in sorted(Counter(map(pattern, equal)).items()):
        print(f"  {n:6} {name}")
    rest = Counter(pattern(path) for path in published if path not in equal)
    print("Not recomputed:")
    for name, n in sorted(rest.items()):
        print(f"  {n:6} {name}: {why(name)}")
    print("\n".join(["", *(f"WRONG: {each}" for each in wrong)]) if wrong else "\nNothing is wrong.")
    return 1 if wrong else 0


def other_records(report: Json, folder: Path) -> Iterator[str]:
    """A survey that was mined before it ended has more records now."""
    with (folder / "records.csv").open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    group = header.index("group")
    n, about = sum(row[group] == "disguised" for row in rows), report["report"]["about"]
    if n != about["disguised"]:
        yield f"records.csv has {n} disguised records, the report counts {about['disguised']}: they are not compared."
    if about["estimator"] != "stratified":
        yield f"The report has the estimator {about['estimator']}, and the scripts stratified: they are not compared."


if __name__ == "__main__":
    sys.exit(main(Path(__file__).resolve().parent, by_r="--r" in sys.argv[1:]))
