"""The form of a question that is sent as sets: it keeps its kind, and chance says nothing else."""

from surveys.kinds.forms.choices_form import ChoicesForm


class SubsetForm(ChoicesForm):
    sends_sets = True

    def _add_kind(self) -> None:
        """Another kind is chosen once it sends one choice."""
