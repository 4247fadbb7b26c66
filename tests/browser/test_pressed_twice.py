"""A button that is pressed twice sends its form once, on the pages that load anew."""

import pytest

from tests.browser.building import Make, maker
from tests.browser.conftest import Visit
from tests.builder.written import plain, question
from tests.product import Product

pytestmark = pytest.mark.browser


@pytest.fixture
def make(product: Product) -> Make:
    return maker(product)


PRESS = """(presses) => {
    const stopped = [];
    addEventListener('submit', event => { stopped.push(event.defaultPrevented); event.preventDefault(); });
    const buttons = document.querySelectorAll('main form[method=post] button');
    for (const place of presses) {
        const button = buttons[place];
        button.form.noValidate = true;
        button.form.requestSubmit(button);
    }
    return stopped;
}"""
"""Presses buttons of forms, by their places, in a page that stays; returns for each whether its form was held back."""


def test_a_form_is_sent_once_though_its_button_is_pressed_twice(visit: Visit, make: Make) -> None:
    make(plain(question("age")), title={"en": "The other"})
    page = visit("researcher").go(f"{make(plain(question('work'))).path}/edit/copy")
    assert page.evaluate(PRESS, [0, 0]) == [False, True]


def test_another_button_is_not_held_back(visit: Visit, make: Make) -> None:
    page = visit("researcher").go("/surveys/new")
    assert page.evaluate(PRESS, [0, 1, 1]) == [False, False, True]
