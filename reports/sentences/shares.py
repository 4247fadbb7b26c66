"""What a share says, of all people or of a class of a plain question; a number's shares above limits too."""

from django.utils.translation import gettext as _

from mining.document.report import Estimate, GroupRow, GroupTable
from reports.labels import Labels
from reports.sentences.finding import Finding, Measured, People, base_share
from reports.sentences.pairs import Direction, alone
from reports.sentences.parts import Sentence, answers, emphasised, fill, followed, question
from ui.numbers import count


def of_share(share: Estimate, labels: Labels) -> Finding:
    """Where a rule hides the question from some, among those who were shown it."""
    seen = share.of_shown if share.is_hidden else share
    name = share.item
    is_of_shown = share.is_hidden or (labels.may_be_hidden([name]) and labels.is_asked_if_shown(name))
    measured = Measured(seen.support, seen.low, seen.high)
    people = People(share.disguised_only, is_of_shown)
    sentence = said_of(name, measured, people, labels)
    beneath = people.told(seen.n_asked or 0)
    return Finding("share", share, sentence, beneath, is_noise=not measured.is_known, measured=measured)


def said_of(name: str, measured: Measured, people: People, labels: Labels) -> Sentence:
    answer = answers([name], labels)
    if measured.is_known:
        return fill(_template(people), share=emphasised(measured.share), answer=answer)
    if measured.end:
        return fill(
            _("It is too noisy to say how many answered %(answer)s: %(end)s."),
            answer=answer,
            end=measured.end,
        )
    if measured.is_contradictory:
        words = _("It cannot be said how many answered %(answer)s: the counts contradict each other.")
    else:
        words = _("It cannot be said how many answered %(answer)s.")
    return fill(words, answer=answer)


def _template(people: People) -> str:
    if people.disguised_only and people.shown:
        return _("Of all who chose disguise and were shown the question, %(share)s answered %(answer)s.")
    if people.disguised_only:
        return _("Of all who chose disguise, %(share)s answered %(answer)s.")
    if people.shown:
        return _("Of all who were shown the question, %(share)s answered %(answer)s.")
    return _("Of all, %(share)s answered %(answer)s.")


def of_group(table: GroupTable, row: GroupRow, of_class: str, labels: Labels) -> Finding:
    """The share of an answer in a class of a plain question; the test is of all its classes, not of this one.

    The base rate is that of the classes which have a share, of the same people.
    """
    cell = row.cells[table.classes.index(of_class)]
    people = People(cell.disguised_only)
    measured, together = Measured(cell.share, cell.low, cell.high), Measured(row.together, row.low, row.high)
    direction = Direction((of_class,), (row.item,), measured, together)
    sentence = alone(direction, _base_rate(row, people, together), labels, bold=row.differs)
    return Finding(
        kind="group",
        node=cell,
        sentence=followed(sentence, _tested(row, question(table.question, labels))),
        beneath=followed(people.told(cell.n_asked or 0), _beneath(row, together)),
        verdict=_direction(measured, row.together) if row.differs else 0,
        is_noise=not measured.is_known,
        measured=measured,
        base=together,
    )


def _direction(measured: Measured, together: float | None) -> int:
    """Whether the interval of a class lies above or below the share of all classes; 0 where it holds it."""
    if together is None or measured.low is None or measured.high is None:
        return 0
    return (measured.low > together) - (measured.high < together)


def _tested(row: GroupRow, by: str) -> Sentence:
    if row.p is None:
        return fill(_("Whether the share differs by %(question)s was not tested."), question=by)
    if row.differs:
        return fill(_("The share differs by %(question)s."), question=by)
    return fill(_("No difference by %(question)s is shown."), question=by)


def _base_rate(row: GroupRow, people: People, together: Measured) -> Sentence:
    """Of the classes that have a share; of all people where every class has one."""
    if row.is_told_whole:
        return people.base_rate(together)
    if people.disguised_only:
        words = _("of the groups compared, among those who chose disguise, %(share)s did")
    else:
        words = _("of the groups compared, %(share)s did")
    return fill(words, share=base_share(together))


def _beneath(row: GroupRow, together: Measured) -> Sentence:
    """The base rate with its interval, and of how many people it is."""
    if not together.is_known:
        return ()
    words = _("In all groups compared: %(share)s; answers: %(count)s.")
    return fill(words, share=together.share, count=count(row.n_asked))
