"""Texts of the public page except the findings, in all languages of respondents
(config/update_message_catalogues.py).
"""

from collections.abc import Collection, Iterator

from django.utils.translation import gettext as _

from mining.nodes.report_nodes import About
from privacy.designs import Design
from privacy.guarantee.presets import BEFORE
from privacy.guarantee.repeated_surveys import person_guarantee
from privacy.kinds.disguise_law_interface import Protected
from reports.sentences import number_format
from reports.sentences.sample_population import sample_sentences
from reports.texts.report_facts import Fact
from reports.texts.who_decided import who_decided_text
from surveys.permission import Basis
from ui.number_format import format_count
from ui.sentence_joining import join_sentences


def heading_texts(design: Design) -> dict[str, str]:
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
        "in_shares": _("Its shares stand above; nothing more is estimated."),
        "map": _("Map"),
        "limits": _("What this cannot say"),
        "method": _("How it was made"),
        "above": _("Shares above each limit"),
        "answer": _("Answer"),
        "share": _("Share (95 % interval)"),
        "interval": _("estimate with its 95 % interval"),
        "hollow": _("hollow: no difference is shown"),
        "of_all": _("dashed line: the share of those asked")
        if design.quotas
        else _("dashed line: the share of all"),
        "disguised": _("Disguised answers"),
        "plain": _("Answers that were not disguised"),
        "more": _("Not all shares fit on this paper. The report has the others."),
        "rehearsal": _("A rehearsal: the answers were simulated. Nothing here is about real people."),
        "nothing": _("Nothing is estimated: too few people answered."),
        "languages": _("Languages"),
        "how": _("How Candor protects answers"),
        "report": _("Report of a survey"),
        "skip": _("Skip to the content"),
        "deposits": _("Deposits in repositories: SHA-256 of their lists SHA256SUMS"),
    }


def lead_text(design: Design) -> str:
    """Returns how sensitive answers were disguised, then the answers that somebody may know all the same."""
    if not design.has_disguise:
        return _("No answer of this survey was disguised. Whoever holds its records can read every answer.")
    sentences = [
        _disguise_text(design),
        _(
            "Nobody can be sure what a single disguised answer was. Shares among many people can be estimated all the "
            "same."
        ),
    ]
    if design.offers_choice:
        sentences.append(_("An exception: people who chose to answer without disguise."))
    if design.has_arms:
        sentences.append(_("An exception: people whom a draw chose to be asked directly, without disguise."))
    if any(section.sends_some_as_they_are for section in design.mined.sections):
        sentences.append(
            _("An exception: a place outside the regions that were asked about may have been sent as it is.")
        )
    if design.has_crosswise:
        sentences.append(_("An exception: anybody who knows the secret of an answer can read it."))
    return join_sentences(sentences)


def _disguise_text(design: Design) -> str:
    """Returns the sentence on who disguised sensitive answers: the devices, the respondents by a secret, or both."""
    if not design.has_crosswise:
        return _("Sensitive answers were disguised at random on the device before they were sent.")
    if not design.devices_disguise:
        return _(
            "Each sensitive question was asked together with a secret of the respondent, such as a birthday, and one "
            "answer was given to both."
        )
    return _(
        "Some sensitive answers were disguised at random on the device before they were sent. Each other sensitive "
        "question was asked together with a secret of the respondent, such as a birthday, and one answer was given to "
        "both."
    )


def provenance_text(about: About, design: Design, language: str, *, invited: bool, is_drawn: bool) -> str:
    """Returns sentences on who asked whom until when, and how many answered.

    `is_drawn`: some questions were put to a random part of the people only.
    """
    asker = design.asker.in_language_or_first(language)
    said = [
        _("Asked by %(asker)s.") % {"asker": asker} if asker else "",
        *sample_sentences(about, design, language, invited=invited, is_drawn=is_drawn),
        _("Questions go to %(contact)s.") % {"contact": design.contact} if design.contact else "",
    ]
    return join_sentences(said)


def limit_texts(about: About) -> list[str]:
    """Returns the sentences on errors that the intervals do not cover, and on conclusions that a finding does not
    allow."""
    return [
        _("An interval does not cover who took part and who stayed away."),
        _("It does not cover answers that were not true, or given without reading."),
        _("It does not cover people who answered twice, or records that were forged."),
        _("What goes together need not be cause and effect."),
        _("Nothing is said of any single person."),
        *(
            [_("The estimates assume that people who chose no disguise are like the others.")]
            if about.n_open and about.estimator != "stratified"
            else []
        ),
    ]


def method_facts(
    about: About, design: Design, checked: str, reviewed: Collection[Basis], published: str
) -> Iterator[Fact]:
    """Yields the facts on how the report was made.

    `checked`: the result of the check by mlxtend. `reviewed`: the rights by which people decided. `published`: the day
    of publication.
    """
    yield Fact(_("Answers counted"), format_count(about.records))
    if about.n_open and design.has_disguise:
        yield Fact(_("Of these without disguise"), format_count(about.n_open))
    if said := guarantee_text(design):
        yield Fact(_("Guarantee"), said)
    yield Fact(
        _("Estimates"),
        _(
            "What the disguise adds is known on average, and is subtracted. This makes the estimates less "
            "certain, which their intervals show: of 20 such intervals, 19 contain the true value."
        )
        if design.has_disguise
        else _(
            "Answers are counted as they were sent. The intervals show what chance can do: of 20 such intervals, 19 "
            "contain the true value."
        ),
    )
    if about.family:
        yield Fact(
            _("Associations"),
            _(
                "Pairs of answers tested: %(count)s. The findings and their intervals are corrected for "
                "all these tests."
            )
            % {"count": format_count(about.family)},
        )
    yield Fact(_("Checked"), checked)
    yield Fact(_("Review"), who_decided_text(reviewed) if published else _("Nobody has published it."))
    if published:
        yield Fact(_("Published"), published)
    yield Fact(_("Fingerprint of the questionnaire"), about.fingerprint, is_code=True)
    yield Fact(_("Version"), about.version)


def guarantee_text(design: Design) -> str:
    """Returns the guarantee: how much all disguised answers of one person can reveal at most; empty if nothing is
    disguised."""
    person = person_guarantee(design)
    if person is None:
        return ""
    words = _(
        "Somebody who is %(before)s sure of the disguised answers of a person is at most %(after)s sure after reading "
        "all that this person sent."
    )
    said = words % {
        "before": number_format.percent(float(BEFORE)),
        # Rounded up to a whole per cent.
        "after": number_format.percent(float(person.posterior_rounded_up(BEFORE, 2))),
    }
    sentences = [said]
    if person.protected_people is Protected.INSIDE:
        sentences.append(_("This holds for people inside the regions that were asked about."))
    if design.has_group_open:
        sentences.append(_("It does not hold for people who answered without disguise."))
    if design.has_crosswise:
        sentences.append(_("It does not hold against anybody who knows the secret of an answer."))
    return join_sentences(sentences)
