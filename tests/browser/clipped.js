// What is cut off, sticks out of its panel, or makes the page wider than the window.
() => {
  const wrong = [];
  const isShown = (node) => node.getClientRects().length > 0;
  const inside = (node, box) => {
    const r = node.getBoundingClientRect(), b = box.getBoundingClientRect();
    return r.left >= b.left - 1 && r.right <= b.right + 1;
  };
  if (document.documentElement.scrollWidth > innerWidth) wrong.push("the page is wider than the window");
  const boxes = ".chip, .card, .card dd, .generator, .badge, h1, .which, .note, .saved, .orbit-title";
  for (const node of [...document.querySelectorAll(boxes)].filter(isShown)) {
    if (node.scrollWidth > node.clientWidth + 1) wrong.push(`cut: ${node.className} ${node.textContent}`);
    const panel = node.closest(".panel > .body") ?? document.body;
    if (!inside(node, panel)) wrong.push(`outside: ${node.className} ${node.textContent}`);
  }
  for (const pre of [...document.querySelectorAll(".trace-row pre")].filter(isShown)) {
    if (pre.scrollWidth > pre.clientWidth + 1) wrong.push(`cut: ${pre.textContent}`);
  }
  for (const row of [...document.querySelectorAll(".trace-row")].filter(isShown)) {
    if (row.scrollHeight > row.clientHeight + 1) wrong.push(`too low: ${row.textContent}`);
  }
  for (const text of [...document.querySelectorAll(".vertex text")].filter(isShown)) {
    if (!inside(text, text.parentNode.querySelector("rect"))) wrong.push(`out of its box: ${text.textContent}`);
  }
  return wrong;
}
