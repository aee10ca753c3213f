"""Start, watch and end boxes: what a caller can ask for and what comes back."""

import asyncio
import contextlib
import json
import os
import resource
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from cogbox import BadRequest, Level, Limits, Mount, Result, Sandbox, Verdict, _cgroups, python_runtime
from packages.cogbox.tests.conftest import python

MIB = 1 << 20


def test_a_program_that_ends_well(sandbox: Sandbox, state: Path) -> None:
    result = sandbox.run(python("import sys; print(6 * 7); print('note', file=sys.stderr)"))
    assert (result.verdict, result.ok, result.exit_code, result.signal) == (Verdict.OK, True, 0, None)
    assert (result.stdout, result.stderr, result.output_bytes) == (b"42\n", b"note\n", 8)
    assert result.detail == "ended with exit code 0"
    assert result.level is sandbox.level
    assert result.wall_seconds > 0
    assert result.peak_memory > MIB


def test_a_result_can_be_written_down(quick: Sandbox) -> None:
    told = json.loads(json.dumps(quick.run(["true"]).as_dict()))
    assert (told["verdict"], told["level"], told["exit_code"]) == ("ok", "namespaces", 0)
    assert {"detail", "limited_by", "wall_seconds", "cpu_seconds", "peak_memory", "output_bytes"} <= set(told)


def test_an_exit_code_is_reported(sandbox: Sandbox, state: Path) -> None:
    result = sandbox.run(["sh", "-c", "exit 3"])
    assert (result.verdict, result.exit_code, result.ok) == (Verdict.EXIT_CODE, 3, False)
    assert result.detail == "ended with exit code 3"


def test_a_signal_is_reported_by_its_name(sandbox: Sandbox, state: Path) -> None:
    result = sandbox.run(["sh", "-c", "kill -SEGV $$"])
    assert (result.verdict, result.signal, result.exit_code) == (Verdict.SIGNAL, signal.SIGSEGV, None)
    assert "SIGSEGV" in result.detail


def test_processor_time_and_memory_are_measured(sandbox: Sandbox, state: Path) -> None:
    code = "import time\nheld = bytearray(b'x' * (48 << 20))\nwhile time.process_time() < 0.3: pass\ntime.sleep(0.1)"
    result = sandbox.run(python(code))
    assert result.ok, result.detail
    assert result.cpu_seconds >= 0.25
    assert result.wall_seconds >= 0.3
    assert 48 * MIB < result.peak_memory < 128 * MIB


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (["no-such-program"], "no-such-program: No such file"),
        (["/etc/hosts"], "Permission denied"),
        ([""], "No such file"),
        (["true", "x" * 300_000], "too long"),
    ],
    ids=["missing", "no program", "empty", "too long"],
)
def test_a_command_that_cannot_start_is_a_start_failure(
    quick: Sandbox, state: Path, command: list[str], said: str
) -> None:
    with quick.start(command) as box:
        assert not box.wait_started()
        result = box.wait()
    assert result.verdict is Verdict.START_FAILURE
    assert said in result.detail


def test_a_missing_working_folder_is_a_start_failure(quick: Sandbox, state: Path) -> None:
    result = quick.run(["true"], cwd=Path("/nowhere"))
    assert result.verdict is Verdict.START_FAILURE
    assert "/nowhere: No such file" in result.detail


