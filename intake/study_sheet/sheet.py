"""The study sheet for an ethics board: what is asked, sent, promised, kept and shown, made from the design alone."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import cached_property
from typing import Any

from django.template.loader import render_to_string
from django.utils.translation import get_language, get_language_bidi, gettext as _

from builder.pages.outline import QuestionnairePage, QuestionView, SectionView
from intake.pages.languages import own_name
from intake.pages.last_proof import last_proof
from intake.pages.pages import respondent_context
from privacy.blind_signatures.tokens import tied_share
from privacy.designs import Design
from surveys.kinds.choices_form import answer_words
from surveys.kinds.reading import read_questionnaire
from surveys.models import Survey
from surveys.questionnaire import answer_choices
from surveys.questionnaire.protection import EPSILON_PLACES, epsilon
from ui import pdf
from ui.numbers import percent

TEMPLATE = "intake/study-sheet/sheet.html"
STYLES = (
    *(f"ui/{name}.css" for name in ("tokens", "grammar", "base", "frame", "components", "office")),
    "intake/intake.css",
    "intake-staff/study-sheet.css",
)
"""Of the screen; on paper it has `ui/paper.css`."""


@dataclass(frozen=True, slots=True)
class SheetQuestion:
    """`kind` says what is asked for where the answers are not listed one by one."""

    number: int
    text: str
    kind: str
    answers: tuple[str, ...]
    rules: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SheetSection:
    view: SectionView
    questions: tuple[SheetQuestion, ...]


@dataclass(frozen=True, slots=True)
class Access:
    """What people of one role see of this survey."""

    who: str
    people: tuple[str, ...]
    sees: str


@dataclass(frozen=True)
class StudySheet:
    """`language` is that of the survey's texts; the words around them are in the reader's."""

    survey: Survey
    design: Design
    language: str

    def page(self) -> str:
        return render_to_string(TEMPLATE, self._context())

    def _context(self) -> dict[str, Any]:
        respondents = respondent_context(
            self.design, "preview", language=self.language, invited=self.survey.invited
        )
        return {
            **respondents,
            "start": next(start for start in respondents["starts"] if start.language == self.language),
            "survey": self.survey,
            "last_proof": last_proof(self.survey.pk),
            "is_frozen": self.survey.design_id is not None,
            "reader_language": get_language(),
            "direction": "rtl" if get_language_bidi() else "ltr",
            "languages": [(code, own_name(code)) for code in self.design.languages],
            "styles": STYLES,
            "pdf_offered": pdf.is_offered(),
            "sections": self.sections,
            "epsilon": epsilon(self.design, EPSILON_PLACES),
            "pace": self.people_an_hour,
            "tied": percent(tied_share(self.people_an_hour or 0), 0),
            "destroy_on": self.survey.destroy_on or self.design.retention,
            "access": list(self._access()),
        }

    @cached_property
    def sections(self) -> Sequence[SheetSection]:
        outline = QuestionnairePage(read_questionnaire(self.survey.questionnaire), self.language, (), (), {})
        return [SheetSection(view, tuple(map(_question, view.questions))) for view in outline.sections]

    @property
    def people_an_hour(self) -> float | None:
        """As planned, evenly from its opening to its closing; None where one of these is not set."""
        survey = self.survey
        if not (survey.expected and survey.opens and survey.closes and survey.closes > survey.opens):
            return None
        return survey.expected / ((survey.closes - survey.opens) / timedelta(hours=1))

    def _access(self) -> Iterator[Access]:
        survey = self.survey
        rows = list(survey.collaborators.select_related("person").order_by("person__username"))
        results = _("how many people answered, in steps, and published reports")
        yield Access(_("Owner"), (str(survey.owner),), results)
        if rows:
            yield Access(_("Collaborators"), tuple(str(row.person) for row in rows), results)
        yield Access(
            _("Reviewers"),
            (),
            _("every estimate with its error, before it is published; nobody who ever worked on this survey"),
        )
        records = (
            _("a reviewer has allowed files of the disguised records, for owner, editors and reviewers")
            if survey.records_allowed
            else _("nobody; a reviewer would have to allow files of the disguised records")
        )
        yield Access(_("Files of records"), (), records)
        yield Access(
            _("Operator of the server"),
            (),
            _("the stored records, which are disguised; never the answers behind them"),
        )


def _question(view: QuestionView) -> SheetQuestion:
    listed = view.line.answers
    if view.line.more:
        rows = range(len(answer_choices.rows(view.block)))
        listed = tuple(answer_words(view.block, row, view.page.language) for row in rows)
    return SheetQuestion(view.number, view.words, view.line.kind, listed, tuple(view.rules))
