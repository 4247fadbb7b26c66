from django.http import HttpRequest


def frame(request: HttpRequest) -> dict[str, object]:
    """What the page frame needs on every page."""
    return {}