def test_the_environment_has_only_the_given_variables(
    sandbox: Sandbox, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DEPLOY_KEY", "hunter2")
    result = sandbox.run(python("import os; print(dict(os.environ))"), env={"GIVEN": "yes", "LANG": "de_DE"})
    seen = eval(result.stdout)
    assert seen.pop("HOME").endswith("/work")
    assert seen.pop("PATH")
    assert seen.pop("LC_CTYPE", "C.UTF-8")  # Python's own doing
    assert seen == {"GIVEN": "yes", "LANG": "de_DE", "TMPDIR": "/tmp", "COGBOX_LEVEL": sandbox.level.value}
    assert b"hunter2" not in result.stdout


def test_a_program_starts_in_the_private_folder_and_its_files_can_be_collected(sandbox: Sandbox, state: Path) -> None:
    code = """
import os, pathlib
assert os.getcwd() == os.environ["HOME"]
assert pathlib.Path("in/deep/data").read_bytes() == b"given"
pathlib.Path("out").mkdir()
pathlib.Path("out/result").write_bytes(b"made")
pathlib.Path(os.environ["TMPDIR"], "scratch").write_text("x")
"""
    result = sandbox.run(python(code), files={"in/deep/data": b"given"}, collect=["out/result", "absent", "out"])
    assert result.ok, result.stderr
    assert result.files == {"out/result": b"made"}


def test_a_file_can_be_read_while_the_box_runs(quick: Sandbox, state: Path) -> None:
    with quick.start(["sh", "-c", "echo early > early; echo written; sleep 60"]) as box:
        while b"written" not in box.stdout_path.read_bytes():
            assert box.poll() is None
        assert box.read("early") == b"early\n"
        assert box.read("early", max_bytes=3) is None
        assert box.read("late") is None


@pytest.mark.parametrize("name", ["../out", "/etc/passwd", "a/../../b", ""])
def test_files_go_into_the_private_folder_and_nowhere_else(quick: Sandbox, state: Path, name: str) -> None:
    with pytest.raises(BadRequest):
        quick.run(["true"], files={name: b"x"})


def test_input_comes_from_a_file_or_a_pipe(sandbox: Sandbox, state: Path, tmp_path: Path) -> None:
    source = tmp_path / "input"
    source.write_bytes(b"from a file " * 100_000)
    with source.open("rb") as file:
        assert sandbox.run(["wc", "-c"], stdin=file).stdout.strip() == b"1200000"
    reading, writing = os.pipe()
    os.write(writing, b"from a pipe")
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        assert sandbox.run(["cat"], stdin=pipe).stdout == b"from a pipe"
    assert sandbox.run(["cat"]).stdout == b""


def test_unread_input_blocks_nothing(quick: Sandbox, state: Path, tmp_path: Path) -> None:
    source = tmp_path / "input"
    source.write_bytes(bytes(4 * MIB))
    with source.open("rb") as file:
        assert quick.run(["true"], stdin=file).ok


def test_channels_are_sockets_the_program_inherits(sandbox: Sandbox, state: Path) -> None:
    code = """
import os, socket
first = int(os.environ["COGBOX_CHANNEL_FD"])
for fd in (first, first + 1):
    with socket.socket(fileno=fd) as channel:
        channel.sendall(channel.recv(100)[::-1])
"""
    with sandbox.start(python(code), channels=2) as box:
        for channel, word in zip(box.channels, (b"one", b"two"), strict=True):
            channel.sendall(word)
            assert channel.recv(100) == word[::-1]
        assert box.wait().ok


def test_a_channel_ends_when_the_program_does(quick: Sandbox, state: Path) -> None:
    with quick.start(["true"], channels=1) as box:
        assert box.channels[0].recv(1) == b""
        assert box.wait().ok


@pytest.mark.parametrize("number", [-1, 100, 10_000])
def test_an_invalid_number_of_channels_is_refused(quick: Sandbox, state: Path, number: int) -> None:
    with pytest.raises(BadRequest):
        quick.start(["true"], channels=number)


def test_mounts_are_read_only_unless_they_say_otherwise(sandbox: Sandbox, state: Path) -> None:
    with tempfile.TemporaryDirectory(prefix="cogbox-mount-") as name:
        folder = Path(name)
        folder.chmod(0o777)
        for inner in ("given", "taken"):
            (folder / inner).mkdir()
            (folder / inner).chmod(0o777)
        (folder / "given" / "file").write_text("content")
        script = "cat /data/in/file; echo x > /data/in/new; echo made > /data/out/new"
        mounts = [Mount(folder / "given", Path("/data/in")), Mount(folder / "taken", Path("/data/out"), writable=True)]
        result = sandbox.run(["sh", "-c", script], mounts=mounts)
        assert result.stdout == b"content"
        assert b"Read-only file system" in result.stderr
        assert (folder / "taken" / "new").read_text() == "made\n"
        assert not (folder / "given" / "new").exists()


def test_a_link_in_a_writable_mount_does_not_lead_a_mount_outside(sandbox: Sandbox, state: Path) -> None:
    with tempfile.TemporaryDirectory(prefix="cogbox-mount-") as name:
        folder = Path(name)
        folder.chmod(0o777)
        (folder / "shared").mkdir(mode=0o777)
        (folder / "file").write_text("content")
        (folder / "shared" / "file").symlink_to(folder / "made-outside")
        (folder / "shared" / "folder").symlink_to(folder / "folder-outside")
        shared = Mount(folder / "shared", writable=True)
        for target in ("file", "folder/file"):
            try:
                sandbox.run(["true"], mounts=[shared, Mount(folder / "file", folder / "shared" / target)])
            except BadRequest:
                continue
        assert sorted(path.name for path in folder.iterdir()) == ["file", "shared"]


@pytest.mark.xfail(strict=True, reason="a read-only mount does not stop connect(): sockets in it can be reached")
def test_a_socket_in_a_mount_cannot_be_talked_to(quick: Sandbox, state: Path) -> None:
    with tempfile.TemporaryDirectory(prefix="cogbox-mount-") as name, socket.socket(socket.AF_UNIX) as listener:
        os.chmod(name, 0o755)
        listener.bind(f"{name}/socket")
        os.chmod(f"{name}/socket", 0o777)
        listener.listen()
        code = f"import socket; socket.socket(socket.AF_UNIX).connect({name + '/socket'!r})"
        with contextlib.suppress(BadRequest):
            assert not quick.run(python(code), mounts=[Mount(Path(name))]).ok


def test_a_missing_mount_is_refused(sandbox: Sandbox, state: Path) -> None:
    with pytest.raises(BadRequest, match="/no/such/folder"):
        sandbox.run(["true"], mounts=[Mount(Path("/no/such/folder"))])


@pytest.mark.parametrize("path", ["/", "/a\nb", "/.."])
def test_a_mount_that_cannot_be_is_refused(path: str) -> None:
    with pytest.raises(BadRequest):
        Mount(Path(path))


def test_without_the_interpreter_only_the_machine_is_there(quick: Sandbox, state: Path) -> None:
    result = quick.run(["sh", "-c", f"test -e {sys.prefix}/bin/python || echo none"], python=False)
    assert result.stdout == (b"" if sys.prefix.startswith("/usr") else b"none\n")


def test_the_runtime_brings_the_sources_of_packages_installed_for_editing(quick: Sandbox, state: Path) -> None:
    command = [sys.executable, "-c", "import cogbox; print(cogbox.Level.NONE.value)"]
    assert quick.run(command, mounts=python_runtime("cogbox")).stdout == b"none\n"
    with pytest.raises(BadRequest, match="no_such_package"):
        python_runtime("no_such_package")


@pytest.mark.parametrize("name", ["memory", "wall_seconds", "processes", "output_bytes", "cpu_seconds"])
def test_an_invalid_limit_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match=name):
        Limits(**{name: 0})


