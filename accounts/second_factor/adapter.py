"""django-allauth adapter for second factors: how secrets are stored, and what an authenticator app
displays."""

import base64
from typing import TYPE_CHECKING, Any

from allauth.mfa.adapter import DefaultMFAAdapter
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext_lazy as _

from accounts import site_address

if TYPE_CHECKING:
    from cryptography.fernet import Fernet


class FactorAdapter(DefaultMFAAdapter):
    """django-allauth's adapter for second factors: encrypts the secrets of apps and the seeds of recovery
    codes in the database, and so in backups."""

    error_messages = {
        **DefaultMFAAdapter.error_messages,
        "incorrect_code": _(
            "This code is not right, was used already, or is too old. Enter the next one that your app shows."
        ),
    }

    def get_totp_label(self, user: Any) -> str:
        return f"{site_address.site_host()}:{user.get_username()}"

    def get_totp_issuer(self) -> str:
        return site_address.site_host()

    def encrypt(self, text: str) -> str:
        return _secret_cipher().encrypt(text.encode()).decode()

    def decrypt(self, encrypted_text: str) -> str:
        """Decrypts a stored secret; under another SECRET_KEY the result is wrong, so that no code is accepted."""
        from cryptography.fernet import InvalidToken  # late for cost

        try:
            return _secret_cipher().decrypt(encrypted_text).decode()
        except InvalidToken:
            raise self.validation_error("incorrect_code") from None


def _secret_cipher() -> "Fernet":
    from cryptography.fernet import Fernet  # late for cost

    key = salted_hmac("accounts.second_factor", "", algorithm="sha256").digest()
    return Fernet(base64.urlsafe_b64encode(key))
