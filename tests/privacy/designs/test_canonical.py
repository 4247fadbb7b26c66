"""The canonical form of a design and its fingerprint."""

import json
import unicodedata
from collections.abc import Callable
from hashlib import sha256
from typing import Any

import pytest
from hypothesis import given, strategies as st

from privacy.blind_signatures.protocol import PublicKey
from privacy.designs import InputError, parse_design
from privacy.designs.embedding_sites import MOST_SITES, normalise_site
from surveys.field_record_encryption import make_sealing_key
from tests.privacy.questionnaires import HALF, WORK, design, make_design, plain, question, refusal, sensitive
from tests.privacy.strategies import designs

TOKEN_KEY, SEALING_KEY = PublicKey(2**2047 + 1).text, make_sealing_key()[1]
LEAVE, SITES = "https://www.example.org/a?b=c", ["https://example.org", "https://*.example.com"]

BY_HAND = make_design(
    plain({"name": "work", "choices": ["employed", {"name": "not", "label": "No"}]}),
    sensitive("0.25", question("theft", "0.4", "0.6", show_if={"work": ["employed"]})),
    title="Cafe\u0301",
)
CANONICAL = (
    '{"asker":{},"consent":{},"contact":"","format":"candor-design/1","intro":{},"languages":["en"],"least":100,'
    '"minutes":0,"open_answers":true,"rehearsal":false,"retention":"","sections":['
    '{"kind":"plain","questions":[{"choices":[{"label":{},"name":"employed"},{"label":{"en":"No"},"name":"not"}],'
    '"form":"one","help":{},"name":"work","role":"other","show_if":{},"text":{}}]},'
    '{"asked":1,"keep":"0.2500","kind":"unrelated-question","questions":['
    '{"choices":[{"label":{},"name":"no"},{"label":{},"name":"yes"}],"form":"yes-no","help":{},"name":"theft",'
    '"noise":["0.4000","0.6000"],"show_if":{"work":["employed"]},"text":{}}]}],'
    '"thanks":{},"title":{"en":"Caf\u00e9"},"why":{}}'
)


def test_the_canonical_form_is_sorted_composed_unescaped_and_complete_and_its_sha256_the_fingerprint() -> (
    None
):
    found = parse_design(json.dumps(BY_HAND))
    assert found.canonical == CANONICAL
    assert found.fingerprint == sha256(CANONICAL.encode("utf-8")).hexdigest()
    # Spaces, order, escapes and defaults do not change it.
    reordered = json.dumps(dict(reversed(BY_HAND.items())), indent=3, ensure_ascii=True)
    spelled_out = BY_HAND | {"languages": ["en"], "thanks": "", "minutes": 0, "least": 100, "retention": ""}
    for source in (reordered, json.dumps(spelled_out, ensure_ascii=False), CANONICAL):
        assert parse_design(source).canonical == CANONICAL


def test_everything_a_person_is_promised_changes_the_fingerprint() -> None:
    changes: list[dict[str, Any]] = [
        *({key: "x"} for key in ("title", "asker", "why", "intro", "consent", "thanks", "contact")),
        *({"minutes": 1}, {"least": 101}, {"retention": "2030-01-01"}, {"open_answers": False}),
        *({"rehearsal": True}, {"phrases": {"leave": "Go away"}}, {"languages": ["en", "de"]}),
        *({"token_key": TOKEN_KEY, "sealing_key": SEALING_KEY}, {"leave_to": LEAVE}, {"sites": SITES}),
    ]
    sections = plain(WORK), sensitive("0.5", question("theft", *HALF))
    prints = {design(*sections, **change).fingerprint for change in ({}, *changes)}
    assert len(prints) == len(changes) + 1


def test_what_is_not_said_leaves_no_trace_in_the_canonical_form() -> None:
    without = design(plain(WORK))
    phrases: dict[str, Any] = {"leave": {"en": ""}, "agree": {}}
    empty = {"title": {"en": ""}, "why": "", "phrases": phrases, "leave_to": "", "sites": []}
    assert design(plain(WORK), **empty).canonical == without.canonical
    assert not {"phrases", "leave_to", "sites", "sealing_key"} & json.loads(without.canonical).keys()
    assert not without.has_field_devices
    found = design(plain(WORK), phrases={"leave": {"en": "Go"}, "agree": "Yes"})
    assert '"phrases":{"agree":{"en":"Yes"},"leave":{"en":"Go"}},"rehearsal"' in found.canonical
    assert [key for key, _texts in found.phrases] == ["agree", "leave"]


Source = dict[str, Any]
TEXT = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=12)


