# SPDX-License-Identifier: Apache-2.0
"""What the end-to-end tests share: a TAP reporter, a reader of the stream, assertions on traces."""

import http.client
import json
import os
import sys
import threading
import time
import traceback

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "scripts"))
import stack  # noqa: E402

ATTACH_SECONDS = 30
TRACE_SECONDS = 20


class Tap:
    def __init__(self):
        self.count = self.failed = 0

    def ok(self, condition, name, detail=""):
        self.count += 1
        self.failed += not condition
        print(f"{'ok' if condition else 'not ok'} {self.count} - {name}", flush=True)
        if not condition and detail != "":
            for line in str(detail).splitlines()[:40]:
                print(f"# {line[:1000]}", flush=True)
        return condition

    def equal(self, found, expected, name):
        return self.ok(found == expected, name, f"expected {expected!r}\nfound    {found!r}")

    def done(self):
        print(f"1..{self.count}", flush=True)
        return 1 if self.failed else 0


def run(test, root=True):
    """Runs test(tap) as a program. An exception is a failed test, with the place in the output."""
    stack.on_signals()
    if root and os.geteuid() != 0:
        print("1..0 # SKIP needs root: eBPF programs are loaded")
        sys.exit(0)
    tap = Tap()
    try:
        test(tap)
    except Exception:  # noqa: BLE001
        tap.ok(False, "the test ran to its end", traceback.format_exc())
    sys.exit(tap.done())


def metrics(port):
    """The sidecar's metrics, {name with labels: value}."""
    values = {}
    for line in stack.get(port, "/metrics")[2].decode().splitlines():
        if line and not line.startswith("#"):
            name, value = line.rsplit(" ", 1)
            values[name] = float(value)
    return values


def collecting(port):
    return metrics(port).get("compass_sidecar_collector_running") == 1


class Stream:
    """A subscriber. Reads the stream in a thread until it is closed; every line is kept."""

    def __init__(self, port, query="", attached=True):
        self.traces = []
        self.broken = []
        self.changed = threading.Condition()
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
        self.connection.request("GET", f"/v1/traces{query}")
        self.answer = self.connection.getresponse()
        assert self.answer.status == 200, f"the stream answers {self.answer.status}"
        threading.Thread(target=self.read, daemon=True).start()
        if attached:
            stack.wait_until(lambda: collecting(port), ATTACH_SECONDS, "the sidecar attaches")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        if self.connection.sock:
            self.connection.sock.shutdown(2)

    def read(self):
        try:
            for line in self.answer:
                with self.changed:
                    try:
                        self.traces.append(json.loads(line))
                    except ValueError:
                        self.broken.append(line)
                    self.changed.notify_all()
        except (OSError, ValueError, AttributeError, http.client.HTTPException):
            pass

    def wait(self, matches, count=1, seconds=TRACE_SECONDS):
        """The traces that `matches` says yes to, once there are `count`, or what came in time."""
        deadline = time.monotonic() + seconds
        with self.changed:
            while True:
                found = [trace for trace in self.traces if "metadata" in trace and matches(trace)]
                left = deadline - time.monotonic()
                if len(found) >= count or left <= 0:
                    return found
                self.changed.wait(left)

    def by_id(self, name, count=1):
        return self.wait(lambda trace: trace["metadata"].get("id") == name, count)

    def one(self, name):
        found = self.by_id(name)
        if not found:
            raise stack.StackError(f"no trace with id {name}; {len(self.traces)} others came")
        return found[0]


def misplaced_calls(trace):
    """Calls that are not inside their request, or not inside the call that they hang from."""
    start, end = trace["metadata"]["startTime"], trace["metadata"]["endTime"]
    wrong, parents, previous = [], [], 0
    for call in trace["functionCalls"]:
        begin, stop = call["startTime"], call["startTime"] + call["elapsed"]
        if begin < start or stop > end or begin < previous:
            wrong.append(call)
        previous = begin
        while parents and parents[-1]["depth"] >= call["depth"]:
            parents.pop()
        if parents and stop > parents[-1]["startTime"] + parents[-1]["elapsed"]:
            wrong.append(call)
        parents.append(call)
    return wrong


def overfull_calls(trace):
    """Calls that are shorter than their children together; the outermost hang from the request."""
    whole = {"name": "the request", "depth": -1, "kept": 0,
             "elapsed": trace["metadata"]["endTime"] - trace["metadata"]["startTime"]}
    parents, calls = [whole], [whole]
    for call in trace["functionCalls"]:
        call = {**call, "kept": 0}
        while parents[-1]["depth"] >= call["depth"]:
            parents.pop()
        parents[-1]["kept"] += call["elapsed"]
        parents.append(call)
        calls.append(call)
    return [call for call in calls if call["kept"] > call["elapsed"]]


def function_names(trace):
    return {function["name"] for function in trace.get("functions", [])}
