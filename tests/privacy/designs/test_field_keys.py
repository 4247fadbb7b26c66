"""The two keys of field devices in a design."""

import json
from typing import Any

import pytest

from privacy.blind_signatures.protocol import PublicKey
from privacy.designs import InputError, parse
from surveys.field_record_encryption import make_sealing_key

PLAIN = {"kind": "plain", "questions": [{"name": "age", "choices": ["young", "old"]}]}
TOKEN_KEY = PublicKey(2**2047 + 1).text
_PRIVATE, SEALING_KEY = make_sealing_key()


def design(**members: Any) -> str:
    return json.dumps({"format": "candor-design/1", "sections": [PLAIN], **members})


def test_the_keys_are_members_of_the_design_and_of_its_fingerprint() -> None:
    keyed = parse(design(token_key=TOKEN_KEY, sealing_key=SEALING_KEY))
    assert keyed.has_field_devices
    assert parse(keyed.canonical) == keyed
    assert json.loads(keyed.canonical)["sealing_key"] == SEALING_KEY
    plain = parse(design())
    assert not plain.has_field_devices
    assert plain.fingerprint != keyed.fingerprint


def test_half_a_pair_or_a_wrong_key_is_refused(subtests: pytest.Subtests) -> None:
    cases: list[tuple[dict[str, Any], str]] = [
        ({"token_key": TOKEN_KEY}, "sealing_key"),
        ({"sealing_key": SEALING_KEY}, "token_key"),
        ({"token_key": TOKEN_KEY, "sealing_key": SEALING_KEY[:-1]}, "sealing_key"),
        ({"token_key": TOKEN_KEY[:-1], "sealing_key": SEALING_KEY}, "token_key"),
        ({"token_key": TOKEN_KEY, "sealing_key": SEALING_KEY, "panel": {"en": "A code."}}, "sealing_key"),
    ]
    for members, place in cases:
        with subtests.test(f"{members!r:.60} {place!r:.60}"):
            with pytest.raises(InputError) as refused:
                parse(design(**members))
            assert refused.value.path == place
