import { randomBytes } from 'node:crypto';
import { access, constants, link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { sleepReal } from '../base/clock.ts';
import { UserError } from '../base/errors.ts';
import { MAX_OLD_KEYS } from '../base/sealer.ts';
import { newRolePasswords } from '../postgres/roles.ts';
import { diskFull, requireSpace, START_BYTES, saysDiskFull } from './disk-space.ts';

/** Layout version of the data folder; raised when an older program could not read it. */
const HOME_VERSION = 1;

const secretsSchema = z.object({
  roles: z.object({ owner: z.string(), app: z.string(), executor: z.string() }),
  kubePassword: z.string(),
  kubeTokens: z.object({ admin: z.string(), operator: z.string(), mcp: z.string(), node: z.string() }),
  sessionSecret: z.string(),
  cursorSecret: z.string(),
  runnerSecret: z.string(),
  sandboxApiKey: z.string(),
  /** Seals the stored credentials of integrations. Absent in homes of earlier versions, which get one at their next start. */
  sealingKey: z.string().optional(),
  /** Keys that only open what is not sealed anew yet. */
  oldSealingKeys: z.array(z.string()).max(MAX_OLD_KEYS).optional(),
  /** Seals from the next start on (`outrider reseal --new-key`). */
  nextSealingKey: z.string().optional(),
  controlToken: z.string(),
});

/** Secrets of one home; they never leave its folder except by environment to child processes. */
export type HomeSecrets = z.infer<typeof secretsSchema> & { sealingKey: string };

/** The keys by which a home seals, for the environment of its programs. */
export function sealingSettings({ sealingKey, oldSealingKeys = [] }: HomeSecrets): Record<string, string> {
  return {
    OUTRIDER_SECRETS_KEY: sealingKey,
    ...(oldSealingKeys.length > 0 ? { OUTRIDER_SECRETS_OLD_KEYS: oldSealingKeys.join('\n') } : {}),
  };
}

/** An opened and locked data folder. */
export interface Home {
  folder: string;
  secrets: HomeSecrets;
  /** True when this start made the folder. */
  fresh: boolean;
  path(...parts: string[]): string;
  release(): Promise<void>;
}

/**
 * Opens the data folder: makes it, locks it against a second start, checks its version, reads or makes the secrets.
 * @throws UserError when it can't be written, its disk is full, it is in use, or it belongs to a newer version
 */
export async function openHome(folder: string): Promise<Home> {
  const root = resolve(folder);
  await makeWritable(root);
  const known = await access(join(root, 'version')).then(
    () => true,
    () => false,
  );
  await requireSpace(root, known ? START_BYTES.existing : START_BYTES.fresh);
  const lock = join(root, 'lock');
  await takeLock(root, lock);
  try {
    const fresh = await checkVersion(root);
    const secrets = await readSecrets(join(root, 'secrets.json'));
    await mkdir(join(root, 'logs'), { recursive: true });
    return {
      folder: root,
      secrets,
      fresh,
      path: (...parts) => join(root, ...parts),
      release: () => rm(lock, { force: true }),
    };
  } catch (error) {
    await rm(lock, { force: true });
    throw error;
  }
}

async function makeWritable(root: string): Promise<void> {
  try {
    await mkdir(root, { recursive: true, mode: 0o755 });
    await access(root, constants.W_OK | constants.X_OK);
    const probe = join(root, `.probe-${process.pid}`);
    await writeFile(probe, 'x');
    await rm(probe);
  } catch (error) {
    if (saysDiskFull(error)) throw diskFull(root);
    const code = (error as NodeJS.ErrnoException).code;
    throw new UserError(
      `The data folder ${root} can't be written (${code}). Set OUTRIDER_HOME to a folder of yours, for example: make run OUTRIDER_HOME=$HOME/outrider`,
      'HomeNotWritable',
    );
  }
}

/** Looks at a lock that others take over meanwhile, and ms between them. */
const LOCK_TRIES = 40;
const LOCK_PAUSE_MS = 50;

/** The lock names the process; one that is gone (a kill of the whole tree) leaves a lock that is taken over. */
async function takeLock(root: string, lock: string): Promise<void> {
  const own = `${process.pid} ${await startOf(process.pid)}`;
  for (let attempt = 0; attempt < LOCK_TRIES; attempt++) {
    if (await placeLock(lock, own)) return;
    const holder = await liveHolder(lock);
    if (holder !== undefined) {
      throw new UserError(
        `Outrider already runs on ${root} (process ${holder}). Stop it with Ctrl-C there, or start this one elsewhere: make run OUTRIDER_HOME=… PORT=…`,
        'HomeInUse',
      );
    }
    if (await takeOver(lock, own)) return;
    await sleepReal(LOCK_PAUSE_MS);
  }
  throw new UserError(`The lock of ${root} can't be taken; another start is under way. Try again.`, 'HomeInUse');
}

/** Replaces a lock that was left. One start at a time: a second one would take away what the first has just placed. */
async function takeOver(lock: string, own: string): Promise<boolean> {
  const turn = `${lock}.takeover`;
  if (!(await placeLock(turn, own))) {
    if ((await liveHolder(turn)) === undefined) await rm(turn, { force: true });
    return false;
  }
  try {
    if ((await liveHolder(lock)) !== undefined) return false;
    await rm(lock, { force: true });
    return await placeLock(lock, own);
  } finally {
    await rm(turn, { force: true });
  }
}

/** Id of the process that a lock names, if it lives. */
async function liveHolder(lock: string): Promise<string | undefined> {
  const [pid = '', start = ''] = (await readFile(lock, 'utf8').catch(() => '')).split(' ');
  return pid !== '' && start !== '' && (await startOf(Number(pid))) === start ? pid : undefined;
}

/** The lock appears with its text: an empty one would look like one that a killed start left. @returns false when there is one */
async function placeLock(lock: string, text: string): Promise<boolean> {
  const own = `${lock}.${randomBytes(6).toString('hex')}`;
  await writeFile(own, text, { mode: 0o600 });
  try {
    await link(own, lock).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST') throw error;
      // A file system without links.
      return writeFile(lock, text, { mode: 0o600, flag: 'wx' });
    });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(own, { force: true });
  }
}

