"""URLs of the respondents' pages, and of the researchers' pages about a survey's answers, which are under
/surveys/."""

from django.urls import path

from intake.endpoint import endpoint
from intake.hosted import views as hosted
from intake.invitations import field_device_views, researcher_views as invitations
from intake.pages import field_device_app, logo_and_colour_views, no_script_form, respondent_views
from intake.recordfiles import views as recordfiles
from intake.rehearsal import views as rehearsal
from intake.study_sheet import views as study_sheet

app_name = "intake"
urlpatterns = [
    path("receipt", respondent_views.receipt, name="receipt"),
    path("logo/<slug:sha256>.webp", logo_and_colour_views.logo, name="logo"),
    path("colour/<slug:name>.css", logo_and_colour_views.style_sheet, name="style-sheet"),
    path("<slug:slug>", respondent_views.survey, name="survey"),
    path("<slug:slug>/form", no_script_form.form, name="form"),
    path("<slug:slug>/field", field_device_app.app, name="field"),
    path("<slug:slug>/field-worker.js", field_device_app.service_worker, name="field-service-worker"),
    path("<slug:slug>/field/interview", field_device_app.interview, name="field-interview"),
    path(
        "<slug:slug>/field/store-worker.js",
        field_device_app.storage_worker_script,
        name="field-store-worker",
    ),
    path(
        "<slug:slug>/field/blind-worker.js",
        field_device_app.blinding_worker_script,
        name="field-blind-worker",
    ),
    path("<slug:slug>/field/app.webmanifest", field_device_app.manifest, name="field-manifest"),
    *(
        path(f"<slug:slug>/{name}", endpoint.answer_post, {"name": name}, name=name.replace("/", "-"))
        for name in endpoint.POSTS
    ),
]
INVITATIONS = [
    path("invitations", invitations.invitations, name="invitations"),
    path("invitations/file", invitations.download_invitations, name="invitation-file"),
    path("invitations/sites", invitations.save_sites, name="sites"),
    path("invitations/mail", invitations.mail_invitations, name="invitation-mail"),
    path("invitations/qr.svg", invitations.qr_code, name="qr"),
    path("invitations/poster", invitations.poster, name="poster"),
]
FIELD_DEVICES = [
    path("field", field_device_views.field_devices, name="devices"),
    path("field/make", field_device_views.make_field_device, name="make"),
    path("field/<int:device>/withdraw", field_device_views.withdraw_field_device, name="withdraw"),
]
RECORD_FILES = [path("records", recordfiles.record_file_page, name="records")]
REHEARSAL = [
    path("rehearse", rehearsal.simulate_respondents, name="rehearse"),
    path("rehearse/next", rehearsal.next_step_poll, name="next"),
    path("try", rehearsal.start_rehearsal, name="try"),
]
STUDY_SHEET = [
    path("study-sheet", study_sheet.page, name="page"),
    path("study-sheet.pdf", study_sheet.pdf, name="pdf"),
]
HOSTED = [
    path("page", hosted.page, name="page"),
    path("page/freeze", hosted.freeze, name="freeze"),
    path("page/look", hosted.look, name="look"),
    path("page.zip", hosted.download, name="download"),
]
SURVEY_PAGES = (
    (INVITATIONS, "invitations"),
    (FIELD_DEVICES, "field"),
    (RECORD_FILES, "recordfiles"),
    (REHEARSAL, "rehearsal"),
    (STUDY_SHEET, "study-sheet"),
    (HOSTED, "hosted"),
)
"""URL configurations that are included one by one: Django shares the converters of all empty prefixes, and
`pk` would be converted by the wrong one."""
