from tests.surveys.builder.conftest import survey

__all__ = ["survey"]
