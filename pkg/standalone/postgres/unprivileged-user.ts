import { readFile } from 'node:fs/promises';
import { UserError } from '../../base/errors.ts';

/** Options for `child_process.spawn` that drop root. */
export interface RunAs {
  uid: number;
  gid: number;
}

/**
 * The user that child processes run as when we are root: `postgres` where it exists, else `nobody`.
 * Undefined when we are not root: children then run as ourselves.
 */
export function unprivilegedUser(): Promise<RunAs | undefined> {
  return firstUserOf(['postgres', 'nobody']);
}

/** The user of executor processes when we are root: `nobody`, who may not read the database's files. */
export function executorUser(): Promise<RunAs | undefined> {
  return firstUserOf(['nobody']);
}

async function firstUserOf(names: string[]): Promise<RunAs | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const lines = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':'));
  const entry = names.map((name) => lines.find((fields) => fields[0] === name)).find((found) => found !== undefined);
  if (!entry) throw new UserError(`Running as root needs a system user ${names.join(' or ')}; make one of them.`);
  return { uid: Number(entry[2]), gid: Number(entry[3]) };
}
