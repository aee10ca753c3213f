"""A tiny player that does everything right, except for the one thing that SCRIPT names."""

import os
import signal
import sys
import time
from urllib.parse import parse_qs, urlsplit

SCRIPT = os.environ.get("SCRIPT", "good")
if SCRIPT == "exits_at_once":
    sys.exit("no brain")
if SCRIPT == "not_now":
    sys.exit(75)
if SCRIPT == "tells_secrets":
    import base64
    import json
    from urllib.parse import quote

    for name in ("KEY", "PIN", "AWS_REGION"):
        value = os.environ[name]
        print(f"{name}={value}", json.dumps(value), quote(value, safe=""), base64.b64encode(value.encode()).decode())
    raise RuntimeError(f"no access with {os.environ['KEY']}")

from websockets.sync.client import connect  # noqa: E402  (a player that crashes at once need not load it)

OLD = SCRIPT == "old_generation"
url = os.environ["COGAMES_ENGINE_WS_URL" if OLD else "COWORLD_PLAYER_WS_URL"]
slot = parse_qs(urlsplit(url).query)["slot"][0]
print("playing", url, flush=True)
if artifact := os.environ.get("COWORLD_PLAYER_ARTIFACT_UPLOAD_URL"):
    with open(urlsplit(artifact).path, "wb") as file:
        file.write(b"PK\x05\x06" + b"\0" * 18)
if SCRIPT in ("posts_its_log", "floods_its_log"):
    from urllib.error import HTTPError
    from urllib.request import Request, urlopen

    lines = [b"hello from " + slot.encode(), url.encode()] if SCRIPT == "posts_its_log" else [b"x" * 900_000] * 13
    for line in lines:
        try:
            urlopen(Request(os.environ["COGAME_LOG_URI"], data=line, headers={"Content-Type": "text/plain"})).close()
        except HTTPError as error:
            print("refused", error.code, flush=True)
            error.close()
if SCRIPT == "never_connects":
    time.sleep(3600)
with connect(url, ping_interval=None, compression=None, close_timeout=0.2, proxy=None) as socket:
    for message in socket:
        if '"final"' in message:
            break
        if SCRIPT == "crashes_in_the_middle" and '"tick": 1' in message:
            sys.exit(9)
        if SCRIPT == "dies_by_signal" and '"tick": 1' in message:
            os.kill(os.getpid(), signal.SIGKILL)
        if SCRIPT == "eats_memory":
            block = [b"x" * (1 << 20) for _ in range(4000)]
        if SCRIPT == "leaves_early" and '"tick": 1' in message:
            sys.exit(0)
        if SCRIPT == "sleeps":
            time.sleep(3600)
        socket.send("1")
if SCRIPT == "exits_non_zero_at_the_end":
    sys.exit(7)
if SCRIPT == "does_not_end":
    time.sleep(3600)
if SCRIPT == "leaves_a_child":
    os.spawnlp(os.P_NOWAIT, "sleep", "sleep", "3599")
