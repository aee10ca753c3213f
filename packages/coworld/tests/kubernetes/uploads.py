"""A server of presigned-style URLs: it serves files and records uploads in their order."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class UploadServer:
    """Has `files` to read and `uploads` that were written; `refuse` names uploads that fail."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.uploads: dict[str, bytes] = {}
        self.order: list[str] = []
        self.refuse: set[str] = set()
        server = self

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, format: str, *args: Any) -> None:
                return

            def do_GET(self) -> None:
                data = server.files.get(self.path.strip("/"))
                self.send_response(404 if data is None else 200)
                self.send_header("Content-Length", str(len(data or b"")))
                self.end_headers()
                self.wfile.write(data or b"")

            def do_PUT(self) -> None:
                name = self.path.strip("/")
                data = self.rfile.read(int(self.headers["Content-Length"]))
                if name not in server.refuse:
                    server.uploads[name] = data
                    server.order.append(name)
                self.send_response(400 if name in server.refuse else 200)
                self.send_header("Content-Length", "0")
                self.end_headers()

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
