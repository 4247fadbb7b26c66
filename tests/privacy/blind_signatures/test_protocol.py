"""RFC 9474, Appendix A, and attacks on what a signature proves."""

import json
import os
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from hypothesis import given, strategies as st

from privacy.blind_signatures import protocol
from tests import servers
from tests.privacy.conftest import blind_message, encode_emsa_pss, finalize

VECTORS = json.loads((servers.ROOT / "tests/vectors/rfc9474.json").read_text())
RANDOMIZED = VECTORS[0]


@pytest.fixture(params=VECTORS, ids=[each["name"] for each in VECTORS])
def vector(request: pytest.FixtureRequest) -> dict[str, str]:
    stated: dict[str, str] = request.param
    return stated


def key_of(vector: dict[str, str]) -> protocol.PrivateKey:
    return protocol.PrivateKey(int(vector["p"], 16), int(vector["q"], 16))


def content(vector: dict[str, str], name: str) -> bytes:
    return bytes.fromhex(vector[name])


def drawing(*draws: bytes) -> Callable[[int], bytes]:
    """Gives these in the place of random bytes; a draw of another length is a mistake."""
    left: Iterator[bytes] = iter(draws)

    def random_bytes(n: int) -> bytes:
        drawn = next(left)
        assert len(drawn) == n
        return drawn

    return random_bytes


def draws(vector: dict[str, str]) -> tuple[bytes, bytes]:
    """The salt, and the r that a vector states by its inverse."""
    n = int(vector["n"], 16)
    return content(vector, "salt"), pow(int(vector["inv"], 16), -1, n).to_bytes(len(vector["n"]) // 2, "big")


def test_a_vector_of_the_rfc_passes_step_by_step(vector: dict[str, str]) -> None:
    key, salt_length = key_of(vector), len(vector["salt"]) // 2
    assert key.public.n == int(vector["n"], 16)
    message = content(vector, "msg")
    if vector["msg_prefix"]:
        message = protocol.prepare(message, drawing(content(vector, "msg_prefix")))
    blinded, inverse = blind_message(key.public, message, drawing(*draws(vector)), salt_length)
    assert (blinded.hex(), inverse.hex()) == (vector["blinded_msg"], vector["inv"])
    signed = protocol.blind_sign(key, blinded, os.urandom)
    assert signed.hex() == vector["blind_sig"]
    assert finalize(key.public, message, signed, inverse, salt_length).hex() == vector["sig"]


@pytest.mark.proof
def test_cryptography_accepts_what_a_vector_signs_and_we_accept_what_it_signs(vector: dict[str, str]) -> None:
    key = key_of(vector)
    d, public = int(vector["d"], 16), rsa.RSAPublicNumbers(65_537, key.public.n)
    remainders = d % (key.p - 1), d % (key.q - 1), pow(key.q, -1, key.p)
    numbers = rsa.RSAPrivateNumbers(key.p, key.q, d, *remainders, public)
    theirs, salt_length = numbers.private_key(), len(vector["salt"]) // 2
    pss = padding.PSS(padding.MGF1(hashes.SHA384()), salt_length)
    message = content(vector, "msg_prefix") + content(vector, "msg")
    theirs.public_key().verify(content(vector, "sig"), message, pss, hashes.SHA384())
    assert protocol.verify(key.public, message, theirs.sign(message, pss, hashes.SHA384()), salt_length)


def test_a_signature_of_something_else_is_refused() -> None:
    public, signature = key_of(RANDOMIZED).public, content(RANDOMIZED, "sig")
    message = content(RANDOMIZED, "msg_prefix") + content(RANDOMIZED, "msg")
    above = (int.from_bytes(signature, "big") + public.n).to_bytes(public.length + 1, "big")[1:]
    flipped = signature[:-1] + bytes([signature[-1] ^ 1])
    assert protocol.verify(public, message, signature)
    refused: dict[str, tuple[Any, ...]] = {
        "message": (public, message + b"x", signature),
        "salt": (public, message, signature, 0),
        "key": (protocol.PrivateKey(3, 5).public, message, signature),
    }
    others = (flipped, signature[1:], b"\0" + signature, above)
    refused |= {f"{n}": (public, message, of) for n, of in enumerate(others)}
    assert [changed for changed, given in refused.items() if protocol.verify(*given)] == []


def test_what_is_no_blinded_message_is_not_signed_and_what_is_no_key_of_2048_bits_refused() -> None:
    for bad, reason in ((b"short", "unexpected input size"), (b"\xff" * 512, "out of range")):
        with pytest.raises(ValueError, match=reason):
            protocol.blind_sign(key_of(RANDOMIZED), bad, os.urandom)
    for text in ("", "A" * 342, "_" * 341 + "x", "_" * 342 + "=", "é" * 342, "/" * 342):
        with pytest.raises(ValueError, match=r"."):
            protocol.read_public_key(text)


def test_the_server_sees_the_same_whatever_token_the_device_has() -> None:
    """For each transcript and each token there is exactly one r that leads to it: the transcript says nothing."""
    key = key_of(RANDOMIZED)
    public, n = key.public, key.public.n
    messages = [protocol.prepare(b"", os.urandom) for _person in range(2)]
    (first, inverse), (second, other) = (blind_message(public, message, os.urandom) for message in messages)
    signatures = [protocol.blind_sign(key, each, os.urandom) for each in (first, second)]
    own = zip(messages, signatures, (inverse, other), strict=True)
    tokens = [finalize(public, *each) for each in own]
    # The same two transcripts, with the tokens swapped: the r that makes it so exists, and is as likely.
    swaps = zip((first, second), signatures, reversed(tokens), reversed(messages), strict=True)
    for transcript, signed, token, message in swaps:
        m = pow(int.from_bytes(token, "big"), public.e, n)
        r = int.from_bytes(signed, "big") * pow(int.from_bytes(token, "big"), -1, n) % n
        assert (m * pow(r, public.e, n) % n).to_bytes(512, "big") == transcript
        swapped = pow(r, -1, n).to_bytes(512, "big")
        assert finalize(public, message, signed, swapped) == token


@given(st.binary(max_size=200), st.integers(0, 60), st.integers(800, 820))
def test_what_is_encoded_is_recognised_and_nothing_that_differs_in_a_bit(
    message: bytes, salt_length: int, bits: int
) -> None:
    if -(-bits // 8) < 50 + salt_length:
        with pytest.raises(ValueError, match="encoding error"):
            encode_emsa_pss(message, bits, bytes(salt_length))
        return
    encoded = encode_emsa_pss(message, bits, bytes(range(salt_length)))
    assert int.from_bytes(encoded, "big").bit_length() <= bits
    assert protocol.is_emsa_pss_encoding(message, bits, encoded, salt_length)
    for bit in range(0, 8 * len(encoded), 37):
        other = (int.from_bytes(encoded, "big") ^ (1 << bit)).to_bytes(len(encoded), "big")
        assert not protocol.is_emsa_pss_encoding(message, bits, other, salt_length)


def test_the_vectors_are_of_the_four_variants_of_the_rfc() -> None:
    names = [f"{pss}-{kind}" for kind in ("Randomized", "Deterministic") for pss in ("PSS", "PSSZERO")]
    assert [each["name"] for each in VECTORS] == [f"RSABSSA-SHA384-{name}" for name in names]
    assert all(one["sig"] != other["sig"] for one, other in pairwise(VECTORS))
