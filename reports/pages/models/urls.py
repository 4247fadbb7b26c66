"""Addresses of the pages where researchers specify a run's models."""

from django.urls import path

from reports.pages.models import specify_views

app_name = "models"
urlpatterns = [
    path("<int:pk>/models", specify_views.models_to_specify, name="of_run"),
    path("<int:pk>/models/<int:number>", specify_views.specified_model, name="model"),
    path("<int:pk>/models/<int:number>/outcome", specify_views.model_outcome, name="outcome"),
]
