"""Compares the page that a host serves with the folder that was stored when its survey was opened.

The host is asked through the guard of webhooks: at an address on the Internet that was checked before, without
redirects, and within a limit of time. A host on this machine is for trying: it is asked as it is, outside production.
"""

from collections.abc import Mapping
from contextlib import AbstractContextManager, closing
from http.client import HTTPConnection, HTTPException
from urllib.parse import urlsplit

from django.conf import settings

from api.webhooks.webhook_http import PinnedConnection, parse_target
from intake.hosted.check_page import (
    SUMS,
    Answer,
    open_connection,
    page_differences,
    read_answer,
    split_address,
)
from privacy.designs.embedding_sites import LOCAL_HOSTS
from proof.outcome import CheckFailed
from surveys.questionnaire.problems_and_refusals import NotAllowed


def compare_page(address: str, folder: Mapping[str, bytes]) -> list[str]:
    """Returns each difference between the page at an address and the stored folder, a sentence each.

    Raises CheckFailed if the host may not be asked or does not answer.
    """
    try:
        origin, path, page = split_address(address)

        def fetch(name: str) -> Answer:
            with _connect(origin, path + name) as connection:
                answer = read_answer(connection, path + name)
            if isinstance(connection, PinnedConnection) and connection.is_late:
                raise TimeoutError("it answers too slowly")
            return answer

        return list(dict.fromkeys(page_differences(fetch, page, folder[SUMS], origin)))
    except NotAllowed as refusal:
        raise CheckFailed(f"{address} may not be asked from here: {refusal}") from None
    except (HTTPException, OSError, ValueError) as error:
        raise CheckFailed(f"{address} cannot be compared: {str(error) or type(error).__name__}") from None


def _connect(origin: str, path: str) -> AbstractContextManager[HTTPConnection]:
    if urlsplit(origin).hostname in LOCAL_HOSTS and not settings.PRODUCTION:
        return closing(open_connection(origin))
    return PinnedConnection(parse_target(origin + path))
