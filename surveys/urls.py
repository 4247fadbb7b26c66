from django.urls import path

from surveys import views
from surveys.lifecycle import life_views
from surveys.study import hypotheses_views

app_name = "surveys"
urlpatterns = [
    path("", views.index, name="index"),
    path("new", views.new, name="new"),
    path("review", life_views.queue, name="queue"),
    path("<int:pk>/", views.overview, name="survey"),
    path("<int:pk>/hypotheses", hypotheses_views.hypotheses, name="hypotheses"),
    path("<int:pk>/hypotheses/plan.json", hypotheses_views.plan_file, name="plan"),
    path("<int:pk>/settings", views.settings, name="settings"),
    path("<int:pk>/people", views.people, name="people"),
    path("<int:pk>/people/<int:person>", views.collaborator, name="collaborator"),
    path("<int:pk>/history", views.history, name="history"),
    path("<int:pk>/open", life_views.open_survey, name="open"),
    path("<int:pk>/open/withdraw", life_views.unschedule, name="unschedule"),
    path("<int:pk>/close", life_views.close, name="close"),
    path("<int:pk>/reopen", life_views.reopen, name="reopen"),
    path("<int:pk>/pause", life_views.pause, name="pause"),
    path("<int:pk>/resume", life_views.resume, name="resume"),
    path("<int:pk>/finish", life_views.finish, name="finish"),
    path("<int:pk>/destroy", life_views.destroy, name="destroy"),
    path("<int:pk>/duplicate", life_views.duplicate, name="duplicate"),
    path("<int:pk>/ask", life_views.ask, name="ask"),
    path("<int:pk>/review", life_views.decide, name="review"),
]