@pytest.mark.parametrize("command", [[], ["a\0b"], [1], "echo hi"], ids=["empty", "zero byte", "number", "one string"])
def test_an_invalid_command_is_refused(quick: Sandbox, state: Path, command: list[str]) -> None:
    with pytest.raises(BadRequest):
        quick.start(command)


@pytest.mark.parametrize("env", [{"A": "b\0c"}, {"A=B": "c"}, {"": "c"}])
def test_an_invalid_variable_is_refused(quick: Sandbox, state: Path, env: dict[str, str]) -> None:
    with pytest.raises(BadRequest):
        quick.start(["true"], env=env)


def test_the_program_may_open_its_output_by_name(sandbox: Sandbox, state: Path) -> None:
    result = sandbox.run(["sh", "-c", "echo out > /dev/stdout; echo err > /dev/stderr"])
    assert (result.stdout, result.stderr) == (b"out\n", b"err\n")


def test_output_grows_while_the_program_runs(quick: Sandbox, state: Path) -> None:
    with quick.start(["sh", "-c", "echo first; sleep 60"]) as box:
        while box.stdout_path.read_bytes() != b"first\n":
            assert box.poll() is None


# Ending


def test_leaving_the_block_ends_the_program(sandbox: Sandbox, state: Path) -> None:
    with sandbox.start(["sleep", "60"]) as box:
        assert box.wait_started()
        folder = box.work
        pid = box.pid
    assert box.wait().verdict is Verdict.KILLED
    assert not folder.exists()
    assert pid is not None and not runs(pid)


