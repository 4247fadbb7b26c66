"""Which findings a report begins with."""

from dataclasses import replace
from typing import Any

from django.utils import translation

from mining.nodes.report_nodes import Cell, ClassDifference, GroupRow, GroupTable, Report, Rule
from mining.nodes.study_nodes import TOO_FEW, Arms, Completion, HypothesisResult, PlanResult, Study
from reports.answer_labels import Labels
from reports.estimate_texts import search_size_text
from reports.sentences.finding import Finding
from reports.sentences.first_finding_sentences import headline_findings
from reports.sentences.hypotheses import plan_with_share_intervals
from reports.texts.hypothesis_texts import hypothesis_interval
from tests.intake import asked
from tests.reports import made_nodes
from tests.reports.made_nodes import LATE, THEFT, about_run, arms, labels_in, report, rule, share, weak_rule
from tests.reports.sentences.test_fixed_sentences import sentence_text


def kinds(found: tuple[Finding, ...]) -> list[str]:
    return [one.kind for one in found]


def report_of_numbers(*rules: Rule) -> tuple[Report, Labels]:
    labels = Labels(made_nodes.numbers_design(open_answers=False).mined, "en")
    return report(*rules, shares=(), numbers=made_nodes.number_nodes()), labels


def many_rules_numbered(n: int) -> list[Rule]:
    return [rule(number=number) for number in range(1, n + 1)]


def test_front_page_adds_associations_up_to_seven() -> None:
    found = headline_findings(
        report(*many_rules_numbered(9), weak_rule(number=10), weak_rule(number=11)), labels_in()
    )
    assert kinds(found) == ["pair"] * 6 + ["share"]
    assert [one.node.number for one in found if one.kind == "pair"] == [1, 2, 3, 4, 5, 6]
    found = headline_findings(
        report(*many_rules_numbered(2), weak_rule(number=10), weak_rule(number=11)), labels_in()
    )
    told = [("pair", 1), ("pair", 1), ("share", None), ("pair", 0)]
    assert [(one.kind, one.verdict) for one in found] == told


def test_front_page_has_one_finding_about_a_number() -> None:
    content, labels = report_of_numbers()
    found = headline_findings(content, labels)
    assert kinds(found) == ["none", "number"]
    assert sentence_text(found[1].sentence) == "The average of “Debt” is 1,830 euros (1,670–2,000)."


def test_front_page_says_the_median_of_a_number_without_an_average() -> None:
    content, labels = report_of_numbers()
    debt = content.numbers[0]
    shares_alone = replace(debt, all_records=replace(debt.all_records, mean=None))
    found = headline_findings(replace(content, numbers=(shares_alone,)), labels)
    assert (
        sentence_text(found[1].sentence)
        == "The median of “Debt” is at least 500 euros and below 2,000 euros."
    )


def test_front_page_is_ordered_by_evidence() -> None:
    large = rule(number=3, lift=9.0, lift_low_listed=1.2, lift_high_listed=30.0)
    assert pair_numbers(report(large, rule(number=1), rule(number=2, lift=1.32))) == [1, 2, 3]
    # A longer rule is a finding only where the shorter one is not in the list.
    assert pair_numbers(report(rule(number=1), rule(number=2, under=1), rule(number=3, under=9))) == [1, 3]
    rules = [*many_rules_numbered(3), weak_rule(number=4)]
    turned = headline_findings(report(*rules[::-1]), labels_in())
    assert headline_findings(report(*rules), labels_in()) == turned


def pair_numbers(of: Report) -> list[int]:
    return [one.node.number for one in headline_findings(of, labels_in()) if one.kind == "pair"]


def test_noisy_or_insignificant_pair_is_left_out() -> None:
    noisy = rule(number=1, confidence=-0.02, confidence_low_listed=0.0)
    hollow = weak_rule(number=2, confidence=-0.02, confidence_low_listed=0.0)
    # The list shows an association, so nobody says that none is shown.
    assert kinds(headline_findings(report(noisy, hollow), labels_in())) == ["share"]
    # .05 over three families of which that of the pairs has 57 statements.
    for p, expected in ((0.05 / 3 / 57, ["pair", "share"]), (0.0003, ["share"])):
        assert kinds(headline_findings(report(rule(p=p)), labels_in())) == expected


