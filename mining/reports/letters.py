"""Letters about reports. Their texts stand in templates/reports/mail; the first line is the subject."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from django.conf import settings
from django.core.mail import EmailMessage
from django.template.loader import render_to_string
from django.utils import translation

from people import mail
from people.models import REVIEWERS, Person

if TYPE_CHECKING:
    from mining.reports.models import Review


def waiting(review: "Review") -> None:
    """To every reviewer who may review it."""
    survey = review.survey
    reviewers = Person.objects.filter(groups__name=REVIEWERS, is_active=True).exclude(pk=survey.owner_id)
    working = survey.collaborators.values("person")
    send("waiting", review, reviewers.exclude(pk__in=working).order_by("username"), site())


def published(review: "Review", site: str) -> None:
    send("published", review, readers(review), site)


def withdrawn(review: "Review", site: str) -> None:
    send("withdrawn", review, readers(review), site)


def readers(review: "Review") -> list[Person]:
    """The owner and all who work on the survey."""
    survey = review.survey
    return [survey.owner, *(one.person for one in survey.collaborators.select_related("person"))]


def send(kind: str, review: "Review", to: Iterable[Person], site: str = "") -> None:
    for person in to:
        if person.is_active and person.email:
            mail.post(letter(kind, review, person, site))


def site() -> str:
    """The address of this site where no request says it: in production its first name, if that is a whole one."""
    name = settings.ALLOWED_HOSTS[0] if settings.PRODUCTION and settings.ALLOWED_HOSTS else ""
    if not name or name.startswith((".", "*")):
        return ""
    return f"{'https' if settings.HTTPS else 'http'}://{name}"


def letter(kind: str, review: "Review", person: Person, site: str) -> EmailMessage:
    """In the language of who reads it."""
    with translation.override(person.language or translation.get_language()):
        context = {
            "person": person,
            "survey": review.survey.title_in(translation.get_language()),
            "review": review,
            "link": site + review.get_absolute_url() if site else "",
        }
        subject, _, body = render_to_string(f"reports/mail/{kind}.txt", context).partition("\n")
    return EmailMessage(subject.strip(), body.strip() + "\n", to=[person.email])
