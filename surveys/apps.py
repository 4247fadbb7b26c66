from django.apps import AppConfig
from django.core import checks as registry
from django.utils.translation import gettext_lazy as _


class SurveysConfig(AppConfig):
    name = "surveys"
    verbose_name = _("Surveys")

    def ready(self) -> None:
        from jobs import tick
        from surveys import actions, checks, scheduled

        actions.announce_all()
        registry.register(checks.triggers_are_there, registry.Tags.database)
        tick.register("surveys.open", scheduled.open_due)
        tick.register("surveys.close", scheduled.close_due)
        tick.register("surveys.destroy", scheduled.destroy_due)
        places()


def places() -> None:
    from look import navigation  # late for Django
    from surveys import pages  # late for Django

    navigation.register(
        _("Surveys"),
        "surveys:index",
        navigation.signed_in,
        hint=_("Write questionnaires, open them, and see how many answers there are."),
        rank=20,
    )
    navigation.register(
        _("To allow"),
        "surveys:queue",
        lambda request: request.user.is_authenticated and request.user.is_reviewer,
        hint=_("Weak settings and record files that wait for a reviewer’s yes or no."),
        rank=30,
    )
    pages.register_tab("overview", _("Overview"), "surveys:survey", rank=0)
    pages.register_tab(
        "edit",
        _("Edit"),
        "surveys:edit",
        lambda survey, person: survey.state == "draft" and survey.may(person, "edit"),
        rank=10,
    )
    pages.register_tab("preview", _("Preview"), "surveys:preview", rank=20)
    pages.register_tab(
        "settings",
        _("Settings"),
        "surveys:settings",
        lambda survey, person: survey.may(person, "edit" if survey.state == "draft" else "close"),
        rank=60,
    )
    pages.register_tab("people", _("People"), "surveys:people", rank=70)
    pages.register_tab("history", _("History"), "surveys:history", rank=80)
