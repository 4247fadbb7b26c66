from django.urls import path

from ui import views

app_name = "ui"
urlpatterns = [
    path("", views.visitors_home, name="home"),
    path("account/home", views.signed_in_home, name="signed-in-home"),
    path("method", views.method_page, name="method"),
    path("limits", views.limits_page, name="limits"),
    path("styleguide/", views.styleguide, name="styleguide"),
]
