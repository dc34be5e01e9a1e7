// Pairs of elements that lie on top of each other.
(selector) => {
  const boxes = [...document.querySelectorAll(selector)]
    .map((node) => [node.textContent, node.getBoundingClientRect()])
    .filter(([, r]) => r.width);
  const found = [];
  for (let i = 0; i < boxes.length; i += 1) {
    for (let j = i + 1; j < boxes.length; j += 1) {
      const a = boxes[i][1], b = boxes[j][1];
      const across = a.left < b.right - 1 && b.left < a.right - 1;
      if (across && a.top < b.bottom - 1 && b.top < a.bottom - 1) found.push([boxes[i][0], boxes[j][0]]);
    }
  }
  return found.slice(0, 5);
}
