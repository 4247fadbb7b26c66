"""Asking again: waves with the product of gamma over the chain, a disguise that lasts, and rounds at random."""

import re
from dataclasses import replace
from fractions import Fraction
from math import prod
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import Person
from builder.editing.save_edit import load_questionnaire
from builder.planning.repeated_rounds import (
    EarlierSurveyLinkPart,
    draft_with_lasting_disguise,
    repeated_survey_of_draft,
    rounds_costs,
)
from builder.protection.settings_and_quick_fixes import SettingsForm, SettingsPart
from importing import candor_format
from intake.pages.respondent_views import load_survey_page
from intake.pages.true_answer_probabilities import prior_and_posterior_chance
from privacy.designs import InputError
from privacy.guarantee.design_guarantees import audit
from privacy.guarantee.presets import BEFORE
from reports.pages.public.public_page_texts import guarantee_text
from surveys import draft_json
from surveys.kinds.grouped.draft import GroupedDraft, is_grouped_section
from surveys.kinds.read_draft import read_questionnaire
from surveys.lifecycle import opening, survey_creation
from surveys.lifecycle.design_from_draft import freeze_design
from surveys.lifecycle.earlier_designs import (
    are_all_earlier_designs_stored,
    earlier_designs,
    guarantee_with_earlier_surveys,
)
from surveys.models import Survey
from surveys.phrases.arms_crosswise_and_rounds import LASTING
from surveys.phrases.start_page import ONE_ROUND
from surveys.questionnaire.problems_and_refusals import InputRefused, NotAllowed
from surveys.questionnaire.protection import PRIOR, design_epsilon, find_weak_settings, person_protection
from surveys.questionnaire.questionnaire import Questionnaire
from tests.builder.conftest import save_study, saved_draft
from tests.cast import As
from tests.reports.made_nodes import page_about
from tests.surveys.conftest import page_text, post, update_row
from tests.surveys.drafts import complete, crosswise, draft as written, not_none, plain, question, sensitive

pytestmark = pytest.mark.page
UNKNOWN = "0" * 64
THEFT = question("theft", "no", "yes")


def copy_survey(survey: Survey, owner: Person, **options: bool) -> Survey:
    return survey_creation.duplicate_survey(survey, owner, timezone.now(), **options)


def copy_as_new_wave(survey: Survey, owner: Person) -> Survey:
    return copy_survey(survey, owner, as_new_wave=True)


def put_draft(survey: Survey, draft: Any) -> Survey:
    return update_row(survey, draft=draft)


@pytest.fixture
def wave(opened: Survey) -> Survey:
    """The first; gamma 3.5."""
    return opened


# Waves.


def test_a_wave_and_its_rehearsal_follow_the_opened_design(wave: Survey, owner: Person) -> None:
    """Not a copy that is a new survey; and no copy gets the plan of the earlier survey."""
    second = copy_as_new_wave(wave, owner)
    assert freeze_design(second.draft).follows == load_questionnaire(second).follows == wave.design_id
    assert copy_survey(second, owner, rehearsal=True).draft["follows"] == wave.design_id
    for copy in (copy_survey(second, owner), copy_survey(wave, owner, rehearsal=True)):
        assert "follows" not in copy.draft
    given = {**wave.draft, "plan": UNKNOWN}
    assert "plan" not in draft_json.draft_for_copy(given, timezone.localdate(), rehearsal=False)


def test_only_an_opened_known_survey_is_followed(draft: Survey, owner: Person, client: Client) -> None:
    with pytest.raises(NotAllowed, match="was opened"):
        copy_as_new_wave(draft, owner)
    assert 'value="wave"' not in page_text(client, draft, "duplicate")
    assert post(client, draft, "duplicate", kind="wave").status_code == 200
    assert Survey.objects.count() == 1
    assert "“A new wave”" in page_text(client, draft, "edit/study")
    put_draft(draft, complete(follows=UNKNOWN))
    assert not are_all_earlier_designs_stored(UNKNOWN)
    found = opening.opening_checklist(draft, timezone.now())
    assert [problem.path for problem in found.problems] == ["follows"]
    with pytest.raises(InputError, match="missing"):
        guarantee_with_earlier_surveys(freeze_design(draft.draft))


