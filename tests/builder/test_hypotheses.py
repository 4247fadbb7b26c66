"""Hypotheses in the builder: what each kind offers, what is refused, how one is edited, and who sees them."""

import json
import re
from dataclasses import replace
from typing import Any
from unittest.mock import patch

import pytest
from django.test import Client

from accounts.models import Person
from builder.editing.undo import apply_undo_data
from importing import candor_format
from privacy import designs
from privacy.designs import InputError
from privacy.designs.hypothesis_plan import check_plan, parse_plan
from surveys.draft_json import Draft
from surveys.kinds.read_draft import read_questionnaire
from surveys.lifecycle import opening
from surveys.lifecycle.design_from_draft import design_json_from_draft, freeze_design
from surveys.models import Survey
from surveys.questionnaire import hypotheses
from surveys.questionnaire.hypotheses import HypothesisSubjects
from surveys.questionnaire.problems_and_refusals import path_in_words
from surveys.questionnaire.question_block_editing import undo_data_for_draft
from surveys.study.hypothesis_editing import (
    DeletedHypothesisPart,
    DraftedHypotheses,
    EditedHypothesisPart,
    NewHypothesisPart,
)
from surveys.study.hypothesis_forms import HypothesisForm
from tests.builder.conftest import refusal, save_study
from tests.cast import As
from tests.surveys.conftest import page_text, reload, update_row
from tests.surveys.drafts import (
    EVERY,
    SALT,
    SHARE,
    add_plan,
    classes,
    crosswise,
    normalize_draft,
    not_none,
    plain,
    put,
    question,
    sensitive,
    stored_draft,
    study,
    window,
)

pytestmark = pytest.mark.page
THEFT = question("theft", "no", "yes", form="yes-no")
SENT: dict[str, dict[str, Any]] = {
    "share": {"item": "theft=yes", "than": "10"},
    "arms": {"item": "theft=yes"},
    "version": {"item": "theft=yes", "by": "wording"},
    "association": {"first": "age=b", "also": "", "second": "theft=yes"},
    "coefficient": {"item": "theft=yes", "model": "logit", "covariates": ["age", "arm"], "of": "age=b"},
}
TWELVE = {"item": "theft=yes", "than": "12.5"}
MODEL = {"item": "theft=yes", "model": "linear", "of": "age=b*mood"}
PRODUCT = {"kind": "coefficient", **MODEL, "covariates": ["age", "mood", "arm", "age*mood", "mood*arm"]}
PRODUCTS = (("mood", "age"), ("mood", "arm"), ("age", "mood"))
"""One of them twice, once in the other order."""
SENT_PRODUCT = {**MODEL, "covariates": ["age", "mood", "arm"]} | {
    f"product{number}_{side}": name
    for number, pair in enumerate(PRODUCTS, 1)
    for side, name in zip(("first", "second"), pair, strict=True)
}
TWENTY = [{**SHARE, "than": f"0.{number:04}"} for number in range(1, 21)]


def subjects(draft: Draft) -> HypothesisSubjects:
    return HypothesisSubjects(designs.parse_design(design_json_from_draft(draft)))


def drafted_hypotheses_of(draft: Draft) -> DraftedHypotheses:
    return DraftedHypotheses(read_questionnaire(draft))


def page_of(client: Client, survey: Survey, kind: str = "", **query: str) -> str:
    return page_text(client, survey, "edit/study", hypothesis=kind, **query)


def add(client: Client, survey: Survey, kind: str, **sent: Any) -> Any:
    return save_study(client, survey, NewHypothesisPart(kind), f"hypothesis-{kind}", **sent)


def edit(client: Client, survey: Survey, name: str, **sent: Any) -> Any:
    return save_study(client, survey, DeletedHypothesisPart(), "hypothesis-edit", name=name, **sent)


def stored_hypotheses(survey: Survey) -> list[dict[str, Any]]:
    drafts = hypotheses.drafted_hypotheses(reload(survey).draft.get(hypotheses.KEY))
    return [{key: value for key, value in each.items() if key != "name"} for each in drafts]


def options_of(page: str, name: str) -> list[str]:
    """The values that a list of the page offers."""
    start = page.index(f'<select name="{name}"')
    return re.findall(r'<option value="([^"]+)"', page[start : page.index("</select>", start)])


