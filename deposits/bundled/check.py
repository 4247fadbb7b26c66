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
from math import erfc, exp, isclose, sqrt
from pathlib import Path
from typing import Any

import numpy as np

Path_ = tuple[str | int, ...]
"""Of a number in report.json: names of members, and places in lists."""
Computed = Iterator[tuple[Path_, float | None]]
Json = Any
Table = list[dict[str, str]]

CLOSE = 1e-6
Z95 = 1.96
SHARE = ("n_asked", "n_open", "shown", "observed", "support", "se", "share_shown")
ARM = ("direct", "disguised", "difference", "low", "high", "p", "holm")
WHY = {
    re.compile(r"(?:\b|_)about(?:\b|_)"): "says what was counted, and how",
    re.compile(r"(?:\b|_)truth(?:\b|_)"): "what simulated respondents truly answered is in no file",
    re.compile(r"(?:\b|_)forged(?:\b|_)"): "bounds for forged records",
    re.compile(r"(?:\b|_)heads(?:\b|_)"): "intervals by the place in a list",
    re.compile(r"(?:\b|_)listed(?:\b|_)"): "intervals by the place in a list",
    re.compile(r"(?:\b|_)low(?:\b|_)"): "an interval by the score test",
    re.compile(r"(?:\b|_)high(?:\b|_)"): "an interval by the score test",
    re.compile(r"(?:\b|_)illustration(?:\b|_)"): "an illustration by expectation maximisation",
    re.compile(r"(?:\b|_)quantiles(?:\b|_)"): "follows from intervals by the score test",
    re.compile(
        r"(?:\b|_)(at_least|below|number|run|known|min_.*|max_size)(?:\b|_)"
    ): "says what the numbers are about",
    re.compile(
        r"(?:\b|_)(n_.*|n|shown|records|family|rules|last_batch|left_out|direct|disguised)(?:\b|_)"
    ): "a count, or needs the records",
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
        found = {
            "published": len(rows),
            "classes": len(sizes),
            "discernibility": sum(size**2 for size in sizes.values()),
        }
        told = {**said, "discernibility": said["losses"]["discernibility"]}
        for name, number in found.items():
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
    found: list[float] = adjusted.tolist()
    return found


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
        if not share["n_open"]:
            yield ("report", "shares", at, "pooled"), cell(row, "support")
    for at, table in enumerate(content["groups"]):
        for place, answer in enumerate(table["rows"]):
            path: Path_ = ("report", "groups", at, "rows", place)
            for number, name in enumerate(table["classes"]):
                row = one_of(
                    tables.get("groups", []),
                    question=table["question"],
                    item=answer["item"],
                    **{"class": name},
                )
                yield from cells((*path, "cells", number), row, "n_asked", "shown", "share", "share_shown")
                yield from cells(path, row, "together", "p")
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
            yield from cells((*path, "items", at), one_of(tables.get("arms", []), item=item["item"]), *ARM)


def of_number(path: Path_, tables: Mapping[str, Table], key: Mapping[str, str], estimates: Json) -> Computed:
    for kind in ("shares", "classes"):
        for at, share in enumerate(estimates[kind]):
            ends = {end: "" if share[end] is None else str(share[end]) for end in ("at_least", "below")}
            row = one_of(tables["numbers"], **key, **ends)
            yield from cells((*path, kind, at), row, "n_asked", "share", "se")
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
            yield (*path, "outside", outside, "share"), cell(row, "share")
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
        for place, one in enumerate(said["coefficients"]):
            (row,) = (row for row in rows if row["of"] == one["of"])
            path = ("models", at, "coefficients", place)
            yield ("models", at, "n"), float(row["n"])
            for name in ("n", "b", "se", "low", "high", *(() if said["logit"] else ("p",))):
                yield (*path, name), float(row[name])


class Scores:
    """The scores of answers together, whose mean is their share (`formulas` in report.json)."""

    def __init__(self, script: Mapping[str, Any], design: Json) -> None:
        self.disguised, self.used = script["disguised"], script["used"]
        self.answers: dict[str, tuple[Json, int, Any]] = {}
        for question in script["answered"]:
            coded = script["coded"](question)
            for index, item in enumerate(question["items"]):
                self.answers[f"{question['name']}={item}"] = (question, index, coded)
        self.sections = {
            question["name"]: (at, section["kind"])
            for at, section in enumerate(design["sections"])
            for question in section["questions"]
        }

    def known(self, items: list[str]) -> bool:
        """Answers of one section share its draw, which is written down here of `unrelated-question` alone."""
        names = [self.answers[item][0]["name"] if item in self.answers else "" for item in items]
        if not all(name in self.sections for name in names):
            return False
        sections = [self.sections[name] for name in names]
        together = Counter(sections)
        return all(n == 1 or kind in ("plain", "unrelated-question") for (_at, kind), n in together.items())

    def asked(self, items: list[str]) -> Any:
        return np.logical_and.reduce([self.answers[item][2][0] >= 0 for item in items])

    def shown(self, items: list[str]) -> Any:
        """Among those who were asked all."""
        codes = [self.answers[item][2][:2] for item in items]
        return np.logical_and.reduce([shows[code] for code, shows in codes])

    def of(self, items: list[str]) -> Any:
        """By record, of those who were asked all."""
        by_section: dict[int, list[str]] = {}
        for item in items:
            by_section.setdefault(self.sections[self.answers[item][0]["name"]][0], []).append(item)
        opened = disguised = np.ones(len(self.disguised))
        for members in by_section.values():
            has, z, chance = np.ones(len(self.disguised)), np.ones(len(self.disguised)), 1.0
            for item in members:
                question, index, (code, _shows, by_code, scores) = self.answers[item]
                has, z = has * by_code[code, index], z * scores[code, index]
                chance *= question["noise"][index] if "noise" in question else 0.0
            keep = self.answers[members[0]][0].get("keep", 1.0)
            if len(members) > 1 and keep < 1:
                z = np.where(self.shown(members), (has - (1 - keep) * chance) / keep, 0.0)
            opened, disguised = opened * has, disguised * z
        return np.where(self.disguised, disguised, opened)


def together(report: Json, scores: Scores) -> Computed:
    """Itemsets, rules and pairs. Those that join plain and sensitive answers are of the disguised records alone."""
    content = report["report"]
    for at, itemset in enumerate(content["itemsets"]):
        items = itemset["items"]
        if scores.known(items):
            path: Path_ = ("report", "itemsets", at)
            rows = scores.asked(items) & (scores.disguised if itemset["disguised_only"] else scores.used)
            z, n, shown = scores.of(items)[rows], int(rows.sum()), int((rows & scores.shown(items)).sum())
            support = float(z.mean())
            yield (*path, "n_asked"), n
            yield (*path, "n_open"), int((rows & ~scores.disguised).sum())
            yield (*path, "shown"), shown
            yield (*path, "support"), support
            yield (*path, "se"), sqrt(max(float((z**2).mean()) - support**2, 0) / n)
            yield (*path, "share_shown"), support * n / shown if shown else None
    for kind in ("rules", "pairs"):
        for at, rule in enumerate(content[kind]):
            of_rule = kind == "rules"
            sides = (
                [rule["antecedent"], rule["consequent"]] if of_rule else [[item] for item in rule["items"]]
            )
            both = [item for side in sides for item in side]
            if scores.known(both):
                asked = scores.asked(both) & (scores.disguised if rule["disguised_only"] else scores.used)
                rows = asked & scores.shown(both)
                a, c, s = (float(scores.of(items)[rows].mean()) for items in (*sides, both))
                path = ("report", kind, at)
                yield (*path, "n_asked"), int(asked.sum())
                yield (*path, "n_shown_all"), int(rows.sum())
                yield (*path, "antecedent_support"), a
                yield (*path, "consequent_support"), c
                yield (*path, "support"), float(scores.of(both)[asked].mean())
                yield (*path, "lift"), s / (a * c) if a and c else None


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
                computed += together(report, Scores(script, design))
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
    if about["n_open"] and about["estimator"] != "stratified":
        yield f"The report has the estimator {about['estimator']}, and the scripts stratified: they are not compared."


if __name__ == "__main__":
    sys.exit(main(Path(__file__).resolve().parent, by_r="--r" in sys.argv[1:]))
