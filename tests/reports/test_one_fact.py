"""No fact has two values, two intervals or two verdicts in whatever leaves a survey."""

import csv
import io
import json
import re
import zipfile
from collections import defaultdict
from collections.abc import Iterator
from html import unescape
from typing import Any

import pytest
from django.utils import translation
from django.utils.translation import gettext, pgettext

from accounts.models import Person
from mining.nodes.report_nodes import Report
from mining.parameters import Parameters
from reports.answer_labels import Labels
from reports.pages.row_interval_pictures import finding_interval_picture
from reports.review.report_page_data import ReportPage
from reports.sentences.finding import Finding, MeasuredValue
from reports.sentences.sentence_parts import as_text
from surveys.phrases.languages import SHIPPED
from tests.jobs.conftest import broker
from tests.mining.disclosure.documents import PARTS, Documents, RandomStudy, documents, random_study
from tests.reports.made import waiting_review
from tests.runs import sealed
from ui.interval_pictures import Scale

pytestmark = [pytest.mark.proof, pytest.mark.django_db]
__all__ = ["broker"]

Fact = tuple[str, ...]
SAME = 1e-9
SEEDS, NIGHT = (11, 0, 1, 7), range(30)


def text_of(document: bytes) -> str:
    page = re.sub(r"<(script|style).*?</\1>", " ", document.decode(), flags=re.DOTALL)
    spaced = " ".join(unescape(re.sub(r"<[^>]+>", " ", page)).split())
    return re.sub("[\u2060\u2066-\u2069]", "", spaced).replace("\u00a0", " ").replace("\u202f", " ")


def rows_of(archive: bytes, member: str) -> list[dict[str, str]]:
    file = zipfile.ZipFile(io.BytesIO(archive[archive.index(b"PK") :]))
    return [*csv.DictReader(io.StringIO(file.read(member).decode("utf-8-sig")))]


def number_values(row: Any, *names: str) -> tuple[float | None, ...]:
    """None where nothing stands, of a row of a table or of a node."""
    values = [row[name] for name in names]
    return tuple(None if value in ("", None) else float(value) for value in values)


def share_facts(report: Any, table: bytes) -> Iterator[tuple[Fact, tuple[float | None, ...], str]]:
    """Each fact with a value and its place: the share of one answer among those asked it, and the verdict of a rule."""
    asked = {share["items"][0]: share["n_asked"] for share in report["shares"]}
    for share in report["shares"]:
        yield ("share", *share["items"]), number_values(share, "support", "low", "high"), "json shares"
    for row in rows_of(table, "shares.csv"):
        yield ("share", row["items"]), number_values(row, "support", "low", "high"), "csv shares"
    for itemset in report["itemsets"]:
        for ends in (("low", "high"), ("low_listed", "high_listed")) if len(itemset["items"]) == 1 else ():
            yield ("share", *itemset["items"]), number_values(itemset, "support", *ends), "json itemsets"
    for row in rows_of(table, "itemsets.csv"):
        if "&" not in row["items"]:
            listed = number_values(row, "support", "low_listed", "high_listed")
            yield ("share", row["items"]), listed, "csv itemsets"
    for rule in report["rules"]:
        sides = ("rule", *rule["antecedent"], "->", *rule["consequent"])
        yield sides, (float(rule["association"]),), "json rules"
        excludes = (rule["lift_low_listed"] or 0) > 1, (rule["lift_high_listed"] or 2) < 1
        if rule["lift_low_listed"] is not None:
            yield sides, (float(excludes[0]) - float(excludes[1]),), "interval of json rules"
        for name in ("antecedent", "consequent"):
            answers = rule[name]
            if len(answers) == 1 and rule["n_asked"] == rule["n_shown_all"] == asked[answers[0]]:
                share = number_values(rule, f"{name}_support", f"{name}_low", f"{name}_high")
                yield ("share", *answers), share, f"{name} of json rules"
    for row in rows_of(table, "rules.csv"):
        sides = ("rule", *row["antecedent"].split(" & "), "->", *row["consequent"].split(" & "))
        yield sides, (float(row["association"]),), "csv rules"


def is_same(first: tuple[float | None, ...], second: tuple[float | None, ...]) -> bool:
    pairs = zip(first, second, strict=True)
    return all(a == b or (a is not None and b is not None and abs(a - b) <= SAME) for a, b in pairs)


def assert_one_value_each(report: Any, table: bytes) -> int:
    """How many facts stand in two places."""
    first: dict[Fact, tuple[tuple[float | None, ...], str]] = {}
    places: dict[Fact, set[str]] = defaultdict(set)
    for fact, value, where in share_facts(report, table):
        known, before = first.setdefault(fact, (value, where))
        assert is_same(known, value), f"{fact}: {known} in {before}, {value} in {where}"
        places[fact].add(where)
    return sum(len(where) > 1 for where in places.values())