def test_hypothesis_choices_come_from_the_design() -> None:
    """Crosswise questions and limits have items, a window has none."""
    found = subjects(study())
    assert found.sensitive_items == ["theft=yes"]
    assert found.plain_items == ["age=a", "age=b", "mood=1", "mood=2", "mood=3"]
    assert found.versions == ["wording"]
    assert found.covariates == {
        "age": ["age=b"],
        "wording": ["wording=y"],
        "mood": ["mood", "mood=2", "mood=3"],
        "arm": ["arm"],
    }
    several = plain(question("age")), crosswise("tax"), classes("debt", 0, 500, 1000), window("income")
    assert subjects(stored_draft(*several)).sensitive_items == ["tax=yes", "debt=>=500"]
    # The coefficients of a product are all pairs of those of its covariates, as the model is computed: the arm last.
    found_of = found.coefficients_of_covariates(["arm", "mood", "age", "arm*age", "mood*age"])
    assert found_of["mood*age"] == ["mood*age=b", "mood=2*age=b", "mood=3*age=b"]
    assert found_of["arm*age"] == ["age=b*arm"]
    for none in ("age*age", "age*theft", "age*mood*arm", "age*", "theft"):
        assert found.coefficients_of_covariates([none]) == {none: []}


def test_design_holds_only_the_plans_hash_and_its_draft_keeps_the_readable_part() -> None:
    draft = add_plan(study(), *EVERY)
    design = freeze_design(draft)
    plan = not_none(hypotheses.read_plan(draft["plan"]))
    assert design.plan == json.loads(candor_format.write(draft))["plan"] == plan.fingerprint
    assert (SALT in design.canonical, "coefficient" in design.canonical) == (False, False)
    assert parse_plan(plan.canonical) == plan
    assert normalize_draft(draft) == draft
    for broken in (
        {**draft["plan"], "hypotheses": [{"name": "H1", "kind": "guess"}, 7]},
        {**draft["plan"], "salt": "sea"},
        "0" * 64,
    ):
        assert "plan" not in normalize_draft({**draft, "plan": broken})
    file = candor_format.write(add_plan(study(), SHARE))
    assert b'"than"' not in file
    assert "plan" not in candor_format.read(file)


def test_a_plan_is_read_and_checked_once_when_its_draft_is_frozen() -> None:
    draft = add_plan(study(), *EVERY)
    with (
        patch.object(hypotheses, "parse_plan", wraps=parse_plan) as parse,
        patch.object(hypotheses, "check_plan", wraps=check_plan) as check,
    ):
        freeze_design(draft)
    assert (parse.call_count, check.call_count) == (1, 1)


def test_hypothesis_page_lists_each_possible_subject_once() -> None:
    questionnaire = read_questionnaire(add_plan(study(), *EVERY))
    list_subjects = HypothesisSubjects.__init__
    with patch.object(HypothesisSubjects, "__init__", autospec=True, side_effect=list_subjects) as listing:
        assert len(DraftedHypotheses(questionnaire).hypothesis_lines) == 5
    assert listing.call_count == 1


def test_hypothesis_the_design_cannot_test_any_more_is_refused_by_place() -> None:
    draft = add_plan(study(), *EVERY)
    first, *rest = draft["sections"]
    of = {each["name"]: each for each in first["questions"]}
    undrawn = [{**first, "questions": [*(of | {"wording": question("wording", "x", "y")}).values()]}, *rest]
    disguised = [{**first, "questions": [of["age"], of["wording"]]}]
    disguised += [{**rest[0], "questions": [*rest[0]["questions"], of["mood"]]}]
    moody = add_plan(study(), {**PRODUCT, "covariates": ["age", "mood"], "of": "age=b"})
    for before, change, place, reason in (
        (draft, {"direct": ""}, 1, "nobody is asked directly any more"),
        (
            draft,
            {"sections": [first, sensitive(question("other", "no", "yes"))]},
            0,
            "the design has no answer",
        ),
        (draft, {"sections": undrawn}, 2, "is not drawn from two versions any more"),
        (moody, {"sections": disguised}, 0, "'mood' cannot be a covariate any more"),
    ):
        changed = normalize_draft({**before, **change})
        with pytest.raises(InputError) as refused:
            freeze_design(changed)
        assert refused.value.path == f"hypotheses[{place}]"
        assert reason in str(refused.value)
        assert path_in_words(refused.value.path) == f"Hypothesis {place + 1}"
        assert reason in drafted_hypotheses_of(changed).hypothesis_lines[place].fault


