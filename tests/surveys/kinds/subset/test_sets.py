"""Questions that are sent as sets of choices in the builder: where sets are proposed, and what the buttons make."""

import json
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from builder.editing import commands
from builder.editing.commands import section_digest
from builder.editing.questions_and_sections import convert_to_one_answer
from builder.protection.summary import ProtectionSummary
from importing import candor_format
from privacy.designs import parse_design
from privacy.guarantee.presets import PRESETS
from privacy.kinds.grouped.law import SectionLaw
from privacy.kinds.subset.law import nearest_allowed_size
from privacy.kinds.subset.section import SubsetSection
from surveys.kinds.apply_protection_presets import apply_presets, set_preset
from surveys.kinds.read_draft import read_questionnaire
from surveys.kinds.subset.draft import convert_to_subset_selection
from surveys.kinds.subset.kind import sets_proposal_text
from surveys.lifecycle.design_from_draft import design_json_from_draft
from surveys.questionnaire.problems_and_refusals import NotAllowed

GAMMA_3 = "0.0869"
"""The largest keep of one choice of 21 with gamma 3: 2/23."""


def one_of(choices: int, keep: str = GAMMA_3, **more: Any) -> dict[str, Any]:
    question = {"name": "drug", "form": "one", "choices": [f"c{number}" for number in range(choices)], **more}
    return {"kind": "unrelated-question", "keep": keep, "questions": [question]}


def draft(*sections: dict[str, Any]) -> Any:
    return read_questionnaire({"title": "Drugs", "languages": ["en"], "sections": list(sections)})


def section(made: Any, number: int = 0) -> Any:
    return made.sections[number]


def gamma(of: Any) -> Fraction:
    law = of.disguise_law()
    assert law
    found: Fraction = law.gamma
    return found


def press_button(before: Any, word: str) -> Any:
    sent = {"do": word, "section": "0", "seen": section_digest(section(before))}
    return apply_presets(commands.QUESTIONNAIRE_COMMANDS[word](before, sent).draft)


def test_sets_are_proposed_where_they_win_and_can_stand() -> None:
    of = section(draft(one_of(21)))
    words = "Sending a set of 5 choices instead of one needs 2.2 times fewer answers at the same protection."
    assert sets_proposal_text(of, of.disguise_law()) == words
    two = one_of(21)["questions"] + [one_of(3)["questions"][0] | {"name": "b"}]
    for why, other in {
        "few choices": one_of(4, keep="0.5"),
        "weak protection": one_of(21, keep="0.9"),
        "noise of its own": one_of(21, noise=["0.2", *["0.04"] * 20]),
        "two questions": {**one_of(21), "questions": two},
    }.items():
        made = section(draft(other))
        assert sets_proposal_text(made, made.disguise_law()) == "", why


def test_send_sets_protects_as_before_and_send_one_choice_takes_it_back() -> None:
    before = draft(one_of(21))
    sets = press_button(before, "sets")
    made = section(sets)
    assert (made.kind, made.size) == ("subset", 5)
    assert gamma(section(before)) * Fraction(999, 1000) < gamma(made) <= gamma(section(before))
    back = press_button(sets, "one")
    assert section(back).kind == "unrelated-question"
    assert section(back).questions == section(before).questions
    assert gamma(section(before)) * Fraction(99, 100) < gamma(section(back)) <= gamma(section(before))


def test_the_size_and_the_keep_of_sets_follow_the_preset() -> None:
    # From 5 % to 25 % at most: gamma 19/3, and 30 choices over 22/3 are about 4.
    sets = press_button(apply_presets(draft({**one_of(30), "preset": "stronger"})), "sets")
    assert (section(sets).preset, section(sets).size) == ("stronger", 4)
    assert Fraction(19, 3) * Fraction(999, 1000) < gamma(section(sets)) < Fraction(19, 3)
    # To 50 %: gamma 19.
    weaker = section(set_preset(sets, PRESETS["balanced"]))
    assert weaker.size == 2
    assert 19 * Fraction(99, 100) < gamma(weaker) < 19


def test_a_draft_of_sets_becomes_a_design_and_is_written_and_read_again_finished_or_not() -> None:
    made = press_button(draft(one_of(21)), "sets")
    design = parse_design(design_json_from_draft(made.as_json()))
    (of,) = design.sections
    assert isinstance(of, SubsetSection)
    assert of.law.gamma == gamma(section(made))
    assert section(read_questionnaire(json.loads(design.canonical))).size == 5
    question = section(made).question
    for choices in (21, 2):
        few = replace(section(made), questions=(replace(question, choices=question.choices[:choices]),))
        before = replace(made, sections=(few.normalized(),))
        assert read_questionnaire(candor_format.read(candor_format.write(before.as_json()))) == before
    # The margin of error is that of the law.
    (words,) = ProtectionSummary(replace(made, expected=1000)).single_question_lines
    assert words.startswith("Drug, sent as sets: ±")


def test_answers_of_such_a_question_are_changed_and_its_sets_stay_possible() -> None:
    made = press_button(draft(one_of(11, keep="0.16")), "sets")
    size = section(made).size
    assert size == 3
    for row in range(6):
        made = commands.remove_answer_command(made, {"key": "drug", "row": str(5 - row)}).draft
    assert len(section(made).question.choices) == 5
    assert section(made).size == 2
    with pytest.raises(NotAllowed, match="sent as sets"):
        commands.change_kind_command(made, {"key": "drug", "kind": "scale"})


@pytest.mark.parametrize(
    ("choices", "keep", "size", "fewer"),
    [(21, GAMMA_3, 5, 2.2), (24, "0.0769", 5, 2.4), (60, "0.0322", 3, 2.6), (22, "0.0090", 5, 3.8)],
    ids=["21 at gamma 3: all fit", "24 at gamma 3", "60 at gamma 3", "22 at gamma 1.2"],
)
def test_largest_fitting_sets_are_proposed(choices: int, keep: str, size: int, fewer: float) -> None:
    """Of 21 choices and gamma 3 the best d is 5, whose 20,349 sets fit; of 24 it is 6, whose 134,596 do not."""
    # Of 24 choices 134,596 sets of six, 42,504 of five.
    assert (nearest_allowed_size(12, 24), nearest_allowed_size(9, 7)) == (5, 3)
    of = section(draft(one_of(choices, keep)))
    found = convert_to_subset_selection(of, of.disguise_law())
    assert found
    made, times = found
    assert made.size == size
    assert times == pytest.approx(fewer, abs=0.1)
    assert gamma(of) * Fraction(99, 100) < gamma(made) <= gamma(of)


def test_a_section_that_changed_meanwhile_is_refused() -> None:
    with pytest.raises(NotAllowed, match="changed meanwhile"):
        press_button(draft(one_of(4, keep="0.5")), "sets")
    with pytest.raises(NotAllowed, match="changed meanwhile"):
        press_button(draft(one_of(21)), "one")


def test_one_choice_is_sent_again_even_where_the_sets_were_not_possible() -> None:
    made = press_button(draft(one_of(21)), "sets")
    few = replace(section(made), questions=(replace(section(made).question, choices=()),))
    assert convert_to_one_answer(few).kind == "unrelated-question"
    nothing_kept = SectionLaw(Fraction(0), ((Fraction(1, 21),) * 21,), 1)
    assert nothing_kept.gamma == 1
    assert convert_to_subset_selection(section(draft(one_of(21))), nothing_kept) is None
