"""Studies in the builder: crosswise questions, control items, drawn versions and a direct arm, by keyboard too."""

import pytest
from playwright.sync_api import expect

from tests.browser.building import Make, maker, saved, tab_to
from tests.browser.conftest import Visit
from tests.builder.written import plain, question, sensitive
from tests.product import Product

pytestmark = pytest.mark.browser


@pytest.fixture
def make(product: Product) -> Make:
    return maker(product)


def yes_no(name: str, **more: str) -> dict[str, object]:
    return {**question(name, "no", "yes", **more), "form": "yes-no"}


def test_a_crosswise_question_is_written_with_the_keyboard_alone(visit: Visit, make: Make) -> None:
    draft = make(plain(question("work", "employed", "none")))
    page = visit("researcher").go(f"{draft.path}/edit")
    tab_to(page, page.get_by_role("button", name="Add a crosswise question"))
    page.keyboard.press("Enter")
    expect(page.locator(".block.open textarea[name=text]")).to_be_focused()
    page.keyboard.type("Did you cheat on taxes?")
    for name, words in {"secret": "Born in spring?", "share": "20", "source": "A calendar"}.items():
        tab_to(page, page.locator(f".block.open [name={name}]"))
        page.keyboard.press("ControlOrMeta+A")
        page.keyboard.type(words)
    expect(page.locator(".number-results")).to_contain_text("4.00 times")
    saved(page)
    asked = draft.stored["sections"][1]["questions"][0]
    assert (asked["secret"], asked["share"]) == ({"en": "Born in spring?"}, "0.2000")


def test_a_hypothesis_of_a_product_is_added_edited_and_deleted_with_the_keyboard_alone(
    visit: Visit, make: Make
) -> None:
    """The coefficients that can be chosen follow from the product."""
    draft = make(
        plain(question("age", "young", "old"), question("sex", "f", "m")), sensitive(yes_no("theft"))
    )
    page = visit("researcher").go(f"{draft.path}/edit/study")
    tab_to(page, page.get_by_role("link", name="A coefficient of a model is not 0"))
    page.keyboard.press("Enter")
    tab_to(page, page.get_by_label("Answer that the model explains"))
    page.keyboard.type("The")
    for covariate in ("Age", "Sex"):
        tab_to(page, page.get_by_label(covariate, exact=True))
        page.keyboard.press("Space")
    tab_to(page, page.get_by_text("Products of two covariates"))
    page.keyboard.press("Enter")
    for side, covariate in (("First", "Age"), ("Second", "Sex")):
        tab_to(page, page.get_by_label(f"{side} covariate").first)
        page.keyboard.type(covariate)
    tab_to(page, page.get_by_role("button", name="List coefficients"))
    page.keyboard.press("Enter")
    coefficients = page.get_by_label("Coefficient", exact=True)
    expect(coefficients.locator("optgroup").last).to_have_attribute("label", "Age × Sex")
    assert "plan" not in draft.stored
    tab_to(page, coefficients)
    page.keyboard.type("Age: old ×")
    tab_to(page, page.get_by_role("button", name="Add hypothesis"))
    page.keyboard.press("Enter")
    expect(page.locator(".hypotheses")).to_contain_text("the coefficient of “Age: old × Sex: m” is not 0.")
    [added] = draft.stored["plan"]["hypotheses"]
    assert (added["covariates"], added["of"]) == (["age", "sex", "age*sex"], "age=old*sex=m")
    tab_to(page, page.get_by_role("link", name="Edit H1"))
    page.keyboard.press("Enter")
    tab_to(page, page.get_by_label("Coefficient", exact=True))
    page.keyboard.type("Sex: m")
    tab_to(page, page.get_by_role("button", name="Save hypothesis"))
    page.keyboard.press("Enter")
    expect(page.locator(".hypotheses")).to_contain_text("the coefficient of “Sex: m” is not 0.")
    assert draft.stored["plan"]["hypotheses"] == [{**added, "of": "sex=m"}]
    tab_to(page, page.get_by_role("button", name="Delete H1"))
    page.keyboard.press("Enter")
    expect(page.locator("#hypotheses")).to_contain_text("No hypotheses yet")
    assert "plan" not in draft.stored
