"""The document and the page have the same promises, and these and attackers name tests that are there."""

import re

import pytest
from django.test import Client

from proof.run_checks import CHECKS
from tests.product import missing_tests
from ui.attackers import ATTACKERS
from ui.statements import find_promise_tests, read_limits, read_promises


def test_the_document_has_the_promises_of_the_page() -> None:
    assert list(find_promise_tests()) == [promise.heading for promise in read_promises().values()]


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
