"""PostgreSQL told to log all that it can: nothing of a record, a key or an invitation gets into its log."""

import re
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from intake.endpoint.keyed_hashes_of_secrets import HashedTextKind
from privacy.records import Envelope
from tests import commands, servers
from tests.config.conftest import Done, python
from tests.intake import asked
from tests.intake.conftest import Found, LiveSurvey, live_survey

pytestmark = pytest.mark.server

# 30 digits in base 8 are 90 bits: no text appears by chance.
ASKS = asked.design(least=20, digits=30)
EVERYTHING = """
log_statement = 'all'
log_duration = on
log_min_duration_statement = 0
log_min_duration_sample = 0
log_statement_sample_rate = 1
log_transaction_sample_rate = 1
log_parameter_max_length = -1
log_parameter_max_length_on_error = -1
log_min_error_statement = 'debug5'
log_min_messages = 'debug1'
log_error_verbosity = 'verbose'
log_lock_waits = on
deadlock_timeout = '1ms'
debug_print_parse = on
debug_print_rewritten = on
debug_print_plan = on
session_preload_libraries = 'auto_explain'
auto_explain.log_min_duration = 0
auto_explain.log_nested_statements = on
auto_explain.log_analyze = on
auto_explain.log_verbose = on
"""
ROLE = "an app"
"""A role that may not set what an administrator sets; its name needs quotes."""


class Talkative:
    """A server that logs all that it can, and what has come into its log since it was last looked at."""

    def __init__(self, server: servers.Postgres) -> None:
        self.server = server
        self.administer(f'CREATE ROLE "{ROLE}" LOGIN')
        server.migrated()
        with (server.data / "postgresql.conf").open("a") as file:
            file.write(EVERYTHING)
        server.run("pg_ctl", "-D", str(server.data), "reload")
        servers.wait(lambda: self.ask("SHOW log_statement", "postgres") == "all", "the server logging all")

    def ask(self, sql: str, database: str) -> str:
        with psycopg.connect(self.address("candor", database), autocommit=True) as connection:
            return str((connection.execute(sql.encode()).fetchone() or [""])[0])

    def administer(self, sql: str, database: str = "postgres") -> None:
        with psycopg.connect(self.address("candor", database), autocommit=True) as connection:
            connection.execute(sql.encode())

    def address(self, role: str, database: str) -> str:
        return f"postgres://{role.replace(' ', '%20')}@127.0.0.1:{self.server.port}/{database}"

    def create(self, database: str, role: str) -> str:
        """With the tables of the product, which the role may use."""
        self.administer(f'CREATE DATABASE {database} OWNER "{role}" TEMPLATE migrated')
        for kind in ("TABLES", "SEQUENCES"):
            self.administer(f'GRANT ALL ON ALL {kind} IN SCHEMA public TO "{role}"', database)
        return self.address(role, database)

    def size(self) -> int:
        return self.server.log.stat().st_size

    def log_since(self, start: int) -> bytes:
        return self.server.log.read_bytes()[start:]


@pytest.fixture(scope="module")
def talkative_server() -> Iterator[Talkative]:
    with servers.postgres() as server:
        yield Talkative(server)


def forms_in_log(value: bytes) -> list[bytes]:
    """How a log may write a value: as it is, as the hexadecimal digits of a bytea, as the numbers of a tree."""
    return [value, value.hex().encode(), b" ".join(str(byte).encode() for byte in value)]


def secrets_in_log(log: bytes, sent: list[Envelope], found: Found) -> set[str]:
    """What must not be in a log and is: records, keys, tokens and their hashes, in every form."""
    names = set[str]()
    for each in sent:
        hash_of_link = found.hash_of(HashedTextKind.LINK, each.token or "")
        hashed = ("key", each.key, found.hash_of_key(each)), ("token", each.token or "", hash_of_link)
        values = {"record": each.record.answers.encode()}
        for name, secret, hash_ in hashed:
            values |= {name: secret.encode(), f"{name} hash": bytes.fromhex(hash_)}
        names |= {name for name, value in values.items() if any(form in log for form in forms_in_log(value))}
    return names


def send_records_and_mine(home: LiveSurvey) -> list[Envelope]:
    """Sixty records through the real endpoint, twice and with spent tokens too, then all that is made of them."""
    sent = [home.envelope(8**29 + 7**10 * place, token) for place, token in enumerate(home.tokens)]
    assert set(home.post(sent, 20)) == {201}
    assert set(home.post(sent, 20)) == {200}
    spent = [home.envelope(8**28 + place, sent[0].token) for place in range(5)]
    assert set(home.post(spent)) == {403}
    home.send_tick()
    assert home.find().sealed
    home.close()
    return [*sent, *spent]


@pytest.mark.night
def test_postgresql_log_holds_statement_values_without_our_settings(
    talkative_server: Talkative, tmp_path: Path
) -> None:
    """So the search finds what there is: a role that may set nothing, and an administrator who has set nothing."""
    url = talkative_server.create("control", ROLE)
    before = talkative_server.size()
    with live_survey(tmp_path, ASKS, {"DATABASE_URL": url}, tokens=60) as home:
        sent, found = send_records_and_mine(home), home.find()
        complaint = (tmp_path / "web.log").read_text()
    log = talkative_server.log_since(before)
    # Keys and tokens themselves never reach the database.
    assert secrets_in_log(log, sent, found) == {"record", "key hash", "token hash"}
    assert "The log of PostgreSQL holds the values of statements" in complaint
    assert f'ALTER ROLE "{ROLE}" IN DATABASE "control" SET log_parameter_max_length' in complaint
    assert not re.search("[0-9a-f]{32}", complaint)


