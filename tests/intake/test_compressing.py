"""Pages of respondents are compressed as the browser can read them."""

import gzip

import brotli
import pytest
from django.test import Client

from intake.batches.compressing import takes_brotli
from tests.intake import asked


@pytest.mark.parametrize(
    ("accepted", "taken"),
    [
        ("gzip, deflate, br, zstd", True),
        ("br;q=1.0, gzip;q=0.8", True),
        ("BR", True),
        ("gzip, br;q=0", False),
        ("gzip, br; q=0.000", False),
        ("gzip, deflate", False),
        ("brotli", False),
        ("", False),
    ],
)
def test_brotli_is_used_where_the_browser_names_it(accepted: str, taken: bool) -> None:
    assert takes_brotli(accepted) is taken


@pytest.mark.django_db
def test_a_page_is_the_same_in_every_coding() -> None:
    address = asked.survey(asked.design()).address
    plain = Client().get(address)
    by_gzip = Client().get(address, headers={"Accept-Encoding": "gzip"})
    by_brotli = Client().get(address, headers={"Accept-Encoding": "gzip, br"})
    assert "Content-Encoding" not in plain
    assert gzip.decompress(by_gzip.content) == plain.content
    assert brotli.decompress(by_brotli.content) == plain.content
    assert by_brotli["Content-Encoding"] == "br"
    assert by_brotli["Content-Length"] == str(len(by_brotli.content))
    assert "Accept-Encoding" in by_brotli["Vary"]
    assert len(by_brotli.content) < len(by_gzip.content)
