"""Emails about accounts, and the tokens of their links.

The texts are in templates/accounts/mail; the first line is the subject.
"""

import logging
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from django.contrib.auth.tokens import PasswordResetTokenGenerator
from django.core.mail import EmailMessage
from django.template.loader import render_to_string
from django.utils import translation
from django.utils.crypto import constant_time_compare
from django.utils.http import base36_to_int

from accounts import site_address
from accounts.models import Person

logger = logging.getLogger(__name__)
# One thread: a letter goes out after the page that asked for it, and letters go out in order.
mail_thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="post-office")


def compose_letter(
    template: str, person: Person, path: str = "", hours: int = 0, *, to: str = "", **more: str
) -> EmailMessage:
    """Returns an email to a person, made from a template, in the account's language or else that of the page.

    `path`: path of the link in the email; `hours`: how long the link is valid; `to`: recipient instead of the account's
    address.
    """
    context = {
        "person": person,
        "link": site_address.site_url(path),
        "site": site_address.site_host(),
        "hours": hours,
        "days": hours // 24,
        **more,
    }
    return compose_from_template(
        f"accounts/mail/{template}.txt", person.language, to or person.email, context
    )


def compose_from_template(template: str, language: str, to: str, context: Mapping[str, Any]) -> EmailMessage:
    """Returns an email made from this template, whose first line is the subject; in the page's language if
    `language` is empty."""
    with translation.override(language or translation.get_language()):
        subject, _, body = render_to_string(template, context).partition("\n")
    return EmailMessage(subject.strip(), body.strip() + "\n", to=[to])


def send_in_background(message: EmailMessage) -> None:
    """Sends an email in a thread, since a page's response time would otherwise reveal whether an account exists."""

    def send() -> None:
        try:
            message.send()
        except Exception as failure:
            # Its message may contain the address.
            logger.error("A letter could not be sent: %s", type(failure).__name__)

    mail_thread.submit(send)


class MailTokens(PasswordResetTokenGenerator):
    """Makes and checks tokens like Django's password-reset tokens, but with a lifetime in hours."""

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
