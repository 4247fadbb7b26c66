from tests.builder.conftest import survey

__all__ = ["survey"]
