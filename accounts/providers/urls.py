"""URLs of the protocols that are set up, with the names that django-allauth uses."""

from django.conf import settings
from django.urls import URLPattern, path


def openid_connect_urls() -> list[URLPattern]:
    from accounts.providers import openid_views  # late for cost

    return [
        path("oidc/<slug:provider_id>/sign-in", openid_views.begin_sign_in, name="openid_connect_login"),
        path(
            "oidc/<slug:provider_id>/back", openid_views.return_from_provider, name="openid_connect_callback"
        ),
    ]


def saml_urls() -> list[URLPattern]:
    """Returns the addresses of sign-in by SAML, whether or not it is configured."""
    from accounts.providers import saml_views  # late for cost

    return [
        path("saml/<slug:organization_slug>/sign-in", saml_views.begin_sign_in, name="saml_login"),
        path("saml/<slug:organization_slug>/back", saml_views.store_saml_response, name="saml_acs"),
        path("saml/<slug:organization_slug>/finish", saml_views.finish_sign_in, name="saml_finish_acs"),
        path("saml/<slug:organization_slug>/metadata", saml_views.metadata, name="saml_metadata"),
        path("saml/<slug:organization_slug>/sign-out", saml_views.no_sign_out, name="saml_sls"),
    ]


PATTERNS = {"openid_connect": openid_connect_urls, "saml": saml_urls}
urlpatterns = [pattern for protocol in sorted(settings.SIGN_IN_PROTOCOLS) for pattern in PATTERNS[protocol]()]
