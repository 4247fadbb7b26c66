"""Pages on which people manage their own tokens and webhooks."""

from datetime import timedelta

from django import forms
from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _, gettext_lazy

from accounts.permission import PersonRequest, get_permitted, needs_recent_proof
from api import tokens as token_service
from api.models import Delivery, EventKind, Scope, Token, Webhook
from api.webhooks import outbox
from surveys.questionnaire.problems_and_refusals import NotAllowed
from surveys.signed_in_view import form_page, posting, reading, refusal_as_message

DELIVERIES = 25
DAYS = [
    (30, gettext_lazy("30 days")),
    (90, gettext_lazy("90 days")),
    (365, gettext_lazy("a year")),
]


class TokenForm(forms.Form):
    name = forms.CharField(
        label=gettext_lazy("Name"), max_length=60, help_text=gettext_lazy("The program that will use it.")
    )
    scopes = forms.MultipleChoiceField(
        label=gettext_lazy("What it may be used for"),
        choices=Scope.choices,
        widget=forms.CheckboxSelectMultiple,
        help_text=gettext_lazy("Never more than you may do yourself."),
    )
    days = forms.TypedChoiceField(
        label=gettext_lazy("Valid for"), choices=DAYS, coerce=int, initial=90, widget=forms.RadioSelect
    )


@reading
def tokens_page(request: PersonRequest) -> HttpResponse:
    usable = token_service.list_usable_tokens_ending_outdated(request.user, timezone.now())
    return render(request, "api/tokens.html", {"tokens": usable})


@form_page
@needs_recent_proof
def new_token(request: PersonRequest) -> HttpResponse:
    """View: creates a token. The response to its form is the only page that ever shows the secret."""
    form, now = TokenForm(request.POST if request.method == "POST" else None), timezone.now()
    if request.method == "POST" and form.is_valid():
        scopes = [Scope(scope) for scope in form.cleaned_data["scopes"]]
        expires = now + timedelta(days=form.cleaned_data["days"])
        try:
            token, secret = token_service.create_token(
                request.user, form.cleaned_data["name"], scopes, expires, now
            )
        except NotAllowed as refusal:
            form.add_error(None, str(refusal))
        else:
            return render(request, "api/token.html", {"token": token, "secret": secret})
    return render(request, "api/token-new.html", {"form": form})


@posting
def end_token(request: PersonRequest, pk: int) -> HttpResponse:
    token = get_permitted(Token.objects, request.user, pk, "end")
    token_service.end_token(token, request.user, timezone.now())
    messages.success(request, _("The token is ended."))
    return redirect("api:tokens")


# --- webhooks ---


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
def webhooks_page(request: PersonRequest) -> HttpResponse:
    return render(request, "api/webhooks.html", {"webhooks": Webhook.objects.visible_to(request.user)})


@form_page
@needs_recent_proof
def new_webhook(request: PersonRequest) -> HttpResponse:
    """View: creates a webhook. The response to its form is the only page that ever shows the secret."""
    form = WebhookForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        events = [EventKind(event) for event in form.cleaned_data["events"]]
        try:
            webhook = outbox.add_webhook(request.user, form.cleaned_data["address"], events, timezone.now())
            return render(request, "api/webhook-secret.html", {"webhook": webhook})
        except NotAllowed as refusal:
            form.add_error("address", str(refusal))
    return render(request, "api/webhook-new.html", {"form": form})


@reading
def webhook_page(request: PersonRequest, pk: int) -> HttpResponse:
    webhook = get_permitted(Webhook.objects, request.user, pk)
    page = Paginator(webhook.deliveries.select_related("event"), DELIVERIES).get_page(request.GET.get("page"))
    return render(request, "api/webhook.html", {"webhook": webhook, "page_obj": page})


@posting
def end_webhook(request: PersonRequest, pk: int) -> HttpResponse:
    outbox.delete_webhook(
        get_permitted(Webhook.objects, request.user, pk, "end"), request.user, timezone.now()
    )
    messages.success(request, _("The webhook is ended: nothing is sent to it from now on."))
    return redirect("api:webhooks")


@posting
def send_test(request: PersonRequest, pk: int) -> HttpResponse:
    webhook = get_permitted(Webhook.objects, request.user, pk, "test")
    with refusal_as_message(request):
        outbox.enqueue_test_event(webhook, timezone.now())
    return redirect(webhook)


@posting
def send_again(request: PersonRequest, pk: int) -> HttpResponse:
    delivery = get_permitted(Delivery.objects.select_related("webhook"), request.user, pk, "send")
    with refusal_as_message(request):
        outbox.make_delivery_due(delivery, timezone.now())
    return redirect(delivery.webhook)
