"""A page of another host is fetched through the guard of webhooks."""

from collections.abc import Iterator
from ipaddress import ip_network

import pytest
from pytest_django.fixtures import Settings

from api.webhooks.webhook_http import fetch_page
from surveys.questionnaire.problems_and_refusals import NotAllowed
from tests.proof.hosts import Host, serving_host

pytestmark = pytest.mark.page


@pytest.fixture
def host() -> Iterator[Host]:
    with serving_host() as running:
        running.serve(index_html=b"<!doctype html>\n")
        yield running


def test_in_production_a_host_on_this_machine_is_refused_by_the_guard(host: Host, settings: Settings) -> None:
    assert fetch_page(host.address).body == b"<!doctype html>\n"
    settings.PRODUCTION = True
    with pytest.raises(NotAllowed, match="must begin with https"):
        fetch_page(host.address)
    settings.WEBHOOK_HTTP, settings.WEBHOOK_PORTS = True, [host.port]
    with pytest.raises(NotAllowed, match="is in a private"):
        fetch_page(host.address)
    assert host.asked == [""]
    settings.WEBHOOK_NETWORKS = [ip_network("127.0.0.1/32")]
    assert fetch_page(host.address).body == b"<!doctype html>\n"


def test_no_redirect_is_followed_and_of_a_long_file_a_megabyte_is_read(host: Host) -> None:
    host.statuses[""], host.headers[""] = 302, {"Location": "/survey/long.js"}
    host.files["long.js"] = b" " * 3_000_000
    assert fetch_page(host.address).status == 302
    assert len(fetch_page(f"{host.address}long.js").body) == 1_000_001
