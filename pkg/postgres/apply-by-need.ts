import type pg from 'pg';
import type { SqlFile } from './sql-files.ts';

/** SQLSTATEs (PostgreSQL, appendix A) of what is not there yet: a schema, a table, a function, a type. */
const NOT_YET = new Set(['3F000', '42P01', '42883', '42704']);

/** A file that names something which none of the others made. */
export interface Waiting {
  file: SqlFile;
  error: Error;
}

/**
 * Runs files in the order in which they need each other, inside the transaction that is open: one that names what is not there yet
 * waits until the others are done. Bodies of functions are not looked into, so they may name what comes later.
 * @returns the files that still wait when nothing goes on
 * @throws Error of the first file that fails otherwise, with its name
 */
export async function applyByNeed(client: pg.Client, files: readonly SqlFile[]): Promise<Waiting[]> {
  await client.query('set local check_function_bodies = off');
  let left = [...files];
  for (;;) {
    const waiting = await applyOnce(client, left);
    if (waiting.length === 0 || waiting.length === left.length) return waiting;
    left = waiting.map(({ file }) => file);
  }
}

async function applyOnce(client: pg.Client, files: readonly SqlFile[]): Promise<Waiting[]> {
  const waiting: Waiting[] = [];
  for (const file of files) {
    await client.query('savepoint file');
    try {
      await client.query(file.sql);
      await client.query('release savepoint file');
    } catch (error) {
      const { code = '', message } = error as { code?: string; message: string };
      if (!NOT_YET.has(code)) throw Object.assign(new Error(`${file.name}: ${message}`, { cause: error }), { code });
      await client.query('rollback to savepoint file');
      waiting.push({ file, error: error as Error });
    }
  }
  return waiting;
}
