// The run as swim lanes, one for each process, with arrows for messages; or only its messages.

import { el, show, svgEl } from "./dom.js";
import { LINE, charWidth, textWidth, wrapText } from "./text.js";

const WIDEST = 30; // columns of a lane
const BOX = 6; // pixels around the text of a box
const ROW_GAP = 8;
const AROUND_LANES = 500; // pixels drawn above and below what is seen

// options: select(at), messagesOnly
export class Lanes {
  constructor(options) {
    this.select = options.select;
    this.messagesOnly = options.messagesOnly ?? false;
    this.head = el("div", {class: "lane-head mono"});
    this.canvas = svgEl("svg", {class: "lane-canvas mono"});
    this.scroller = el("div", {class: "scroll", tabindex: "0", "aria-label": options.label ?? "Swim lanes"}, this.head, this.canvas);
    this.empty = el("p", {class: "empty", hidden: true});
    const box = el("input", {type: "checkbox", on: {change: () => {
      this.messagesOnly = !box.checked;
      this.layout();
    }}});
    this.toggle = options.messagesOnly ? el("label", {class: "toggle"}, box, " show every step") : null;
    this.node = el("div", {class: "lanes"}, this.toggle, this.empty, this.scroller);
    this.at = 0;
    this.run = null;
    this.orbitOf = new Map();
    let waiting = false;
    const later = () => {
      if (waiting) return;
      waiting = true;
      requestAnimationFrame(() => {
        waiting = false;
        this.draw();
      });
    };
    this.scroller.addEventListener("scroll", later, {passive: true});
    window.addEventListener("beforeprint", () => this.draw(true));
    window.addEventListener("afterprint", () => this.draw());
    new ResizeObserver(() => {
      if (this.run && this.scroller.clientWidth && this.scroller.clientWidth !== this.width) this.layout();
      else later();
    }).observe(this.scroller);
  }

  show(run) {
    this.run = run;
    this.layout();
  }

  changed() {
    this.layout();
  }

  // The boxes of the rows: [{k, actor, lines}], and the arrows.
  content() {
    const run = this.run;
    this.messages = run.messages();
    const talking = new Map();
    for (const message of this.messages) {
      note(talking, message.sent, message.from, message.channel ? `${message.channel} ! ${message.text}` : message.text);
      if (message.received !== null && message.received !== message.sent) {
        note(talking, message.received, message.to, `${message.channel} ? ${message.text}`);
      }
    }
    const rows = [];
    run.rows.forEach((row, k) => {
      if (row.gap) rows.push({k, gap: `… ${row.gap.toLocaleString("en")} steps are not shown …`, boxes: []});
      else if (this.messagesOnly) {
        const told = talking.get(k);
        if (told) rows.push({k, boxes: [...told].map(([actor, texts]) => ({actor, texts, changes: []}))});
      } else if (!row.quiet || row.violation) rows.push({k, boxes: this.boxes(row)});
    });
    return rows;
  }

  boxes(row) {
    const found = new Map();
    for (const [actor, text] of row.statements) {
      const who = actor.includes(", ") ? actor.split(", ")[0] : actor;
      if (!found.has(who)) found.set(who, {actor: who, texts: [], changes: []});
      found.get(who).texts.push(text);
    }
    for (const actor of row.actors.slice(1)) {
      if (!found.has(actor)) found.set(actor, {actor, texts: ["·"], changes: []});
    }
    const [first] = found.values();
    if (first) first.changes = this.run.changeTexts(row);
    return [...found.values()];
  }

