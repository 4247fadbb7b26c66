"""Pages of one's own webhooks: add one, see its deliveries, test it, end it."""

from django import forms
from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _, gettext_lazy

from accounts.permission import PersonRequest, guard, needs_proof
from api.models import Delivery, EventKind, Webhook
from api.webhooks import outbox
from surveys.pages import form_page, posting, reading
from surveys.questionnaire.problems import NotAllowed

ROWS = 25


class WebhookForm(forms.Form):
    address = forms.CharField(
        label=gettext_lazy("Address"),
        max_length=500,
        widget=forms.URLInput,
        help_text=gettext_lazy("Where your program listens, such as https://example.org/candor."),
    )
    events = forms.MultipleChoiceField(
        label=gettext_lazy("Events"),
        choices=[(kind.value, kind.label) for kind in EventKind if kind != EventKind.TEST],
        widget=forms.CheckboxSelectMultiple,
        help_text=gettext_lazy("Only of surveys and releases that you may see when it is sent."),
    )


@reading
def index(request: PersonRequest) -> HttpResponse:
    return render(request, "api/webhooks.html", {"webhooks": Webhook.objects.visible_to(request.user)})


@form_page
@needs_proof
def new(request: PersonRequest) -> HttpResponse:
    """The response to the form is the only page that ever shows the secret."""
    form = WebhookForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        events = [EventKind(event) for event in form.cleaned_data["events"]]
        try:
            webhook = outbox.add(request.user, form.cleaned_data["address"], events, timezone.now())
            return render(request, "api/webhook-secret.html", {"webhook": webhook})
        except NotAllowed as refusal:
            form.add_error("address", str(refusal))
    return render(request, "api/webhook-new.html", {"form": form})


@reading
def webhook(request: PersonRequest, pk: int) -> HttpResponse:
    webhook = guard(Webhook.objects, request.user, pk)
    page = Paginator(webhook.deliveries.select_related("event"), ROWS).get_page(request.GET.get("page"))
    return render(request, "api/webhook.html", {"webhook": webhook, "page_obj": page})


@posting
def end(request: PersonRequest, pk: int) -> HttpResponse:
    outbox.end(guard(Webhook.objects, request.user, pk, "end"), request.user, timezone.now())
    messages.success(request, _("The webhook is ended: nothing is sent to it from now on."))
    return redirect("api:webhooks")


@posting
def send_test(request: PersonRequest, pk: int) -> HttpResponse:
    webhook = guard(Webhook.objects, request.user, pk, "test")
    try:
        outbox.send_test(webhook, timezone.now())
    except NotAllowed as refusal:
        messages.error(request, str(refusal))
    return redirect(webhook)


@posting
def send_again(request: PersonRequest, pk: int) -> HttpResponse:
    delivery = guard(Delivery.objects.select_related("webhook"), request.user, pk, "send")
    try:
        outbox.send_again(delivery, timezone.now())
    except NotAllowed as refusal:
        messages.error(request, str(refusal))
    return redirect(delivery.webhook)
