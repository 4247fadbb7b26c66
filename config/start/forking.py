"""Child processes of one program: forked, forked again when they end, and stopped in order."""

import atexit
import logging
import os
import signal
import time
from collections.abc import Callable
from types import FrameType

from config.start import lifeline

log = logging.getLogger("config.start.forking")


class Processes:
    """`run` is called in each child, and asks whether it should stop; it may take `grace` seconds more. `at_stop` is
    called here."""

    def __init__(
        self,
        run: Callable[[Callable[[], bool]], None],
        number: int,
        grace: float,
        at_stop: Callable[[], None],
    ) -> None:
        self.run_child, self.number, self.grace, self.at_stop = run, number, grace, at_stop
        self.children: dict[int, float] = {}
        self.is_stopped = False

    def run(self) -> None:
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._ask)
        lifeline.end_with_parent()
        while not self.is_stopped:
            while len(self.children) < self.number:
                self._fork()
            time.sleep(0.1)
            self._reap()
        self.at_stop()
        self._signal(signal.SIGTERM)
        until = time.monotonic() + self.grace + 1
        while self.children and time.monotonic() < until:
            self._reap()
            time.sleep(0.02)
        self._signal(signal.SIGKILL)

    def _ask(self, number: int, frame: FrameType | None) -> None:
        self.is_stopped = True

    def _signal(self, number: int) -> None:
        for child in self.children:
            os.kill(child, number)

    def _reap(self) -> None:
        for child, began in list(self.children.items()):
            ended, status = os.waitpid(child, os.WNOHANG)
            if ended:
                del self.children[child]
            if ended and not self.is_stopped:
                log.warning("a process ended (%s); another one starts", os.waitstatus_to_exitcode(status))
                # One that dies at once is not started in a tight loop.
                time.sleep(1.0 if time.monotonic() - began < 1 else 0)

    def _fork(self) -> None:
        parent = os.getpid()
        child = os.fork()
        if child:
            self.children[child] = time.monotonic()
            return
        try:
            # Ctrl-C of a terminal reaches everybody; the first process stops the others.
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            atexit._clear()
            self.run_child(lambda: self.is_stopped or os.getppid() != parent)
            # What this process has counted is written; what its parent registered is the parent's.
            atexit._run_exitfuncs()
            logging.shutdown()
            os._exit(0)
        except BaseException:
            log.exception("a process failed")
            os._exit(1)
