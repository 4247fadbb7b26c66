from django.urls import path

from jobs import views

app_name = "jobs"
urlpatterns = [
    path("", views.background_jobs_page, name="background"),
    path("<str:label>/<str:pk>/progress", views.progress, name="progress"),
    path("<str:label>/<str:pk>/cancel", views.cancel, name="cancel"),
]