/** Start time of a process in ticks, so that a reused process id is not mistaken for ours; '' when it is gone. */
async function startOf(pid: number): Promise<string> {
  try {
    process.kill(pid, 0);
  } catch {
    return '';
  }
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  if (stat === undefined) return 'alive';
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? 'alive';
}

async function checkVersion(root: string): Promise<boolean> {
  const file = join(root, 'version');
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text === undefined) {
    await writeFile(file, String(HOME_VERSION));
    return true;
  }
  if (Number(text) > HOME_VERSION) {
    throw new UserError(
      `The data folder ${root} is of a newer version (${text.trim()}) than this program (${HOME_VERSION}). Run the newer Outrider, or set OUTRIDER_HOME to another folder.`,
      'NewerHome',
    );
  }
  return false;
}

async function readSecrets(file: string): Promise<HomeSecrets> {
  const text = await readFile(file, 'utf8').catch(() => undefined);
  const secret = (): string => randomBytes(24).toString('hex');
  if (text !== undefined) {
    const known = secretsSchema.parse(JSON.parse(text));
    const kept = withNextKey({ ...known, sealingKey: known.sealingKey ?? secret() });
    if (kept.sealingKey !== known.sealingKey) await writeSecrets(file, kept);
    return kept;
  }
  const secrets: HomeSecrets = {
    roles: newRolePasswords(),
    kubePassword: secret(),
    kubeTokens: { admin: secret(), operator: secret(), mcp: secret(), node: secret() },
    sessionSecret: secret(),
    cursorSecret: secret(),
    runnerSecret: secret(),
    sandboxApiKey: secret(),
    sealingKey: secret(),
    controlToken: secret(),
  };
  await writeSecrets(file, secrets);
  return secrets;
}

/** A start is when all programs of a home take the next key together, so that none seals what another one can't open. */
function withNextKey({ nextSealingKey, ...secrets }: HomeSecrets): HomeSecrets {
  if (nextSealingKey === undefined) return secrets;
  const old = [secrets.sealingKey, ...(secrets.oldSealingKeys ?? [])];
  return { ...secrets, sealingKey: nextSealingKey, oldSealingKeys: old };
}

async function writeSecrets(file: string, secrets: HomeSecrets): Promise<void> {
  await writeFile(`${file}.new`, JSON.stringify(secrets, null, 2), { mode: 0o600 });
  await rename(`${file}.new`, file);
}
