from django.contrib.auth import views
from django.urls import path

app_name = "people"
urlpatterns = [path("sign-in", views.LoginView.as_view(), name="sign-in")]
