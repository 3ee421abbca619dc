# SPDX-License-Identifier: Apache-2.0
"""A Docker engine of its own for a test: Debian's dockerd on a socket and with its data in a temporary
folder. What it changed on the machine (a bridge, packet filter rules, forwarding) is put back when it
ends. It shares docker0 with any other engine, so there is one at a time, and none beside a running one."""

import fcntl
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "scripts"))
import stack  # noqa: E402

PATH = "/usr/sbin:/usr/bin:/sbin:/bin"
LOCK = "/run/lock/compass-docker"
# How long an engine waits for its turn: tests have a limit of their own.
TURN_SECONDS = 600
FORWARD = "/proc/sys/net/ipv4/ip_forward"
# Images are kept in memory where there is enough of it: half of the time goes into unpacking packages.
MEMORY_BYTES = 6 << 30
COMPOSE_PLUGIN = """#!/bin/sh
# Debian 12 has docker-compose, but no `docker compose`: this makes the one of the other.
if [ "$1" = docker-cli-plugin-metadata ]; then
    echo '{"SchemaVersion":"0.1.0","Vendor":"Debian","Version":"1.29.2"}'
    exit
fi
shift
exec docker-compose "$@"
"""


class EngineError(Exception):
    """The engine, or a command given to it, failed; the text says how."""


def other_engine():
    return subprocess.run(["pgrep", "-x", "dockerd"], stdout=subprocess.DEVNULL, check=False).returncode == 0


def in_chroot():
    """Whether the root is not that of the mount namespace, to which a process comes that enters the namespace anew."""
    found = subprocess.run(["nsenter", "--mount=/proc/self/ns/mnt", "stat", "-c", "%d %i", "/"], capture_output=True,
                           text=True, check=False)
    root = os.stat("/")
    return found.returncode == 0 and found.stdout.split() != [str(root.st_dev), str(root.st_ino)]


def memory_available():
    with open("/proc/meminfo", encoding="ascii") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith("MemAvailable:"))


def reason_to_skip():
    """Why no engine can run here, or None."""
    if os.geteuid() != 0:
        return "a Docker engine needs root"
    for tool in ("dockerd", "docker", "docker-compose", "iptables", "debootstrap"):
        if not shutil.which(tool, path=PATH):
            return f"{tool} is not installed: run scripts/install-deps docker"
    if other_engine():
        return "another Docker engine is running, and the two would share a bridge"
    if in_chroot():
        return "this is a chroot, and `docker exec` would find the files around it instead of a container's"
    return None


def reason_not_to_start():
    """Starts an engine and ends it; answers what it said where it cannot run here, or None."""
    try:
        with Engine():
            return None
    except (EngineError, OSError, subprocess.CalledProcessError) as error:
        return f"no Docker engine starts here: {str(error).splitlines()[-1]}"


