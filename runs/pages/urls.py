"""URLs of runs: the list of a survey's runs is below the survey's address, a run has its own pages."""

from django.urls import path

from runs.pages import margin_views, run_views

app_name = "runs"
urlpatterns = [
    path("surveys/<int:pk>/runs", run_views.runs, name="runs"),
    path("surveys/<int:pk>/runs/forecast", run_views.forecast, name="forecast"),
    path("surveys/<int:pk>/margins", margin_views.margins, name="margins"),
    path("runs/<int:pk>/", run_views.run, name="run"),
    path("runs/<int:pk>/outcome", run_views.poll_run_result, name="outcome"),
    path("runs/<int:pk>/repeat", run_views.repeat, name="repeat"),
    path("runs/<int:pk>/check", run_views.check, name="check"),
    path("runs/<int:pk>/compare", run_views.compare_runs, name="compare"),
]
