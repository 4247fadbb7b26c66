"""URLs of importing and exporting questionnaires."""

from django.urls import path

from importing import export_views as format_views, import_views, logo_views, place_cells_views
from importing.ready_questionnaires import views as starting_views
from importing.translations import views as translation_views

app_name = "importing"
urlpatterns = [
    path("new/start", starting_views.start_from_ready_questionnaire, name="start"),
    path("import", import_views.import_questionnaire, name="import"),
    path("import/accept", import_views.accept, name="import-accept"),
    path("<int:pk>/edit/cells", place_cells_views.edit_cells, name="edit-cells"),
    path("<int:pk>/edit/logo", logo_views.upload_logo, name="edit-logo"),
    path("<int:pk>/edit/translations/download", translation_views.download, name="translations-download"),
    path("<int:pk>/edit/translations/import", translation_views.upload, name="translations-import"),
    path(
        "<int:pk>/edit/translations/accept", translation_views.apply_translations, name="translations-accept"
    ),
    path("<int:pk>/export", format_views.show_export_page, name="export"),
    path("<int:pk>/export/questionnaire.<slug:kind>", format_views.export_file, name="export-file"),
]