def test_the_caller_reports_how_the_protocol_was_broken(quick: Sandbox, state: Path) -> None:
    with quick.start(["sleep", "60"]) as box:
        box.wait_started()
        box.end(Verdict.PROTOCOL, "sent a frame of 3 GB")
        box.end(Verdict.KILLED, "too late")
        result = box.wait()
    assert (result.verdict, result.detail) == (Verdict.PROTOCOL, "sent a frame of 3 GB")


def test_a_box_may_be_ended_before_it_has_started(sandbox: Sandbox, state: Path) -> None:
    with sandbox.start(["sleep", "60"]) as box:
        box.end(Verdict.PROTOCOL, "was not wanted")
        assert box.wait().verdict is Verdict.PROTOCOL
    with sandbox.start(["sleep", "60"]) as box:
        pass
    assert box.wait().verdict is Verdict.KILLED


def test_an_ended_box_cannot_be_ended_again(quick: Sandbox, state: Path) -> None:
    with quick.start(["true"]) as box:
        box.wait()
        box.end(Verdict.PROTOCOL, "too late")
        box.close()
        box.close()
    assert box.wait().ok


def test_waiting_may_have_an_end(quick: Sandbox, state: Path) -> None:
    with quick.start(["sleep", "60"]) as box:
        assert box.poll() is None
        with pytest.raises(TimeoutError):
            box.wait(0.05)


def runs(pid: int) -> bool:
    """Return whether a process is still there; one that has ended and is not yet waited for is not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def test_a_guard_that_is_killed_takes_the_box_with_it(sandbox: Sandbox, state: Path) -> None:
    with sandbox.start(["sleep", "60"]) as box:
        box.wait_started()
        children = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
        for child in children:
            if Path(f"/proc/{child}/comm").read_text() == "guard\n":
                os.kill(int(child), signal.SIGKILL)
        result = box.wait(20)
        assert box.pid is not None
        while runs(box.pid):
            time.sleep(0.002)
    assert not result.ok


CALLER = """
import os, sys, time
from pathlib import Path
from cogbox import Level, Sandbox
box = Sandbox(Level.named(sys.argv[1])).start(["sleep", "600"])
box.wait_started()
if "fork" in sys.argv and os.fork() == 0:
    time.sleep(600)
