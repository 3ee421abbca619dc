# SPDX-License-Identifier: Apache-2.0
"""Servers for the demo and the end-to-end tests: php-fpm, nginx, Node.js and the sidecar, each with its
own configuration in one temporary folder, on free ports. Whatever a Stack started is gone when it closes,
by process id, and dies with this process should it be killed outright."""

import argparse
import ctypes
import http.client
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
OUTPUT = os.environ.get("COMPASS_OUTPUT", os.path.join(ROOT, "_output"))
PR_SET_PDEATHSIG = 1
NPM_SECONDS = 180
LIBC = ctypes.CDLL(None, use_errno=True)


class StackError(Exception):
    """Something that should have started did not; the text says what, with the end of its log."""


def no_arguments(doc):
    """For a program without options: --help prints what it is, and anything else ends it with 2."""
    argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_until(condition, seconds, what):
    """Polls until `condition()` is true and returns what it returned."""
    deadline = time.monotonic() + seconds
    while True:
        result = condition()
        if result:
            return result
        if time.monotonic() > deadline:
            raise StackError(f"{what}: not within {seconds} s")
        time.sleep(0.05)


def get(port, path, headers=None, timeout=30):
    """One request on a connection of its own; answers (status, headers, body)."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=timeout)
    try:
        connection.request("GET", path, headers=headers or {})
        answer = connection.getresponse()
        return answer.status, dict(answer.getheaders()), answer.read()
    finally:
        connection.close()


def on_signals():
    """Turns the signals that end a process into SystemExit, so that every `with` is left in order."""

    def leave(number, _frame):
        for later in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(later, signal.SIG_IGN)
        sys.exit(128 + number)

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, leave)


def die_with_parent():
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


class Stack:
    def __init__(self, name="compass"):
        self.dir = tempfile.mkdtemp(prefix=f"{name}-")
        os.chmod(self.dir, 0o755)
        self.running = []

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if kind is not None and issubclass(kind, Exception):
            self.show_logs()
        self.close()

    def show_logs(self):
        """What the sidecars and servers said last: nobody can look once the folder is gone."""
        for name in sorted(os.listdir(self.dir)):
            if name.endswith(".log"):
                for line in self.log(name[:-4]).splitlines():
                    print(f"# {name}: {line[:400]}", flush=True)

    def close(self):
        for process, how in reversed(self.running):
            self.end(process, how)
        self.running.clear()
        shutil.rmtree(self.dir, ignore_errors=True)

    def path(self, *parts):
        return os.path.join(self.dir, *parts)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return self.path(name)

    def log(self, name, lines=15):
        try:
            with open(self.path(f"{name}.log"), encoding="utf-8", errors="replace") as file:
                return "".join(file.readlines()[-lines:])
        except OSError:
            return ""

    def spawn(self, name, argv, env=None, stdout=None, cwd=None, how=signal.SIGTERM):
        """Starts a process in a session of its own; what it says goes to NAME.log."""
        with open(self.path(f"{name}.log"), "ab") as log:
            process = subprocess.Popen(
                argv, stdin=subprocess.DEVNULL, stdout=stdout or log, stderr=log, cwd=cwd,
                env={**os.environ, **(env or {})}, start_new_session=True, preexec_fn=die_with_parent)
        self.running.append((process, how))
        return process

    def stop(self, process):
        for entry in list(self.running):
            if entry[0] is process:
                self.running.remove(entry)
                self.end(*entry)
        return process.returncode

    @staticmethod
    def end(process, how):
        """Asks, then insists; what it left in its session goes with it."""
        if process.poll() is None:
            process.send_signal(how)
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        if process.stdout:
            process.stdout.close()

    def alive(self, name, process):
        if process.poll() is not None:
            raise StackError(f"{name} ended with {process.returncode}:\n{self.log(name)}")
        return True

    def await_port(self, name, process, port, seconds=20):
        def answers():
            self.alive(name, process)
            with socket.socket() as probe:
                return probe.connect_ex(("127.0.0.1", port)) == 0

        wait_until(answers, seconds, f"{name} on port {port}")

    def extension(self):
        """A copy of compass.so for this stack alone, under a name of its own: probes belong to a file's
        inode, and the sidecar takes files of the same name, so that two stacks at the same time do
        not see each other's requests."""
        copy = self.path(f"{os.path.basename(self.dir)}.so")
        if not os.path.exists(copy):
            source = os.path.join(OUTPUT, "compass.so")
            if not os.path.exists(source):
                raise StackError(f"{source} is missing: run `make build` first")
            shutil.copy(source, copy)
        return copy

    def ini(self, threshold=None):
        options = [f"extension={self.extension()}", "compass.enabled=1"]
        if threshold is not None:
            options.append(f"compass.function_threshold={threshold}")
        return [word for option in options for word in ("-d", option)]

    def fpm(self, workers=4, env=None, ini=(), name="fpm", inside=()):
        """Starts php-fpm on a socket in the folder; `ini` are words for its command line, `inside` is a
        command that runs it, in other namespaces say."""
        sock = self.path(f"{name}.sock")
        root = os.geteuid() == 0
        config = f"""[global]
error_log = {self.path(name)}-error.log
daemonize = no
[www]
listen = {sock}
listen.mode = 0666
pm = static
pm.max_children = {workers}
clear_env = no
catch_workers_output = yes
"""
        if root:
            config += "user = www-data\ngroup = www-data\n"
        for key, value in (env or {}).items():
            config += f'env[{key}] = "{value}"\n'
        binary = find_fpm()
        process = self.spawn(name, [*inside, binary, "--fpm-config", self.write(f"{name}.conf", config), *ini],
                             how=signal.SIGQUIT)

        def answers():
            self.alive(name, process)
            with socket.socket(socket.AF_UNIX) as probe:
                return probe.connect_ex(sock) == 0

        wait_until(answers, 20, "php-fpm")
        return process, sock

    def nginx(self, sock, document_root, script=None, port=None, name_requests=True, name="nginx"):
        """Starts nginx in front of a php-fpm socket. With `script` every path goes to that file,
        otherwise the path names one. A request without an X-Request-ID gets one here, unless
        `name_requests` is off."""
        port = port or free_port()
        script_path = script or "$document_root$fastcgi_script_name"
        naming = "fastcgi_param HTTP_X_REQUEST_ID $request_name;" if name_requests else ""
        user = "user www-data;" if os.geteuid() == 0 else ""
        temporary = "\n".join(f"    {kind}_temp_path {self.path(name)}-{kind};"
                              for kind in ("client_body", "fastcgi", "proxy", "uwsgi", "scgi"))
        config = f"""{user}
daemon off;
worker_processes 1;
pid {self.path(name)}.pid;
error_log {self.path(name)}-error.log warn;
events {{ worker_connections 256; }}
http {{
    access_log off;
{temporary}
    map $http_x_request_id $request_name {{ default $http_x_request_id; "" $request_id; }}
    server {{
        listen 127.0.0.1:{port};
        root {document_root};
        location / {{
            fastcgi_split_path_info ^(.+?\\.php)(/.*)$;
            fastcgi_pass unix:{sock};
            fastcgi_param SCRIPT_FILENAME {script_path};
            fastcgi_param SCRIPT_NAME $fastcgi_script_name;
            fastcgi_param PATH_INFO $fastcgi_path_info;
            fastcgi_param QUERY_STRING $query_string;
            fastcgi_param REQUEST_METHOD $request_method;
            fastcgi_param CONTENT_TYPE $content_type;
            fastcgi_param CONTENT_LENGTH $content_length;
            fastcgi_param REQUEST_URI $request_uri;
            fastcgi_param DOCUMENT_ROOT $document_root;
            fastcgi_param SERVER_PROTOCOL $server_protocol;
            fastcgi_param SERVER_NAME 127.0.0.1;
            fastcgi_param SERVER_ADDR 127.0.0.1;
            fastcgi_param SERVER_PORT $server_port;
            fastcgi_param REMOTE_ADDR $remote_addr;
            {naming}
        }}
    }}
}}
"""
        process = self.spawn(name, [find_tool("nginx"), "-p", self.dir, "-e", f"{self.path(name)}-error.log",
                                    "-c", self.write(f"{name}.conf", config)])
        self.await_port(name, process, port)
        return process, port

    def addon(self):
        """The addon as it is installed, for this stack alone, as extension() is; answers what `node --import`
        wants."""
        folder = self.path("node")
        if not os.path.exists(folder):
            source = os.path.join(ROOT, "addon")
            npm_ci(source)
            for part in ("js", "node_modules"):
                shutil.copytree(os.path.join(source, part), os.path.join(folder, part), symlinks=True)
            shutil.copy(find_built("compass.node"), self.addon_file())
            os.symlink(self.addon_file(), os.path.join(folder, "compass.node"))
        return os.path.join(folder, "js", "index.mjs")

    def addon_file(self):
        return self.path("node", f"{os.path.basename(self.dir)}.node")

    def node(self, name, folder, argv, env=None):
        """Starts a server below a folder of this repository, a copy with what npm installs for it, under
        the addon. It prints the port that it listens on, which is what this answers."""
        copy, index = self.path("apps", folder.replace("/", "-")), self.addon()
        if not os.path.exists(copy):
            npm_ci(os.path.join(ROOT, folder))
            shutil.copytree(os.path.join(ROOT, folder), copy, symlinks=True)
        words = [os.environ.get("COMPASS_TEST_NODE", "node"), "--import", index, *argv]
        process = self.spawn(name, words, cwd=copy, env={
            "NODE_OPTIONS": "", "PORT": "0", "COMPASS_NODE_CACHE": self.path("cache"), **(env or {})})

        def port():
            self.alive(name, process)
            words = self.log(name).split()
            return next((int(word) for word in words if word.isdigit()), None)

        return wait_until(port, 30, f"{name} listens")

    def sidecar(self, port=None, env=None, name="sidecar"):
        """Starts the sidecar for what this stack runs, and waits until it answers."""
        port = port or free_port()
        process = self.spawn(name, [find_built("compass-sidecar")], env={
            "COMPASS_SIDECAR_ADDR": f"127.0.0.1:{port}",
            "COMPASS_SIDECAR_PHP_EXTENSION_PATH": self.path(f"{os.path.basename(self.dir)}.so"),
            "COMPASS_SIDECAR_NODE_PROCESS_NAME": "node" if os.path.exists(self.addon_file()) else "none of them",
            "COMPASS_SIDECAR_NODE_ADDON_PATH": self.addon_file(),
            **(env or {})})
        self.await_port(name, process, port)
        return process, port

    def harbour(self, ini=(), name="fpm"):
        """Starts the sample application; answers nginx's port."""
        app, data = self.path("app"), self.path("data")
        if not os.path.exists(app):
            shutil.copytree(os.path.join(ROOT, "docker/demo/php"), app)
            os.mkdir(data)
            os.chmod(data, 0o777)
        _, sock = self.fpm(env={"HARBOUR_DATA": data}, ini=ini, name=name)
        _, port = self.nginx(sock, f"{app}/public", script=f"{app}/public/index.php",
                             name=f"nginx-{name}")
        return port

    def lighthouse(self, site, base="", env=None):
        """Starts the sample application for Node.js, which asks the site on port `site`; answers its port."""
        return self.node("lighthouse", "docker/node/app", ["server.mjs"], {
            "BASE_PATH": base, "PHP_SITE": f"http://127.0.0.1:{site}", **(env or {})})


