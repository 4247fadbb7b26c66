"""The addresses of OpenID Connect, served where it is set up; django-allauth asks for them by these names."""

from django.urls import path

from people.providers import openid

urlpatterns = [
    path("oidc/<slug:provider_id>/sign-in", openid.sign_in, name="openid_connect_login"),
    path("oidc/<slug:provider_id>/back", openid.back, name="openid_connect_callback"),
]
