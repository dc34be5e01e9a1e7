// Search in a run: in who moves, in statements, in what changes, and in states (name = value).

import { el } from "./dom.js";

const MOST_HITS = 5000;

// The positions (how many rows come before) where a run matches the words.
export function findHits(run, words) {
  const wanted = words.trim().toLowerCase();
  const hits = [];
  if (!wanted) return hits;
  let values = run.start.slice();
  const pair = wanted.match(/^(.+?)\s*=\s*(.*)$/);
  const inState = () => pair && run.parts.some((part, k) => part.name.toLowerCase() === pair[1] && values[k].toLowerCase() === pair[2]);
  if (inState()) hits.push(0);
  for (let k = 0; k < run.rows.length && hits.length < MOST_HITS; k += 1) {
    const row = run.rows[k];
    values = run.after(values, row);
    const told = [...(row.actors ?? []), row.text ?? "", ...run.changeTexts(row), row.printed ?? "", row.violation?.message ?? ""];
    if (told.some((text) => text.toLowerCase().includes(wanted)) || inState()) hits.push(k + 1);
  }
  return hits;
}

// options: run(): the run, at(): where the user stands, go(at), mark(hits)
export class Search {
  constructor(options) {
    this.options = options;
    this.hits = [];
    this.count = el("output", {class: "soft hits"});
    this.input = el("input", {type: "search", placeholder: "search moves and states", "aria-label": "Search moves and states",
      title: "A process, a statement, or a state: name = value (/)", on: {
        input: () => this.look(),
        keydown: (event) => {
          if (event.key === "Enter") {
            event.preventDefault();
            this.next(event.shiftKey ? -1 : 1);
          } else if (event.key === "Escape") {
            this.input.value = "";
            this.look();
            this.input.blur();
          }
        }}});
    this.node = el("span", {class: "search"}, this.input,
      el("button", {type: "button", class: "quiet", title: "Previous match (N)", "aria-label": "Previous match", on: {click: () => this.next(-1)}}, "↑"),
      el("button", {type: "button", class: "quiet", title: "Next match (n)", "aria-label": "Next match", on: {click: () => this.next(1)}}, "↓"), this.count);
  }

  look() {
    const run = this.options.run();
    this.hits = run ? findHits(run, this.input.value) : [];
    this.tell();
    this.options.mark(new Set(this.hits));
  }

  tell() {
    const at = this.hits.indexOf(this.options.at());
    const words = this.input.value.trim();
    this.count.textContent = !words ? "" : this.hits.length ? `${at < 0 ? "–" : at + 1} of ${this.hits.length}` : "no match";
  }

  next(step) {
    if (!this.hits.length) return;
    const at = this.options.at();
    const found = step > 0 ? this.hits.find((hit) => hit > at) ?? this.hits[0] : [...this.hits].reverse().find((hit) => hit < at) ?? this.hits[this.hits.length - 1];
    this.options.go(found);
    this.tell();
  }
}
