"""Uploads of which only the length is told."""

from django.test import Client


def post_length(client: Client, address: str, length: int) -> int:
    """Posts an empty body as one of `length` bytes, of a type that Django does not parse; returns the status."""
    answer = client.generic("POST", address, b"", "application/octet-stream", CONTENT_LENGTH=str(length))
    return answer.status_code
