"""How fast pages answer while somebody attacks: sign-ins, slow downloads, slow senders, floods, long bodies.

`./run bench under_attack` starts two web processes and asks for respondents' pages and for those of researchers at
fixed times, calm and under each attack in turn; attackers and server share this machine. Exit status 1 if the 95th
percentile of respondents' pages is not below 250 ms among 400 hostile connections. `--attack NAME` takes one alone.
`--nginx` puts nginx with the lines of `deploy/` in front. Attackers have one address then. During the last attack, of
seven hundred connections, 400 people of a lecture hall, who share another address, open a survey and send a record
within two minutes (`--hall SECONDS`), then again within 20 seconds: the statuses say who refused whom. Exit status 1
also if one of them does not get through.
"""

import argparse
import asyncio
import multiprocessing
import re
import secrets
import socket
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from multiprocessing.synchronize import Event
from pathlib import Path

from bench.load import (
    answer,
    arrive,
    instance,
    open_survey,
    quantiles,
    record,
    request,
    running,
    shell,
    status,
)
from tests import servers
from tests.intake import asked
from tests.privacy.questionnaires import HALF, question, sensitive
from tests.product import nginx

RATE, GIVE_UP, GOAL = 20, 15.0, 0.25
"""Pages a second; seconds after which a reader gives up, which count as so long; seconds wanted of the p95."""

ASKS = asked.make_design(sensitive("0.5", question("theft", *HALF)))
DOWNLOADS: list[int] = []
"""Those that have begun."""
SLOWLY = 10_000
"""Bytes a second of a slow download."""
FORM = "Content-Type: application/x-www-form-urlencoded"
SIGNED_IN = """
from django.contrib.sessions.backends.db import SessionStore
from django.templatetags.static import static
from surveys.models import Survey
survey = Survey.objects.get(pk=%d)
survey.owner.is_superuser = True
survey.owner.save()
invited = Survey.objects.create(owner=survey.owner, design=survey.design, state="open", invited=True)
session = SessionStore()
session["_auth_user_id"] = str(survey.owner.pk)
session["_auth_user_backend"] = "django.contrib.auth.backends.ModelBackend"
session["_auth_user_hash"] = survey.owner.get_session_auth_hash()
session.save()
print(static("admin/js/vendor/jquery/jquery.js"), invited.pk, session.session_key)
"""


@dataclass(frozen=True)
class Stage:
    """`file`: the path of a long static file; `session`: of the owner of the survey and of the `invited` one;
    `addresses`: how many the attackers have."""

    slug: str
    file: str
    invited: str
    session: str
    port: int
    addresses: int

    @property
    def address(self) -> str:
        """One of the attackers'."""
        return f"127.0.1.{secrets.randbelow(self.addresses)}"

    def page(self, *headers: str) -> bytes:
        return request(f"GET /a/{self.slug}", *headers)


# --- what attackers send ----------------------------------------------------------------------------------


async def connection(stage: Stage) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    return await asyncio.open_connection(
        "127.0.0.1", stage.port, limit=1 << 16, local_addr=(stage.address, 0)
    )


async def exchange(stage: Stage, sent: bytes) -> bytes:
    return await answer(stage.port, sent, stage.address)


async def form(stage: Stage, path: str, cookie: str) -> tuple[str, str]:
    """The cookies and the token with which a form of this page is posted."""
    answered = await exchange(stage, request(f"GET {path}", cookie, "Connection: close"))
    if status(answered) != "200":
        raise ConnectionError("refused for now")
    token = re.findall(r'name="csrfmiddlewaretoken" value="([^"]+)"', answered.decode())[0]
    secret = re.findall(r"Set-Cookie: +(candor-csrf=[^;]+)", answered.decode())[0]
    return f"{cookie}; {secret}", f"csrfmiddlewaretoken={token}"


