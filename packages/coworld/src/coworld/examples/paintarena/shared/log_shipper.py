"""Compatibility names for a logger whose lines the platform collects over HTTP.

    logger = get_logger("my_game.player")
    logger.info("connecting")

Each line goes to stdout and, when `COGAME_LOG_URI` is set, by POST to that address. A thread sends them, so that a
slow server does not hold up the game; the lines that wait are sent when the process ends.
"""

from __future__ import annotations

import atexit
import logging
import os
import queue
import sys
from logging.handlers import QueueHandler, QueueListener
from urllib.request import Request, urlopen

__all__ = ["HttpLogHandler", "get_logger"]

LOG_URI_ENV_VAR = "COGAME_LOG_URI"
USER_AGENT = "coworld-paintarena/1"  # servers refuse the default one of urllib
TIMEOUT_SECONDS = 10.0


class HttpLogHandler(logging.Handler):
    """Send each record as text to a URL; report one that cannot be sent as `logging` reports its errors."""

    def __init__(self, url: str) -> None:
        super().__init__()
        self.url = url

    def emit(self, record: logging.LogRecord) -> None:
        headers = {"Content-Type": "text/plain", "User-Agent": USER_AGENT}
        try:
            request = Request(self.url, data=self.format(record).encode(), method="POST", headers=headers)
            with urlopen(request, timeout=TIMEOUT_SECONDS):
                pass
        except Exception:
            self.handleError(record)


def get_logger(name: str) -> logging.Logger:
    """Return the logger `name`, which prints to stdout and ships to `COGAME_LOG_URI`; the same one for a name."""
    logger = logging.getLogger(name)
    if logger.handlers:
        return logger
    logger.setLevel(logging.INFO)
    logger.propagate = False
    printer = logging.StreamHandler(sys.stdout)
    url = os.environ.get(LOG_URI_ENV_VAR)
    if not url:
        logger.addHandler(printer)
        return logger
    waiting: queue.SimpleQueue[logging.LogRecord] = queue.SimpleQueue()
    listener = QueueListener(waiting, printer, HttpLogHandler(url))
    listener.start()
    atexit.register(listener.stop)
    logger.addHandler(QueueHandler(waiting))
    return logger
