// A run: the rows that the server or the file tells, and the states between them.

export class RunData {
  constructor(data) {
    this.parts = data.parts;
    this.start = data.begins ?? data.start;
    this.queues = data.queues;
    this.atoms = data.atoms;
    this.acting = data.acting;
    this.synchronous = data.synchronous;
    this.rows = data.rows;
    this.loop = data.loop ?? null;
    this.order = new Map(data.atoms.map(([name], k) => [name, k]));
    this.known = [];
  }

  get length() {
    return this.rows.length;
  }

  // Rows from one on are others now.
  splice(first, rows, start) {
    if (start && start.join("\u0000") !== this.start.join("\u0000")) {
      this.start = start;
      this.known = [];
    }
    this.rows.splice(first, this.rows.length - first, ...rows);
    this.known.length = Math.min(this.known.length, Math.floor(first / 64) + 1);
  }

  // What is visible after so many rows; every 64th state is kept.
  values(at) {
    let k = Math.min(Math.floor(at / 64), this.known.length - 1);
    if (k < 0) {
      this.known[0] = this.start;
      k = 0;
    }
    let values = this.known[k].slice();
    for (let row = k * 64; row < at; row += 1) {
      values = this.after(values, this.rows[row]);
      if ((row + 1) % 64 === 0) this.known[(row + 1) / 64] = values.slice();
    }
    return values;
  }

  after(values, row) {
    if (row.values) return row.values.slice();
    for (const [part, value] of row.changes ?? []) values[part] = value;
    return values;
  }

  // The lines of the text that a row performs: [source, line].
  places(k) {
    const row = this.rows[k];
    return row && row.statements ? row.statements.map((said) => said[2]).filter(Boolean) : [];
  }

  changeTexts(row) {
    return (row.changes ?? []).map(([part, value]) => `${this.parts[part].name} = ${value}`);
  }

  // Who acts, in the order of the model.
  actors() {
    const found = new Set();
    for (const row of this.rows) for (const actor of row.actors ?? []) found.add(actor);
    return [...found].sort((a, b) => (this.order.get(a) ?? -1) - (this.order.get(b) ?? -1));
  }

  // Messages from the row that sends to the row that receives: {from, to, sent, received, channel, text}.
  messages() {
    const waiting = new Map(this.queues.map(([queue, size]) => [queue, new Array(size).fill(null)]));
    const found = [];
    this.rows.forEach((row, k) => {
      for (const [kind, queue, channel, at, text] of row.messages ?? []) {
        const line = waiting.get(queue) ?? [];
        waiting.set(queue, line);
        if (kind === "send") {
          const message = {from: row.actors[0] ?? "", to: null, sent: k, received: null, channel, text};
          found.push(message);
          line.splice(at, 0, message);
        } else if (kind === "receive") {
          const [message] = line.splice(at, 1);
          if (message) {
            message.received = k;
            message.to = row.actors[row.actors.length - 1] ?? "";
          }
        } else {
          waiting.set(queue, new Array(at).fill(null));
        }
      }
      if ((row.actors ?? []).length > 1 && !(row.messages ?? []).length) {
        found.push({from: row.actors[0], to: row.actors[1], sent: k, received: k, channel: "", text: row.text});
      }
    });
    return found;
  }
}
