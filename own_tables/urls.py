"""URL patterns of the pages of own tables."""

from django.urls import path

from own_tables import views

app_name = "own_tables"
urlpatterns = [
    path("", views.upload_page, name="index"),
    path("<int:pk>/", views.table_page, name="own_table"),
    path("<int:pk>/outcome", views.experiment_outcome, name="outcome"),
    path("<int:pk>/again", views.run_again, name="again"),
    path("<int:pk>/delete", views.delete_table, name="delete"),
    path("<int:pk>/files/<str:name>", views.download_file, name="download"),
]
