"""What a report is made of: content, labels, and the facts on its front, as of how many were asked to wait."""

import json
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from django.test import Client
from django.utils import translation
from jsonschema import Draft202012Validator

from accounts.models import Person
from bench.report_schema import report_schema
from intake.disclosure.models import Disclosure, DisclosureKind, Population
from intake.models import WaitCount
from intake.rehearsal import true_counts
from mining.disclosure.attacker import AttackResult, SmallestCount
from mining.nodes.report_nodes import (
    Cell,
    Estimate,
    GroupRow,
    GroupTable,
    LeftOut,
    Report,
    Rule,
    is_outside_unit,
    report_from_json,
    report_to_json,
)
from reports.answer_labels import Labels
from reports.models import Publication, Review
from reports.pages.report_document import ReportDocument
from reports.review import build_content, read_published_content, report_state_changes
from reports.review.attack_result_texts import smallest_count_text, untried_tables_text
from reports.review.question_shares import QuestionShares
from reports.review.rule_decisions import rules_with_verdicts
from reports.sentences.finding import MeasuredValue
from reports.texts.report_facts import asked_to_wait_facts, estimator_error_facts, records_used_text
from runs.models import Run
from surveys.models import Survey
from tests.intake import asked
from tests.reports import made
from tests.reports.conftest import accept
from tests.reports.made_nodes import about_run, page_about
from tests.runs import sealed
from tests.surveys.conftest import NOW
from ui.interval_pictures import Scale


def test_noise_is_an_estimate_no_share_can_be() -> None:
    shares = (0.0, 1.0, None, -0.0004, 1.0004, -0.0006, 1.0006)
    assert [is_outside_unit(share) for share in shares] == [False] * 5 + [True] * 2


def whole_report(run: Run) -> Report:
    """With the itemsets."""
    labels = Labels(run.content)
    true = build_content.true_shares(run, labels)
    rows = run.itemsets.order_by("place")
    itemsets = tuple(build_content.build_itemsets(rows, run, labels, true))
    return replace(build_content.content_without_itemsets_and_rules(run, labels, true), itemsets=itemsets)


def test_a_report_comes_back_whole_from_json_and_another_format_is_refused(run: Run) -> None:
    found = whole_report(run)
    rules = build_content.build_rules(
        rules_with_verdicts(run).select_related("itemset"),
        run,
        Labels(run.content),
        lambda names, given=(), *, disguised_only, shown=False: 0.5,
    )
    content = replace(found, rules=tuple(rules), left_out=LeftOut(1, 2, 3))
    assert report_from_json(json.loads(json.dumps(report_to_json(content), allow_nan=False))) == content
    with pytest.raises(ValueError, match="candor-report/1"):
        report_from_json({**report_to_json(whole_report(run)), "format": "candor-report/2"})


def test_older_report_is_read_without_its_backtest(run: Run) -> None:
    content = replace(whole_report(run), rules=tuple(rules_of(run)))
    written = report_to_json(content)
    older = {**written, "rules": [{**rule, "again": 0.815} for rule in written["rules"]]}
    Draft202012Validator(report_schema()).validate(older)
    assert older["rules"]
    assert report_from_json(older) == content


def test_a_run_is_read_with_its_numbers_by_name(run: Run, survey: Survey) -> None:
    found = whole_report(run)
    theft = next(share for share in found.shares if share.items == ("theft=yes",))
    numbers = (theft.support, theft.low, theft.high, theft.n_asked, theft.n_open)
    assert numbers == (0.25, 0.21, 0.29, 1000, 200)
    assert (theft.forged_low, theft.forged_high) == (0.1, 0.5)
    assert found.pairs[1].items == ("late=yes", "cash=yes")
    assert (found.about.k, found.about.records, found.about.day) == (0.2, 1000, "2026-12-01")
    assert [row.item for row in found.compared] == ["theft=yes", "late=yes"]
    # Intervals of the list stand beside those of each alone.
    rule, itemset = rules_of(run)[0], found.itemsets[2]
    assert itemset.items == ("theft=yes", "late=yes")
    assert (rule.support_low, rule.support_high) == (itemset.low, itemset.high) == (0.14, 0.22)
    assert (itemset.low_listed, itemset.high_listed) == (0.12, 0.24)
    assert (rule.confidence_low_listed, rule.lift_high_listed, rule.n_shown_all) == (0.55, 2.35, 1000)
    assert (rule.number, rule.association) == (1, 1)
    assert (rule.consequent_low, rule.consequent_high) == (0.3, 0.5)
    # A run from before a finding was made is still read.
    found = whole_report(made.run(survey, findings={}))
    assert (found.shares, found.groups, found.pairs, found.compared) == ((), (), (), ())


