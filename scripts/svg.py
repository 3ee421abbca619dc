# SPDX-License-Identifier: Apache-2.0
"""Draws a terminal screen, text with colour sequences as `tmux capture-pane -e` prints it, as SVG."""

import re
import unicodedata
from html import escape

CELL_WIDTH, CELL_HEIGHT, FONT_SIZE, MARGIN = 8.4, 18, 14, 12
FOREGROUND, BACKGROUND = "#d8dee9", "#1b1f27"
FONT = "ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace"
BASE = ["#2b303b", "#e06c75", "#98c379", "#e5c07b", "#61afef", "#c678dd", "#56b6c2", "#c8ccd4",
        "#5c6370", "#ff7a85", "#b5e08f", "#ffd68a", "#82c4ff", "#dd9bf0", "#7fd6e0", "#ffffff"]
NO_BREAK = "\u00a0"
PLAIN = {"fg": None, "bg": None, "bold": False, "dim": False, "underline": False, "reverse": False}
SWITCHES = {1: ("bold", True), 2: ("dim", True), 4: ("underline", True), 7: ("reverse", True),
            24: ("underline", False), 27: ("reverse", False), 39: ("fg", None), 49: ("bg", None)}


def palette(number):
    """The colour of one of the 256."""
    if number < 16:
        return BASE[number]
    if number >= 232:
        level = 8 + 10 * (number - 232)
        return f"#{level:02x}{level:02x}{level:02x}"
    number -= 16
    levels = [0 if part == 0 else 55 + 40 * part for part in (number // 36, number // 6 % 6, number % 6)]
    return "#%02x%02x%02x" % tuple(levels)


def apply(style, codes):
    """The style after one colour sequence."""
    style = dict(style)
    codes = list(codes)
    while codes:
        code = codes.pop(0)
        if code == 0:
            style = dict(PLAIN)
        elif code == 22:
            style["bold"] = style["dim"] = False
        elif code in SWITCHES:
            name, value = SWITCHES[code]
            style[name] = value
        elif code in (38, 48) and codes:
            wide = codes.pop(0)
            colour = palette(codes.pop(0)) if wide == 5 else "#%02x%02x%02x" % tuple(codes.pop(0) for _ in range(3))
            style["fg" if code == 38 else "bg"] = colour
        elif 30 <= code <= 37 or 90 <= code <= 97:
            style["fg"] = BASE[code - 30 if code < 90 else code - 82]
        elif 40 <= code <= 47 or 100 <= code <= 107:
            style["bg"] = BASE[code - 40 if code < 100 else code - 92]
    return style


def runs(line, style):
    """Pieces of one style: [(column, text, columns, style)], and the style at the end of the line."""
    pieces, column = [], 0
    for part in re.split(r"(\x1b\[[0-9;:]*m)", line):
        if part.startswith("\x1b["):
            style = apply(style, [int(code or 0) for code in re.split("[;:]", part[2:-1])])
        elif part:
            width = sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in part)
            pieces.append((column, part, width, style))
            column += width
    return pieces, style


def colours(style):
    ink, paper = style["fg"] or FOREGROUND, style["bg"]
    return (paper or BACKGROUND, ink) if style["reverse"] else (ink, paper)


def draw_run(row, piece):
    column, text, width, style = piece
    ink, paper = colours(style)
    x, y = MARGIN + column * CELL_WIDTH, MARGIN + row * CELL_HEIGHT
    parts = []
    if paper:
        parts.append(f'<rect x="{x:.1f}" y="{y}" width="{width * CELL_WIDTH:.1f}" height="{CELL_HEIGHT}" fill="{paper}"/>')
    if text.strip():
        attributes = f'x="{x:.1f}" y="{y + 13.5:.1f}" fill="{ink}" textLength="{width * CELL_WIDTH:.1f}"'
        attributes += ' font-weight="bold"' if style["bold"] else ""
        attributes += ' opacity="0.6"' if style["dim"] else ""
        attributes += ' text-decoration="underline"' if style["underline"] else ""
        # Viewers fold spaces, whatever xml:space says; they leave the non-breaking ones alone.
        parts.append(f"<text {attributes}>{escape(text, quote=False).replace(' ', NO_BREAK)}</text>")
    return parts


def draw(screen, columns, title):
    """The SVG of a screen."""
    lines = screen.rstrip("\n").split("\n")
    width, height = 2 * MARGIN + columns * CELL_WIDTH, 2 * MARGIN + len(lines) * CELL_HEIGHT
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}" width="{width:.0f}" '
             f'height="{height}" font-family="{FONT}" font-size="{FONT_SIZE}">',
             f"<title>{escape(title)}</title>",
             f'<rect width="100%" height="100%" rx="8" fill="{BACKGROUND}"/>']
    style = dict(PLAIN)
    for row, line in enumerate(lines):
        pieces, style = runs(line, style)
        for piece in pieces:
            parts += draw_run(row, piece)
    return "\n".join([*parts, "</svg>", ""])
