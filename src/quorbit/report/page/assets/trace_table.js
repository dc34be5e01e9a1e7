// The run as a table: who moved, by which statement in which line, and what changed.

import { el } from "./dom.js";
import { Rows } from "./rows.js";
import { LINE, charWidth, textWidth, wrapText } from "./text.js";

const PAD = 8; // pixels above and below the text of a row, together
const GAP = 2; // columns between columns

// options: select(at) is called with how many rows come before the state that was chosen.
export class TraceTable {
  constructor(options) {
    this.select = options.select;
    this.head = el("div", {class: "trace-head mono", "aria-hidden": "true"});
    this.scroller = el("div", {class: "scroll", tabindex: "0", role: "listbox", "aria-label": "Trace"}, this.head);
    this.node = el("div", {class: "trace"}, this.scroller);
    this.rows = new Rows(this.scroller, (k) => this.draw(k));
    this.run = null;
    this.at = 0;
    this.items = [];
    this.hits = new Set();
    this.permutations = [];
    this.width = 0;
    new ResizeObserver(() => this.resized()).observe(this.scroller);
  }

  show(run, ending = null) {
    this.run = run;
    this.ending = ending;
    this.layout();
  }

  resized() {
    const width = this.scroller.clientWidth;
    if (this.run && width && width !== this.width) this.layout();
  }

  // Rows from `first` on are others now.
  changed(first) {
    this.layout(first);
  }

  // What is listed: the start, the rows, marks between them.
  list() {
    const items = [{kind: "start"}];
    const {rows, loop} = this.run;
    const steps = loop === null ? null : this.loopRow();
    rows.forEach((row, k) => {
      if (k === steps) items.push({kind: "mark", text: "from here on, over and over"});
      if (row.gap) items.push({kind: "gap", k, text: `${row.gap.toLocaleString("en")} steps are not shown`});
      else items.push({kind: "row", k});
    });
    if (this.ending) items.push({kind: "end", text: this.ending});
    return items;
  }

  // In a file the loop counts steps, in the explorer rows.
  loopRow() {
    const {rows, loop} = this.run;
    if (this.loopCountsRows) return loop;
    const found = rows.findIndex((row) => row.step > loop);
    return found < 0 ? rows.length : found;
  }

  measure() {
    const room = Math.floor((this.scroller.clientWidth - 28) / charWidth());
    const rows = this.run.rows;
    const longest = (texts) => texts.reduce((most, text) => Math.max(most, textWidth(text)), 0);
    const actors = longest(this.run.actors());
    const step = Math.max(4, String(rows.length ? rows[rows.length - 1].step : 0).length);
    const narrow = room < 70;
    const actor = actors ? Math.min(actors, narrow ? 14 : 26) : 0;
    const line = 4;
    const left = step + GAP + (actor ? actor + GAP : 0) + line + GAP;
    const free = Math.max(16, room - left);
    const sample = rows.length > 400 ? rows.slice(0, 200).concat(rows.slice(-200)) : rows;
    const said = longest(sample.flatMap((row) => (row.statements ?? []).map((each) => each[1])));
    const stacked = narrow || free < 44;
    const text = stacked ? free : Math.min(Math.max(said, 12), Math.floor(free * 0.5));
    return {step, actor, line, left, text, changes: stacked ? free : free - text - GAP, stacked};
  }

  layout(first = 0) {
    if (!this.scroller.clientWidth) {
      this.width = 0;
      return;
    }
    const size = this.measure();
    const same = this.size && JSON.stringify(size) === JSON.stringify(this.size);
    this.width = this.scroller.clientWidth;
    this.size = size;
    this.items = this.list();
    this.place = new Map(this.items.map((item, index) => [item.kind === "start" ? -1 : item.k ?? `${item.kind}`, index]));
    this.drawHead();
    const from = same ? Math.max(0, Math.min(first, this.items.length)) : 0;
    this.rows.set(this.items.map((item) => this.height(item)), from);
    this.mark(this.at);
  }

  drawHead() {
    const {step, actor, text, stacked} = this.size;
    const acting = this.run.acting;
    const said = acting ? "statement" : this.run.synchronous ? "inputs" : "operation";
    const ch = charWidth();
    const cell = (name, columns) => el("span", {style: {width: `${columns * ch}px`}}, name);
    this.head.replaceChildren(
      cell("step", step + GAP), ...(actor ? [cell("process", actor + GAP)] : []), cell("line", 4 + GAP),
      cell(stacked ? `${said}, changes` : said, text + GAP), ...(stacked ? [] : [el("span", {}, "changes")]));
  }

