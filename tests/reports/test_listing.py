"""Which rules, itemsets and reports a list shows and how each row looks; it stays quick, however many there are."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import combinations
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts import role_assignment
from accounts.models import REVIEWERS, Person
from mining.nodes.report_nodes import GroupTable, Rule as RuleNode
from reports.answer_labels import Labels
from reports.models import Decision, Review
from reports.pages import undecided_rules
from reports.pages.reader_views import RULES
from reports.pages.reviewer_rule_rows import ReviewerRuleRow, reviewer_rule_rows
from reports.pages.rule_filter_form import RuleFilter
from reports.review import report_emails, report_state_changes, rule_decisions
from reports.review.report_page_data import ReportPage
from reports.review.rule_decisions import rules_with_verdicts
from reports.sentences.sentence_parts import as_text
from runs.models import Itemset, Rule, Run
from surveys.models import Collaborator
from tests.cast import As, kept_row, unsaved_person
from tests.intake import asked as questions
from tests.reports import made
from tests.reports.conftest import BY_SCRIPT, decide, desk_page
from tests.reports.made_nodes import DASH, SPACE, about_run, labels_in, rule, weak_rule
from tests.reports.test_content import SUBSTANCES
from tests.surveys.conftest import NOW

pytestmark = pytest.mark.page


def listed_places(run: Run, **wanted: Any) -> list[int]:
    """The numbers of the rules that this address lists, in its order."""
    asked_for = {key: str(value) for key, value in wanted.items()}
    form = RuleFilter(Labels(made.design()), asked_for, verdicts=True)
    return [row.place + 1 for row in form.filter_rules(rules_with_verdicts(run)).order_by("place")]


def test_a_filter_lists_the_rules_that_fit(run: Run, subtests: pytest.Subtests) -> None:
    cases: list[tuple[dict[str, Any], list[int]]] = [
        ({}, [1, 2, 3, 4]),
        ({"item": made.THEFT}, [1, 2]), ({"item": made.CASH}, [3, 4]), ({"item": made.OLD}, []),
        ({"support": 18}, [1, 2]), ({"support": 18.1}, []),
        ({"confidence": 55}, [1, 3, 4]), ({"lift": 1}, [1, 2]),
        ({"association": "shown"}, [1, 2]), ({"association": "more"}, [1, 2]),
        ({"association": "less"}, []), ({"association": "none"}, [3, 4]),
        ({"item": made.LATE, "confidence": 50, "association": "none"}, [3, 4]),
        ({"verdict": "undecided"}, [1, 2, 3, 4]), ({"verdict": "accept"}, []),
    ]  # fmt: skip
    for wanted, numbers in cases:
        with subtests.test(str(wanted)):
            assert listed_places(run, **wanted) == numbers
    # One that makes no sense is left out, and its field says so.
    nonsense = {"support": "much", "lift": "nan", "item": "999", "association": "perhaps", "verdict": "x"}
    for name, value in nonsense.items():
        with subtests.test(name):
            assert len(listed_places(run, **{name: value})) == 4
            form = RuleFilter(Labels(made.design()), {name: value}, verdicts=True)
            form.filter_rules(Rule.objects.all())
            assert list(form.errors) == [name]
    # Readers are not offered a filter by decisions.
    form = RuleFilter(Labels(made.design()), {"verdict": "reject"}, verdicts=False)
    assert "verdict" not in form.fields


def test_the_last_verdict_is_what_is_filtered_by(review: Review, reviewer: Person) -> None:
    for verdict in (Decision.Verdict.REJECT, Decision.Verdict.ACCEPT):
        decide(review, reviewer, verdict, 1, 2)
    found = {
        verdict: listed_places(review.run, verdict=verdict) for verdict in ("accept", "reject", "undecided")
    }
    assert found == {"accept": [1, 2], "reject": [], "undecided": [3, 4]}


@pytest.fixture
def whole_report_page(review: Review) -> ReportPage:
    return ReportPage(review, whole=True)


def test_a_tally_is_counted_by_the_database(whole_report_page: ReportPage, reviewer: Person) -> None:
    run = whole_report_page.review.run
    kept = list(Itemset.objects.filter(run=run).order_by("place"))
    Rule.objects.bulk_create(made.rule(run, 4 + n, kept, **made.RULES[0]) for n in range(300))
    decide(whole_report_page.review, reviewer, Decision.Verdict.MORE_DATA, *range(1, 10))
    decide(whole_report_page.review, reviewer, Decision.Verdict.ACCEPT, 1, 2)
    with CaptureQueriesContext(connection) as asked:
        counts = rule_decisions.count_by_verdict(run)
    assert counts == {"accept": 2, "reject": 0, "more_data": 7, "undecided": 295}
    (query,) = asked
    assert "GROUP BY" in query["sql"]


def note_read(read: list[Any], from_db: Any, _model: type, *row: Any, **more: Any) -> Itemset:
    read.append(from_db(*row, **more))
    return read[-1]  # type: ignore[no-any-return]


def test_a_page_reads_what_it_shows(
    whole_report_page: ReportPage, monkeypatch: pytest.MonkeyPatch, judging: Client
) -> None:
    run = whole_report_page.review.run
    Itemset.objects.bulk_create(made.itemset(run, 4 + n, (3, 5), 0.15) for n in range(600))
    read: list[Any] = []
    monkeypatch.setattr(Itemset, "from_db", classmethod(partial(note_read, read, Itemset.from_db)))
    # Four rules have each their itemset with them, among the findings of the front too.
    expected = {"report": 4, "groups": 0, "itemsets": 40, "rules?verdict=any": 4}
    expected |= {"pictures/error-keep.svg": 0, "publish": 0}
    found = {}
    for page in expected:
        read.clear()
        assert judging.get(desk_page(page)).status_code == 200
        found[page] = len(read)
    assert found == expected
    # The pages of itemsets follow each other.
    page = judging.get(desk_page("itemsets?size=2&page=16")).content.decode()
    assert page.count("<strong>15.0 %</strong>") == 1
    assert "size=2&amp;page=15" in page


def test_classes_of_an_option_are_headed_by_the_option_too() -> None:
    labels = Labels(questions.make_design(SUBSTANCES))
    found = GroupTable("used-tea", ("used-tea=no", "used-tea=yes"), (), False)
    assert labels.heading(found) == "What have you used? Tea"


WORDS = (
    "take something home from work", "claim expenses that you did not have", "come late without saying so",
    "drive after drinking too much", "copy from somebody in an exam", "pay for a service without a bill",
    "leave something out of a tax return", "travel without a ticket", "hide how much you drink",
    "read messages of somebody else", "take medicine that was not for you", "keep money that you had found",
)  # fmt: skip


def many_rules(owner: Person, rules: int = 1000) -> Run:
    """All of them need a decision."""

    def make() -> Run:
        nothing: dict[str, Any] = {name: [] for name in ("answers", "alike", "groups", "coherent", "pairs")}
        run = made.run(questions.survey(design(), owner=owner), findings=made.FINDINGS | nothing, rules=0)
        run.itemsets.all().delete()
        Itemset.objects.bulk_create([made.itemset(run, 0, (yes_item(0), yes_item(1)), 0.18)])
        itemset = run.itemsets.get()
        Rule.objects.bulk_create(
            one_of_many(run, place, itemset, front, then)
            for place, (front, then) in enumerate(rule_sides(rules))
        )
        Run.objects.filter(pk=run.pk).update(itemset_count=1, rule_count=rules)
        run.refresh_from_db()
        return run

    return kept_row(("many rules", rules), make)


def design() -> Any:
    sensitive = [
        {"name": f"q{place}", "text": {"en": f"Did you ever {words}?"}, "choices": ["no", "yes"]}
        | {"noise": ["0.6", "0.4"]}
        for place, words in enumerate(WORDS)
    ]
    section = {"kind": "unrelated-question", "keep": "0.5", "questions": sensitive}
    return questions.make_design(section, title={"en": "A thousand rules"}, languages=["en"], least=20)


def yes_item(place: int) -> int:
    return 2 * place + 1


def rule_sides(rules: int) -> list[tuple[tuple[int, ...], int]]:
    """The antecedents and the consequent of so many different rules."""
    every = range(len(WORDS))
    fronts = [front for size in (1, 2, 3) for front in combinations(every, size)]
    found = [(front, then) for front in fronts for then in every if then not in front]
    return [(tuple(map(yes_item, front)), yes_item(then)) for front, then in found[:rules]]


def one_of_many(run: Run, place: int, itemset: Itemset, front: tuple[int, ...], then: int) -> Rule:
    values = {"sides": (front, (then,)), "in": 0, "lift": 2.45 - place / 1000}
    row = made.rule(run, place, [itemset], **made.RULES[0] | values)
    row.under = None
    return row


def asked_of(client: Client, run: Run, page: str, **data: str) -> tuple[int, int]:
    """Queries and bytes of an answer."""
    address = f"/app/admin/reports/review/{run.pk}/{page}"
    client.get(address.replace("/judge", ""))  # what is read once and kept
    with CaptureQueriesContext(connection) as queries:
        answer = client.post(address, data, **BY_SCRIPT) if data else client.get(address)
    assert answer.status_code == 200
    return len(queries), len(answer.content)


def test_a_thousand_rules_cost_as_much_as_one_page(owner: Person, judging: Client) -> None:
    few, many = many_rules(owner, 2 * RULES), many_rules(owner)
    report_state_changes.create_reviews_of_finished_runs(NOW)
    # All need a decision, and a page shows the first.
    assert undecided_rules.count_needing_decision(many) == 1000
    page = judging.get(f"/app/admin/reports/review/{many.pk}/rules").content.decode()
    assert page.count('class="judged"') == RULES
    assert "1,000 rules left to decide" in page
    # The questions in full stand once above the rules, and no rule has a tooltip.
    assert page.count("The questions in full") == 1
    assert 'tabindex="0"' not in page[page.index('class="judged"') :]
    (queries, size), (more_queries, more) = (asked_of(judging, run, "rules") for run in (few, many))
    assert more_queries == queries
    assert more < min(1.1 * size, 100_000)
    asked = [asked_of(judging, run, "rules/1/judge", verdict="accept")[0] for run in (few, many)]
    assert asked[0] == asked[1]


def query_count(call: Callable[[], Any]) -> int:
    with CaptureQueriesContext(connection) as queries:
        call()
    return len(queries)


@pytest.fixture
def make(owner: Person, viewer: Person) -> Callable[[int], None]:
    """So many more surveys with somebody who works on them, and a run that waits."""

    def add_surveys(count: int) -> None:
        for _ in range(count):
            survey = made.survey(owner)
            Collaborator.objects.create(survey=survey, person=viewer, may_edit=False)
            made.run(survey, rules=0)
        report_state_changes.create_reviews_of_finished_runs(NOW)

    return add_surveys


@pytest.mark.at_push(1)
@pytest.mark.parametrize(
    ("who", "address"),
    [("reviewer", "/app/reports/"), ("viewer", "/app/reports/"), ("reviewer", "/app/admin/reports/review/")],
)
def test_a_list_of_six_reports_asks_no_more_than_one_of_two(
    request: pytest.FixtureRequest, make: Callable[[int], None], signed_in_as: As, who: str, address: str
) -> None:
    client = signed_in_as(request.getfixturevalue(who))
    make(2)
    client.get(address)
    two = query_count(lambda: client.get(address))
    make(4)
    six = client.get(address).content.decode()
    assert query_count(lambda: client.get(address)) == two
    assert all(f"Run {review.run.number}" in six for review in Review.objects.all())
    assert Review.objects.count() == 6


def test_database_list_for_review_matches_permissions(
    review: Review, owner: Person, reviewer: Person, partial: Person, viewer: Person, stranger: Person,
    superuser: Person,
) -> None:  # fmt: skip
    for person in (viewer, superuser):
        role_assignment.give_role(person, REVIEWERS, by=None)
    people = (owner, reviewer, partial, viewer, stranger, superuser)
    cast = [Person.objects.get(pk=person.pk) for person in people]
    for person in cast:
        listed = Review.objects.to_review_by(person).filter(pk=review.pk).exists()
        assert listed is review.may(person, "review"), person
    assert [person.username for person in cast if review.may(person, "review")] == ["reviewer", "superuser"]


def test_a_letter_to_six_asks_no_more_than_to_two(review: Review, reviewer: Person, partial: Person) -> None:
    one = query_count(lambda: report_emails.send_waiting(review))
    for number in range(5):
        role_assignment.give_role(unsaved_person(f"reviewer-{number}"), REVIEWERS, by=None)
    assert query_count(lambda: report_emails.send_waiting(review)) == one


def rows(*rules: RuleNode) -> list[ReviewerRuleRow]:
    found, _scale = reviewer_rule_rows([(one, "") for one in rules], labels_in(), about_run())
    return list(found)


def test_the_ratio_stands_beside_the_sentence_and_the_interval_is_of_the_direction_that_is_said() -> None:
    strong = rule()
    (row,) = rows(strong)
    text = as_text(row.finding.sentence).replace(DASH, "–").replace(SPACE, " ")
    assert "54 % (49–59)" in text
    assert "times" not in text
    (drawn,) = row.intervals
    ends = (strong.confidence_low_listed, strong.confidence, strong.confidence_high_listed)
    assert (drawn.low, drawn.estimate, drawn.high) == ends
    # A filled share could contain the base rate, which stands beneath.
    assert (drawn.base, drawn.state) == (None, "filled")
    assert "Among all: 38 %" in as_text(row.finding.beneath).replace(SPACE, " ")
    # So is the diamond.
    for said, truth in (("rule", 0.52), ("converse", 0.71)):
        (row,) = rows(replace(strong, truth=0.52, truth_converse=0.71, said=said))
        assert row.intervals[0].truth == truth
    # A pair that shows nothing is hollow and says what the design can find.
    (row,) = rows(weak_rule())
    assert row.intervals[0].state == "hollow"
    assert row.finding.power


def test_a_list_of_rules_has_a_title_where_there_are_two() -> None:
    rules = [(rule(), ""), (rule(antecedent=("age=40+", "late=yes")), "")]
    two, one = ({"statements": {"pairs": 57, **more}, "max_size": 3} for more in ({"larger": 171}, {}))
    for members, titles in ((two, ["Pairs", "Ways to divide more than two answers"]), (one, ["", ""])):
        found, _scale = reviewer_rule_rows(rules, labels_in(), about_run(**members))
        assert [row.list_title for row in found] == titles


def test_an_impossible_estimate_is_not_drawn_and_the_scale_holds_all_others() -> None:
    far = rule(confidence=0.93, confidence_low_listed=0.88, confidence_high_listed=0.97)
    impossible = rule(confidence=1.2, confidence_low_listed=0.7, confidence_high_listed=1.0)
    found, scale = reviewer_rule_rows(
        [(one, "") for one in (far, impossible, rule())], labels_in(), about_run()
    )
    assert [len(row.intervals) for row in found] == [1, 0, 1]
    assert scale.end >= 0.97
