// Questions to the server of the explorer.

export class Refused extends Error {}

// Answers come in the order they were asked in, for steps depend on each other.
export async function ask(name, given = {}) {
  let response;
  try {
    response = await fetch(`api/${name}`, {method: "POST", body: JSON.stringify(given), headers: {"content-type": "application/json"}});
  } catch {
    throw new Refused("The explorer has ended; start it again with quorbit explore.");
  }
  const found = await response.json().catch(() => ({error: `The explorer answered ${response.status}.`}));
  if (!response.ok) throw new Refused(found.error ?? `The explorer answered ${response.status}.`);
  return found;
}

// Ask until it is no longer so; f is told every answer.
export async function poll(name, given, isWaiting, f, every = 200) {
  for (;;) {
    const found = await ask(name, given);
    f(found);
    if (!isWaiting(found)) return found;
    await new Promise((done) => setTimeout(done, every));
  }
}