  // The lines of a row: [{actor, line, said, change}].
  lines(k) {
    const row = this.run.rows[k], {actor, text, changes, stacked} = this.size;
    const found = [];
    let last = null;
    for (const [who, said, place] of row.statements) {
      const name = who === last ? "" : who;
      last = who;
      const saidLines = wrapText(said, text);
      const whoLines = name ? wrapText(name, actor || 8) : [];
      for (let i = 0; i < Math.max(saidLines.length, whoLines.length); i += 1) {
        found.push({who: whoLines[i] ?? "", line: i === 0 && place ? place[1] : "", said: saidLines[i] ?? "", change: ""});
      }
    }
    if (!found.length) found.push({who: "", line: "", said: row.text, change: ""});
    const told = this.run.changeTexts(row).flatMap((each) => wrapText(each, changes));
    told.forEach((change, i) => {
      if (stacked || i >= found.length) found.push({who: "", line: "", said: stacked ? change : "", change: stacked ? "" : change, soft: stacked});
      else found[i].change = change;
    });
    if (row.printed) for (const text of wrapText(`prints ${JSON.stringify(row.printed)}`, this.size.text)) found.push({who: "", line: "", said: text, change: "", soft: true});
    return found;
  }

  // A wrong step, or a permutation, is told in lines of its own.
  extras(k) {
    const row = this.run.rows[k], room = this.size.stacked ? this.size.text : this.size.text + this.size.changes + GAP;
    const found = [];
    if (row.violation) {
      const told = row.violation.message ? `${row.violation.property}: ${row.violation.message}` : row.violation.property;
      for (const text of wrapText(`✗ ${told}`, room)) found.push({text, class: "wrong"});
    }
    const g = this.permutations[k];
    if (g && g !== "()") for (const text of wrapText(`g = ${g}`, room)) found.push({text, class: "soft"});
    return found;
  }

  height(item) {
    if (item.kind === "row") return (this.lines(item.k).length + this.extras(item.k).length) * LINE + PAD;
    const text = item.text ?? "start";
    return wrapText(text, this.size.left + this.size.text).length * LINE + PAD;
  }

  draw(index) {
    const item = this.items[index];
    const at = item.kind === "start" ? 0 : item.k + 1;
    const chosen = item.kind !== "mark" && item.kind !== "end" && at === this.at;
    const options = {class: `trace-row mono ${item.kind}`, role: "option", "aria-selected": String(chosen), "data-at": at};
    if (item.kind === "mark" || item.kind === "end") {
      return el("div", {class: `trace-row mono ${item.kind}`}, el("pre", {}, wrapText(item.text, this.size.left + this.size.text).join("\n")));
    }
    const node = el("div", {...options, on: {click: () => this.select(at)}});
    if (chosen) node.classList.add("now");
    if (this.hits.has(at)) node.classList.add("hit");
    if (item.kind === "start") node.append(this.cells("0", ["start"], [""], ["the first state"], [""]));
    else if (item.kind === "gap") node.append(el("pre", {}, `… ${item.text} …`));
    else this.drawRow(node, item.k);
    return node;
  }

  drawRow(node, k) {
    const row = this.run.rows[k], lines = this.lines(k);
    const first = k === 0 || this.run.rows[k - 1].step !== row.step;
    if (!first) node.classList.add("inner");
    if (row.violation) node.classList.add("violating");
    if (isInside(row)) node.classList.add("inside");
    node.append(this.cells(first ? row.step : "", lines.map((l) => l.who), lines.map((l) => l.line),
      lines, lines.map((l) => l.change)));
    for (const extra of this.extras(k)) node.append(el("pre", {class: `extra ${extra.class}`, style: {"margin-left": `${this.size.left * charWidth()}px`}}, extra.text));
  }

  cells(step, who, line, said, changes) {
    const {actor, text, stacked} = this.size, ch = charWidth();
    const column = (texts, columns, name) =>
      el("pre", {class: name, style: {width: `${columns * ch}px`}}, texts.map((each, i) => {
        const given = typeof each === "object" ? each.said : each;
        const ending = i + 1 < texts.length ? "\n" : "";
        return each.soft ? el("span", {class: "change"}, given + ending) : given + ending;
      }));
    return el("div", {class: "cells"},
      column([String(step)], this.size.step + GAP, "step"),
      actor ? column(who, actor + GAP, "who") : null,
      column(line.map(String), 4 + GAP, "line"),
      column(said, text + (stacked ? 0 : GAP), "said"),
      stacked ? null : column(changes, this.size.changes, "change"));
  }

  mark(at) {
    const before = this.index(this.at), now = this.index(at);
    this.at = at;
    this.rows.redraw(before);
    this.rows.redraw(now);
    if (now !== undefined) this.rows.reveal(now, this.head.offsetHeight);
  }

  index(at) {
    return this.place ? this.place.get(at - 1) : undefined;
  }

  showHits(hits) {
    const none = !hits.size && !this.hits.size;
    this.hits = hits;
    if (!none && this.run) this.layout();
  }

  showPermutations(permutations) {
    const first = permutations.findIndex((g, k) => g !== this.permutations[k]);
    this.permutations = permutations;
    if (first >= 0 && this.run) this.layout(first);
  }
}

function isInside(row) {
  return row.inside === true;
}
