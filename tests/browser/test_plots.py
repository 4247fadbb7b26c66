"""The words of plots at every width: none covers another, none is cut."""

from dataclasses import replace
from types import SimpleNamespace

import pytest
from django.conf import settings
from django.template.loader import render_to_string
from django.utils import translation
from playwright.sync_api import Browser

from mining.nodes.number_nodes import NumberTruth
from reports.kinds.number import window_disguised_number_picture
from reports.pictures import expected_error_plots
from tests.reports import made, made_nodes
from tests.reports.test_number_pictures import INCOME, shown_number
from tests.reports.test_pictures import ABOUT, SHARES

pytestmark = pytest.mark.browser
SHEETS = ("ui/tokens", "ui/base", "ui/components", "ui/grammar", "reports/reports")
LANGUAGES = ("en", "zh-hans", "de", "fr", "es", "ar")
WIDTHS = (320, 390, 768, 1280)
FAULTS = """() => [...document.querySelectorAll('figure [role=img]')].flatMap(plot => {
    const boxes = [...plot.querySelectorAll('text, li, p')].map(element => {
        const range = document.createRange();
        range.selectNodeContents(element);
        const box = element.localName === 'text' ? element.getBoundingClientRect() : range.getBoundingClientRect();
        const [up, down] = element.localName === 'li' ? [(box.top + box.bottom) / 2 - 7, (box.top + box.bottom) / 2 + 7]
            : [box.top, box.bottom];
        return {words: element.textContent.trim(), left: box.left, right: box.right, top: up, bottom: down};
    }).filter(box => box.words && box.right > box.left);
    const cut = boxes.filter(box => box.left < 0 || box.right > innerWidth + .5).map(box => `cut: ${box.words}`);
    const covered = boxes.flatMap((box, i) => boxes.slice(i + 1).filter(other =>
        box.left < other.right - .5 && other.left < box.right - .5
        && box.top < other.bottom - 2 && other.top < box.bottom - 2).map(other => `${box.words} / ${other.words}`));
    return [...cut, ...covered];
})"""


def figures() -> str:
    truth = NumberTruth(None, (1.0,) + (0.0,) * 100, (1 / 101,) * 101)
    income = shown_number(INCOME, replace(made_nodes.number_nodes()[INCOME], truth=truth))
    pictures = [
        expected_error_plots.error_by_keep_picture(made.design(), SHARES, ABOUT),
        expected_error_plots.error_by_respondents_picture(made.design(), SHARES, ABOUT),
        window_disguised_number_picture.distribution_picture(income),
        *map(window_disguised_number_picture.class_distributions_picture, income.groups),
    ]
    report = SimpleNamespace(whole=False, is_desk=False, review=SimpleNamespace(pk=1))
    contexts = ({"picture": picture, "report": report} for picture in pictures)
    return "".join(render_to_string("reports/picture.html", context) for context in contexts)


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_label_of_a_plot_overlaps_another_or_is_cut(chromium: Browser, language: str) -> None:
    styles = "".join((settings.BASE_DIR / f"static/{sheet}.css").read_text() for sheet in SHEETS)
    with translation.override(language):
        body = figures() + render_to_string("components/patterns.html")
    direction = "rtl" if language == "ar" else "ltr"
    page = chromium.new_page()
    markup = f'<html lang="{language}" dir="{direction}"><style>{styles}</style><body>{body}</body></html>'
    page.set_content(markup)
    faults = {}
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        faults[width] = page.evaluate(FAULTS)
    page.close()
    assert faults == {width: [] for width in WIDTHS}
