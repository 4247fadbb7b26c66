"""What the protection panel says: every number worked out by hand or by trying all."""

from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any

import pytest

from builder.protection.proposals import propose_settings
from builder.protection.settings_and_quick_fixes import apply_quick_fix, strengthen_protection
from builder.protection.summary import ProtectionSummary, settings_warnings
from builder.protection.trade_off import MOST, build_trade_off_chart
from privacy.guarantee.presets import LADDER, PRESETS
from surveys.kinds.apply_protection_presets import set_preset
from surveys.kinds.grouped.draft import is_grouped_section
from surveys.kinds.grouped.guarantee_and_errors import grouped_protection as section_protection
from surveys.lifecycle.design_from_draft import freeze_design
from surveys.questionnaire.problems_and_refusals import NotAllowed
from surveys.questionnaire.protection import (
    USUAL,
    count_combinations,
    expected_unique_people,
    person_protection,
    plain_questions,
    section_laws,
)
from surveys.questionnaire.questionnaire import Questionnaire
from tests.builder.conftest import gamma
from tests.surveys.drafts import (
    classes,
    crosswise,
    draft,
    options,
    place,
    plain,
    question,
    read,
    section_of,
    sensitive,
    ten_questions,
    window,
    yes_no,
)

TWENTIETH = Fraction(1, 20)
SETS = {"kind": "subset", "keep": "0.3000", "size": 5}


def warning_kinds(given: Questionnaire) -> set[str]:
    return {caution.kind for caution in settings_warnings(given)}


def caution_of_kind(given: Questionnaire, kind: str) -> tuple[str, list[str]]:
    found = next(each for each in settings_warnings(given) if each.kind == kind)
    return found.words, [cure.do for cure in found.cures]


def protection_of(given: Any, respondents: int = 1000) -> Any:
    found = section_protection(given, respondents, TWENTIETH)
    assert found is not None
    return found


def test_question_states_its_promise_and_cost() -> None:
    """gamma = 1 + .5/(.5·.5) = 3; 5 % becomes 3·.05/(1 + 2·.05) = 13.63… %; var = .1 + .75 - .01 = .84 per answer."""
    found = protection_of(read(sensitive(yes_no("q"))))
    assert found.guarantee.gamma == 3
    assert (str(found.gamma), str(found.epsilon)) == ("3.00", "1.10")
    assert found.posterior == 0.137
    [single] = found.itemset_margins
    assert single.respondents_of_rarest_itemset == 1000
    assert single.half_width == pytest.approx(1.96 * (0.84 / 1000) ** 0.5)
    assert single.answers_needed == 1300  # .84 (1.96/.05)^2 = 1290.8


def test_person_total_excludes_a_section_without_two_answers() -> None:
    both = draft(sensitive(yes_no("a")), plain(question("age")), sensitive(yes_no("b", "0.2000", "0.8000")))
    found = person_protection(both, TWENTIETH)
    assert found is not None
    assert found.guarantee.gamma == 3 * 6
    one_choice = sensitive({"name": "q", "form": "one", "choices": ["a"]})
    empty = draft(sensitive(), one_choice, plain(question("age")))
    assert list(section_laws(empty)) == []
    assert person_protection(empty, TWENTIETH) is None
    assert section_protection(section_of(empty), 100, TWENTIETH) is None


def test_promise_is_never_rounded_down_and_near_certainty_is_named() -> None:
    found = protection_of(read(sensitive(yes_no("q"), keep="0.3333")))
    assert Fraction(found.gamma) >= found.guarantee.gamma
    assert Fraction(str(found.posterior)) >= found.guarantee.posterior(TWENTIETH)
    found = protection_of(read(sensitive(*(yes_no(f"q{n}") for n in range(20)))))
    assert found.posterior_words == "nearly 100\u00a0%"


