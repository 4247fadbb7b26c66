"""A study in a report: the plan, the arms and the control items, on its page, in files, and what is withheld of it."""

import json
import re
from collections.abc import Callable
from functools import partial
from hashlib import sha256
from html import unescape
from typing import Any

import numpy as np
import pytest
from django.db.models import QuerySet
from django.test import Client

from accounts.models import Person
from intake.disclosure.models import Disclosure, DisclosureKind
from mining.nodes.report_nodes import report_from_json, report_to_json
from mining.nodes.study_nodes import HypothesisResult
from mining.parameters import Parameters
from privacy.designs import parse_design
from reports.answer_labels import Labels
from reports.models import Review
from reports.sentences.hypotheses import hypothesis_words
from reports.texts import report_facts
from runs.models import Run
from surveys.models import Survey
from tests.reports import made
from tests.reports.conftest import (
    READERS,
    bundle,
    desk_page,
    from_csv,
    from_json,
    page_text,
    reader,
    workbook,
)
from tests.reports.made import published_content as content
from tests.reports.made_nodes import page_about
from tests.reports.sentences.test_fixed_sentences import sentence_text
from tests.runs import sealed

pytestmark = pytest.mark.page
PARAMETERS = Parameters(min_support=0.3, min_confidence=0.5, max_size=2)


def run_for_review(survey: Survey, owner: Person) -> Run:
    """A run that a worker has done, which waits for its reviewer."""
    done = sealed.mine_sealed(survey, owner, PARAMETERS)
    made.waiting_review(done)
    return done


@pytest.fixture
def survey(owner: Person) -> Survey:
    return sealed.study_survey(owner, sealed.study(plan=sealed.PLAN), [500, 300])


@pytest.fixture
def run(survey: Survey, owner: Person) -> Run:
    return run_for_review(survey, owner)


@pytest.fixture
def desk_client(run: Run, judging: Client) -> Client:
    return judging


def page_as_text(client: Client, address: str) -> str:
    return unescape(page_text(client, address))


def cells(page: str, heading: str) -> list[list[str]]:
    """The cells of the table with this label, row by row."""
    start = page.index(f'aria-label="{heading}"')
    table = page[start : page.index("</table>", start)]
    rows = table.split("<tbody>")[1].split("</tr>")[:-1]
    read = [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.DOTALL) for row in rows]
    return [[" ".join(unescape(re.sub(r"<[^>]+>", " ", cell)).split()) for cell in row] for row in read]


def test_the_plan_stands_before_everything_explored(desk_client: Client, run: Run) -> None:
    page = page_as_text(desk_client, desk_page("report"))
    planned = page.index("Planned before the survey opened")
    assert page.index("What was found") < planned < page.rindex("Of all,")
    for text in (page, page_as_text(desk_client, desk_page("rules"))):
        assert "Everything else in this report was explored" in text
    direct = run.findings["arms"]["direct"]
    assert f"Asked directly {direct} more, used only where the arms are compared" in page
    assert "Of these open" not in page
    # Nobody is said to have chosen a group where a draw decided.
    assert "Estimator of the disguised arm alone" in page
    assert "people chose no disguise" not in page
    assert "Not looked at" not in page_text(desk_client, desk_page("publish"))


def test_each_hypothesis_stands_with_p_holm_and_whether_it_is_met_in_words(
    desk_client: Client, run: Run
) -> None:
    page = page_as_text(desk_client, desk_page("study"))
    assert sealed.PLAN.fingerprint in page
    assert sealed.PLAN.salt in page
    rows = cells(desk_client.get(desk_page("study")).content.decode(), "The plan")
    assert (
        "In the linear model of people who answered “\u2068Theft: Yes\u2069”, the coefficient of"
        in rows[4][0]
    )
    assert "both versions of “\u2068Version\u2069”" in rows[2][0]
    planned = run.findings["plan"]["hypotheses"]
    assert rows[0][0].startswith("many steal The share of")
    assert len(rows) == len(planned) == 6
    for row, one in zip(rows, planned, strict=True):
        assert row[-2:] == [p_text(one["holm"]), "met" if one["met"] else "not met"]
    why = "cannot be computed, counts as p = 1 'age' is not drawn from two choices"
    assert rows[-1][1:] == [why, "1.000", "not met"]
    # A coefficient of a product is said in words.
    values: dict[str, Any] = {"item": "theft=yes", "model": "linear"}
    found = HypothesisResult("H1", "coefficient", covariates=("age*arm",), of="age=old*arm", **values)
    assert sentence_text(hypothesis_words(found, Labels(sealed.study(), "en"))) == (
        "In the linear model of people who answered “Theft: Yes”, the coefficient of people who answered “Age: old” "
        "compared with people who answered “Age: young” and the disguised arm is not 0."
    )


