"""Addresses of releases: a survey's list belongs to the survey, a release has its own pages."""

from django.urls import path

from releases.pages import (
    attack_views,
    comparing_views,
    configuring_views,
    deciding_views,
    table_views,
    upload_views,
    views,
)

app_name = "releases"
urlpatterns = [
    path("surveys/<int:pk>/releases", views.of_survey, name="of_survey"),
    path("releases/", views.index, name="index"),
    path("releases/new", upload_views.new, name="new"),
    path("releases/<int:pk>/", views.release, name="release"),
    path("releases/<int:pk>/outcome", views.outcome, name="outcome"),
    path("releases/<int:pk>/reading", upload_views.reading, name="reading"),
    path("releases/<int:pk>/columns", configuring_views.columns, name="columns"),
    path("releases/<int:pk>/columns/<int:number>", configuring_views.column, name="column"),
    path("releases/<int:pk>/columns/<int:number>/move", configuring_views.move, name="move"),
    path("releases/<int:pk>/criteria", configuring_views.criteria, name="criteria"),
    path("releases/<int:pk>/start", views.start, name="start"),
    path("releases/<int:pk>/stop", views.stop, name="stop"),
    path("releases/<int:pk>/compare", comparing_views.compare, name="compare"),
    path("releases/<int:pk>/compared", comparing_views.compared, name="compared"),
    path("releases/<int:pk>/table", table_views.table, name="table"),
    path("releases/<int:pk>/report", views.report, name="report"),
    path("releases/<int:pk>/attacks", attack_views.attacks, name="attacks"),
    path("releases/<int:pk>/attacked", attack_views.attacked, name="attacked"),
    path("releases/<int:pk>/files", views.download, name="download"),
    path("releases/<int:pk>/approve", deciding_views.approve, name="approve"),
    path("releases/<int:pk>/refuse", deciding_views.refuse, name="refuse"),
    path("releases/<int:pk>/withdraw", deciding_views.withdraw, name="withdraw"),
    path("releases/<int:pk>/discard", deciding_views.discard, name="discard"),
]