def test_deleting_the_last_hypothesis_removes_the_plan() -> None:
    draft = add_plan(study(), SHARE, EVERY[1])
    one = hypotheses.remove_hypothesis(draft["plan"], "H1")
    assert [each["name"] for each in hypotheses.drafted_hypotheses(one)] == ["H2"]
    again = hypotheses.add_hypothesis(one, SHARE, SALT)
    assert [each["name"] for each in hypotheses.drafted_hypotheses(again)] == ["H2", "H1"]
    assert hypotheses.remove_hypothesis(one, "H2") == {}
    # What undo sends to a browser holds none: editors can take a change back, and they do not see hypotheses.
    before = read_questionnaire(add_plan(study(), SHARE))
    after = replace(before, minutes=9)
    removed = undo_data_for_draft(before, after)
    assert "H1" not in str(removed)
    assert apply_undo_data(after, removed) == (before, "")


def test_model_with_too_many_combinations_blocks_opening() -> None:
    names = [f"q{number}" for number in range(13)]
    draft = stored_draft(plain(*map(question, names)), sensitive(THEFT))
    model = {**PRODUCT, "of": "q0=b"}
    freeze_design(add_plan(draft, {**model, "covariates": names[:12]}))
    with pytest.raises(InputError, match="have 8,192 combinations of choices, above 4,096"):
        freeze_design(add_plan(draft, {**model, "covariates": names}))


# The page.


@pytest.fixture
def survey(draft: Survey) -> Survey:
    return update_row(draft, draft=study())


@pytest.fixture
def full_plan(survey: Survey) -> Survey:
    return plan(survey, *EVERY, PRODUCT)


def plan(survey: Survey, *given: dict[str, Any]) -> Survey:
    return update_row(survey, draft=add_plan(study(), *given))


def test_every_kind_of_hypothesis_is_added_worded_and_deleted(client: Client, survey: Survey) -> None:
    for kind, sent in SENT.items():
        assert '<form class="form flow"' in page_of(client, survey, kind)
        assert add(client, survey, kind, **sent).status_code == 302
    assert stored_hypotheses(survey) == EVERY
    page = page_of(client, survey).replace("\u00a0", " ")
    for words in (
        "The share of “Theft: yes” differs from 10 %.",
        "The share of “Theft: yes” differs between disguised and direct answers.",
        "The share of “Theft: yes” differs between the versions of “Wording”.",
        "“Age: b” and “Theft: yes” are associated.",
        "the coefficient of “Age: b” is not 0.",
    ):
        assert words in page
    answer = save_study(client, survey, DeletedHypothesisPart(), "hypothesis-delete", name="H1")
    assert (answer.status_code, stored_hypotheses(survey)) == (302, EVERY[1:])


def test_hypothesis_about_missing_parts_is_refused(
    client: Client, survey: Survey, subtests: pytest.Subtests
) -> None:
    cases: list[tuple[str, dict[str, Any], str]] = [
        ("share", {"item": "murder=yes"}, "murder=yes is not one of the available choices"),
        ("share", {"than": "100"}, "less than or equal to 99.99"),
        ("share", {"than": ""}, "required"),
        ("arms", {"item": "age=b"}, "not one of the available choices"),
        ("version", {"by": "age"}, "not one of the available choices"),
        ("association", {"second": "age=a"}, "Choose answers to different questions"),
        ("coefficient", {"covariates": ["arm"]}, "Choose a coefficient of one of the selected covariates"),
        ("coefficient", {"covariates": ["theft"]}, "not one of the available choices"),
        ("product", {"product1_second": ""}, "Choose two different covariates, or none."),
        ("product", {"product1_second": "mood"}, "Choose two different covariates, or none."),
        ("product", {"covariates": ["age", "mood"]}, "Select both covariates above as well."),
        ("product", {"of": "age=b*arm"}, "Choose a coefficient of one of the selected covariates."),
        ("product", {"product2_first": "theft"}, "theft is not one of the available choices"),
    ]
    for kind, sent, reason in cases:
        with subtests.test(f"{kind!r:.60} {sent!r:.60} {reason!r:.60}"):
            is_product = kind == "product"
            given = {**(SENT_PRODUCT if is_product else SENT[kind]), **sent}
            response = add(client, survey, "coefficient" if is_product else kind, **given)
            assert response.status_code == 422
            assert reason in response.text
            entered = '<option value="mood" selected>' in response.text and "<details open>" in response.text
            assert entered or not is_product
            assert stored_hypotheses(survey) == []