class Engine:
    """`data` is a folder to keep the images in between runs; None: a temporary one."""

    def __init__(self, data=None):
        self.dir = tempfile.mkdtemp(prefix="compass-docker-")
        self.data = data or os.path.join(self.dir, "data")
        self.process = None
        self.clients = set()
        self.interrupted = False
        self.lock = None
        self.rules = None
        self.forward = None
        self.env = {**os.environ, "PATH": PATH, "DOCKER_HOST": f"unix://{self.dir}/docker.sock",
                    "DOCKER_CONFIG": os.path.join(self.dir, "config"),
                    # What newer engines do by themselves: stages side by side, none that is not asked for.
                    "DOCKER_BUILDKIT": "1", "COMPOSE_DOCKER_CLI_BUILD": "1", "BUILDKIT_PROGRESS": "plain"}

    def __enter__(self):
        try:
            self.start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_):
        self.stop()

    def start(self):
        self.take_turn()
        if other_engine():
            raise EngineError("another Docker engine is running, and the two would share a bridge")
        self.add_compose()
        self.add_data()
        self.remember()
        config = os.path.join(self.dir, "daemon.json")
        with open(config, "w", encoding="ascii") as file:
            # What was built stays until the end, however little room there is beside it.
            json.dump({"builder": {"gc": {"enabled": False}}}, file)
        with open(os.path.join(self.dir, "log"), "ab") as log:
            self.process = subprocess.Popen(
                ["dockerd", "--config-file", config, "--data-root", self.data, "--exec-root", os.path.join(self.dir, "exec"),
                 "--pidfile", os.path.join(self.dir, "pid"), "--host", self.env["DOCKER_HOST"]],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=self.env, start_new_session=True)
        stack.wait_until(self.answers, 60, "the Docker engine answers")

    def take_turn(self):
        self.lock = open(LOCK, "w", encoding="ascii")
        deadline = time.monotonic() + TURN_SECONDS
        while True:
            try:
                fcntl.flock(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return
            except BlockingIOError as error:
                if time.monotonic() > deadline:
                    raise EngineError(f"another test has had its engine for {TURN_SECONDS // 60} minutes") from error
            time.sleep(1)

    def answers(self):
        if self.process.poll() is not None:
            raise EngineError(f"dockerd ended with {self.process.returncode}:\n{self.log()}")
        return subprocess.run(["docker", "version"], env=self.env, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, check=False).returncode == 0

    def log(self, lines=15):
        with open(os.path.join(self.dir, "log"), encoding="utf-8", errors="replace") as file:
            return "".join(file.readlines()[-lines:])

    def add_compose(self):
        plugins = os.path.join(self.dir, "config", "cli-plugins")
        os.makedirs(plugins)
        path = os.path.join(plugins, "docker-compose")
        with open(path, "w", encoding="utf-8") as file:
            file.write(COMPOSE_PLUGIN)
        os.chmod(path, 0o755)

    def add_data(self):
        os.makedirs(self.data, exist_ok=True)
        if self.data.startswith(self.dir) and memory_available() > 2 * MEMORY_BYTES:
            subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={MEMORY_BYTES}", "tmpfs", self.data], check=True)

    def remember(self):
        self.rules = subprocess.run(["iptables-save"], env=self.env, capture_output=True, check=True).stdout
        with open(FORWARD, encoding="ascii") as file:
            self.forward = file.read()

    def put_back(self):
        """Tables that had not been there before are emptied: iptables-restore leaves them as they are."""
        for table in ("nat", "filter"):
            for verb in ("-F", "-X"):
                subprocess.run(["iptables", "-t", table, verb], env=self.env, check=False,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        subprocess.run(["iptables", "-P", "FORWARD", "ACCEPT"], env=self.env, check=False)
        subprocess.run(["iptables-restore"], env=self.env, input=self.rules, check=False)
        with open(FORWARD, "w", encoding="ascii") as file:
            file.write(self.forward)
        subprocess.run(["ip", "link", "delete", "docker0"], env=self.env, check=False,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def stop(self):
        if self.process:
            self.remove_containers()
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(60)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
            self.process = None
        if self.rules is not None:
            self.put_back()
            self.rules = None
        if self.lock:
            self.lock.close()
            self.lock = None
        for path in (os.path.join(self.dir, "exec"), os.path.join(self.dir, "data")):
            subprocess.run(["umount", "--recursive", "--quiet", path], check=False, stderr=subprocess.DEVNULL)
        shutil.rmtree(self.dir, ignore_errors=True)

    def remove_containers(self):
        found = subprocess.run(["docker", "ps", "-aq"], env=self.env, capture_output=True, text=True, check=False)
        if found.stdout.split():
            subprocess.run(["docker", "rm", "-f", *found.stdout.split()], env=self.env, check=False,
                           stdout=subprocess.DEVNULL)
        subprocess.run(["docker", "network", "prune", "-f"], env=self.env, check=False, stdout=subprocess.DEVNULL)

    def run(self, *argv, cwd=ROOT, env=None):
        """Runs a command, and answers what it printed; EngineError with the end of it where it failed. Any thread."""
        if self.interrupted:
            raise EngineError("interrupted")
        with subprocess.Popen(argv, cwd=cwd, env={**self.env, **(env or {})}, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace") as client:
            self.clients.add(client)
            output, _ = client.communicate()
            self.clients.discard(client)
        if client.returncode:
            tail = "\n".join(output.splitlines()[-40:])
            raise EngineError(f"`{' '.join(argv)}` ended with {client.returncode}:\n{tail}")
        return output

    def interrupt(self):
        """Ends what other threads run, and has them run nothing more."""
        self.interrupted = True
        for client in list(self.clients):
            client.terminate()

    def inspect(self, what, name):
        """What `docker inspect` says of one image or container."""
        return json.loads(self.run("docker", what, "inspect", name))[0]
