"""Links to set a password: valid for an hour after "forgotten", for a week as an invitation."""

from django.conf import settings
from django.contrib.auth.tokens import PasswordResetTokenGenerator, default_token_generator
from django.urls import reverse
from django.utils import timezone
from django.utils.crypto import salted_hmac
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode

from accounts import mail
from accounts.guessing import SharedTries
from accounts.history import log_activity
from accounts.mail_tokens import MailTokens
from accounts.models import Person

INVITATION_HOURS = 7 * 24
SECONDS_BETWEEN_LETTERS = 60


class InvitationTokens(MailTokens):
    """Void once a password is set, the address changes or somebody signs in."""

    key_salt, hours = "accounts.passwords.InvitationTokens", INVITATION_HOURS


invitations = InvitationTokens()


def may_be_used(username: str) -> bool:
    """Whether this account may sign in with a password: all may, unless the operator keeps one for emergencies."""
    return settings.PASSWORD_SIGN_IN or username == settings.BREAK_GLASS_ACCOUNT


def link(name: str, person: Person, tokens: PasswordResetTokenGenerator) -> str:
    return reverse(name, args=[urlsafe_base64_encode(force_bytes(person.pk)), tokens.make_token(person)])


def invite(person: Person, by: Person) -> None:
    """Send the letter at once, so that the inviting person sees a failure (OSError)."""
    path = link("accounts:invitation", person, invitations)
    mail.letter("invitation", person, path, INVITATION_HOURS).send()
    log_activity(by, "accounts.invited", person)


def send_reset(email: str) -> None:
    """Send a link if the address is an account's. Known or not, the same work is done before the page answers."""
    person = Person.objects.filter(email__iexact=email, is_active=True).first()
    if person is not None and not may_be_used(person.username):
        person = None
    path = link("accounts:password-reset-confirm", person or Person(pk=0), default_token_generator)
    hours = settings.PASSWORD_RESET_TIMEOUT // 3600
    message = mail.letter("reset", person or Person(), path, hours)
    # A stranger must not be able to fill somebody's mailbox.
    key = salted_hmac("accounts.forgotten", email.lower()).hexdigest()
    if SharedTries([key], SECONDS_BETWEEN_LETTERS).take(timezone.now().timestamp()) and person is not None:
        mail.send_in_background(message)
