"""OpenTelemetry traces from a request to the episode that it causes. Off by default, and then without cost.

A trace is on when OTEL_EXPORTER_OTLP_ENDPOINT names a collector, or OBSERVATORY_TRACE_FILE a file that gets one JSON
document per span. The context travels as a `traceparent`: in the header of requests, in the row of a job, in its lease.
"""

from __future__ import annotations

import atexit
import json
import os
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import ReadableSpan
    from opentelemetry.sdk.trace.export import SpanExporter

__all__ = ["current_traceparent", "flush", "install_exporter", "is_on", "span", "start_tracing"]

ENDPOINTS = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
FILE = "OBSERVATORY_TRACE_FILE"
HEADER = "traceparent"

_tracer: Any = None
_provider: Any = None
_OFF: AbstractContextManager[None] = nullcontext()


def is_on() -> bool:
    return _tracer is not None


def start_tracing(service: str) -> None:
    """Begin to export spans if the environment says where to; `RuntimeError` without the extra `tracing`."""
    path = os.environ.get(FILE)
    if is_on() or not (path or any(os.environ.get(name) for name in ENDPOINTS)):
        return
    try:
        from opentelemetry.sdk.trace.export import BatchSpanProcessor, SimpleSpanProcessor
    except ImportError:
        raise RuntimeError("Traces need OpenTelemetry: install `observatory[tracing]`, or unset the endpoint") from None
    if path:
        _install(service, SimpleSpanProcessor(_file_exporter(path)))
        return
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

    _install(service, BatchSpanProcessor(OTLPSpanExporter()))


def install_exporter(service: str, exporter: SpanExporter) -> None:
    """Export every span to this exporter as soon as it has ended."""
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor

    _install(service, SimpleSpanProcessor(exporter))


def span(name: str, *, parent: str | None = None, **attributes: str | int) -> AbstractContextManager[None]:
    """Measure a block. `parent` is a `traceparent`; by default the block that surrounds this one is the parent."""
    return _OFF if _tracer is None else _span(name, parent, attributes)


def flush() -> None:
    """Export the spans that have ended, before a process ends without its exit handlers."""
    if _provider is not None:
        _provider.force_flush()


def current_traceparent() -> str | None:
    """Return the context of the innermost block as a `traceparent`; None when tracing is off, or outside of blocks."""
    if _tracer is None:
        return None
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

    carrier: dict[str, str] = {}
    TraceContextTextMapPropagator().inject(carrier)
    return carrier.get(HEADER)


@contextmanager
def _span(name: str, parent: str | None, attributes: dict[str, str | int]) -> Iterator[None]:
    context = None
    if parent is not None:
        from opentelemetry.context import Context
        from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

        context = TraceContextTextMapPropagator().extract({HEADER: parent}, Context())
    with _tracer.start_as_current_span(name, context=context, attributes=attributes):
        yield


def _install(service: str, processor: Any) -> None:
    global _tracer, _provider
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider

    _provider = provider = TracerProvider(resource=Resource.create({"service.name": service}), shutdown_on_exit=False)
    provider.add_span_processor(processor)
    atexit.register(provider.shutdown)
    _tracer = provider.get_tracer("observatory")


def _file_exporter(path: str) -> SpanExporter:
    from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult

    class FileExporter(SpanExporter):
        """Appends spans to a file; several processes may use the same one."""

        def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
            lines = [json.dumps(json.loads(span.to_json())) + "\n" for span in spans]
            with open(path, "a", buffering=1) as file:
                for line in lines:
                    file.write(line)
            return SpanExportResult.SUCCESS

    return FileExporter()
