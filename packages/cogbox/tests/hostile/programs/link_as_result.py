"""Leaves links to files outside where results are collected: to a file, to a folder, to itself, to its own log."""

import os

from kit import TARGETS, done

os.symlink("/etc/shadow", "shadow")
os.symlink(TARGETS["secret_file"], "result")
os.symlink(os.path.dirname(TARGETS["secret_file"]), "folder")
os.symlink("loop", "loop")
os.symlink(".", "here")
os.symlink("/proc/self/environ", "environ")
done()
