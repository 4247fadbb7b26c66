"""Pages of the researcher's side; they stand under /surveys/, beside the others about a survey."""

from django.urls import path

from intake.invitations import views

app_name = "invitations"
urlpatterns = [
    path("<int:pk>/invitations", views.invitations, name="invitations"),
    path("<int:pk>/invitations/file", views.in_a_file, name="invitation-file"),
    path("<int:pk>/invitations/mail", views.by_mail, name="invitation-mail"),
    path("<int:pk>/invitations/qr.svg", views.qr, name="qr"),
    path("<int:pk>/invitations/poster", views.poster, name="poster"),
]
