"""Addresses of the pages where researchers specify a run's models."""

from django.urls import path

from reports.pages.regression_models import specification_views

app_name = "models"
urlpatterns = [
    path("<int:pk>/models", specification_views.models_to_specify, name="of_run"),
    path("<int:pk>/models/<int:number>", specification_views.specified_model, name="model"),
    path("<int:pk>/models/<int:number>/outcome", specification_views.poll_model_result, name="outcome"),
]
