"""Resource limits of a box."""

from dataclasses import dataclass

KIB, MIB, GIB = 1 << 10, 1 << 20, 1 << 30


@dataclass(frozen=True, kw_only=True)
class Limits:
    """Limits of one box as a whole, not of each process in it. Exceeding a limit ends the box with its verdict."""

    memory: int = GIB
    """bytes of memory, files in the private /tmp included"""
    cpu_seconds: float | None = None
    """processor time of all processes together; None leaves it to `wall_seconds`"""
    cpus: float | None = None
    """processors that all processes together use on average; needs a control group. None for all of the machine"""
    wall_seconds: float = 300.0
    """from the start of the program to its end"""
    processes: int = 64
    """processes and threads at once"""
    open_files: int = 512
    """open files of each process"""
    file_bytes: int = 256 * MIB
    """size of any one file; a write beyond it fails"""
    disk_bytes: int = GIB
    """everything in the private folder together"""
    disk_files: int = 20_000
    """files and folders in the private folder"""
    scratch_bytes: int = 64 * MIB
    """the private /tmp and /dev/shm together; a write beyond it fails, or ends the box"""
    scratch_files: int = 20_000
    """files and folders there"""
    output_bytes: int = 16 * MIB
    """standard output and standard error together"""

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if value is not None and not value > 0:
                raise ValueError(f"limit `{name}` must be more than 0, not {value!r}")
