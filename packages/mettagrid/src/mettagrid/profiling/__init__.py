"""Measure where a program spends time and memory: `Stopwatch`, `MemoryMonitor`, `SystemMonitor`."""