def test_twenty_first_hypothesis_is_refused_and_each_of_twenty_is_editable(
    client: Client, survey: Survey
) -> None:
    plan(survey, *TWENTY)
    assert add(client, survey, "arms", **SENT["arms"]).status_code == 422
    assert len(stored_hypotheses(survey)) == 20
    assert "A plan holds at most 20 hypotheses" in page_of(client, survey)
    with pytest.raises(InputError, match="at most 20 hypotheses"):
        freeze_design(add_plan(survey.draft, EVERY[1]))
    assert 'id="hypothesis-edit"' in page_of(client, survey, edit="H20")
    assert edit(client, survey, "H20", item="theft=yes", than="50").status_code == 302


def test_salt_is_random_and_stays_and_a_duplicate_is_refused(client: Client, survey: Survey) -> None:
    """What a reviewer approves has the fingerprint that opens."""
    assert add(client, survey, "share", **SENT["share"]).status_code == 302
    salt = survey.draft["plan"]["salt"]
    assert add(client, survey, "share", **SENT["share"]).status_code == 422
    assert len(stored_hypotheses(survey)) == 1
    add(client, survey, "arms", **SENT["arms"])
    before = survey.draft["plan"]
    edit(client, survey, "H1", **TWELVE)
    after = survey.draft["plan"]
    assert before["salt"] == after["salt"] == salt
    assert hypotheses.plan_fingerprint(before) != hypotheses.plan_fingerprint(after)
    assert hypotheses.random_salt() != hypotheses.random_salt()


def test_untestable_kind_says_what_to_do_first(client: Client, survey: Survey) -> None:
    ways = {
        option.kind: str(option.way)
        for option in drafted_hypotheses_of(stored_draft(sensitive(THEFT))).options
    }
    assert (ways["share"], ways["arms"]) == ("", "Ask a share directly first.")
    assert all(ways[kind] for kind in ("version", "association", "coefficient"))
    assert [option.kind for option in drafted_hypotheses_of(study()).options if option.way] == ["change"]
    response = add(client, update_row(survey, draft=study(direct="")), "arms", **SENT["arms"])
    assert (response.status_code, "Ask a share directly first" in response.text) == (422, True)
    put(survey, plain())
    assert "Finish the questionnaire before you add hypotheses" in page_of(client, survey)
    assert add(client, survey, "share", **SENT["share"]).status_code == 422


def test_product_coefficient_is_listed_added_and_worded(client: Client, survey: Survey) -> None:
    page = page_of(client, survey, "coefficient")
    assert "A product says whether one covariate matters more for some choices of another." in page
    assert options_of(page, "product3_second") == ["age", "wording", "mood", "arm"]
    assert options_of(page, "of") == ["age=b", "wording=y", "mood", "mood=2", "mood=3", "arm"]
    # The coefficients of chosen products are listed before anything is saved.
    chosen = {"covariates": ["age", "arm"], "product1_first": "age", "product1_second": "arm", "of": "age=b"}
    response = add(client, survey, "coefficient", **{**SENT_PRODUCT, **chosen, "list": "1"})
    page = response.text
    assert (response.status_code, stored_hypotheses(survey)) == (200, [])
    assert options_of(page, "of") == ["age=b", "arm", "age=b*arm"]
    assert '<option value="age=b" selected>' in page
    assert "There is a problem" not in page
    assert add(client, survey, "coefficient", **SENT_PRODUCT).status_code == 302
    assert stored_hypotheses(survey) == [PRODUCT]
    page = page_of(client, survey)
    assert "on Age, Mood, asked directly or disguised, Age × Mood, Mood × asked directly or disguised" in page
    assert "the coefficient of “Age: b × Mood, per step of its scale” is not 0." in page
    freeze_design(survey.draft)


