"""Addresses of the list of surveys, of a survey's own pages, and of reviews."""

from django.urls import path

from surveys import views
from surveys.lifecycle import life_views, review_views
from surveys.study import hypotheses_views

app_name = "surveys"
urlpatterns = [
    path("", views.index, name="index"),
    path("new", views.new, name="new"),
    path("review", review_views.queue, name="queue"),
    path("<int:pk>/", views.overview, name="survey"),
    path("<int:pk>/hypotheses", hypotheses_views.hypotheses, name="hypotheses"),
    path("<int:pk>/hypotheses/plan.json", hypotheses_views.plan_file, name="plan"),
    path("<int:pk>/settings", views.settings, name="settings"),
    path("<int:pk>/people", views.people, name="people"),
    path("<int:pk>/people/<int:person>", views.collaborator, name="collaborator"),
    path("<int:pk>/history", views.history, name="history"),
    path("<int:pk>/open", life_views.open_survey, name="open"),
    path("<int:pk>/open/withdraw", life_views.unschedule, name="unschedule"),
    *(
        path(f"<int:pk>/{name}", life_views.change_state, {"name": name}, name=name)
        for name in life_views.STATE_CHANGES
    ),
    path("<int:pk>/destroy", life_views.destroy, name="destroy"),
    path("<int:pk>/duplicate", life_views.duplicate, name="duplicate"),
    path("<int:pk>/ask", review_views.ask, name="ask"),
    path("<int:pk>/review", review_views.decide, name="review"),
]