def find_tool(*names):
    """Servers live in /usr/sbin, which is not in everybody's PATH."""
    for name in names:
        found = shutil.which(name, path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin")
        if found:
            return found
    raise StackError(f"{names[0]} is not installed: run scripts/install-deps")


def npm_ci(folder):
    """Installs what a folder's package-lock.json asks for, unless it is there."""
    lock, done = (os.path.join(folder, name) for name in ("package-lock.json", "node_modules/.package-lock.json"))
    if os.path.exists(done) and os.path.getmtime(done) >= os.path.getmtime(lock):
        return
    try:
        subprocess.run([find_tool("npm"), "ci", "--ignore-scripts", "--no-progress", "--no-audit", "--no-fund"],
                       cwd=folder, check=True, capture_output=True, text=True, timeout=NPM_SECONDS)
    except subprocess.CalledProcessError as error:
        raise StackError(f"npm ci in {folder} failed:\n{error.stderr[-1000:]}") from error
    except (OSError, subprocess.TimeoutExpired) as error:
        raise StackError(f"npm ci in {folder}: {error}") from error


def find_fpm():
    return find_tool("php-fpm8.2", "php-fpm8.3", "php-fpm8.4", "php-fpm")


def find_built(name):
    path = os.path.join(OUTPUT, name)
    if not os.path.exists(path):
        raise StackError(f"{path} is missing: run `make build` first")
    return path