def test_a_model_with_too_many_coefficients_is_refused(client: Client, survey: Survey) -> None:
    """With mood as a number 1 + 4 + 1 and 4 of their product are 10; by choices 1 + 4 + 4 and 16 are 25."""
    put(survey, plain(*(question(key, *"12345", form="scale") for key in ("mood", "pain"))), sensitive(THEFT))
    sent = {**SENT["coefficient"], "covariates": ["mood", "pain"]}
    sent |= {"product1_first": "mood", "product1_second": "pain"}
    response = add(client, survey, "coefficient", **{**sent, "of": "mood=2*pain=2"})
    assert "make 25 coefficients, above 20" in refusal(response)
    assert add(client, survey, "coefficient", **{**sent, "of": "mood*pain=2"}).status_code == 302


# Editing: in its place.


def test_saving_an_unchanged_hypothesis_form_changes_nothing(full_plan: Survey) -> None:
    draft = read_questionnaire(full_plan.draft)
    for each in hypotheses.drafted_hypotheses(draft.plan):
        part = EditedHypothesisPart(each["name"])
        form = part.build_form(draft)
        assert isinstance(form, HypothesisForm)
        sent = part.build_form(draft, form.shown_values)
        assert sent.is_valid(), sent.errors
        assert part.apply_cleaned(draft, sent.cleaned_data) == draft


def test_edited_hypothesis_keeps_its_place(client: Client, full_plan: Survey) -> None:
    before = hypotheses.drafted_hypotheses(full_plan.draft["plan"])
    page = page_of(client, full_plan, edit="H1")
    assert 'value="10"' in page
    assert "Add hypothesis" not in page
    assert edit(client, full_plan, "H1", **TWELVE).status_code == 302
    assert hypotheses.drafted_hypotheses(full_plan.draft["plan"]) == [
        {**before[0], "than": "0.1250"},
        *before[1:],
    ]
    # An edit lists the coefficients of its products.
    page = page_of(client, full_plan, edit="H6")
    assert "mood=3*arm" in options_of(page, "of")
    assert '<option value="age=b*mood" selected>' in page
    response = edit(client, full_plan, "H6", covariates=["age"], item="theft=yes", model="logit", list="1")
    assert response.status_code == 200
    assert options_of(response.text, "of") == ["age=b"]
    assert 'id="hypothesis-edit"' in response.text
    plan(full_plan, SHARE, {**SHARE, "than": "0.2000"})
    response = edit(client, full_plan, "H1", item="theft=yes", than="20")
    assert "This hypothesis is in the list already." in refusal(response)


def test_refused_or_conflicting_edit_keeps_the_input(client: Client, full_plan: Survey) -> None:
    before = full_plan.draft
    response = edit(client, full_plan, "H1", item="age=a", than="777")
    page = response.text
    assert response.status_code == 422
    for words in ("less than or equal to 99.99", '<option value="age=a" selected>', 'value="777"'):
        assert words in page
    assert page.count('id="hypothesis-edit"') == 1
    response = edit(client, full_plan, "H1", **TWELVE, base="0" * 16)
    assert response.status_code == 409
    assert "Someone else has changed this meanwhile" in response.text
    assert 'value="12.5"' in response.text
    assert 'id="hypothesis-edit"' not in page_of(client, full_plan, edit="H9")
    gone = edit(client, full_plan, "H9", **TWELVE)
    assert "This hypothesis is not there any more." in client.get(gone.url).text
    assert full_plan.draft == before


def test_kind_that_became_impossible_is_not_edited(client: Client, full_plan: Survey) -> None:
    update_row(full_plan, draft={**full_plan.draft, "direct": ""})
    assert [line.may_edit for line in drafted_hypotheses_of(full_plan.draft).hypothesis_lines] == [
        True,
        False,
    ] + [True] * 4
    assert 'id="hypothesis-edit"' not in page_of(client, full_plan, edit="H2")
    assert "Ask a share directly first" in refusal(edit(client, full_plan, "H2", item="theft=yes"))


