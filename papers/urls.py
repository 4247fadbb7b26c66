"""URL patterns of the pages of the documents."""

from django.urls import path

from papers import views

app_name = "papers"
urlpatterns = [
    path("", views.documents, name="documents"),
    path("<slug:name>", views.document, name="document"),
    path("<slug:name>/<str:version>", views.document, name="document_version"),
]
