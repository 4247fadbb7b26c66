"""What a publication says of numbers, and what it withholds."""

import json
from dataclasses import replace
from typing import Any

import pytest
from django.test import Client

from accounts.models import Person
from intake.disclosure.models import Disclosure, Door
from mining.disclosure.remove_withheld_numbers import withhold_node
from mining.report.answer_names import Names
from mining.report.json_codec import dump
from mining.report.number_nodes import NumberClasses, NumberEstimates, NumberNode
from mining.report.report_nodes import Report, report_from_json, report_to_json
from reports.answer_labels import Labels
from reports.models import Publication, Review
from reports.review import build_content, publishing, read_published_content
from runs.models import Run
from surveys.models import Survey
from tests.reports import made, made_nodes
from tests.reports.paged import desk, shown
from tests.surveys.conftest import NOW

pytestmark = pytest.mark.page
WITHHELD = NumberEstimates(None, None)
WITHHELD_CLASS = NumberEstimates(None, None, disguised_only=True)
DEBT, OVERTIME, INCOME = range(3)


@pytest.fixture
def survey(owner: Person) -> Survey:
    return made_nodes.numbers_survey(owner)


@pytest.fixture
def run(survey: Survey) -> Run:
    return made_nodes.numbers_run(survey)


def published(run: Run, *groups: str) -> Report:
    return publishing.propose_publication(run, groups)[0]


# --- content --------------------------------------------------------------------------------------------


def test_numbers_come_back_whole_from_json(run: Run) -> None:
    labels = Labels(run.content.mined)
    found = build_content.whole_run_content(run, labels, build_content.true_shares(run, labels))
    names = Names(run.mined_design)
    assert found.numbers == tuple(
        withhold_node(one, names, run.stored_verdict) for one in made_nodes.numbers()
    )
    assert report_from_json(json.loads(json.dumps(report_to_json(found), allow_nan=False))) == found


def test_a_report_without_numbers_does_not_mention_them(owner: Person) -> None:
    plain = made.run(made.survey(owner))
    labels = Labels(plain.content)
    written = report_to_json(
        build_content.whole_run_content(plain, labels, build_content.true_shares(plain, labels))
    )
    assert "numbers" not in written
    assert report_from_json(written).numbers == ()


def test_a_publication_keeps_the_numbers(run: Run, reviewer: Person) -> None:
    publishing.create_reviews_of_finished_runs(NOW)
    review = Review.objects.get()
    made.publish(review, reviewer, ["age"])
    found = read_published_content.published_report(review).numbers
    assert [one.question for one in found] == ["debt", "overtime", "income"]
    assert found[DEBT].all_records == made_nodes.OF_DEBT
    assert Publication.objects.get().content["numbers"][INCOME]["all_records"]["distribution"]["modes"] == 11


def test_only_the_chosen_questions_divide_the_published_numbers(run: Run) -> None:
    assert [one.groups for one in published(run).numbers] == [(), (), ()]
    assert [len(one.groups) for one in published(run, "age").numbers] == [1, 0, 1]


# --- withholding ----------------------------------------------------------------------------------------


def test_a_small_class_and_the_next_smallest_have_no_estimates_and_no_counts(run: Run) -> None:
    """Six people of 60+ chose disguise, so 40-59, the next smallest, is withheld too."""
    for found in (published(run, "age").numbers[place] for place in (DEBT, INCOME)):
        young, middle, old = found.groups[0].classes
        assert young.n_asked == 1000
        assert (middle, old) == (WITHHELD_CLASS, WITHHELD_CLASS)


def test_what_is_withheld_of_a_class_cannot_be_found_anywhere_in_the_publication(run: Run) -> None:
    told = json.dumps(report_to_json(published(run, "age")))
    assert "1481.4" in told
    middle = report_to_json(published(run, "age"))["numbers"][DEBT]["groups"][0]["classes"][1]
    assert middle == {
        "n_asked": None,
        "n_open": None,
        "mean": None,
        "quantiles": [],
        "shares": [],
        "classes": [],
        "distribution": None,
        "disguised_only": True,
    }


def with_tables(run: Run, tables: list[dict[str, Any]]) -> Run:
    return made.decide_again(run, {"plain_tables": tables})


def test_a_number_behind_a_rule_that_would_reveal_a_small_class_is_withheld_with_its_items(run: Run) -> None:
    """Three people do not work: how many were shown overtime would tell."""
    assert published(run).numbers[OVERTIME].all_records.n_asked == 700
    few = {"questions": [1], "counts": [3, 1503]}
    found = published(with_tables(run, [made_nodes.PLAIN_TABLES[0], few, made_nodes.PLAIN_TABLES[2]]))
    assert found.numbers[OVERTIME].all_records == WITHHELD
    assert found.numbers[DEBT].all_records == made_nodes.OF_DEBT
    overtime = [share for share in found.shares if share.items[0].startswith("overtime")]
    assert len(overtime) == 8
    assert {(share.n_asked, share.shown, share.support) for share in overtime} == {(None, None, None)}


def test_a_number_behind_a_rule_is_withheld_too_where_only_the_disguised_are_few(run: Run) -> None:
    """80 do not work, three of them chose disguise: the base, less those of it who are open, would tell."""
    works = {"questions": [1], "counts": [3, 1503]}
    found = published(with_tables(run, [made_nodes.PLAIN_TABLES[0], works, made_nodes.PLAIN_TABLES[2]]))
    assert found.numbers[OVERTIME].all_records == WITHHELD
    overtime = [share for share in found.shares if share.items[0].startswith("overtime")]
    assert {(share.n_asked, share.n_open, share.support) for share in overtime} == {(None, None, None)}


