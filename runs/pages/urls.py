"""Addresses of runs: the list belongs to its survey, a run has its own."""

from django.urls import path

from runs.pages import margin_views, views

app_name = "runs"
urlpatterns = [
    path("surveys/<int:pk>/runs", views.runs, name="runs"),
    path("surveys/<int:pk>/runs/forecast", views.forecast, name="forecast"),
    path("surveys/<int:pk>/margins", margin_views.margins, name="margins"),
    path("runs/<int:pk>/", views.run, name="run"),
    path("runs/<int:pk>/outcome", views.outcome, name="outcome"),
    path("runs/<int:pk>/repeat", views.repeat, name="repeat"),
    path("runs/<int:pk>/check", views.check, name="check"),
    path("runs/<int:pk>/compare", views.compare, name="compare"),
]
