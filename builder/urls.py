"""Addresses of the builder: the pages of a draft, and the plan before there is one."""

from django.urls import path

from builder.pages import appearance, languages, plan, protection, questionnaire, section_copy, study

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
    path("edit/study/rounds", study.ask_in_rounds, name="study-rounds"),
    path("edit/translations", languages.translations, name="translations"),
    path("edit/translations/save", languages.save_words, name="translations-save"),
    path("edit/translations/phrase", languages.save_phrase, name="translations-phrase"),
    path("edit/translations/act", languages.act_on_languages, name="translations-act"),
    path("preview", appearance.preview, name="preview"),
    path("preview/page", appearance.preview_page, name="preview-page"),
]
plan_urls = ([path("plan", plan.plan, name="plan")], "planning")
