# SPDX-License-Identifier: Apache-2.0
"""PHP as the benchmark runs it: one php.ini a mode, one php-fpm master with one worker a mode."""

import os
import shutil
import signal
import socket
import struct
import subprocess
import time

PHP = "php8.2"
FPM = "php-fpm8.2"
EXTENSIONS = ("ctype", "dom", "fileinfo", "iconv", "intl", "mbstring", "pdo", "pdo_sqlite",
              "posix", "sqlite3", "tokenizer", "xml", "xmlreader")
OPCACHE = ("zend_extension=opcache", "opcache.enable=1", "opcache.enable_cli=1",
           "opcache.memory_consumption=128", "opcache.max_accelerated_files=20000")


def write_ini(path, lines):
    """A php.ini with what MediaWiki needs, opcache, and the mode's own lines."""
    with open(path, "w", encoding="utf-8") as ini:
        for line in [f"extension={name}" for name in EXTENSIONS] + list(OPCACHE) + list(lines):
            ini.write(line + "\n")
        ini.write("memory_limit=256M\ndisplay_errors=0\n")


def environment(**more):
    """No conf.d of the machine: only the mode's own ini counts."""
    return {**os.environ, "PHP_INI_SCAN_DIR": "", **more}


def cpu_ns(pid):
    """CPU time that all threads of a process have used, in nanoseconds."""
    total = 0
    for task in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{task}/schedstat", encoding="ascii") as stat:
            total += int(stat.read().split()[0])
    return total


def wait_until(condition, what, seconds=20):
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise SystemExit(f"bench: gave up waiting for {what}")
        time.sleep(0.02)


def stop(process):
    """Ends a process that we started, the hard way if it does not listen."""
    if process.poll() is None:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(5)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


class Pool:
    """A php-fpm master with one worker, which answers on a socket in `folder`."""

    def __init__(self, folder, ini_lines, **env):
        self.folder = folder
        os.makedirs(folder, exist_ok=True)
        self.ini = os.path.join(folder, "php.ini")
        self.socket = os.path.join(folder, "fpm.sock")
        write_ini(self.ini, ini_lines)
        conf = os.path.join(folder, "fpm.conf")
        with open(conf, "w", encoding="utf-8") as file:
            file.write(f"[global]\nerror_log={folder}/fpm.log\ndaemonize=no\n"
                       f"[www]\nlisten={self.socket}\nuser=root\ngroup=root\npm=static\n"
                       "pm.max_children=1\nclear_env=no\ncatch_workers_output=yes\n")
        self.master = subprocess.Popen([FPM, "-R", "-F", "-c", self.ini, "-y", conf],
                                       env=environment(**env), stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL)
        wait_until(lambda: os.path.exists(self.socket) and self._children(), f"php-fpm in {folder}")

    def _children(self):
        with open(f"/proc/{self.master.pid}/task/{self.master.pid}/children", encoding="ascii") as f:
            return [int(pid) for pid in f.read().split()]

    @property
    def worker(self):
        return self._children()[0]

    def request(self, script, uri, query=""):
        """One request; the answer's bytes. Raises where the answer is not a page."""
        answer = fastcgi(self.socket, {
            "GATEWAY_INTERFACE": "FastCGI/1.0", "REQUEST_METHOD": "GET", "SCRIPT_FILENAME": script,
            "SCRIPT_NAME": "/index.php", "REQUEST_URI": uri, "QUERY_STRING": query,
            "SERVER_PROTOCOL": "HTTP/1.1", "SERVER_NAME": "localhost", "SERVER_PORT": "80",
            "HTTP_HOST": "localhost", "REMOTE_ADDR": "127.0.0.1", "DOCUMENT_ROOT": "/"})
        if b"<html" not in answer:
            raise SystemExit(f"bench: {uri} did not answer with a page: {answer[:300]!r}")
        return answer

    def close(self):
        stop(self.master)


def _pair(name, value):
    def size(text):
        return bytes([len(text)]) if len(text) < 128 else struct.pack(">I", len(text) | 1 << 31)
    name, value = name.encode(), value.encode()
    return size(name) + size(value) + name + value


def _record(kind, body):
    return struct.pack(">BBHHBx", 1, kind, 1, len(body), 0) + body


def fastcgi(path, parameters):
    """One FastCGI request over a Unix socket: what the script wrote to its standard output."""
    body = b"".join(_pair(name, value) for name, value in parameters.items())
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(path)
        connection.sendall(_record(1, struct.pack(">HB5x", 1, 0)) + _record(4, body) +
                           _record(4, b"") + _record(5, b""))
        stream = connection.makefile("rb")
        output = []
        while True:
            header = stream.read(8)
            if len(header) < 8:
                return b"".join(output)
            _, kind, _, length, padding = struct.unpack(">BBHHBx", header)
            content = stream.read(length + padding)[:length]
            if kind == 6:
                output.append(content)
            elif kind == 3:
                return b"".join(output)


def install_mediawiki(folder):
    """A fresh wiki on SQLite; the path of its settings."""
    os.makedirs(os.path.join(folder, "db"))
    ini = os.path.join(folder, "install.ini")
    write_ini(ini, ())
    subprocess.run([PHP, "-c", ini, "/usr/share/mediawiki/maintenance/install.php",
                    "--dbtype", "sqlite", "--dbpath", os.path.join(folder, "db"), "--dbname", "wiki",
                    "--confpath", folder, "--scriptpath", "", "--server", "http://localhost",
                    "--pass", "Measured-by-bench-1", "Wiki", "Admin"],
                   env=environment(), check=True, stdout=subprocess.DEVNULL)
    return os.path.join(folder, "LocalSettings.php")


def copy_mediawiki(settings, folder):
    """The same wiki for another pool, so that pools never wait for each other's locks."""
    source = os.path.dirname(settings)
    os.makedirs(folder, exist_ok=True)
    shutil.copytree(os.path.join(source, "db"), os.path.join(folder, "db"))
    copy = os.path.join(folder, "LocalSettings.php")
    with open(settings, encoding="utf-8") as old, open(copy, "w", encoding="utf-8") as new:
        new.write(old.read().replace(source, folder))
    return copy
