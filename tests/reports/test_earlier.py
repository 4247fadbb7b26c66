"""Runs and publications of mining 4 open as they were, and say which version made them."""

import csv
import io
import json
import re
from zipfile import ZipFile

import pytest
from openpyxl import load_workbook

from people.models import Person
from reports.content import from_json
from reports.models import Publication, Review
from runs.models import Run
from tests.cast import As
from tests.reports import earlier
from tests.reports.paged import PUBLISHED, WHOLE, desk, reader, shown

pytestmark = pytest.mark.slow
NOTICE = "Made by an earlier version of Candor"
VERSION = "Version of this run: mining 4, numpy 2.4.6, scipy 1.17.1."


@pytest.fixture
def review(owner: Person, reviewer: Person) -> Review:
    return earlier.published(owner, reviewer)


@pytest.fixture
def run(owner: Person) -> Run:
    return earlier.run(owner)


def test_a_publication_of_mining_4_is_read_and_what_it_did_not_know_is_none() -> None:
    stored = earlier.stored()["publication"]
    assert "certain" in stored["content"]["itemsets"][0]
    found = from_json({**stored["content"], "rules": stored["rules"]})
    assert found.about.is_earlier
    assert (len(found.shares), len(found.itemsets), len(found.rules)) == (6, 7, 6)
    assert found.itemsets[0].support == stored["content"]["itemsets"][0]["support"]
    assert {(one.holds, one.q_holds, one.disguised_alone) for one in found.itemsets} == {(None, None, False)}
    assert {(one.holds, one.q_holds, one.disguised_alone) for one in found.rules} == {(None, None, False)}
    assert {rule.eligible for rule in found.rules} == {None}
    assert found.rules[-1].confidence == earlier.ROUNDED["confidence"]
    assert found.rules[-1].conviction is None
    assert found.rules[0].conviction == stored["rules"][0]["conviction"]


def test_members_that_are_not_known_any_more_are_left_out() -> None:
    stored = earlier.stored()["publication"]
    content = json.loads(json.dumps(stored["content"]))
    for part in (
        content["about"],
        content["shares"][0],
        content["groups"][0],
        content["groups"][0]["rows"][0],
        content["groups"][0]["rows"][0]["cells"][0],
        content["left_out"],
    ):
        part["forgotten"] = 1
    assert from_json(content) == from_json(stored["content"])


@pytest.mark.parametrize("page", [page for page in PUBLISHED if not page.startswith("files/")])
def test_every_page_of_it_opens_for_its_readers(
    review: Review, owner: Person, signed_in_as: As, page: str
) -> None:
    answer = signed_in_as(owner).get(reader(page))
    assert answer.status_code == 200
    text = answer.content.decode()
    if "pictures/" not in page:
        assert NOTICE in text
        assert VERSION in text
    assert not re.search(r"among the [\d,]+ who", text)
    for said in (
        "clears thresholds",
        "could be below",
        "after the search",
        "could give all",
        "shown both",
        "33776997",
    ):
        assert said not in text, said


@pytest.mark.parametrize("page", WHOLE)
def test_every_page_of_its_run_opens_for_a_reviewer(
    run: Run, reviewer: Person, signed_in_as: As, page: str
) -> None:
    answer = signed_in_as(reviewer).get(desk(page))
    assert answer.status_code == 200
    text = answer.content.decode()
    assert "pictures/" in page or NOTICE in text
    for said in ("clears thresholds", "after the search", "337,769,972,052,786", "337769972052786"):
        assert said not in text, said


def test_its_numbers_are_those_that_it_stored(review: Review, owner: Person, signed_in_as: As) -> None:
    client, stored = signed_in_as(owner), earlier.stored()
    page = shown(client, reader("rules"))
    for rule in stored["rules"]:
        assert f"{rule['confidence']:.1%}".replace("%", " %") in page
    page = shown(client, reader(""))
    # Of no and yes only yes is listed: items 0 and 1 are of work.
    for answer in stored["run"]["findings"]["answers"]:
        assert answer["item"] in (2, 4) or f"{answer['support']:.1%}".replace("%", " %") in page
    assert "A rule hides this question from some. The shares are of all who were asked." in page
    assert re.search(r"Conviction how much rarer exceptions are [^0-9]* – ", shown(client, reader("rules/6")))


def test_its_rules_are_listed_by_their_lift_and_its_itemsets_by_their_support(
    run: Run, reviewer: Person, signed_in_as: As
) -> None:
    client, stored = signed_in_as(reviewer), earlier.stored()
    listed = re.findall(r'id="rule-(\d+)"', client.get(desk("rules?verdict=any&sort=-lift")).content.decode())
    lifts = [stored["rules"][int(number) - 1]["lift"] for number in listed]
    assert len(lifts) == 6
    assert lifts == sorted(lifts, reverse=True)
    supports = re.findall(r"<strong>([\d.]+) %</strong>", client.get(desk("itemsets")).content.decode())
    assert [float(share) for share in supports] == sorted(
        (round(100 * one["support"], 1) for one in stored["itemsets"]), reverse=True
    )


def test_its_files_say_who_made_them_and_keep_their_own_formulas(
    review: Review, owner: Person, signed_in_as: As
) -> None:
    client = signed_in_as(owner)
    found = json.loads(client.get(reader("files/json")).content)
    assert found["version"].startswith("mining 4")
    assert "Fieller" in found["formulas"]["confidence"]
    assert "after" not in found["formulas"]
    assert "earlier version" in found["made_by_an_earlier_version"]
    bundle = ZipFile(io.BytesIO(client.get(reader("files/csv")).content))
    rules = list(csv.DictReader(io.StringIO(bundle.read("rules.csv").decode())))
    assert {(row["holds"], row["q_holds"], row["eligible"], row["among"]) for row in rules} == {
        ("", "", "", "")
    }
    conviction = {row["number"]: row["conviction"] for row in rules}
    assert conviction["6"] == ""
    assert float(conviction["1"]) == earlier.stored()["rules"][0]["conviction"]
    assert any(line.endswith("asked again, most come out lower.") for line in found["not_covered"])
    assert "337769972052786" not in bundle.read("rules.csv").decode()
    assert load_workbook(io.BytesIO(client.get(reader("files/excel")).content))["rules"].max_row == 7


def test_what_is_made_now_has_no_such_notice(owner: Person, reviewer: Person, signed_in_as: As) -> None:
    review = earlier.published(owner, reviewer)
    Run.objects.update(version="mining 5, numpy 2.4.6")
    content = earlier.stored()["publication"]["content"]
    content["about"]["version"] = "mining 5, numpy 2.4.6"
    assert not from_json(content).about.is_earlier
    assert NOTICE in shown(signed_in_as(owner), reader(""))  # it was published as it was
    assert NOTICE not in shown(signed_in_as(reviewer), desk("report"))
    assert Publication.objects.get().run_id == review.pk
