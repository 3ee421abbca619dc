# SPDX-License-Identifier: Apache-2.0
"""Terminals for the tests of the UI: one that is looked at (tmux draws it), and a bare one whose every byte is kept."""

import fcntl
import os
import re
import select
import signal
import struct
import subprocess
import termios
import time

MAKE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "fixtures", "make-traces")
# What a program is to find, whoever runs the test.
SETTING = {"LC_ALL": "C.UTF-8", "TZ": "UTC", "ASAN_OPTIONS": "detect_leaks=0:handle_segv=0:handle_abort=0"}
UNWANTED = ("TMUX", "COLORFGBG", "COLORTERM", "NO_COLOR", "COMPASS_URI", "COMPASS_TOKEN", "COMPASS_CA_FILE")


def setting(more):
    env = {**os.environ, **SETTING, **(more or {})}
    return {name: value for name, value in env.items() if name not in UNWANTED or name in (more or {})}


def make_traces(path, kind, *words):
    with open(path, "w", encoding="utf-8") as file:
        subprocess.run([MAKE, kind, *words], check=True, stdout=file)
    return path


class Terminal:
    """A tmux server of its own, which is gone when the `with` is left."""

    def __init__(self, folder, columns, rows, command, term="tmux-256color", locale="C.UTF-8", more=None):
        self.socket = os.path.join(folder, f"t{time.monotonic_ns()}")
        self.env = setting({"LC_ALL": locale, **(more or {})})
        self.client = {**self.env, "LC_ALL": "C.UTF-8", "TERM": "xterm-256color"}
        inner = f"TERM={term} LC_ALL={locale} {command}; echo status=$?; exec cat"
        subprocess.run(["tmux", "-S", self.socket, "-f", "/dev/null", "new-session", "-d", "-x", str(columns),
                        "-y", str(rows), inner, ";", "set", "-g", "status", "off", ";", "set", "-g", "escape-time",
                        "0"], check=True, env=self.client)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.tmux("kill-server")

    def tmux(self, *words):
        return subprocess.run(["tmux", "-S", self.socket, *words], check=False, capture_output=True, text=True,
                              env=self.client).stdout

    def keys(self, keys):
        for key in keys.split():
            self.tmux("send-keys", *(["-l", key] if key.startswith("/") else [key]))

    def type(self, text):
        self.tmux("send-keys", "-l", text)

    def screen(self):
        return self.tmux("capture-pane", "-p")

    def wait(self, pattern, seconds=30):
        deadline = time.monotonic() + seconds
        while True:
            screen = self.screen()
            if re.search(pattern, screen) or time.monotonic() > deadline:
                return screen
            time.sleep(0.03)

    def settled(self, pattern):
        """The screen once it shows `pattern` and has stopped to change."""
        before, screen = None, self.wait(pattern)
        while screen != before:
            time.sleep(0.15)
            before, screen = screen, self.screen()
        return screen


class Pty:
    """The program on a bare pseudo terminal: every byte that it writes is kept. The other end stays open here, so
    that the terminal's modes can be looked at after the program has gone."""

    def __init__(self, command, columns=100, rows=30, env=None, controlling=True):
        self.fd, self.inner = os.openpty()
        fcntl.ioctl(self.inner, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.modes = termios.tcgetattr(self.inner)
        self.process = subprocess.Popen(
            command, stdin=self.inner, stdout=self.inner, stderr=self.inner, start_new_session=True,
            env=setting({"TERM": "xterm-256color", **(env or {})}),
            preexec_fn=(lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0)) if controlling else None)
        self.pid = self.process.pid
        self.bytes = b""

    def read(self, seconds=0.0):
        """Reads for so long."""
        deadline = time.monotonic() + seconds
        while select.select([self.fd], [], [], max(0, deadline - time.monotonic()))[0]:
            self.bytes += os.read(self.fd, 65536)

    def type(self, keys):
        os.write(self.fd, keys)

    def until(self, needle, seconds=30, since=0):
        """Reads until `needle` has come, `since` so many bytes; whether it has."""
        deadline = time.monotonic() + seconds
        while needle not in self.bytes[since:] and time.monotonic() < deadline:
            ended = self.process.poll() is not None
            self.read(0.02)
            if ended:
                break
        return needle in self.bytes[since:]

    def ended(self, seconds=20):
        """The exit status, None where it did not end."""
        deadline = time.monotonic() + seconds
        while self.process.poll() is None and time.monotonic() < deadline:
            self.read(0.02)
        self.read()
        return self.process.poll()

    def end(self):
        """The exit status; what does not end is killed."""
        if self.ended() is None:
            self.process.kill()
            self.process.wait()
        return self.process.returncode

    def restored(self):
        """What the terminal was left with that it did not have before."""
        left = [name for name, off, on in (
            ("the alternate screen", b"\x1b[?1049l", b"\x1b[?1049h"), ("a hidden cursor", b"\x1b[?25h", b"\x1b[?25l"),
            ("keypad mode", b"\x1b[?1l", b"\x1b[?1h"), ("the mouse", b"1000l", b"1000h"))
                if self.bytes.rfind(off) < self.bytes.rfind(on)]
        return left + ["other modes"] * (termios.tcgetattr(self.inner)[:4] != self.modes[:4])

    def close(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()
        for fd in (self.fd, self.inner):
            if fd >= 0:
                os.close(fd)
        self.fd = self.inner = -1

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
