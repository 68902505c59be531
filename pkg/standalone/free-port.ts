import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * Below the ports that outgoing connections get (from 32768 on Linux, 49152 elsewhere): one of those may be taken by any
 * connection between the look and the program that was to listen there.
 */
const FIRST = 10_240;
const LAST = 32_767;
const TRIES = 100;
/** Given away by this process; who got one may not listen yet. */
const given = new Set<number>();

/** A TCP port of the loopback that was free a moment ago; never the same one twice. @throws when none is found */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const port = randomInt(FIRST, LAST + 1);
    if (given.has(port) || !(await isFree(port))) continue;
    given.add(port);
    return port;
  }
  throw new Error(`no free port of the loopback among ${TRIES} between ${FIRST} and ${LAST}`);
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
