"""The addresses of providers that are set up; django-allauth asks for them by these names."""

from django.conf import settings
from django.urls import URLPattern, path

urlpatterns: list[URLPattern] = []

if "openid_connect" in settings.SIGN_IN_PROTOCOLS:
    from people.providers import openid

    urlpatterns += [
        path("oidc/<slug:provider_id>/sign-in", openid.sign_in, name="openid_connect_login"),
        path("oidc/<slug:provider_id>/back", openid.back, name="openid_connect_callback"),
    ]
