# SPDX-License-Identifier: Apache-2.0
"""The terminal UI on a pseudo terminal, fed by a stand-in for the sidecar: how long a key takes until its frame is
painted, whether frames are dropped while traces pour in, how soon there is a first frame, what it holds in memory.

A frame has been painted when its last byte has been read here."""

import contextlib
import fcntl
import glob
import os
import re
import select
import socket
import statistics
import struct
import subprocess
import termios
import threading
import time

MAKE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tests", "fixtures", "make-traces")
ROWS, COLUMNS = 40, 120
QUIET = 0.015  # without a byte for so long, a frame is complete
FRAME = 0.033  # the UI paints no more often
DOWN, PAGE_DOWN, LEFT, RIGHT = b"\x1bOB", b"\x1b[6~", b"\x1bOD", b"\x1bOC"
MARK = b"QQQQWWWW"  # shares no character with other paths, so that it is painted whole


def marked(line):
    return re.sub(rb'"uri": "/[^"]*"', b'"uri": "/' + MARK + b'"', line)


def make(kind, count):
    return subprocess.run([MAKE, kind, str(count)], check=True, capture_output=True).stdout.splitlines(keepends=True)


class Source:
    """A sidecar's stream with one reader, which gets what send() is given."""

    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.last = None  # when the last trace of pour() was sent
        self.uri = f"http://127.0.0.1:{self.listener.getsockname()[1]}/v1/traces"

    def accept(self):
        self.client, _ = self.listener.accept()
        while b"\r\n\r\n" not in self.client.recv(65536):
            pass
        self.client.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: application/x-ndjson\r\n\r\n")

    def send(self, lines):
        self.client.sendall(b"".join(lines))

    def send_beside(self, lines):
        """The UI may wait for its frame to be read before it reads on."""
        threading.Thread(target=self.send, args=(lines,), daemon=True).start()

    def close(self):
        self.client.close()
        self.listener.close()