def assert_pages_say_the_share(study: RandomStudy, report: Any, made: Documents, language: str) -> None:
    """Wherever a page says how many of all gave an answer, it is the share of the report with its interval."""
    labels = Labels(study.design.mined, language)
    with translation.override(language):
        answered = pgettext("in a sentence of a report", "answered %(answers)s")
        words = re.escape(gettext("Of all, %(share)s %(did)s.").replace("%(did)s", answered))
        pattern = words.replace(
            re.escape("%(share)s"), r"(?P<share>[\d−][\d.,]{0,4}[^()\d]{0,4}\([^()]{1,20}\))"
        )
        pattern = pattern.replace(re.escape("%(answers)s"), r"\W(?P<answer>[^“”„«»]{1,60}?)\W")
        expected = {}
        for share in report["shares"]:
            if share["support"] is not None and share["low"] is not None:
                ends = share["support"], share["low"], share["high"]
                sentence = as_text(MeasuredValue(*ends).share)
                expected[" ".join(labels.short(share["items"][0]).split())] = text_of(sentence.encode())
    for name, document in made.items():
        if name.startswith(("page", f"public page {language}", f"paper {language}")):
            for found in re.finditer(pattern, text_of(document)):
                answer = found["answer"].strip(" ")
                assert found["share"].strip() == expected[answer], f"{answer} in {name}"


def assert_front_agrees(report: Any, made: Documents) -> None:
    none = "No association is shown among the"
    shown = [rule for rule in report["rules"] if rule["association"]]
    for name, document in made.items():
        if name in {"page shares", "public page en"} and none in (said := text_of(document)):
            assert not shown, name
            assert "more often than by chance" not in said
    for document in (made[name] for name in made if name == "page itemsets"):
        tinted = re.findall(rb'<td class="heat (?:less|more)-\d">', document)
        pairs = {frozenset((*rule["antecedent"], *rule["consequent"])) for rule in shown}
        assert len(tinted) <= len([pair for pair in pairs if len(pair) == 2])


def check_documents(seed: int, languages: list[str], *, every_door: bool) -> None:
    study = random_study(seed)
    made = documents(study, study.records, languages=languages, every_door=every_door, most_rules=2)
    if "file json" not in made:
        pytest.fail(f"nothing of study {seed} was published")
    document = made["file json"]
    report = json.loads(document[document.index(b"{") :])["report"]
    assert assert_one_value_each(report, made["file csv"])
    for language in languages:
        assert_pages_say_the_share(study, report, made, language)
    assert_front_agrees(report, made)


@pytest.mark.at_push(1)
@pytest.mark.parametrize("seed", SEEDS, ids=[PARTS[seed] for seed in SEEDS])
def test_exports_of_a_survey_never_contradict_each_other(seed: int) -> None:
    check_documents(seed, ["en", SHIPPED[1 + seed % 5]], every_door=seed == 0)


@pytest.mark.night
@pytest.mark.parametrize("seed", NIGHT)
def test_exports_in_any_language_never_contradict_each_other(seed: int) -> None:
    check_documents(seed, [*SHIPPED], every_door=True)


def test_an_interval_of_everything_is_not_drawn_on_the_scale_of_the_others() -> None:
    """The study with the number 29 has one in a list whose other shares end at .9."""
    noise = Finding("pair", None, (), is_noise=True, measured=MeasuredValue(1.0, 0.0, 1.0))
    assert finding_interval_picture(noise, Scale(end=0.9, step=0.3)) is None


# --- the plan ---------------------------------------------------------------------------------------------


def test_planned_result_has_one_verdict_and_interval_everywhere(owner: Person, broker: object) -> None:
    survey = sealed.study_survey(owner, sealed.study(plan=sealed.PLAN), [500, 300])
    run = sealed.mine_sealed(survey, owner, Parameters(0.05, 0.1, max_size=2))
    page = ReportPage(waiting_review(run), whole=True)
    report: Report = page.content
    rules = page.read_rules(page.rules)
    plan = report.study.plan
    assert plan
    assert report.study.arms
    by_kind = defaultdict(list)
    for hypothesis in plan.published_hypotheses:
        by_kind[hypothesis.kind].append(hypothesis)
    arms = {one.item: one for one in report.study.arms.items}
    for hypothesis in by_kind["arms"]:
        one = arms[hypothesis.item]
        of = (hypothesis.estimate, hypothesis.low, hypothesis.high, hypothesis.holm)
        assert (one.difference, one.low, one.high, one.holm) == of
    named = 0
    for hypothesis in by_kind["association"]:
        sides = {frozenset(hypothesis.antecedent), frozenset(hypothesis.consequent)}
        for rule in rules:
            if {frozenset(rule.antecedent), frozenset(rule.consequent)} == sides:
                named += 1
                assert (rule.lift_low_listed, rule.lift_high_listed) == (hypothesis.low, hypothesis.high)
                assert bool(rule.association) == hypothesis.met
        for table in report.groups:
            for row in table.rows:
                if {row.item} in sides and any({name} in sides for name in table.classes):
                    named += 1
                    assert (row.p, row.met) == (hypothesis.holm, hypothesis.met)
    assert named
    assert by_kind["arms"]
