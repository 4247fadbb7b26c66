"""Invitations: the open link with its QR code and poster, files of single-use addresses, and letters."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpResponse, JsonResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.http import content_disposition_header
from django.utils.translation import gettext as _, gettext_lazy, ngettext
from django.views.decorators.debug import sensitive_post_parameters, sensitive_variables

from people.permission import PersonRequest, guard
from surveys import draft as drafts
from surveys.intake import inviting, posters
from surveys.intake.inviting import LINK, Failure, Letter, Link
from surveys.models import Survey
from surveys.pages import form_page, posting, reading
from surveys.refused import Refused

State = Survey.State


class CountForm(forms.Form):
    def __init__(self, survey: Survey, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        why = _("At least %(least)s: among fewer, having answered would say too much about a person.")
        self.fields["n"] = forms.IntegerField(
            label=_("How many?"),
            help_text=why % {"least": survey.least},
            min_value=survey.least,
            max_value=inviting.MOST,
        )


class LetterForm(forms.Form):
    # Words to other people, in the languages of the survey: no browser should translate them.
    subject = forms.CharField(
        label=gettext_lazy("Subject"), max_length=200, widget=forms.TextInput(attrs={"translate": "no"})
    )
    message = forms.CharField(
        label=gettext_lazy("Letter"),
        max_length=20_000,
        widget=forms.Textarea(attrs={"rows": 14, "translate": "no"}),
    )
    addresses = forms.CharField(
        label=gettext_lazy("Addresses"),
        max_length=20_000,
        widget=forms.Textarea(
            attrs={"rows": 8, "autocomplete": "off", "spellcheck": "false", "autocapitalize": "off"}
        ),
    )
    # How many people the whole list holds that these are a part of; the script counts them.
    whole = forms.IntegerField(required=False, min_value=0, widget=forms.HiddenInput)

    def __init__(self, survey: Survey, reminder: bool, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.survey, self.reminder = survey, reminder
        self.fields["addresses"].help_text = _("One to a line. At most %(most)s go out at once.") % {
            "most": inviting.AT_ONCE
        }
        if not (reminder and survey.invited):
            self.fields["message"].help_text = _("%(link)s stands for the address of the survey.") % {
                "link": LINK
            }

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
            raise ValidationError(
                _("Write %(link)s where the address of the survey should stand."), params={"link": LINK}
            )
        return message

    def clean_addresses(self) -> list[str]:
        found = inviting.addresses(self.cleaned_data["addresses"])
        if len(found) > inviting.AT_ONCE:
            raise ValidationError(_("At most %(most)s addresses at once."), params={"most": inviting.AT_ONCE})
        return found

    @property
    def letter(self) -> Letter:
        return Letter(self.cleaned_data["subject"], self.cleaned_data["message"], self.reminder)


def link_of(request: PersonRequest, survey: Survey) -> Link:
    """The token stands in the fragment, which no browser sends to a server."""
    address = request.build_absolute_uri(survey.address)
    return lambda token: f"{address}#{token}" if token else address


@reading
def invitations(request: PersonRequest, pk: int) -> HttpResponse:
    survey = guard(Survey.objects, request.user, pk, "invite")
    return _page(request, survey, CountForm(survey, initial={"n": survey.least}))


def _page(request: PersonRequest, survey: Survey, form: CountForm) -> HttpResponse:
    link = link_of(request, survey)("")
    context = {
        "survey": survey,
        "form": form,
        "link": link,
        "qr": posters.qr_inline(link) if survey.state == State.OPEN and not survey.invited else "",
        "can_mail": inviting.can_mail(),
    }
    return render(request, "intake/staff/invitations.html", context, status=422 if form.errors else 200)


@posting
def in_a_file(request: PersonRequest, pk: int) -> HttpResponseBase:
    survey = guard(Survey.objects, request.user, pk, "invite")
    form = CountForm(survey, request.POST)
    if not form.is_valid():
        return _page(request, survey, form)
    try:
        lines = inviting.in_a_file(
            survey, request.user, form.cleaned_data["n"], link_of(request, survey), timezone.now()
        )
    except Refused as refused:
        messages.error(request, str(refused))
        return redirect("intake-staff:invitations", survey.pk)
    response = StreamingHttpResponse(lines, content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = content_disposition_header(True, "invitations.csv") or ""
    response["Cache-Control"] = "no-store"
    return response


@sensitive_variables()
@sensitive_post_parameters()
@form_page
def by_mail(request: PersonRequest, pk: int) -> HttpResponse:
    """The browser keeps the list and posts it in parts; without a script, one page takes fifty of an open address."""
    survey = guard(Survey.objects, request.user, pk, "invite")
    reminder = request.GET.get("kind") == "reminder"
    proposed = inviting.proposal(survey, reminder=reminder)
    initial = {"subject": proposed.subject, "message": proposed.message}
    form = LetterForm(survey, reminder, request.POST if request.method == "POST" else None, initial=initial)
    failures: Sequence[Failure] = ()
    if request.method == "POST" and form.is_valid():
        try:
            failures = _sent(request, survey, form)
        except Refused as refused:
            form.add_error(None, str(refused))
    if request.headers.get("Accept") == "application/json":
        return _in_json(form, failures)
    context: dict[str, Any] = {
        "survey": survey,
        "reminder": reminder,
        "failures": failures,
        "can_mail": inviting.can_mail(),
    }
    status = 422 if form.errors else 200
    if form.is_bound and not form.errors:
        context["sent"] = _letters(len(form.cleaned_data["addresses"]) - len(failures))
        # The letter stays for the next fifty; whom it went to is forgotten.
        letter = {"subject": form.letter.subject, "message": form.letter.message}
        form = LetterForm(survey, reminder, initial=letter)
    context |= {"form": form, "at_once": inviting.AT_ONCE}
    return render(request, "intake/staff/mail.html", context, status=status)


@sensitive_variables()
def _sent(request: PersonRequest, survey: Survey, form: LetterForm) -> list[Failure]:
    if not inviting.can_mail():
        raise Refused(_("This site has no mail server."))
    to, whole = form.cleaned_data["addresses"], form.cleaned_data["whole"] or 0
    link, now = link_of(request, survey), timezone.now()
    return inviting.mail(survey, request.user, form.letter, to, whole, link, now)


def _in_json(form: LetterForm, failures: Sequence[Failure]) -> HttpResponse:
    if form.errors:
        reasons = [str(reason) for errors in form.errors.values() for reason in errors]
        return JsonResponse({"refused": " ".join(reasons)}, status=422)
    sent = len(form.cleaned_data["addresses"]) - len(failures)
    return JsonResponse({"sent": sent, "failed": [failure._asdict() for failure in failures]})


def _letters(n: int) -> str:
    return ngettext("%(n)s letter has gone out.", "%(n)s letters have gone out.", n) % {"n": n}


@reading
def qr(request: PersonRequest, pk: int) -> HttpResponse:
    survey = guard(Survey.objects, request.user, pk, "invite")
    response = HttpResponse(posters.qr_file(link_of(request, survey)("")), content_type="image/svg+xml")
    response["Content-Disposition"] = content_disposition_header(True, "qr.svg") or ""
    return response


@reading
def poster(request: PersonRequest, pk: int) -> HttpResponse:
    survey = guard(Survey.objects, request.user, pk, "invite")
    link = link_of(request, survey)("")
    context = {
        "survey": survey,
        "sheets": posters.sheets(survey),
        "link": link,
        "qr": posters.qr_inline(link),
        "minutes": drafts.number(survey.questionnaire, "minutes", 0),
        "contact": drafts.text(survey.questionnaire, "contact"),
    }
    return render(request, "intake/staff/poster.html", context)
