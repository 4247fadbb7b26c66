from django.urls import URLPattern

app_name = "mining"
urlpatterns: list[URLPattern] = []