def test_rule_of_three_answers_is_a_finding_only_without_other_lists() -> None:
    of_three = rule(antecedent=("age=40+", "late=yes"), p=1e-9)
    two = {"statements": {"pairs": 57, "larger": 171, "groups": 4, "arms": 2}, "family": 228, "max_size": 3}
    parted = headline_findings(report(of_three, about=about_run(**two)), labels_in())
    assert kinds(parted) == ["none", "share"]
    assert sentence_text(parted[0].sentence) == "No association is shown among the 57 pairs that were tested."
    one = two | {"statements": {"pairs": 228, "groups": 4, "arms": 2}}
    assert kinds(headline_findings(report(of_three, about=about_run(**one)), labels_in())) == [
        "pair",
        "share",
    ]
    (none, *_rest) = headline_findings(report(weak_rule(number=1), about=about_run(**one)), labels_in())
    assert sentence_text(none.sentence) == (
        "Ways to divide two or more answers that were tested: 228. No association is shown."
    )
    found = [search_size_text(about_run(**members)) for members in (two, one, {})]
    assert found == [
        "57 pairs and 171 ways to divide more than two answers",
        "228 ways to divide two or more answers",
        "57 pairs",
    ]


def test_front_page_says_first_that_no_association_was_found() -> None:
    found = headline_findings(report(weak_rule(number=1), weak_rule(number=2)), labels_in())
    assert kinds(found) == ["none", "share", "pair"]
    assert sentence_text(found[0].sentence) == "No association is shown among the 57 pairs that were tested."
    # (.58 - .5) / 3.92 is .0204; times 3.328 + .842, at .05/57 and 80 %, 8.5 points.
    assert sentence_text(found[2].power) == (
        "With 4,002 answers, a difference of 9 percentage points would be found four times out of five."
    )
    with translation.override("de"):
        found = headline_findings(report(about=about_run(family=1)), labels_in("de"))
        assert (
            sentence_text(found[0].sentence)
            == "In dem einen geprüften Paar (1) ist kein Zusammenhang gezeigt."
        )
    assert kinds(headline_findings(report(about=about_run(family=0)), labels_in())) == ["share"]


def test_front_page_share_is_the_first_sensitive_one_available() -> None:
    late = share(items=LATE, support=0.4)
    noisy = share(support=-0.1, low=0.0)
    age = share(items=("age=40+",), support=0.6, low=0.6, high=0.6)
    for shares, said in (((age, late, share()), share()), ((late, noisy), late)):
        assert [one.node for one in headline_findings(report(shares=shares), labels_in())][1:] == [said]


def test_front_page_states_the_share_of_yes() -> None:
    no = ("theft=no",)
    # The share, though *no* is the first choice of a question that also takes "prefer not to say".
    age = {"name": "age", "text": {"en": "Age"}, "choices": ["18-39", "40+"]}
    theft = {"name": "theft", "text": {"en": "Theft"}, "choices": ["no", "yes", "refused"]}
    labels = Labels(
        asked.make_design(
            {"kind": "plain", "questions": [age]},
            {
                "kind": "unrelated-question",
                "keep": "0.5",
                "questions": [theft | {"noise": ["0.4", "0.4", "0.2"]}],
            },
        ).mined,
        "en",
    )
    shares = (share(items=no, support=0.6, low=0.57, high=0.63), share())
    assert [one.node.items for one in headline_findings(report(shares=shares), labels)[1:]] == [THEFT]
    # A pair that shows no association, though the p of the one with *no* is smaller.
    of_no = weak_rule(number=1, consequent=no)
    found = headline_findings(report(of_no, weak_rule(number=2)), labels)
    assert [one.node.number for one in found if one.kind == "pair"] == [2]
    assert sentence_text(found[-1].sentence).startswith(
        "Of people who answered “Age: 40+”, 40 % (30–50) answered “Theft: yes”"
    )
    # A pair that shows one is not said of *no* beside it, and is where it stands alone.
    said_no = rule(number=1, consequent=no)
    for rules, numbers in (((said_no, rule(number=2)), [2]), ((said_no,), [1])):
        found = headline_findings(report(*rules), labels)
        assert [one.node.number for one in found if one.kind == "pair"] == numbers


