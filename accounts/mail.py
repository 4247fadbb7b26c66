"""Letters about accounts. Their texts stand in templates/accounts/mail; the first line is the subject."""

import logging
from concurrent.futures import ThreadPoolExecutor

from django.core.mail import EmailMessage
from django.template.loader import render_to_string
from django.utils import translation

from accounts import site
from accounts.models import Person

logger = logging.getLogger(__name__)
# One thread: a letter goes out after the page that asked for it, and letters go out in order.
mail_thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="post-office")


def letter(
    template: str, person: Person, path: str = "", hours: int = 0, *, to: str = "", **more: str
) -> EmailMessage:
    """In the reader's language, else in that of the page that asked for it; `to`: in place of the account's address."""
    context = {
        "person": person,
        "link": site.address(path),
        "site": site.name(),
        "hours": hours,
        "days": hours // 24,
        **more,
    }
    with translation.override(person.language or translation.get_language()):
        subject, _, body = render_to_string(f"accounts/mail/{template}.txt", context).partition("\n")
    return EmailMessage(subject.strip(), body.strip() + "\n", to=[to or person.email])


def send_in_background(message: EmailMessage) -> None:
    """Send without making anybody wait: how long a page takes would tell whether there is an account."""
    mail_thread.submit(_deliver, message)


def _deliver(message: EmailMessage) -> None:
    try:
        message.send()
    except Exception as failure:
        # Its message may contain the address.
        logger.error("A letter could not be sent: %s", type(failure).__name__)
