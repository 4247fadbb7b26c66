"""Addresses of the public page, and of the picture that older links to it name."""

from django.urls import path

from reports.pages.public import public_views

app_name = "public"
urlpatterns = [
    path("<str:token>", public_views.public_page, name="page"),
    path("<str:token>/card.png", public_views.link_picture, name="link-picture"),
]
