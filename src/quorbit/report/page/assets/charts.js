// Figures: states by depth, and which statements were performed.

import { el, show, svgEl } from "./dom.js";
import { plural } from "./text.js";

const HEIGHT = 200, LEFT = 64, RIGHT = 16, TOP = 12, BOTTOM = 34;

// levels: {reduced: […], unreduced: […]}
export class LevelsChart {
  constructor(levels) {
    this.levels = levels;
    this.node = el("div", {class: "levels"});
    this.width = 0;
    new ResizeObserver(() => {
      if (Math.abs(this.node.clientWidth - this.width) > 2) this.draw();
    }).observe(this.node);
  }

  draw() {
    const width = this.node.clientWidth;
    if (!width) return;
    this.width = width;
    const {reduced, unreduced} = this.levels;
    const count = Math.max(reduced.length, unreduced.length);
    const most = Math.max(1, ...reduced, ...unreduced);
    const log = most > 50 * Math.max(1, Math.min(...reduced.filter((n) => n > 0)));
    const inner = width - LEFT - RIGHT, high = HEIGHT - TOP - BOTTOM;
    const y = (n) => TOP + high - (n <= 0 ? 0 : log ? (Math.log10(n) + 0.15) / (Math.log10(most) + 0.15) : n / most) * high;
    const x = (k) => LEFT + (inner * k) / count, step = inner / count;
    const parts = [];
    for (const tick of ticks(most, log)) {
      parts.push(svgEl("line", {class: "grid", x1: LEFT, x2: width - RIGHT, y1: y(tick), y2: y(tick)}),
        svgEl("text", {class: "axis", x: LEFT - 8, y: y(tick) + 4, "text-anchor": "end"}, tick.toLocaleString("en")));
    }
    const bars = (values, name, share) => values.forEach((n, k) => {
      if (n > 0) parts.push(svgEl("rect", {class: name, x: x(k) + (step * (1 - share)) / 2, width: Math.max(1, step * share), y: y(n), height: Math.max(0, TOP + high - y(n))},
        svgEl("title", {}, `depth ${k}: ${n.toLocaleString("en")} ${name === "reduced" ? "representatives" : "states"}`)));
    });
    if (unreduced.length) bars(unreduced, "unreduced", 0.9);
    bars(reduced, "reduced", unreduced.length ? 0.5 : 0.8);
    const every = Math.max(1, Math.ceil(count / Math.max(2, Math.floor(inner / 48))));
    for (let k = 0; k < count; k += every) parts.push(svgEl("text", {class: "axis", x: x(k) + step / 2, y: HEIGHT - BOTTOM + 16, "text-anchor": "middle"}, k));
    parts.push(svgEl("text", {class: "axis", x: LEFT + inner / 2, y: HEIGHT - 2, "text-anchor": "middle"}, log ? "depth (states on a logarithmic scale)" : "depth"));
    show(this.node,
      el("p", {class: "legend"}, el("span", {class: "key reduced"}, ""), " stored, one for each orbit ",
        unreduced.length ? [el("span", {class: "key unreduced"}, ""), " represented, without symmetry"] : null),
      svgEl("svg", {width, height: HEIGHT, viewBox: `0 0 ${width} ${HEIGHT}`, role: "img", "aria-label": "States by depth"}, parts));
  }
}

function ticks(most, log) {
  if (log) {
    const found = [];
    for (let n = 1; n <= most; n *= 10) found.push(n);
    return found;
  }
  const step = [1, 2, 5, 10, 20, 25, 50].find((n) => most / n <= 5) ?? Math.ceil(most / 5);
  const found = [];
  for (let n = 0; n <= most; n += step) found.push(n);
  return found;
}

// coverage: {complete, rows: [[place, text, count]]}
export function coverageView(coverage, goto) {
  const missing = coverage.rows.filter((row) => row[2] === 0), total = coverage.rows.length;
  const share = total ? (total - missing.length) / total : 1;
  const line = ([place, text, count]) => el("tr", {class: count ? "" : "never"},
    el("td", {class: "mono line"}, place ? el("button", {type: "button", class: "link mono", on: {click: () => goto(place)}}, place[1]) : ""),
    el("td", {class: "mono count"}, count ? count.toLocaleString("en") : "never"), el("td", {class: "mono"}, text));
  return el("div", {class: "coverage"},
    el("p", {}, `${plural(total - missing.length, "statement")} of ${total} performed${coverage.complete ? "" : " before the search ended"}.`),
    el("div", {class: "meter", role: "img", "aria-label": `${Math.round(100 * share)} percent`}, el("span", {style: {width: `${100 * share}%`}})),
    el("details", {open: missing.length > 0 && missing.length < 30}, el("summary", {}, missing.length ? plural(missing.length, "statement") + " never performed" : "All statements"),
      el("table", {class: "list"}, (missing.length ? missing : coverage.rows).map(line))),
    missing.length ? el("details", {}, el("summary", {}, "All statements"), el("table", {class: "list"}, coverage.rows.map(line))) : null);
}
