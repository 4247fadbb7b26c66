"""The researcher's pages of this room; they stand under /surveys/, beside the others about a survey."""

from django.urls import path

from surveys.intake import invitation_views, record_views, rehearsal_views

app_name = "intake-staff"
urlpatterns = [
    path("<int:pk>/invitations", invitation_views.invitations, name="invitations"),
    path("<int:pk>/invitations/file", invitation_views.in_a_file, name="invitation-file"),
    path("<int:pk>/invitations/mail", invitation_views.by_mail, name="invitation-mail"),
    path("<int:pk>/invitations/qr.svg", invitation_views.qr, name="qr"),
    path("<int:pk>/invitations/poster", invitation_views.poster, name="poster"),
    path("<int:pk>/rehearse", rehearsal_views.rehearse, name="rehearse"),
    path("<int:pk>/records", record_views.records, name="records"),
]
