from django.conf import settings
from django.contrib import admin
from django.urls import include, path

from builder.urls import plan_urls
from intake.urls import SURVEY_PAGES
from ui.cookie_and_log_paths import APP, PUBLIC, RESPONDENTS

pages = [
    path("account/", include("accounts.urls")),
    path("jobs/", include("jobs.urls")),
    path("surveys/", include("surveys.urls")),
    path("surveys/new/", include(plan_urls)),
    path("surveys/<int:pk>/", include("builder.urls")),
    path("surveys/", include("importing.urls")),
    *(path("surveys/<int:pk>/", include(survey_pages)) for survey_pages in SURVEY_PAGES),
    path("", include("runs.pages.urls")),
    path("reports/", include("reports.urls")),
    path("reports/", include("deposits.urls")),
    path("runs/", include("reports.pages.regression_models.urls")),
    path("", include("releases.urls")),
    path("documents/", include("papers.urls")),
    path("surveys/own-tables/", include("own_tables.urls")),
    path("admin/", admin.site.urls),
]
if settings.SIGN_IN_PROTOCOLS:
    pages.append(path("account/", include("accounts.providers.urls")))
# /healthz and the address of a record are answered before these: config.health and intake.endpoint.endpoint.
urlpatterns = [
    path(f"{APP.removeprefix('/')}/", include(pages)),
    path(RESPONDENTS.removeprefix("/"), include("intake.urls")),
    path(RESPONDENTS.removeprefix("/"), include("proof.urls")),
    path(PUBLIC.removeprefix("/"), include("reports.pages.public.urls")),
    path("", include("api.urls")),
    path("", include("ui.urls")),
]
handler400 = "ui.errors.bad_request"
handler403 = "ui.errors.permission_denied"
handler404 = "ui.errors.not_found"
handler500 = "config.server_error_handler.server_error"
