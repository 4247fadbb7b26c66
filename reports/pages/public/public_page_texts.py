"""Texts of the public page except the findings, in all languages of respondents
(config/update_message_catalogues.py).
"""

from datetime import date

from django.utils.translation import gettext as _

from privacy.guarantee.presets import BEFORE
from privacy.guarantee.repeated_surveys import person_guarantee
from reports.review.report_page_data import ReportPage
from reports.sentences import number_format
from reports.texts.design_sentences import say
from reports.texts.report_facts import Fact
from surveys.phrases.languages import format_day
from ui.number_format import format_count


def heading_texts(report: ReportPage) -> dict[str, str]:
    """Returns the headings and short texts of the public page by key, such as `found` or `shares`."""
    return {
        "found": _("What was found"),
        "chosen": _("A finding that was chosen among many has a wider interval here than in its row below."),
        "shares": _("Shares"),
        "groups": _("By group"),
        "class": _("Class"),
        "no_difference": _("No difference between the classes is shown for:"),
        "not_compared": _("Not compared between the classes:"),
        "numbers": _("Numbers"),
        "map": _("Map"),
        "limits": _("What this cannot say"),
        "method": _("How it was made"),
        "above": _("Shares above each limit"),
        "answer": _("Answer"),
        "share": _("Share (95 % interval)"),
        "dash": _("–: too few people answered, or it could reveal something about a few."),
        "interval": _("estimate with its 95 % interval"),
        "hollow": _("hollow: no difference is shown"),
        "of_all": say("dashed-line", report),
        "disguised": _("Disguised answers"),
        "plain": _("Answers that were not disguised"),
        "more": _("Not all shares fit on this paper. The report has the others."),
        "rehearsal": say("rehearsal", report),
        "undecided": say("document-undecided", report),
        "nothing": _("Nothing is estimated: too few people answered."),
        "languages": _("Languages"),
        "how": say("how", report),
        "report": _("Report of a survey"),
        "skip": _("Skip to the content"),
        "deposits": _("Deposits in repositories: SHA-256 of their lists SHA256SUMS"),
    }


def provenance_text(report: ReportPage, language: str) -> str:
    """Returns sentences on who asked whom until when, and how many answered."""
    return say(
        "provenance",
        report,
        asker=report.design.asker.in_language_or_first(language),
        day=format_day(date.fromisoformat(report.about.day), language),
        count=format_count(report.about.records),
        contact=report.design.contact,
        host=report.design.asked_at.host_name if report.design.asked_at else "",
    )


def method_facts(report: ReportPage, published: str) -> list[Fact]:
    """Returns the facts on how the report was made. `published`: the day of publication."""
    about, design = report.about, report.design
    opened = format_count(about.n_open) if about.n_open and design.has_disguise else ""
    facts = [
        Fact(_("Answers counted"), format_count(about.records)),
        Fact(_("Of these without disguise"), opened),
        Fact(_("Guarantee"), guarantee_text(report)),
        Fact(_("Estimates"), say("estimates", report)),
        Fact(
            _("Associations"), say("associations", report, count=format_count(about.count_possible_rules(2)))
        ),
        Fact(_("Words of answers"), say("words", report)),
        Fact(_("Checked"), report.check_sentence),
        Fact(_("Review"), say("review", report)),
        Fact(_("Published"), published),
        Fact(_("Fingerprint of the questionnaire"), about.fingerprint, is_code=True),
        Fact(_("Version"), about.version),
    ]
    return [fact for fact in facts if fact.value]


def guarantee_text(report: ReportPage) -> str:
    """Returns the guarantee: how much all disguised answers of one person can reveal at most; empty if nothing is
    disguised."""
    person = person_guarantee(report.design)
    if person is None:
        return ""
    # Rounded up to a whole per cent.
    after = float(person.posterior_rounded_up(BEFORE, 2))
    before, after_reading = (number_format.percent(share) for share in (float(BEFORE), after))
    return say("guarantee", report, before=before, after=after_reading)
