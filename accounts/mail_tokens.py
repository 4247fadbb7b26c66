"""Tokens of links that come by mail."""

from django.contrib.auth.tokens import PasswordResetTokenGenerator
from django.utils.crypto import constant_time_compare
from django.utils.http import base36_to_int

from accounts.models import Person


class MailTokens(PasswordResetTokenGenerator):
    """Django's tokens with a life of their own."""

    hours: int

    def check_token(self, user: Person | None, token: str | None) -> bool:
        if user is None or not token:
            return False
        try:
            made = base36_to_int(token.partition("-")[0])
        except ValueError:
            return False
        age = self._num_seconds(self._now()) - made
        # A token of ours from later than now was made before the clock was set back.
        return age <= self.hours * 3600 and any(
            constant_time_compare(self._make_token_with_timestamp(user, made, secret), token)
            for secret in [self.secret, *self.secret_fallbacks]
        )
