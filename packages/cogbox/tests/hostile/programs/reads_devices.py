"""Raw devices: memory, disks, terminals, consoles, virtual machines."""

import os

from kit import attempt, done

names = "mem kmem port kmsg vda vda1 sda sda1 nvme0n1 fuse kvm tty0 tty1 ttyS0 console vcs net/tun loop0 loop-control"
names += " cpu_dma_latency hpet rtc0 uinput input/event0 snapshot userfaultfd vhost-net mapper/control autofs"
for name in names.split():
    attempt(name, lambda name=name: os.read(os.open(f"/dev/{name}", os.O_RDONLY | os.O_NONBLOCK), 1))
    attempt(name, lambda name=name: os.close(os.open(f"/dev/{name}", os.O_WRONLY | os.O_NONBLOCK)))
done()
