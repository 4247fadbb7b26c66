"""Sends e-mails about reports. The texts are in templates/reports/mail; their first line is the subject."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from django.core.mail import EmailMessage
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import translation

from accounts import mail, site_address
from accounts.models import Person
from reports.review import read_published_content
from runs import mlxtend_check
from surveys.models import Survey

if TYPE_CHECKING:
    from reports.models import Review
    from runs.models import Model


def send_waiting(review: "Review") -> None:
    """E-mails every reviewer who may review the report that it waits for them."""
    to = review.survey.reviewers().order_by("username")
    send_to_recipients("waiting", review, to, site_address.site_url() + review.reviewer_url)


def send_published(review: "Review", address: str) -> None:
    send_to_recipients(
        "published", review, report_readers(review.survey), address + review.get_absolute_url()
    )


def send_model_published(review: "Review", model: "Model", address: str) -> None:
    """E-mails the readers that a model was published after its report; models published with a report need no
    e-mail."""
    link = f"{address}{reverse('reports:models', args=[review.pk])}#model-{model.job.number}"
    send_to_recipients("model-published", review, report_readers(review.survey), link, model=model)


def send_withdrawn(review: "Review", address: str) -> None:
    models = review.run.models.filter(publication__isnull=False).exists()
    link = address + review.get_absolute_url()
    send_to_recipients("withdrawn", review, report_readers(review.survey), link, with_models=models)


def send_disputed(review: "Review") -> None:
    """E-mails the owner of a published report that mlxtend found another result.

    The e-mail names the first row that differs only if that row is published.
    """
    row = mlxtend_check.difference_sentence(review.run) if is_disputed_result_published(review) else ""
    link = site_address.site_url() + review.get_absolute_url()
    send_to_recipients("disputed", review, [review.survey.owner], link, row=row)


def is_disputed_result_published(review: "Review") -> bool:
    difference = mlxtend_check.known_difference(review.run)
    if difference is None:
        return False
    if difference.consequent:
        sides = {difference.items, difference.consequent}
        return any(set(rule.sides) == sides for rule in read_published_content.published_rules(review))
    told = read_published_content.published_itemsets(review) | read_published_content.published_answers(
        review
    )
    return any(row.item_numbers == difference.items for row in told)


def report_readers(survey: Survey) -> list[Person]:
    """Returns the owner and the collaborators of the survey."""
    return [survey.owner, *(one.person for one in survey.collaborators.select_related("person"))]


def gets_publication_email(survey: Survey, person: Person) -> bool:
    """Returns True if this person gets an e-mail when a report of the survey is published."""
    return bool(person.email) and person in report_readers(survey)


def send_to_recipients(
    kind: str, review: "Review", recipients: Iterable[Person], link: str, **template_context: object
) -> None:
    for person in recipients:
        if person.is_active and person.email:
            mail.send_in_background(build_email(kind, review, person, link, **template_context))


def build_email(
    kind: str, review: "Review", person: Person, link: str, **template_context: object
) -> EmailMessage:
    """Builds an e-mail in the recipient's language; `template_context` is for the text of this `kind`."""
    with translation.override(person.language or translation.get_language()):
        context = {
            "person": person,
            "survey": review.survey.title_with_fallback(translation.get_language()),
            "review": review,
            "link": link,
            **template_context,
        }
        subject, _, body = render_to_string(f"reports/mail/{kind}.txt", context).partition("\n")
    return EmailMessage(subject.strip(), body.strip() + "\n", to=[person.email])
