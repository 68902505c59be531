import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const PREFIX = 'outrider-test-';

/** A folder for a server of this process. */
export function ownFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), `${PREFIX}${process.pid}-`));
}

/**
 * Ends the servers, and takes the folders, of processes that were killed before they could: each of them holds memory and disk, and a
 * query that nobody waits for any more may run for ever.
 */
export async function sweepAbandoned(): Promise<void> {
  const names = await readdir(tmpdir());
  for (const name of names) {
    const owner = Number(name.startsWith(PREFIX) ? name.slice(PREFIX.length).split('-')[0] : Number.NaN);
    if (!Number.isInteger(owner) || isAlive(owner)) continue;
    const folder = join(tmpdir(), name);
    const text = await readFile(join(folder, 'postgres', 'postmaster.pid'), 'utf8').catch(() => '');
    const server = Number(text.split('\n')[0]);
    if (server > 1 && isAlive(server)) process.kill(server, 'SIGQUIT');
    // Another process may sweep the same, and the server may write until it has ended: what stays is taken next time.
    await rm(folder, { recursive: true, force: true, maxRetries: 3 }).catch(() => undefined);
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