def test_why_one_cannot_be_computed_is_said_in_the_readers_language(desk_client: Client, run: Run) -> None:
    def why_of_the_last() -> str:
        """As it stands on the page, with its element."""
        page = desk_client.get(desk_page("study"), headers={"accept-language": "zh-hans"}).content.decode()
        last = page[page.index(sealed.HYPOTHESES[-1]["name"]) :]
        start = last.index('<span class="beside"', last.index("</th>"))
        return unescape(last[start:].split("</span>")[0])

    assert why_of_the_last() == "<span class=\"beside\">'age' 不是从两个选项中抽取的"
    # One that was stored as a sentence is shown as the English that it is.
    plan = run.findings["plan"]
    stored = [{key: one[key] for key in one if key != "reason"} for one in plan["hypotheses"]]
    run.findings["plan"] = {**plan, "hypotheses": stored}
    run.save(update_fields=["findings"])
    assert why_of_the_last() == '<span class="beside" lang="en">by: \'age\' is not drawn from two choices'


def test_who_left_stands_above_the_arms_with_every_number_of_them(desk_client: Client, run: Run) -> None:
    page = desk_client.get(desk_page("study")).content.decode()
    arms = run.findings["arms"]
    assert page.index("Who left") < page.index('aria-label="By arm"')
    for n in (arms["direct"], arms["disguised"]):
        assert str(n) in page
    assert f"{arms['completion']['completion']:.2f}" in page
    assert "that of a difference which the plan names" in page
    rows = cells(page, "By arm")
    assert len(rows) == len(arms["items"]) == 4
    for row, one in zip(rows, arms["items"], strict=True):
        _answer, direct, disguised, compared, chances, smallest = row
        around, bounds = compared.split(" if people left: ")
        difference, interval = around.split(" ", 1)
        p, holm = chances.split(" Holm: ")
        for arm, said in (("direct", direct), ("disguised", disguised)):
            share, ends = said.split(" From ")[0].split(" % ", 1)
            assert as_number(share) == round(100 * one[arm], 1)
            low, high = (round(100 * one[f"{arm}_{end}"], 1) for end in ("low", "high"))
            assert ends == f"{low} % to {high} %"
            assert said.endswith(f" From {one[f'n_{arm}']} records.")
        assert as_number(difference) == round(100 * one["difference"], 1)
        ends_said = list(map(as_number, interval.split(" to ")))
        assert ends_said == [round(100 * one[end], 1) for end in ("low", "high")]
        assert [p, holm] == [p_text(one[name]) for name in ("p", "holm")]
        signed = one["smallest_more"], one["smallest_fewer"] and -one["smallest_fewer"]
        found = [round(100 * each, 1) for each in signed if each is not None]
        assert list(map(as_number, smallest.split())) == found
        assert list(map(as_number, bounds.split(" to "))) == [round(100 * end, 1) for end in one["bounds"]]


def as_number(text: str) -> float:
    return float(text.strip().replace("−", "-"))


def p_text(p: float) -> str:
    return f"{p:.3f}" if p >= 0.001 else "< 0.001"


def test_corrected_shares_stand_beside_the_others_and_under_each_table_what_it_assumes(
    desk_client: Client, run: Run
) -> None:
    rows = cells(desk_client.get(desk_page("study")).content.decode(), "Corrected shares")
    found = run.findings["controls"]["items"]
    assert len(rows) == len(found) == 4
    for row, one in zip(rows, found, strict=True):
        _answer, n, share, _interval, corrected, around = row
        assert n == str(round(one["n"]))
        assert as_number(share.split("%")[0]) == round(100 * one["share"], 1)
        if 0 <= round(one["corrected"], 3) <= 1:
            assert as_number(corrected.split("%")[0]) == round(100 * one["corrected"], 1)
        else:
            assert corrected.startswith("too noisy to say")
        assert as_number(around.split("%")[0]) == round(100 * one["corrected_low"], 1)
    page = page_as_text(desk_client, desk_page("study"))
    for assumption in (
        "more is truer",
        "careless people answer at random",
        "the versions differ in nothing but the secret.",
        "each device drew as the questionnaire says.",
        "people who answer at random do so alike in both arms.",
    ):
        assert f"This assumes that {assumption}" in page