async def sign_in(stage: Stage, number: int) -> None:
    cookie, token = await form(stage, "/app/account/sign-in", "Cookie: theme=dark")
    while True:
        body = f"{token}&username={secrets.token_hex(8)}&password={secrets.token_hex(8)}"
        await exchange(
            stage, request("POST /app/account/sign-in", cookie, FORM, "Connection: close", body=body)
        )


async def download_slowly(stage: Stage, number: int) -> None:
    """A file of 100,000 invitations."""
    path = f"/app/surveys/{stage.invited}/invitations"
    cookie, token = await form(stage, path, f"Cookie: candor-session={stage.session}")
    narrow = socket.socket()
    narrow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
    narrow.setblocking(False)
    await asyncio.get_running_loop().sock_connect(narrow, ("127.0.0.1", stage.port))
    reader, writer = await asyncio.open_connection(sock=narrow, limit=4_096)
    writer.write(request(f"POST {path}/file", cookie, FORM, body=f"{token}&n=100000"))
    if b" 200 " not in await reader.readuntil(b"\r\n"):
        raise ConnectionError("refused for now")
    DOWNLOADS.append(number)
    while await reader.read(SLOWLY // 10):
        await asyncio.sleep(0.1)


async def dribble(stage: Stage, number: int) -> None:
    """A byte a second in the headers, in the body of a record, or of a long answer, by number."""
    # A reader takes so little at once that the answer stays where it is.
    reader, writer = await asyncio.open_connection("127.0.0.1", stage.port, limit=1)
    if number % 3 == 2:
        writer.write(request(f"GET {stage.file}") * 8)
        while await reader.read(1):
            await asyncio.sleep(1)
    else:
        begin, slow = "", "X-Slow: " + "x" * 10_000
        if number % 3:
            begin, slow = "Content-Length: 400\r\n\r\n", "{" + " " * 398
        head = (
            f"POST /a/{stage.slug}/record HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        )
        writer.write(f"{head}{begin}".encode())
        for byte in slow:
            if writer.is_closing():
                break
            writer.write(byte.encode())
            await writer.drain()
            await asyncio.sleep(1)
    writer.close()


async def flood(stage: Stage, number: int) -> None:
    reader, writer = await connection(stage)
    while True:
        writer.write(stage.page())
        head = await reader.readuntil(b"\r\n\r\n")
        await reader.readexactly(int(re.findall(rb"Content-Length: (\d+)", head)[0]))


async def ask(stage: Stage, number: int) -> None:
    await exchange(stage, stage.page("Connection: close"))


async def send_long_body(stage: Stage, number: int) -> None:
    """An upload of 60 MB by somebody who has not signed in."""
    head = b'--x\r\nContent-Disposition: form-data; name="file"; filename="t.csv"\r\n\r\n'
    body = head + bytes(59_000_000) + b"\r\n--x--\r\n"
    reader, writer = await connection(stage)
    kind = "Content-Type: multipart/form-data; boundary=x"
    writer.write(request("POST /app/releases/new", kind, f"Content-Length: {len(body)}"))
    for start in range(0, len(body), 1 << 16):
        writer.write(body[start : start + (1 << 16)])
        await writer.drain()
    await reader.read(100)
    writer.close()


async def be_silent(stage: Stage, number: int) -> None:
    await exchange(stage, b"")


async def send_nonsense(stage: Stage, number: int) -> None:
    await exchange(stage, secrets.token_bytes(1_000) + b"\r\n\r\n")


async def ask_and_read_nothing(stage: Stage, number: int) -> None:
    _reader, writer = await connection(stage)
    writer.write(stage.page() * 50)
    await asyncio.sleep(10)
    writer.close()


HOSTILE = [dribble, dribble, dribble, be_silent, send_nonsense]


async def be_hostile(stage: Stage, number: int) -> None:
    """Three in five dribble, one is silent, one sends nonsense."""
    await HOSTILE[number % len(HOSTILE)](stage, number // len(HOSTILE))


Attack = Callable[[Stage, int], Awaitable[None]]
ONE_MACHINE = "seven hundred connections"
ATTACKS: dict[str, tuple[Attack, int, float]] = {
    "sign-ins under invented names": (sign_in, 60, 0),
    "slow downloads": (download_slowly, 8, 0.5),
    "slow senders and readers": (dribble, 400, 0.2),
    "a flood of a page": (flood, 60, 0),
    "long bodies": (send_long_body, 20, 0),
    "fifty pages at once, none read": (ask_and_read_nothing, 60, 0),
    "hostile connections": (be_hostile, 400, 0.2),
    ONE_MACHINE: (ask, 700, 1),
}
"""What each connection does again and again, how many there are, and the seconds between two times."""
GOALS = ["hostile connections"]


def attack(name: str, stage: Stage, begun: Event) -> None:
    run, number, pause = ATTACKS[name]

    async def again(index: int) -> None:
        while True:
            with suppress(OSError, asyncio.IncompleteReadError):
                await run(stage, index)
            await asyncio.sleep(pause)

    async def everybody() -> None:
        tasks = [asyncio.create_task(again(index)) for index in range(number)]
        await asyncio.sleep(3)
        while run is download_slowly and len(DOWNLOADS) < number:
            await asyncio.sleep(0.1)
        begun.set()
        await asyncio.gather(*tasks)

    asyncio.run(everybody())


@contextmanager
def attacked(name: str, stage: Stage) -> Iterator[None]:
    begun = multiprocessing.Event()
    process = multiprocessing.Process(target=attack, args=(name, stage, begun), daemon=True)
    process.start()
    try:
        begun.wait(120)
        yield
        if not process.is_alive():
            raise RuntimeError(f"{name}: the attack itself failed")
    finally:
        process.kill()
        process.join()


# --- everybody else ---------------------------------------------------------------------------------------


async def pages(port: int, paths: Sequence[str], seconds: float) -> list[float]:
    """Seconds that each page took from the time it was due, on a connection and from an address of its own."""
    took: list[float] = []

    async def read(number: int, due: float) -> None:
        own = f"127.0.{2 + secrets.randbelow(250)}.{1 + secrets.randbelow(250)}"
        sent = request(f"GET {paths[number % len(paths)]}", "Connection: close")
        with suppress(OSError, TimeoutError):
            async with asyncio.timeout(GIVE_UP):
                if status(await answer(port, sent, own)) == "200":
                    took.append(time.monotonic() - due)
                    return
        took.append(GIVE_UP)

    await arrive((number / RATE for number in range(int(RATE * seconds))), read)
    return sorted(took)


def measure(stage: Stage, seconds: float) -> list[list[float]]:
    """Of pages of respondents, and of researchers."""

    async def both() -> list[list[float]]:
        paths = [f"/a/{stage.slug}", "/"], ["/app/account/sign-in", "/app/limits"]
        return await asyncio.gather(*(pages(stage.port, kind, seconds) for kind in paths))

    return asyncio.run(both())


HALL, HALL_ADDRESS = 400, "127.0.3.1"
PEAK = 20.0
"""Seconds in which they all come where somebody tells them to."""


async def fetch(stage: Stage, sent: bytes) -> bytes:
    """All that is answered to somebody in the hall; nothing where the connection broke."""
    with suppress(OSError):
        return await answer(stage.port, sent, HALL_ADDRESS)
    return b""


async def take_part(stage: Stage) -> str:
    """What became of somebody in the hall who wants the page, all its files at once, and to store a record."""
    page = await fetch(stage, stage.page("Connection: close"))
    paths = set(re.findall(rb'(?:href|src)="(/static/[^"]+)"', page))
    files = await asyncio.gather(
        *(fetch(stage, request(f"GET {path.decode()}", "Connection: close")) for path in paths)
    )
    stored = await fetch(stage, record(stage.slug, asked.envelope_of(ASKS, "0").json, "Connection: close"))
    for kind, answered in [("page", page), *(("file", file) for file in files), ("record", stored)]:
        if (outcome := status(answered) or "broken") not in ("200", "201"):
            return f"{kind}: {outcome}"
    return "got through" if len(files) > 5 else "page: no files"


async def lecture_hall(stage: Stage, seconds: float) -> tuple[Counter[str], float]:
    """What became of the people in the hall, who come evenly, and how many seconds the slowest took."""
    outcomes, took = Counter[str](), list[float]()

    async def person(_number: int, due: float) -> None:
        outcomes[await take_part(stage)] += 1
        took.append(time.monotonic() - due)

    await arrive((number * seconds / HALL for number in range(HALL)), person)
    return outcomes, max(took)


@contextmanager
def serving(env: dict[str, str], behind_nginx: bool) -> Iterator[int]:
    """Two web processes; behind nginx, whose port it is then, two for staff and two for respondents."""
    port = servers.free_port()
    words = [*servers.web(), "--port", str(port), "--processes", "2"]
    with ExitStack() as stack:
        if behind_nginx:
            respondents = servers.free_port()
            words += ["--respondents-port", str(respondents)]
            stack.enter_context(running(words, env, respondents))
            front = nginx(Path(env["VAR"]), port, port, respondents=(respondents, respondents), tls=False)
            yield stack.enter_context(front)
        else:
            stack.enter_context(running(words, env, port))
            yield port


def line(name: str, *by_kind: list[float]) -> str:
    cells = [name]
    for took in by_kind:
        cells += [f"{milliseconds:.0f}" for milliseconds in quantiles(took, 0.5, 0.95)]
        cells.append(f"{sum(seconds >= GIVE_UP for seconds in took)} of {len(took)}")
    return f"| {' | '.join(cells)} |"


HEADER = """| attack | respondents' pages: p50 ms | p95 ms | no page | researchers' pages: p50 ms | p95 ms | no page |
| -- | --: | --: | --: | --: | --: | --: |"""


def main() -> None:
    parser = argparse.ArgumentParser(prog="./run bench under_attack", description=__doc__)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--attack", choices=ATTACKS, action="append")
    parser.add_argument("--nginx", action="store_true", help="behind nginx, against attackers of one address")
    parser.add_argument("--hall", type=float, default=120, metavar="SECONDS")
    args = parser.parse_args()
    failed = False
    with instance(own={"PRODUCTION": "no"}) as env:
        servers.manage(env, "collectstatic", "-v", "0", "--no-input")
        survey, slug = open_survey(env, ASKS)
        file, invited, session = shell(env, SIGNED_IN % survey).split()
        print(HEADER, flush=True)
        for name in ["", *(args.attack or ATTACKS)]:
            with serving(env, args.nginx) as port:
                stage = Stage(slug, file, invited, session, port, 1 if args.nginx else 8)
                measure(stage, 2)
                if not name:
                    print(line("none", *measure(stage, args.seconds)), flush=True)
                    continue
                with attacked(name, stage):
                    took = measure(stage, args.seconds)
                    halls = (args.hall, PEAK) if args.nginx and name == ONE_MACHINE else ()
                    outcomes = [(seconds, *asyncio.run(lecture_hall(stage, seconds))) for seconds in halls]
                print(line(f"{name}: {ATTACKS[name][1]} connections", *took), flush=True)
                failed |= name in GOALS and took[0][int(len(took[0]) * 0.95)] >= GOAL
                for seconds, hall, slowest in outcomes:
                    failed |= hall["got through"] < HALL
                    text = ", ".join(f"{number} {outcome}" for outcome, number in hall.most_common())
                    text = f"{HALL} within {seconds:g} s: {text}; the slowest took {slowest:.1f} s"
                    print(f"| {text} |", flush=True)
    raise SystemExit(failed)


if __name__ == "__main__":
    main()
