// A symmetry as a picture: the atoms by orbit with their full names, generators as moves, and what connects the atoms.

import { el, show, svgEl } from "./dom.js";
import { charWidth, plural, textWidth } from "./text.js";

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

export function orbitLetter(k) {
  return k < 26 ? LETTERS[k] : LETTERS[Math.floor(k / 26) - 1] + LETTERS[k % 26];
}

// Which orbit each atom is in, by its name.
export function orbitsByName(symmetry) {
  const found = new Map();
  if (symmetry && symmetry.known) symmetry.orbits.forEach((orbit, k) => orbit.forEach((atom) => found.set(symmetry.atoms[atom], k)));
  return found;
}

export function chip(name, orbit, atom) {
  return el("span", {class: `chip mono ${orbit === null ? "fixed" : `orbit o${orbit % 7}`}`, "data-atom": atom},
    orbit === null ? null : el("span", {class: "letter", "aria-hidden": "true"}, orbitLetter(orbit)), name);
}

export class SymmetryView {
  constructor(options = {}) {
    this.goto = options.goto ?? null; // called with a place in the source
    this.node = el("div", {class: "symmetry"});
  }

  show(symmetry, sources = []) {
    this.symmetry = symmetry;
    if (!symmetry.known) {
      show(this.node, el("p", {class: "empty"}, `Symmetry ${symmetry.structure}: ${symmetry.reason}`));
      return;
    }
    this.picture = el("div", {class: "orbits"}, this.groups());
    this.overlay = svgEl("svg", {class: "overlay", "aria-hidden": "true"});
    const holder = el("div", {class: "orbit-holder"}, this.picture, this.overlay);
    this.diagram = symmetry.diagram ? new Diagram(symmetry) : null;
    show(this.node,
      el("p", {class: "lead"}, el("strong", {}, symmetry.trivial ? "No symmetry" : symmetry.structure), symmetry.trivial ? "" : `, order ${symmetry.order}`),
      el("p", {class: "soft"}, `${symmetry.strategy}, ${symmetry.exact ? "exact" : "approximate"}: ${symmetry.reason}`),
      symmetry.notes.map((note) => el("p", {class: "note"}, note)),
      el("div", {class: "symmetry-grid"},
        el("div", {}, holder, this.generators(), this.missing(symmetry.missing ?? [], sources)),
        this.diagram ? el("div", {class: "diagram"}, el("h3", {}, symmetry.diagram.title), this.diagram.node) : null));
  }

  groups() {
    const {orbits, fixed, atoms, degree} = this.symmetry;
    const rows = orbits.map((orbit, k) => el("div", {class: "orbit-row"},
      el("span", {class: "orbit-title"}, `orbit ${orbitLetter(k)} · ${plural(orbit.length, "atom")}`),
      el("span", {class: "chips"}, orbit.map((atom) => chip(atoms[atom], k, atom)))));
    if (fixed.length) {
      rows.push(el("div", {class: "orbit-row"}, el("span", {class: "orbit-title"}, `fixed · ${fixed.length}`),
        el("span", {class: "chips"}, fixed.slice(0, 400).map((atom) => chip(atoms[atom], null, atom)),
          fixed.length > 400 ? el("span", {class: "soft"}, `… and ${fixed.length - 400} more`) : null)));
    }
    const shown = orbits.reduce((sum, orbit) => sum + orbit.length, fixed.length);
    if (shown < degree) rows.push(el("p", {class: "soft"}, `${degree - shown} more atoms are not shown`));
    return rows;
  }

  generators() {
    const {generators, more} = this.symmetry;
    if (!generators.length) return null;
    const list = el("ol", {class: "generators", "aria-label": "Generators"}, generators.map((generator) => {
      const button = el("button", {type: "button", class: "generator mono", "aria-pressed": "false", title: "Show what it moves",
        on: {mouseenter: () => this.draw(generator), mouseleave: () => this.draw(this.held),
          focus: () => this.draw(generator), blur: () => this.draw(this.held),
          click: () => this.hold(generator, button)}}, generator.text);
      return el("li", {}, button);
    }));
    this.list = list;
    return el("div", {}, el("h3", {}, "Generators"), el("p", {class: "soft"}, "Point at one to see what it moves."), list,
      more > 0 ? el("p", {class: "soft"}, `… and ${more} more`) : null);
  }

  hold(generator, button) {
    const again = this.held === generator;
    this.held = again ? null : generator;
    for (const each of this.list.querySelectorAll("button")) each.setAttribute("aria-pressed", String(!again && each === button));
    this.draw(this.held);
  }

