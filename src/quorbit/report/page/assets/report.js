// The page of a report: one file, with all that it shows in it.

import { LevelsChart, coverageView } from "./charts.js";
import { el, panel, show, themeButton } from "./dom.js";
import { RunData } from "./run.js";
import { Search } from "./search.js";
import { SymmetryView, orbitsByName } from "./symmetry.js";
import { plural } from "./text.js";
import { TraceViews } from "./trace_views.js";

const VERDICTS = {holds: "✓ holds", fails: "✗ fails", unknown: "? unknown", run: "run"};

function badge(verdict) {
  return el("span", {class: `badge ${verdict}`}, VERDICTS[verdict] ?? verdict);
}

function figureCards(figures) {
  return el("dl", {class: "cards"}, figures.map(([name, value]) => el("div", {class: "card"}, el("dt", {}, name), el("dd", {}, value))));
}

function ending(result) {
  if (result.goes_on) return `and so on forever: ${result.goes_on}`;
  if (result.verdict !== "fails") return null;
  return `✗ ${result.message && result.message !== result.subject ? `${result.subject}: ${result.message}` : result.subject}`;
}

class Report {
  constructor(data) {
    this.data = data;
    this.symmetry = data.symmetry ?? {known: false, structure: "not looked for", reason: ""};
    this.orbitOf = orbitsByName(this.symmetry);
    this.node = document.getElementById("page");
    this.views = null;
    this.runs = data.results.filter((result) => result.run);
    show(this.node, this.header(), this.results(), this.traces(), this.symmetrySection(), this.levels(), this.coverage(), this.notes(), this.footer());
    document.title = `${data.name}: ${data.verdict ?? data.title}`;
    if (this.runs.length) this.open(data.results[data.worst].run ? data.results[data.worst] : this.runs[0]);
    document.addEventListener("keydown", (event) => this.key(event));
  }

  header() {
    const {data} = this;
    return el("header", {class: "top"},
      el("div", {class: "headline"}, data.verdict ? badge(data.verdict) : null, el("h1", {}, data.title), el("span", {class: "spring"}), themeButton()),
      data.message && data.message !== data.title ? el("p", {class: "message"}, data.message) : null,
      el("p", {class: "soft"}, "model ", el("span", {class: "mono"}, data.model)),
      data.saved ? el("p", {class: "saved"}, el("strong", {}, "symmetry saved "), data.saved) : null,
      data.counted !== undefined ? figureCards(data.results[data.counted].figures) : null);
  }

  results() {
    const {results} = this.data;
    if (results.length < 2) return null;
    const rows = results.map((result) => el("tr", {},
      el("td", {}, badge(result.verdict)), el("td", {class: "mono"}, result.asked),
      el("td", {}, result.message && result.message !== result.subject ? result.message : ""),
      el("td", {class: "number"}, `${result.figures[0][1]} states`),
      el("td", {}, result.run ? el("button", {type: "button", class: "link", on: {click: () => this.open(result)}}, "show its trace") : "")));
    const {section} = panel(plural(results.length, "answer"), el("div", {class: "wide"}, el("table", {class: "list results"}, rows)));
    return section;
  }

  traces() {
    if (!this.runs.length) return this.sourceOnly();
    this.views = new TraceViews({sources: this.data.sources, orbitOf: this.orbitOf, select: () => this.search.tell()});
    this.views.setOrbits(this.orbitOf);
    this.search = new Search({run: () => this.views.run, at: () => this.views.at, go: (at) => this.views.choose(at), mark: (hits) => this.views.table.showHits(hits)});
    this.shown = el("p", {class: "soft which"});
    return el("div", {class: "trace-grid"},
      el("div", {class: "trace-side"}, el("div", {class: "bar"}, this.shown, this.search.node), this.views.tracePanel),
      el("div", {class: "beside"}, this.views.statePanel.section, this.views.sourcePanel.section));
  }

  sourceOnly() {
    if (!this.data.sources.length) return null;
    this.views = new TraceViews({sources: this.data.sources});
    return this.views.sourcePanel.section;
  }

  open(result) {
    const run = new RunData(result.run);
    this.views.show(run, ending(result), run.length);
    this.shown.textContent = `${result.subject}: ${plural(result.run.steps, "step")}`;
  }

  goto(place) {
    this.views.source.mark("now", [place]);
    this.views.sourcePanel.section.scrollIntoView({block: "nearest"});
  }

  symmetrySection() {
    const view = new SymmetryView({goto: (place) => this.goto(place)});
    view.show(this.symmetry, this.data.sources);
    return panel("Symmetry", view.node).section;
  }

  levels() {
    if (!this.data.levels) return null;
    return panel("States by depth", new LevelsChart(this.data.levels).node).section;
  }

  coverage() {
    const {coverage} = this.data;
    if (!coverage) return null;
    this.views?.source.mark("unreached", coverage.rows.filter((row) => row[0] && row[2] === 0).map((row) => row[0]));
    return panel("Coverage", coverageView(coverage, (place) => this.goto(place))).section;
  }

  notes() {
    const notes = [...new Set(this.data.results.flatMap((result) => result.notes))];
    if (!notes.length) return null;
    return panel("Notes", el("ul", {}, notes.map((note) => el("li", {}, note)))).section;
  }

  footer() {
    return el("footer", {class: "soft"}, `Quorbit ${this.data.version}`);
  }

  key(event) {
    if (!this.runs.length || event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) return;
    const {views, search} = this;
    const act = {
      ArrowUp: () => views.choose(views.at - 1), ArrowDown: () => views.choose(views.at + 1),
      ArrowLeft: () => views.choose(views.at - 1), ArrowRight: () => views.choose(views.at + 1),
      Home: () => views.choose(0), End: () => views.choose(views.run.length),
      "/": () => search.input.focus(), n: () => search.next(1), N: () => search.next(-1),
      t: () => views.tabs.open("trace"), l: () => views.tabs.open("lanes"), m: () => views.tabs.open("messages"),
    }[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  }
}

new Report(JSON.parse(document.getElementById("data").textContent));
