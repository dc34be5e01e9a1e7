// What symmetry says about the state where the user stands.

import { ask } from "./client.js";
import { el, panel, show } from "./dom.js";
import { SymmetryView, chip } from "./symmetry.js";

export class OrbitPanel {
  // options: told(orbit): called with what was found out
  constructor(options) {
    this.options = options;
    this.body = el("div", {class: "facts"});
    const {section, tools} = panel("Orbit", this.body);
    this.section = section;
    this.section.classList.add("orbit-panel");
    this.more = el("button", {type: "button", title: "The symmetry of the model (o)", disabled: true, on: {click: () => this.open()}}, "symmetry…");
    tools.append(this.more);
    this.asked = 0;
    this.symmetry = null;
    this.orbitOf = new Map();
    this.dialog = el("dialog", {class: "dialog", "aria-label": "Symmetry of the model"});
    document.body.append(this.dialog);
  }

  setSymmetry(told, orbitOf, sources) {
    this.symmetry = told.symmetry ?? null;
    this.orbitOf = orbitOf;
    this.sources = sources;
    this.more.disabled = !this.symmetry;
    if (this.symmetry?.known) this.more.textContent = this.symmetry.trivial ? "no symmetry…" : `${this.symmetry.structure.slice(0, 24)}…`;
  }

  async open() {
    if (!this.symmetry) return;
    const view = new SymmetryView();
    show(this.dialog, el("header", {}, el("h2", {}, "Symmetry of the model"), el("button", {type: "button", class: "quiet", "aria-label": "Close", on: {click: () => this.dialog.close()}}, "✕")), view.node);
    this.dialog.showModal();
    view.show(this.symmetry, this.sources);
  }

  async update(at) {
    const number = ++this.asked;
    this.section.classList.add("stale");
    for (;;) {
      const found = await ask("orbit", {at}).catch((error) => ({known: false, reason: error.message}));
      if (number !== this.asked) return; // the user is elsewhere by now
      if (!found.running || !this.shown) this.draw(found, at);
      if (!found.running) {
        this.section.classList.remove("stale");
        this.options.told(found);
        return;
      }
      await new Promise((done) => setTimeout(done, 60));
    }
  }

  draw(found, at) {
    if (!found.known) {
      show(this.body, el("p", {class: "empty"}, found.running ? "Looking for symmetries …" : found.reason));
      return;
    }
    const orbitOf = (atom) => this.orbitOf.get(found.names[atom]) ?? null;
    this.shown = true;
    const differing = found.representative.filter((row) => row[2]);
    const rest = found.representative.length - differing.length;
    show(this.body, el("dl", {},
      el("dt", {}, "interchangeable here"),
      el("dd", {"data-fact": "alike"}, this.alike(found, orbitOf)),
      el("dt", {}, "this state stands for"),
      el("dd", {"data-fact": "stands"}, found.stands_for === null ? "unknown" : `${Number(found.stands_for).toLocaleString("en")} ${found.stands_for === "1" ? "state: itself" : "states of its orbit"}`),
      el("dt", {}, "representative"),
      el("dd", {"data-fact": "representative"}, found.is_representative ? "this state" : [
        "reached by ", el("span", {class: "mono", "data-fact": "permutation"}, found.permutation),
        differing.length ? el("table", {class: "pairs"}, differing.map(([name, value]) => el("tr", {}, el("th", {class: "mono soft", scope: "row"}, name), el("td", {class: "mono changed"}, value)))) : null,
        rest ? el("p", {class: "soft"}, `${rest} other parts are the same`) : null]),
      at ? [el("dt", {}, "permutation of the last step"), el("dd", {class: "mono", "data-fact": "step"}, found.step ?? "unknown")] : null));
  }

  // Classes of two or more as groups; what this state tells apart is only named.
  alike(found, orbitOf) {
    const groups = found.alike.filter((atoms) => atoms.length > 1), alone = found.alike.filter((atoms) => atoms.length === 1).flat();
    return [
      groups.length ? el("span", {class: "chips"}, groups.map((atoms) => el("span", {class: "alike"}, atoms.map((atom) => chip(found.names[atom], orbitOf(atom), atom))))) : "none",
      alone.length ? el("p", {class: "soft"}, `told apart by this state: ${alone.map((atom) => found.names[atom]).join(", ")}`) : null];
  }
}
