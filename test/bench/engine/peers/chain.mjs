/** What every peer does: `leads` chains of `steps` durable steps each, while `waiting` jobs wait for another day. */
export const order = JSON.parse(process.argv[2] ?? '{}');

/** Counts steps; `done` resolves with the rate per second, from the first step to the last. */
export class Chain {
  #left = order.leads * order.steps;
  #startedAt;
  #done = Promise.withResolvers();

  get done() {
    return this.#done.promise;
  }

  begin() {
    this.#startedAt ??= performance.now();
  }

  step(count = 1) {
    this.#left -= count;
    if (this.#left > 0) return;
    this.#done.resolve((order.leads * order.steps * 1_000) / (performance.now() - this.#startedAt));
  }
}

/** Says that it is ready, and from then on works in rounds as they are asked for. */
export function inRounds(round) {
  process.on('message', async () => process.send({ rate: await round() }));
  process.send('ready');
}
