"""What the look promises, in a browser: every page in both themes, on a phone, with the keyboard, without scripts."""

import pytest
from django.test import RequestFactory
from playwright.sync_api import expect

from look.errors import server_error
from tests import servers
from tests.browser.conftest import Visit, until
from tests.product import Product

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("address", ["/", "/method", "/limits", "/nothing/here"])
def test_a_public_page_is_accessible_and_fits_a_phone(visit: Visit, address: str) -> None:
    visitor = visit(used=True)
    visitor.go(address)
    visitor.check()
    visitor.shoot("public" + address.replace("/", "-"))


def test_the_home_page_of_somebody_signed_in_is_accessible(visit: Visit) -> None:
    visitor = visit("researcher")
    visitor.go("/account/home")
    visitor.check()
    visitor.shoot("next")


def test_the_styleguide_is_accessible_with_every_component_in_every_state(visit: Visit) -> None:
    visitor = visit("reviewer")
    visitor.go("/styleguide/")
    visitor.check()
    visitor.shoot("styleguide")


@pytest.mark.parametrize("address", ["/admin/", "/admin/people/person/", "/admin/people/person/1/change/"])
def test_the_admin_in_our_colours_is_accessible(visit: Visit, address: str) -> None:
    visitor = visit("reviewer")
    visitor.go(address)
    visitor.check(within="body")
    visitor.shoot("admin" + address.replace("/", "-"))


@pytest.mark.parametrize(
    ("page", "control"),
    [
        ("", "#action-toggle"),
        ("add/", "input[name=reviewer]"),
        ("1/change/", "input[name=researcher]"),
        ("1/password/", "input[name=password1]"),
    ],
)
def test_what_a_superuser_does_with_people_is_accessible(
    visit: Visit, superuser: str, page: str, control: str
) -> None:
    visitor = visit(superuser)
    expect(visitor.go(f"/admin/people/person/{page}").locator(control)).to_be_visible()
    visitor.check()
    visitor.shoot("admin-people-superuser-" + page.replace("/", "-"))


def test_a_form_of_people_that_is_refused_is_accessible(visit: Visit, superuser: str) -> None:
    visitor = visit(superuser)
    page = visitor.go("/admin/people/person/add/")
    page.fill("input[name=username]", "not a user name")
    page.click("input[name=_save]")
    expect(page.locator(".errornote")).to_be_visible()
    visitor.check()


# --- the account, and what is refused ----------------------------------------------------------------

LINKS = """
from django.contrib.auth.tokens import default_token_generator
from people import passwords
from people.models import Person
person = Person.objects.create_user("guest")
print(passwords.link("people:password-reset-confirm", person, default_token_generator))
print(passwords.link("people:invitation", person, passwords.invitations))
"""


@pytest.mark.parametrize(
    ("role", "address", "heading"),
    [
        (None, "/account/sign-in", "Sign in"),
        (None, "/account/password/set", "Your password is set"),
        (None, "/account/password/MQ/a-dead-link", "This link no longer works"),
        ("researcher", "/account/", "Your account"),
        ("researcher", "/account/history", "Activity log"),
        ("researcher", "/account/password", "Change password"),
        ("researcher", "/styleguide/", "You do not have access to this page"),
    ],
)
def test_a_page_of_the_account_is_accessible(
    visit: Visit, role: str | None, address: str, heading: str
) -> None:
    visitor = visit(role, used=True)
    assert visitor.go(address).locator("h1").text_content() == heading
    visitor.check()
    visitor.shoot("account" + address.replace("/", "-"))


def test_a_forgotten_password_is_accessible_from_asking_to_the_letter(visit: Visit) -> None:
    visitor = visit(used=True)
    page = visitor.go("/account/password/forgotten")
    visitor.check()
    page.fill("input[name=email]", "nobody@example.org")
    page.click("main button[type=submit]")
    assert page.url.endswith("/account/password/letter-sent")
    visitor.check()


def test_a_link_that_sets_a_password_is_accessible_for_the_forgetful_and_the_invited(
    visit: Visit, product: Product
) -> None:
    visitor = visit(used=True)
    reset, invitation = servers.manage(product.env, "shell", "--verbosity=0", "-c", LINKS).split()
    for link, heading in ((reset, "Set a new password"), (invitation, "Welcome to Candor")):
        assert visitor.go(link).locator("h1").text_content() == heading
        visitor.check()


def test_being_locked_out_is_accessible(visit: Visit) -> None:
    visitor = visit(used=True)
    page = visitor.go("/account/sign-in")
    for _ in range(5):
        page.fill("input[name=username]", "nobody-at-all")
        page.fill("input[name=password]", "not the password")
        with page.expect_navigation():
            page.click("main button[type=submit]")
    assert page.locator("h1").text_content() == "Too many wrong passwords"
    visitor.check()


@pytest.mark.parametrize(
    ("spoil", "heading"),
    [
        ("button[name=theme]: e.value = 'none such'", "That request could not be understood"),
        ("input[name=next]: e.value = 'x'.repeat(3e6)", "That is too large"),
        ("input[name=csrfmiddlewaretoken]: e.value = 'x'", "This page has expired"),
    ],
)
def test_a_refused_request_is_answered_by_an_accessible_page(visit: Visit, spoil: str, heading: str) -> None:
    visitor = visit(used=True)
    page = visitor.go("/limits")
    what, change = spoil.split(": ")
    page.evaluate(f"() => document.querySelectorAll('footer {what}').forEach(e => {{ {change} }})")
    with page.expect_navigation():
        page.click("footer button[name=theme] >> nth=0")
    assert page.locator("h1").text_content() == heading
    visitor.check()


