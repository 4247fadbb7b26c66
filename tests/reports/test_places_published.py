"""What a publication says of places, and what it withholds."""

import json
from collections.abc import Sequence
from typing import Any

import pytest
from django.db.models import QuerySet
from django.test import Client

from accounts.models import Person
from intake.disclosure.models import Disclosure, Door
from mining.report.report_nodes import Report, report_from_json, report_to_json
from reports.answer_labels import Labels
from reports.models import Publication, Review
from reports.review import build_content, publishing, read_published_content
from runs.models import Run
from surveys.models import Survey
from tests.reports import made, made_nodes
from tests.reports.made_nodes import DISGUISED, NORTH, OUTSIDE, SOUTH
from tests.reports.paged import desk, shown
from tests.surveys.conftest import NOW

pytestmark = pytest.mark.page


@pytest.fixture
def survey(owner: Person) -> Survey:
    return made_nodes.places_survey(owner)


def run(survey: Survey, disguised: Sequence[int] = DISGUISED, **more: Any) -> Run:
    found = made_nodes.places_finding(disguised)
    return made_nodes.places_run(survey, found, plain_tables=made_nodes.places_tables(disguised), **more)


def published(of: Run, *groups: str) -> Report:
    return publishing.propose_publication(of, groups)[0]


def shares(found: Report) -> dict[str, float | None]:
    return {share.items[0]: share.support for share in found.shares if share.items[0].startswith("home")}


def hidden(found: Report) -> list[int]:
    return [cell for cell, share in enumerate(found.places[0].received) if share is None]


# --- content --------------------------------------------------------------------------------------------


def test_places_come_back_whole_from_json(survey: Survey) -> None:
    of = run(survey)
    labels = Labels(of.content.mined)
    found = build_content.whole_run_content(of, labels, build_content.true_shares(of, labels))
    assert found.places[0].n_asked == 1506
    assert report_from_json(json.loads(json.dumps(report_to_json(found), allow_nan=False))) == found


def test_a_report_without_places_does_not_mention_them(owner: Person) -> None:
    plain = made.run(made.survey(owner))
    labels = Labels(plain.content)
    written = report_to_json(
        build_content.whole_run_content(plain, labels, build_content.true_shares(plain, labels))
    )
    assert "places" not in written
    assert report_from_json(written).places == ()


def test_a_publication_keeps_the_maps(survey: Survey, reviewer: Person) -> None:
    run(survey)
    publishing.create_reviews_of_finished_runs(NOW)
    review = Review.objects.get()
    made.publish(review, reviewer, ["age"])
    (found,) = read_published_content.published_report(review).places
    assert found.received[0] == pytest.approx(306 / 1506)
    assert Publication.objects.get().content["places"][0]["illustration"][0] == 0.2


def test_where_all_cells_have_ten_nothing_is_withheld(survey: Survey) -> None:
    found = published(run(survey), "age")
    assert shares(found) == {"home=north": 0.45, "home=south": 0.25, "home=elsewhere": 0.3}
    assert hidden(found) == []
    assert None not in found.places[0].outside
    assert found.compared == ()
    assert all(cell.share is not None for row in found.groups[0].rows for cell in row.cells)


# --- cells ----------------------------------------------------------------------------------------------


def test_a_small_cell_outside_is_withheld_with_the_next_smallest_outside(survey: Survey) -> None:
    """Four people are in a3, and 70 in b3; the regions' cells stay, though they may be smaller than that."""
    found = published(run(survey, (306, 3, 200, 200, 200, 160, 4, 70, 70)))
    (place,) = found.places
    assert len(hidden(found)) >= 2
    assert {6} < set(hidden(found)) <= set(OUTSIDE)
    for values in (place.received, place.illustration):
        assert [cell for cell, share in enumerate(values) if share is None] == hidden(found)
    assert [one is None for one in place.outside] == [cell in hidden(found) for cell in OUTSIDE]
    assert shares(found)["home=elsewhere"] == 0.3


def test_of_an_earlier_publication_of_other_records_the_small_differences_are_withheld(
    survey: Survey, reviewer: Person
) -> None:
    """Three more people sent a3 from then on."""
    run(survey)
    publishing.create_reviews_of_finished_runs(NOW)
    made.publish(Review.objects.get(), reviewer)
    later = run(survey, (*DISGUISED[:5], 260, 103, 170, 170))
    Run.objects.filter(pk=later.pk).update(through=3)
    later.refresh_from_db()
    assert set(hidden(published(made.decide_again(later, {})))) == {6, 7}


