// Text in columns of a monospaced font: how wide it is, and where it is broken.

import { el } from "./dom.js";

export const LINE = 18; // pixels, --line-height of the style sheet

let measured = 0;

export function charWidth() {
  if (!measured) {
    const probe = el("span", {class: "probe mono", "aria-hidden": "true"}, "0".repeat(100));
    document.body.append(probe);
    measured = probe.getBoundingClientRect().width / 100 || 7.2;
    probe.remove();
  }
  return measured;
}

function isWide(code) {
  return code >= 0x1100 && (code <= 0x115f || (code >= 0x2e80 && code <= 0xa4cf) || (code >= 0xac00 && code <= 0xd7a3) ||
    (code >= 0xf900 && code <= 0xfaff) || (code >= 0xfe30 && code <= 0xfe6f) || (code >= 0xff00 && code <= 0xff60) ||
    code >= 0x1f300);
}

export function textWidth(text) {
  let width = 0;
  for (const character of text) width += isWide(character.codePointAt(0)) ? 2 : 1;
  return width;
}

// The text in lines of at most so many columns, broken at spaces or after marks where that is possible.
export function wrapText(text, columns) {
  const room = Math.max(4, Math.floor(columns));
  const lines = [];
  for (const part of String(text).split("\n")) wrapLine(part, room, lines);
  return lines.length ? lines : [""];
}

function wrapLine(text, room, lines) {
  if (text.length <= room && textWidth(text) <= room) {
    lines.push(text);
    return;
  }
  let line = "", width = 0, lastBreak = -1;
  for (const character of text) {
    const size = isWide(character.codePointAt(0)) ? 2 : 1;
    if (width + size > room) {
      const cut = lastBreak > room / 3 ? lastBreak : line.length;
      lines.push(line.slice(0, cut).trimEnd());
      line = line.slice(cut).trimStart();
      width = textWidth(line);
      lastBreak = -1;
    }
    line += character;
    width += size;
    if (" ,;.)]}|&".includes(character)) lastBreak = line.length;
  }
  lines.push(line);
}

export function plural(count, word) {
  return `${count.toLocaleString("en")} ${word}${count === 1 ? "" : "s"}`;
}
