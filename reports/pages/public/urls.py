"""Addresses of the public page and its card."""

from django.urls import path

from reports.pages.public import public_views

app_name = "public"
urlpatterns = [
    path("<str:token>", public_views.public_page, name="page"),
    path("<str:token>/card.png", public_views.card_image, name="card"),
]
