# SPDX-License-Identifier: Apache-2.0
"""A sidecar on one copy of the extension, with one client that reads everything."""

import os
import re
import socket
import subprocess
import urllib.request

import php

LOSSES = ("ring_lost", "malformed", "blocks_lost", "orphaned", "traces_dropped")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Sidecar:
    def __init__(self, output, extension, folder, more=None):
        self.port = free_port()
        self.log = open(os.path.join(folder, "sidecar.log"), "wb")
        env = {**os.environ, "COMPASS_SIDECAR_ADDR": f"127.0.0.1:{self.port}",
               "COMPASS_SIDECAR_PHP_EXTENSION_PATH": extension, **(more or {})}
        self.process = subprocess.Popen([os.path.join(output, "compass-sidecar")], env=env,
                                        stdout=self.log, stderr=self.log)
        php.wait_until(self._answers, f"the sidecar on {extension}")
        self.client = subprocess.Popen(["curl", "-sN", "-o", "/dev/null",
                                        f"http://127.0.0.1:{self.port}/v1/traces"])
        php.wait_until(lambda: self.metric("compass_sidecar_collector_running") == 1,
                       f"the probes of {extension}")

    def _answers(self):
        if self.process.poll() is not None:
            raise SystemExit(f"bench: the sidecar ended; see {self.log.name}")
        try:
            return bool(self.metrics())
        except OSError:
            return False

    def metrics(self):
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/metrics", timeout=5) as answer:
            return answer.read().decode()

    def metric(self, name):
        found = re.search(rf"^{name}(?:{{[^}}]*}})? ([0-9.e+]+)$", self.metrics(), re.M)
        return float(found.group(1)) if found else 0.0

    def figures(self):
        """CPU in ns, calls received, and the sum of everything that counts a loss."""
        lost = sum(float(value) for name, value in
                   re.findall(r"^(compass_sidecar_\w+)(?:{[^}]*})? ([0-9.e+]+)$", self.metrics(), re.M)
                   if any(loss in name for loss in LOSSES))
        return php.cpu_ns(self.process.pid), self.metric("compass_sidecar_calls_received_total"), lost

    def row(self, title, before, pages, every):
        """A row of the table. The sidecar counts the calls that it is told one by one, so there is a figure for
        a million of them only where that is `every` call."""
        cpu, calls, lost = (now - then for now, then in zip(self.figures(), before))
        a_million = f"{cpu / calls:.1f}" if every and calls else "–"
        return (title, f"{cpu / pages / 1e6:.2f}", a_million, f"{lost:.0f}")

    def close(self):
        php.stop(self.client)
        php.stop(self.process)
        self.log.close()
