"""A disguise that lasts, from the builder's setting to the next round, and what a reviewer has to see."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from django.utils import timezone

from accounts.models import Person
from builder.editing.save_edit import load_questionnaire
from builder.planning.repeated_rounds import FollowsPart, repetition_of_draft
from builder.protection.settings import SettingsForm, SettingsPart
from importing import candor_format
from intake.pages.true_answer_probabilities import combined_chances
from privacy.guarantee.design_guarantees import audit
from privacy.guarantee.presets import BEFORE
from reports.pages.public.public_page_texts import guarantee_text
from surveys.kinds.grouped.draft import GroupedDraft
from surveys.kinds.read_draft import read_questionnaire
from surveys.lifecycle import opening, survey_creation
from surveys.lifecycle.freeze_draft import freeze_design
from surveys.models import Survey
from surveys.phrases.arms_crosswise_and_rounds import LASTING
from surveys.questionnaire.problems_and_refusals import InputRefused
from surveys.questionnaire.protection import PRIOR, design_epsilon, find_weak_settings, person_protection
from surveys.questionnaire.questionnaire import Questionnaire
from tests.builder.written import draft as written, plain, question, sensitive

pytestmark = pytest.mark.page
NO_YES = ("no", "yes")


def lasting(*names: str, keep: str = "0.8100", lasting: str = "0.9000", **more: Any) -> Any:
    return sensitive(*(question(name, *NO_YES) for name in names), keep=keep, lasting=lasting, **more)


def asking(*sections: Any, **more: Any) -> Questionnaire:
    return written(plain(question("age")), *(sections or (lasting("theft"),)), **more)


def sent(draft: Questionnaire, **changed: str) -> SettingsForm:
    form = SettingsPart().build_form(draft)
    data = {name: form.get_initial_for_field(field, name) for name, field in form.fields.items()}
    given = {name: "" if value is None or value is False else value for name, value in data.items()}
    return SettingsPart().build_form(draft, {**given, **changed})


def set_to(draft: Questionnaire, **changed: str) -> GroupedDraft:
    form = sent(draft, **changed)
    assert form.is_valid(), form.errors
    section = SettingsPart().apply_cleaned(draft, form.cleaned_data).sections[1]
    assert isinstance(section, GroupedDraft)
    return section


def test_every_place_states_the_gamma_of_all_rounds() -> None:
    """keep .5, lasting .99: gamma 199 for a life, 3 for one record; 5 % sure becomes at most 91.3 %."""
    draft = asking(lasting("theft", keep="0.5000", lasting="0.9900"))
    design = freeze_design(draft.as_json())
    verdict = audit(design, BEFORE, BEFORE, Fraction(1, 2))
    builder, headline = person_protection(draft, BEFORE), combined_chances(design)
    assert verdict.person is not None
    assert builder is not None
    assert headline is not None
    assert verdict.person.gamma == builder.guarantee.gamma == 199
    assert (headline[1].value, builder.posterior) == (0.913, 0.913)
    assert design_epsilon(design) == verdict.person.epsilon()
    assert "92 %" in guarantee_text(design).replace("\u00a0", " ")


def test_the_normal_form_and_files_of_drafts_keep_it() -> None:
    made = asking().as_json()
    assert made["sections"][1]["lasting"] == "0.9000"
    assert read_questionnaire(made).as_json() == made
    assert candor_format.read(candor_format.write(made))["sections"][1]["lasting"] == "0.9000"
    assert "lasting" not in asking(sensitive(question("theft", *NO_YES))).as_json()["sections"][1]


def test_the_protection_page_sets_it_refuses_it_below_keep_and_ends_it() -> None:
    once = asking(sensitive(question("theft", *NO_YES), keep="0.8100"))
    section = set_to(once, **{"lasting-1": "90"})
    assert (section.keep, section.lasting) == ("0.8100", "0.9000")
    assert "each round is disguised once more" in str(sent(once, **{"lasting-1": "81"}).errors)
    assert set_to(asking(), **{"lasting-1": ""}).lasting == ""


def test_a_person_is_promised_what_holds_for_all_rounds() -> None:
    person = person_protection(asking(), PRIOR)
    assert person is not None
    assert person.guarantee.gamma == 19


def test_the_design_has_the_sentences_of_the_code_and_others_have_none_of_them() -> None:
    said = {key for key, _texts in freeze_design(asking().as_json()).phrases}
    assert set(LASTING) <= said
    once = {
        key for key, _texts in freeze_design(asking(sensitive(question("theft", *NO_YES))).as_json()).phrases
    }
    assert not set(LASTING) & once


def test_the_limit_of_a_person_is_of_all_rounds_and_a_second_rotation_needs_a_reviewer() -> None:
    """gamma 19^2 = 361 has epsilon 5.89, although one record of both sections has 9.5^2 = 90.75."""
    [too_much] = find_weak_settings(freeze_design(asking(lasting("theft"), lasting("tax")).as_json()))
    assert "5.89" in too_much.reason
    rotating = [lasting(*names, keep="0.1000", lasting="0.2000", asked=1) for names in ("ab", "cd")]
    assert find_weak_settings(freeze_design(asking(rotating[0]).as_json())) == []
    [two] = find_weak_settings(freeze_design(asking(*rotating).as_json()))
    assert "together they can mark a person" in two.reason


@pytest.fixture
def first(draft: Survey, owner: Person) -> Survey:
    draft.draft = asking(retention="2030-01-01").as_json()
    draft.save()
    opening.open_survey_now(draft, owner, timezone.now())
    return draft


def test_a_new_wave_belongs_to_the_study_of_the_first_and_counts_once(first: Survey, owner: Person) -> None:
    second = survey_creation.duplicate_survey(first, owner, timezone.now(), follows=True)
    assert freeze_design(second.draft).study == first.design_id
    found = repetition_of_draft(load_questionnaire(second))
    assert found is not None
    assert found.person_protection is not None
    assert found.person_protection.guarantee.gamma == 19
    opening.open_survey_now(second, owner, timezone.now())
    third = survey_creation.duplicate_survey(second, owner, timezone.now(), follows=True)
    assert (freeze_design(third.draft).follows, freeze_design(third.draft).study) == (
        second.design_id,
        first.design_id,
    )
    assert FollowsPart().apply_cleaned(load_questionnaire(third), {}).study == ""
    assert "study" not in survey_creation.duplicate_survey(third, owner, timezone.now()).draft


def test_a_wave_whose_lasting_section_was_changed_does_not_open(first: Survey, owner: Person) -> None:
    second = survey_creation.duplicate_survey(first, owner, timezone.now(), follows=True)
    draft = load_questionnaire(second)
    lasting = draft.sections[1]
    assert isinstance(lasting, GroupedDraft)
    changed = replace(lasting, keep="0.8000")
    second.draft = draft.replace_section(1, changed).as_json()
    second.save()
    with pytest.raises(InputRefused, match="must be those of the first survey of this study"):
        opening.open_survey_now(second, owner, timezone.now())