@pytest.mark.proof
@given(source=designs(), text=TEXT, contact=TEXT)
def test_the_canonical_form_of_the_canonical_form_is_itself(source: Source, text: str, contact: str) -> None:
    source |= {"languages": ["de", "en"], "title": text, "why": {"en": text}, "contact": contact}
    found = parse_design(json.dumps(source))
    again = parse_design(found.canonical)
    assert again.canonical == found.canonical
    assert again.fingerprint == found.fingerprint
    assert again == found


@pytest.mark.proof
@given(source=designs(), text=TEXT)
def test_the_canonical_form_is_plain_json_of_texts_integers_and_switches(source: Source, text: str) -> None:
    canonical = parse_design(json.dumps(source | {"title": text})).canonical
    assert unicodedata.is_normalized("NFC", canonical)
    again = json.dumps(json.loads(canonical), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert again == canonical
    assert leaf_types(json.loads(canonical)) <= {str, int, bool}


def leaf_types(value: Any) -> set[type]:
    if isinstance(value, dict):
        return set().union(*(leaf_types(member) for member in value.values()))
    if isinstance(value, list):
        return set().union(*(leaf_types(member) for member in value))
    return {type(value)}


# --- the page for people who leave, the keys of field devices, the sites that may show the pages


def test_an_address_keys_and_sites_are_read_again_as_they_are_written() -> None:
    named = design(plain(WORK), leave_to=LEAVE, sites=SITES, token_key=TOKEN_KEY, sealing_key=SEALING_KEY)
    assert parse_design(named.canonical) == named
    assert named.has_field_devices
    members = json.loads(named.canonical)
    assert (members["leave_to"], members["sites"], members["sealing_key"]) == (LEAVE, SITES, SEALING_KEY)
    assert (named.leave_to, list(named.sites)) == (LEAVE, SITES)


def refused_with(reason_of: Callable[..., object], **members: Any) -> tuple[str, str]:
    with pytest.raises(InputError) as refused:
        reason_of(plain(WORK), **members)
    return refused.value.path, refused.value.reason


def test_half_a_pair_a_wrong_key_or_another_address_is_refused() -> None:
    long = "https://" + "a" * 493
    for address in ("http://a.example/", "https://", "javascript:alert(1)", "https://a b", 7, long):
        assert refused_with(design, leave_to=address)[0] == "leave_to", address
    token, sealing = {"token_key": TOKEN_KEY}, {"sealing_key": SEALING_KEY}
    for members, place in (
        (token, "sealing_key"),
        (sealing, "token_key"),
        (token | {"sealing_key": SEALING_KEY[:-1]}, "sealing_key"),
        (sealing | {"token_key": TOKEN_KEY[:-1]}, "token_key"),
        (token | sealing | {"panel": {"en": "A code."}}, "sealing_key"),
    ):
        assert refused_with(design, **members)[0] == place, members.keys()


def test_a_site_has_one_normal_form() -> None:
    cases = {
        "https://www.example.org": "https://www.example.org",
        " HTTPS://WWW.Example.org/ ": "https://www.example.org",
        "https://example.org:443": "https://example.org",
        "https://example.org:8443": "https://example.org:8443",
        "https://*.example.org": "https://*.example.org",
        "https://b\u00fccher.example": "https://xn--bcher-kva.example",
        "http://localhost:8000/": "http://localhost:8000",
        "http://127.0.0.1:80": "http://127.0.0.1",
    }
    assert {given: normalise_site(given) for given in cases} == cases
    assert {site: normalise_site(site) for site in cases.values()} == {site: site for site in cases.values()}


NO_SITES = {
    "a site alone": "www.example.org https://example.org/survey https://example.org?a=1 https://anna@example.org "
    "https://* https://www.*.example.org https://[::1] ftp://example.org",
    "that browsers understand": "https://a.example;script-src https://a.example,b.example https://a..example "
    f"https://-a.example https://stra\u00dfe.example https://{'a' * 64}.example",
    "must begin with https": "http://example.org",
    "the name of a host": "http://*.localhost https://*.localhost https://example https://*.org https://192.0.2.7",
    "a port": "https://example.org:0 https://example.org:65536",
}


def test_anything_else_is_no_site_and_a_design_names_each_once_and_not_too_many() -> None:
    for reason, listed in NO_SITES.items():
        said = {site: refusal(normalise_site, site) for site in listed.split()}
        assert [site for site, words in said.items() if reason not in words] == [], reason
    for site in ("", "https://a.example https://b.example"):
        assert "a site alone" in refusal(normalise_site, site)
    example = "https://example.org"
    for sites, path, reason in (
        ([f"{example}/"], "sites[0]", f"must be written as {example}"),
        ([example, example], "sites[1]", "is there twice"),
        ([example, "x"], "sites[1]", "a site alone"),
        ([f"https://{n}.example.org" for n in range(MOST_SITES + 1)], "sites", "at most 20"),
        (example, "sites", "list"),
    ):
        found = refused_with(design, sites=sites)
        assert (found[0], reason in found[1]) == (path, True), reason
