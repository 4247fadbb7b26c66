"""A passkey in software, which makes what a browser would send."""

import json
import os
from typing import Any

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from fido2.cose import ES256
from fido2.utils import sha256, websafe_encode
from fido2.webauthn import AttestationObject, AttestedCredentialData, AuthenticatorData

FLAGS = AuthenticatorData.FLAG.UP | AuthenticatorData.FLAG.UV


class SoftPasskey:
    def __init__(self, origin: str = "https://testserver") -> None:
        self.origin, self.id = origin, os.urandom(16)
        self.key = ec.generate_private_key(ec.SECP256R1())

    def made(self, options: dict[str, Any]) -> str:
        public = ES256.from_cryptography_key(self.key.public_key())  # type: ignore[no-untyped-call]
        key = AttestedCredentialData.create(b"\0" * 16, self.id, public)
        data = AuthenticatorData.create(
            sha256(options["rp"]["id"].encode()), FLAGS | AuthenticatorData.FLAG.AT, 0, key
        )
        attestation = AttestationObject.create("none", data, {})
        return self._answer(self._client_data("create", options), attestationObject=bytes(attestation))

    def shown(self, options: dict[str, Any]) -> str:
        client_data = self._client_data("get", options)
        data = AuthenticatorData.create(sha256(options["rpId"].encode()), FLAGS, 1)
        signature = self.key.sign(data + sha256(client_data), ec.ECDSA(hashes.SHA256()))
        return self._answer(client_data, authenticatorData=bytes(data), signature=signature)

    def _client_data(self, what: str, options: dict[str, Any]) -> bytes:
        facts = {"type": f"webauthn.{what}", "challenge": options["challenge"], "origin": self.origin}
        return json.dumps(facts).encode()

    def _answer(self, client_data: bytes, **response: bytes) -> str:
        encoded = {name: websafe_encode(value) for name, value in response.items()}
        name = websafe_encode(self.id)
        return json.dumps(
            {
                "id": name,
                "rawId": name,
                "type": "public-key",
                "clientExtensionResults": {},
                "response": {"clientDataJSON": websafe_encode(client_data), **encoded},
            }
        )