def test_a_report_says_what_answering_all_waves_reveals(owner: Person, judging: Client) -> None:
    """By hand: gamma (.7 + .3/8) / (.3/8) = 59/3 of three questions, 3 of the crosswise one; 59^2, 2 ln 59 = 8.155."""
    first = sealed.study_survey(owner, sealed.study(title={"en": "The first"}), [])
    # With the same secret again nothing could be promised.
    again = json.dumps(sealed.study_json(follows=first.design_id)).replace("mother's", "father's")
    run_for_review(sealed.study_survey(owner, parse_design(again), [500]), owner)
    page = page_as_text(judging, desk_page("report"))
    assert "Asked before in The first" in page
    revealed = "all records together make an answer at most 3,481.0 times as likely (epsilon 8.16)"
    assert f"People disguised in all of them {revealed}" in page
    # Of an earlier wave that is not stored nothing is promised, and who follows none has nothing to say.
    design = sealed.study(follows="0" * 64)
    (fact,) = report_facts.repeated_survey_facts(page_about(design))
    assert (fact.label, fact.value) == ("Asked before in", "a survey that is not stored here")
    assert report_facts.repeated_survey_facts(page_about(sealed.study())) == []


def test_researchers_see_nothing_before_it_is_published(run: Run, reviewer: Person, reading: Client) -> None:
    assert reading.get(reader("study")).status_code == 403
    made.publish(Review.objects.get(), reviewer)
    page = page_as_text(reading, reader("study"))
    assert sealed.PLAN.salt in page
    assert len(cells(reading.get(reader("study")).content.decode(), "By arm")) == 4


def test_a_report_without_a_study_has_no_such_page(owner: Person, judging: Client) -> None:
    made.waiting_review(made.run(made.survey(owner)))
    assert judging.get(desk_page("study")).status_code == 404
    page = page_as_text(judging, desk_page("report"))
    assert "explored" not in page
    assert " Study " not in page


def test_too_few_records_say_so(owner: Person, judging: Client) -> None:
    few = sealed.study_survey(owner, sealed.study(), [])
    sealed.seal_study(few, 100, direct=95)
    run_for_review(few, owner)
    page = judging.get(desk_page("study")).content.decode()
    assert "No answer has enough records in both arms" in page
    assert 'aria-label="By arm"' not in page


def test_all_of_it_is_published_where_nothing_is_small(run: Run) -> None:
    found = content(run)
    arms, plan = found.study.arms, found.study.plan
    assert arms
    assert [one.item for one in arms.items] == ["theft=yes", "lying=yes", "mars=yes", "drugs=yes"]
    assert [one.item for one in arms.controls] == ["moon=yes", "mars=yes"]
    assert plan
    assert plan.plan == sealed.PLAN.as_json()
    assert len(plan.hypotheses) == len(sealed.HYPOTHESES)
    assert found.study.controls
    assert found.study.controls.items
    # It comes back whole from JSON.
    assert report_from_json(json.loads(json.dumps(report_to_json(found), allow_nan=False))) == found


def test_before_the_survey_is_finished_the_arms_are_not_compared(survey: Survey, owner: Person) -> None:
    Survey.objects.filter(pk=survey.pk).update(state=Survey.State.CLOSED)
    survey.refresh_from_db()
    run = run_for_review(survey, owner)
    assert "arms" not in run.findings
    assert run.n_open == 0
    assert content(run).study.arms is None


def test_a_plain_control_item_needs_ten_of_each_answer(run: Run, survey: Survey, owner: Person) -> None:
    row = Disclosure.objects.get(door=DisclosureKind.FINISHING)
    (table,) = [one for one in row.kept["tables"] if one["questions"] == [1]]
    (of_one_pattern,) = table["counts"]
    table["counts"] = [[sum(of_one_pattern) - 9, 9]]
    QuerySet(Disclosure).filter(pk=row.pk).delete()
    Disclosure.objects.create(**{field.attname: getattr(row, field.attname) for field in row._meta.fields})
    found = content(run_for_review(survey, owner))
    assert found.study.arms
    assert [one.item for one in found.study.arms.controls] == ["mars=yes"]