class Screen:
    def __init__(self, compass, uri, *flags):
        self.fd, inner = os.openpty()
        fcntl.ioctl(inner, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        self.started = time.perf_counter()
        self.process = subprocess.Popen(
            [compass, "--uri", uri, *flags], stdin=inner, stdout=inner, start_new_session=True,
            env={**os.environ, "TERM": "xterm-256color", "LC_ALL": "C.UTF-8"})
        os.close(inner)
        self.frames = []

    def read(self, timeout):
        if not select.select([self.fd], [], [], timeout)[0]:
            return b""
        try:
            return os.read(self.fd, 1 << 20)
        except OSError:  # it has ended
            return b""

    def until(self, needle, seconds=60):
        """When it came, after the start."""
        text, deadline = b"", time.perf_counter() + seconds
        while time.perf_counter() < deadline:
            text = text[-4096:] + self.read(0.1)
            if needle in text:
                return time.perf_counter() - self.started
        raise SystemExit(f"bench: the UI does not show {needle!r}")

    def settle(self):
        while self.read(0.2):
            pass

    def press(self, key):
        """Seconds from the key to the last byte of its frame; None where nothing was painted."""
        before, last = time.perf_counter(), None
        os.write(self.fd, key)
        while self.read(QUIET if last else 0.6):
            last = time.perf_counter()
        return last and last - before

    def resident(self):
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as status:
            return int(re.search(r"VmRSS:\s+(\d+)", status.read()).group(1)) / 1024

    def close(self):
        self.process.terminate()
        while self.read(0.5):
            pass
        self.process.wait()
        os.close(self.fd)


# What a reader does, page by page; a part is (name, keys).
SESSION = (
    ("search", [DOWN] * 20 + [PAGE_DOWN] * 5 + [b"s", b"s", b"s", b"s", b"r", b"r", b"p", b"p"]),
    ("search, filter", [b"/", b"i", b"t", b"e", b"m", b"\x1b", b"/", b">", b"2", b"0", b"m", b"s", b"\x1b"]),
    ("routes", [b"g", DOWN, DOWN, b"\x1b"]),
    ("open 50,000 calls", [b"G", b"\r"]),
    ("spans", [DOWN] * 20 + [PAGE_DOWN] * 5 + [b"n", b"h", b"O", DOWN, PAGE_DOWN, PAGE_DOWN, b"C"]),
    ("spans, filter", [b"/", b"f", b"i", b"n", b"d", b"7", b"\x1b"]),
    ("flame", [b"f", DOWN, DOWN, RIGHT, RIGHT, LEFT, b"\r", b"\x1b", b"\x1b"]),
    ("totals", [b"3"] + [DOWN] * 10 + [PAGE_DOWN] * 5 + [b"s", b"s", b"r", b"r"]),
    ("totals, filter", [b"/", b"f", b"i", b"n", b"d", b"7", b"\x1b"]),
    ("callers", [b"\r", DOWN, DOWN, b"\x1b"]),
)


def keys(compass):
    """(median, worst, name of the worst's part) over the session, 499 traces and the large one held."""
    source = Source()
    screen = Screen(compass, source.uri)
    source.accept()
    source.send_beside(make("large", 50000) + make("pages", 498) + [marked(make("pages", 1)[0])])
    screen.until(MARK)
    screen.settle()
    times = []
    for name, typed in SESSION:
        found = [(took, name) for took in map(screen.press, typed) if took]
        times += found
    screen.close()
    source.close()
    return statistics.median(took for took, _ in times), *max(times), len(times)


def pour(source, lines, seconds, rate):
    """Sends at an even rate; the last line is one of its own."""
    started = time.perf_counter()
    step = rate // 100
    for tick in range(seconds * 100):
        source.send(lines[(tick * step) % len(lines):][:step])
        time.sleep(max(0, started + (tick + 1) / 100 - time.perf_counter()))
    source.last = time.perf_counter()
    source.send([marked(lines[0])])


def intake(compass, seconds=10, rate=1000):
    """(frames, frames dropped, the longest time between two, how long the last trace took to be seen)."""
    source = Source()
    screen = Screen(compass, source.uri)
    source.accept()
    lines = make("many", rate)
    source.send_beside(make("large", 50000) + lines[:498] + [marked(lines[0])])
    screen.until(MARK)
    screen.settle()
    thread = threading.Thread(target=pour, args=(source, lines, seconds, rate))
    thread.start()
    frames, text, seen = [], b"", None
    while not seen:
        chunk = screen.read(5)
        now = time.perf_counter()
        if not frames or now - frames[-1] > 0.005:
            frames.append(now)
        text = text[-64:] + chunk
        seen = now if MARK in text and source.last else None
        if not chunk:
            raise SystemExit("bench: the UI stopped painting")
    thread.join()
    gaps = [after - before for before, after in zip(frames[1:], frames[2:])]
    screen.close()
    source.close()
    return len(frames), sum(gap > 2 * FRAME for gap in gaps), max(gaps), seen - source.last


def first_paint(compass, times=21):
    took = []
    for _ in range(times):
        screen = Screen(compass, "http://127.0.0.1:9/v1/traces")
        took.append(screen.until(b"Search"))
        screen.close()
    return statistics.median(took)


def memory(compass, count, flags):
    """MiB held after a tenth of the traffic, and after all of it."""
    source = Source()
    screen = Screen(compass, source.uri, *flags)
    source.accept()
    lines = make("pages", 500)
    large = make("large", 5000)
    sizes = []
    done = threading.Event()

    def feed():
        for tenth in range(10):
            for _ in range(count // 10 // len(lines)):
                source.send(lines)
                source.send(large)
            sizes.append(screen.resident())
        done.set()

    thread = threading.Thread(target=feed)
    thread.start()
    while not done.is_set():
        screen.read(0.1)
    thread.join()
    screen.close()
    source.close()
    return sizes[0], sizes[-1]


def go_first(policy, priority):
    """The UI, what measures it, and the kernel's threads that pass on what is written to a terminal."""
    threads = [0]
    for folder in glob.glob("/proc/[0-9]*"):
        try:
            with open(f"{folder}/comm", encoding="ascii") as name:
                if name.read().startswith("kworker/u"):
                    threads.append(int(os.path.basename(folder)))
        except OSError:  # it has ended
            pass
    for thread in threads:
        with contextlib.suppress(ProcessLookupError):
            os.sched_setscheduler(thread, policy, os.sched_param(priority))


def rows(compass):
    """As root what is measured goes first, so that what else runs on the machine does not count."""
    if os.geteuid() != 0:
        yield from measured(compass)
        return
    go_first(os.SCHED_FIFO, 1)
    try:
        yield from measured(compass)
    finally:
        go_first(os.SCHED_OTHER, 0)


def measured(compass):
    median, worst, where, count = keys(compass)
    yield (f"key to painted frame, median of {count} keys", f"{median * 1000:.1f} ms", "16 ms")
    yield (f"the worst of them ({where})", f"{worst * 1000:.1f} ms", "50 ms")
    frames, dropped, longest, lag = intake(compass)
    yield ("1,000 traces a second for ten seconds: frames dropped", f"{dropped} of {frames}", "0")
    yield ("the longest time between two frames", f"{longest * 1000:.0f} ms", f"{2 * FRAME * 1000:.0f} ms")
    yield ("the last trace sent until it is seen", f"{lag * 1000:.0f} ms", f"{2 * FRAME * 1000:.0f} ms")
    yield ("start to first frame", f"{first_paint(compass) * 1000:.1f} ms", "50 ms")
    for name, flags in (("--max-traces 500", ()), ("--max-bytes 64MiB", ("--max-traces", "1000000", "--max-bytes", "64MiB"))):
        early, late = memory(compass, 36000, flags)
        yield (f"36,000 requests, {name}: memory after a tenth, after all", f"{early:.0f} MiB, {late:.0f} MiB", "the same")
