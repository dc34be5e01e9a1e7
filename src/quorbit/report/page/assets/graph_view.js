// The state graph of a small model: all states beside one for each orbit, coloured by orbits.

import { ask, poll } from "./client.js";
import { el, show, svgEl } from "./dom.js";
import { orbitLetter } from "./symmetry.js";

const NARROWEST_SPACE = 30, WIDEST_SPACE = 64, ROW_SPACE = 56, RADIUS = 9, EDGE = 24; // pixels

export class GraphView {
  // options: parts(): names of the visible parts, visit(number), say(text)
  constructor(options) {
    this.options = options;
    this.node = el("div", {class: "graph"});
    this.message = el("p", {class: "empty"}, "");
    this.sides = el("div", {class: "graphs"});
    this.node.append(this.message, this.sides);
    this.sides.hidden = true;
    this.key = null;
    this.data = null;
    this.asked = false;
  }

  async open() {
    if (this.asked) {
      this.reveal();
      return;
    }
    this.asked = true;
    this.message.hidden = false;
    this.message.textContent = "Exploring the model …";
    try {
      await ask("begin", {kind: "graph"});
      const job = await poll("job", {kind: "graph"}, (found) => found.state === "running", () => {}, 300);
      if (job.state === "done") this.show(job.result);
      else this.message.textContent = job.error || "The search was stopped.";
    } catch (error) {
      this.asked = false;
      this.message.textContent = error.message;
    }
  }

  forget() {
    this.asked = false;
    this.data = null;
    this.sides.hidden = true;
  }

  show(data) {
    this.data = data;
    this.message.hidden = true;
    this.sides.hidden = false;
    this.canvases = [];
    const {unreduced, reduced} = data;
    show(this.sides,
      unreduced ? this.side(`Unreduced: ${unreduced.nodes.length} states`, unreduced, "unreduced") : el("div", {class: "graph-side"}, el("h3", {}, "Unreduced"), el("p", {class: "empty"}, "There are too many states to draw all.")),
      this.side(`Reduced by ${data.structure}: ${reduced.nodes.length} orbits`, reduced, "reduced"));
    this.mark(this.key);
    this.reveal();
  }

  side(title, graph, name) {
    const most = graph.nodes.reduce((found, node) => Math.max(found, Math.abs(node.at)), 0);
    const depth = graph.nodes.reduce((found, node) => Math.max(found, node.depth), 0);
    const room = (this.node.clientWidth / 2 - 2 * EDGE) / (2 * most + 1);
    const space = Math.max(NARROWEST_SPACE, Math.min(WIDEST_SPACE, room));
    const width = 2 * (most * space + EDGE), height = depth * ROW_SPACE + 2 * EDGE;
    const spot = (node) => [width / 2 + node.at * space, EDGE + node.depth * ROW_SPACE];
    const canvas = svgEl("svg", {class: `graph-canvas ${name}`, width, height, viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": title},
      svgEl("defs", {}, svgEl("marker", {id: `graph-${name}`, viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 5, markerHeight: 5, orient: "auto"}, svgEl("path", {class: "arrow-head", d: "M0,0 L8,4 L0,8 z"}))));
    for (const [a, b, label] of graph.arrows) {
      canvas.append(svgEl("path", {class: "graph-edge", d: edge(spot(graph.nodes[a]), spot(graph.nodes[b])), "marker-end": `url(#graph-${name})`}, svgEl("title", {}, label)));
    }
    graph.nodes.forEach((node, k) => {
      const [x, y] = spot(node);
      const told = this.options.parts().map((part, i) => `${part.name} = ${node.values[i]}`).slice(0, 60).join("\n");
      const title_ = `orbit ${orbitLetter(node.orbit)}${node.size > 1 ? `, ${node.size} states` : ""}${node.wrong ? `\n✗ ${node.wrong}` : ""}\n${told}`;
      const point = () => this.point(node.orbit), leave = () => this.point(null);
      const visit = () => this.options.visit(name === "reduced" && this.data.unreduced ? this.first(node.orbit) : k);
      canvas.append(svgEl("g", {class: `graph-node orbit o${node.orbit % 7} ${node.initial ? "initial" : ""} ${node.wrong ? "wrong" : ""}`, "data-key": node.key, "data-orbit": node.orbit,
        tabindex: 0, role: "button", "aria-label": title_.replaceAll("\n", ", "), on: {click: visit, mouseenter: point, mouseleave: leave, focus: point, blur: leave,
          keydown: (event) => {
            if (event.key === "Enter") visit();
          }}},
      svgEl("title", {}, title_), svgEl("circle", {cx: x, cy: y, r: RADIUS}), svgEl("text", {x, y: y + 3, "text-anchor": "middle"}, orbitLetter(node.orbit))));
    });
    this.canvases.push(canvas);
    return el("div", {class: "graph-side"}, el("h3", {}, title), el("div", {class: "scroll"}, canvas));
  }

  first(orbit) {
    return this.data.unreduced.nodes.findIndex((node) => node.orbit === orbit);
  }

  point(orbit) {
    for (const canvas of this.canvases) {
      canvas.classList.toggle("pointing", orbit !== null);
      for (const node of canvas.querySelectorAll(".same")) node.classList.remove("same");
      if (orbit !== null) for (const node of canvas.querySelectorAll(`[data-orbit="${orbit}"]`)) node.classList.add("same");
    }
  }

  // The state where the user stands; in the reduced graph its orbit.
  mark(key) {
    this.key = key;
    if (!this.data) return;
    const graph = this.data.unreduced ?? this.data.reduced;
    const here = graph.nodes.find((node) => node.key === key);
    for (const canvas of this.canvases) {
      for (const node of canvas.querySelectorAll(".graph-node")) {
        const reduced = canvas.classList.contains("reduced");
        node.classList.toggle("here", Boolean(here) && (reduced ? Number(node.dataset.orbit) === here.orbit : node.dataset.key === key));
      }
    }
    this.reveal();
  }

  reveal() {
    for (const canvas of this.canvases ?? []) {
      const box = canvas.parentElement, node = canvas.querySelector(".here circle");
      if (!box.clientWidth) continue;
      const x = node ? Number(node.getAttribute("cx")) : canvas.clientWidth / 2, y = node ? Number(node.getAttribute("cy")) : 0;
      if (x < box.scrollLeft || x > box.scrollLeft + box.clientWidth) box.scrollLeft = x - box.clientWidth / 2;
      if (y < box.scrollTop || y > box.scrollTop + box.clientHeight) box.scrollTop = y - box.clientHeight / 2;
    }
  }
}

// From circle to circle; back and within a row in a bow.
function edge([x1, y1], [x2, y2]) {
  if (x1 === x2 && y1 === y2) return `M${x1 + 6},${y1 - 7} C${x1 + 24},${y1 - 20} ${x1 + 24},${y1 + 14} ${x1 + 8},${y1 + 5}`;
  const length = Math.hypot(x2 - x1, y2 - y1), ux = (x2 - x1) / length, uy = (y2 - y1) / length;
  const bend = y2 > y1 ? 0 : 18, mx = (x1 + x2) / 2 + bend * uy, my = (y1 + y2) / 2 - bend * ux - (y1 === y2 ? 14 : 0);
  return `M${x1 + RADIUS * ux},${y1 + RADIUS * uy} Q${mx},${my} ${x2 - (RADIUS + 2) * ux},${y2 - (RADIUS + 2) * uy}`;
}
