"""The product's addresses where every protocol is set up."""

from django.urls import include, path

from accounts.providers import urls
from config.urls import handler400, handler403, handler404, handler500, urlpatterns as product

__all__ = ["handler400", "handler403", "handler404", "handler500"]
urlpatterns = [path("app/account/", include([*urls.openid_connect_urls(), *urls.saml_urls()])), *product]
