"""What the look promises, in a browser: every page in both themes, on a phone, with the keyboard, without scripts."""

import re

import pytest
from django.test import RequestFactory
from playwright.sync_api import Page, expect

from tests.browser.conftest import Visit
from tests.browser.visiting import LAPTOP, PHONE, Visitor, box_of, shell, wait_for_expression
from tests.product import Product
from ui.errors import server_error

pytestmark = [pytest.mark.browser, pytest.mark.night(smaller="browser/test_journeys.py")]
SMALL = """() => [...document.querySelectorAll("button, .button, select, header a, footer a, summary, .tabs a,"
    + "input:not([type=radio], [type=checkbox], [type=hidden]), .choices label, .tick > label")]
    .filter(e => e.checkVisibility() && e.getBoundingClientRect().height < 44).map(e => e.outerHTML.slice(0, 100))"""
MOVING = """() => [...document.querySelectorAll('*')].map(e => getComputedStyle(e)).filter(s =>
    (s.transitionDuration + ',' + s.animationDuration).split(',').some(t => parseFloat(t) > .001)).length"""


def test_a_public_page_is_accessible_and_fits_a_phone(visit: Visit) -> None:
    """All other refusals are made of the template of `/nothing/here`."""
    visitor = visit(used=True)
    for address in ("/", "/app/method", "/nothing/here"):
        visitor.go_and_check(address)
    page = visitor.go("/app/limits")
    # Its first link leads past the head.
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('header') === null")
    visitor.check()
    # On paper there is no frame around it.
    page.emulate_media(media="print")
    expect(page.locator("header.masthead")).to_be_hidden()
    expect(page.locator("footer")).to_be_hidden()
    expect(page.locator("h1")).to_be_visible()


def test_errors_are_answered_by_a_page(visit: Visit) -> None:
    visitor = visit(used=True)
    for what, changed, heading in (
        ("button[name=theme]", "e.value = 'none such'", "That request could not be understood"),
        ("input[name=next]", "e.value = 'x'.repeat(2.8e6)", "That is too large"),
        ("input[name=csrfmiddlewaretoken]", "e.value = 'x'", "This page has expired"),
    ):
        page = visitor.go("/app/limits")
        page.evaluate(f"() => document.querySelectorAll('footer {what}').forEach(e => {{ {changed} }})")
        page.click("footer button[name=theme] >> nth=0")
        expect(page.locator("h1")).to_have_text(heading)
        visitor.check(within="main")
    # Made here and served by the browser's own door, since nothing in the product breaks on request.
    body = server_error(RequestFactory().get("/")).content
    page.route("**/broken", lambda route: route.fulfill(status=500, content_type="text/html", body=body))
    visit_and_check(visitor, "/broken", "Sorry, there is a problem with this site")


def test_the_components_of_the_styleguide_are_accessible_and_work(ruth: Visitor) -> None:
    page = ruth.go("/app/styleguide/")
    # A dialog takes the focus, and Escape gives it back.
    page.locator("[data-dialog]").focus()
    page.keyboard.press("Enter")
    dialog = page.locator("dialog[open]")
    expect(dialog).to_be_visible()
    assert page.evaluate("document.activeElement.closest('dialog') !== null")
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    assert page.evaluate("document.activeElement.hasAttribute('data-dialog')")
    ruth.check()
    # A wide table scrolls inside its frame with the keyboard, and every control is a target of 44 pixels.
    page.set_viewport_size(PHONE)
    page.locator(".table").first.focus()
    page.keyboard.press("ArrowRight")
    wait_for_expression(page, "document.querySelector('.table').scrollLeft > 0")
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    assert page.evaluate(SMALL) == []
    # Whatever a style sheet or a script lets move, nothing does for whoever asked for no motion.
    page.evaluate("document.querySelector('h1').style.setProperty('transition', 'color 3s')")
    assert page.evaluate(MOVING) == 1
    page.emulate_media(reduced_motion="reduce")
    assert page.evaluate(MOVING) == 0


def test_copy_button_fills_the_clipboard_and_says_so(visit: Visit) -> None:
    page = visit("reviewer", permissions=["clipboard-read", "clipboard-write"]).go("/app/styleguide/")
    page.locator("[data-copy] button").click()
    wait_for_expression(page, "document.querySelector('[data-copy] [role=status]').textContent === 'Copied'")
    assert page.evaluate("navigator.clipboard.readText()") == page.locator("#specimen-copy").input_value()


def test_theme_and_dialog_work_without_a_script(visit: Visit) -> None:
    visitor = visit(java_script_enabled=False)
    page = visitor.go("/app/limits")
    light = page.locator("h1").screenshot()
    page.click("button[name=theme][value=dark]")
    assert page.url.endswith("/app/limits")
    assert page.locator("html").get_attribute("data-theme") == "dark"
    assert page.locator("h1").screenshot() != light
    page.reload()
    assert page.locator("button[name=theme][value=dark]").get_attribute("aria-pressed") == "true"

    visitor.be_signed_in("reviewer")
    visitor.go("/app/styleguide/").click("[data-dialog]")
    assert page.locator("h1").text_content() == "Cancel the run?"
    page.click("main .button:not(.danger)")
    assert page.locator("h1").text_content() == "Styleguide"


