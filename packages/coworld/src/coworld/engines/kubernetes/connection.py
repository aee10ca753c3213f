"""Find the API server, the credentials and the namespace: in a kubeconfig, else in the pod's service account."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from coworld.engines.base import EngineError
from coworld.engines.kubernetes.cluster import Cluster

if TYPE_CHECKING:
    from types import ModuleType

INSTALL = "pip install 'coworld[kubernetes]'"
NAMESPACE_VARIABLE = "COWORLD_KUBERNETES_NAMESPACE"
SERVICE_ACCOUNT = Path("/var/run/secrets/kubernetes.io/serviceaccount")
POOL_SIZE = 32
"""connections to the API server that stay open: one follows pods, the others serve calls of several threads"""


def connect(environ: Mapping[str, str] | None = None, *, namespace: str | None = None) -> Cluster:
    """Connect to the cluster of the kubeconfig (`KUBECONFIG`, `~/.kube/config`) or, in a pod, of its service account.

    The namespace is the argument, else `COWORLD_KUBERNETES_NAMESPACE`, that of the context or pod, or `default`.

    Raises:
        EngineError: the library is missing, or there is neither a kubeconfig nor a service account, or it is broken.
    """
    environ = os.environ if environ is None else environ
    library = _library()
    configuration = library.client.Configuration()
    try:
        own_namespace = _configure(library, configuration, environ)
    except (library.config.ConfigException, OSError, ValueError) as error:
        raise EngineError(f"the Kubernetes configuration cannot be used: {' '.join(str(error).split())}") from None
    configuration.connection_pool_maxsize = POOL_SIZE
    configuration.retries = False  # `Cluster` retries
    api = library.client.ApiClient(configuration)
    return Cluster(api, namespace or environ.get(NAMESPACE_VARIABLE) or own_namespace or "default")


def _library() -> ModuleType:
    try:
        import kubernetes
        import kubernetes.client
        import kubernetes.config
    except ImportError:
        raise EngineError(f"the Kubernetes engine needs the library `kubernetes`: run `{INSTALL}`") from None
    return kubernetes


def _configure(library: Any, configuration: Any, environ: Mapping[str, str]) -> str | None:
    """Fill the configuration; return the namespace it comes with."""
    named = environ.get("KUBECONFIG", "")
    home = Path(environ.get("HOME") or os.path.expanduser("~")) / ".kube" / "config"
    paths = [path for path in named.split(os.pathsep) if path and Path(path).is_file()]
    if named and not paths:
        raise EngineError(f"KUBECONFIG names {named}, which does not exist: name a kubeconfig, or unset it")
    if paths or home.is_file():
        files = os.pathsep.join(paths) or str(home)
        library.config.load_kube_config(config_file=files, client_configuration=configuration)
        context = library.config.list_kube_config_contexts(config_file=files)[1]
        return (context.get("context") or {}).get("namespace")
    if (SERVICE_ACCOUNT / "token").is_file() and environ.get("KUBERNETES_SERVICE_HOST"):
        library.config.load_incluster_config(client_configuration=configuration)
        file = SERVICE_ACCOUNT / "namespace"
        return file.read_text().strip() if file.is_file() else None
    raise EngineError(
        "no Kubernetes cluster is configured: set KUBECONFIG or create ~/.kube/config, or run in a pod with a service "
        "account; `kubectl cluster-info` shows whether it works"
    )
