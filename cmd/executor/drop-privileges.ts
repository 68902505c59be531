import { Agent, FormData, request } from 'undici';
import { UserError } from '../../pkg/base/errors.ts';

/**
 * Gives up root for the user that `OUTRIDER_RUN_AS` names (`uid:gid`), for good. A node agent that runs as root sets it
 * where the program lies in a folder that only root may enter: there nobody else could load it, so the process loads
 * itself as root and drops its rights before it opens a connection to anybody else or claims anything.
 * @param url any address of this process that answers; the HTTP client loads parts of itself at its first request
 * @throws UserError when the setting is wrong; Error when the rights are still there afterwards
 */
export async function dropPrivileges(env: Record<string, string | undefined>, url: string): Promise<void> {
  const { OUTRIDER_RUN_AS: given } = env;
  if (given === undefined) return;
  const [uid, gid] = idsOf(given);
  await loadHttpClient(url);
  process.setgroups?.([]);
  process.setgid?.(gid);
  process.setuid?.(uid);
  if (process.getuid?.() !== uid || process.geteuid?.() !== uid) throw new Error('still root after giving it up');
}

/** One form, sent as the adapters send theirs, makes the client load all its parts. */
async function loadHttpClient(url: string): Promise<void> {
  const form = new FormData();
  form.set('nothing', '');
  const dispatcher = new Agent({ headersTimeout: 5_000, bodyTimeout: 5_000 });
  try {
    const { body } = await request(url, { method: 'POST', body: form, dispatcher });
    await body.dump();
  } finally {
    await dispatcher.destroy();
  }
}

function idsOf(given: string): [number, number] {
  const match = /^([1-9]\d{0,9}):([1-9]\d{0,9})$/.exec(given);
  if (!match) throw new UserError('OUTRIDER_RUN_AS must be uid:gid, neither of them 0.', 'InvalidSettings');
  return [Number(match[1]), Number(match[2])];
}
