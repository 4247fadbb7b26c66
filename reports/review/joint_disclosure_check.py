"""Refuses a report or model that, together with earlier disclosures, reveals fewer than ten people."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.utils.translation import gettext as _

from intake.disclosure import ledger
from intake.disclosure.attack_on_all_disclosures import attack_all_disclosures
from intake.disclosure.canonical_order import read_disguised, unpack_classes
from intake.disclosure.ledger import ProposedDisclosure
from intake.disclosure.models import Disclosure, DisclosureKind
from mining.disclosure.attacker import AttackResult
from mining.disclosure.plain_table_counts import LEAST
from privacy.anonymity.criteria_check import has_small_joint_class
from reports.answer_labels import Labels
from reports.review.attack_result_texts import open_people_text, smallest_count_text
from runs.models import Run
from surveys.models import Survey
from surveys.questionnaire.problems_and_refusals import NotAllowed
from ui.templatetags.ui import join_names


@contextmanager
def reword_refusal_for_rehearsal(survey: Survey) -> Iterator[None]:
    """Context manager: rewords the refusal of a rehearsal to say that the real survey would be refused."""
    try:
        yield
    except NotAllowed as refused:
        if not survey.is_rehearsal:
            raise
        words = _("In the real survey this would be refused: %(reason)s")
        raise type(refused)(words % {"reason": refused}) from refused


def refuse_if_attack_succeeds(run: Run, proposed: ProposedDisclosure) -> AttackResult:
    """Returns the counts that an attacker could infer; raises NotAllowed if they reveal fewer than ten people."""
    refuse_if_releases_reveal_few(run, proposed)
    attack = attack_all_disclosures(run.survey, proposed)
    if attack.few_open:
        words = _(
            "It would show how few people chose no disguise: %(people)s. Publish a run over more answers, or wait "
            "until the survey is finished."
        )
        raise NotAllowed(words % {"people": open_people_text(attack.few_open)})
    if attack.reveals_few:
        words = _("Together with what was published before, this would show fewer than ten people: %(count)s")
        raise NotAllowed(words % {"count": smallest_count_text(attack.smallest, Labels(run.mined_design))})
    return attack


def refuse_if_releases_reveal_few(run: Run, disclosure: ProposedDisclosure) -> None:
    """Raises NotAllowed if the tables of `disclosure`, joined with an earlier release of microdata, would reveal fewer
    than ten people."""
    released = ledger.list_disclosures(run.survey, DisclosureKind.RELEASE)
    if not released:
        return
    records = read_disguised(run.survey, max(run.through, *(one.last_batch for one in released)))
    names = [question.name for question in run.mined_design.questions]
    proposed = Disclosure(last_batch=disclosure.last_batch, tables=disclosure.tables)
    for questions, cells in records.disclosed_cells(proposed):
        for one in released:
            if has_small_joint_class(
                records.classes_in_stored_order(one.last_batch, unpack_classes(one.classes)), cells, LEAST
            ):
                raise NotAllowed(
                    _(
                        "Together with %(release)s, a table of %(tables)s would show fewer than ten people. Make a "
                        "model with fewer of these questions. If this is no model, run the report again: the new run "
                        "leaves the table out."
                    )
                    % {"release": one.title, "tables": join_names(names[place] for place in questions)}
                )
