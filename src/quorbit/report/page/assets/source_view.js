// The text of the model, with lines marked: those of the step (now), those of the trace, those never performed.

import { el, show } from "./dom.js";

const MOST_LINES = 20000;

export class SourceView {
  constructor(sources) {
    this.sources = sources.map((source) => ({...source, lines: source.text === null ? null : source.text.split("\n")}));
    this.tab = el("select", {"aria-label": "File", hidden: this.sources.length < 2, on: {change: () => this.open(Number(this.tab.value))}},
      this.sources.map((source, k) => el("option", {value: k}, source.name.split(/[\\/]/).pop())));
    this.scroller = el("div", {class: "scroll source", tabindex: "0", "aria-label": "Source"});
    this.node = el("div", {class: "source-view"}, this.scroller);
    this.tools = [this.tab];
    this.current = -1;
    this.marks = {now: [], trace: [], unreached: []};
    this.nodes = [];
    if (this.sources.length) this.open(0);
    else show(this.scroller, el("p", {class: "empty"}, "There is no text to show."));
  }

  open(k) {
    if (k === this.current || !this.sources[k]) return;
    this.current = k;
    this.tab.value = String(k);
    const {lines, name} = this.sources[k];
    if (lines === null) {
      this.nodes = [];
      show(this.scroller, el("p", {class: "empty"}, `${name} is outside the model's folder and is not shown.`));
      return;
    }
    this.nodes = lines.slice(0, MOST_LINES).map((text, i) => el("div", {class: "source-line mono", "data-line": i + 1},
      el("span", {class: "number", "aria-hidden": "true"}, i + 1), el("code", {}, text.replace(/\r$/, "") || " ")));
    show(this.scroller, this.nodes);
    this.paint();
  }

  // places: [[source, line], …] for each kind of mark
  mark(kind, places) {
    this.clear();
    this.marks[kind] = places;
    if (kind === "now" && places.length && places[0][0] !== this.current) this.open(places[0][0]);
    this.paint();
    if (kind === "now" && places.length) this.reveal(places[places.length - 1]);
  }

  clear() {
    for (const [kind, places] of Object.entries(this.marks)) {
      for (const [source, line] of places) if (source === this.current) this.nodes[line - 1]?.classList.remove(kind);
    }
  }

  paint() {
    for (const [kind, places] of Object.entries(this.marks)) {
      for (const [source, line] of places) if (source === this.current) this.nodes[line - 1]?.classList.add(kind);
    }
  }

  reveal([source, line]) {
    if (source !== this.current) this.open(source);
    const node = this.nodes[line - 1];
    if (!node || !this.scroller.clientHeight) return;
    const top = node.offsetTop, box = this.scroller;
    if (top < box.scrollTop + 20 || top + node.offsetHeight > box.scrollTop + box.clientHeight - 20) {
      box.scrollTop = top - box.clientHeight / 2;
    }
  }
}