def test_section_too_long_for_its_keep_is_cured_by_asking_or_keeping_less() -> None:
    """1 + 2^10 = 1025, epsilon 6.9325; 1 + 2^7 = 129 is at most 148; 147/1024 : (1 + 147/1024) = .12553."""
    weak = draft(ten_questions())
    words, cures = caution_of_kind(weak, "long")
    assert "1,025 times (epsilon 6.94, more than 5)" in words
    assert cures == ["asked 0 7", "keep 0 0.1255"]
    for cure in cures:
        assert "long" not in warning_kinds(apply_quick_fix(weak, cure))
    assert section_of(apply_quick_fix(weak, "asked 0 8")).asked == 8
    assert "long" in warning_kinds(apply_quick_fix(weak, "asked 0 8"))


def test_jointly_weak_sections_share_the_allowed_limit() -> None:
    """Three times 1 + 2^4 = 17: each fine alone, 4913 together."""
    parts = [sensitive(*(yes_no(f"{part}{n}") for n in range(4))) for part in "abc"]
    three = draft(*parts)
    assert "long" not in warning_kinds(three)
    words, cures = caution_of_kind(three, "sum")
    assert "8.50 (limit: 5)" in words
    after = apply_quick_fix(three, cures[0])
    assert 145 < gamma(after) <= 148
    assert "sum" not in warning_kinds(after)
    assert len({section["keep"] for section in after.as_json()["sections"]}) == 1

    # Sharing never lets a section keep more.
    assert section_of(strengthen_protection(draft(sensitive(yes_no("a"))), USUAL)).keep == "0.5000"


def test_setting_a_lasting_disguise_sets_both_draws_within_the_limit() -> None:
    """Twice keep .5, lasting .99: gamma 199 for all rounds, and 3 for one record."""
    two = draft(*(sensitive(yes_no(name), keep="0.5000", lasting="0.9900") for name in "ab"))
    _words, [cure] = caution_of_kind(two, "sum")
    proposals = propose_settings(two, USUAL, 2)
    assert {proposal.moves_questions for proposal in proposals} == {False, True}
    for after, limit in [
        (apply_quick_fix(two, cure), USUAL),
        *((set_preset(two, preset), preset.limit) for preset in PRESETS.values()),
        *((proposal.draft_with_proposal, USUAL) for proposal in proposals),
    ]:
        laws = [section.lasting_law() for section in after.sections if is_grouped_section(section)]
        assert laws
        assert all(law and law.once.keep < law.lasting for law in laws)
        whole = person_protection(after, TWENTIETH)
        assert whole
        assert float(limit.gamma) * 0.95 < whole.guarantee.gamma <= limit.gamma


def test_large_noise_for_few_answers_is_cured_by_less_rotation_or_more_answers() -> None:
    """Ten questions kept together at .01 amplify 1 + 1024/99 times; two of them asked may keep
    t/(1+t) with t = 1024/99/4, so .7211, as well protected."""
    noisy = draft(ten_questions(keep="0.0100"))
    _words, cures = caution_of_kind(noisy, "noisy")
    assert cures[0] == "both 0 2 0.7211"
    better = apply_quick_fix(noisy, cures[0])
    before, after = (protection_of(section_of(each)) for each in (noisy, better))
    assert after.guarantee.gamma <= before.guarantee.gamma
    assert after.itemset_margins[0].half_width < before.itemset_margins[0].half_width / 10
    expect = apply_quick_fix(noisy, cures[1])
    assert "noisy" not in warning_kinds(expect)
    # Where the disguise is lasting, a keep that rises alone could pass that of all rounds.
    assert caution_of_kind(draft(ten_questions(keep="0.0100", lasting="0.0200")), "noisy")[1] == [cures[1]]


def test_no_margin_is_told_of_answers_that_are_too_few_to_estimate_anything() -> None:
    """Of 18 a third are asked each question: 6, below 50."""
    section = sensitive(*(question(name, *"abcde") for name in "xyz"), asked=1)
    assert warning_kinds(draft(section, expected=18)) == {"floor", "never"}
    assert "noisy" in warning_kinds(draft(section, expected=180))


