"""The product's addresses where OpenID Connect is set up."""

from django.urls import include, path

from config.urls import handler400, handler403, handler404, handler500, urlpatterns as product

__all__ = ["handler400", "handler403", "handler404", "handler500"]
urlpatterns = [*product, path("account/", include("people.providers.urls"))]