def test_gammas_of_a_chain_multiply(wave: Survey, owner: Person, reviewer: Person, signed_in_as: As) -> None:
    """3.5 for each of three waves: 3.5^3 = 42.875; 2 ln 3.5 = 2.5055, rounded up, is what a reviewer reads."""
    second = copy_as_new_wave(wave, owner)
    found = not_none(repeated_survey_of_draft(load_questionnaire(second)))
    assert not_none(found.person_protection).guarantee.gamma == Fraction(7, 2) ** 2
    said = "Epsilon of a person who answered the earlier surveys too</dt><dd>"
    assert f"{said}2.51" in page_text(signed_in_as(reviewer), second, "review")
    assert said not in page_text(signed_in_as(reviewer), wave, "review")
    opening.open_survey_now(second, owner, timezone.now())
    third = freeze_design(copy_as_new_wave(second, owner).draft)
    assert not_none(guarantee_with_earlier_surveys(third)).gamma == Fraction(7, 2) ** 3
    chain = [each.fingerprint for each in earlier_designs(third.follows)]
    assert chain == [second.design_id, wave.design_id]


def test_pages_make_a_wave_show_the_product_and_end_the_chain(client: Client, wave: Survey) -> None:
    assert 'value="wave"' in page_text(client, wave, "duplicate")
    assert post(client, wave, "duplicate", kind="wave").status_code == 302
    second = Survey.objects.latest("pk")
    assert second.draft["follows"] == wave.design_id
    page = page_text(client, second, "edit/study")
    assert "12.25 times" in page
    assert "counts once" not in page
    assert "Work and health" in page
    assert save_study(client, second, EarlierSurveyLinkPart(), "follows").status_code == 302
    assert "follows" not in second.draft


def test_a_wave_with_the_same_secret_cannot_open(client: Client, draft: Survey, owner: Person) -> None:
    """The coin of a crosswise question is the secret of the person, which is the same in both waves."""
    whole, product = complete(), "For people who answer all of them"
    put_draft(draft, {**whole, "open_answers": False, "sections": [*whole["sections"], crosswise("tax")]})
    opening.open_survey_now(draft, owner, timezone.now())
    second = copy_as_new_wave(draft, owner)
    with pytest.raises(InputRefused) as refused:
        opening.open_survey_now(second, owner, timezone.now())
    [problem] = refused.value.problems
    assert problem.path.endswith(".secret")
    assert "with the same secret" in problem.reason
    page = page_text(client, second, "edit/study")
    assert "The same secret in other words escapes this, and then nothing is promised." in page
    assert product not in page
    *others, last = second.draft["sections"]
    asked = [{**last["questions"][0], "secret": {"en": "Is your phone number even?"}}]
    put_draft(second, {**second.draft, "sections": [*others, {**last, "questions": asked}]})
    assert product in page_text(client, second, "edit/study")
    opening.open_survey_now(second, owner, timezone.now())
    assert second.state == "open"


# A disguise that lasts, from the builder's setting to the next round, and what a reviewer has to see.


def lasting_section(*names: str, keep: str = "0.8100", lasting: str = "0.9000", **more: Any) -> Any:
    return sensitive(*(question(name, "no", "yes") for name in names), keep=keep, lasting=lasting, **more)


def wave_draft(*sections: Any, **more: Any) -> Questionnaire:
    return written(plain(question("age")), *(sections or (lasting_section("theft"),)), **more)


def saved_settings_form(draft: Questionnaire, **changes: str) -> SettingsForm:
    form = SettingsPart().build_form(draft)
    data = {name: form.get_initial_for_field(field, name) for name, field in form.fields.items()}
    given = {name: "" if value is None or value is False else value for name, value in data.items()}
    return SettingsPart().build_form(draft, {**given, **changes})


def set_to(draft: Questionnaire, **changes: str) -> GroupedDraft:
    form = saved_settings_form(draft, **changes)
    assert form.is_valid(), form.errors
    section = SettingsPart().apply_cleaned(draft, form.cleaned_data).sections[1]
    assert isinstance(section, GroupedDraft)
    return section


def test_every_place_states_the_gamma_of_all_rounds() -> None:
    """keep .5, lasting .99: gamma 199 for a life, 3 for one record; 5 % sure becomes at most 91.3 %."""
    draft = wave_draft(lasting_section("theft", keep="0.5000", lasting="0.9900"))
    design = freeze_design(draft.as_json())
    person = not_none(audit(design, BEFORE, BEFORE, Fraction(1, 2)).person)
    builder, headline = person_protection(draft, BEFORE), prior_and_posterior_chance(design)
    builder, headline = not_none(builder), not_none(headline)
    assert person.gamma == builder.guarantee.gamma == 199
    assert (headline[1].value, builder.posterior) == (0.913, 0.913)
    assert design_epsilon(design) == person.epsilon()
    assert "92 %" in guarantee_text(page_about(design)).replace("\u00a0", " ")
    assert not_none(person_protection(wave_draft(), PRIOR)).guarantee.gamma == 19