def test_fifty_answers_are_needed_and_ten_in_each_group_with_open_answers() -> None:
    for expected, warned in {249: True, 250: False}.items():
        seals = draft(sensitive(yes_no("q")), expected=expected)
        assert ("few" in warning_kinds(seals)) is warned, "fewer answers than seal a batch"
    never = draft(sensitive(yes_no("q")), expected=40, least=100)
    words, cures = caution_of_kind(never, "never")
    assert "a minimum batch size of 50, which a reviewer approves" in words
    # 1.96 · sqrt(.3 · .7/n)/.5, cut: .5 · .1 + .25 = .3 of the records say yes.
    assert "to ±17.9 points from 100 answers and to ±25.4 from 50" in words
    assert cures == ["expect 100"]
    few = draft(sensitive(yes_no("q")), expected=90, least=40, open_answers=True)
    words, cures = caution_of_kind(few, "group")
    assert "about 9 of them would be asked one given answer" in words
    assert cures == ["closed", "expect 100"]
    assert "group" not in warning_kinds(apply_quick_fix(few, "closed"))
    assert "group" not in warning_kinds(apply_quick_fix(few, "expect 100"))
    # Two of ten asked: a pair by 2·1/(10·9) = 1 in 45 of 1,000 = 22; fifty need 45·50 = 2,250.
    scarce = draft(ten_questions(asked=2), expected=1000)
    words, cures = caution_of_kind(scarce, "floor")
    assert "22 of 1,000 answers would say something about 2 given answers" in words
    assert cures == ["expect 2300", "asked 0 3"]
    assert "floor" not in warning_kinds(apply_quick_fix(scarce, "expect 2300"))


@pytest.mark.parametrize(
    ("kind", "expected", "section"),
    [
        pytest.param("noisy", 1500, ten_questions(keep="0.0100"), id="grouped"),
        pytest.param("floor", 1500, ten_questions(asked=2), id="grouped, few asked two together"),
        pytest.param("noisy", 1500, classes("debt", 0, 1, 2, keep="0.1"), id="shares of a number"),
        pytest.param(
            "noisy", 1500, classes("debt", 0, 500, 1000, rest=2, goal="mean", keep="0.1"), id="mean"
        ),
        pytest.param(
            "floor", 300, classes("debt", 0, 500, 1000, rest=2, goal="mean", keep="0.05"), id="withheld mean"
        ),
        pytest.param("floor", 80, classes("debt", 0, 1, 2), id="number without estimate"),
        pytest.param("floor", 1500, window("income"), id="window without band"),
        pytest.param("noisy", 2200, window("income", uniform="0.8500"), id="window"),
        pytest.param(
            "noisy", 1500, {**SETS, "questions": [question("drug", *"abcdefghijklmnopqrstu")]}, id="set"
        ),
        pytest.param("noisy", 1500, crosswise("tax", share="0.4500"), id="crosswise"),
        pytest.param("floor", 80, crosswise("tax"), id="crosswise without estimate"),
        pytest.param("noisy", 1500, place("home", odds="1.5"), id="place"),
    ],
)
@pytest.mark.parametrize("direct", ["0.5000", "0.4100"])
def test_planned_answers_leave_enough_disguised_ones(
    direct: str, kind: str, expected: int, section: dict[str, Any]
) -> None:
    """A round number, although not every answer is disguised."""
    given = draft(section, open_answers=False, direct=direct, expected=expected)
    [plan] = [cure for cure in caution_of_kind(given, kind)[1] if cure.startswith("expect ")]
    assert kind not in warning_kinds(apply_quick_fix(given, plan))
    assert len(plan.removeprefix("expect ").rstrip("0")) <= 2


def test_number_of_unique_people_equals_brute_force() -> None:
    for respondents, possible in ((3, 2), (2, 3), (4, 3)):
        alone = [
            sum(of.count(each) == 1 for each in of) for of in product(range(possible), repeat=respondents)
        ]
        assert expected_unique_people(respondents, possible) == pytest.approx(sum(alone) / len(alone))
    assert expected_unique_people(1, 5) == 1
    assert expected_unique_people(5, 1) == 0


