"""No attack but a control: what ordinary programs do must work, or the walls are worth nothing."""

import asyncio
import concurrent.futures
import json
import mmap
import multiprocessing
import os
import shutil
import socket
import sqlite3
import subprocess
import tempfile
import time
from multiprocessing import shared_memory

from kit import done


def square(number):
    return number * number


def threads():
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        assert list(pool.map(square, range(4))) == [0, 1, 4, 9]


def database():
    with sqlite3.connect("database") as connection:
        connection.execute("pragma journal_mode=wal")
        connection.execute("create table numbers (number)")
        connection.execute("insert into numbers values (7)")
        assert connection.execute("select number from numbers").fetchall() == [(7,)]
    connection.close()


def temporary_files():
    with tempfile.TemporaryFile() as file:  # without a name, and looked at more than once
        file.write(b"x" * 100_000)
        file.flush()
        time.sleep(0.6)
    with tempfile.TemporaryDirectory() as folder, open(os.path.join(folder, "file"), "w") as file:
        file.write("x")


def mapped_file():
    with open("mapped", "w+b") as file:
        file.truncate(1 << 20)
        with mmap.mmap(file.fileno(), 0) as view:
            view[0] = 1


def other_programs():
    assert subprocess.run(["sh", "-c", "echo out"], capture_output=True, start_new_session=True).stdout == b"out\n"

    async def started():
        process = await asyncio.create_subprocess_exec("echo", "out", stdout=subprocess.PIPE)
        return (await process.communicate())[0]

    assert asyncio.run(started()) == b"out\n"


def worker_processes():
    with multiprocessing.Pool(2) as pool:
        assert pool.map(square, range(4)) == [0, 1, 4, 9]


def memory_between_processes():
    block = shared_memory.SharedMemory(create=True, size=1000)
    block.buf[0] = 1
    block.close()
    block.unlink()


def own_network():
    with socket.create_server(("127.0.0.1", 0)) as server:
        socket.create_connection(server.getsockname()).close()


def copies():
    shutil.copytree(os.path.dirname(json.__file__), "copy")


# Without namespaces a program would share these with the whole machine.
WITH_NAMESPACES = [worker_processes, memory_between_processes, own_network, copies]

if __name__ == "__main__":
    usual = [threads, database, temporary_files, mapped_file, other_programs]
    for work in usual if os.environ["COGBOX_LEVEL"] == "landlock" else usual + WITH_NAMESPACES:
        work()
    done()
