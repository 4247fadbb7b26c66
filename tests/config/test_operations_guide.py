"""What the documents tell an operator to do is there, and keeps respondents out of a proxy's log."""

import re
from types import ModuleType

import pytest

from config import web_server
from tests import servers
from tests.config import proxied
from ui.url_path_classes import PUBLIC, RESPONDENTS, STATIC

OPERATIONS = (servers.ROOT / "docs/operations.md").read_text()
CONTRIBUTING = (servers.ROOT / "CONTRIBUTING.md").read_text()
NGINX = (servers.ROOT / "deploy/nginx.conf").read_text()


def location(path: str) -> str:
    """What nginx is told about these addresses."""
    found = re.search(rf"^location {re.escape(path)} {{\n(.*?)^}}", NGINX, re.MULTILINE | re.DOTALL)
    assert found, path
    return found[1]


@pytest.mark.parametrize("path", [RESPONDENTS, PUBLIC, STATIC])
def test_the_proxy_logs_no_respondent_and_no_reader_and_tells_candor_nothing_about_them(path: str) -> None:
    theirs = location(f"^~ {path}")
    assert "access_log off;" in theirs
    assert "error_log /dev/null" in theirs
    assert "X-Forwarded-For" not in theirs
    assert "X-Forwarded-For $remote_addr" in location("/")
    for block in (theirs, location("/")):
        # The port too: the form's origin has it. A name that a request makes up is no allowed host.
        assert "proxy_set_header Host $http_host;" in block
        assert "proxy_set_header X-Forwarded-Proto $scheme;" in block


def test_nginx_gets_connections_for_all_that_candor_hears() -> None:
    """Each request takes two: from the browser, and to Candor."""
    assert f"`worker_connections {proxied.CONNECTIONS};`" in OPERATIONS
    assert f"`worker_rlimit_nofile {2 * proxied.CONNECTIONS};`" in OPERATIONS
    assert proxied.CONNECTIONS >= 2 * web_server.CONNECTIONS


def test_the_production_line_believes_the_proxy_that_stands_below_it() -> None:
    line = OPERATIONS.index("BEHIND_PROXY=yes ./run serve")
    assert line < OPERATIONS.index("nginx.conf") < OPERATIONS.index("## Backup and restore")


def test_every_file_unit_and_command_of_the_installation_is_there(run: ModuleType) -> None:
    upgrade, debian = OPERATIONS.partition("## Upgrade\n")[2].split("\n## ")[:2]
    for text in (upgrade, debian):
        assert set(re.findall(r"/opt/candor/run (\w+)", text)) == {"install"}
        assert "install" in run.COMMANDS
        for path in re.findall(r"/opt/candor/(deploy/\S*\w)", text):
            assert list(servers.ROOT.glob(path)), path
        for units in re.findall(r"systemctl (?:start|stop|enable --now) (.+)", text):
            for unit in units.split():
                name = unit if "." in unit else f"{unit}.service"
                assert (servers.ROOT / "deploy" / name).is_file(), name
    block = debian.partition("server {")[2].partition("}")[0]
    assert "include /opt/candor/deploy/nginx.conf;" in block


def test_every_command_of_the_release_list_is_there(run: ModuleType) -> None:
    releasing = CONTRIBUTING.partition("## Releasing\n")[2]
    commands = set(re.findall(r"`\./run (\w+)", releasing))
    assert {"test", "bench"} <= commands <= set(run.COMMANDS)
    measurements = set(re.findall(r"`\./run bench (\w+)", releasing))
    assert len(measurements) == 5
    assert all((servers.ROOT / "bench" / f"{name}.py").is_file() for name in measurements)
