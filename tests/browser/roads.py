"""What holds on every page that a person meets on the way: the checks of all pages, 400 % zoom, forced colours."""

from typing import Any

from playwright.sync_api import Page, ViewportSize

from tests.browser.conftest import SETTLED, Visitor, axe, fits_a_phone

ZOOMED: ViewportSize = {"width": 320, "height": 256}
"""A window of 1,280 by 1,024 pixels at 400 %."""
COVERING = """() => [...document.querySelectorAll("body *")]
    .filter(e => e.checkVisibility() && ["fixed", "sticky"].includes(getComputedStyle(e).position))
    .filter(e => { const r = e.getBoundingClientRect();
        return r.width > innerWidth / 2 && Math.min(r.bottom, innerHeight) - Math.max(r.top, 0) > innerHeight / 2; })
    .map(e => e.outerHTML.slice(0, 120))"""
INVISIBLE = """() => {
    const probe = document.body.appendChild(document.createElement("i"));
    probe.style.setProperty("color", "Canvas");
    const ground = getComputedStyle(probe).color;
    probe.remove();
    const says = e => [...e.childNodes].some(n => n.nodeType === 3 && n.data.trim());
    return [...document.querySelectorAll("body *")]
        .filter(e => says(e) && e.checkVisibility({visibilityProperty: true}) && !e.closest("svg, noscript"))
        .filter(e => getComputedStyle(e).color === ground && getComputedStyle(e).forcedColorAdjust === "auto")
        .map(e => e.outerHTML.slice(0, 120)); }"""
"""Behind text the browser paints the ground's own colour, so that text of that colour is not seen."""
UNMARKED = """() => {
    const look = e => { const s = getComputedStyle(e);
        return [s.backgroundColor, s.borderTopWidth, s.borderBottomWidth, s.borderBottomColor].join(); };
    const other = e => [...e.closest("nav, form, ul, section, div").querySelectorAll(e.localName)]
        .find(o => o !== e && !o.matches('[aria-current], [aria-pressed="true"]') && o.checkVisibility());
    return [...document.querySelectorAll('nav:not(.breadcrumbs) a[aria-current], [aria-pressed="true"]')]
        .filter(e => e.checkVisibility() && other(e) && look(e) === look(other(e)))
        .map(e => e.outerHTML.slice(0, 120)); }"""


def walk(visitor: Visitor, name: str, *, checked: bool = False) -> Page:
    """Everything of this page, but what the test that it has of its own has `checked`.

    `name` is that of its pictures, if they are wanted.
    """
    page = visitor.page
    if checked:
        page.wait_for_load_state()
    else:
        visitor.check()
    zoomed(page)
    forced_colours(page)
    visitor.shoot(f"attempt-{name}")
    return page


def another_language(page: Page) -> None:
    """What can differ from the language in which `Visitor.check` saw this page: words and their widths, not the colours
    and the order of what Tab reaches."""
    page.wait_for_load_state()
    page.evaluate(SETTLED)
    found = axe(page)
    assert not found, f"{page.url}: {found}"
    fits_a_phone(page)


def zoomed(page: Page) -> None:
    """At 400 % nothing scrolls sideways, and no bar covers more than half of the window."""
    before: Any = page.viewport_size
    page.set_viewport_size(ZOOMED)
    wide = page.evaluate("document.documentElement.scrollWidth")
    assert wide <= ZOOMED["width"], f"{page.url} is {wide} pixels wide at 400 %"
    page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
    covering = page.evaluate(COVERING)
    assert not covering, f"{page.url} at 400 %: covered by {covering}"
    page.set_viewport_size(before)


def forced_colours(page: Page) -> None:
    """Text can be read, and what is chosen differs from what is not."""
    page.emulate_media(forced_colors="active")
    for fault, script in {"cannot be seen": INVISIBLE, "looks as if not chosen": UNMARKED}.items():
        found = page.evaluate(script)
        assert not found, f"{page.url} in forced colours: {fault}: {found}"
    page.emulate_media(forced_colors="none")