TABLES = ["plan", "who_left", "arms", "control_item", "corrected_shares", "crosswise_words", "drawn_versions"]

Read = Callable[[str], list[dict[str, Any]]]


@pytest.fixture
def client(run: Run, reviewer: Person, reading: Client) -> Client:
    made.publish(made.waiting_review(run), reviewer)
    return reading


def test_every_number_stands_in_a_table(client: Client, run: Run, subtests: pytest.Subtests) -> None:
    for read in READERS:
        with subtests.test(read.__name__):
            assert_has_arms(partial(read, client), run.findings["arms"])
            assert_has_controls(partial(read, client), run.findings["controls"])


def assert_has_arms(read: Read, arms: dict[str, Any]) -> None:
    rows, every = read("arms"), [*arms["items"], *arms["controls"]]
    assert [row["item"] for row in rows] == [one["item"] for one in every]
    for row, one in zip(rows, every, strict=True):
        for name in ("direct", "disguised", "difference", "low", "high", "p"):
            assert float(row[name]) == pytest.approx(one[name], rel=0, abs=1e-12)
    for row, one in zip(rows, arms["items"], strict=False):
        names = ("holm", "smallest_more", "smallest_fewer")
        ends = [float(row[name] or "nan") for name in (*names, "bound_low", "bound_high")]
        wanted = [np.nan if one[name] is None else one[name] for name in names]
        assert ends == pytest.approx([*wanted, *one["bounds"]], rel=0, abs=1e-12, nan_ok=True)
    assert [str(row["control"]) for row in rows] == ["False"] * 4 + ["True"] * 2
    (left,) = read("who_left")
    assert float(left["completion"]) == pytest.approx(arms["completion"]["completion"], rel=0, abs=1e-12)
    assert (int(left["direct"]), int(left["disguised"])) == (arms["direct"], arms["disguised"])


def assert_has_controls(read: Read, controls: dict[str, Any]) -> None:
    (seen,) = read("control_item")
    assert seen["item"] == "moon=yes"
    assert float(seen["careless"]) == pytest.approx(controls["careless"], rel=0, abs=1e-12)
    highs = [float(row["corrected_high"]) for row in read("corrected_shares")]
    expected = [one["corrected_high"] for one in controls["items"]]
    assert highs == pytest.approx(expected, rel=0, abs=1e-12)
    (words,) = read("crosswise_words")
    assert float(words["p"]) == pytest.approx(controls["words"][0]["p"], rel=0, abs=1e-12)
    drawn = [int(row["records"]) for row in read("drawn_versions")]
    assert drawn == list(controls["drawn"][0]["records"].values())


def test_the_plan_its_hash_and_its_formulas_are_in_the_files(client: Client) -> None:
    # The plan is the first table of results.
    explored = ["shares", "groups", "itemsets", "rules", "pairs", "open_and_disguised"]
    data = [name for name in workbook(client).sheetnames if name.startswith("Data ")]
    assert data[1:] == [f"Data {table}" for table in ("questions", *TABLES, *explored)]
    rows = from_csv(client, "plan")
    assert [row["name"] for row in rows] == [one["name"] for one in sealed.HYPOTHESES]
    assert rows[3]["antecedent"] == "theft=yes"
    assert (rows[5]["p"], rows[5]["holm"], rows[5]["met"]) == ("", "1.0", "False")
    assert rows[5]["why"] == "by: 'age' is not drawn from two choices"
    assert "reason" not in rows[5]
    # The published plan has the hash that the questionnaire holds.
    found = from_json(client)
    frozen = bundle(client, "csv").read("plan.json")
    assert sha256(frozen).hexdigest() == found["design"]["plan"] == found["report"]["study"]["plan"]["sha256"]
    assert found["report"]["study"]["plan"]["plan"]["salt"] == sealed.PLAN.salt
    # The formulas say what is assumed.
    how = json.loads(bundle(client, "csv").read("about.json"))["formulas"]
    assert "more is assumed to be truer" in how["arms_difference"]
    assert "assumed to take each choice alike" in how["controls_careless"]
    assert "counts as 1" in how["plan_p"]
