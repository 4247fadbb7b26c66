"""The addresses of the protocols that are set up; django-allauth asks for them by these names."""

from django.conf import settings
from django.urls import URLPattern, path


def openid_connect() -> list[URLPattern]:
    from accounts.providers import openid  # late for cost

    return [
        path("oidc/<slug:provider_id>/sign-in", openid.sign_in, name="openid_connect_login"),
        path("oidc/<slug:provider_id>/back", openid.back, name="openid_connect_callback"),
    ]


def saml() -> list[URLPattern]:
    from accounts.providers import saml  # late for cost

    return [
        path("saml/<slug:organization_slug>/sign-in", saml.sign_in, name="saml_login"),
        path("saml/<slug:organization_slug>/back", saml.back, name="saml_acs"),
        path("saml/<slug:organization_slug>/finish", saml.finish, name="saml_finish_acs"),
        path("saml/<slug:organization_slug>/metadata", saml.metadata, name="saml_metadata"),
        path("saml/<slug:organization_slug>/sign-out", saml.no_sign_out, name="saml_sls"),
    ]


PATTERNS = {"openid_connect": openid_connect, "saml": saml}
urlpatterns = [pattern for protocol in sorted(settings.SIGN_IN_PROTOCOLS) for pattern in PATTERNS[protocol]()]