def logs_nothing_of_it(talkative: Talkative, tmp_path: Path, url: str) -> None:
    """People answer: the statements are in the log, but nothing of what was sent."""
    before = talkative.size()
    with live_survey(tmp_path, ASKS, {"DATABASE_URL": url}, tokens=60) as home:
        sent, found = send_records_and_mine(home), home.find()
    log = talkative.log_since(before)
    assert b"SELECT intake_take($1, $2, $3, $4, $5, $6, $7)" in log
    assert secrets_in_log(log, sent, found) == set()


@pytest.mark.night
def test_role_that_may_switch_logging_off_has_nothing_logged(
    talkative_server: Talkative, tmp_path: Path
) -> None:
    url = talkative_server.create("superuser", "candor")
    logs_nothing_of_it(talkative_server, tmp_path, url)


def production(tmp_path: Path, url: str) -> dict[str, str]:
    env = {"DATABASE_URL": url, "VAR": str(tmp_path), "SECRET_KEY": "0123456789abcdef" * 4}
    env |= {"PRODUCTION": "yes", "ALLOWED_HOSTS": "candor.example", "BEHIND_PROXY": "yes"}
    env |= {"MAIL_URL": "smtp://localhost", "MAIL_FROM": "candor@candor.example"}
    servers.share_first_start(env := servers.environment(**env))
    return env


START = """
import sys
from config.start import start_preparation, server_and_worker
words = ["serve", "--host", "127.0.0.1", "--port", "1", "--web", "0"]
try:
    start_preparation.prepare_start(server_and_worker.parser().parse_args(words))
except start_preparation.StartRefused as reason:
    sys.exit(str(reason))
"""
"""What stands before the first process of `./run serve`."""


def run_check_command(tmp_path: Path, url: str) -> Done:
    """The checks of a start, alone."""
    return commands.run(production(tmp_path, url), "check", "--database", "default")


@pytest.mark.night
def test_production_refuses_to_start_where_statements_would_be_logged(
    talkative_server: Talkative, tmp_path: Path
) -> None:
    url = talkative_server.create("refused", ROLE)
    refused = python("-c", START, env=production(tmp_path, url))
    assert refused.returncode == 1
    assert "(candor.E008)" in refused.stderr
    assert "log_parameter_max_length = -1" in refused.stderr
    assert "log_statement = all" in refused.stderr
    lines = set(re.findall(r"ALTER ROLE [^;]*;", refused.stderr))
    names = {line.split(" SET ")[1].split()[0] for line in lines}
    assert names == {"log_parameter_max_length", "auto_explain.log_min_duration"}
    for line in lines:
        talkative_server.administer(line)
    mended = python("-c", START, env=production(tmp_path, url))
    assert mended.returncode == 0, mended.stderr
    assert "candor." not in mended.stderr
    logs_nothing_of_it(talkative_server, tmp_path, url)


def test_possible_statement_logging_warns_unless_the_role_may_switch_it_off(
    postgres: servers.Postgres, tmp_path: Path
) -> None:
    address = f"postgres://candor@127.0.0.1:{postgres.port}/postgres"
    with psycopg.connect(address, autocommit=True) as server:

        def made_for(role: str) -> str:
            """The address of a migrated database for a new role, which owns it and may use its tables."""
            postgres.create(role, postgres.migrated())
            with psycopg.connect(f"{address.rpartition('/')[0]}/{role}", autocommit=True) as own:
                own.execute(f"CREATE ROLE {role} LOGIN".encode())
                own.execute(f"ALTER DATABASE {role} OWNER TO {role}".encode())
                for kind in ("TABLES", "SEQUENCES"):
                    own.execute(f"GRANT ALL ON ALL {kind} IN SCHEMA public TO {role}".encode())
            return f"postgres://{role}@127.0.0.1:{postgres.port}/{role}"

        url = made_for("quiet")
        warned = run_check_command(tmp_path, url)
        assert warned.returncode == 0, warned.stderr
        assert "(candor.W009)" in warned.stderr
        (line,) = re.findall(r"ALTER ROLE [^;]*;", warned.stderr)
        assert line == 'ALTER ROLE "quiet" IN DATABASE "quiet" SET log_parameter_max_length = \'0\';'
        server.execute(line.encode())
        mended = run_check_command(tmp_path, url)
        assert (mended.returncode, "candor.W009" in mended.stderr) == (0, False), mended.stderr
        if server.info.server_version < 150_000:
            pytest.skip("PostgreSQL 14 has no right to set a parameter")
        url = made_for("granted")
        server.execute("GRANT SET ON PARAMETER log_parameter_max_length TO granted")
        started = run_check_command(tmp_path, url)
        assert (started.returncode, "candor." in started.stderr) == (0, False), started.stderr