def rules_of(run: Run) -> list[Rule]:
    """Of a survey of real people."""
    rows = rules_with_verdicts(run).select_related("itemset").order_by("place")
    return build_content.build_rules(rows, run, Labels(run.content), lambda *_names, **_among: None)


def test_rehearsal_report_includes_the_truth(
    run: Run, owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What joins plain and sensitive answers is of the 800 who chose disguise: 300 are young, 90 of these thieves."""
    counts = {((0, 0),): 400, ((1, 1),): 240, ((2, 1),): 410, ((1, 1), (2, 1)): 120, ((0, 0), (1, 1)): 100}
    everybody = true_counts.CountedTruth(1000, counts)
    disguised = true_counts.CountedTruth(800, {((0, 0),): 300, ((0, 0), (1, 1)): 90})
    stored = true_counts.StoredTruth(everybody, disguised)
    monkeypatch.setattr(true_counts, "read_true_counts", lambda survey: stored)
    assert not whole_report(run).knows_truth
    rehearsal = made.run(made.survey(owner, rehearsal=True))
    found = whole_report(rehearsal)
    by_name = {share.items: share.truth for share in [*found.shares, *found.itemsets]}
    assert by_name["theft=yes",] == 0.24
    assert by_name["theft=yes", "late=yes"] == 0.12
    assert by_name["cash=yes",] is None
    assert found.groups[0].rows[0].cells[0].truth == 0.3
    row, labels = rules_with_verdicts(rehearsal).select_related("itemset").get(place=0), Labels(run.content)
    true = build_content.true_shares(rehearsal, labels)
    (rule,) = build_content.build_rules([row], rehearsal, labels, true)
    assert rule.truth == 0.5


@pytest.fixture
def stored_wait_counts(survey: Survey) -> None:
    WaitCount.objects.create(survey=survey, hour=NOW, asked=400, returned=340)
    WaitCount.objects.create(survey=survey, hour=NOW.replace(year=2024), asked=40, returned=0)


@pytest.mark.page
def test_a_report_says_how_many_were_asked_to_wait(
    stored_wait_counts: None, published_review: Review, reading: Client
) -> None:
    about = Publication.objects.get().content["about"]
    assert (about["asked_to_wait"], about["not_returned"]) == (440, 100)
    page = reading.get(f"/app/reports/{published_review.run_id}/")
    assert "about 440 people, and up to 100 of them did not come back" in page.content.decode()
    WaitCount.objects.update(asked=9000)
    assert read_published_content.published_report_without_rules(published_review).about.asked_to_wait == 440


@pytest.mark.page
def test_ledger_ignores_people_who_waited(run: Run, review: Review, reviewer: Person) -> None:
    accept(review, reviewer, 1)
    _content, told_before, attack_before = report_state_changes.build_and_attack_publication(run, ["age"])
    WaitCount.objects.create(survey=run.survey, hour=NOW, asked=400, returned=340)
    content, told, attack = report_state_changes.build_and_attack_publication(run, ["age"])
    assert content.about.asked_to_wait == 400
    assert json.dumps(told.tables) == json.dumps(told_before.tables)
    assert attack == attack_before
    assert not Disclosure.objects.filter(door=DisclosureKind.REPORT).exists()
    # Before the survey is finished a report does not say it, and where nobody waited there is no line.
    run.population = Population.DISGUISED
    assert build_content.build_report_head(run).asked_to_wait == 0
    assert asked_to_wait_facts(about_run()) == []


def test_a_report_says_whose_answers_it_is_from() -> None:
    disguised = "From 3,000 people who chose disguise."
    both = "From 3,000 people who chose disguise and 1,000 who did not."
    rehearsal = "Until the real survey is finished, its reports will show those who chose disguise alone."
    finished: dict[str, Any] = {"finished": True}
    opened = finished | {"n_open": 1_000}
    cases: list[tuple[dict[str, Any], str]] = [
        ({"disguised_only": True}, f"{disguised} People who chose none are counted"),
        (finished | {"disguised_only": True}, f"{disguised} Too few others saw"),
        (finished, "From 3,000 people."),
        (opened, both),
        (opened | {"left_out": 52}, f"{both} 52 people who chose no disguise are left out:"),
        (opened | {"rehearsal": True}, f"{both} {rehearsal}"),
    ]
    for of, said in cases:
        nobody = {"disguised": 3_000, "n_open": 0, "rehearsal": False, "disguised_only": False}
        assert records_used_text(page_about(**nobody | of)).startswith(said), of


def test_the_smallest_count_is_said_with_its_batches_and_in_a_rehearsal_both_errors() -> None:
    design = sealed.make_design(sealed.plain("where", "a", "b"), sealed.section("theft"))
    labels = Labels(design.mined)
    for first, batches in ((1, "in batches 1 to 2"), (2, "in batch 2")):
        found = AttackResult(SmallestCount(14, "disguised", ((0, 1),), first, 2))
        said = f"14 (Where: b), of people whose answers are disguised, {batches}"
        assert smallest_count_text(found.smallest, labels) == said
    for rehearsal, n_open, many in ((True, 1_000, 1), (False, 1_000, 0), (True, 0, 0)):
        of = about_run(disguised=3_000, n_open=n_open, rehearsal=rehearsal, estimator="stratified")
        report: Any = SimpleNamespace(about=of, design=design)
        facts = estimator_error_facts(report)
        assert len(facts) == many
        assert all(" by “stratified” and " in fact.value for fact in facts)


def multiple_choice_part(name: str, label: str) -> dict[str, Any]:
    of = {"name": f"used-{name}", "form": "many", "of": "used", "text": {"en": "What have you used?"}}
    return {**of, "choices": [{"name": "no"}, {"name": "yes", "label": {"en": label}}]}


SUBSTANCES = {
    "kind": "plain",
    "questions": [multiple_choice_part("tea", "Tea"), multiple_choice_part("rum", "Rum")],
}


def test_an_item_has_a_name_a_number_and_the_short_label_of_its_question() -> None:
    labels = Labels(made.design())
    assert labels.names == [labels.name_of_number(number) for number in range(8)] == made.ITEMS
    assert labels.number("late=yes") == made.LATE
    for name, short, marked in (
        ("theft=yes", "Theft: Yes", "Yes · Theft"),
        ("late=no", "Late: No", "No · Late"),
        ("age=40+", "Age: 40 or older", "40 or older · Age"),
        ("cash=yes", "Cash: Yes", "Yes · Cash"),
    ):
        answer = labels.answer(name)
        assert (answer.short, answer.marked) == (short, marked)
    assert labels.rule(["cash=yes", "late=no"], ["age=40+"]) == "Cash: Yes and Late: No → Age: 40 or older"
    # The reader's language is spoken where the survey knows it.
    with translation.override("zh-hans"):
        labels = Labels(made.design())
        assert labels.answer("theft=yes").question == "您带走过东西吗？"
        assert labels.answer("late=yes").question == "Do you come late"


def test_an_option_of_a_group_is_named_by_its_label_and_so_is_leaving_it_out() -> None:
    labels = Labels(asked.make_design(SUBSTANCES))
    assert labels.answer("used-tea=yes").choice == "Tea"
    assert labels.answer("used-rum=no").choice == "not: Rum"
    assert labels.answer("used-rum=no").question == "What have you used?"
    # They are told apart where they stand for their question, and a list explains each short label once.
    assert [labels.subject(f"used-{name}") for name in ("tea", "rum")] == ["Used: Tea", "Used: Rum"]
    assert labels.short_label_legend == [("Used", "What have you used?")]
    assert Labels(made.design()).subject("age") == "Age"


def test_the_words_of_a_question_with_several_options_stand_once_over_their_rows_and_by_group() -> None:
    age = {"name": "age", "text": {"en": "How old are you?"}, "choices": ["young", "old"]}
    labels = Labels(asked.make_design({**SUBSTANCES, "questions": [age, *SUBSTANCES["questions"]]}))
    classes = ("age=young", "age=old")
    cells = (Cell(100, 0.2, 0.1, 0.3), Cell(100, 0.5, 0.4, 0.6))
    drinks = [f"used-{name}=yes" for name in ("tea", "rum")]
    rows = [
        GroupRow(name, cells, 0.35, 0.001 if shown else 0.5) for name in drinks for shown in (True, False)
    ]
    by_age = GroupTable("age", classes, tuple(rows), part=0.05)
    by_drink = [
        GroupTable(f"used-{name}", (f"used-{name}=no", f"used-{name}=yes"), ()) for name in ("tea", "rum")
    ]
    page: Any = SimpleNamespace(labels=labels, content=SimpleNamespace(groups=(by_age, *by_drink)))
    document = ReportDocument(page, "en")
    measured = MeasuredValue(0.35, 0.3, 0.4)
    vars(document).update(
        _scale=Scale(1.0, 0.2), _estimate_by_answer=dict.fromkeys([*classes, *drinks], measured)
    )
    shares = [
        QuestionShares(
            name, tuple(Estimate((item,), 100) for item in items), False, False, is_sensitive=False
        )
        for name, items in (("age", classes), ("used-tea", drinks[:1]), ("used-rum", drinks[1:]))
    ]
    table = document._share_table("", shares, 32)
    assert [(group.heading, [row.label for row in group.rows]) for group in table.groups] == [
        ("How old are you?", ["young", "old"]),
        ("What have you used?", ["Tea", "Rum"]),
    ]
    first, tea, rum = document._group_parts()
    assert first.heading == "How old are you?"
    assert [caption for caption, _rows in first.tables] == ["What have you used? Tea", "Rum"]
    assert first.no_difference == ["What have you used? Tea", "Rum"]
    assert (tea.heading, rum.heading) == ("What have you used? Tea", "Rum")


def test_a_question_without_any_difference_between_classes_is_named_instead_of_its_answers() -> None:
    choices = {"age": ["young", "old"], "mood": ["low", "fair", "high"], "cash": ["no", "yes"]}
    questions = [{"name": name, "choices": codes} for name, codes in choices.items()]
    labels = Labels(asked.make_design({"kind": "plain", "questions": questions}))
    p_values = {"mood=low": 0.5, "mood=fair": 0.4, "mood=high": 0.9, "cash=no": 0.5, "cash=yes": None}
    rows = tuple(GroupRow(name, (), 0.35, p) for name, p in p_values.items())
    page: Any = SimpleNamespace(
        labels=labels, content=SimpleNamespace(groups=(GroupTable("age", ("age=young", "age=old"), rows),))
    )
    (part,) = ReportDocument(page, "en")._group_parts()
    assert (part.no_difference, part.not_compared) == (["Mood", "Cash: No"], ["Cash: Yes"])


def test_of_many_tables_that_were_not_tried_the_first_are_named() -> None:
    attack, labels = AttackResult(None, ((0,), (1,), (0, 1))), Labels(made.design())
    first, second = (question.name for question in labels.design.questions[:2])
    assert untried_tables_text(attack, labels, 3) == f"{first}, {second}, {first} × {second}"
    assert untried_tables_text(attack, labels, 1) == f"{first} and 2 more"


def test_a_question_goes_by_its_own_label_in_tables_and_is_whole_in_files() -> None:
    text = "Have you, in the last twelve months, taken something home from work that was not yours?"
    of = {"name": "a", "text": {"en": text}, "label": {"en": "Took from work"}, "choices": ["no", "yes"]}
    labels = Labels(asked.make_design({"kind": "plain", "questions": [of]}))
    answer = labels.answer("a=yes")
    assert answer.question == text
    assert answer.asked == "Took from work"
    assert answer.short == "Took from work: Yes"
    assert labels.join_full(["a=yes"]) == f"{text} Yes"
