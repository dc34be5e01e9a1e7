// The explorer: a run of the model that the user makes, with everything that is known about where it stands.

import { ask, poll } from "./client.js";
import { el, show, themeButton } from "./dom.js";
import { GraphView } from "./graph_view.js";
import { MovesPanel } from "./moves_panel.js";
import { OrbitPanel } from "./orbit_panel.js";
import { PropertiesPanel } from "./properties_panel.js";
import { RunData } from "./run.js";
import { Search } from "./search.js";
import { orbitsByName } from "./symmetry.js";
import { TraceViews } from "./trace_views.js";

const KEYS = [
  ["1 … 9", "take a move"], ["← →", "a step back or forward"], ["↑ ↓", "the same"], ["Home End", "first and last state"],
  ["u  r", "undo and redo"], ["/", "search moves and states"], ["n  N", "next and previous match"], ["x", "ten moves at random"],
  ["t l m g", "trace, swim lanes, messages, state graph"], ["c", "check the model"], ["o", "symmetry of the model"], ["s", "save the trace as one HTML file"], ["?", "this list"],
];

class Explorer {
  constructor(session) {
    this.node = document.getElementById("page");
    this.message = el("div", {class: "told", hidden: true, role: "alert"});
    this.queue = Promise.resolve();
    this.begin(session);
    document.addEventListener("keydown", (event) => this.key(event));
  }

  begin(session) {
    this.session = session;
    this.run = new RunData(session.run);
    this.view = null;
    this.permutations = [];
    document.title = `${session.name} – Quorbit explorer`;
    this.moves = new MovesPanel({
      take: (number) => this.take(number),
      walk: (steps) => this.change("walk", {at: this.views.at, steps}),
      draw: () => this.act(async () => this.showView(await ask("draw", {at: this.views.at}))),
    });
    this.orbit?.dialog.remove();
    this.help?.remove();
    this.startDialog?.remove();
    this.orbit = new OrbitPanel({told: (found) => this.showOrbit(found)});
    this.properties = new PropertiesPanel({follow: (number) => this.change("follow", {number}), say: (text) => this.say(text)});
    this.properties.setProperties(session.properties, session.unread);
    this.graph = new GraphView({parts: () => this.run.parts, visit: (number) => this.change("visit", {number}), say: (text) => this.say(text)});
    this.views = new TraceViews({sources: session.sources, select: (at) => this.look(at), loopCountsRows: true,
      more: [{id: "graph", title: "State graph", key: "g", content: this.graph.node, open: () => this.graph?.open()}]});
    this.search = new Search({run: () => this.run, at: () => this.views.at, go: (at) => this.views.choose(at), mark: (hits) => this.views.table.showHits(hits)});
    show(this.node, this.toolbar(),
      el("div", {class: "desk"},
        el("div", {class: "column left"}, this.moves.section, this.views.sourcePanel.section),
        this.views.tracePanel,
        el("div", {class: "column right"}, this.views.statePanel.section, this.orbit.section, this.properties.section)));
    this.views.show(this.run, null, session.run.at);
    this.showView(session.view);
    this.tellPosition(session.run);
    this.waitForSymmetry();
  }

