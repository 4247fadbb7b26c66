"""Addresses of the builder: the pages of a draft, and the plan before there is one."""

from django.urls import path

from builder.pages import appearance, plan, protection, questionnaire, section_copy, study, translations

app_name = "builder"
urlpatterns = [
    path("edit", questionnaire.edit, name="edit"),
    path("edit/save", questionnaire.save_question_or_part, name="edit-save"),
    path("edit/number", questionnaire.live_results, name="edit-number"),
    path("edit/act", questionnaire.act_on_questionnaire, name="edit-act"),
    path("edit/copy", section_copy.copy_from_survey, name="edit-copy"),
    path("edit/protection", protection.protection, name="protection"),
    path("edit/protection/live", protection.live_protection, name="protection-live"),
    path("edit/protection/save", protection.save_protection, name="protection-save"),
    path("edit/study", study.study, name="study"),
    path("edit/study/save", study.save_study, name="study-save"),
    path("edit/appearance", appearance.appearance, name="appearance"),
    path("edit/appearance/act", appearance.act_on_appearance, name="appearance-act"),
    path("edit/study/rounds", study.act_on_rounds, name="study-rounds"),
    path("edit/translations", translations.translations, name="translations"),
    path("edit/translations/save", translations.save_words, name="translations-save"),
    path("edit/translations/phrase", translations.save_phrase, name="translations-phrase"),
    path("edit/translations/act", translations.act_on_languages, name="translations-act"),
    path("preview", appearance.preview, name="preview"),
    path("preview/page", appearance.framed_preview, name="preview-page"),
]
plan_urls = ([path("plan", plan.plan, name="plan")], "planning")