def test_the_normal_form_and_files_keep_it_and_the_design_has_the_sentences_of_the_code() -> None:
    made, once = wave_draft().as_json(), wave_draft(sensitive(THEFT)).as_json()
    assert made["sections"][1]["lasting"] == "0.9000"
    assert read_questionnaire(made).as_json() == made
    assert candor_format.read(candor_format.write(made))["sections"][1]["lasting"] == "0.9000"
    assert "lasting" not in once["sections"][1]
    said, unsaid = ({key for key, _texts in freeze_design(draft).phrases} for draft in (made, once))
    assert set(LASTING) <= said
    assert not set(LASTING) & unsaid


def test_the_limit_of_a_person_is_of_all_rounds_and_a_second_rotation_needs_a_reviewer() -> None:
    """gamma 19^2 = 361 has epsilon 5.89, although one record of both sections has 9.5^2 = 90.75."""
    [too_much] = find_weak_settings(
        freeze_design(wave_draft(lasting_section("theft"), lasting_section("tax")).as_json())
    )
    assert "5.89" in too_much.reason
    rotating = [lasting_section(*names, keep="0.1000", lasting="0.2000", asked=1) for names in ("ab", "cd")]
    assert find_weak_settings(freeze_design(wave_draft(rotating[0]).as_json())) == []
    [two] = find_weak_settings(freeze_design(wave_draft(*rotating).as_json()))
    assert "together they can mark a person" in two.reason
    # The protection page sets it, refuses it below keep, and ends it.
    once = wave_draft(sensitive(THEFT, keep="0.8100"))
    section = set_to(once, **{"lasting-1": "90"})
    assert (section.keep, section.lasting) == ("0.8100", "0.9000")
    assert "each round is disguised once more" in str(saved_settings_form(once, **{"lasting-1": "81"}).errors)
    assert set_to(wave_draft(), **{"lasting-1": ""}).lasting == ""


@pytest.fixture
def first_wave(draft: Survey, owner: Person) -> Survey:
    update_row(draft, draft=wave_draft(retention="2030-01-01").as_json())
    opening.open_survey_now(draft, owner, timezone.now())
    return draft


def test_a_new_wave_belongs_to_the_study_of_the_first_and_counts_once(
    client: Client, first_wave: Survey, owner: Person
) -> None:
    second = copy_as_new_wave(first_wave, owner)
    for survey, page in ((first_wave, "duplicate"), (second, "edit/study")):
        assert "A disguise that lasts counts once in all waves" in page_text(client, survey, page)
    assert freeze_design(second.draft).study == first_wave.design_id
    found = not_none(repeated_survey_of_draft(load_questionnaire(second)))
    assert not_none(found.person_protection).guarantee.gamma == 19
    opening.open_survey_now(second, owner, timezone.now())
    third = copy_as_new_wave(second, owner)
    design = freeze_design(third.draft)
    assert (design.follows, design.study) == (second.design_id, first_wave.design_id)
    assert EarlierSurveyLinkPart().apply_cleaned(load_questionnaire(third), {}).study == ""
    assert "study" not in copy_survey(third, owner).draft
    # A wave whose lasting section was changed does not open.
    another = copy_as_new_wave(first_wave, owner)
    draft = load_questionnaire(another)
    section = draft.sections[1]
    assert isinstance(section, GroupedDraft)
    put_draft(another, draft.replace_section(1, replace(section, keep="0.8000")).as_json())
    with pytest.raises(InputRefused, match="must be those of the first survey of this study"):
        opening.open_survey_now(another, owner, timezone.now())


# Rounds at random.


def made_of(client: Client, survey: Survey, rounds: str) -> list[Survey]:
    before = set(Survey.objects.values_list("pk", flat=True))
    post(client, survey, "edit/study/rounds", rounds=rounds)
    return list(Survey.objects.exclude(pk__in=before).order_by("pk"))


def choose(client: Client, survey: Survey, do: str, **more: str) -> Any:
    return post(client, survey, "edit/study/rounds", rounds="3", do=do, **more)


