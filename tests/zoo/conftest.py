from tests.jobs.conftest import broker

__all__ = ["broker"]
