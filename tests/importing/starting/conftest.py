from tests.wake_ups import broker

__all__ = ["broker"]
