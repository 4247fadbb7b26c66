from django.urls import path

from builder.pages import (
    appearance_views,
    copying_views,
    language_views,
    preview_views,
    protection_views,
    study_views,
    views,
)

app_name = "builder"
urlpatterns = [
    path("edit", views.edit, name="edit"),
    path("edit/save", views.save, name="edit-save"),
    path("edit/number", views.live_results, name="edit-number"),
    path("edit/act", views.act, name="edit-act"),
    path("edit/copy", copying_views.copy, name="edit-copy"),
    path("edit/protection", protection_views.protection, name="protection"),
    path("edit/protection/live", protection_views.live, name="protection-live"),
    path("edit/protection/save", protection_views.save_protection, name="protection-save"),
    path("edit/study", study_views.study, name="study"),
    path("edit/study/save", study_views.save_study, name="study-save"),
    path("edit/appearance", appearance_views.appearance, name="appearance"),
    path("edit/appearance/act", appearance_views.act, name="appearance-act"),
    path("edit/study/rounds", study_views.ask_in_rounds, name="study-rounds"),
    path("edit/translations", language_views.translations, name="translations"),
    path("edit/translations/save", language_views.save_words, name="translations-save"),
    path("edit/translations/phrase", language_views.save_phrase, name="translations-phrase"),
    path("edit/translations/act", language_views.act_on_languages, name="translations-act"),
    path("preview", preview_views.preview, name="preview"),
    path("preview/page", preview_views.preview_page, name="preview-page"),
]
