"""Which models are jobs."""

from django.apps import apps

from jobs.models import Job


def kinds() -> list[type[Job]]:
    return [model for model in apps.get_models() if issubclass(model, Job)]


def kind(label: str) -> type[Job] | None:
    """The job model called `app_label.model`, or None."""
    return next((model for model in kinds() if model._meta.label_lower == label), None)