  draw(generator) {
    for (const moved of this.picture.querySelectorAll(".moved")) moved.classList.remove("moved");
    show(this.overlay);
    this.diagram?.draw(generator);
    if (!generator) return;
    const frame = this.picture.getBoundingClientRect();
    this.overlay.setAttribute("width", frame.width);
    this.overlay.setAttribute("height", frame.height);
    const spots = new Map();
    for (const node of this.picture.querySelectorAll("[data-atom]")) {
      const box = node.getBoundingClientRect();
      spots.set(Number(node.dataset.atom), {x: box.x - frame.x + box.width / 2, top: box.y - frame.y, bottom: box.bottom - frame.y, node});
    }
    this.overlay.append(head("move-arrow"));
    for (const [a, b] of generator.moves) {
      const from = spots.get(a), to = spots.get(b);
      if (!from || !to) continue;
      from.node.classList.add("moved");
      this.overlay.append(svgEl("path", {class: "move", d: bow(from, to), "marker-end": "url(#move-arrow)"}));
    }
  }

  missing(rows, sources) {
    if (!rows.length) return null;
    return el("div", {}, el("h3", {}, "Told apart"), el("p", {class: "soft"}, "These look alike; this line keeps them from being interchangeable."),
      el("ul", {class: "missing"}, rows.map((row) => {
        const index = row.at ? sources.findIndex((source) => source.name === row.at[0]) : -1;
        const where = row.at ? `${row.at[0].split(/[\\/]/).pop()}:${row.at[1]}` : "";
        return el("li", {}, el("span", {class: "mono"}, row.pair.join(" / ")), " — ", row.message, " ",
          where && index >= 0 && this.goto ? el("button", {type: "button", class: "link mono", on: {click: () => this.goto([index, row.at[1]])}}, where) : el("span", {class: "mono soft"}, where),
          row.written ? el("pre", {class: "mono"}, row.written) : null);
      })));
  }
}

