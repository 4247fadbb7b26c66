"""The sites that may show a survey's pages: their normal form, and what is none."""

import json

import pytest

from privacy.designs import InputError, parse
from privacy.designs.embedding_sites import MOST_SITES, normalise_site
from tests.intake.asked import written

PLAIN = {"kind": "plain", "questions": [{"name": "age", "choices": ["young", "old"]}]}


def test_a_site_has_one_normal_form(subtests: pytest.Subtests) -> None:
    cases: list[tuple[str, str]] = [
        ("https://www.example.org", "https://www.example.org"),
        (" HTTPS://WWW.Example.org/ ", "https://www.example.org"),
        ("https://example.org:443", "https://example.org"),
        ("https://example.org:8443", "https://example.org:8443"),
        ("https://*.example.org", "https://*.example.org"),
        ("https://b\u00fccher.example", "https://xn--bcher-kva.example"),
        ("http://localhost:8000/", "http://localhost:8000"),
        ("http://127.0.0.1:80", "http://127.0.0.1"),
    ]
    for given, site in cases:
        with subtests.test(f"{given!r:.60} {site!r:.60}"):
            assert normalise_site(given) == normalise_site(site) == site


def test_anything_else_is_refused_with_the_reason(subtests: pytest.Subtests) -> None:
    cases: list[tuple[str, str]] = [
        ("", "a site alone"),
        ("www.example.org", "a site alone"),
        ("https://example.org/survey", "a site alone"),
        ("https://example.org?a=1", "a site alone"),
        ("https://anna@example.org", "a site alone"),
        ("https://*", "a site alone"),
        ("https://www.*.example.org", "a site alone"),
        ("https://[::1]", "a site alone"),
        ("ftp://example.org", "a site alone"),
        ("https://a.example https://b.example", "a site alone"),
        ("https://a.example;script-src", "that browsers understand"),
        ("https://a.example,b.example", "that browsers understand"),
        ("https://a..example", "that browsers understand"),
        ("https://-a.example", "that browsers understand"),
        ("https://stra\u00dfe.example", "that browsers understand"),
        ("https://" + "a" * 64 + ".example", "that browsers understand"),
        ("http://example.org", "must begin with https"),
        ("http://*.localhost", "the name of a host"),
        ("https://*.localhost", "the name of a host"),
        ("https://example", "the name of a host"),
        ("https://*.org", "the name of a host"),
        ("https://192.0.2.7", "the name of a host"),
        ("https://example.org:0", "a port"),
        ("https://example.org:65536", "a port"),
    ]
    for given, reason in cases:
        with subtests.test(f"{given!r:.60} {reason!r:.60}"):
            with pytest.raises(InputError) as refused:
                normalise_site(given)
            assert reason in refused.value.reason


def test_a_design_without_sites_keeps_its_bytes() -> None:
    assert written(PLAIN) == written(PLAIN, sites=[])
    assert "sites" not in written(PLAIN).canonical


def test_sites_are_part_of_what_is_frozen() -> None:
    sites = ["https://example.org", "https://*.example.com"]
    design = written(PLAIN, sites=sites)
    assert json.loads(design.canonical)["sites"] == sites == list(design.sites)
    assert design.fingerprint != written(PLAIN).fingerprint != ""
    assert parse(design.canonical) == design


def test_a_design_names_them_in_normal_form_once_and_not_too_many(subtests: pytest.Subtests) -> None:
    cases: list[tuple[object, str, str]] = [
        (["https://example.org/"], "sites[0]", "must be written as https://example.org"),
        (["https://example.org", "https://example.org"], "sites[1]", "is there twice"),
        (["https://example.org", "x"], "sites[1]", "a site alone"),
        ([f"https://{n}.example.org" for n in range(MOST_SITES + 1)], "sites", "at most 20"),
        ("https://example.org", "sites", "list"),
    ]
    for sites, path, reason in cases:
        with subtests.test(f"{sites!r:.60} {path!r:.60}"):
            with pytest.raises(InputError) as refused:
                written(PLAIN, sites=sites)
            assert (refused.value.path, reason in refused.value.reason) == (path, True)
