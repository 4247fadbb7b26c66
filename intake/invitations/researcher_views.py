"""Invitations: the open link with its QR code and poster, files of single-use addresses, and emails."""

import io
from datetime import datetime
from typing import Any

from django import forms
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.http import content_disposition_header
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _, gettext_lazy, ngettext
from django.views.decorators.debug import sensitive_post_parameters, sensitive_variables

from accounts.activity_log import log_activity
from accounts.models import Person
from accounts.permission import PersonRequest, get_permitted
from intake.invitations import embedding_setup, tokens
from intake.invitations.emails import (
    AT_ONCE,
    LINK,
    LISTED,
    EmailText,
    Failure,
    Link,
    MailResult,
    has_mail_server,
    send_next_emails,
)
from intake.invitations.resumable_mailing_receipts import split_addresses, start_or_resume_mailing
from intake.invitations.texts import poster_sheet_texts, proposed_email
from surveys import draft_json
from surveys.lifecycle import asked_at
from surveys.lifecycle.field_device_keys import has_field_devices
from surveys.models import Survey
from surveys.phrases.kind_words import language_of_kind_word
from surveys.questionnaire.problems_and_refusals import NotAllowed
from surveys.questionnaire.value_normalization import normal_text
from surveys.signed_in_view import form_page, posting, reading
from ui.number_format import format_count
from ui.sentence_joining import join_sentences

MOST_LINKS = 100_000
QUIET = 4
"""Width of the white margin around a QR code in modules, as its standard asks."""


