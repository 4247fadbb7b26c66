"""URLs of releases: a survey's list is below the survey, a release has its own pages."""

from django.urls import path

from releases.pages import (
    attack_views,
    before_after_table_views,
    decision_views,
    method_comparison_views,
    release_views,
    specification_views,
    upload_views,
)

app_name = "releases"
urlpatterns = [
    path("surveys/<int:pk>/releases", release_views.survey_releases, name="of_survey"),
    path("releases/", release_views.index, name="index"),
    path("releases/new", upload_views.new_upload, name="new"),
    path("releases/<int:pk>/", release_views.release, name="release"),
    path("releases/<int:pk>/outcome", release_views.poll_release_state, name="outcome"),
    path("releases/<int:pk>/reading", upload_views.confirm_reading, name="reading"),
    path("releases/<int:pk>/columns", specification_views.columns, name="columns"),
    path("releases/<int:pk>/columns/<int:number>", specification_views.column, name="column"),
    path("releases/<int:pk>/columns/<int:number>/move", specification_views.move_order_value, name="move"),
    path("releases/<int:pk>/criteria", specification_views.criteria, name="criteria"),
    path("releases/<int:pk>/start", release_views.start, name="start"),
    path("releases/<int:pk>/stop", release_views.stop, name="stop"),
    path("releases/<int:pk>/compare", method_comparison_views.compare, name="compare"),
    path("releases/<int:pk>/compared", method_comparison_views.comparison_result, name="compared"),
    path("releases/<int:pk>/table", before_after_table_views.table, name="table"),
    path("releases/<int:pk>/report", release_views.report, name="report"),
    path("releases/<int:pk>/attacks", attack_views.attacks, name="attacks"),
    path("releases/<int:pk>/attacked", attack_views.last_attack_result, name="attacked"),
    path("releases/<int:pk>/files", release_views.download, name="download"),
    path("releases/<int:pk>/approve", decision_views.approve, name="approve"),
    path("releases/<int:pk>/refuse", decision_views.refuse, name="refuse"),
    path("releases/<int:pk>/withdraw", decision_views.withdraw, name="withdraw"),
    path("releases/<int:pk>/discard", decision_views.discard, name="discard"),
]
