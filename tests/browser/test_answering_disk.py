"""What a browser leaves on the respondent's disk: session storage is a file to which it only appends."""

import json
import re
import struct
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pyarrow as pa
import pytest
from playwright.sync_api import Browser, BrowserContext

from tests.browser.conftest import Asked, Respondent, fix_words, get_survey
from tests.browser.visiting import CHROMIUM, FLAGS
from tests.product import Product
from tests.servers import wait

pytestmark = [pytest.mark.browser, pytest.mark.night(smaller="browser/test_journeys.py")]
BLOCK = 32_768
MAGIC = 0xDB4775248B80FB57
SNAPPY = 1
FULL, FIRST, MIDDLE, LAST = 1, 2, 3, 4


def contents(folder: Path) -> dict[Path, bytes]:
    """Every file with its bytes, those of LevelDB and of Firefox's sessions unpacked as well; without what vanishes
    meanwhile."""
    found = {}
    for path in sorted(folder.rglob("*")):
        try:
            raw = path.read_bytes() if path.is_file() else b""
        except FileNotFoundError:
            continue
        found[path] = raw + b"".join(unpack_file(path, raw))
    return found


def files_holding_text(folder: Path, *texts: str) -> dict[str, list[str]]:
    """By text the files with it, in one of the encodings that a browser writes."""
    files = {str(path.relative_to(folder)): content for path, content in contents(folder).items()}
    encodings = ("utf-8", "utf-16-le", "utf-16-be")
    return {
        text: [
            name for name, content in files.items() if any(text.encode(code) in content for code in encodings)
        ]
        for text in texts
    }


def ever_stored(profile: Path, name: str) -> list[str]:
    """What session storage has written under this name, in order, also what was replaced or removed later.

    Chromium copies all of it where a tab is copied; each copy counts once.
    """
    found: dict[bytes, None] = {}
    for path in sorted((profile / "Default" / "Session Storage").glob("*.log")):
        for record in log_records(path.read_bytes()):
            for key, value in log_record_entries(record):
                if re.fullmatch(rb"map-\d+-" + re.escape(name.encode()), key):
                    found[value] = None
    return [value.decode("utf-16-le") for value in found]


def unpack_file(path: Path, raw: bytes) -> Iterator[bytes]:
    if path.suffix == ".log":
        yield from log_records(raw)
    elif path.suffix in (".ldb", ".sst") and raw[-8:] == MAGIC.to_bytes(8, "little"):
        yield from table_blocks(raw)
    elif raw.startswith(b"mozLz40\0"):
        size = int.from_bytes(raw[8:12], "little")
        yield pa.decompress(raw[12:], decompressed_size=size, codec="lz4_raw", asbytes=True)


def log_records(raw: bytes) -> Iterator[bytes]:
    """The records of a log. One that does not fit into its block goes on in the next."""
    record = b""
    for start in range(0, len(raw), BLOCK):
        block = raw[start : start + BLOCK]
        at = 0
        while at + 7 <= len(block):
            length, kind = struct.unpack_from("<HB", block, at + 4)
            piece = block[at + 7 : at + 7 + length]
            record = piece if kind in (FULL, FIRST) else record + piece
            if kind in (FULL, LAST) and len(piece) == length:
                yield record
            at += 7 + length


def log_record_entries(record: bytes) -> Iterator[tuple[bytes, bytes]]:
    """The keys and values that one record of a log puts in; after twelve bytes, put or delete, key, value."""
    at = 12
    while at < len(record):
        puts = record[at] == 1
        length, at = read_varint(record, at + 1)
        key, at = record[at : at + length], at + length
        if puts:
            length, at = read_varint(record, at)
            yield key, record[at : at + length]
            at += length


def table_blocks(raw: bytes) -> Iterator[bytes]:
    """The index of a table names its blocks; each is followed by a byte that says how it is packed."""
    footer = raw[-48:]
    _meta_offset, at = read_varint(footer, 0)
    _meta_size, at = read_varint(footer, at)
    offset, at = read_varint(footer, at)
    size, at = read_varint(footer, at)
    for handle in entries(unpacked_block(raw, offset, size)):
        start, next_at = read_varint(handle, 0)
        length, _end = read_varint(handle, next_at)
        yield unpacked_block(raw, start, length)


def unpacked_block(raw: bytes, offset: int, size: int) -> bytes:
    packed = raw[offset : offset + size]
    if raw[offset + size] != SNAPPY:
        return packed
    length, _start = read_varint(packed, 0)
    return bytes(pa.Codec("snappy").decompress(packed, length))


def entries(index: bytes) -> Iterator[bytes]:
    """The values of a block: shared and own part of each key, then the value."""
    (restarts,) = struct.unpack("<I", index[-4:])
    end, at = len(index) - 4 * (restarts + 1), 0
    while at < end:
        _shared, at = read_varint(index, at)
        own, at = read_varint(index, at)
        length, at = read_varint(index, at)
        yield index[at + own : at + own + length]
        at += own + length


def read_varint(raw: bytes, at: int) -> tuple[int, int]:
    """A number of seven bits a byte, and where it ends."""
    value = shift = 0
    while True:
        byte = raw[at]
        value |= (byte & 127) << shift
        shift, at = shift + 7, at + 1
        if byte < 128:
            return value, at


TRUTH = {0: 0, 1: 1, 2: 0}
KEY = [7] * 16

