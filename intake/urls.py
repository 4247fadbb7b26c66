from django.urls import path

from intake.endpoint import endpoint
from intake.pages import form_page, pages

app_name = "intake"
urlpatterns = [
    path("receipt", pages.receipt, name="receipt"),
    path("<slug:slug>", pages.survey, name="survey"),
    path("<slug:slug>/form", form_page.form, name="form"),
    path("<slug:slug>/record", endpoint.record, name="record"),
]
