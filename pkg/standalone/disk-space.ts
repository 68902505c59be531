import { statfs } from 'node:fs/promises';
import { every } from '../base/clock.ts';
import { messageOf, UserError } from '../base/errors.ts';

/** Bytes that a start needs: a new database with its write-ahead log, or the log alone. */
export const START_BYTES = { fresh: 192 * 1024 ** 2, existing: 64 * 1024 ** 2 };
/** Below this the product stops by itself, while the database can still close its files. */
const RUN_BYTES = 32 * 1024 ** 2;
const CHECK_MS = 1_000;

const SIGNS = ['ENOSPC', 'EDQUOT', '53100', 'No space left on device', 'Disk quota exceeded'];

/** Bytes that may still be written in a folder; Infinity where the system does not say. */
async function freeBytes(folder: string): Promise<number> {
  const info = await statfs(folder).catch(() => undefined);
  return info ? info.bavail * info.bsize : Number.POSITIVE_INFINITY;
}

/** Whether an error, ours or a program's last words, says that a disk or a quota is full. */
export function saysDiskFull(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const text = `${code} ${messageOf(error)}`;
  return SIGNS.some((sign) => text.includes(sign));
}

/** What to do about it, in one sentence. */
export function diskFull(folder: string): UserError {
  return new UserError(
    `The disk of ${folder} is full. Nothing is lost: free some space there and run it again, or set OUTRIDER_HOME to a folder on another disk.`,
    'DiskFull',
  );
}

/** @throws UserError when fewer than `bytes` are free in the folder */
export async function requireSpace(folder: string, bytes: number): Promise<void> {
  if ((await freeBytes(folder)) < bytes) throw diskFull(folder);
}

/** Looks every second whether a folder's disk runs full, and says so once. @returns stops looking */
export function watchSpace(folders: readonly string[], onFull: (error: UserError) => void): () => void {
  const stop = every(CHECK_MS, async () => {
    for (const folder of folders) {
      if ((await freeBytes(folder)) >= RUN_BYTES) continue;
      stop();
      onFull(diskFull(folder));
      return;
    }
  });
  return stop;
}