def test_the_page_for_what_broke_is_accessible(visit: Visit) -> None:
    """Made here and served by the browser's own door, since nothing in the product breaks on request."""
    body = server_error(RequestFactory().get("/")).content
    visitor = visit(used=True)
    visitor.page.route(
        "**/broken", lambda route: route.fulfill(status=500, content_type="text/html", body=body)
    )
    assert visitor.go("/broken").locator("h1").text_content() == "Sorry, there is a problem with this site"
    visitor.check()


def test_the_skip_link_is_first_and_leads_past_the_head(visit: Visit) -> None:
    page = visit(used=True).go("/limits")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('header') === null")


def test_a_refused_form_puts_the_focus_on_its_summary_and_the_summary_leads_to_the_field(
    visit: Visit,
) -> None:
    page = visit(used=True).go("/account/sign-in")
    page.fill("input[name=username]", "somebody")
    page.click("main button[type=submit]")
    assert page.title().startswith("Error: ")
    assert page.evaluate("document.activeElement.className") == "error-summary"
    page.click(".error-summary a")
    assert page.evaluate("document.activeElement.name") == "password"


def test_the_theme_is_switched_without_a_script_and_stays(visit: Visit) -> None:
    page = visit(java_script_enabled=False).go("/limits")
    light = page.locator("body").screenshot()
    page.click("button[name=theme][value=dark]")
    assert page.url.endswith("/limits")
    assert page.locator("html").get_attribute("data-theme") == "dark"
    assert page.locator("body").screenshot() != light
    page.reload()
    assert page.locator("button[name=theme][value=dark]").get_attribute("aria-pressed") == "true"


def test_the_system_decides_until_somebody_does(visit: Visit) -> None:
    visitor = visit(color_scheme="dark")
    ground = "getComputedStyle(document.body).backgroundColor"
    page = visitor.go("/method")
    dark = page.evaluate(ground)
    page.emulate_media(color_scheme="light")
    assert page.evaluate(ground) != dark
    page.emulate_media(color_scheme="dark")
    page.click("button[name=theme][value=light]")
    assert page.evaluate(ground) != dark


def test_a_toast_stays_until_it_is_put_away(visit: Visit) -> None:
    page = visit("researcher").go("/surveys/")
    page.click("header button:has-text('Sign out')")
    toast = page.locator("[role=status] .toast")
    expect(toast).to_be_visible()
    toast.get_by_role("button").click()
    expect(toast).to_have_count(0)
    assert page.evaluate("document.activeElement.id") == "main"


def test_a_dialog_takes_the_focus_and_escape_gives_it_back(visit: Visit) -> None:
    page = visit("reviewer").go("/styleguide/")
    opener = page.locator("[data-dialog]")
    opener.focus()
    page.keyboard.press("Enter")
    dialog = page.locator("dialog[open]")
    expect(dialog).to_be_visible()
    assert page.evaluate("document.activeElement.closest('dialog') !== null")
    page.keyboard.press("Escape")
    assert dialog.count() == 0
    assert page.evaluate("document.activeElement.hasAttribute('data-dialog')")


def test_the_opener_of_a_dialog_is_a_plain_link_without_a_script(visit: Visit) -> None:
    page = visit("reviewer", java_script_enabled=False).go("/styleguide/")
    page.click("[data-dialog]")
    assert page.locator("h1").text_content() == "Cancel the run?"
    page.click("main .button:not(.danger)")
    assert page.locator("h1").text_content() == "Styleguide"


def test_what_is_copied_is_in_the_clipboard_and_is_said(visit: Visit) -> None:
    page = visit("reviewer", permissions=["clipboard-read", "clipboard-write"]).go("/styleguide/")
    button = page.locator("[data-copy] button")
    button.click()
    until(page, "document.querySelector('[data-copy] [role=status]').textContent === 'Copied'")
    assert page.evaluate("navigator.clipboard.readText()") == page.locator("#specimen-copy").input_value()


def test_a_wide_table_scrolls_inside_its_frame_with_the_keyboard(visit: Visit) -> None:
    page = visit("reviewer", viewport={"width": 390, "height": 844}).go("/styleguide/")
    frame = page.locator(".table").first
    frame.focus()
    page.keyboard.press("ArrowRight")
    until(page, "document.querySelector('.table').scrollLeft > 0")
    assert page.evaluate("document.documentElement.scrollWidth") == 390


def test_every_control_is_a_target_of_44_pixels(visit: Visit) -> None:
    page = visit("reviewer", viewport={"width": 390, "height": 844}).go("/styleguide/")
    small = page.evaluate(
        """() => [...document.querySelectorAll("button, .button, select, header a, footer a, summary, .tabs a,"
            + "input:not([type=radio], [type=checkbox], [type=hidden]), .choices label, .tick > label")]
            .filter(e => e.checkVisibility() && e.getBoundingClientRect().height < 44)
            .map(e => e.outerHTML.slice(0, 100))"""
    )
    assert small == []


def test_print_leaves_the_frame_out(visit: Visit) -> None:
    page = visit(used=True).go("/limits")
    page.emulate_media(media="print")
    expect(page.locator("header.masthead")).to_be_hidden()
    expect(page.locator("footer")).to_be_hidden()
    expect(page.locator("h1")).to_be_visible()


def test_nothing_moves_for_whoever_asked_for_no_motion(visit: Visit) -> None:
    page = visit("reviewer", reduced_motion="reduce").go("/styleguide/")
    moving = """[...document.querySelectorAll('*')].map(e => getComputedStyle(e)).filter(s =>
        (s.transitionDuration + ',' + s.animationDuration).split(',').some(t => parseFloat(t) > .001))"""
    assert page.evaluate(moving + ".length") == 0
