"""The sidecar `final-logs`: after the game and the worker have ended, upload the end of their logs."""

import json
import signal
import sys
import threading
from collections.abc import Mapping

from coworld.engines.base import EngineError
from coworld.engines.kubernetes.cluster import Cluster
from coworld.engines.kubernetes.connection import connect
from coworld.engines.kubernetes.verdicts import container_exit
from coworld.runner.kubernetes.settings import required
from coworld.uris.transfer import UriError, write_uri

LINES, BYTES = 10_000, 1 << 20
POLL_SECONDS = 2.0
CONTAINERS = ("coworld-init-config", "launch-players", "game", "worker")


def final_logs(environ: Mapping[str, str], stop: threading.Event | None = None) -> int:
    """Wait for the end of the worker, or for SIGTERM, and upload all logs as one JSON document."""
    stop = stop or threading.Event()
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, lambda number, frame: stop.set())
    name, uid = required(environ, "POD_NAME"), required(environ, "POD_UID")
    uri = required(environ, "FINAL_LOGS_URI")
    try:
        cluster = connect(environ, namespace=required(environ, "JOB_NAMESPACE"))
        while not stop.wait(POLL_SECONDS):
            pod = cluster.get("pods", name)
            if pod is None or container_exit(pod, "worker") is not None:
                break
        document = {"schema_version": "1", "pod_name": name, "pod_uid": uid, "containers": _logs(cluster, name)}
        write_uri(uri, json.dumps(document).encode(), content_type="application/json")
    except (EngineError, UriError) as error:
        print(f"the final logs could not be uploaded: {error}", file=sys.stderr)
        return 1
    return 0


def _logs(cluster: Cluster, pod: str) -> dict[str, object]:
    logs: dict[str, object] = {}
    for container in CONTAINERS:
        try:
            text = cluster.log(pod, container, lines=LINES, max_bytes=BYTES).decode(errors="replace")
            logs[container] = {"log": text}
        except EngineError as error:
            logs[container] = {"problem": str(error)}
    return logs
