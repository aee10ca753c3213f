"""A player with a start-up page; SCRIPT names what it does wrong."""

import os
import runpy
import sys
import threading
import time
import urllib.request
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

SCRIPT = os.environ.get("SCRIPT", "good")


class Page(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(503 if SCRIPT == "never_warm" else 200 if self.path == "/warm" else 404)
        self.end_headers()

    def log_message(self, *words):
        print("asked for", self.path, flush=True)


if SCRIPT == "exits_at_once":
    sys.exit(8)
page = HTTPServer(("0.0.0.0", 7000), Page)
threading.Thread(target=page.serve_forever, daemon=True).start()
print("start url", os.environ["COWORLD_PLAYER_START_URL"], flush=True)
if SCRIPT == "never_warm":
    threading.Event().wait()
while True:  # the game is not there yet
    try:
        urllib.request.urlopen(os.environ["COWORLD_PLAYER_START_URL"], timeout=5).close()
        break
    except OSError:
        time.sleep(0.01)
runpy.run_path(str(Path(__file__).with_name("player.py")))