def class_table(p: float) -> GroupTable:
    cells = (Cell(400, 0.18, 0.13, 0.23), Cell(600, 0.35, 0.29, 0.41))
    front = ClassDifference("age=18-39", -0.17, -0.28, -0.06, p)
    row = GroupRow("theft=yes", cells, 0.28, 0.001, 0.25, 0.31, 1000, front)
    return GroupTable("age", ("age=18-39", "age=40+"), (row,))


def test_class_is_a_finding_by_p_unless_a_pair_covers_it() -> None:
    # .05 over three families, four statements and two classes is .00208.
    found = headline_findings(report(groups=(class_table(0.002),)), labels_in())
    assert kinds(found) == ["group", "share"]
    assert sentence_text(found[0].sentence) == (
        "Of people who answered “Age: 18 to 39”, at least 6 percentage points fewer answered “Theft: Yes” than of all "
        "others."
    )
    # z of .002 is 3.090, of the limit 3.078. An estimate .6 beyond, at z 3.68 and p .000234, is stated behind.
    for p, is_stated in ((0.000240, False), (0.000230, True)):
        headline, *_rest = headline_findings(report(groups=(class_table(p),)), labels_in())
        assert (
            sentence_text(headline.sentence).endswith("The estimate is 17 percentage points (6–28).")
            == is_stated
        )
    assert kinds(headline_findings(report(groups=(class_table(0.0021),)), labels_in())) == ["none", "share"]
    for of, said in ((rule(antecedent=("age=18-39",)), []), (rule(), ["group"])):
        found = headline_findings(report(of, groups=(class_table(1e-5),)), labels_in())
        assert kinds(found) == ["pair", *said, "share"]


def test_arm_difference_is_a_finding_only_if_significant() -> None:
    more = arms(0.38, 0.54, 0.16, 0.08, 0.24, 0.001, 0.002)
    none = replace(arms(0.38, 0.41, 0.03, -0.05, 0.11, 0.4, 0.8), item="late=yes")
    noisy = replace(more, p=0.0001, direct=-0.02, direct_low=0.0)
    for items, expected in (((none, more), ["arms"]), ((none,), ["none"]), ((noisy,), ["none"])):
        study = Study(arms=Arms(1200, 3600, 0.25, Completion(1.0, 0.9, 1.1, 0.9), items))
        found = headline_findings(report(study=study), labels_in())
        assert kinds(found)[:-1] == expected


def hypothesis(number: int, **members: Any) -> HypothesisResult:
    values: dict[str, Any] = {"item": "theft=yes", "estimate": 0.081, "low": 0.02, "high": 0.14}
    values |= {"p": 0.001, "holm": 0.005, "met": True}
    return HypothesisResult(f"H{number}", "arms", **values | members)


def study_with_plan(*hypotheses: HypothesisResult) -> Study:
    return Study(plan=PlanResult("ab", {}, hypotheses))


def test_few_people_are_mentioned_only_as_the_reason_for_an_untested_hypothesis() -> None:
    nothing: dict[str, Any] = {
        "estimate": None,
        "low": None,
        "high": None,
        "p": None,
        "holm": 1.0,
        "met": False,
    }
    few, constant = hypothesis(1, **nothing, why=TOO_FEW), hypothesis(2, **nothing, why="item: is constant")
    found = headline_findings(report(study=study_with_plan(few, constant)), labels_in())
    assert [sentence_text(one.sentence) for one in found[:2]] == [
        "This hypothesis could not be tested: too few people answered.",
        "This hypothesis could not be tested.",
    ]


