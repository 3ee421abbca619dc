# SPDX-License-Identifier: Apache-2.0
"""A pseudo terminal to drive the UI in: a tmux server of its own, without anybody's configuration."""

import subprocess

import stack


class Terminal:
    """Lives as long as the stack that it belongs to."""

    def __init__(self, servers, columns=120, rows=36, name="terminal"):
        self.socket = servers.path(f"{name}.sock")
        self.server = servers.spawn(name, ["tmux", "-S", self.socket, "-f", "/dev/null", "-D"],
                                    env={"LANG": "C.UTF-8", "LC_ALL": "C.UTF-8", "TERM": "xterm-256color"})
        stack.wait_until(lambda: servers.alive(name, self.server) and self.tmux("start-server", check=False), 10,
                         "tmux")
        self.tmux("set-option", "-g", "default-terminal", "tmux-256color")
        self.tmux("set-option", "-g", "escape-time", "0")
        self.tmux("set-option", "-g", "status", "off")
        self.tmux("new-session", "-d", "-x", str(columns), "-y", str(rows), "env", "PS1=$ ", "sh")

    def tmux(self, *words, check=True):
        # -N: a client that is earlier than our server must not start one of its own.
        done = subprocess.run(["tmux", "-N", "-S", self.socket, *words], check=False, capture_output=True, text=True)
        if check and done.returncode:
            raise stack.StackError(f"tmux {words[0]}: {done.stderr.strip()}")
        return done.stdout if check else done.returncode == 0

    def type(self, text):
        self.tmux("send-keys", "-l", text)

    def press(self, *keys):
        self.tmux("send-keys", *keys)

    def screen(self, colours=False):
        return self.tmux("capture-pane", "-p", *(["-e"] if colours else []))

    def wait(self, condition, seconds=20, what="the screen"):
        """Polls the screen until `condition(text)`; answers the screen, or fails with it."""
        try:
            stack.wait_until(lambda: condition(self.screen()), seconds, what)
        except stack.StackError as error:
            raise stack.StackError(f"{error}\n{self.screen()}") from error
        return self.screen()

    def wait_text(self, text, seconds=20):
        return self.wait(lambda screen: text in screen, seconds, f"{text!r} on the screen")
