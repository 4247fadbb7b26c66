"""The study of a published report in files, read back by programs that did not write them."""

import json
from collections.abc import Callable
from functools import partial
from hashlib import sha256
from typing import Any

import numpy as np
import pytest
from django.test import Client

from accounts.models import Person
from mining.parameters import Parameters
from runs.models import Run
from tests.reports import made
from tests.reports.paged import READERS, book, bundle, from_csv, from_json
from tests.runs import sealed, working

pytestmark = pytest.mark.page

TABLES = ["plan", "who_left", "arms", "control_item", "corrected_shares", "crosswise_words", "drawn_versions"]


@pytest.fixture
def run(owner: Person) -> Run:
    survey = sealed.study_survey(owner, sealed.study(plan=sealed.PLAN), [500, 300])
    wanted = Parameters(min_support=0.3, min_confidence=0.5, max_size=2)
    return working.mined(survey, owner, wanted)


@pytest.fixture
def client(run: Run, reviewer: Person, reading: Client) -> Client:
    made.publish(made.waiting(run), reviewer)
    return reading


def test_every_number_of_the_arms_and_the_control_items_stands_in_their_tables(
    client: Client, run: Run, subtests: pytest.Subtests
) -> None:
    for read in READERS:
        with subtests.test(read.__name__):
            assert_has_arms(partial(read, client), run.findings["arms"])
            assert_has_controls(partial(read, client), run.findings["controls"])


Read = Callable[[str], list[dict[str, Any]]]


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
    assert [float(row["corrected_high"]) for row in read("corrected_shares")] == pytest.approx(
        [one["corrected_high"] for one in controls["items"]], rel=0, abs=1e-12
    )
    (words,) = read("crosswise_words")
    assert float(words["p"]) == pytest.approx(controls["words"][0]["p"], rel=0, abs=1e-12)
    assert [int(row["records"]) for row in read("drawn_versions")] == list(
        controls["drawn"][0]["records"].values()
    )


def test_the_plan_its_hash_and_its_formulas_are_in_the_files(client: Client) -> None:
    # The plan is the first table of results.
    explored = ["shares", "groups", "itemsets", "rules", "pairs", "open_and_disguised"]
    assert book(client).sheetnames[1:] == ["questions", *TABLES, *explored]
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