class InvitationCountForm(forms.Form):
    def __init__(self, survey: Survey, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        why = _("At least %(least)s: among fewer, having answered would say too much about a person.")
        self.fields["n"] = forms.IntegerField(
            label=_("How many?"),
            help_text=why % {"least": format_count(survey.least)},
            min_value=survey.least,
            max_value=MOST_LINKS,
        )


class EmailForm(forms.Form):
    # Words to other people, in the languages of the survey: no browser should translate them.
    subject = forms.CharField(
        label=gettext_lazy("Subject"), max_length=200, widget=forms.TextInput(attrs={"translate": "no"})
    )
    message = forms.CharField(
        label=gettext_lazy("Email"),
        max_length=20_000,
        widget=forms.Textarea(attrs={"rows": 14, "translate": "no"}),
    )
    addresses = forms.CharField(
        label=gettext_lazy("Email addresses"),
        max_length=1_000_000,
        widget=forms.Textarea(
            attrs={"rows": 8, "autocomplete": "off", "spellcheck": "false", "autocapitalize": "off"}
        ),
    )
    # The name of the mailing and its receipts: the script returns what it got.
    sitting = forms.CharField(required=False, max_length=200, widget=forms.HiddenInput)
    receipts = forms.CharField(required=False, max_length=33 * LISTED, widget=forms.HiddenInput)

    def __init__(self, survey: Survey, reminder: bool, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.survey, self.reminder = survey, reminder
        # One list brings invitations: it comes whole, to be counted. Other emails are handed on in parts.
        self.most = LISTED if survey.invited and not reminder else AT_ONCE
        self.fields["addresses"].help_text = _("One per line. At most %(most)s are sent at once.") % {
            "most": AT_ONCE
        }
        if not (reminder and survey.invited):
            self.fields["message"].help_text = _("%(link)s is replaced by the survey link.") % {"link": LINK}

    def clean_subject(self) -> str:
        subject = " ".join(normal_text(self.cleaned_data["subject"]).split())
        self._refuse_own_kind_words(subject)
        return subject

    def clean_message(self) -> str:
        message = normal_text(self.cleaned_data["message"])
        if self.reminder and self.survey.invited:
            if LINK in message:
                raise ValidationError(
                    _("A reminder brings no new address, or people could answer twice. Leave %(link)s out."),
                    params={"link": LINK},
                )
        elif LINK not in message:
            raise ValidationError(_("Write %(link)s where the survey link should be."), params={"link": LINK})
        self._refuse_own_kind_words(message)
        return message

    def _refuse_own_kind_words(self, text: str) -> None:
        """Refuses words by which Candor says what kind a question is, but in the lines that it proposes itself."""
        proposed = proposed_email(self.survey, reminder=self.reminder)
        known = {line.strip() for line in (proposed.subject, *proposed.message.splitlines())}
        if language_of_kind_word("".join(line for line in text.splitlines() if line.strip() not in known)):
            raise ValidationError(
                _(
                    "Only Candor’s own sentence says which answers are disguised. Leave it as it was proposed, and take"
                    " such words out of the others."
                )
            )

    def clean_addresses(self) -> list[str]:
        unique = split_addresses(self.cleaned_data["addresses"])
        if len(unique) > self.most:
            raise ValidationError(
                _("At most %(most)s addresses at once."), params={"most": format_count(self.most)}
            )
        return unique

    @property
    def email(self) -> EmailText:
        return EmailText(self.cleaned_data["subject"], self.cleaned_data["message"], self.reminder)


@reading
def invitations(request: PersonRequest, pk: int) -> HttpResponse:
    survey = get_permitted(Survey.objects, request.user, pk, "invite")
    return _invitations_page(request, survey, InvitationCountForm(survey, initial={"n": survey.least}))


@posting
def save_sites(request: PersonRequest, pk: int) -> HttpResponse:
    result = embedding_setup.save_sites(request, pk)
    if isinstance(result, HttpResponse):
        return result
    survey = get_permitted(Survey.objects, request.user, pk, "invite")
    return _invitations_page(
        request, survey, InvitationCountForm(survey, initial={"n": survey.least}), result
    )


@posting
def download_invitations(request: PersonRequest, pk: int) -> HttpResponseBase:
    """View: creates invitations and returns their links as a CSV file, the only copy of their tokens."""
    survey = get_permitted(Survey.objects, request.user, pk, "invite")
    form = InvitationCountForm(survey, request.POST)
    if not form.is_valid():
        return _invitations_page(request, survey, form)
    try:
        links = create_invitation_links(survey, request.user, form.cleaned_data["n"], timezone.now())
    except NotAllowed as refused:
        messages.error(request, str(refused))
        return redirect("invitations:invitations", survey.pk)
    lines = (f"{link}\n" for link in ("link", *links))
    response = HttpResponse("".join(lines), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = content_disposition_header(True, "invitations.csv") or ""
    response["Cache-Control"] = "no-store"
    return response


def create_invitation_links(survey: Survey, person: Person, n: int, now: datetime) -> list[str]:
    """Creates n single-use links and returns them; only their hashes are stored, and the history tells how many were
    made."""
    link = invitation_link_builder(survey)
    links = [link(token) for token in tokens.create_invitations(survey, n)]
    log_activity(person, "intake.invitations-made", survey, note=str(n), when=now)
    return links


def _invitations_page(
    request: PersonRequest,
    survey: Survey,
    form: InvitationCountForm,
    sites_form: embedding_setup.SitesForm | None = None,
) -> HttpResponse:
    link = invitation_link_builder(survey)("")
    context = {
        "survey": survey,
        "form": form,
        "link": link,
        "qr": inline_qr_code(link) if survey.state == Survey.State.OPEN and not survey.invited else "",
        "can_mail": has_mail_server(),
        "has_field_devices": has_field_devices(survey.questionnaire),
        "rounds": draft_json.read_number(survey.questionnaire or {}, draft_json.ROUNDS, 0),
        **embedding_setup.embedding_context(survey, request.user, sites_form),
    }
    status = 422 if form.errors or sites_form else 200
    return render(request, "intake/invitations/invitations.html", context, status=status)


@sensitive_variables()
@sensitive_post_parameters()
@form_page
def mail_invitations(request: PersonRequest, pk: int) -> HttpResponse:
    """View: sends emails to the addresses in the form, fifty in each request.

    A script in the browser keeps the list and posts it until all are done; without scripts a person sends the next
    fifty.
    """
    survey = get_permitted(Survey.objects, request.user, pk, "invite")
    reminder = request.GET.get("kind") == "reminder"
    email = proposed_email(survey, reminder=reminder)
    initial = {"subject": email.subject, "message": email.message}
    form = EmailForm(survey, reminder, request.POST if request.method == "POST" else None, initial=initial)
    result, name = MailResult(0, [], [], []), ""
    if request.method == "POST" and form.is_valid():
        try:
            result, name = _send_and_name_mailing(request, survey, form)
        except NotAllowed as refused:
            form.add_error(None, str(refused))
    if request.headers.get("Accept") == "application/json":
        return _mail_result_json(form, result, name)
    status = 422 if form.errors else 200
    # A script sends these again by itself.
    reason = result.pause or _("There was no time left. Send it again.")
    untried = [Failure(position, reason) for position in result.untried]
    context: dict[str, Any] = {
        "survey": survey,
        "reminder": reminder,
        "failures": sorted([*result.failures, *untried]),
        "can_mail": has_mail_server(),
        "at_once": AT_ONCE,
    }
    if form.is_bound and not form.errors:
        words = ngettext("%(n)s email sent.", "%(n)s emails sent.", result.sent)
        context["sent"] = words % {"n": format_count(result.sent)}
        # The email stays in the form for the next fifty; the addresses do not.
        email = form.email
        form = EmailForm(survey, reminder, initial={"subject": email.subject, "message": email.message})
    context["form"] = form
    return render(request, "intake/invitations/mail.html", context, status=status)


@sensitive_variables()
def _send_and_name_mailing(request: PersonRequest, survey: Survey, form: EmailForm) -> tuple[MailResult, str]:
    """Sends the emails to the addresses in the form; returns the result and the name of the mailing."""
    if not has_mail_server():
        raise NotAllowed(_("This site has no email server."))
    to, name, receipts = (form.cleaned_data[key] for key in ("addresses", "sitting", "receipts"))
    mailing = start_or_resume_mailing(survey, request.user, name, receipts, len(to))
    result = send_next_emails(
        survey, request.user, form.email, to, mailing, invitation_link_builder(survey), timezone.now()
    )
    return result, mailing.name


def _mail_result_json(form: EmailForm, result: MailResult, name: str) -> HttpResponse:
    if form.errors:
        reasons = [str(reason) for errors in form.errors.values() for reason in errors]
        return JsonResponse({"refused": join_sentences(reasons)}, status=422)
    return JsonResponse(
        {
            "sent": result.sent,
            "failed": [failure._asdict() for failure in result.failures],
            "sitting": name,
            "receipts": result.receipts,
            "pause": result.pause,
        }
    )


@reading
def qr_code(request: PersonRequest, pk: int) -> HttpResponse:
    """View: returns the QR code of the survey's address as an SVG file, for designers."""
    survey = get_permitted(Survey.objects, request.user, pk, "invite")
    import segno  # late for cost

    code, file = segno.make_qr(invitation_link_builder(survey)(""), error="m"), io.BytesIO()
    code.save(file, kind="svg", scale=10, border=QUIET, light="#fff", svgclass=None)
    response = HttpResponse(file.getvalue(), content_type="image/svg+xml")
    response["Content-Disposition"] = content_disposition_header(True, "qr.svg") or ""
    return response


@reading
def poster(request: PersonRequest, pk: int) -> HttpResponse:
    survey = get_permitted(Survey.objects, request.user, pk, "invite")
    link = invitation_link_builder(survey)("")
    context = {
        "survey": survey,
        "sheets": poster_sheet_texts(survey),
        "link": link,
        "qr": inline_qr_code(link),
        "minutes": draft_json.read_number(survey.questionnaire, "minutes", 0),
        "contact": draft_json.read_text(survey.questionnaire, "contact"),
    }
    return render(request, "intake/invitations/poster.html", context)


def invitation_link_builder(survey: Survey) -> Link:
    """Returns a function from a token to the survey's link with that token.

    The token is in the URL's fragment, which browsers never send to servers.
    """
    address = asked_at.respondents_address(survey)
    return lambda token: f"{address}#{token}" if token else address


def inline_qr_code(link: str) -> SafeString:
    """Returns the QR code as SVG markup for a page: sized by its style sheet, black on white in every theme."""
    import segno  # late for cost

    code = segno.make_qr(link, error="m")
    drawing = code.svg_inline(omitsize=True, border=QUIET, light="#fff", svgclass="qr", lineclass=None)
    return mark_safe(drawing)  # noqa: S308 - squares and nothing else


def may_invite(survey: Survey, person: Person) -> bool:
    return survey.state != Survey.State.DESTROYED and survey.may(person, "invite")
