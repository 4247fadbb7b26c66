"""Confirms a new email address: the account gets it once its owner follows the link of an email while signed
in."""

from django.contrib import messages
from django.db import IntegrityError, transaction
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts import mail
from accounts.activity_log import log_activity
from accounts.models import Person
from accounts.password_guess_limits import SharedTries, hash_for_cache

HOURS = 24
SECONDS_BETWEEN_LETTERS = 600


class AddressTokens(mail.MailTokens):
    """Makes and checks the tokens of confirmation links, which are invalid once the old or new address or the password
    changes."""

    key_salt, hours = "accounts.email_confirmation", HOURS

    def _make_hash_value(self, user: Person, timestamp: int) -> str:
        return f"{user.pk} {user.password} {timestamp} {user.email} {user.new_email}"


tokens = AddressTokens()


def send_confirmation_letter(person: Person) -> bool:
    """Emails a confirmation link to the account's new address; False if any account sent one there within the last ten
    minutes."""
    key = hash_for_cache(f"confirm {person.new_email.lower()}")
    if not SharedTries([key], SECONDS_BETWEEN_LETTERS).use_try(timezone.now().timestamp()):
        return False
    path = reverse("accounts:email-confirm", args=[tokens.make_token(person)])
    mail.send_in_background(mail.compose_letter("confirm", person, path, HOURS, to=person.new_email))
    return True


def ask_to_confirm(request: HttpRequest, person: Person) -> None:
    if send_confirmation_letter(person):
        text = _("We sent a letter to %(address)s. The address counts once you follow the link in it.")
    else:
        text = _("A letter was sent to %(address)s in the last minutes. Look there, or try again later.")
    messages.info(request, text % {"address": person.new_email})


def confirm_new_address(person: Person) -> bool:
    """Gives the account its new address and notifies the old one; False if another account has the new address."""
    before, person.email, person.new_email = person.email, person.new_email, ""
    try:
        with transaction.atomic():
            person.save(update_fields=["email", "new_email"])
            log_activity(person, "accounts.email-confirmed", person)
    except IntegrityError:
        return False
    if before:
        mail.send_in_background(mail.compose_letter("address-changed", person, to=before))
    return True
