"""The pages of one's webhooks: add one, see its deliveries, test it, end it."""

from django import forms
from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _, gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from api.models import Delivery, EventKind, Webhook
from api.webhooks import registry
from people.permission import PersonRequest, guard, needs_proof, signed_in
from surveys.not_allowed import NotAllowed

ROWS = 25
EVENTS = [(kind.value, kind.label) for kind in EventKind if kind != EventKind.TEST]


class WebhookForm(forms.Form):
    address = forms.CharField(
        label=gettext_lazy("Address"),
        max_length=500,
        widget=forms.URLInput,
        help_text=gettext_lazy("Where your program listens, such as https://example.org/candor."),
    )
    events = forms.MultipleChoiceField(
        label=gettext_lazy("Events"),
        choices=EVENTS,
        widget=forms.CheckboxSelectMultiple,
        help_text=gettext_lazy("Only of surveys and releases that you may see when it is sent."),
    )


@never_cache
@require_safe
@signed_in
def index(request: PersonRequest) -> HttpResponse:
    return render(request, "api/webhooks.html", {"webhooks": Webhook.objects.visible_to(request.user)})


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
@needs_proof
def new(request: PersonRequest) -> HttpResponse:
    """The response to the form is the only page that ever shows the secret."""
    form = WebhookForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        events = [EventKind(event) for event in form.cleaned_data["events"]]
        try:
            webhook = registry.add(request.user, form.cleaned_data["address"], events, timezone.now())
        except NotAllowed as refused:
            form.add_error("address", str(refused))
        else:
            return render(request, "api/webhook-secret.html", {"webhook": webhook})
    return render(request, "api/webhook-new.html", {"form": form})


@never_cache
@require_safe
@signed_in
def webhook(request: PersonRequest, pk: int) -> HttpResponse:
    webhook = guard(Webhook.objects, request.user, pk)
    rows = webhook.deliveries.select_related("event")
    page = Paginator(rows, ROWS).get_page(request.GET.get("page"))
    return render(request, "api/webhook.html", {"webhook": webhook, "page_obj": page})


@never_cache
@require_POST
@signed_in
def end(request: PersonRequest, pk: int) -> HttpResponse:
    registry.end(guard(Webhook.objects, request.user, pk, "end"), request.user, timezone.now())
    messages.success(request, _("The webhook is ended: nothing is sent to it from now on."))
    return redirect("api:webhooks")


@never_cache
@require_POST
@signed_in
def send_test(request: PersonRequest, pk: int) -> HttpResponse:
    webhook = guard(Webhook.objects, request.user, pk, "test")
    try:
        registry.send_test(webhook, timezone.now())
    except NotAllowed as refused:
        messages.error(request, str(refused))
    return redirect(webhook)


@never_cache
@require_POST
@signed_in
def send_again(request: PersonRequest, pk: int) -> HttpResponse:
    delivery = guard(Delivery.objects.select_related("webhook"), request.user, pk, "send")
    try:
        registry.send_again(delivery, timezone.now())
    except NotAllowed as refused:
        messages.error(request, str(refused))
    return redirect(delivery.webhook)
