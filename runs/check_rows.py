"""The first row in which mlxtend and Candor differ, for those who may see the numbers of a run."""

from django.utils.translation import gettext as _

from mining.document.names import Names
from mining.engines.comparison import Difference
from runs.checking import difference_of
from runs.models import Run


def difference_sentence(run: Run) -> str:
    """Empty where no difference is known."""
    difference = difference_of(run)
    if difference is None:
        return ""
    row = {"row": row_name(difference, Names(run.mined))}
    if difference.mlxtend is None:
        return _("The first row that differs: only Candor finds %(row)s, %(number)s.") % {
            **row,
            "number": digits(difference.candor),
        }
    if difference.candor is None:
        return _("The first row that differs: only mlxtend finds %(row)s, %(number)s.") % {
            **row,
            "number": digits(difference.mlxtend),
        }
    return _("The first row that differs: %(row)s, %(candor)s by Candor and %(mlxtend)s by mlxtend.") % {
        **row,
        "candor": digits(difference.candor),
        "mlxtend": digits(difference.mlxtend),
    }


def row_name(difference: Difference, names: Names) -> str:
    sides = (difference.items, difference.consequent)
    return " → ".join(", ".join(map(names.named, side)) for side in sides if side)


def digits(number: float | None) -> str:
    """All of them: the engines may differ in the last ones."""
    return "–" if number is None else f"{number:.15g}"
