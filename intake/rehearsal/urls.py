"""Pages of the researcher's side; they stand under /surveys/, beside the others about a survey."""

from django.urls import path

from intake.rehearsal import views

app_name = "rehearsal"
urlpatterns = [
    path("<int:pk>/rehearse", views.rehearse, name="rehearse"),
]
