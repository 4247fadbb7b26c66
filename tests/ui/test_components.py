from datetime import UTC, datetime

import pytest
from django.core.paginator import Paginator
from django.template import Context, Template
from django.test import RequestFactory
from django.utils import formats, translation

EVENING = datetime(2026, 11, 20, 18, 33, tzinfo=UTC)
WRITTEN = {
    ("en", "DATE_FORMAT"): "20 November 2026",
    ("en", "SHORT_DATE_FORMAT"): "20 Nov 2026",
    ("en", "DATETIME_FORMAT"): "20 November 2026, 18:33",
    ("en", "SHORT_DATETIME_FORMAT"): "20 Nov 2026, 18:33",
    ("zh-hans", "DATE_FORMAT"): "2026年11月20日",
    ("zh-hans", "SHORT_DATETIME_FORMAT"): "2026年11月20日 18:33",
}


def render(source: str, **context: object) -> str:
    return Template(source).render(Context(context))


def test_a_share_is_shown_with_the_odds_in_words_and_one_outside_its_range_as_it_is() -> None:
    page = render("{{ .7|odds }} {{ .7|percent }}")
    assert "about 7 in 10" in page
    assert "70.0 %" in page
    page = render("{{ share|odds }} {{ share|percent }}", share=-0.012)
    assert "−1.2 %" in page
    assert "about" not in page


def test_a_count_is_grouped_alike_in_every_language() -> None:
    for language in ("en", "zh-hans"):
        with translation.override(language):
            for number, words in {1200: "1,200", 12000: "12,000", 999: "999", None: "–"}.items():
                assert render("{{ number|count }}", number=number) == words, language


def test_a_moment_is_told_to_the_second_and_no_finer_and_a_date_is_written_one_way() -> None:
    page = render("{% moment when %}", when=datetime(2026, 3, 1, 12, 30, 45, 221_000, tzinfo=UTC))
    assert page == '<time datetime="2026-03-01T12:30:45+00:00">1 Mar 2026, 12:30</time>'
    for (language, name), words in WRITTEN.items():
        with translation.override(language):
            assert formats.date_format(EVENING, name) == words


def test_an_unknown_badge_is_refused() -> None:
    with pytest.raises(ValueError, match="no badge 'blue'; there are active, done, stopped, waiting, wrong"):
        render('{% badge "blue" "x" %}')


def test_progress_stays_between_nothing_and_all_and_has_no_value_where_nobody_knows_it() -> None:
    for fraction, value in {0.4239: "424", 0.0: "0", 1.7: "1000", -1.0: "0"}.items():
        assert f'value="{value}" max="1000"' in render('{% progress f "Counting" %}', f=fraction)
    page = render('{% progress None "Waiting" %}')
    assert "value=" not in page
    assert "Waiting" in page


def test_a_table_for_the_keyboard_the_crumb_of_this_page_and_a_dialog_have_their_names() -> None:
    page = render("{% table label=name %}<tbody></tbody>{% endtable %}", name="A & B")
    assert '<div class="table" role="region" aria-label="A &amp; B" tabindex="0"><table><tbody>' in page
    page = render('{% table label="Log" stacks=True %}<tbody></tbody>{% endtable %}')
    assert '<div class="table stacks" role="region" aria-label="Log" tabindex="0">' in page
    page = render(
        '{% breadcrumbs %}{% crumb "All" "/all" %}{% crumb title %}{% endbreadcrumbs %}', title="<One>"
    )
    assert '<li><a href="/all">All</a></li>' in page
    assert '<span aria-current="page">&lt;One&gt;</span>' in page
    page = render('{% dialog name="stop" title="Stop?" %}<p>x</p>{% enddialog %}')
    assert 'id="stop" aria-labelledby="stop-title"' in page
    assert '<h2 id="stop-title">Stop?</h2><p>x</p>' in page


def test_turning_the_page_keeps_the_filter_and_one_page_alone_is_not_numbered() -> None:
    request = RequestFactory().get("/list", {"who": "a b", "page": "2"})
    page = render("{% pagination page %}", request=request, page=Paginator(range(30), 10).page(2))
    assert 'href="/list?who=a+b&amp;page=1"' in page
    assert 'href="/list?who=a+b&amp;page=3"' in page
    assert "Page 2 of 3" in page
    request, one = RequestFactory().get("/list"), Paginator(range(3), 10).page(1)
    assert render("{% pagination page %}", request=request, page=one).strip() == ""
