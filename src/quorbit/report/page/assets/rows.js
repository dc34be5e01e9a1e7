// Many rows of known heights in a box that scrolls: only those in view are drawn.  Few rows are all drawn, so that the
// browser finds text in them and prints them; before printing all are.

import { el } from "./dom.js";

const FEW = 300;
const AROUND = 400; // pixels above and below what is seen

export class Rows {
  // draw(index) gives the element of a row; top(index) may be asked for positions.
  constructor(scroller, draw) {
    this.scroller = scroller;
    this.draw = draw;
    this.holder = el("div", {class: "rows"});
    this.drawn = new Map();
    this.tops = [0];
    this.waiting = false;
    scroller.append(this.holder);
    scroller.addEventListener("scroll", () => this.later(), {passive: true});
    window.addEventListener("beforeprint", () => this.update(true));
    window.addEventListener("afterprint", () => this.update());
    new ResizeObserver(() => this.later()).observe(scroller);
  }

  // New heights: rows from `first` on are drawn anew.
  set(heights, first = 0) {
    this.tops.length = Math.min(this.tops.length, first + 1);
    if (!this.tops.length) this.tops = [0];
    for (let k = this.tops.length - 1; k < heights.length; k += 1) this.tops[k + 1] = this.tops[k] + heights[k];
    this.tops.length = heights.length + 1;
    for (const [k, node] of this.drawn) {
      if (k >= first) {
        node.remove();
        this.drawn.delete(k);
      }
    }
    this.holder.style.height = `${this.tops[this.tops.length - 1]}px`;
    this.update();
  }

  get count() {
    return this.tops.length - 1;
  }

  redraw(k) {
    const node = this.drawn.get(k);
    if (!node) return;
    const fresh = this.make(k);
    node.replaceWith(fresh);
    this.drawn.set(k, fresh);
  }

  make(k) {
    const node = this.draw(k);
    node.style.top = `${this.tops[k]}px`;
    node.style.height = `${this.tops[k + 1] - this.tops[k]}px`;
    return node;
  }

  later() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.update();
    });
  }

  at(y) {
    let low = 0, high = this.count;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.tops[middle + 1] <= y) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  range(all = false) {
    if (all || this.count <= FEW) return [0, this.count];
    const top = this.scroller.scrollTop, height = this.scroller.clientHeight;
    return [this.at(Math.max(0, top - AROUND)), Math.min(this.count, this.at(top + height + AROUND) + 1)];
  }

  update(all = false) {
    const [first, last] = this.range(all);
    for (const [k, node] of this.drawn) {
      if (k < first || k >= last) {
        node.remove();
        this.drawn.delete(k);
      }
    }
    const fresh = [];
    for (let k = first; k < last; k += 1) {
      if (!this.drawn.has(k)) {
        const node = this.make(k);
        this.drawn.set(k, node);
        fresh.push(node);
      }
    }
    this.holder.append(...fresh);
  }

  // Scroll no more than needed to see a row; `above`: pixels of a heading that stays on top.
  reveal(k, above = 0) {
    if (k < 0 || k >= this.count) return;
    const box = this.scroller, top = this.tops[k], bottom = this.tops[k + 1];
    if (top < box.scrollTop) box.scrollTop = Math.max(0, top - 40);
    else if (bottom + above > box.scrollTop + box.clientHeight) box.scrollTop = bottom + above - box.clientHeight + 40;
    this.update();
  }
}
