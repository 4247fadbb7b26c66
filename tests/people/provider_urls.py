"""The product's addresses where every protocol is set up."""

from django.urls import include, path

from config.urls import handler400, handler403, handler404, handler500, urlpatterns as product
from people.providers import urls

__all__ = ["handler400", "handler403", "handler404", "handler500"]
urlpatterns = [*product, path("account/", include([*urls.openid_connect(), *urls.saml()]))]
