"""Leaves a named pipe, a socket and a folder where results are collected: who opens them waits for ever."""

import os
import socket

from kit import done

os.mkfifo("result")
os.mkdir("folder")
try:
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("socket")
except OSError as error:
    print("refused", error)
done()
