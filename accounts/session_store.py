"""Sessions in the database; a database that does not answer is not taken for a session that has ended.

Django answers both by 400, "nothing was changed", also after a view has stored something.
"""

from django.contrib.sessions.backends import db
from django.contrib.sessions.backends.base import UpdateError
from django.db import OperationalError


class SessionStore(db.SessionStore):
    """Django's sessions in the database (the setting SESSION_ENGINE), but for the errors of saving."""

    def save(self, must_create: bool = False) -> None:
        """Saves the session; raises `UpdateError` if it has ended, and the database's error if that does not
        answer."""
        try:
            super().save(must_create)
        except UpdateError as error:
            failure = error.__context__
            if isinstance(failure, OperationalError):
                raise failure from failure.__cause__  # its cause tells an outage
            raise
