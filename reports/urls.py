from django.urls import path

from reports.exports import views as export_views
from reports.pages import picture_views, place_views, print_and_sharing_views, reader_views
from reports.pages.regression_models import reading_and_decision_views

app_name = "reports"
urlpatterns = [
    path("", reader_views.index, name="index"),
    path("<int:pk>/", reader_views.shares, name="shares"),
    path("<int:pk>/study", reader_views.study, name="study"),
    path("<int:pk>/study/waves.csv", reader_views.waves_csv, name="waves_csv"),
    path("<int:pk>/numbers", reader_views.numbers, name="numbers"),
    path("<int:pk>/places", place_views.places, name="places"),
    path("<int:pk>/groups", reader_views.groups, name="groups"),
    path("<int:pk>/itemsets", reader_views.itemsets, name="itemsets"),
    path("<int:pk>/rules", reader_views.rules, name="rules"),
    path("<int:pk>/rules/<int:number>", reader_views.rule, name="rule"),
    path("<int:pk>/models", reading_and_decision_views.report_models, name="models"),
    path("<int:pk>/pictures", reader_views.pictures, name="pictures"),
    path("<int:pk>/pictures/<str:name>.svg", picture_views.picture_svg, name="picture"),
    path("<int:pk>/pictures/<str:name>.csv", picture_views.picture_csv, name="picture_csv"),
    path("<int:pk>/maps/<str:name>.svg", place_views.map_svg, name="map_svg"),
    path("<int:pk>/maps/<str:name>.csv", place_views.map_csv, name="map_csv"),
    path("<int:pk>/files", export_views.files_page, name="exports"),
    path("<int:pk>/files/<str:kind>", export_views.download_file, name="download"),
    path("<int:pk>/print", print_and_sharing_views.print_page, name="print"),
    path("<int:pk>/print.pdf", print_and_sharing_views.pdf, name="pdf"),
    path("<int:pk>/public/open", print_and_sharing_views.open_public_page, name="open_public"),
    path("<int:pk>/public/close", print_and_sharing_views.close_public_page, name="close_public"),
]
