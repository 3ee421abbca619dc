# SPDX-License-Identifier: Apache-2.0
"""Chromium without a window, told what to do over a pipe (the DevTools protocol: JSON, each message ended by NUL)."""

import fcntl
import json
import os
import shutil
import subprocess
import time

import stack

SECONDS = 60


def high(descriptor):
    """The same under a number that the protocol's are not among."""
    again = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, 10)
    os.close(descriptor)
    return again


class Browser:
    """To be used with `with`; `folder` is for its profile. It reaches no network."""

    def __init__(self, folder):
        (inner, self.to), (self.back, outer) = (map(high, os.pipe()) for _ in range(2))
        # The descriptors of the protocol are 3 and 4.
        self.process = subprocess.Popen(
            ["bash", "-c", f'exec "$@" 3<&{inner} 4>&{outer} {inner}<&- {outer}>&-', "bash", shutil.which("chromium"),
             "--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", "--no-first-run",
             f"--user-data-dir={folder}/chromium", "--allow-file-access-from-files",
             "--host-resolver-rules=MAP * ~NOTFOUND", "about:blank"],
            pass_fds=(inner, outer), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(inner)
        os.close(outer)
        self.number, self.rest, self.events = 0, b"", []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.tell("Browser.close")
            self.process.wait(10)
        except (OSError, stack.StackError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        os.close(self.to)
        os.close(self.back)

    def receive(self):
        while b"\0" not in self.rest:
            chunk = os.read(self.back, 1 << 20)
            if not chunk:
                raise stack.StackError("the browser has ended")
            self.rest += chunk
        message, self.rest = self.rest.split(b"\0", 1)
        return json.loads(message)

    def tell(self, method, session=None, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params, **({"sessionId": session} if session else {})}
        left = json.dumps(message).encode() + b"\0"
        while left:
            left = left[os.write(self.to, left):]
        while True:
            answer = self.receive()
            if answer.get("id") == self.number:
                break
            self.events.append((answer.get("sessionId"), answer.get("method")))
        if "error" in answer:
            raise stack.StackError(f"{method}: {answer['error']}")
        return answer["result"]

    def open(self, url):
        """A page with that address, once it is loaded."""
        target = self.tell("Target.createTarget", url="about:blank")["targetId"]
        session = self.tell("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.tell("Page.enable", session)
        self.events.clear()
        self.tell("Page.navigate", session, url=url)
        while (session, "Page.loadEventFired") not in self.events:
            message = self.receive()
            self.events.append((message.get("sessionId"), message.get("method")))
        return Page(self, session, target)


class Page:
    def __init__(self, browser, session, target):
        self.browser, self.session, self.target = browser, session, target

    def evaluate(self, expression):
        """What the expression, or the promise that it is, comes to."""
        answer = self.browser.tell("Runtime.evaluate", self.session, expression=expression, awaitPromise=True,
                                   returnByValue=True)
        if "exceptionDetails" in answer:
            raise stack.StackError(f"{expression[:80]}: {json.dumps(answer['exceptionDetails'])[:1000]}")
        return answer["result"].get("value")

    def wait(self, expression):
        """Evaluates it until it is true; what it was last."""
        deadline = time.monotonic() + SECONDS
        while not (value := self.evaluate(expression)) and time.monotonic() < deadline:
            time.sleep(0.05)
        return value

    def close(self):
        self.browser.tell("Target.closeTarget", targetId=self.target)
