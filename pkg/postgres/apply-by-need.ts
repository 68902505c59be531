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

/**
 * Runs files once more, now that everything is there that their bodies name: Postgres reads each body, so a typo in a function
 * fails its migration and not the first call. Statements of PL/pgSQL are read for their grammar only.
 * @throws Error of the first body that can't run, with its file's name
 */
export async function checkBodies(client: pg.Client, files: readonly SqlFile[]): Promise<void> {
  await client.query('set local check_function_bodies = on');
  for (const file of files) {
    try {
      await client.query(file.sql);
    } catch (error) {
      throw named(file, error);
    }
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
      if (!NOT_YET.has((error as { code?: string }).code ?? '')) throw named(file, error);
      await client.query('rollback to savepoint file');
      waiting.push({ file, error: error as Error });
    }
  }
  return waiting;
}

/** The error with its file's name before it; it keeps its SQLSTATE, which tells whether a later try helps. */
function named(file: SqlFile, error: unknown): Error {
  const { code, message } = error as { code?: string; message: string };
  return Object.assign(new Error(`${file.name}: ${message}`, { cause: error }), { code });
}
