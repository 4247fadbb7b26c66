from tests.hints import broker

__all__ = ["broker"]
