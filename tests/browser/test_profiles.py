"""A browser profile that is used again is as empty as a fresh one."""

import pytest

from tests.browser.conftest import somebody
from tests.browser.profiles import Profiles
from tests.product import Product

pytestmark = pytest.mark.browser

LEAVE = """async () => {
    localStorage.setItem('left', '1');
    sessionStorage.setItem('left', '1');
    await caches.open('left');
    await new Promise(done => { indexedDB.open('left').onsuccess = done; });
}"""
FIND = """async () => [localStorage.length, sessionStorage.length, (await caches.keys()).length,
    (await indexedDB.databases()).length]"""


def test_what_one_visitor_leaves_the_next_does_not_find(profiles: Profiles, product: Product) -> None:
    with somebody(profiles, product, used=True) as first:
        page, context = first.go("/limits"), first.page.context
        page.evaluate(LEAVE)
        assert page.evaluate(FIND) == [1, 1, 1, 1]
        context.add_cookies([{"name": "left", "value": "1", "url": product.url}])
        context.new_page()
        context.route("**", lambda route: route.abort())
        context.set_offline(True)
    with somebody(profiles, product, used=True) as second:
        assert second.page.context is context
        assert context.cookies() == []
        assert second.go("/limits").evaluate(FIND) == [0, 0, 0, 0]


def test_a_profile_with_another_clock_is_not_used_again(profiles: Profiles, product: Product) -> None:
    with somebody(profiles, product, used=True) as first:
        first.page.clock.install()
        context = first.go("/limits").context
    with somebody(profiles, product, used=True) as second:
        assert second.page.context is not context