function head(id) {
  return svgEl("defs", {}, svgEl("marker", {id, viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto"},
    svgEl("path", {class: "arrow-head", d: "M0,0 L8,4 L0,8 z"})));
}

// An arc over or under the chips, so that it does not cross their names.
function bow(from, to) {
  if (Math.abs(from.top - to.top) < 4) {
    const over = from.x < to.x;
    const y = over ? from.top : from.bottom, lift = Math.min(18, 6 + Math.abs(to.x - from.x) / 14) * (over ? -1 : 1);
    return `M${from.x},${y} Q${(from.x + to.x) / 2},${y + 2 * lift} ${to.x},${y}`;
  }
  const down = from.top < to.top;
  return `M${from.x},${down ? from.bottom : from.top} L${to.x},${down ? to.top : to.bottom}`;
}

// Processes and channels, latches and inputs, or local states: drawn from what the file tells.
class Diagram {
  constructor(symmetry) {
    this.symmetry = symmetry;
    this.data = symmetry.diagram;
    this.orbitOf = new Map();
    symmetry.orbits.forEach((orbit, k) => orbit.forEach((atom) => this.orbitOf.set(atom, k)));
    this.node = el("div", {class: "wide"});
    this.moves = svgEl("g", {class: "moves"});
    this.spots = new Map();
    this.canvas = this.data.ring ? this.ring() : this.sides();
    this.canvas.append(this.moves);
    this.node.append(this.canvas, this.data.left > 0 ? el("p", {class: "soft"}, `${this.data.left} more are not drawn`) : "");
  }

  sides() {
    const ch = charWidth(), {columns, vertices, arcs} = this.data, ROW = 34, TOP = 20;
    const width = (side) => side.reduce((most, v) => Math.max(most, textWidth(vertices[v].name)), 4) * ch + 24;
    const [left, right] = columns, wide = [width(left), width(right)];
    const bend = 40, gap = 150;
    const xs = [bend + wide[0] / 2, bend + wide[0] + gap + wide[1] / 2];
    columns.forEach((side, k) => side.forEach((v, i) => this.spots.set(v, {x: xs[k], y: TOP + i * ROW, half: wide[k] / 2, side: k})));
    const rows = Math.max(left.length, right.length, 1);
    const size = [bend + wide[0] + gap + wide[1] + bend, TOP + rows * ROW];
    const canvas = svgEl("svg", {class: "diagram-canvas mono", width: size[0], height: size[1], viewBox: `0 0 ${size[0]} ${size[1]}`, role: "img", "aria-label": this.data.title}, head("wire-arrow"));
    for (const [u, v, kind] of arcs) {
      const a = this.spots.get(u), b = this.spots.get(v);
      if (a && b) canvas.append(svgEl("path", {class: `wire ${kind}`, d: wire(a, b), "marker-end": "url(#wire-arrow)"}, svgEl("title", {}, `${vertices[u].name} → ${vertices[v].name}: ${kind}`)));
    }
    for (const [v, spot] of this.spots) canvas.append(this.vertex(vertices[v], spot));
    return canvas;
  }

  vertex(vertex, spot) {
    const orbit = vertex.atoms.map((atom) => this.orbitOf.get(atom)).find((k) => k !== undefined);
    const name = `vertex ${vertex.kind} ${orbit === undefined ? "fixed" : `orbit o${orbit % 7}`}`;
    const round = vertex.kind === "process" || vertex.kind === "latch" ? 13 : 2;
    return svgEl("g", {class: name}, svgEl("title", {}, `${vertex.name}: ${vertex.kind}`),
      svgEl("rect", {x: spot.x - spot.half, y: spot.y - 13, width: 2 * spot.half, height: 26, rx: round}),
      svgEl("text", {x: spot.x, y: spot.y + 4, "text-anchor": "middle"}, vertex.name));
  }

  ring() {
    const {ring, arcs, initial} = this.data, ch = charWidth(), n = ring.length;
    const half = Math.max(18, ring.reduce((most, name) => Math.max(most, textWidth(name)), 1) * ch / 2 + 10);
    const radius = Math.max(60, n < 2 ? 0 : (half + 12) / Math.sin(Math.PI / Math.max(2, n)), half);
    const size = 2 * (radius + half + 30);
    const spots = ring.map((_, k) => ({x: size / 2 + radius * Math.sin(2 * Math.PI * k / n), y: size / 2 - radius * Math.cos(2 * Math.PI * k / n)}));
    const canvas = svgEl("svg", {class: "diagram-canvas mono", width: size, height: size, viewBox: `0 0 ${size} ${size}`, role: "img", "aria-label": this.data.title}, head("wire-arrow"));
    for (const [a, b, label] of arcs) {
      const d = a === b ? loop(spots[a], half) : ringPath(spots[a], spots[b], half);
      canvas.append(svgEl("path", {class: "wire", d, "marker-end": "url(#wire-arrow)"}, svgEl("title", {}, label)));
    }
    ring.forEach((name, k) => canvas.append(svgEl("g", {class: `vertex state ${initial.includes(k) ? "initial" : ""}`},
      svgEl("rect", {x: spots[k].x - half, y: spots[k].y - 14, width: 2 * half, height: 28, rx: 14}),
      svgEl("text", {x: spots[k].x, y: spots[k].y + 4, "text-anchor": "middle"}, name))));
    return canvas;
  }

  draw(generator) {
    show(this.moves);
    if (!generator || this.data.ring) return;
    this.moves.append(head("diagram-move"));
    for (const [a, b] of generator.moves) {
      const from = this.spots.get(a), to = this.spots.get(b);
      if (!from || !to) continue;
      const left = from.side === 0, x = left ? from.x - from.half : from.x + from.half, out = (left ? -1 : 1) * (12 + Math.min(24, Math.abs(to.y - from.y) / 8));
      this.moves.append(svgEl("path", {class: "move", d: `M${x},${from.y} C${x + out},${from.y} ${x + out},${to.y} ${x},${to.y}`, "marker-end": "url(#diagram-move)"}));
    }
  }
}

function wire(a, b) {
  if (a.side === b.side) {
    const x = a.side === 0 ? a.x + a.half : a.x + a.half, out = 14 + Math.min(22, Math.abs(b.y - a.y) / 6);
    if (a === b) return `M${x},${a.y - 5} C${x + 22},${a.y - 12} ${x + 22},${a.y + 12} ${x + 1},${a.y + 5}`;
    return `M${x},${a.y} C${x + out},${a.y} ${x + out},${b.y} ${x + 1},${b.y}`;
  }
  const right = b.x > a.x, lift = right ? -4 : 4;
  return right ? `M${a.x + a.half},${a.y + lift} L${b.x - b.half - 1},${b.y + lift}` : `M${a.x - a.half},${a.y + lift} L${b.x + b.half + 1},${b.y + lift}`;
}

function loop(spot, half) {
  return `M${spot.x - 8},${spot.y - 14} C${spot.x - half - 8},${spot.y - 52} ${spot.x + half + 8},${spot.y - 52} ${spot.x + 8},${spot.y - 15}`;
}

// From the edge of one box to the edge of another, bent so that both directions lie apart.
function ringPath(a, b, half) {
  const length = Math.hypot(b.x - a.x, b.y - a.y) || 1, ux = (b.x - a.x) / length, uy = (b.y - a.y) / length;
  const edge = Math.min(half / Math.max(Math.abs(ux), 0.01), 14 / Math.max(Math.abs(uy), 0.01));
  const mx = (a.x + b.x) / 2 + 16 * uy, my = (a.y + b.y) / 2 - 16 * ux;
  return `M${a.x + edge * ux},${a.y + edge * uy} Q${mx},${my} ${b.x - (edge + 2) * ux},${b.y - (edge + 2) * uy}`;
}
