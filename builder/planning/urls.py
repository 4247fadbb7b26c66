from django.urls import path

from builder.planning import views

app_name = "planning"
urlpatterns = [path("plan", views.plan, name="plan")]
