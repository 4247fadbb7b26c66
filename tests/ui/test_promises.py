"""The document and the page have the same promises and attackers, and each names tests that are there."""

import re

import pytest
from django.test import Client

from proof.run_checks import CHECKS
from tests.product import missing_tests
from ui.attackers import ATTACKERS, Attacker
from ui.statements import DOCUMENT, find_promise_tests, read_limits, read_promises


def test_the_document_has_the_promises_of_the_page_and_its_table_of_attackers() -> None:
    assert list(find_promise_tests()) == [
        *(promise.heading for promise in read_promises().values()),
        "By attacker",
    ]
    table = (
        "\n\nPromises and limits by their keys, which are anchors of the page `/limits`; "
        "checks are of [prove.md](prove.md).\n\n"
        "| attacker | what holds | not defended, or in part |\n|---|---|---|\n"
    )
    table += "".join(map(row_of_table, ATTACKERS))
    assert DOCUMENT.read_text().partition("## By attacker")[2] == table


def row_of_table(attacker: Attacker) -> str:
    tests = [f"`tests/{test}`" for test in attacker.tests]
    checks = [f"`prove`: {name}" for name in attacker.checks]
    held = "<br>".join([*attacker.promises, *tests, *checks])
    return f"| {attacker.title} | {held} | {'<br>'.join(attacker.limits)} |\n"


def test_each_promise_names_tests_that_are_there() -> None:
    tests = find_promise_tests()
    assert [key for key, promise in read_promises().items() if not tests[promise.heading]] == []
    assert missing_tests(test for names in tests.values() for test in names) == []


@pytest.mark.page
@pytest.mark.django_db
def test_the_page_shows_every_promise_and_every_limit() -> None:
    for language in ("en", "zh-hans"):
        page = Client(headers={"accept-language": language}).get("/app/limits").content.decode()
        keys = re.findall(r'<li id="([a-z-]+)"', page)
        assert keys == [*read_promises(), *read_limits()], language
        shown = page[page.index(f'id="{keys[0]}"') :].split("</li>")[0]
        assert bool(re.search("[一-鿿]{8}", shown)) is (language == "zh-hans")


def test_defences_named_for_attackers_exist() -> None:
    for attacker in ATTACKERS:
        assert set(attacker.promises) <= set(read_promises()), attacker.key
        assert set(attacker.limits) <= set(read_limits()), attacker.key
        assert set(attacker.checks) <= {check.name for check in CHECKS}, attacker.key
        assert attacker.limits, attacker.key
        assert missing_tests(attacker.tests) == [], attacker.key


@pytest.mark.page
@pytest.mark.django_db
def test_every_row_of_the_page_opens_what_holds_it_or_says_that_nothing_does() -> None:
    page = Client().get("/app/limits").text
    for attacker in ATTACKERS:
        row = page[page.index(f'id="{attacker.key}"') :].split('<li class="attacker"')[0]
        assert all(
            f'href="#{key}"' in row and f'id="{key}"' in page
            for key in (*attacker.promises, *attacker.limits)
        )
        assert all(test in row for test in attacker.tests)
    assert "defended in part" in page[page.index('id="the-operator-who-changes-the-code"') :][:600]
