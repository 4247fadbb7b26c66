"""Lists the identity providers that the sign-in page offers."""

from typing import NamedTuple

from allauth.socialaccount.models import SocialAccount
from django.conf import settings
from django.http import HttpRequest

from accounts.models import Person


class ProviderLink(NamedTuple):
    name: str
    address: str


def links_to_confirm(request: HttpRequest, person: Person, next_path: str) -> list[ProviderLink]:
    """Returns links by which providers authenticate the person again; empty for a person who never signed in by a
    provider."""
    if not settings.SIGN_IN_PROTOCOLS or not SocialAccount.objects.filter(user=person).exists():
        return []
    return provider_links(request, next_path, auth_params="prompt=login&max_age=0")


def provider_links(request: HttpRequest, next_path: str, **options: str) -> list[ProviderLink]:
    """Returns links to all providers, those from the administration first; empty if no protocol is set up."""
    if not settings.SIGN_IN_PROTOCOLS:
        return []
    from allauth.socialaccount.adapter import get_adapter  # late for cost

    query = {"next": next_path} | options if next_path else options
    return [
        ProviderLink(provider.name, provider.get_login_url(request, **query))
        for provider in get_adapter(request).list_providers(request)
    ]
