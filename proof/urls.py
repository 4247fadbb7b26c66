"""URL patterns of the pages about the last proof of a survey."""

from django.urls import path

from proof import views

app_name = "proof"
urlpatterns = [
    path("<slug:slug>/proof", views.proof_page, name="page"),
    path("<slug:slug>/proof.json", views.proof_json, name="json"),
    path("<slug:slug>/proof.md", views.proof_markdown, name="markdown"),
]
