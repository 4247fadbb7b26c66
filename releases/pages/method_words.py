"""The methods that anonymise, in words."""

from django.utils.translation import gettext_lazy

METHOD_NAMES = {
    "tree": gettext_lazy("Tree"),
    "bottom-up": gettext_lazy("Bottom-up"),
    "samarati": gettext_lazy("Samarati"),
    "datafly": gettext_lazy("Datafly"),
    "k-member": gettext_lazy("k-member"),
    "ilp": gettext_lazy("ILP"),
}
METHODS = {
    "tree": gettext_lazy("Tree: cuts the table into ever smaller classes; changes and leaves out nothing"),
    "bottom-up": gettext_lazy("Bottom-up: joins classes until each keeps the criteria; slow on large tables"),
    "samarati": gettext_lazy("Samarati: one level of detail for each whole column; may leave records out"),
    "datafly": gettext_lazy("Datafly: coarsens the column with most values again and again; a baseline"),
    "k-member": gettext_lazy(
        "k-member: fills one class after another with the nearest records; slow on large tables"
    ),
    "ilp": gettext_lazy("ILP: joins classes by the information-loss penalty"),
}
"""What a method does, in words; a method that is not here is shown by its name."""


def rank(method: str) -> int:
    """The place of a method in a list: ours first, those without words last."""
    return [*METHODS, method].index(method)
