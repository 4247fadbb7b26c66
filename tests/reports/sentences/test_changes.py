"""What a report says of a change since the earlier survey, and where it stands."""

from dataclasses import replace
from typing import Any

import pytest
from django.utils import translation

from mining.nodes.report_nodes import Report
from mining.nodes.study_nodes import HypothesisResult, PlanResult, Study, WaveDifference, Waves
from reports.sentences.changes import change_finding
from reports.sentences.finding import Finding
from reports.sentences.first_finding_sentences import headline_findings
from reports.texts.hypothesis_texts import hypothesis_estimate, hypothesis_interval
from tests.reports.made_nodes import about_run, labels_in, report, rule
from tests.reports.sentences.test_fixed_sentences import sentence_text

STATEMENTS = {"pairs": 57, "groups": 0, "changes": 10}
"""Two families: a change stands on the front with p <= .05/2/10 = .0025."""


def change(item: str = "theft=yes", **members: Any) -> WaveDifference:
    """From 20 % of 1,412 people to 26 % of 1,398."""
    values: dict[str, Any] = {"earlier": 0.2, "later": 0.26, "difference": 0.06, "low": 0.02, "high": 0.1}
    values |= {"p": 1e-4, "holm": 3e-4, "n_earlier": 1412, "n_later": 1398}
    return WaveDifference(item, **values | members)


FALLEN: dict[str, Any] = {"difference": -0.06, "low": -0.1, "high": -0.02}


def of_changes(*changes: WaveDifference, plan: PlanResult | None = None, **members: Any) -> Report:
    waves = Waves(1412, 1398, same_people=True, items=changes)
    values: dict[str, Any] = {"about": about_run(statements=STATEMENTS)}
    return report(**values | members, study=Study(waves=waves, plan=plan))


def findings_of(of: Report) -> list[Finding]:
    return [*headline_findings(of, labels_in())]


def test_change_sentence_states_direction_points_interval_and_people() -> None:
    found = change_finding(change(), labels_in())
    assert sentence_text(found.sentence) == (
        "Since the earlier round, at least 2 percentage points more answered “Theft: Yes”, among 1,412 people then and "
        "1,398 now. The estimate is 6 percentage points (2–10)."
    )
    assert (found.verdict, found.measured.low, found.measured.high) == (1, 0.02, 0.1)
    fewer = change_finding(change(**FALLEN, disguised_only=True), labels_in())
    assert sentence_text(fewer.sentence) == (
        "Since the earlier round, at least 2 percentage points fewer answered “Theft: Yes”, among 1,412 people who "
        "chose disguise then and 1,398 now. The estimate is 6 percentage points (2–10)."
    )
    assert fewer.verdict == -1
    with translation.override("zh-hans"):
        assert sentence_text(change_finding(change(), labels_in("zh-hans")).sentence) == (
            "自上一轮以来，回答了“您带走过东西吗？ 是”的人至少多 2 个百分点；上一轮 1,412 人，本轮 1,398 人。"
            "估计值为 6 个百分点 (2–10)。"
        )


def test_change_outside_its_interval_is_called_noise() -> None:
    found = change_finding(change(difference=0.11), labels_in())
    assert found.is_noise
    assert sentence_text(found.sentence) == (
        "It is too noisy to say how many more or fewer answered “Theft: Yes” than in the earlier round."
    )


def test_strongest_change_comes_first_and_others_by_p() -> None:
    """.05/2/57 is 4.4e-4, of which the pair's p is 2e-6 and the p of the changes are .4 and .04 of .0025."""
    weaker, stronger = change(p=1e-3), change("late=yes", p=1e-4)
    found = findings_of(of_changes(weaker, stronger))
    assert [one.node for one in found[:2]] == [stronger, weaker]
    content = replace(of_changes(weaker, stronger), rules=(rule(p=1e-9),))
    assert [one.kind for one in findings_of(content)] == ["change", "pair", "change", "share"]


def test_change_is_listed_up_to_the_front_page_level() -> None:
    for p, kinds in ((0.0025, ["change", "share"]), (0.0026, ["share"])):
        assert [one.kind for one in findings_of(of_changes(change(p=p))) if one.kind != "none"] == kinds
    # Of a run made before changes were a family there is no level, and none stands there.
    older = of_changes(change(p=1e-9), about=about_run(statements={"pairs": 57}))
    assert [one.kind for one in findings_of(older)] == ["none", "share"]


def test_one_of_two_complementary_answers_is_listed() -> None:
    young, old = change("age=18-39", **FALLEN), change("age=40+")
    no = change("theft=no", **FALLEN)
    assert [one.node.item for one in findings_of(of_changes(young, old, no)) if one.kind == "change"] == [
        "age=40+"
    ]
    assert [one.node.item for one in findings_of(of_changes(no, change())) if one.kind == "change"] == [
        "theft=yes"
    ]


def hypothesis(item: str = "theft=yes", direction: str = "more", **members: Any) -> HypothesisResult:
    values: dict[str, Any] = {
        "estimate": 0.06,
        "low": 0.02,
        "high": 0.1,
        "p": 1e-4,
        "holm": 1e-4,
        "met": True,
    }
    values |= {"n_earlier": 1412, "n_later": 1398}
    return HypothesisResult("H1", "change", item=item, direction=direction, **values | members)


RISEN = (
    "Since the earlier round, 6 percentage points (2–10) more answered “Theft: Yes”, among 1,412 people then and 1,398 "
    "now."
)
UNSHOWN = (
    "It is not shown that the share of people who answered “Theft: Yes” changed since the earlier round, among 1,412 "
    "people then and 1,398 now; anything between 3 percentage points fewer and 5 percentage points more is possible."
)
MORE, FEWER = (f"{many} answered “Theft: Yes” than in the earlier round." for many in ("More", "Fewer"))


@pytest.mark.parametrize(
    ("result", "sentence", "beneath", "verdict"),
    [
        (hypothesis(), RISEN, f"{MORE} Met; p < 0.001 after Holm.", 1),
        (hypothesis(direction="less", met=False), RISEN, f"{FEWER} Not met; p < 0.001 after Holm.", 1),
        (
            hypothesis(estimate=0.01, low=-0.03, high=0.05, p=0.6, holm=0.6, met=False),
            UNSHOWN,
            f"{MORE} Not met; p 0.600 after Holm.",
            0,
        ),
    ],
)
def test_planned_change_states_result_and_prediction(
    result: HypothesisResult, sentence: str, beneath: str, verdict: int
) -> None:
    (found, *_rest) = findings_of(of_changes(plan=PlanResult("ab", {}, (result,))))
    assert sentence_text(found.sentence) == sentence
    assert sentence_text(found.beneath) == f"Planned before the survey opened: {beneath}"
    assert (found.kind, found.verdict) == ("hypothesis", verdict)


def test_what_the_plan_names_is_not_found_beside_it_and_an_untold_one_is_left_out() -> None:
    plan = PlanResult("ab", {}, (hypothesis(), hypothesis("late=yes").without_result))
    found = findings_of(of_changes(change(), change("theft=no", **FALLEN), change("late=yes"), plan=plan))
    assert [one.kind for one in found] == ["hypothesis", "none", "share"]


def test_plan_table_has_points() -> None:
    assert hypothesis_estimate(hypothesis()) == "+6.0 points"
    assert hypothesis_interval(hypothesis()) == "+2.0 to +10.0"
