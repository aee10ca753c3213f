"""Sample the load of the machine and of this process in the background."""

from __future__ import annotations

import logging
import os
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Any

from mettagrid.envs._optional import extra
from mettagrid.profiling import _gpu

with extra("profiling"):
    import psutil

__all__ = ["SystemMonitor"]

_MB = 1024 * 1024
HOURLY_COST_VARIABLE = "METTA_HOURLY_COST"


class SystemMonitor:
    """Samples of CPU, memory and GPUs, one every `sampling_interval_sec`, the last `history_size` of each metric.

    Metrics: `cpu_percent`, `memory_percent`, `memory_available_mb`, `memory_used_mb`, `process_memory_mb`,
    `process_cpu_percent`, `process_threads`; `cpu_temperature` where the machine has a sensor; with CUDA GPUs
    `gpu_count`, `gpu_utilization_avg`, `gpu_memory_percent_avg`, `gpu_memory_used_mb_avg` and the same per GPU. With
    the environment variable METTA_HOURLY_COST also `cost/hourly_total` and `cost/accrued_total`, the latter over the
    time on `external_timer` (an object with `get_elapsed()`) or since `start`.
    """

    def __init__(
        self,
        sampling_interval_sec: float = 1.0,
        history_size: int = 100,
        log_level: int | None = None,
        auto_start: bool = True,
        external_timer: Any | None = None,
    ) -> None:
        self.logger = logging.getLogger(f"SystemMonitor.{id(self)}")
        if log_level is not None:
            self.logger.setLevel(log_level)
        self.sampling_interval_sec = sampling_interval_sec
        self.history_size = history_size
        self._process = psutil.Process()
        self._thread: threading.Thread | None = None
        self._stop_event = threading.Event()
        self._lock = threading.Lock()
        self._start_time: float | None = None
        self._external_timer = external_timer
        self._metrics: dict[str, deque[tuple[float, Any]]] = {}
        self._latest: dict[str, Any] = {}
        self._metric_collectors = self._collectors()
        for metric in self._metric_collectors:
            self._metrics[metric] = deque(maxlen=history_size)
        if auto_start:
            self.start()

    def start(self) -> None:
        """Start sampling in a daemon thread; without effect while it runs."""
        if self._thread is not None and self._thread.is_alive():
            return
        self._stop_event.clear()
        self._start_time = time.time()
        self._thread = threading.Thread(target=self._monitor_loop, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stop sampling and wait for the thread; without effect while it does not run."""
        self._stop_event.set()
        if self._thread is not None:
            self._thread.join()

    def get_latest(self, metric: str | None = None) -> Any:
        """Return the newest value of a metric, None before the first sample; without a name all values by metric."""
        with self._lock:
            return dict(self._latest) if metric is None else self._latest.get(metric)

    def get_history(self, metric: str) -> list[tuple[float, Any]]:
        """Return the samples of a metric as (Unix time, value), oldest first."""
        with self._lock:
            return list(self._metrics.get(metric, ()))

    def get_summary(self) -> dict[str, Any]:
        """Return latest, average, min, max and sample count of every metric."""
        with self._lock:
            metrics = {metric: _summary(self._latest.get(metric), samples) for metric, samples in self._metrics.items()}
        return {"timestamp": time.time(), "metrics": metrics}

    def stats(self) -> dict[str, float]:
        """Return the newest values as `monitor/METRIC`, for a logger."""
        return {f"monitor/{metric}": value for metric, value in self.get_latest().items() if value is not None}

    def _monitor_loop(self) -> None:
        while not self._stop_event.is_set():
            self._collect_sample()
            self._stop_event.wait(self.sampling_interval_sec)

    def _collect_sample(self) -> None:
        now = time.time()
        for metric, collect in self._metric_collectors.items():
            try:
                value = collect()
            except (psutil.Error, OSError, RuntimeError) as error:
                self.logger.warning("Cannot read %s: %s", metric, error)
                continue
            with self._lock:
                self._metrics[metric].append((now, value))
                self._latest[metric] = value

    def _collectors(self) -> dict[str, Callable[[], Any]]:
        process = self._process
        collectors: dict[str, Callable[[], Any]] = {
            "cpu_percent": lambda: psutil.cpu_percent(interval=None),
            "memory_percent": lambda: psutil.virtual_memory().percent,
            "memory_available_mb": lambda: psutil.virtual_memory().available / _MB,
            "memory_used_mb": lambda: psutil.virtual_memory().used / _MB,
            "process_memory_mb": lambda: process.memory_info().rss / _MB,
            "process_cpu_percent": lambda: process.cpu_percent(interval=None),
            "process_threads": process.num_threads,
        }
        if cpu_temperature() is not None:
            collectors["cpu_temperature"] = cpu_temperature
        collectors.update(_gpu.collectors())
        if os.environ.get(HOURLY_COST_VARIABLE):
            hourly = float(os.environ[HOURLY_COST_VARIABLE])
            collectors["cost/hourly_total"] = lambda: hourly
            collectors["cost/accrued_total"] = lambda: self._calculate_accrued_cost(hourly)
        return collectors

    def _calculate_accrued_cost(self, hourly_cost: float) -> float | None:
        """Return the cost of the time so far; None if neither timer has begun."""
        if self._external_timer is not None:
            elapsed = self._external_timer.get_elapsed()
        elif self._start_time is not None:
            elapsed = time.time() - self._start_time
        else:
            return None
        return hourly_cost * elapsed / 3600


def cpu_temperature() -> float | None:
    """Return the temperature of the processor in degrees Celsius; None without a sensor."""
    read = getattr(psutil, "sensors_temperatures", None)  # Linux only
    sensors = read() if read is not None else {}
    readings = [sensors[name] for name in ("coretemp", "cpu_thermal", "k10temp") if sensors.get(name)]
    return float(readings[0][0].current) if readings else None


def _summary(latest: Any, samples: deque[tuple[float, Any]]) -> dict[str, Any]:
    values = [value for _, value in samples if value is not None]
    return {
        "latest": latest,
        "average": sum(values) / len(values) if values else None,
        "min": min(values, default=None),
        "max": max(values, default=None),
        "sample_count": len(values),
    }