def test_planned_results_come_first_in_plan_order() -> None:
    weak_one = hypothesis(1, estimate=0.01, low=-0.05, high=0.07, p=0.6, holm=0.6, met=False)
    found = headline_findings(
        report(*many_rules_numbered(9), study=study_with_plan(weak_one, hypothesis(2))), labels_in()
    )
    assert kinds(found) == ["hypothesis"] * 2 + ["pair"] * 4 + ["share"]
    assert [one.verdict for one in found[:2]] == [0, 1]
    assert sentence_text(found[0].sentence) == (
        "No difference with disguise is shown in the share of people who answered “Theft: Yes”; anything between 5 "
        "percentage points fewer and 7 percentage points more is possible."
    )
    assert sentence_text(found[1].sentence) == (
        "With disguise, 8 percentage points (2–14) more answered “Theft: Yes” than when asked directly."
    )
    assert sentence_text(found[1].beneath) == (
        "Planned before the survey opened: The share of people who answered “Theft: Yes” is not the same with disguise "
        "as when asked directly. Met; p 0.005 after Holm."
    )


def test_a_planned_share_has_the_interval_of_the_same_share_among_all_shares() -> None:
    of_share = {"estimate": 0.38, "low": None, "high": None, "than": "0.1000"}
    planned_share = replace(hypothesis(1, **of_share), kind="share")
    content = report(study=study_with_plan(planned_share))
    (found, *_) = headline_findings(content, labels_in())
    assert sentence_text(found.sentence) == "Of all, 38 % (35–41) answered “Theft: Yes”. That is above 10 %."
    assert (found.measured.low, found.measured.high) == (0.35, 0.41)
    plan = plan_with_share_intervals(content)
    assert plan
    assert hypothesis_interval(plan.hypotheses[0]) == "35.0 % to 41.0 %"
    # The plan has said this share: the first sensitive one beyond it follows.
    late = share(items=LATE, support=0.2, low=0.15, high=0.25)
    said = headline_findings(
        report(shares=(share(), late), study=study_with_plan(planned_share)), labels_in()
    )
    assert [one.node for one in said if one.kind == "share"] == [late]
    # By another estimator the report has another share, so no interval of this estimate.
    other = replace(planned_share, estimate=0.36)
    (found, *_) = headline_findings(report(study=study_with_plan(other)), labels_in())
    assert sentence_text(found.sentence) == "The share of people who answered “Theft: Yes” is above 10 %."
    assert hypothesis_interval(other) == "–"
    of_disguised = report(shares=(share(disguised_only=True),), study=study_with_plan(planned_share))
    (found, *_) = headline_findings(of_disguised, labels_in())
    assert sentence_text(found.sentence).startswith("Of all who chose disguise, 38 % (35–41)")


def test_first_seven_results_of_a_long_plan_are_shown_and_the_rest_counted() -> None:
    plan = study_with_plan(*(hypothesis(number, met=number % 2 == 0) for number in range(1, 11)))
    found = headline_findings(report(*many_rules_numbered(3), study=plan), labels_in())
    assert kinds(found) == ["hypothesis"] * 7 + ["more", "pair"]
    assert [one.node.name for one in found[:7]] == [f"H{number}" for number in range(1, 8)]
    assert sentence_text(found[7].sentence) == "And 3 more hypotheses of the plan; met: 2."
    plan = study_with_plan(hypothesis(1).without_result, hypothesis(2))
    found = headline_findings(report(study=plan), labels_in())
    assert [one.node.name for one in found if one.kind == "hypothesis"] == ["H2"]


def test_what_the_plan_names_is_not_found_beside_it() -> None:
    pair = hypothesis(1, antecedent=("theft=yes",), consequent=("age=40+",))
    pair = replace(pair, kind="association", item="", estimate=1.4, low=1.2, high=1.7)
    compared = arms(0.38, 0.54, 0.16, 0.08, 0.24, 1e-6, 0.002)
    of_arms = Arms(1200, 3600, 0.25, Completion(1.0, 0.9, 1.1, 0.9), (compared,))
    study = replace(study_with_plan(pair, hypothesis(2)), arms=of_arms)
    found = headline_findings(report(rule(), study=study), labels_in())
    assert kinds(found) == ["hypothesis", "hypothesis", "share"]
