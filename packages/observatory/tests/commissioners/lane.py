"""A worker that runs commissioners without boxes: the handler of the script in its own process.

usage: python -m packages.observatory.tests.commissioners.lane SERVER TOKEN_FILE NAME
"""

from __future__ import annotations

import json
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

from coworld.commissioner.protocol import PlatformMessage
from observatory.job_states import COMMISSIONER
from observatory.jobs.schemas import Lease
from observatory.worker.client import Call, HttpJobClient, LeaseLost, ServerAway
from observatory.worker.commissioner import HttpPipe
from packages.observatory.tests.commissioners.script import Script

THINKING_SECONDS = 0.1
"""before each answer, so that something can be killed meanwhile"""


def talk(client: HttpJobClient, lease: Lease) -> None:
    """Hold a conversation until it is over."""
    pipe, handler = HttpPipe(client, lease), Script()
    if not pipe.connect():
        return
    while True:
        messages, is_open = pipe.fetch()
        for text in messages:
            time.sleep(THINKING_SECONDS)
            try:
                replies = handler(PlatformMessage.from_json(json.loads(text)))
            except Exception as problem:
                pipe.close(str(problem), is_refusal=True)
                return
            if not all(pipe.receive(json.dumps(reply.to_json())) for reply in replies):
                return
        if not is_open:
            return


def keep_alive(client: HttpJobClient, lease: Lease, ended: threading.Event) -> None:
    while not ended.wait(lease.lease_seconds / 4):
        with suppress(ServerAway, LeaseLost):
            client.heartbeat(lease, "running")


def main() -> None:
    server, token_file, name = sys.argv[1:]
    client = HttpJobClient(server, Path(token_file).read_text().strip())
    while True:
        try:
            lease = client.lease(name, wait_seconds=0.5, call=Call(lane=COMMISSIONER))
        except ServerAway:
            time.sleep(0.05)
            continue
        if lease is None:
            continue
        ended = threading.Event()
        thread = threading.Thread(target=keep_alive, args=(client, lease, ended), daemon=True)
        thread.start()
        with suppress(LeaseLost):
            talk(client, lease)
        ended.set()
        thread.join()


if __name__ == "__main__":
    main()
