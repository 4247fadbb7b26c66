"""The product asks a host through its guard, and compares with what it stored."""

from collections.abc import Iterator
from ipaddress import ip_network

import pytest
from pytest_django.fixtures import Settings

from proof.hosted_page import compare_page
from proof.outcome import CheckFailed
from tests.proof.hosts import Host, serving
from tests.servers import free_port

pytestmark = pytest.mark.proof


@pytest.fixture
def host() -> Iterator[Host]:
    with serving() as running:
        running.serve(index_html=b"<!doctype html>\n", page_js=b"begin();\n")
        yield running


def test_each_file_is_compared_with_what_was_stored(host: Host) -> None:
    stored = dict(host.files)
    assert compare_page(host.address, stored) == []
    host.serve(index_html=b"<!doctype html>older\n", page_js=b"begin();\n")
    assert compare_page(host.address, stored) == [
        "SHA256SUMS has other bytes than the frozen one",
        "index.html has other bytes than the frozen one",
        "the address of the page has other bytes than the frozen one",
    ]


def test_in_production_a_host_on_this_machine_is_refused_by_the_guard(host: Host, settings: Settings) -> None:
    settings.PRODUCTION = True
    with pytest.raises(CheckFailed, match="may not be asked from here: The address must begin with https"):
        compare_page(host.address, host.files)
    settings.WEBHOOK_HTTP, settings.WEBHOOK_PORTS = True, [host.port]
    with pytest.raises(CheckFailed, match=r"may not be asked from here: 127.0.0.1 is in a private"):
        compare_page(host.address, host.files)
    assert host.asked == []
    settings.WEBHOOK_NETWORKS = [ip_network("127.0.0.1/32")]
    assert compare_page(host.address, host.files) == []


def test_a_host_that_does_not_answer_is_not_called_another_page(host: Host) -> None:
    with pytest.raises(CheckFailed, match=r"cannot be compared: .*refused"):
        compare_page(f"http://127.0.0.1:{free_port()}/", host.files)
