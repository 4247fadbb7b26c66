"""Pages of the researcher's side; they stand under /surveys/, beside the others about a survey."""

from django.urls import path

from intake.recordfiles import views

app_name = "recordfiles"
urlpatterns = [
    path("<int:pk>/records", views.records, name="records"),
]
