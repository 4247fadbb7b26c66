"""Invitations: the open link with its QR code and poster, files of single-use addresses, and letters."""

from typing import Any

from django import forms
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.http import content_disposition_header
from django.utils.translation import gettext as _, gettext_lazy, ngettext
from django.views.decorators.debug import sensitive_post_parameters, sensitive_variables

from accounts import site
from accounts.models import Person
from accounts.permission import PersonRequest, guard
from intake.invitations import posters, sending as inviting
from intake.invitations.mailboxes import addresses
from intake.invitations.mailing import mailing_of
from intake.invitations.sending import LINK, Failure, Letter, Link, MailResult
from surveys import draft as drafts
from surveys.models import Survey
from surveys.pages import form_page, posting, reading
from surveys.questionnaire.problems import NotAllowed
from ui.numbers import count

State = Survey.State


class CountForm(forms.Form):
    def __init__(self, survey: Survey, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        why = _("At least %(least)s: among fewer, having answered would say too much about a person.")
        self.fields["n"] = forms.IntegerField(
            label=_("How many?"),
            help_text=why % {"least": count(survey.least)},
            min_value=survey.least,
            max_value=inviting.MOST,
        )


class LetterForm(forms.Form):
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
    receipts = forms.CharField(required=False, max_length=33 * inviting.LISTED, widget=forms.HiddenInput)

    def __init__(self, survey: Survey, reminder: bool, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.survey, self.reminder = survey, reminder
        # One list brings invitations: it comes whole, to be counted. Other letters are handed on in parts.
        self.most = inviting.LISTED if survey.invited and not reminder else inviting.AT_ONCE
        self.fields["addresses"].help_text = _("One per line. At most %(most)s are sent at once.") % {
            "most": inviting.AT_ONCE
        }
        if not (reminder and survey.invited):
            self.fields["message"].help_text = _("%(link)s is replaced by the survey link.") % {"link": LINK}

    def clean_subject(self) -> str:
        return " ".join(str(self.cleaned_data["subject"]).split())

    def clean_message(self) -> str:
        message: str = self.cleaned_data["message"]
        if self.reminder and self.survey.invited:
            if LINK in message:
                raise ValidationError(
                    _("A reminder brings no new address, or people could answer twice. Leave %(link)s out."),
                    params={"link": LINK},
                )
        elif LINK not in message:
            raise ValidationError(_("Write %(link)s where the survey link should be."), params={"link": LINK})
        return message

    def clean_addresses(self) -> list[str]:
        unique = addresses(self.cleaned_data["addresses"])
        if len(unique) > self.most:
            raise ValidationError(_("At most %(most)s addresses at once."), params={"most": count(self.most)})
        return unique

    @property
    def letter(self) -> Letter:
        return Letter(self.cleaned_data["subject"], self.cleaned_data["message"], self.reminder)


def link_of(survey: Survey) -> Link:
    """The token stands in the fragment, which no browser sends to a server."""
    address = site.address(survey.address)
    return lambda token: f"{address}#{token}" if token else address


@reading
def invitations(request: PersonRequest, pk: int) -> HttpResponse:
    survey = guard(Survey.objects, request.user, pk, "invite")
    return _page(request, survey, CountForm(survey, initial={"n": survey.least}))


def _page(request: PersonRequest, survey: Survey, form: CountForm) -> HttpResponse:
    link = link_of(survey)("")
    context = {
        "survey": survey,
        "form": form,
        "link": link,
        "qr": posters.qr_inline(link) if survey.state == State.OPEN and not survey.invited else "",
        "can_mail": inviting.can_mail(),
        "rounds": drafts.number(survey.questionnaire or {}, drafts.ROUNDS, 0),
    }
    return render(request, "intake/invitations/invitations.html", context, status=422 if form.errors else 200)


@posting
def in_a_file(request: PersonRequest, pk: int) -> HttpResponseBase:
    survey = guard(Survey.objects, request.user, pk, "invite")
    form = CountForm(survey, request.POST)
    if not form.is_valid():
        return _page(request, survey, form)
    try:
        lines = inviting.in_a_file(
            survey, request.user, form.cleaned_data["n"], link_of(survey), timezone.now()
        )
    except NotAllowed as refused:
        messages.error(request, str(refused))
        return redirect("invitations:invitations", survey.pk)
    response = HttpResponse("".join(lines), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = content_disposition_header(True, "invitations.csv") or ""
    response["Cache-Control"] = "no-store"
    return response


@sensitive_variables()
@sensitive_post_parameters()
@form_page
def by_mail(request: PersonRequest, pk: int) -> HttpResponse:
    """The browser keeps the list and posts it until all are written to; without a script, fifty get an open address."""
    survey = guard(Survey.objects, request.user, pk, "invite")
    reminder = request.GET.get("kind") == "reminder"
    proposed = inviting.proposal(survey, reminder=reminder)
    initial = {"subject": proposed.subject, "message": proposed.message}
    form = LetterForm(survey, reminder, request.POST if request.method == "POST" else None, initial=initial)
    part, name = MailResult(0, [], [], []), ""
    if request.method == "POST" and form.is_valid():
        try:
            part, name = _sent(request, survey, form)
        except NotAllowed as refused:
            form.add_error(None, str(refused))
    if request.headers.get("Accept") == "application/json":
        return _in_json(form, part, name)
    context: dict[str, Any] = {
        "survey": survey,
        "reminder": reminder,
        # A script sends these again by itself.
        "failures": sorted(
            [
                *part.failures,
                *(
                    Failure(position, part.pause or _("There was no time left. Send it again."))
                    for position in part.untried
                ),
            ]
        ),
        "can_mail": inviting.can_mail(),
    }
    status = 422 if form.errors else 200
    if form.is_bound and not form.errors:
        context["sent"] = _letters(part.sent)
        # The letter stays in the form for the next fifty; the addresses do not.
        letter = {"subject": form.letter.subject, "message": form.letter.message}
        form = LetterForm(survey, reminder, initial=letter)
    context |= {"form": form, "at_once": inviting.AT_ONCE}
    return render(request, "intake/invitations/mail.html", context, status=status)


@sensitive_variables()
def _sent(request: PersonRequest, survey: Survey, form: LetterForm) -> tuple[MailResult, str]:
    if not inviting.can_mail():
        raise NotAllowed(_("This site has no email server."))
    to, name, receipts = (form.cleaned_data[key] for key in ("addresses", "sitting", "receipts"))
    begun = mailing_of(survey, request.user, name, receipts, len(to))
    part = inviting.mail(survey, request.user, form.letter, to, begun, link_of(survey), timezone.now())
    return part, begun.name


def _in_json(form: LetterForm, part: MailResult, name: str) -> HttpResponse:
    if form.errors:
        reasons = [str(reason) for errors in form.errors.values() for reason in errors]
        return JsonResponse({"refused": " ".join(reasons)}, status=422)
    failed = [failure._asdict() for failure in part.failures]
    said = {"sent": part.sent, "failed": failed, "sitting": name, "receipts": part.receipts}
    return JsonResponse(said | {"pause": part.pause})


def _letters(n: int) -> str:
    return ngettext("%(n)s email sent.", "%(n)s emails sent.", n) % {"n": count(n)}


@reading
def qr(request: PersonRequest, pk: int) -> HttpResponse:
    survey = guard(Survey.objects, request.user, pk, "invite")
    response = HttpResponse(posters.qr_file(link_of(survey)("")), content_type="image/svg+xml")
    response["Content-Disposition"] = content_disposition_header(True, "qr.svg") or ""
    return response


@reading
def poster(request: PersonRequest, pk: int) -> HttpResponse:
    survey = guard(Survey.objects, request.user, pk, "invite")
    link = link_of(survey)("")
    context = {
        "survey": survey,
        "sheets": posters.sheets(survey),
        "link": link,
        "qr": posters.qr_inline(link),
        "minutes": drafts.number(survey.questionnaire, "minutes", 0),
        "contact": drafts.text(survey.questionnaire, "contact"),
    }
    return render(request, "intake/invitations/poster.html", context)


def may_invite(survey: Survey, person: Person) -> bool:
    return survey.state != Survey.State.DESTROYED and survey.may(person, "invite")
