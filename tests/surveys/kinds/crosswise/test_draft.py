"""Crosswise questions in a draft: their normal form, protection, warnings, and the limits of a person."""

from datetime import date
from fractions import Fraction
from typing import Any

import pytest

from builder.protection.proposals import propose_settings
from builder.protection.settings_and_quick_fixes import apply_quick_fix, strengthen_protection
from builder.protection.summary import settings_warnings
from builder.protection.trade_off import preset_by_name
from importing import candor_format
from privacy.guarantee.amplification import GammaLimit
from privacy.kinds.crosswise.section import CrosswiseSection
from surveys.kinds.apply_protection_presets import set_preset
from surveys.kinds.crosswise.kind import crosswise_protection, text_similarity
from surveys.kinds.read_draft import read_questionnaire
from surveys.lifecycle.design_from_draft import freeze_design
from surveys.lifecycle.draft_problems import draft_problems
from surveys.questionnaire.problems_and_refusals import NotAllowed
from surveys.questionnaire.protection import PRIOR, common_preset, person_protection
from surveys.questionnaire.question_block_editing import rename_question
from surveys.questionnaire.questionnaire import Questionnaire
from tests.surveys.drafts import (
    bilingual_text,
    crosswise,
    draft,
    drawn_question,
    not_none,
    plain,
    question,
    section_of,
    sensitive,
)

TODAY = date(2026, 11, 22)
THEFT = question("theft", "no", "yes")


def turned_crosswise(**more: Any) -> dict[str, Any]:
    return crosswise(
        "tax", turned_by="version", turned=bilingual_text("Was your mother born in autumn?"), **more
    )


def whole_draft(*sections: dict[str, Any], **more: Any) -> Questionnaire:
    return draft(plain(question("age", "young", "old"), drawn_question("version")), *sections, **more)


def problems(given: Questionnaire) -> list[str]:
    """The places of what is missing."""
    return [problem.path for problem in draft_problems(given.as_json(), TODAY, 20)]


def kinds(given: Questionnaire) -> list[tuple[str, int | None]]:
    return [(warning.kind, warning.section) for warning in settings_warnings(given)]


def test_the_normal_form_and_our_own_format_keep_a_crosswise_question() -> None:
    made = whole_draft(turned_crosswise(label=bilingual_text("Tax"))).as_json()
    assert read_questionnaire(made).as_json() == made
    [asked] = made["sections"][1]["questions"]
    assert asked["secret"] == bilingual_text("Was your mother born in spring?")
    assert (asked["share"], asked["source"], asked["turned_by"]) == ("0.2466", "A calendar", "version")
    design = freeze_design(made)
    section = design.sections[1]
    assert isinstance(section, CrosswiseSection)
    assert section.question.turned_place == 1
    assert design.questions[2].label.in_language_or_first("en") == "Tax"
    file = candor_format.write(made)
    assert candor_format.write(candor_format.read(file)) == file
    assert freeze_design(candor_format.read(file)) == design
    renamed = rename_question(whole_draft(turned_crosswise()), "version", "words")
    assert section_of(renamed, 1).question.turned_by == "words"
    assert problems(renamed) == []


def test_a_share_that_is_none_becomes_the_preset_and_an_opposite_secret_without_a_turn_is_dropped() -> None:
    shares: dict[object, str] = {"0.3": "0.3000", "1.0000": "0.2500", None: "0.2500", 0.3: "0.2500"}
    for given, kept in (shares | {"0.5000": "0.5000"}).items():
        assert section_of(whole_draft(crosswise("tax", share=given)), 1).question.share == kept
    made = whole_draft(crosswise("tax", turned=bilingual_text("Born in autumn?")))
    assert "turned" not in made.as_json()["sections"][1]["questions"][0]
    assert problems(made) == []


def test_a_drawn_question_keeps_its_shares_or_gets_equal_ones() -> None:
    for given, kept in (
        (["0.2000", "0.3000", "0.5000"], ["0.2000", "0.3000", "0.5000"]),
        (["0.2000", "0.3000"], ["0.3334", "0.3333", "0.3333"]),
        (None, ["0.3334", "0.3333", "0.3333"]),
    ):
        made = draft(plain(drawn_question("version", "a", "b", "c", shares=given)))
        assert list(section_of(made).questions[0].shares) == kept