  layout() {
    if (!this.run || !this.node.clientWidth) {
      this.width = 0;
      return;
    }
    this.scroller.hidden = false;
    this.width = this.scroller.clientWidth;
    const ch = charWidth();
    this.rows = this.content();
    const names = this.run.acting ? this.run.actors() : [""];
    const seen = new Set(this.rows.flatMap((row) => row.boxes.map((box) => box.actor)));
    this.lanes = this.messagesOnly ? names.filter((name) => seen.has(name)) : names;
    const nothing = this.rows.length === 0 || this.lanes.length === 0;
    this.empty.hidden = !nothing;
    this.scroller.hidden = nothing;
    if (nothing) {
      this.empty.textContent = this.messagesOnly
        ? (this.run.length ? "No messages are sent in this run." : "Nothing has happened yet.")
        : "Nothing has happened yet.";
      return;
    }
    const wanted = new Map(this.lanes.map((name) => [name, Math.max(10, Math.min(WIDEST, textWidth(name)))]));
    for (const row of this.rows) {
      for (const box of row.boxes) {
        const most = [...box.texts, ...box.changes].reduce((width, text) => Math.max(width, textWidth(text)), 0);
        if (wanted.has(box.actor)) wanted.set(box.actor, Math.max(wanted.get(box.actor), Math.min(WIDEST, most)));
      }
    }
    this.gutter = (Math.max(4, String(this.rows[this.rows.length - 1].k).length) + 2) * ch;
    let widths = this.lanes.map((name) => wanted.get(name) * ch + 2 * BOX + 20);
    const total = widths.reduce((sum, width) => sum + width, this.gutter);
    const spare = this.width - total - 4;
    if (spare > 0) widths = widths.map((width) => width + Math.min(160, spare / widths.length));
    this.xs = [];
    let x = this.gutter;
    for (const width of widths) {
      this.xs.push(x + width / 2);
      x += width;
    }
    this.widths = widths;
    this.full = Math.max(x, 1);
    this.column = new Map(this.lanes.map((name, k) => [name, k]));
    this.tops = [ROW_GAP];
    this.rowOf = new Map();
    this.rows.forEach((row, index) => {
      this.rowOf.set(row.k, index);
      let lines = row.gap ? 1 : 1;
      for (const box of row.boxes) {
        const columns = wanted.get(box.actor) ?? WIDEST;
        box.lines = box.texts.flatMap((text) => wrapText(text, columns));
        box.changeLines = box.changes.flatMap((text) => wrapText(text, columns));
        lines = Math.max(lines, box.lines.length + box.changeLines.length);
      }
      row.height = lines * LINE + 2 * BOX;
      this.tops.push(this.tops[index] + row.height + ROW_GAP);
    });
    this.height = this.tops[this.tops.length - 1] + 4;
    this.drawHead();
    this.canvas.setAttribute("width", this.full);
    this.canvas.setAttribute("height", this.height);
    this.draw();
    this.reveal();
  }

  drawHead() {
    const ch = charWidth();
    this.head.style.width = `${this.full}px`;
    show(this.head, el("span", {style: {width: `${this.gutter}px`}}, "step"),
      this.lanes.map((name, k) => {
        const orbit = this.orbitOf.get(name);
        const columns = Math.floor((this.widths[k] - 12) / ch);
        return el("span", {class: `lane-name ${orbit === undefined ? "" : `orbit o${orbit % 7}`}`,
          style: {width: `${this.widths[k]}px`}}, wrapText(name || "steps", columns).join("\n"));
      }));
  }

  range(all) {
    if (all) return [0, this.rows.length];
    const top = this.scroller.scrollTop - AROUND_LANES, bottom = this.scroller.scrollTop + this.scroller.clientHeight + AROUND_LANES;
    return [this.find(top), Math.min(this.rows.length, this.find(bottom) + 1)];
  }

  find(y) {
    let low = 0, high = this.rows.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.tops[middle + 1] <= y) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  draw(all = false) {
    if (!this.rows || !this.rows.length || !this.lanes.length || this.scroller.hidden) return;
    const [first, last] = this.range(all);
    const top = this.tops[first], bottom = this.tops[last];
    const parts = [arrowHead()];
    for (const x of this.xs) parts.push(svgEl("line", {class: "lifeline", x1: x, x2: x, y1: Math.max(0, top - ROW_GAP), y2: bottom}));
    for (const message of this.messages) {
      const sent = this.rowOf.get(message.sent), received = this.rowOf.get(message.received);
      if (sent === undefined || sent >= last || (received ?? sent) < first) continue;
      parts.push(this.arrow(message, sent, received));
    }
    for (let index = first; index < last; index += 1) parts.push(this.drawRow(index));
    show(this.canvas, parts);
  }

  middle(index) {
    return this.tops[index] + BOX + LINE / 2;
  }

