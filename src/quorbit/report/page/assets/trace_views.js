// The trace in its three forms, side by side with the state it leads to and the source.

import { el, panel, tabs } from "./dom.js";
import { Lanes } from "./lanes.js";
import { SourceView } from "./source_view.js";
import { StateTable } from "./state_table.js";
import { TraceTable } from "./trace_table.js";

// options: sources, select(at) (called after the views have moved), orbitOf, more: further tabs, loopCountsRows
export class TraceViews {
  constructor(options) {
    this.moved = options.select ?? (() => {});
    const select = (at) => this.choose(at);
    this.table = new TraceTable({select});
    this.table.loopCountsRows = options.loopCountsRows ?? false;
    this.lanes = new Lanes({select, label: "Swim lanes"});
    this.messages = new Lanes({select, label: "Message chart", messagesOnly: true});
    this.state = new StateTable({orbitOf: options.orbitOf});
    this.source = new SourceView(options.sources);
    this.at = 0;
    const views = {trace: this.table, lanes: this.lanes, messages: this.messages};
    this.fresh = {trace: true, lanes: true, messages: true};
    const opened = (id) => () => {
      if (!this.run) return;
      if (!this.fresh[id]) views[id].show(this.run, this.ending);
      this.fresh[id] = true;
      views[id].mark(this.at);
    };
    this.views = views;
    this.tabs = tabs("Trace", [
      {id: "trace", title: "Trace", key: "t", content: this.table.node, open: opened("trace")},
      {id: "lanes", title: "Swim lanes", key: "l", content: this.lanes.node, open: opened("lanes")},
      {id: "messages", title: "Messages", key: "m", content: this.messages.node, open: opened("messages")},
      ...(options.more ?? []),
    ]);
    this.statePanel = panel("State", this.state.node);
    this.statePanel.section.classList.add("state-panel");
    this.statePanel.tools.append(...this.state.tools);
    this.sourcePanel = panel("Source", this.source.node);
    this.sourcePanel.section.classList.add("source-panel");
    this.sourcePanel.tools.append(...this.source.tools);
    this.tracePanel = el("section", {class: "panel trace-panel", "aria-label": "Trace"}, el("header", {}, this.tabs.bar), el("div", {class: "body"}, this.tabs.holder));
  }

  setOrbits(orbitOf) {
    this.state.orbitOf = this.lanes.orbitOf = this.messages.orbitOf = orbitOf;
    if (!this.run) return;
    this.state.draw();
    for (const lanes of [this.lanes, this.messages]) if (lanes.rows && lanes.lanes?.length && lanes.width) lanes.drawHead();
  }

  show(run, ending, at) {
    this.run = run;
    this.ending = ending;
    for (const id of Object.keys(this.views)) this.fresh[id] = false;
    this.refresh();
    this.choose(at ?? run.length, false);
  }

  // Rows from `first` on are others now.
  changed(first, ending, at) {
    this.ending = ending;
    this.table.ending = ending;
    const current = this.tabs.current();
    for (const id of Object.keys(this.views)) {
      if (id === current) this.views[id].changed(first);
      else this.fresh[id] = false;
    }
    this.choose(at, false);
  }

  refresh() {
    const id = this.tabs.current();
    if (!this.views[id]) return;
    this.views[id].show(this.run, this.ending);
    this.fresh[id] = true;
  }

  choose(at, tell = true) {
    this.at = Math.max(0, Math.min(at, this.run.length));
    const view = this.views[this.tabs.current()];
    if (view) view.mark(this.at);
    const values = this.run.values(this.at);
    this.state.show(this.run.parts, values, this.at ? this.run.values(this.at - 1) : null);
    this.source.mark("trace", this.run.rows.slice(0, 4000).flatMap((_, k) => this.run.places(k)));
    this.source.mark("now", this.at ? this.run.places(this.at - 1) : []);
    if (tell) this.moved(this.at);
  }
}
