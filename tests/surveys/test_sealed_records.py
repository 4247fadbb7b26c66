"""Sealing of field devices' records against the vectors of RFC 9180 and of this project."""

import json
from pathlib import Path

import pytest

from privacy.blind_signatures.protocol import base64url_bytes, base64url_text
from privacy.designs.record_encryption_key import read_sealing_key
from surveys.field_record_encryption import OVERHEAD, make_sealing_key, open_sealed, seal

VECTORS = json.loads((Path(__file__).parents[1] / "vectors" / "field.json").read_text())
PRIVATE = bytes.fromhex(VECTORS["recipient_private"])
FINGERPRINT = VECTORS["fingerprint"]
OTHER = 64 * "0"


def written(enc: str, ciphertext: str) -> str:
    return base64url_text(b"\x01" + bytes.fromhex(enc) + bytes.fromhex(ciphertext))


def sealed_vector() -> str:
    return written(VECTORS["hpke"]["enc"], VECTORS["hpke"]["ct"])


def test_the_vector_opens_to_its_envelope() -> None:
    assert open_sealed(PRIVATE, FINGERPRINT, sealed_vector()).decode() == VECTORS["envelope"]


def test_nothing_opens_that_was_changed_or_sealed_for_another_design() -> None:
    for name in ("hpke_negated_enc", "hpke_last_bit"):
        content = bytes.fromhex(VECTORS["refused"][name])
        with pytest.raises(ValueError, match="does not open"):
            open_sealed(PRIVATE, FINGERPRINT, base64url_text(b"\x01" + content))
    with pytest.raises(ValueError, match="does not open"):
        open_sealed(PRIVATE, OTHER, sealed_vector())


def test_no_bit_of_a_sealed_record_can_be_changed() -> None:
    private, public = make_sealing_key()
    content = base64url_bytes(seal(public, FINGERPRINT, b"{}"))
    for bit in range(8 * len(content)):
        changed = bytearray(content)
        changed[bit // 8] ^= 1 << bit % 8
        with pytest.raises(ValueError, match=r"does not open|no sealed|not a sealed|point|key"):
            open_sealed(private, FINGERPRINT, base64url_text(bytes(changed)))


def test_what_is_sealed_opens_and_has_one_length() -> None:
    private, public = make_sealing_key()
    sealed = {seal(public, FINGERPRINT, b"x" * 547) for _again in range(3)}
    assert len(sealed) == 3
    for text in sealed:
        assert len(base64url_bytes(text)) == 547 + OVERHEAD
        assert open_sealed(private, FINGERPRINT, text) == b"x" * 547


@pytest.mark.parametrize("text", ["", "A", "AQ", "é", "A" * 200, " " * 40, "AQ==" * 40])
def test_other_text_is_refused_as_no_sealed_record(text: str) -> None:
    with pytest.raises(ValueError, match=r"sealed|open|ASCII|base64"):
        open_sealed(PRIVATE, FINGERPRINT, text)


def test_only_a_point_of_the_curve_is_a_key() -> None:
    point = bytes.fromhex(VECTORS["recipient_public"])
    assert read_sealing_key(base64url_text(point)) == point
    for wrong in (point[:-1], b"\x02" + point[1:], point[:-1] + bytes([point[-1] ^ 1]), b"\x04" + bytes(64)):
        with pytest.raises(ValueError, match="not a point"):
            read_sealing_key(base64url_text(wrong))