  arrow(message, sent, received) {
    const a = this.column.get(message.from);
    if (a === undefined) return null;
    const title = svgEl("title", {}, message.channel ? `${message.channel}: ${message.text}` : message.text);
    const from = this.edges(sent, message.from), y = this.middle(sent);
    if (received === undefined || message.to === null) {
      const x = from[1];
      return svgEl("g", {class: "message lost"}, title, svgEl("path", {d: `M${x},${y} h16`}), svgEl("circle", {cx: x + 19, cy: y, r: 3}));
    }
    const b = this.column.get(message.to);
    if (b === undefined) return null;
    const to = this.edges(received, message.to), v = this.middle(received);
    let d;
    if (a === b) d = `M${from[1]},${y} h10 V${v} H${to[1] + 2}`;
    else if (a < b) d = `M${from[1]},${y} L${to[0] - 2},${v}`;
    else d = `M${from[0]},${y} L${to[1] + 2},${v}`;
    return svgEl("g", {class: "message"}, title, svgEl("path", {d, "marker-end": "url(#lane-arrow)"}));
  }

  // Left and right edge of the box of an actor in a row.
  edges(index, actor) {
    const x = this.xs[this.column.get(actor)];
    const box = this.rows[index].boxes.find((each) => each.actor === actor);
    const half = box ? this.half(box) : 4;
    return [x - half, x + half];
  }

  half(box) {
    const longest = [...box.lines, ...box.changeLines].reduce((most, line) => Math.max(most, textWidth(line)), 1);
    return (longest * charWidth()) / 2 + BOX;
  }

  drawRow(index) {
    const row = this.rows[index], y = this.tops[index], data = this.run.rows[row.k];
    const group = svgEl("g", {class: "lane-row", "data-at": row.k + 1, on: {click: () => this.select(row.k + 1)}});
    group.append(svgEl("rect", {class: "row-target", x: 0, y: y - ROW_GAP / 2, width: this.full, height: row.height + ROW_GAP}));
    if (row.k + 1 === this.at) group.append(svgEl("rect", {class: "now", x: 0, y: y - ROW_GAP / 2, width: this.full, height: row.height + ROW_GAP}));
    if (row.gap) {
      group.append(svgEl("text", {class: "soft", x: 4, y: y + LINE}, row.gap));
      return group;
    }
    const first = row.k === 0 || this.run.rows[row.k - 1].step !== data.step;
    if (first) group.append(svgEl("text", {class: "soft", x: this.gutter - 2 * charWidth(), y: this.middle(index) + 4, "text-anchor": "end"}, data.step));
    for (const box of row.boxes) {
      const column = this.column.get(box.actor);
      if (column === undefined) continue;
      const half = this.half(box), x = this.xs[column], lines = box.lines.length + box.changeLines.length;
      group.append(svgEl("rect", {class: data.violation ? "box violating" : "box", x: x - half, y, width: 2 * half, height: lines * LINE + 2 * BOX - 4, rx: 3}));
      [...box.lines, ...box.changeLines].forEach((line, i) => {
        group.append(svgEl("text", {class: i < box.lines.length ? "" : "change", x: x - half + BOX, y: y + BOX + 11 + i * LINE}, line));
      });
    }
    return group;
  }

  mark(at) {
    this.at = at;
    this.draw();
    this.reveal();
  }

  reveal() {
    let index = this.rowOf ? this.rowOf.get(this.at - 1) : undefined;
    if (index === undefined || this.scroller.hidden) return;
    const top = this.tops[index], bottom = this.tops[index + 1] + this.head.offsetHeight, box = this.scroller;
    if (top < box.scrollTop) box.scrollTop = Math.max(0, top - 40);
    else if (bottom > box.scrollTop + box.clientHeight) box.scrollTop = bottom - box.clientHeight + 40;
    const column = this.column.get(this.rows[index].boxes[0]?.actor);
    if (column === undefined) return;
    const left = this.xs[column] - this.widths[column] / 2, right = left + this.widths[column];
    if (left < box.scrollLeft + this.gutter) box.scrollLeft = Math.max(0, left - this.gutter);
    else if (right > box.scrollLeft + box.clientWidth) box.scrollLeft = right - box.clientWidth;
  }
}

function note(talking, k, actor, text) {
  if (!talking.has(k)) talking.set(k, new Map());
  const row = talking.get(k);
  row.set(actor, [...(row.get(actor) ?? []), text]);
}

function arrowHead() {
  return svgEl("defs", {}, svgEl("marker", {id: "lane-arrow", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto"},
    svgEl("path", {class: "arrow-head", d: "M0,0 L8,4 L0,8 z"})));
}
