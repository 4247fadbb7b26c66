"""Addresses of own tables."""

from django.urls import path

from own_tables import views

app_name = "own_tables"
urlpatterns = [
    path("", views.index, name="index"),
    path("<int:pk>/", views.own_table, name="own_table"),
    path("<int:pk>/outcome", views.outcome, name="outcome"),
    path("<int:pk>/again", views.again, name="again"),
    path("<int:pk>/delete", views.delete, name="delete"),
    path("<int:pk>/files/<str:name>", views.download, name="download"),
]
