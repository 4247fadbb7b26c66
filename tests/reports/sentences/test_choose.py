"""Which findings a report begins with."""

from dataclasses import replace

from django.utils import translation

from mining.document.report import HEAD_ENDS, Cell, GroupRow, GroupTable, Report, Rule
from mining.document.study import Arms, Completion, Study
from reports.labels import Labels
from reports.sentences.choose import findings
from reports.sentences.finding import Finding
from tests.reports import made_numbers
from tests.reports.sentences.nodes import LATE, about, arms, labels_in, report, rule, share, weak
from tests.reports.sentences.test_fixed_sentences import plain


def kinds(found: tuple[Finding, ...]) -> list[str]:
    return [one.kind for one in found]


def of_numbers(*rules: Rule) -> tuple[Report, Labels]:
    labels = Labels(made_numbers.design(open_answers=False).mined, "en")
    return report(*rules, shares=(), numbers=made_numbers.numbers()), labels


def many(n: int) -> list[Rule]:
    return [rule(number=number) for number in range(1, n + 1)]


def test_at_most_seven_associations_first_then_a_share_and_one_that_is_not_shown() -> None:
    found = findings(report(*many(9), weak(number=10), weak(number=11)), labels_in())
    assert kinds(found) == ["pair"] * 5 + ["share", "pair"]
    assert [one.node.number for one in found if one.kind == "pair"] == [1, 2, 3, 4, 5, 10]
    assert [one.verdict for one in found] == [1, 1, 1, 1, 1, None, 0]


def test_a_report_with_a_number_says_one_thing_of_it() -> None:
    content, labels = of_numbers()
    found = findings(content, labels)
    assert kinds(found) == ["none", "number"]
    assert plain(found[1].sentence) == "The average of “Debt” is 1,835 euros (1,671–1,998)."


def test_the_order_is_that_of_the_evidence_and_not_of_the_estimate() -> None:
    large = rule(number=3, lift=9.0, lift_low_listed=1.2, lift_high_listed=30.0)
    found = findings(report(large, rule(number=1), rule(number=2, lift=1.32)), labels_in())
    assert [one.node.number for one in found if one.kind == "pair"] == [1, 2, 3]


def test_a_redundant_pair_is_no_finding() -> None:
    found = findings(report(rule(number=1), rule(number=2, redundant=True), rule(number=3)), labels_in())
    assert [one.node.number for one in found if one.kind == "pair"] == [1, 3]


def test_a_pair_that_is_too_noisy_is_no_finding() -> None:
    noisy = rule(number=1, confidence=-0.02, confidence_low_listed=0.0)
    hollow = weak(number=2, confidence=-0.02, confidence_low_listed=0.0)
    found = findings(report(noisy, hollow), labels_in())
    assert kinds(found) == ["none", "share"]


def head(association: int, low: float) -> tuple[float, ...]:
    """In a shorter list: other ends of the ratio, and of the shares those from 0 to 1."""
    ends = dict.fromkeys(HEAD_ENDS, 0.0) | {name: 1.0 for name in HEAD_ENDS if name.endswith("high")}
    return (association, *(ends | {"lift_low": low, "lift_high": 3.0}).values())


def test_a_finding_has_the_interval_of_its_place_among_the_findings() -> None:
    skipped = rule(number=1, redundant=True)
    second = rule(number=2, heads=(head(1, 1.04),))
    (found, _share) = findings(report(skipped, second), labels_in())
    assert plain(found.sentence).endswith("1.4 times as many (1.04–3.0).")
    assert (found.measured.low, found.measured.high) == (0.0, 1.0)


def test_a_pair_that_loses_its_badge_at_its_place_is_no_finding() -> None:
    skipped = rule(number=1, redundant=True)
    second = rule(number=2, heads=(head(0, 0.9),))
    assert kinds(findings(report(skipped, second), labels_in())) == ["none", "share"]


def test_without_an_association_the_report_says_so_first() -> None:
    found = findings(report(weak(number=1), weak(number=2)), labels_in())
    assert kinds(found) == ["none", "share", "pair"]
    assert plain(found[0].sentence) == "No association is shown among the 57 pairs that were tested."
    # (1.06 - .78)^2 / (1.06 - 1)^2 = 21.78 times 4,100 is 89,289.
    assert plain(found[2].change) == (
        "What would change this: about 90,000 answers, if the estimate stayed as it is."
    )
    with translation.override("de"):
        found = findings(report(about=about(family=1)), labels_in("de"))
        assert plain(found[0].sentence) == "In dem einen geprüften Paar (1) ist kein Zusammenhang gezeigt."


def test_a_report_without_pairs_says_nothing_of_them() -> None:
    assert kinds(findings(report(about=about(family=0)), labels_in())) == ["share"]


def test_the_share_is_the_first_sensitive_one_of_the_questionnaire_that_can_be_said() -> None:
    late = share(items=LATE, support=0.4)
    noisy = share(support=-0.1, low=0.0)
    age = share(items=("age=40+",), support=0.6, low=0.6, high=0.6)
    assert [one.node for one in findings(report(shares=(age, late, share())), labels_in())][1:] == [share()]
    assert [one.node for one in findings(report(shares=(late, noisy)), labels_in())][1:] == [late]


def test_the_findings_of_a_report_do_not_depend_on_the_order_of_its_rules() -> None:
    rules = [*many(3), weak(number=4)]
    content = report(*rules)
    assert findings(content, labels_in()) == findings(replace(content, rules=tuple(rules[::-1])), labels_in())


def test_a_difference_of_groups_is_the_one_with_the_smallest_p_that_no_pair_says() -> None:
    cells = (Cell(400, 0.18, 0.13, 0.23), Cell(600, 0.35, 0.29, 0.41))
    theft, late = (
        GroupRow(name, cells, 0.28, p, 0.25, 0.31, 1000)
        for name, p in (("theft=yes", 0.0004), ("late=yes", 0.003))
    )
    table = GroupTable("age", ("age=18-39", "age=40+"), (late, theft))
    found = findings(report(groups=(table,)), labels_in())
    assert kinds(found) == ["group", "share"]
    assert plain(found[0].sentence).startswith(
        "Of people who answered “Age: 18 to 39”, 18 % (13–23) answered “Theft"
    )
    # A pair of people of 40 and older and theft leaves the younger ones to be said.
    found = findings(report(rule(), groups=(table,)), labels_in())
    assert kinds(found) == ["pair", "group", "share"]
    assert (
        findings(report(groups=(replace(table, rows=(replace(theft, p=0.2),)),)), labels_in())[0].kind
        == "none"
    )


def test_the_arms_are_a_finding_also_where_no_difference_is_shown() -> None:
    more = arms(0.38, 0.54, 0.16, 0.08, 0.24, 0.001, 0.002)
    none = replace(arms(0.38, 0.41, 0.03, -0.05, 0.11, 0.4, 0.8), item="late=yes")
    noisy = replace(more, p=0.0001, direct=-0.02, direct_low=0.0)
    for items, shown in (((none, more, noisy), more), ((none,), none)):
        study = Study(arms=Arms(1200, 3600, 0.25, Completion(1.0, 0.9, 1.1, 0.9), items))
        *_others, found = findings(report(study=study), labels_in())
        assert (found.kind, found.node, bool(found.change)) == ("arms", shown, shown is none)
