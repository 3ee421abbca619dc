# SPDX-License-Identifier: Apache-2.0
"""Probes of a file as readelf shows them, and their semaphores as a process has them."""

import glob
import re
import struct
import subprocess


class Probes:
    def __init__(self, path):
        notes = subprocess.run(["readelf", "-n", path], check=True, capture_output=True, text=True).stdout
        self.path = path
        self.addresses = {}
        self.arguments = {}
        for name, semaphore, arguments in re.findall(
                r"Provider: compass\s+Name: (\S+)\s+Location: \S+, Base: \S+, Semaphore: (\S+)\s+Arguments: *(.*)",
                notes):
            self.addresses[name] = int(semaphore, 16)
            self.arguments.setdefault(name, []).append(arguments.strip())

    def semaphores(self, pid):
        """The value of each probe's semaphore in a process: how many tracers are attached to it."""
        base = load_address(pid, self.path)
        values = {}
        with open(f"/proc/{pid}/mem", "rb", buffering=0) as memory:
            for name, address in self.addresses.items():
                memory.seek(base + address)
                values[name] = struct.unpack("<H", memory.read(2))[0]
        return values


def load_address(pid, path):
    with open(f"/proc/{pid}/maps", encoding="utf-8") as maps:
        for line in maps:
            fields = line.split(maxsplit=5)
            if len(fields) == 6 and fields[5].strip() == path and int(fields[2], 16) == 0:
                return int(fields[0].split("-")[0], 16)
    raise LookupError(f"process {pid} has not mapped {path}")


def pids_with(path):
    """The processes that have a file mapped."""
    pids = []
    for maps in glob.glob("/proc/[0-9]*/maps"):
        try:
            with open(maps, encoding="utf-8") as lines:
                if any(line.rstrip().endswith(path) for line in lines):
                    pids.append(int(maps.split("/")[2]))
        except OSError:
            continue
    return sorted(pids)
