"""The hostile programs of `programs/`, with the verdict each must get.

A program's own docstring says what it attacks. One verdict holds for every level and every user; where a level must
differ, `differs` says how and `why` says why. After every case, whatever its verdict, the worker makes sure from
outside that nothing was read, changed, reached or left (`world.py`).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from cogbox import Level, Limits, Verdict

MIB = 1 << 20

OK, EXIT_CODE, SIGNAL, PROTOCOL = Verdict.OK, Verdict.EXIT_CODE, Verdict.SIGNAL, Verdict.PROTOCOL
MEMORY, PROCESSES, TIME, OUTPUT = Verdict.OUT_OF_MEMORY, Verdict.TOO_MANY_PROCESSES, Verdict.TIME, Verdict.OUTPUT

Verdicts = tuple[Verdict, ...]

# Small, so that a bomb goes off quickly; the wall time only ends what nothing else does.
LIMITS = Limits(
    memory=64 * MIB,
    wall_seconds=30,
    processes=16,
    open_files=256,
    file_bytes=8 * MIB,
    disk_bytes=32 * MIB,
    disk_files=1000,
    scratch_bytes=16 * MIB,
    scratch_files=1000,
    output_bytes=MIB,
)
SHORT = replace(LIMITS, wall_seconds=0.4)
PROCESSOR = replace(LIMITS, cpu_seconds=0.3)
ROOMY = replace(LIMITS, memory=256 * MIB)  # processes that share no memory yet can fill 64 MiB before they are counted


@dataclass(frozen=True, kw_only=True)
class Case:
    expect: Verdicts
    limits: Limits = LIMITS
    says: bytes = b""
    """what its output must hold: for most the last word of a program whose every attack was refused"""
    differs: Mapping[str, Verdicts] = field(default_factory=dict)
    """by `level`, `unmetered` (no control group counts the box), or `level unmetered`; the last that fits holds"""
    why: str = ""
    """why levels differ, or why more than one verdict is right"""
    arrange: str = ""
    """what it is granted; a name of ARRANGEMENTS in worker.py"""
    collect: Mapping[str, bytes | None] = field(default_factory=dict)
    """names to collect, and what may come of it"""
    left_out: Mapping[Level, str] = field(default_factory=dict)
    """levels it does not concern, and why"""

    def verdicts(self, level: Level, metered: bool) -> Verdicts:
        """Return the expected verdicts at a level, with or without a control group."""
        names = [level.value] if metered else [level.value, "unmetered", f"{level.value} unmetered"]
        return next((self.differs[name] for name in reversed(names) if name in self.differs), self.expect)


def held(**more: object) -> Case:
    """Return a program whose attacks are all refused, and which then ends by itself."""
    return Case(**({"expect": (OK,), "says": b"done\n"} | more))  # type: ignore[arg-type]


def ended(*verdicts: Verdict, limits: Limits = LIMITS, **more: object) -> Case:
    """Return a program that goes beyond a limit."""
    return Case(expect=verdicts, limits=limits, **more)  # type: ignore[arg-type]


NO_LINKS = {Level.LANDLOCK: "has no network to link to: links are refused before the start"}
ON_DISK = "without a mount namespace /tmp is a folder on the disk, and the limit of the disk ends the box"
NOT_COUNTED = "without a control group such memory cannot be counted, so the calls that make it are refused"

CASES: dict[str, Case] = {
    # No attacks but controls
    "does_usual_work": held(limits=replace(LIMITS, memory=256 * MIB, processes=64)),
    "leaves_a_zombie": held(),
    "shares_memory_with_children": held(),
    # Processes
    "fork_bomb": ended(PROCESSES, limits=ROOMY),
    "fork_bomb_ignoring_signals": ended(PROCESSES, limits=ROOMY),
    "fork_bomb_in_shell": ended(
        PROCESSES,
        limits=ROOMY,
        differs={"unmetered": (PROCESSES, OK)},
        why="a shell that cannot fork leaves; a sample may come too late",
    ),
    "thread_bomb": ended(PROCESSES),
    "zombies": ended(PROCESSES, limits=ROOMY),
    "comets": ended(PROCESSES, OK, why="whether a generation is seen beyond the limit is chance; none may survive"),
    "double_fork_daemon": held(),
    "daemon_holding_output": held(),
    "flood_after_the_end": ended(OK, OUTPUT, why="as much as was in the pipes when the program ended counts"),
    "flood_after_the_end_by_yes": ended(OK, OUTPUT, why="as much as was in the pipes when the program ended counts"),
    "reexec_forever": ended(TIME, limits=SHORT),
    "child_of_its_parent": held(),
    "own_reaper": held(),
    "deadly_exit_signal": held(),
    # Memory
    "memory_anonymous": ended(MEMORY),
    "memory_shared": ended(MEMORY, differs={"unmetered": (OK,)}, why=NOT_COUNTED),
    "memory_of_many_children": ended(MEMORY),
    "memory_hidden_from_processes": ended(MEMORY, differs={"unmetered": (OK,)}, why=NOT_COUNTED),
    "memory_left_to_a_child": ended(MEMORY, differs={"unmetered": (OK,)}, why=NOT_COUNTED),
    "memory_without_a_leader": ended(MEMORY),
    "memory_page_tables": ended(MEMORY),
    "memory_kills_the_reaper": ended(
        MEMORY,
        limits=replace(LIMITS, file_bytes=256 * MIB),
        differs={"unmetered": (OK,)},
        why=NOT_COUNTED,
    ),
    "memory_pinned_in_pipes": ended(
        MEMORY,
        differs={"unmetered": (OK,), "container": (MEMORY, OK)},
        why=NOT_COUNTED + "; podman refuses vmsplice to all programs",
    ),
    "memory_in_tmp": held(limits=replace(LIMITS, file_bytes=256 * MIB), differs={"landlock": (OUTPUT,)}, why=ON_DISK),
    "memory_in_dev_shm": held(limits=replace(LIMITS, file_bytes=256 * MIB)),
    "memory_in_dev_shm_by_cat": ended(
        MEMORY,
        limits=replace(LIMITS, memory=8 * MIB, scratch_bytes=64 * MIB, file_bytes=256 * MIB),
        differs={"landlock": (OK,), "unmetered": (OK, MEMORY)},
        why="at `landlock` there is no /dev/shm; without a control group its own size is the limit",
    ),
    "memory_memfd": ended(MEMORY, differs={"unmetered": (OK,)}, why=NOT_COUNTED),
    "memory_system_v": ended(
        MEMORY,
        differs={"unmetered": (OK,), "landlock": (OK,)},
        why=NOT_COUNTED + "; at `landlock` they would be the machine's, so they are refused there too",
    ),
    "memory_in_pipes": ended(
        MEMORY,
        differs={"unmetered": (OK, MEMORY)},
        why="without a control group the kernel's limit for a user's pipes binds",
    ),
    "memory_in_unix_sockets": ended(
        MEMORY, differs={"unmetered": (OK, MEMORY)}, why="without a control group the number of open files binds"
    ),
    "memory_in_tcp_buffers": ended(
        MEMORY,
        OK,
        why="OK where the buffers are too small to matter, or there are no sockets; 96 MiB held are an escape",
    ),
    "archive_bomb_in_memory": ended(MEMORY),
    "archive_bomb_on_disk": ended(OUTPUT),
    "stack_overflow": ended(SIGNAL, MEMORY, why="the stack's own limit or the box's, whichever is nearer"),
    # Time
    "endless_loop": ended(TIME, limits=SHORT),
    "sleep": ended(TIME, limits=SHORT),
    "processor_hogs": ended(TIME, limits=PROCESSOR),
    "processor_hogs_nobody_waits_for": ended(TIME, limits=PROCESSOR),
    "processor_hog_with_handler": ended(TIME, limits=PROCESSOR),
    "ignores_signals": ended(TIME, limits=SHORT),
    "stops_itself": ended(TIME, limits=SHORT),
    "time_with_links_open": ended(TIME, limits=SHORT, arrange="link", left_out=NO_LINKS),
    # Output
    "huge_stdout": ended(OUTPUT),
    "huge_stderr": ended(OUTPUT),
    "both_streams": ended(OUTPUT),
    "endless_line": ended(OUTPUT),
    "slow_drip": ended(TIME, limits=SHORT),
    "binary_junk": ended(OK, arrange="junk"),
    "closes_everything": ended(OK),
    # Files
    "huge_file": ended(OUTPUT),
    "huge_file_ignoring_the_signal": ended(OUTPUT),
    "sparse_file": held(collect={"sparse": bytes((2 << 20) - 1) + b"x"}),
    "reserved_space": held(),
    "many_files": ended(OUTPUT),
    "many_files_in_tmp": ended(
        OUTPUT, OK, why="the kernel refuses the next file where the private /tmp has a limit of its own"
    ),
    "deep_tree": ended(OUTPUT, limits=replace(LIMITS, disk_files=20_000, disk_bytes=256 * MIB)),
    "wide_tree": held(limits=replace(LIMITS, disk_files=20_000)),
    "odd_names": held(),
    "closed_folders": ended(
        OK,
        OUTPUT,
        collect={"absent": None},
        why="what its owner closes to itself cannot be counted, which counts as too much",
    ),
    "hidden_files": ended(OUTPUT),
    "nameless_files": ended(OUTPUT),
    "nameless_files_mapped": ended(OUTPUT),
    "nameless_files_in_flight": ended(
        OUTPUT, OK, why="the size of files in flight is not visible; the kernel allows at most `open_files` of them"
    ),
    "nameless_files_of_a_closed_process": ended(OUTPUT),
    "nameless_files_without_a_leader": ended(OUTPUT),
    "files_on_the_move": ended(OUTPUT),
    "link_as_result": held(
        collect=dict.fromkeys(["shadow", "result", "folder/secret", "loop", "here/result", "environ", "../keep/stdout"])
    ),
    "hard_link_as_result": held(collect={"result": None}),
    "fifo_as_result": held(collect={"result": None, "folder": None, "socket": None}),
    "folder_swapped": held(collect={"canary": None}),
    "writes_outside": held(),
    "writes_system": held(),
    "changes_its_bundle": held(),
    # Looking
    "reads_files": held(),
    "looks_at_other_processes": held(),
    "looks_at_the_first_process": held(),
    "reads_environment": held(),
    "inherited_descriptors": held(),
    "reopens_its_input": held(arrange="stdin"),
    "writes_proc_sys": held(),
    "reads_devices": held(),
    "makes_devices": held(),
    # Others' processes
    "signals_others": held(),
    "kills_everybody": held(),
    "kills_the_first_process": held(),
    "blames_the_caller": ended(OK, SIGNAL, why="refused, or the program's own doing; never the caller's"),
    "signals_by_descriptor": held(),
    "slows_others_down": held(),
    "traces_others": held(),
    # Network
    "connects_to_the_machine": held(),
    "connects_to_unix_sockets": held(),
    "looks_up_names": held(),
    "opens_odd_sockets": held(),
    "listens_on_ports": held(arrange="port"),
    "goes_beyond_its_link": held(arrange="link", left_out=NO_LINKS),
    "goes_beyond_its_egress": held(arrange="egress", left_out=NO_LINKS),
    "floods_the_egress_log": held(arrange="egress", left_out=NO_LINKS),
    # The kernel
    "mounts": held(),
    "changes_root": held(),
    "makes_namespaces": held(),
    "enters_namespaces": held(),
    "becomes_root": held(),
    "runs_setuid_programs": held(),
    "preloads_into_children": held(),
    "uses_keyrings": held(),
    "uses_io_uring": held(),
    "uses_bpf": held(),
    "uses_perf_events": held(),
    "uses_userfaultfd": held(),
    "uses_personality": held(),
    "opens_by_handle": held(),
    "calls_of_32_bits": ended(SIGNAL),
    "calls_of_x32": held(),
    "changes_clocks": held(),
    "changes_host_name": held(),
    "dumps_core": ended(SIGNAL, says=b"refused", collect={"core": None}),
    "types_for_others": held(),
    "raises_its_limits": held(),
    "uses_control_groups": held(),
    "own_filter": held(),
    "uses_message_queues": held(),
    "loads_modules": held(),
    # The protocol
    "channel_flood": ended(PROTOCOL, arrange="channel"),
    "channel_closed": ended(PROTOCOL, arrange="channel"),
    "channel_junk": ended(PROTOCOL, arrange="channel"),
    "channel_descriptors": ended(OK, arrange="channel"),
    "channel_peer_process": held(arrange="channel"),
    # Another box
    "attacks_its_neighbour": held(arrange="neighbour"),
}