def test_hypotheses_are_seen_and_changed_by_the_owner_only(
    full_plan: Survey, editor: Person, reviewer: Person, viewer: Person, stranger: Person, signed_in_as: As
) -> None:
    before = full_plan.draft
    page = page_of(signed_in_as(editor), full_plan, "share")
    assert "Ask a share directly" in page
    assert "Hypotheses" not in page
    for person, status in ((editor, 403), (reviewer, 403), (viewer, 403), (stranger, 404)):
        client = signed_in_as(person)
        answers = [add(client, full_plan, "arms", **SENT["arms"]), edit(client, full_plan, "H1", **TWELVE)]
        answers.append(edit(client, full_plan, "H1", **TWELVE, list="1"))
        assert [answer.status_code for answer in answers] == [status] * 3
        assert "hypothesis-edit" not in page_of(client, full_plan, edit="H1")
    assert reload(full_plan).draft == before


def test_a_hypothesis_that_fits_no_more_is_told_to_the_owner_and_to_no_editor(
    client: Client, full_plan: Survey, editor: Person, signed_in_as: As
) -> None:
    sections = [full_plan.draft["sections"][0], sensitive(question("other", "no", "yes"))]
    update_row(full_plan, draft={**full_plan.draft, "sections": sections})
    pages, browser = ("", "edit", "edit/quotas", "edit/appearance", "preview"), signed_in_as(editor)
    told = [page for page in pages if "design has no answer" in page_text(browser, full_plan, page)]
    assert not told
    assert "no answer" in page_text(client, full_plan)
    assert "no answer" in page_text(client, full_plan, "open")


# Changes since the survey that a draft repeats.


def draft_of_following_survey(*sections: dict[str, Any]) -> Draft:
    """These sections or the study; the earlier survey asked for the age and for theft."""
    earlier = freeze_design(stored_draft(plain(question("age")), sensitive(THEFT)))
    follows = opening.store_design(earlier).pk
    return stored_draft(*sections, follows=follows) if sections else study(follows=follows)


def test_change_hypothesis_is_added_if_an_earlier_survey_asked_the_same(
    client: Client, survey: Survey
) -> None:
    update_row(survey, draft=draft_of_following_survey())
    page = page_of(client, survey, "change")
    assert options_of(page, "item") == ["age=a", "age=b", "theft=yes"]
    assert options_of(page, "direction") == ["more", "less"]
    sent = {"item": "theft=yes", "direction": "less"}
    assert add(client, survey, "change", **{**sent, "item": "mood=1"}).status_code == 422
    assert add(client, survey, "change", **sent).status_code == 302
    assert stored_hypotheses(survey) == [{"kind": "change", **sent}]
    assert "The share of “Theft: yes” is smaller than in the earlier survey." in page_of(client, survey)
    draft = reload(survey).draft
    assert freeze_design(draft).plan == hypotheses.plan_fingerprint(draft["plan"])
    page = page_of(client, survey, edit="H1")
    assert '<option value="less" selected>' in page
    assert edit(client, survey, "H1", **{**sent, "direction": "more"}).status_code == 302
    assert "The share of “Theft: yes” is larger than in the earlier survey." in page_of(client, survey)


@pytest.mark.django_db
def test_change_no_report_can_tell_is_refused_with_its_reason() -> None:
    change = {"kind": "change", "item": "theft=yes", "direction": "more"}
    other_words = question("theft", "no", "yes", form="yes-no", text={"en": "Have you taken something?"})
    for draft, reason in (
        (study(), "the design follows no earlier one"),
        (draft_of_following_survey(plain(question("age")), sensitive(other_words)), "in other words"),
    ):
        refused = add_plan(draft, change)
        with pytest.raises(InputError, match=reason) as why:
            freeze_design(refused)
        assert why.value.path == "hypotheses[0]"
        (line,) = drafted_hypotheses_of(refused).hypothesis_lines
        assert reason in line.fault
    mood = add_plan(draft_of_following_survey(), {**change, "item": "mood=1"})
    with pytest.raises(InputError, match="the earlier survey did not ask for 'mood=1'"):
        freeze_design(mood)
