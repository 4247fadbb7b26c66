"""Each attacker of the page of limits names what holds it, and each name is there."""

import pytest
from django.test import Client

from proof.proving import CHECKS
from tests import servers
from ui.attackers import ATTACKERS
from ui.limits import LIMITS
from ui.promises import PROMISES


def test_what_holds_an_attacker_is_there() -> None:
    for attacker in ATTACKERS:
        assert set(attacker.promises) <= {promise.key for promise in PROMISES}, attacker.key
        assert set(attacker.limits) <= {limit.key for limit in LIMITS}, attacker.key
        assert set(attacker.checks) <= {check.name for check in CHECKS}, attacker.key
        assert attacker.limits, attacker.key
        for test in attacker.tests:
            path, _, name = test.partition("::")
            assert f"def {name}(" in (servers.ROOT / "tests" / path).read_text(), test


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
    assert "not defended" in page[page.index('id="the-operator-who-changes-the-code"') :][:600]
