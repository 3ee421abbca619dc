# SPDX-License-Identifier: Apache-2.0
"""The code blocks of the documents, and what is to become of each. A comment on the line before a block says more than
its language does:

  <!-- run: in=/srv/app until=listening -->   run it there, until it has said that; then it is interrupted
  <!-- run: beside until=listening -->        the same, and it stays for the blocks that follow
  <!-- file: /etc/some.ini then=COMMAND -->   put it into that file, then run the command
  <!-- run by: tests/e2e/demo -->             another program does what it says

A block is an example where its first line, or each of its lines, says `# example`."""

import os
import re

FENCE = re.compile(r"^(?P<indent> *)```(?P<language>[a-z]*)\n(?P<text>.*?)^(?P=indent)```$", re.MULTILINE | re.DOTALL)
MARK = re.compile(r"<!-- *(run by|run|file): *(.*?) *-->\s*$")


class Block:
    def __init__(self, path, line, language, text, mark):
        self.place, self.language, self.text = f"{path}:{line}", language, text
        kind, value = mark or ("", "")
        self.run_by = value if kind == "run by" else None
        self.file, self.then = value.split(" then=") if kind == "file" else (None, None)
        words = value if kind == "run" else ""
        self.folder = next(iter(re.findall(r"\bin=(\S+)", words)), None)
        self.until = next(iter(re.findall(r"\buntil=(.+)$", words)), None)
        self.beside = words.split(" ")[0] == "beside"

    @property
    def example(self):
        lines = [line for line in self.text.splitlines() if line.strip()]
        return bool(lines) and (lines[0].startswith("# example") or all("# example" in line for line in lines))

    @property
    def runs(self):
        return not self.example and not self.run_by and (self.language == "sh" or self.file is not None)


def of_file(root, path):
    """The blocks of a document, in order."""
    with open(os.path.join(root, path), encoding="utf-8") as file:
        text = file.read()
    found = []
    for match in FENCE.finditer(text):
        body = re.sub(rf"^{match['indent']}", "", match["text"], flags=re.MULTILINE)
        before = text[:match.start()].rstrip().splitlines()
        mark = MARK.search(before[-1]) if before else None
        found.append(Block(path, text.count("\n", 0, match.start()) + 1, match["language"], body,
                           mark.groups() if mark else None))
    return found