print(box.pid, box.work, flush=True)
time.sleep(600)
"""


@pytest.mark.parametrize("how", ["alone", "fork"])
def test_a_box_whose_caller_is_killed_ends_and_the_next_caller_sweeps(sandbox: Sandbox, state: Path, how: str) -> None:
    command = [sys.executable, "-c", CALLER, sandbox.level.value, how]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True) as caller:
        assert caller.stdout is not None
        pid, folder = caller.stdout.readline().split()
        try:
            caller.kill()
            caller.wait()
            while runs(int(pid)):
                time.sleep(0.005)
        finally:
            if how == "fork":
                os.killpg(caller.pid, signal.SIGKILL)
    assert Path(folder).exists()
    code = "from cogbox import *; Sandbox(Level.NAMESPACES).run(['true'])"
    subprocess.run([sys.executable, "-c", code], check=True)
    assert not Path(folder).exists()


# Several at once


def test_boxes_run_side_by_side_in_asyncio(sandbox: Sandbox, state: Path) -> None:
    async def together() -> list[Result]:
        return await asyncio.gather(*(sandbox.run_async(["sh", "-c", f"sleep 0.1; echo {n}"]) for n in range(5)))

    assert [result.stdout for result in asyncio.run(together())] == [b"0\n", b"1\n", b"2\n", b"3\n", b"4\n"]


@pytest.mark.parametrize("after", [0.0, 0.001, 0.02, 0.2])
def test_cancelling_ends_the_box_wherever_it_stands(sandbox: Sandbox, state: Path, after: float) -> None:
    async def cancelled() -> None:
        task = asyncio.create_task(sandbox.run_async(["sleep", "60"]))
        await asyncio.sleep(after)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancelled())


def test_a_box_is_an_asynchronous_context_too(quick: Sandbox, state: Path) -> None:
    async def inside() -> Result:
        async with quick.start(["sleep", "60"]) as box:
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(box.finished(), 0.05)
        return await box.finished()

    assert asyncio.run(inside()).verdict is Verdict.KILLED


def test_a_caller_with_many_descriptors_can_have_boxes(quick: Sandbox, state: Path) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard < 2000:
        pytest.skip("the hard limit of open files is below 2,000")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, 2000), hard))
    held = [os.open("/dev/null", os.O_RDONLY) for _ in range(1100)]
    try:
        result = quick.run(["sh", "-c", "sleep 0.1; echo fine"])
    finally:
        for fd in held:
            os.close(fd)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert result.stdout == b"fine\n"


def test_the_box_runs_as_its_own_user(sandbox: Sandbox, state: Path) -> None:
    code = "import os; print(os.getuid(), os.getgid(), os.getgroups(), os.uname().nodename)"
    results = [sandbox.run(python(code)).stdout.split() for _ in range(2)]
    if os.geteuid() == 0:
        assert results[0][0] != results[1][0]
        assert all(int(result[0]) > 65_536 and result[0] == result[1] for result in results)
    else:
        assert all(int(result[0]) == os.geteuid() for result in results)
    assert all(result[-1] == b"box" for result in results)
    assert socket.gethostname() != "box"


def test_level_none_has_limits_but_no_walls(state: Path) -> None:
    result = Sandbox(Level.NONE).run(["sh", "-c", "id -u; exec sleep 60"], limits=Limits(wall_seconds=0.2))
    assert (result.verdict, result.level) == (Verdict.TIME, Level.NONE)
    assert int(result.stdout) == os.geteuid()


def test_output_written_just_before_the_end_is_preserved(quick: Sandbox, state: Path) -> None:
    for number in range(10):
        ours = [f"line {line} of box {number}" for line in range(200)]
        with quick.start(
            python(f"print({chr(10).join(ours)!r}, flush=True); import os; os.write(3, b'x'); os.read(3, 1)"),
            channels=1,
        ) as box:
            assert box.channels[0].recv(1) == b"x"
            box.end()
            result = box.wait()
        assert (result.verdict, result.stdout.decode().splitlines()) == (Verdict.KILLED, ours)


def test_a_result_holds_as_much_output_as_was_asked_for(quick: Sandbox, state: Path) -> None:
    assert quick.run(["sh", "-c", "echo 0123456789"], keep_output=4, python=False).stdout == b"789\n"
    assert quick.run(["sh", "-c", "echo 0123456789"], keep_output=0, python=False).stdout == b""
    with quick.start(["sh", "-c", "echo 0123456789"], keep_output=0, python=False) as box:
        assert box.wait().output_bytes == 11
        assert box.stdout_path.read_bytes() == b"0123456789\n"


def test_both_outputs_can_share_one_log_in_order(sandbox: Sandbox, state: Path) -> None:
    code = "import os\nfor number in range(6): os.write(1 + number % 2, b'%d ' % number)"
    result = sandbox.run(python(code), one_output=True)
    assert (result.stdout, result.stderr) == (b"0 1 2 3 4 5 ", b"")


def test_a_share_of_the_processors_is_written_to_the_control_group(state: Path) -> None:
    groups = _cgroups.make(f"{os.getpid()}-share", Limits(cpus=0.5))
    try:
        settings = {
            name: Path(groups.quota, name).read_text().split()
            for name in ("cpu.cfs_quota_us", "cpu.cfs_period_us", "cpu.max")
            if groups.quota and Path(groups.quota, name).exists()
        }
    finally:
        groups.remove()
    numbers = [
        *settings.get("cpu.max", []),
        *settings.get("cpu.cfs_quota_us", []),
        *settings.get("cpu.cfs_period_us", []),
    ]
    assert numbers in ([], ["50000", "100000"])