  toolbar() {
    const button = (text, title, action, act) => el("button", {type: "button", title, "aria-label": title, "data-action": action, on: {click: act}}, text);
    this.undo = button("↶ undo", "Undo (u)", "undo", () => this.change("undo"));
    this.redo = button("↷", "Redo (r)", "redo", () => this.change("redo"));
    this.back = button("◀", "One step back (←)", "back", () => this.views.choose(this.views.at - 1));
    this.forward = button("▶", "One step forward (→)", "forward", () => this.views.choose(this.views.at + 1));
    this.position = el("output", {class: "position", "aria-label": "Position"});
    this.save = el("a", {class: "button", href: "api/save", download: "trace.html", title: "Save the trace as one HTML file (s)", "data-action": "save"}, "save trace");
    this.starts = button("start…", "Choose the initial state", "start", () => this.chooseStart());
    this.starts.hidden = this.session.starts < 2;
    this.startDialog = el("dialog", {class: "dialog", "aria-label": "Initial states"});
    this.help = el("dialog", {class: "dialog", "aria-label": "Keys"}, el("header", {}, el("h2", {}, "Keys"), el("button", {type: "button", class: "quiet", "aria-label": "Close", on: {click: () => this.help.close()}}, "✕")),
      el("table", {class: "keys"}, KEYS.map(([keys, what]) => el("tr", {}, el("td", {}, keys.split(" ").filter(Boolean).map((each) => [each === "…" ? "…" : el("kbd", {}, each), " "])), el("td", {}, what)))));
    document.body.append(this.help, this.startDialog);
    return el("div", {},
      el("div", {class: "toolbar", role: "toolbar", "aria-label": "Run"},
        el("span", {class: "model mono", title: this.session.model}, this.session.name),
        el("span", {class: "group"}, this.starts, button("|◀", "First state (Home)", "first", () => this.views.choose(0)), this.back, this.position, this.forward, button("▶|", "Last state (End)", "last", () => this.views.choose(this.run.length))),
        el("span", {class: "group"}, this.undo, this.redo), this.search.node, el("span", {class: "spring"}),
        this.save,
        themeButton(), button("?", "Keys (?)", "help", () => this.help.showModal())),
      this.message);
  }

  // A move of the view that is shown; its numbers mean nothing elsewhere in the run.
  take(number) {
    if (this.view && this.view.at === this.views.at) this.change("step", {at: this.view.at, number});
  }

  // One change after the other.
  act(work) {
    this.queue = this.queue.then(work).catch((error) => {
      this.say(error.message);
    });
    return this.queue;
  }

  change(name, given = {}) {
    return this.act(async () => this.changed(await ask(name, given)));
  }

  changed(found) {
    this.say("");
    if (found.kind === "explore") { // the model was read again with larger bounds
      this.begin({...found, view: found.view ?? {moves: [], properties: [], more: 0, complete: true, at: found.run.at}});
      this.look(found.run.at);
      return;
    }
    const {run, view} = found;
    this.run.splice(run.first, run.rows, run.begins);
    this.run.loop = run.loop;
    this.permutations = this.permutations.slice(0, run.first);
    this.views.changed(run.first, this.ending(view), run.at);
    this.search.look();
    this.showView(view);
    this.tellPosition(run);
  }

  ending(view) {
    if (this.run.loop !== null && this.views.table) return `and so on forever from step ${this.run.loop + 1}`;
    return view.problem && view.at === this.run.length ? `✗ ${view.problem.property}: ${view.problem.message}` : null;
  }

  // Another place in the run: what is known here is shown at once, the rest when the server has told it.
  look(at) {
    this.tellPosition();
    this.search.tell();
    this.wanted = at;
    this.moves.section.classList.toggle("stale", this.view?.at !== at);
    this.act(async () => {
      if (this.wanted !== at) return; // the user is elsewhere by now
      this.showView(await ask("view", {at}));
    });
  }

  showView(view) {
    this.view = view;
    this.moves.section.classList.toggle("stale", view.at !== this.views.at);
    this.moves.show(view, this.run.parts);
    this.properties.show(view.properties);
    this.graph.mark(view.key);
    this.orbit.update(view.at);
  }

  showOrbit(found) {
    if (!found.known) return;
    this.moves.showClasses(found.classes);
    this.findPermutations();
  }

  // Piece by piece, so that steps are answered meanwhile.
  async findPermutations() {
    if (this.finding) return;
    this.finding = true;
    try {
      while (this.permutations.length < this.run.length) {
        const {permutations, session} = this;
        const told = await ask("permutations", {first: permutations.length});
        if (!told.known || this.session !== session) return;
        if (this.permutations !== permutations) continue; // the run is another by now
        permutations.push(...told.steps);
        this.views.table.showPermutations(permutations.slice());
        if (!told.steps.length) await new Promise((done) => setTimeout(done, 60));
      }
    } catch (error) {
      this.say(error.message);
    } finally {
      this.finding = false;
    }
  }

