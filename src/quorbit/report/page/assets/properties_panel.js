// How the properties fare in the state where the user stands, and checks with their progress and answers.

import { ask, poll } from "./client.js";
import { el, panel, show } from "./dom.js";

const WORDS = {holds: "✓ holds", violated: "✗ violated", near: "! next", inside: "· passing", open: "∞ of runs"};
const STEPS = {prepare: "preparing", specialise: "simplifying", detect: "looking for symmetries", classify: "planning", explore: "searching"};
const VERDICT_WORDS = {holds: "✓ holds", fails: "✗ fails", unknown: "? unknown"};

export class PropertiesPanel {
  // options: follow(number): the counterexample of an answer becomes the run; say(text)
  constructor(options) {
    this.options = options;
    this.list = el("div", {class: "properties"});
    this.progress = el("div", {class: "progress", hidden: true, role: "status"});
    this.answers = el("div", {class: "answers"});
    const {section, tools} = panel("Properties", this.list, this.progress, this.answers);
    this.section = section;
    this.section.classList.add("side-panel", "properties-panel");
    this.off = el("input", {type: "checkbox"});
    this.start = el("button", {type: "button", class: "main", title: "Check everything the model states (c)", "data-action": "check", on: {click: () => this.check([])}}, "check");
    this.stop = el("button", {type: "button", hidden: true, "data-action": "stop", on: {click: () => ask("stop", {kind: "check"}).catch((error) => options.say(error.message))}}, "stop");
    tools.append(el("label", {class: "toggle", title: "Look at every state, not at one of each orbit"}, this.off, " without symmetry"), this.start, this.stop);
    this.running = false;
  }

  setProperties(properties, unread) {
    this.properties = new Map(properties.map((property) => [property.name, property]));
    this.unread = unread;
  }

  show(statuses) {
    show(this.list,
      statuses.length ? null : el("p", {class: "empty"}, "The model states no property."),
      statuses.map((status) => this.row(status)), this.unread.map((text) => el("p", {class: "note"}, text)));
  }

  row(status) {
    const property = this.properties.get(status.name);
    return el("div", {class: "property", "data-property": status.name},
      el("span", {class: `status ${status.status}`}, WORDS[status.status]), el("span", {class: "name"}, status.name),
      el("button", {type: "button", title: "Search for a violation and go there", on: {click: () => this.check([status.name], true)}}, "find violation"),
      el("span", {class: "text mono"}, status.detail || property?.text || ""),
      status.parts ? el("span", {class: "truths mono"}, status.parts.map(([text, value]) => el("span", {class: value === null ? "soft" : `truth-${value}`}, `${text}: ${value === null ? "no value" : value}`))) : null);
  }

  async check(properties, goThere = false) {
    if (this.running) return;
    this.running = true;
    this.begin();
    try {
      await ask("begin", {kind: "check", properties, symmetry: this.off.checked ? "off" : "auto"});
      const done = await poll("job", {kind: "check"}, (job) => job.state === "running", (job) => this.tell(job));
      await this.end(done, goThere);
    } catch (error) {
      this.options.say(error.message);
    } finally {
      this.running = false;
      this.progress.hidden = true;
      this.start.disabled = false;
      this.stop.hidden = true;
    }
  }

  begin() {
    this.start.disabled = true;
    this.stop.hidden = false;
    this.progress.hidden = false;
    show(this.answers);
    this.tell({progress: {}});
  }

  tell({progress}) {
    const figures = progress.step === "explore" ? `${progress.states.toLocaleString("en")} states, ${progress.transitions.toLocaleString("en")} transitions, depth ${progress.depth}, ${progress.seconds} s` : `${STEPS[progress.step] ?? "reading the model"} …`;
    show(this.progress, el("span", {}, figures), el("div", {class: "meter", "aria-hidden": "true"}, el("span")));
  }

  async end(job, goThere) {
    if (job.state !== "done") {
      show(this.answers, el("p", {class: "empty"}, job.state === "stopped" ? "The check was stopped." : job.error));
      return;
    }
    const {results} = job.result;
    show(this.answers, results.map((result, k) => this.answer(result, k)));
    if (!goThere) return;
    const found = results.findIndex((result) => result.verdict === "fails" && result.can_follow);
    if (found >= 0) await this.options.follow(found);
    else this.options.say(results[0].verdict === "holds" ? `${results[0].asked}: no violation exists; it holds.` : `${results[0].asked}: ${results[0].message || "no violation was found"}`);
  }

  answer(result, k) {
    const figures = result.figures.map(([name, value]) => el("span", {}, `${name} ${value}`));
    return el("div", {class: "answer", "data-answer": result.verdict},
      el("div", {}, el("span", {class: `badge ${result.verdict}`}, VERDICT_WORDS[result.verdict]), " ", el("strong", {}, result.asked),
        result.message && result.message !== result.subject ? `: ${result.message}` : result.subject !== result.asked ? `: ${result.subject}` : ""),
      result.saved ? el("div", {}, "symmetry saved ", result.saved) : null,
      el("div", {class: "figures"}, figures), result.notes.map((note) => el("div", {class: "soft"}, note)),
      result.can_follow ? el("div", {}, el("button", {type: "button", "data-action": "follow", on: {click: () => this.options.follow(k)}}, `step through its ${result.steps} steps`)) : null);
  }
}
