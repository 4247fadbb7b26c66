"""The researchers' page of field devices: set-up links, the list, and withdrawing a device."""

from typing import Any

from django import forms
from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext_lazy

from accounts.permission import PersonRequest, get_permitted
from intake.field_devices import devices
from intake.field_devices.models import LONGEST_LABEL, MOST_PEOPLE
from intake.invitations.researcher_views import inline_qr_code, invitation_link_builder
from surveys.lifecycle import field_device_keys
from surveys.models import Survey
from surveys.questionnaire.problems_and_refusals import NotAllowed
from surveys.signed_in_view import form_page, posting, reading, refusal_as_message


class FieldDeviceForm(forms.Form):
    label = forms.CharField(
        label=gettext_lazy("Label"),
        help_text=gettext_lazy("Such as “Tablet 3”. Name no person."),
        max_length=LONGEST_LABEL,
    )
    people = forms.IntegerField(
        label=gettext_lazy("How many people may it ask?"), min_value=1, max_value=MOST_PEOPLE, initial=50
    )


@reading
def field_devices(request: PersonRequest, pk: int) -> HttpResponse:
    survey = get_permitted(Survey.objects, request.user, pk, "invite")
    return _field_page(request, survey, FieldDeviceForm())


@posting
def make_field_device(request: PersonRequest, pk: int) -> HttpResponse:
    """View: makes a device and shows its set-up link; only this response, which no browser stores, contains
    the link."""
    survey = get_permitted(Survey.objects, request.user, pk, "invite")
    form = FieldDeviceForm(request.POST)
    if not form.is_valid():
        return _field_page(request, survey, form)
    label, people = form.cleaned_data["label"], form.cleaned_data["people"]
    try:
        ticket = devices.make_device_and_ticket(survey, request.user, label, people, timezone.now())
    except NotAllowed as refused:
        messages.error(request, str(refused))
        return redirect("field:devices", survey.pk)
    link = f"{invitation_link_builder(survey)('')}/field#{ticket}"
    context = {"survey": survey, "label": label, "link": link, "ticket": ticket, "qr": inline_qr_code(link)}
    response = render(request, "intake/invitations/field-link.html", context)
    response["Cache-Control"] = "no-store"
    return response


@form_page
def withdraw_field_device(request: PersonRequest, pk: int, device: int) -> HttpResponse:
    """View: withdraws a device. The confirmation page says which records it can still send."""
    survey = get_permitted(Survey.objects, request.user, pk, "invite")
    rows = {row.device.pk: row for row in devices.list_devices(survey)}
    if device not in rows:
        raise Http404
    if request.method != "POST":
        context = {"survey": survey, "row": rows[device]}
        return render(request, "intake/invitations/field-withdraw.html", context)
    with refusal_as_message(request):
        devices.withdraw_device(survey, request.user, device, timezone.now())
    return redirect("field:devices", survey.pk)


def _field_page(request: PersonRequest, survey: Survey, form: FieldDeviceForm) -> HttpResponse:
    obstacle = devices.set_up_obstacle(survey)
    context: dict[str, Any] = {
        "survey": survey,
        "form": None if obstacle else form,
        "is_chosen": field_device_keys.has_field_devices(survey.questionnaire),
        "obstacle": obstacle,
        "devices": devices.list_devices(survey),
    }
    return render(
        request, "intake/invitations/field-devices.html", context, status=422 if form.errors else 200
    )
