"""Emailed links to set a password, valid for an hour after "forgotten" and for a week as an invitation."""

from django.conf import settings
from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.tokens import PasswordResetTokenGenerator, default_token_generator
from django.core.exceptions import ValidationError
from django.urls import reverse
from django.utils import timezone
from django.utils.crypto import salted_hmac
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode
from django.utils.translation import gettext as _

from accounts import mail, site_address
from accounts.activity_log import log_activity
from accounts.models import Person
from accounts.password_guess_limits import SharedTries

INVITATION_HOURS = 7 * 24
SECONDS_BETWEEN_LETTERS = 60


class SiteWordsValidator:
    """Password validator: refuses passwords made up of the product's name and parts of the site's address."""

    LEAST = 8
    """Number of characters that must remain without these words."""

    def validate(self, password: str, user: AbstractBaseUser | None = None) -> None:
        words = [
            "candor",
            *(
                part
                for part in site_address.site_host().partition(":")[0].lower().split(".")
                if len(part) > 3
            ),
        ]
        rest = password.lower()
        for word in sorted(words, key=len, reverse=True):
            rest = rest.replace(word, "")
        if rest != password.lower() and len(rest) < self.LEAST:
            raise ValidationError(self.get_help_text(), code="password_of_site_words")

    def get_help_text(self) -> str:
        return _("Your password can’t be little more than the name or the address of this site.")


class InvitationTokens(mail.MailTokens):
    """Makes and checks the tokens of invitation links, invalid once a password is set, the address changes or somebody
    signs in."""

    key_salt, hours = "accounts.password_links.InvitationTokens", INVITATION_HOURS


invitations = InvitationTokens()


def may_use_password(username: str) -> bool:
    """Returns True if the account may sign in with a password; the operator may allow that to the emergency account
    only."""
    return settings.PASSWORD_SIGN_IN or username == settings.BREAK_GLASS_ACCOUNT


def path_to_set_password(name: str, person: Person, tokens: PasswordResetTokenGenerator) -> str:
    return reverse(name, args=[urlsafe_base64_encode(force_bytes(person.pk)), tokens.make_token(person)])


def send_invitation(person: Person, by: Person) -> None:
    """Emails an invitation to set a password; returns after sending, so that the inviting person sees a failure
    (OSError)."""
    path = path_to_set_password("accounts:invitation", person, invitations)
    mail.compose_letter("invitation", person, path, INVITATION_HOURS).send()
    log_activity(by, "accounts.invited", person)


def send_password_reset(email: str) -> None:
    """Emails a link to set a new password if the address belongs to an account; takes the same time if it does not."""
    person = Person.objects.filter(email__iexact=email, is_active=True).first()
    if person is not None and not may_use_password(person.username):
        person = None
    path = path_to_set_password(
        "accounts:password-reset-confirm", person or Person(pk=0), default_token_generator
    )
    hours = settings.PASSWORD_RESET_TIMEOUT // 3600
    message = mail.compose_letter("reset", person or Person(), path, hours)
    # A stranger must not be able to fill somebody's mailbox.
    key = salted_hmac("accounts.forgotten", email.lower(), algorithm="sha256").hexdigest()
    if SharedTries([key], SECONDS_BETWEEN_LETTERS).use_try(timezone.now().timestamp()) and person is not None:
        mail.send_in_background(message)
