// The moves from a state, by who makes them; a click takes one.

import { el, panel, show } from "./dom.js";
import { plural } from "./text.js";

export class MovesPanel {
  // options: take(number), walk(steps), draw()
  constructor(options) {
    this.options = options;
    this.list = el("div", {class: "moves"});
    this.problem = el("p", {class: "problem", hidden: true, role: "status"});
    const {section, tools, body} = panel("Moves", this.list);
    this.section = section;
    this.section.classList.add("moves-panel");
    body.before(this.problem);
    this.random = [10, 100].map((n) => el("button", {type: "button", title: `${n} moves at random`, "data-walk": n, on: {click: () => options.walk(n)}}, `random ×${n}`));
    tools.append(...this.random);
    this.orbitOf = new Map();
    this.classes = null;
  }

  show(view, parts) {
    this.view = view;
    this.parts = parts;
    this.classes = null;
    this.draw();
  }

  showClasses(classes) {
    this.classes = classes;
    this.draw();
  }

  draw() {
    const {view} = this;
    if (!view) return;
    const {problem} = view;
    this.problem.hidden = !problem;
    this.problem.textContent = problem ? `✗ ${problem.message && problem.message !== problem.property ? `${problem.property}: ${problem.message}` : problem.property}` : "";
    for (const button of this.random) button.disabled = !view.moves.length;
    const groups = new Map();
    view.moves.forEach((move, k) => {
      const who = move.actors.join(", ");
      if (!groups.has(who)) groups.set(who, []);
      groups.get(who).push([move, k]);
    });
    show(this.list,
      view.moves.length ? null : el("p", {class: "empty"}, view.problem ? "The run ends here." : "No move is possible."),
      view.inside ? el("p", {class: "soft"}, "inside a step: this state is passed through") : null,
      [...groups].map(([who, moves]) => [
        who ? el("h3", {}, el("span", {class: this.orbitClass(who)}, /^\d+$/.test(who) ? `process ${who}` : who)) : null,
        moves.map(([move, k]) => this.button(move, k))]),
      view.more ? el("p", {class: "soft"}, `… and ${plural(view.more, "more move")}`) : null,
      view.complete ? null : el("p", {class: "soft"}, "These were drawn at random from very many. ", el("button", {type: "button", class: "link", on: {click: () => this.options.draw()}}, "draw others")));
  }

  orbitClass(who) {
    const orbit = this.orbitOf.get(who);
    return orbit === undefined ? "" : `orbit o${orbit % 7}`;
  }

  button(move, k) {
    const changes = move.changes.slice(0, 6).map(([part, value]) => `${this.parts[part].name} = ${value}`);
    if (move.changes.length > 6) changes.push("…");
    const said = move.statements.map((each) => each[1]).join("\n") || move.text;
    const place = move.statements.map((each) => each[2]).find(Boolean);
    const alike = this.classes ? this.classes.findIndex((found) => found.includes(move.number)) : -1;
    const shared = alike >= 0 && this.classes[alike].length > 1;
    return el("button", {type: "button", class: `move-button mono ${move.next ? "next" : ""} ${move.violation ? "wrong" : ""}`, "data-move": move.number,
      title: move.violation ? `violates ${move.violation.property}` : "", on: {click: () => this.options.take(move.number)}},
    el("span", {class: "key"}, k < 9 ? k + 1 : ""), el("span", {class: "what"}, said, move.violation ? " ✗" : ""),
    el("span", {class: "line"}, shared ? el("span", {class: "class", title: "Moves with the same number lead to states of one orbit"}, `≅${alike + 1}`) : null, place ? ` ${place[1]}` : ""),
    changes.length ? el("span", {class: "effect"}, changes.join(", ")) : null);
  }
}
