# SPDX-License-Identifier: Apache-2.0
"""What the benchmarks are asked for, print, and write into a document."""

import argparse


def parts(*known):
    """The type of an option that takes some of these words, separated by commas."""
    def words(text):
        for word in text.split(","):
            if word not in known:
                raise argparse.ArgumentTypeError(f"no part is named {word!r}; there are {', '.join(known)}")
        return text.split(",")
    return words


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


def write(path, text, marks):
    """Replaces what stands between the two marks in the file."""
    with open(path, encoding="utf-8") as file:
        old = file.read()
    begin, end = f"<!-- {marks} -->", f"<!-- /{marks} -->"
    if begin not in old or end not in old:
        raise SystemExit(f"bench: {path}: the marks {begin} and {end} were expected in it")
    new = old[:old.index(begin) + len(begin)] + "\n" + text + old[old.index(end):]
    with open(path, "w", encoding="utf-8") as file:
        file.write(new)
