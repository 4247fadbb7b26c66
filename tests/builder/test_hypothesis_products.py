"""Products of two covariates in a hypothesis of a coefficient."""

from typing import Any

import pytest
from django.test import Client

from privacy.designs import InputError
from surveys.kinds.read_draft import read_questionnaire
from surveys.lifecycle.freeze_draft import freeze_design
from surveys.models import Survey
from surveys.study.hypothesis_editing import DraftedHypotheses
from tests.builder.planned import (
    PRODUCT,
    SENT,
    SENT_PRODUCT,
    add,
    kept,
    options_of,
    page_of,
    planned,
    study,
    subjects,
)
from tests.builder.written import plain, question, sensitive, stored as written
from tests.surveys.drafts import normalized

pytestmark = pytest.mark.page


@pytest.fixture
def survey(draft: Survey) -> Survey:
    draft.draft = study()
    draft.save()
    return draft


def test_the_coefficients_of_a_product_are_all_pairs_of_those_of_its_covariates() -> None:
    found = subjects(study()).coefficients_of_covariates(["arm", "mood", "age", "arm*age", "mood*age"])
    assert found["mood*age"] == ["mood*age=b", "mood=2*age=b", "mood=3*age=b"]
    # As the model is computed: the arm stands behind the questions.
    assert found["arm*age"] == ["age=b*arm"]


def test_what_is_no_product_of_two_covariates_has_no_coefficient(subtests: pytest.Subtests) -> None:
    for product in ["age*age", "age*theft", "age*mood*arm", "age*", "theft"]:
        with subtests.test(f"{product!r:.60}"):
            assert subjects(study()).coefficients_of_covariates([product]) == {product: []}


def test_a_coefficient_of_a_product_is_added_and_said_in_words(client: Client, survey: Survey) -> None:
    page = page_of(client, survey, "coefficient")
    assert "A product says whether one covariate matters more for some choices of another." in page
    assert options_of(page, "product3_second") == ["age", "wording", "mood", "arm"]
    assert add(client, survey, "coefficient", **SENT_PRODUCT).status_code == 302
    assert kept(survey) == [PRODUCT]
    page = page_of(client, survey)
    assert "on Age, Mood, asked directly or disguised, Age × Mood, Mood × asked directly or disguised" in page
    assert "the coefficient of “Age: b × Mood, per step of its scale” is not 0." in page
    freeze_design(survey.draft)


def test_the_coefficients_of_chosen_products_are_listed_before_anything_is_saved(
    client: Client, survey: Survey
) -> None:
    assert options_of(page_of(client, survey, "coefficient"), "of") == [
        "age=b",
        "wording=y",
        "mood",
        "mood=2",
        "mood=3",
        "arm",
    ]
    sent = {**SENT_PRODUCT, "covariates": ["age", "arm"], "product1_first": "age", "product1_second": "arm"}
    response = add(client, survey, "coefficient", **{**sent, "of": "age=b", "list": "1"})
    page = response.content.decode()
    assert response.status_code == 200
    assert options_of(page, "of") == ["age=b", "arm", "age=b*arm"]
    assert '<option value="age=b" selected>' in page
    assert "There is a problem" not in page
    assert kept(survey) == []


def test_a_product_that_is_none_is_refused_and_what_was_entered_stays(
    client: Client, survey: Survey, subtests: pytest.Subtests
) -> None:
    cases: list[tuple[dict[str, Any], str]] = [
        ({"product1_second": ""}, "Choose two different covariates, or none."),
        ({"product1_second": "mood"}, "Choose two different covariates, or none."),
        ({"covariates": ["age", "mood"]}, "Select both covariates above as well."),
        ({"of": "age=b*arm"}, "Choose a coefficient of one of the selected covariates."),
        ({"product2_first": "theft"}, "theft is not one of the available choices"),
    ]
    for sent, reason in cases:
        with subtests.test(f"{sent!r:.60} {reason!r:.60}"):
            response = add(client, survey, "coefficient", **{**SENT_PRODUCT, **sent})
            page = response.content.decode()
            assert response.status_code == 422
            assert reason in page
            assert '<option value="mood" selected>' in page
            assert "<details open>" in page
            assert kept(survey) == []


def test_a_model_with_more_coefficients_than_can_be_computed_is_refused(
    client: Client, survey: Survey
) -> None:
    """With mood as a number 1 + 4 + 1 and 4 of their product are 10; by choices 1 + 4 + 4 and 16 are 25."""
    five = "12345"
    scales = [{**question(name, *five), "form": "scale"} for name in ("mood", "pain")]
    survey.draft = written(plain(*scales), sensitive({**question("theft", "no", "yes"), "form": "yes-no"}))
    survey.save()
    sent = {
        **SENT["coefficient"],
        "covariates": ["mood", "pain"],
        "product1_first": "mood",
        "product1_second": "pain",
    }
    response = add(client, survey, "coefficient", **{**sent, "of": "mood=2*pain=2"})
    assert response.status_code == 422
    assert "make 25 coefficients, above 20" in response.content.decode()
    assert add(client, survey, "coefficient", **{**sent, "of": "mood*pain=2"}).status_code == 302


def test_a_model_with_more_combinations_than_can_be_computed_cannot_be_opened() -> None:
    names = [f"q{number}" for number in range(13)]
    draft = written(
        plain(*map(question, names)), sensitive({**question("theft", "no", "yes"), "form": "yes-no"})
    )
    model = {**PRODUCT, "of": "q0=b"}
    freeze_design(planned(draft, {**model, "covariates": names[:12]}))
    with pytest.raises(InputError, match="have 8,192 combinations of choices, above 4,096"):
        freeze_design(planned(draft, {**model, "covariates": names}))


def test_a_covariate_that_is_disguised_now_is_a_fault() -> None:
    draft = planned(study(), {**PRODUCT, "covariates": ["age", "mood"], "of": "age=b"})
    first, second = draft["sections"]
    mood = first["questions"].pop()
    draft = normalized({**draft, "sections": [first, {**second, "questions": [*second["questions"], mood]}]})
    assert (
        "'mood' cannot be a covariate any more"
        in DraftedHypotheses(read_questionnaire(draft)).hypothesis_lines[0].fault
    )
