import { isReachable } from '../postgres/binaries.ts';
import { executorUser, type RunAs } from '../postgres/unprivileged-user.ts';

/** How an executor process comes to run without root: one of the two ways. */
export interface ExecutorUser {
  /** The process starts as this user already. */
  spawnAs?: RunAs;
  /** The process starts as root and gives it up itself, once its program is loaded. */
  env?: { OUTRIDER_RUN_AS: string };
}

/**
 * The user of executors when we are root: `nobody`. Where the program or Node.js lies in a folder that only root may
 * enter, nobody could not load it; there the executor drops its rights after loading.
 * @returns undefined when we are not root
 */
export async function chooseExecutorUser(entry: string): Promise<ExecutorUser | undefined> {
  const user = await executorUser();
  if (!user) return undefined;
  if ((await isReachable(entry)) && (await isReachable(process.execPath))) return { spawnAs: user };
  return { env: { OUTRIDER_RUN_AS: `${user.uid}:${user.gid}` } };
}