def test_open_answers_warn_about_people_singled_out_by_plain_answers() -> None:
    """4·4·2·2 = 64 combinations: 100·(63/64)^99 = 21.0 of 100 alone."""
    asked = plain(question("a", *"1234"), question("b", *"1234"), *options("of", "x", "y"))
    single = draft(asked, sensitive(yes_no("q")), expected=100, least=50, open_answers=True)
    assert count_combinations(plain_questions(single)) == 64
    words, cures = caution_of_kind(single, "unique")
    assert "about 21 of 100 people would be the only ones" in words
    assert "unique" not in warning_kinds(apply_quick_fix(single, cures[0]))
    assert "unique" not in warning_kinds(replace(single, open_answers=False))


def test_obsolete_or_invalid_cure_is_refused() -> None:
    none = [
        "",
        "asked",
        "asked 0",
        "asked 0 x",
        "keep 0 2",
        "keep 0 0",
        "both 0 1",
        "expect x",
        "nonsense 0 1",
    ]
    cases = [(ten_questions(), do, "could not be understood") for do in none]
    cases += [(ten_questions(), do, "not there any more") for do in ("asked 7 3", "asked -1 3")]
    for section, do, why in [*cases, (plain(question("a")), "asked 0 3", "not disguised any more")]:
        with pytest.raises(NotAllowed, match=why):
            apply_quick_fix(draft(section), do)


def test_every_cure_leaves_an_openable_draft() -> None:
    weak = draft(
        plain(question("a", *"12345678")),
        ten_questions(),
        ten_questions(asked=2),
        expected=30,
        open_answers=True,
    )
    found = settings_warnings(weak)
    assert {each.kind for each in found} >= {"long", "floor", "never", "unique"}
    for each in found:
        for cure in each.cures:
            freeze_design(apply_quick_fix(weak, cure.do).as_json())


def test_chart_cost_falls_with_weaker_protection_and_marks_the_draft() -> None:
    outcome = ProtectionSummary(draft(ten_questions(keep="0.3000"), sensitive(yes_no("a"), yes_no("b"))))
    found = build_trade_off_chart(outcome)
    assert found is not None
    # With the least that a device keeps, 1 in 5, two sections have a gamma of 2.25: the ladder begins above 2.
    assert [row.gamma for row in found.columns if not row.is_own] == list(LADDER[1:])
    assert found.columns[0].posterior == 0.137  # 3·.05/1.10 = .1364, never rounded down
    halves = [row.half for row in found.columns if not row.is_own and row.half is not None]
    assert len(halves) == len(LADDER) - 1
    assert halves == sorted(halves, reverse=True)
    [own] = [row for row in found.columns if row.is_own]
    assert outcome.person_protection is not None
    assert own.gamma == outcome.person_protection.guarantee.gamma
    assert own.words == outcome.itemset_margins[0].margin_text
    assert sum(column.is_own for column in found.columns) == 1


def test_the_chart_has_one_column_for_each_protection_that_it_shows() -> None:
    """Without the draft's own there would be one that says the same: kept so often, 0.05 can become 0.5 at most."""
    outcome = ProtectionSummary(draft(sensitive(yes_no("a"), yes_no("b"), asked=1, keep="0.8998")))
    found = build_trade_off_chart(outcome)
    assert found is not None
    shown = [row.posterior for row in found.columns]
    assert len(shown) == len(set(shown)) == len(LADDER)
    assert [row.posterior for row in found.columns if row.is_own] == [0.5]


def test_chart_shows_values_outside_its_frame_and_missing_estimates() -> None:
    found = build_trade_off_chart(
        ProtectionSummary(draft(ten_questions(asked=2, keep="0.0500"), expected=400))
    )
    assert found is not None
    assert [column.leaves for column in found.columns if column.is_own] == [True]
    assert all(column.leaves == (column.half is not None and column.half > MOST) for column in found.columns)
    assert found.columns[0].x < found.columns[-1].x <= 332
    assert all(12 <= column.high <= column.low <= 156 for column in found.columns)
    scarce = build_trade_off_chart(ProtectionSummary(draft(ten_questions(asked=2), expected=100)))
    assert scarce is not None
    assert [(column.half, column.leaves) for column in scarce.columns if column.is_own] == [(None, False)]
    assert build_trade_off_chart(ProtectionSummary(draft(plain(question("age"))))) is None