  async waitForSymmetry() {
    const {session} = this;
    try {
      const told = await poll("symmetry", {}, (found) => found.state === "running" && this.session === session, () => {}, 250);
      if (this.session !== session) return;
      const orbitOf = orbitsByName(told.symmetry);
      this.moves.orbitOf = orbitOf;
      this.orbit.setSymmetry(told, orbitOf, session.sources);
      this.views.setOrbits(orbitOf);
      this.moves.draw();
      this.orbit.update(this.views.at);
      if (told.symmetry?.known) this.findMissing(session);
    } catch (error) {
      this.say(error.message);
    }
  }

  async findMissing(session) {
    await ask("begin", {kind: "missing"});
    const job = await poll("job", {kind: "missing"}, (found) => found.state === "running" && this.session === session, () => {}, 500);
    if (job.state === "done" && this.session === session && this.orbit.symmetry) this.orbit.symmetry.missing = job.result;
  }

  tellPosition(run) {
    if (run) {
      this.undo.disabled = run.undo === 0;
      this.redo.disabled = run.redo === 0;
    }
    this.position.textContent = `${this.views.at} of ${this.run.length}`;
    this.save.href = `api/save?at=${this.views.at}`;
    this.back.disabled = this.views.at === 0;
    this.forward.disabled = this.views.at === this.run.length;
  }

  async chooseStart() {
    const {starts} = await ask("starts");
    show(this.startDialog, el("header", {}, el("h2", {}, this.session.all_starts ? "Initial states" : "Some of the initial states"), el("button", {type: "button", class: "quiet", "aria-label": "Close", on: {click: () => this.startDialog.close()}}, "✕")),
      el("div", {class: "moves"}, starts.map((values, k) => el("button", {type: "button", class: "move-button mono", "data-start": k, on: {click: () => {
        this.startDialog.close();
        this.change("start", {number: k});
      }}}, el("span", {class: "key"}, k + 1), el("span", {class: "what"}, this.run.parts.map((part, i) => `${part.name} = ${values[i]}`).join(", "))))));
    this.startDialog.showModal();
  }

  say(text) {
    this.message.hidden = !text;
    show(this.message, text, el("button", {type: "button", class: "quiet", "aria-label": "Close", on: {click: () => this.say("")}}, "✕"));
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || document.querySelector("dialog[open]")) return;
    if (/^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName) && event.target.type !== "checkbox") return;
    if (/^[1-9]$/.test(event.key)) {
      this.act(async () => this.view?.moves[Number(event.key) - 1]).then((move) => move && this.take(move.number));
      return;
    }
    const {views} = this;
    const act = {
      ArrowLeft: () => views.choose(views.at - 1), ArrowUp: () => views.choose(views.at - 1),
      ArrowRight: () => views.choose(views.at + 1), ArrowDown: () => views.choose(views.at + 1),
      Home: () => views.choose(0), End: () => views.choose(this.run.length),
      u: () => this.change("undo"), r: () => this.change("redo"), x: () => this.change("walk", {at: views.at, steps: 10}),
      "/": () => this.search.input.focus(), n: () => this.search.next(1), N: () => this.search.next(-1),
      t: () => views.tabs.open("trace"), l: () => views.tabs.open("lanes"), m: () => views.tabs.open("messages"), g: () => views.tabs.open("graph"),
      c: () => this.properties.check([]), o: () => this.orbit.open(), s: () => this.save.click(),
      "?": () => this.help.showModal(),
    }[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  }
}

ask("session").then((session) => new Explorer(session)).catch((error) => show(document.getElementById("page"), el("p", {class: "problem"}, error.message)));