def test_what_an_earlier_publication_of_the_same_records_withheld_stays_withheld(
    survey: Survey, reviewer: Person
) -> None:
    first = run(survey)
    publishing.create_reviews_of_finished_runs(NOW)
    made.publish(Review.objects.get(run=first), reviewer)
    row = Disclosure.objects.get(door=Door.REPORT)
    (cells,) = row.tables["cells"].values()
    cells["hidden"][:2] = [True, True]
    QuerySet(Disclosure).filter(pk=row.pk).delete()
    row._state.adding = True
    row.save()
    assert hidden(published(run(survey))) == [5, 6]


# --- elsewhere ------------------------------------------------------------------------------------------

FEW_OUTSIDE = (500, 300, 306, 100, 100, 3, 2, 1, 0)


def test_a_small_elsewhere_is_withheld_with_the_smallest_region_and_all_their_cells(survey: Survey) -> None:
    """Six people are elsewhere; the south is the smaller region, so that the north stays."""
    found = published(run(survey, FEW_OUTSIDE), "age")
    assert shares(found) == {"home=north": 0.45, "home=south": None, "home=elsewhere": None}
    assert hidden(found) == [*SOUTH, *OUTSIDE]
    assert all(found.places[0].received[cell] is not None for cell in NORTH)


def test_where_six_are_elsewhere_no_count_of_them_stands_in_the_publication(survey: Survey) -> None:
    told = report_to_json(published(run(survey, FEW_OUTSIDE), "age"))
    rows = [row for row in told["shares"] if row["items"] in (["home=south"], ["home=elsewhere"])]
    assert {row["observed"] for row in rows} == {None}
    assert {row["n_asked"] for row in rows} == {None}


def test_classes_with_few_elsewhere_have_no_shares_of_the_place(survey: Survey) -> None:
    """Of 40+ four people are elsewhere; the shares of the regions would tell how many."""
    tables = made_nodes.places_tables()
    tables[2]["counts"][-1][-1] = 4
    found = published(made_nodes.places_run(survey, plain_tables=tables), "age")
    assert {cell.share for row in found.groups[0].rows for cell in row.cells} == {None}
    assert shares(found)["home=elsewhere"] == 0.3


def test_of_a_place_without_cells_outside_nothing_is_counted_as_plain(owner: Person) -> None:
    regions = [made_nodes.HOME["regions"][0], {"name": "south", "cells": made_nodes.CELLS[3:]}]
    survey = made_nodes.places_survey(owner, home={"regions": regions})
    found = made_nodes.places_finding((900, 1, 1, 1, 1, 1, 1, 1, 1))
    found["outside"] = []
    told = {"plain_tables": made_nodes.places_tables()[:1], "alike": [], "groups": []}
    answers = [made.answer(item, made_nodes.PLACES_SHARES[item], 1656) for item in range(4)]
    content = published(made_nodes.places_run(survey, found, **told, answers=answers))
    assert hidden(content) == []
    assert shares(content) == {"home=north": 0.45, "home=south": 0.25}


# --- a place behind a rule ------------------------------------------------------------------------------


def test_a_place_behind_a_rule_that_would_reveal_a_small_class_is_withheld(owner: Person) -> None:
    """Three people of 40+ are not shown it: how many were would tell."""
    survey = made_nodes.places_survey(owner, home={"show_if": {"age": ["18-39"]}})
    ages = {"questions": [0], "counts": [1503, 3]}
    homes = {"questions": [1], "counts": [706, 400, 397, 3]}
    found = published(made_nodes.places_run(survey, plain_tables=[ages, homes], alike=[]))
    assert found.places[0].n_asked is None
    assert found.places[0].received == ()
    assert set(shares(found).values()) == {None}


# --- what the reviewer is told --------------------------------------------------------------------------


def test_a_reviewer_sees_before_publishing_what_was_not_looked_at(survey: Survey, judging: Client) -> None:
    run(survey, FEW_OUTSIDE)
    publishing.create_reviews_of_finished_runs(NOW)
    page = shown(judging, desk("publish"))
    assert "Not looked at" in page
    assert ": The south, Elsewhere (outside the regions)" in page


def test_where_everything_was_looked_at_nothing_is_said(survey: Survey, judging: Client) -> None:
    run(survey)
    publishing.create_reviews_of_finished_runs(NOW)
    assert "Not looked at" not in shown(judging, desk("publish"))