def hidden_in_a_class(run: Run) -> list[dict[str, Any]]:
    """In 18-39 three people do not work."""
    both = {"questions": [0, 1], "counts": [[3, 997], [303, 197], [100, 100]]}
    ages = {"questions": [0], "counts": [1000, 500, 200]}
    return [ages, made_nodes.PLAIN_TABLES[1], both]


def test_a_number_behind_a_rule_is_withheld_in_the_classes_where_its_base_would_tell(run: Run) -> None:
    hidden = made_nodes.numbers()[OVERTIME]
    divided = replace(
        hidden,
        groups=tuple(
            replace(of, classes=(made_nodes.OF_OVERTIME,) * 3) for of in made_nodes.numbers()[DEBT].groups
        ),
    )
    made.decide_again(run, {"numbers": [dump(divided)]})
    safe = published(with_tables(run, [*hidden_in_a_class(run)[:2], as_sums()]), "age")
    assert [one.n_asked for one in safe.numbers[0].groups[0].classes] == [700, 700, 700]
    told = published(with_tables(run, hidden_in_a_class(run)), "age")
    assert told.numbers[0].groups[0].classes == (WITHHELD,) * 3
    cells = [row.cells for row in told.groups[0].rows if row.item.startswith("overtime")]
    assert {(cell.n_asked, cell.share, cell.shown) for row in cells for cell in row} == {(None, None, None)}
    others = [row.cells[0].n_asked for row in told.groups[0].rows if row.item.startswith("debt")]
    assert set(others) == {200}


def as_sums() -> dict[str, Any]:
    return {"questions": [0, 1], "counts": [[503, 497], [303, 197], [100, 100]]}


def test_classes_are_in_the_ledger_also_where_nothing_is_told_of_everybody(
    run: Run, reviewer: Person
) -> None:
    """Fewer than ten answered openly, so that only the classes of age are told, which hold the disguised alone; how
    many of them were shown overtime depends on who works."""
    divided = replace(
        made_nodes.numbers()[OVERTIME],
        all_records=NumberEstimates(1509, 3),
        groups=(NumberClasses("age", (made_nodes.OF_OVERTIME,) * 3),),
    )
    made.decide_again(run, {"numbers": [dump(divided)], "groups": []})
    with_tables(run, [*hidden_in_a_class(run)[:2], as_sums()])
    publishing.create_reviews_of_finished_runs(NOW)
    made.publish(Review.objects.get(), reviewer, ["age"])
    (number,) = read_published_content.published_report(Review.objects.get()).numbers
    assert (number.all_records, number.groups[0].classes[0].n_asked) == (WITHHELD, 700)
    assert [0, 1] in Disclosure.objects.get(door=Door.REPORT).tables["told"]


def test_of_an_item_of_a_number_no_share_is_said_to_be_observed(run: Run) -> None:
    """Its records are scores, whose mean is the estimate."""
    told = {share.items[0]: share.observed for share in published(run).shares}
    assert told["debt=>=500"] is None
    assert told["works=yes"] is not None


def test_counts_without_an_estimate_are_withheld(run: Run) -> None:
    shares = published(run).numbers[OVERTIME].all_records.shares
    assert [(one.n_asked, one.share) for one in shares] == [(700, 0.4), (700, 0.2), (None, None)]


def test_a_number_that_nobody_was_asked_often_enough_is_withheld(run: Run) -> None:
    few = NumberNode("income", "window", NumberEstimates(40, 0))
    made.decide_again(run, {"numbers": [dump(few)]})
    assert published(run).numbers[0].all_records == WITHHELD


def test_of_an_earlier_publication_of_other_records_the_small_differences_are_withheld(
    survey: Survey, run: Run, reviewer: Person
) -> None:
    """Three of 18-39 are new among those who chose disguise: the class is withheld now, for numbers as for shares."""
    publishing.create_reviews_of_finished_runs(NOW)
    made.publish(Review.objects.get(), reviewer, ["age"])
    later = made_nodes.numbers_run(survey)
    tables = json.loads(json.dumps(made_nodes.PLAIN_TABLES))
    tables[0]["counts"][0] += 3
    Run.objects.filter(pk=later.pk).update(through=3)
    later.refresh_from_db()
    found = published(with_tables(later, tables), "age")
    assert found.numbers[DEBT].groups[0].classes[0] == WITHHELD_CLASS


# --- what the reviewer is told --------------------------------------------------------------------------


def test_a_reviewer_sees_before_publishing_what_was_not_looked_at(run: Run, judging: Client) -> None:
    publishing.create_reviews_of_finished_runs(NOW)
    page = shown(judging, desk("publish"))
    assert "Not looked at" in page
    assert ": 40-59, 60+" in page


def test_where_everything_was_looked_at_nothing_is_said(run: Run, judging: Client) -> None:
    ages = {"questions": [0], "counts": [1000, 500, 200]}
    both = {"questions": [0, 1], "counts": [[503, 497], [303, 197], [100, 100]]}
    with_tables(run, [ages, *made_nodes.PLAIN_TABLES[1:], both])
    publishing.create_reviews_of_finished_runs(NOW)
    assert "Not looked at" not in shown(judging, desk("publish"))


def test_the_classes_of_a_survey_of_windows_alone_can_be_chosen_for_publication(
    run: Run, judging: Client
) -> None:
    """Such a survey has no shares by group."""
    run.findings["groups"] = []
    run.save(update_fields=["findings"])
    publishing.create_reviews_of_finished_runs(NOW)
    assert "Break down by" in shown(judging, desk("publish"))
    assert judging.post(desk("publish"), {"groups": ["age"]}).status_code == 302
    assert [
        len(one.groups) for one in read_published_content.published_report(Review.objects.get()).numbers
    ] == [
        1,
        0,
        1,
    ]
