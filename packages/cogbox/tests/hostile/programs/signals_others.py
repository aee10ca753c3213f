"""Signals to the process outside, to the caller, the guard, their groups and their neighbours."""

import os
import signal

from kit import TARGETS, call, done

targets = {TARGETS["victim"], TARGETS["caller"], os.getppid(), *range(os.getppid() - 4, os.getppid())}
for target in sorted(targets):
    for number in (signal.SIGUSR1, signal.SIGTERM, signal.SIGSTOP, signal.SIGKILL):
        for attack in (
            lambda target=target, number=number: os.kill(target, number),
            lambda target=target, number=number: os.killpg(target, number),
            lambda target=target, number=number: call("pidfd_send_signal", os.pidfd_open(target), int(number), 0, 0),
        ):
            if target <= 1 or target == os.getpid():
                continue
            try:
                attack()
            except OSError as error:
                print("refused", target, error)
done()
