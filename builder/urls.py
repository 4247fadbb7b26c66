"""URLs of the builder: the pages that edit a draft, and the planning page."""

from django.urls import path

from builder.pages import (
    appearance,
    planning_page,
    preview,
    protection,
    questionnaire_views,
    quotas,
    section_copy,
    study_settings,
    translations,
)

app_name = "builder"
urlpatterns = [
    path("edit", questionnaire_views.show_questionnaire_editor, name="edit"),
    path("edit/save", questionnaire_views.save_question_or_part, name="edit-save"),
    path("edit/number", questionnaire_views.preview_unsaved_results, name="edit-number"),
    path("edit/act", questionnaire_views.run_questionnaire_command, name="edit-act"),
    path("edit/copy", section_copy.copy_section_from_survey, name="edit-copy"),
    path("edit/protection", protection.show_protection, name="protection"),
    path("edit/protection/live", protection.preview_unsaved_protection, name="protection-live"),
    path("edit/protection/save", protection.save_protection, name="protection-save"),
    path("edit/study", study_settings.show_study_page, name="study"),
    path("edit/study/save", study_settings.save_study_part, name="study-save"),
    path("edit/appearance", appearance.show_appearance, name="appearance"),
    path("edit/appearance/act", appearance.change_appearance, name="appearance-act"),
    path("edit/quotas", quotas.show_quotas, name="quotas"),
    path("edit/quotas/act", quotas.change_quotas, name="quotas-act"),
    path("edit/study/rounds", study_settings.compare_or_create_rounds, name="study-rounds"),
    path("edit/translations", translations.show_translations, name="translations"),
    path("edit/translations/save", translations.save_translation, name="translations-save"),
    path("edit/translations/phrase", translations.save_phrase_translation, name="translations-phrase"),
    path("edit/translations/act", translations.change_languages, name="translations-act"),
    path("preview", preview.show_preview, name="preview"),
    path("preview/page", preview.show_framed_preview, name="preview-page"),
]
plan_urls = ([path("plan", planning_page.planning_page, name="plan")], "planning")
