"""The study sheet for an ethics board, made from the design alone: questions, what is sent, promises,
retention, and who sees what."""

from dataclasses import dataclass
from datetime import timedelta
from typing import NamedTuple

from django.conf import settings
from django.template.loader import render_to_string
from django.utils.translation import get_language, get_language_bidi, gettext as _

from builder.pages.questionnaire_page import DisplayedQuestion, DisplayedSection, QuestionnairePage
from intake.pages.language_negotiation import native_language_name
from intake.pages.last_prove_result import last_proof
from intake.pages.respondent_views import load_survey_page
from intake.pages.survey_page import StartPage
from privacy.blind_signatures.tokens import share_linkable_by_time
from privacy.designs import Design
from surveys.kinds.choices_form import answer_text
from surveys.kinds.read_draft import read_questionnaire
from surveys.lifecycle import asked_at
from surveys.lifecycle.quota_states import quota_states
from surveys.models import Survey
from surveys.phrases.own_wording import own_protection_sentences
from surveys.questionnaire import answer_choice_editing
from surveys.questionnaire.protection import EPSILON_PLACES, design_epsilon, find_weak_wording
from ui import pdf
from ui.number_format import format_percent

TEMPLATE = "intake/study-sheet/sheet.html"
STYLES = (
    *(f"ui/{name}.css" for name in ("tokens", "grammar", "base", "frame", "components", "office")),
    "intake/intake.css",
    "intake-staff/study-sheet.css",
)
"""Style sheets for the screen; the printed sheet has `ui/paper.css`."""


@dataclass(frozen=True)
class StudySheet:
    """The study sheet of a design, a page for an ethics board.

    `language`: the language of the survey's texts; all other texts are in the reader's language.
    """

    survey: Survey
    design: Design
    language: str

    def page(self) -> str:
        survey, design, language = self.survey, self.design, self.language
        page = load_survey_page(
            design, "preview", language, proof=last_proof(survey.pk), invited=survey.invited
        )
        outline = QuestionnairePage(read_questionnaire(survey.questionnaire), language, (), (), {})
        # People an hour as planned, evenly from its opening to its closing.
        pace = None
        if survey.expected and survey.opens and survey.closes and survey.closes > survey.opens:
            pace = survey.expected / ((survey.closes - survey.opens) / timedelta(hours=1))
        context = {
            "page": page,
            "speaker": page.speaker,
            "start": StartPage(design, page.speaker, page.waves),
            "survey": survey,
            "is_frozen": survey.design_id is not None,
            "reader_language": get_language(),
            "direction": "rtl" if get_language_bidi() else "ltr",
            "languages": [(code, native_language_name(code)) for code in design.languages],
            "styles": STYLES,
            "pdf_offered": pdf.is_pdf_available(),
            "sections": [
                SheetSection(view, list(map(sheet_question, view.questions)))
                for view in outline.displayed_sections
            ],
            "own_sentences": own_protection_sentences(design),
            "weak_wording": list(find_weak_wording(design)),
            "quotas": quota_states(survey, language),
            "epsilon": design_epsilon(design, EPSILON_PLACES),
            "pace": pace,
            "tied": format_percent(share_linkable_by_time(pace or 0), 0),
            "digest": folder.sums_sha256 if (folder := asked_at.current_folder(survey)) else "",
            "destroy_on": survey.destroy_on or design.retention,
            "access": access_by_role(survey),
        }
        return render_to_string(TEMPLATE, context)


class SheetQuestion(NamedTuple):
    """A question on the study sheet; `kind`: description of the possible answers if they are not listed."""

    number: int
    text: str
    kind: str
    answers: tuple[str, ...]
    rules: tuple[str, ...]


class SheetSection(NamedTuple):
    view: DisplayedSection
    questions: list[SheetQuestion]


def sheet_question(view: DisplayedQuestion) -> SheetQuestion:
    answers = view.line.answers
    if view.line.more:
        rows = range(len(answer_choice_editing.answer_rows(view.block)))
        answers = tuple(answer_text(view.block, row, view.page.language) for row in rows)
    return SheetQuestion(view.number, view.words, view.line.kind, answers, tuple(view.rule_sentences))


class Access(NamedTuple):
    """What one role may see of this survey, and who has the role."""

    who: str
    people: tuple[str, ...]
    sees: str


def access_by_role(survey: Survey) -> list[Access]:
    if survey.tools:
        records = _(
            "each record, beside whatever else it knows of the person; never the true answers behind it"
        )
        page = _("no record; the page and its program come from here")
        return [
            Access(_("The tool"), tuple(survey.tools), records),
            Access(_("Operator of the server"), (), page),
        ]
    collaborators = survey.collaborators.select_related("person").order_by("person__username")
    people = tuple(str(row.person) for row in collaborators)
    results = owners = _("how many people answered, in steps, and published reports")
    estimates = _(
        "every estimate with its error, before it is published; nobody who ever worked on this survey"
    )
    if settings.ONE_PERSON_DOES_BOTH:
        owners = _(
            "how many people answered, in steps, and published reports; on this site, as a reviewer, also every "
            "estimate before it is published"
        )
        estimates = _(
            "every estimate with its error, before it is published; nobody who ever worked on this survey except, on "
            "this site, the owner"
        )
    if settings.OWNERS_NAME_REVIEWERS:
        estimates = _("%(estimates)s; on this site the owner may choose who") % {"estimates": estimates}
    if survey.is_rehearsal:
        records = _(
            "owner, editors and reviewers, of simulated people; in a real survey a reviewer has to allow it"
        )
    elif survey.are_record_files_approved:
        records = _("a reviewer has allowed files of the records, for owner, editors and reviewers")
    else:
        records = _("nobody; a reviewer would have to allow files of the records")
    return [
        Access(_("Owner"), (str(survey.owner),), owners),
        *([Access(_("Collaborators"), people, results)] if people else []),
        Access(_("Reviewers"), (), estimates),
        Access(_("Files of records"), (), records),
        Access(
            _("Operator of the server"),
            (),
            _("the stored records; never the true answers behind those that are disguised"),
        ),
    ]