def test_a_draft_is_made_for_each_round_by_invitation_and_says_so(client: Client, draft: Survey) -> None:
    made = made_of(client, draft, "3")
    assert [re.search(r"\((\d)/3\)", each.draft["title"]["en"])[1] for each in made] == ["1", "2", "3"]  # type: ignore[index]
    assert all(each.invited for each in made)
    assert len({freeze_design(each.draft).fingerprint for each in made}) == 3
    assert load_questionnaire(made[0]).rounds == 3
    design = freeze_design(made[0].draft)
    assert ONE_ROUND.keys() <= {key for key, _texts in design.phrases}
    assert not ONE_ROUND.keys() & {key for key, _texts in freeze_design(draft.draft).phrases}
    page = page_text(client, made[0], "preview/page")
    assert "You are asked in one of 3 rounds, chosen at random, and never again." in page
    assert load_survey_page(design, "preview").design.rounds == 3
    # Only such a survey splits a list, and only in the browser.
    page = page_text(client, made[0], "invitations")
    assert 'data-rounds="3"' in page
    split = page.split('id="split"')[1].split("</section>")[0]
    assert "name=" not in split
    assert 'method="post"' not in split
    assert "data-rounds" not in page_text(client, draft, "invitations")


def test_next_round_without_a_possible_draft_makes_none(client: Client, draft: Survey) -> None:
    """A number of rounds that none is, a disguise that lasts, a round that follows another survey."""
    for rounds in ("1", "53", "many", ""):
        assert made_of(client, draft, rounds) == []
    assert made_of(client, put_draft(draft, wave_draft().as_json()), "2") == []
    with pytest.raises(InputError, match="each person is asked in one round only"):
        freeze_design({**complete(), "rounds": 2, "follows": "f" * 64})


def test_the_study_page_compares_the_three_ways_and_changes_nothing(client: Client, draft: Survey) -> None:
    """G = 19 with one question: bench/figures/panels.md has 3.2, T and 1.5, which are rounded up here.

    It has 2.4 for one question with G = 6, rounded up; 1 + 1 = 2 chance can leave.
    """
    put_draft(draft, wave_draft(sensitive(THEFT, keep="0.9000")).as_json())
    before = draft.draft
    cost = next(rounds_costs(load_questionnaire(draft)))
    assert (cost.split, cost.at_random, cost.lasting) == ("3.21", "2", "1.49")
    assert "<strong>1.49</strong>" in page_text(client, draft, "edit/study")
    page = choose(client, draft, "compare", gamma="6").text
    assert re.search(r'<th scope="row" class="number">3</th>.*<strong>2.43</strong>', page)
    assert 'value="6"' in page
    assert draft.draft == before


def test_the_planner_sets_both_chances_of_the_lifetime_figure(client: Client, draft: Survey) -> None:
    """The vectors' row of one question with G = H = 19."""
    put_draft(draft, written(sensitive(THEFT)).as_json())
    assert choose(client, draft, "lasting", gamma="19").status_code == 302
    (section,) = draft.draft["sections"]
    assert (section["keep"], section["lasting"]) == ("0.8100", "0.9000")
    (law,) = (each.lasting_law for each in freeze_design({**complete(), **draft.draft}).lasting_sections)
    assert law is not None
    assert (law.gamma, law.departure_factor) == (Fraction(19), Fraction(19))
    page = page_text(client, draft, "edit/protection")
    assert re.search(r'name="lasting-0"[^>]*value="90"|value="90"[^>]*name="lasting-0"', page)


@pytest.mark.parametrize("gamma", [2, 6, 19, 400])
def test_several_sections_share_the_lifetime_figure_and_stay_within_it(gamma: int) -> None:
    names = (("a",), ("b", "c", "d"), ("e", "f"))
    several = [sensitive(*(question(name, "no", "yes") for name in group)) for group in names]
    draft = draft_with_lasting_disguise(written(*several), gamma)
    laws = [section.lasting_law() for section in draft.sections if is_grouped_section(section)]
    assert len(laws) == 3
    together = prod(law.gamma for law in laws if law)
    assert 0.98 * gamma < together <= gamma
    assert all(law and law.once.keep < law.lasting for law in laws)


def test_what_cannot_last_is_refused_in_a_sentence_and_stays(client: Client, draft: Survey) -> None:
    after_work = question("theft", "no", "yes", show_if={"work": ["a"]})
    for sections, more, reason in (
        ([plain(question("age"))], {}, "Only questions with choices"),
        ([plain(question("work", "a", "b")), sensitive(after_work)], {}, "remove the conditions first"),
        ([sensitive(THEFT)], {"direct": "0.5000"}, "nobody is asked directly"),
    ):
        put_draft(draft, written(*sections, **more).as_json())
        before = saved_draft(draft)
        answer = choose(client, draft, "lasting", gamma="19")
        assert reason in client.get(answer["Location"]).text
        assert saved_draft(draft) == before