def test_the_admin_in_our_colours_is_accessible(visit: Visit, superuser: str) -> None:
    """A reviewer's list of people is part of a superuser's."""
    visitor = visit("reviewer")
    for address in ("/app/admin/", "/app/admin/accounts/person/1/change/"):
        visitor.go_and_check(address, within="body")
    visitor = visit(superuser)
    for name, control in {
        "": "#action-toggle",
        "1/change/": "input[name=researcher]",
        "1/password/": "input[name=password1]",
    }.items():
        expect(visitor.go(f"/app/admin/accounts/person/{name}").locator(control)).to_be_visible()
        visitor.check()
    form = visitor.go("/app/admin/accounts/person/add/")
    expect(form.locator("input[name=reviewer]")).to_be_visible()
    form.fill("input[name=username]", "not a user name")
    form.click("input[name=_save]")
    expect(form.locator(".errornote")).to_be_visible()
    visitor.check()


LINKS = """
from django.contrib.auth.tokens import default_token_generator
from accounts import password_links
person = Person.objects.create_user("guest")
print(password_links.path_to_set_password("accounts:password-reset-confirm", person, default_token_generator))
print(password_links.path_to_set_password("accounts:invitation", person, password_links.invitations))
"""
FAIL_FOUR_TIMES = """async () => {
    const form = document.querySelector('main form');
    for (let failures = 0, tries = 0; failures < 4 && tries < 40; tries += 1) {
        const answer = await fetch(form.action, {method: 'POST', body: new URLSearchParams(new FormData(form))});
        failures += answer.status === 429 ? 0 : 1;
    }
}"""
"""A try that is refused because other passwords are being looked at counts for nothing."""


def visit_and_check(visitor: Visitor, address: str, heading: str) -> Page:
    page = visitor.go(address)
    assert page.locator("h1").text_content() == heading
    visitor.check()
    return page


def test_the_account_is_accessible(robin: Visitor) -> None:
    visit_and_check(robin, "/app/account/", "Your account")
    a_row_is_a_block_of_lines_on_a_phone(visit_and_check(robin, "/app/account/history", "Activity log"))
    visit_and_check(robin, "/app/account/password", "Change password")
    robin.go_and_check("/app/account/home")


def a_row_is_a_block_of_lines_on_a_phone(page: Page) -> None:
    """All of it is read without scrolling, and each cell but those of the first line is below another."""
    page.set_viewport_size({"width": 390, "height": 844})
    frame, cells = page.locator(".table"), page.locator(".table tbody tr").first.locator("td")
    assert frame.evaluate("e => e.scrollWidth <= e.clientWidth")
    tops = [box_of(cell)["y"] for cell in cells.all() if cell.is_visible()]
    assert tops[-1] > tops[0]
    page.set_viewport_size(LAPTOP)
    assert len({round(box_of(cell)["y"]) for cell in cells.all()}) == 1


def test_sign_in_is_accessible_up_to_the_lockout(visit: Visit) -> None:
    page = visit_and_check(visit(used=True), "/app/account/sign-in", "Sign in")
    page.fill("input[name=username]", "nobody-at-all")
    page.click("main button[type=submit]")
    expect(page).to_have_title(re.compile("^Error: "))
    expect(page.locator(".error-summary")).to_be_focused()
    page.click(".error-summary a")
    expect(page.locator("input[name=password]")).to_be_focused()
    page.fill("input[name=password]", "not the password")
    page.evaluate(FAIL_FOUR_TIMES)
    page.click("main button[type=submit]")
    expect(page.get_by_text("Too many wrong passwords")).to_be_visible()


def test_password_reset_is_accessible(visit: Visit, product: Product) -> None:
    """The pages that a password is set, and that a link is dead, have no other elements than that of the letter."""
    visitor = visit(used=True)
    page = visitor.go_and_check("/app/account/password/forgotten")
    page.fill("input[name=email]", "nobody@example.org")
    page.click("main button[type=submit]")
    assert page.url.endswith("/app/account/password/letter-sent")
    visitor.check()
    reset, invitation = shell(product, LINKS).split()
    for link, heading in ((reset, "Set a new password"), (invitation, "Welcome to Candor")):
        assert visitor.go(link).locator("h1").text_content() == heading
    visitor.check()


def test_theme_follows_the_system_until_chosen(visit: Visit) -> None:
    visitor = visit(used=True)
    visitor.page.emulate_media(color_scheme="dark")
    ground = "getComputedStyle(document.body).backgroundColor"
    page = visitor.go("/app/method")
    dark = page.evaluate(ground)
    page.emulate_media(color_scheme="light")
    assert page.evaluate(ground) != dark
    page.emulate_media(color_scheme="dark")
    page.click("button[name=theme][value=light]")
    assert page.evaluate(ground) != dark


def test_toast_stays_until_dismissed(visit: Visit) -> None:
    page = visit("researcher").go("/app/surveys/")
    page.click("header button:has-text('Sign out')")
    toast = page.locator("[role=status] .toast")
    expect(toast).to_be_visible()
    toast.get_by_role("button").click()
    expect(toast).to_have_count(0)
    assert page.evaluate("document.activeElement.id") == "main"
