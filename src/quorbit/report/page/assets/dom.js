// Elements of the page.  Every text of a model becomes a text node; nothing here reads HTML.

const SVG = "http://www.w3.org/2000/svg";

// el("button", {class: "quiet", title: "…", on: {click: f}}, "text", child, [children])
export function el(tag, options = {}, ...children) {
  return fill(document.createElement(tag), options, children);
}

export function svgEl(tag, options = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), options, children);
}

function fill(node, options, children) {
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined || value === null || value === false) continue;
    if (name === "on") for (const [event, handler] of Object.entries(value)) node.addEventListener(event, handler);
    else if (name === "style") for (const [key, given] of Object.entries(value)) node.style.setProperty(key, given);
    else node.setAttribute(name, value === true ? "" : String(value));
  }
  put(node, children);
  return node;
}

export function put(node, children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    node.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
}

export function show(node, ...children) {
  node.replaceChildren();
  put(node, children);
}

export function panel(title, ...children) {
  const tools = el("div", {class: "tools"});
  const body = el("div", {class: "body"}, ...children);
  const section = el("section", {class: "panel", "aria-label": title},
    el("header", {}, el("h2", {}, title), tools), body);
  return {section, body, tools};
}

// Tabs: [{id, title, content, open?}]; content may be a function of nothing that is called when the tab is first opened.
export function tabs(label, items, chosen) {
  const bar = el("div", {class: "tabs", role: "tablist", "aria-label": label});
  const holder = el("div", {class: "tab-holder"});
  const buttons = new Map();
  let current = null;
  function open(id) {
    const item = items.find((each) => each.id === id);
    if (!item || current === id) return;
    current = id;
    for (const [each, button] of buttons) {
      button.setAttribute("aria-selected", String(each === id));
      button.tabIndex = each === id ? 0 : -1;
    }
    for (const each of items) each.content.hidden = each.id !== id;
    if (item.open) item.open();
  }
  items.forEach((item, k) => {
    const key = item.key ? ` (${item.key})` : "";
    const button = el("button", {role: "tab", type: "button", "data-tab": item.id, title: item.title + key,
      on: {click: () => open(item.id)}}, item.title);
    button.addEventListener("keydown", (event) => {
      const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
      if (!step) return;
      event.preventDefault();
      event.stopPropagation();
      const next = items[(k + step + items.length) % items.length];
      open(next.id);
      buttons.get(next.id).focus();
    });
    buttons.set(item.id, button);
    bar.append(button);
    item.content.hidden = true;
    item.content.setAttribute("role", "tabpanel");
    item.content.setAttribute("aria-label", item.title);
    holder.append(item.content);
  });
  open(chosen ?? items[0].id);
  return {bar, holder, open, current: () => current};
}

// Light, dark, or as the system says; remembered where the browser allows it.
export function themeButton() {
  const words = {auto: "Theme: system", light: "Theme: light", dark: "Theme: dark"};
  const order = ["auto", "light", "dark"];
  let now = "auto";
  try {
    now = localStorage.getItem("quorbit-theme") ?? "auto";
  } catch { /* a file may not remember */ }
  const button = el("button", {type: "button", class: "quiet", "data-action": "theme"});
  function apply() {
    if (!order.includes(now)) now = "auto";
    document.documentElement.dataset.theme = now;
    button.textContent = {auto: "◐", light: "☀", dark: "☾"}[now];
    button.title = words[now];
    button.setAttribute("aria-label", words[now]);
  }
  button.addEventListener("click", () => {
    now = order[(order.indexOf(now) + 1) % order.length];
    try {
      localStorage.setItem("quorbit-theme", now);
    } catch { /* see above */ }
    apply();
  });
  apply();
  return button;
}
