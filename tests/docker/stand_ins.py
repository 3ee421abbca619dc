# SPDX-License-Identifier: Apache-2.0
"""Stand-ins for the images that the Dockerfiles build on, made from Debian's packages (and Node.js from
npm's) where no image can be pulled: the same names, and the same layout as far as the Dockerfiles and
the compose file look. debian:bookworm-slim comes from debootstrap; the tree is kept for a week."""

import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import engine  # noqa: E402

HERE = os.path.join(engine.ROOT, "tests", "docker", "stand-ins")
BASE = "debian:bookworm-slim"
# In the order in which they build on each other.
IMAGES = {
    "php:8.3-fpm": "php-fpm",
    "drupal:11-php8.3-fpm-bookworm": "drupal",
    "node:22-bookworm-slim": "node",
    "nginx:1.28": "nginx",
}
WEEK = 7 * 86400
CERTIFICATES = "/etc/ssl/certs/ca-certificates.crt"
# As in the official images: apt keeps neither what it downloads nor an index in a form of its own, and dpkg
# does not wait for the disk.
APT_CONF = """Dir::Cache::pkgcache "";
Dir::Cache::srcpkgcache "";
DPkg::Post-Invoke { "rm -f /var/cache/apt/archives/*.deb"; };
Acquire::Languages "none";
"""
# The slim images leave these out too.
LEFT_OUT = ["./usr/share/doc/*", "./usr/share/man/*", "./usr/share/info/*", "./usr/share/locale/*",
            "./usr/share/lintian/*", "./var/cache/apt/*.bin", "./var/cache/apt/archives/*.deb",
            "./var/lib/apt/lists/*", "./var/log/*", "./dev/*"]


def cache_folder():
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(base, "compass")


def packages_source():
    """Where this machine has Debian's packages from, as apt knows it."""
    found = subprocess.run(["apt-get", "indextargets", "--format", "$(SITE) $(RELEASE)"],
                           capture_output=True, text=True, check=False)
    for line in found.stdout.splitlines():
        site, _, release = line.partition(" ")
        if release == "bookworm":
            return site
    return "http://deb.debian.org/debian"


def write(tree, path, text):
    with open(os.path.join(tree, path), "w", encoding="utf-8") as file:
        file.write(text)


def trust(tree):
    """What this machine needs to reach its packages (a proxy, a certificate) the containers need too."""
    settings = subprocess.run(["apt-config", "dump", "Acquire"], capture_output=True, text=True, check=True)
    lines = [line for line in settings.stdout.splitlines() if "Proxy" in line]
    write(tree, "etc/apt/apt.conf.d/90machine", "\n".join(lines) + "\n")
    ours, theirs = "/usr/local/share/ca-certificates", os.path.join(tree, "usr/local/share/ca-certificates")
    if os.path.isdir(ours):
        shutil.copytree(ours, theirs, dirs_exist_ok=True)


@contextlib.contextmanager
def scratch():
    """A folder that is gone afterwards, in memory where there is enough."""
    with tempfile.TemporaryDirectory(prefix="compass-bookworm-") as work:
        in_memory = engine.memory_available() > engine.MEMORY_BYTES
        if in_memory:
            subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2g", "tmpfs", work], check=True)
        try:
            yield work
        finally:
            if in_memory:
                subprocess.run(["umount", "--lazy", work], check=True)


def base_tree():
    """The file of debian:bookworm-slim, made where there is none or it is old."""
    folder = cache_folder()
    path = os.path.join(folder, "bookworm-slim.tar")
    if os.path.exists(path) and time.time() - os.path.getmtime(path) < WEEK:
        return path
    os.makedirs(folder, exist_ok=True)
    print("# stand-ins: debootstrap (a minute or two)", flush=True)
    with scratch() as work:
        tree = os.path.join(work, "tree")
        made = subprocess.run(["debootstrap", "--variant=minbase", "bookworm", tree, packages_source()],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        if made.returncode:
            raise engine.EngineError(f"debootstrap failed:\n{made.stdout[-2000:]}")
        write(tree, "etc/apt/apt.conf.d/docker-clean", APT_CONF)
        write(tree, "etc/dpkg/dpkg.cfg.d/docker-apt-speedup", "force-unsafe-io\n")
        trust(tree)
        options = [f"--exclude={pattern}" for pattern in LEFT_OUT]
        subprocess.run(["tar", "-C", tree, "--numeric-owner", *options, "-cf", f"{path}.new", "."], check=True)
    os.rename(f"{path}.new", path)
    return path


def node_files():
    """A file of Node.js and npm as they lie in /usr/local, from their packages."""
    machine = {"x86_64": "x64", "aarch64": "arm64"}[os.uname().machine]
    path = os.path.join(cache_folder(), f"node-22-{machine}.tar")
    if os.path.exists(path):
        return path
    os.makedirs(cache_folder(), exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="compass-node-") as work:
        subprocess.run(["npm", "pack", "--silent", f"node-linux-{machine}@22", "npm@10"], cwd=work, check=True,
                       stdout=subprocess.DEVNULL)
        tree = os.path.join(work, "tree")
        for name, into in (("node-linux", tree), ("npm-", os.path.join(tree, "lib/node_modules/npm"))):
            os.makedirs(into)
            packed = next(file for file in sorted(os.listdir(work)) if file.startswith(name))
            subprocess.run(["tar", "-C", into, "--strip-components=1", "-xzf", os.path.join(work, packed)], check=True)
        subprocess.run(["tar", "-C", tree, "--owner=0", "--group=0", "-cf", f"{path}.new", "bin", "include", "lib"],
                       check=True)
    os.rename(f"{path}.new", path)
    return path


def build(docker, name):
    with tempfile.TemporaryDirectory(prefix="compass-stand-in-") as work:
        context = os.path.join(work, "context")
        shutil.copytree(os.path.join(HERE, IMAGES[name]), context)
        if IMAGES[name] == "node":
            shutil.copy(node_files(), os.path.join(context, "files.tar"))
            shutil.copy(CERTIFICATES, context)
        docker.run("docker", "build", "--tag", name, context)


def has_image(docker, name):
    return subprocess.run(["docker", "image", "inspect", name], env=docker.env, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL, check=False).returncode == 0


def make_base(docker):
    if not has_image(docker, BASE):
        docker.run("docker", "import", "--change", 'CMD ["bash"]', base_tree(), BASE)


def make(docker, names=None):
    """Makes the named images (all of them, and what they are made of) that the engine has not got."""
    if names is None:
        make_base(docker)
    for name in IMAGES if names is None else names:
        if not has_image(docker, name):
            print(f"# stand-in: {name}", flush=True)
            build(docker, name)
