// A state as a table: what processes have in one row each, what is shared in a list; what changed is marked.

import { el, show } from "./dom.js";

const MOST_SHOWN = 1500; // cells
const MOST_COLUMNS = 14;

export class StateTable {
  constructor(options = {}) {
    this.filter = el("input", {type: "search", class: "filter", placeholder: "filter", "aria-label": "Filter variables",
      on: {input: () => this.draw()}});
    this.only = el("input", {type: "checkbox", on: {change: () => this.draw()}});
    this.tools = [el("label", {class: "toggle"}, this.only, " changed"), this.filter];
    this.node = el("div", {class: "state"});
    this.orbitOf = options.orbitOf ?? new Map();
  }

  // values: what is visible; before: the same one step earlier, or null.
  show(parts, values, before) {
    this.parts = parts;
    this.values = values;
    this.before = before;
    this.draw();
  }

  draw() {
    if (!this.parts) return;
    const words = this.filter.value.trim().toLowerCase();
    const shown = [];
    this.parts.forEach((part, k) => {
      const text = `${part.name} = ${this.values[k]}`.toLowerCase();
      if (this.only.checked && !this.isChanged(k)) return;
      if (!words || text.includes(words)) shown.push(k);
    });
    const cut = shown.slice(0, MOST_SHOWN);
    const left = shown.length - cut.length;
    show(this.node,
      shown.length ? null : el("p", {class: "empty"}, this.parts.length ? "Nothing matches." : "The state has no visible parts."),
      this.shared(cut), this.owned(cut),
      left > 0 ? el("p", {class: "empty"}, `${left} more; the filter finds them`) : null);
  }

  isChanged(k) {
    return this.before !== null && this.before !== undefined && this.before[k] !== this.values[k];
  }

  cell(k, tag = "td") {
    const changed = this.isChanged(k);
    return el(tag, {class: changed ? "mono changed" : "mono", title: changed ? `was ${this.before[k]}` : undefined, "data-part": this.parts[k].name},
      this.values[k], changed ? el("span", {class: "was"}, ` ← ${this.before[k]}`) : null);
  }

  groups(shown) {
    const owners = new Map(), labels = new Map();
    for (const k of shown) {
      const {owner, label} = this.parts[k];
      if (owner === null) continue;
      if (!owners.has(owner)) owners.set(owner, new Map());
      owners.get(owner).set(label, k);
      labels.set(label, (labels.get(label) ?? 0) + 1);
    }
    return {owners, labels};
  }

  shared(shown) {
    const rows = shown.filter((k) => this.parts[k].owner === null);
    if (!rows.length) return null;
    return el("table", {class: "pairs"}, rows.map((k) =>
      el("tr", {}, el("th", {class: "mono", scope: "row"}, this.parts[k].name), this.cell(k))));
  }

  owned(shown) {
    const {owners, labels} = this.groups(shown);
    if (!owners.size) return null;
    const kinds = new Map();
    for (const [owner, cells] of owners) {
      const key = [...cells.keys()].join("\u0000");
      if (!kinds.has(key)) kinds.set(key, []);
      kinds.get(key).push([owner, cells]);
    }
    return [...kinds.values()].map((members) => this.matrix(members, [...members[0][1].keys()], labels));
  }

  matrix(members, labels) {
    if (labels.length > MOST_COLUMNS) return this.listed(members, labels);
    return el("div", {class: "wide"}, el("table", {class: "matrix"},
      el("thead", {}, el("tr", {}, el("th"), labels.map((label) => el("th", {class: "mono", scope: "col"}, label)))),
      el("tbody", {}, members.map(([owner, cells]) =>
        el("tr", {}, el("th", {scope: "row", class: `mono ${this.orbitClass(owner)}`}, owner), labels.map((label) => this.cell(cells.get(label))))))));
  }

  listed(members, labels) {
    return members.map(([owner, cells]) => el("table", {class: "pairs"},
      el("caption", {class: "mono"}, owner),
      labels.map((label) => el("tr", {}, el("th", {class: "mono", scope: "row"}, label), this.cell(cells.get(label))))));
  }

  orbitClass(owner) {
    const orbit = this.orbitOf.get(owner);
    return orbit === undefined ? "" : `orbit o${orbit % 7}`;
  }
}
