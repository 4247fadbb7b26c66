"""URLs of the list of surveys, of a survey's own pages, and of approvals."""

from django.urls import path

from surveys import people_views, views
from surveys.lifecycle import approval_views, life_cycle_views
from surveys.study import show_hypotheses

app_name = "surveys"
urlpatterns = [
    path("", views.list_surveys, name="index"),
    path("new", views.new_survey, name="new"),
    path("new/<int:pk>", life_cycle_views.start_from_ready_made, name="new-from"),
    path("review", approval_views.approval_queue, name="queue"),
    path("<int:pk>/", views.survey_overview, name="survey"),
    path("<int:pk>/hypotheses", show_hypotheses.show_hypotheses, name="hypotheses"),
    path("<int:pk>/hypotheses/plan.json", show_hypotheses.send_plan_file, name="plan"),
    path("<int:pk>/settings", views.survey_settings, name="settings"),
    path("<int:pk>/people", people_views.survey_people_page, name="people"),
    path("<int:pk>/people/<int:person>", people_views.change_collaborator, name="collaborator"),
    path("<int:pk>/people/reviewers/<int:person>", people_views.remove_reviewer, name="reviewer"),
    path("<int:pk>/people/invitations/<int:invitation>", people_views.remove_invitation, name="invitation"),
    path("invited/<int:pk>/answer", people_views.invitation_page_for_account, name="invitation-to-me"),
    path("invited/<str:token>", people_views.invitation_page, name="invitation-link"),
    path("<int:pk>/history", views.survey_history, name="history"),
    path("<int:pk>/open", life_cycle_views.open_survey_page, name="open"),
    path("<int:pk>/open/withdraw", life_cycle_views.unschedule_opening, name="unschedule"),
    *(
        path(f"<int:pk>/{name}", life_cycle_views.confirm_state_change, {"name": name}, name=name)
        for name in life_cycle_views.STATE_CHANGES
    ),
    path("<int:pk>/destroy", life_cycle_views.destroy_survey_page, name="destroy"),
    path("<int:pk>/ready-made", life_cycle_views.mark_or_unmark_ready_made, name="ready-made"),
    path("<int:pk>/duplicate", life_cycle_views.duplicate_survey_page, name="duplicate"),
    path("<int:pk>/ask", approval_views.request_approval_page, name="ask"),
    path("<int:pk>/review", approval_views.decide_approval_page, name="review"),
]