@pytest.mark.parametrize("share", ["0.2500", "0.7500"])
def test_crosswise_gamma_is_the_odds_of_the_secret(share: str) -> None:
    """.75 / .25 = 3; a share of 10 % of 1,000 answers: observed .3, so 1.96 sqrt(.21/1000)/.5 = 5.7 points."""
    given = whole_draft(crosswise("tax", share=share), sensitive(THEFT))
    found = not_none(crosswise_protection(section_of(given, 1), 1000, PRIOR))
    assert found.guarantee.gamma == 3
    assert found.truth_probability == 0.75
    assert found.half_width == pytest.approx(1.96 * (0.3 * 0.7 / 1000) ** 0.5 / 0.5, rel=1e-3)
    assert not_none(person_protection(given, PRIOR)).guarantee.gamma == 3 * 3


def test_a_share_of_one_half_promises_nothing_yet_and_secrets_have_to_be_written_each_its_own() -> None:
    half = whole_draft(crosswise("tax", share="0.5000"))
    assert crosswise_protection(section_of(half, 1), 1000, PRIOR) is None
    for given, place in (
        (half, "sections[1].questions[0].share"),
        (whole_draft(turned_crosswise(secret={})), "sections[1].questions[0].secret.en"),
        (whole_draft(crosswise("tax", turned_by="version")), "sections[1].questions[0].turned.en"),
        (whole_draft(crosswise("tax"), crosswise("bribe")), "sections[2].questions[0].secret"),
    ):
        assert problems(given) == [place]


def test_crosswise_warns_of_an_unsourced_share_similar_secrets_and_few_answers() -> None:
    """At the later one of two; an opposite secret is compared too. abcd and abce: abc of abc, bcd, bce."""
    assert kinds(whole_draft(crosswise("tax"))) == []
    assert kinds(whole_draft(crosswise("tax", source="  "))) == [("source", 1)]
    secrets = {
        "was your mother  born in Spring or summer?": [("alike", 2)],
        "Does your best friend's house number begin with 1?": [],
    }
    for secret, warned in secrets.items():
        assert (
            kinds(whole_draft(crosswise("tax"), crosswise("bribe", secret=bilingual_text(secret)))) == warned
        )
    opposite = crosswise("bribe", secret=bilingual_text("Was your mother born in autumn?"))
    assert ("alike", 2) in kinds(whole_draft(turned_crosswise(), opposite))
    assert text_similarity("abcd", " ABCE ") == pytest.approx(1 / 3)
    assert text_similarity("您母亲是春天出生的吗？", "您母亲是春天出生的吗？") == 1
    assert text_similarity("", "abc") == 0
    for expected, few in {49: ["floor"], 300: ["noisy"], 1000: []}.items():
        found = kinds(whole_draft(crosswise("tax"), expected=expected, least=20))
        assert [kind for kind, section in found if section == 1] == few
    half = whole_draft(crosswise("tax"), direct="0.5000", open_answers=False, expected=80)
    [words] = [warning.words for warning in settings_warnings(half) if warning.section == 1]
    assert words == "You expect 40 disguised answers. Below 50 nothing is estimated."


def test_presets_leave_the_crosswise_question() -> None:
    given = whole_draft(crosswise("tax"), sensitive(THEFT))
    made = set_preset(given, preset_by_name("stronger"))
    assert made.sections[1] == given.sections[1]
    assert common_preset(made) == preset_by_name("stronger")
    alone = whole_draft(crosswise("tax", preset="stronger"))
    assert "preset" not in alone.as_json()["sections"][1]
    assert common_preset(alone) is None


def test_sections_get_the_limit_left_by_the_crosswise_question() -> None:
    """u = .25 gives 3; of a limit of 12 the others keep a gamma of 4."""
    given = whole_draft(crosswise("tax", share="0.2500"), sensitive(THEFT, keep="0.9000"))
    limit = GammaLimit(Fraction(12), strict=False)
    for made in (
        strengthen_protection(given, limit),
        *(each.resulting_summary.draft for each in propose_settings(given, limit, 1)),
    ):
        assert 11 < not_none(person_protection(made, PRIOR)).guarantee.gamma <= 12
        assert made.sections[1] == given.sections[1]
    given = whole_draft(crosswise("tax", share="0.0500"), sensitive(THEFT))
    limit = GammaLimit(Fraction(19), strict=False)
    assert propose_settings(given, limit, 1) == []
    with pytest.raises(NotAllowed, match="alone are above"):
        strengthen_protection(given, limit)
    with pytest.raises(NotAllowed, match="only by the secrets"):
        strengthen_protection(whole_draft(crosswise("tax")), limit)
    with pytest.raises(NotAllowed):
        apply_quick_fix(given, "limit 1")