# Of the section, the key, and the demonstration before sending; replaced, since 5,000 and more do not keep.
FIRST_COINS = [9377, 8642, 7519, *KEY, 9157, 8263, 7129]
LATER = [9281, 8417, 7393, *KEY, 9091, 8087, 7079]
DECISIVE = [part for coins in (FIRST_COINS, LATER) for part in (coins[:3], coins[-3:])]
COINS = [f"{one},{following}" for part in DECISIVE for one, following in pairwise(part)]
ANSWERING = {"state": "answering", "drawn": {"asked": [True] * 3, "draws": []}, "token": None}
CONTROL = "<!doctype html><title>x</title><input type=radio name=telltale-radio><input name=telltale-text>"


@pytest.fixture
def profile(tmp_path: Path) -> Path:
    return tmp_path / "profile"


@pytest.fixture
def context(chromium: Browser, profile: Path) -> Iterator[BrowserContext]:
    """A browser that keeps its profile, as people's do."""
    opened = chromium.browser_type.launch_persistent_context(profile, executable_path=CHROMIUM, args=FLAGS)
    yield opened
    opened.close()


def stored_objects(profile: Path, survey: Asked) -> list[dict[str, object]]:
    return [json.loads(text) for text in ever_stored(profile, survey.address)]


def answer_with_clicks(respondent: Respondent) -> None:
    """With the clicks from which a browser learns what was entered."""
    respondent.agree_and_begin()
    while respondent.choose(TRUTH):
        respondent.press_button("Continue")
    assert respondent.heading == "Check your answers"


def nothing_of_coins_and_answers(profile: Path) -> None:
    secrets = [*COINS, "answer-0", "answer-1", "answer-2", "group-1"]
    assert files_holding_text(profile, *secrets) == {text: [] for text in secrets}


def test_disk_gets_no_coin_or_true_answer_while_answering(
    context: BrowserContext, profile: Path, product: Product, short: Asked
) -> None:
    page = context.new_page()
    fix_words(page, FIRST_COINS)
    page.goto(product.url + short.address)
    respondent = Respondent(page)
    answer_with_clicks(respondent)
    wait(lambda: stored_objects(profile, short) == [ANSWERING], "the tab's storage being written")
    nothing_of_coins_and_answers(profile)

    fix_words(page, LATER)
    page.reload()
    answer_with_clicks(respondent)
    nothing_of_coins_and_answers(profile)
    respondent.deliver()
    assert respondent.receipt()["answers"] == "011"
    context.close()
    nothing_of_coins_and_answers(profile)
    for kept in stored_objects(profile, short):
        assert kept == ANSWERING or (kept["state"] == "sending" and '"answers":"011"' in str(kept["body"]))


def test_disk_gets_only_the_record_while_it_is_sent(
    context: BrowserContext, profile: Path, product: Product, short: Asked
) -> None:
    """And before that an invitation, where there is one."""
    invited = get_survey(product, "invited")
    token = {"token": invited.tokens[0]}
    page = context.new_page()
    fix_words(page, FIRST_COINS)
    page.goto(f"{product.url}{invited.address}#{invited.tokens[0]}")
    answer_with_clicks(Respondent(page))
    page.goto(product.url + short.address)
    page.route(f"**{short.record}", lambda route: None)
    respondent = Respondent(page)
    answer_with_clicks(respondent)
    respondent.send()
    page.get_by_text("Sending …").wait_for()
    sending = respondent.tab_storage()
    context.close()
    assert set(sending) == {"state", "body"}
    assert [kept for kept in stored_objects(profile, short) if kept != ANSWERING] == [sending]
    found = stored_objects(profile, invited)
    assert found[-1] == ANSWERING | token
    assert found[:-1] in ([], [{"state": "arrived"} | token])
    nothing_of_coins_and_answers(profile)


def test_disk_search_finds_planted_traces(context: BrowserContext, profile: Path, product: Product) -> None:
    page = context.new_page()
    page.route("**/control", lambda route: route.fulfill(body=CONTROL, content_type="text/html"))
    page.goto(f"{product.url}/control")
    page.check("[name=telltale-radio]")
    page.fill("[name=telltale-text]", "typed-telltale")
    page.evaluate("sessionStorage.setItem(location.pathname, JSON.stringify({values: [9377, 8642]}))")
    page.goto(f"{product.url}/app/limits")
    for text in ("telltale-radio", "typed-telltale", COINS[0]):
        wait(lambda text=text: files_holding_text(profile, text)[text] != [], f"{text} being on the disk")  # type: ignore[misc]
    assert ever_stored(profile, "/control") == ['{"values":[9377,8642]}']


def test_disk_search_reads_compressed_tables_and_log_records(tmp_path: Path) -> None:
    text = b"9377,8642" * 20
    packed = pa.Codec("snappy").compress(text).to_pybytes()
    assert b"8642,9377" not in packed[30:]
    handle = bytes([0]) + varint(len(packed))
    index = bytes([0, 1, len(handle)]) + b"k" + handle + struct.pack("<II", 0, 1)
    footer = (bytes([0, 0]) + varint(len(packed) + 5) + varint(len(index))).ljust(40, b"\0")
    table = packed + b"\1\0\0\0\0" + index + b"\0\0\0\0\0" + footer + MAGIC.to_bytes(8, "little")
    (tmp_path / "000005.ldb").write_bytes(table)
    assert text in contents(tmp_path)[tmp_path / "000005.ldb"]

    first = b"x" * (32_768 - 7 - 7 - 4) + b"9377"
    log = b"".join(
        struct.pack("<IHB", 0, len(piece), kind) + piece
        for piece, kind in ((first, 2), (b"", 3), (b",8642", 4))
    )
    (tmp_path / "000003.log").write_bytes(log)
    assert b"9377,8642" not in log
    assert files_holding_text(tmp_path, "9377,8642") == {"9377,8642": ["000003.log", "000005.ldb"]}


def varint(value: int) -> bytes:
    return bytes([value]) if value < 128 else bytes([value & 127 | 128]) + varint(value >> 7)
