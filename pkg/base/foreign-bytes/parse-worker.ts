import { parentPort } from 'node:worker_threads';
import { messageOf } from '../errors.ts';

/** What a pool asks of its worker. */
export interface Asked {
  id: number;
  input: unknown;
}

/** `failed`: the parser threw; an answer that can not be sent counts as that too. `ready`: the program is loaded. */
export type Answered = { id: number; output: unknown } | { id: number; failed: string } | { ready: true };

/** The whole program of a worker: it answers one input after the other. @param parse may throw: the process that asked hears of it */
export function answerInputs(parse: (input: never) => Promise<unknown> | unknown): void {
  const port = parentPort;
  if (!port) throw new Error('this program is a worker of another one');
  port.postMessage({ ready: true } satisfies Answered);
  port.on('message', ({ id, input }: Asked) => {
    void (async () => {
      try {
        port.postMessage({ id, output: await parse(input as never) } satisfies Answered);
      } catch (error) {
        port.postMessage({ id, failed: messageOf(error) } satisfies Answered);
      }
    })();
  });
}
