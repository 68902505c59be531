import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A file of statements. */
export interface SqlFile {
  /** Path below the folder that was read, with `/`. */
  name: string;
  sql: string;
}

/** A numbered change of the schema: a file, or a folder of files that are applied together. */
export interface Migration {
  version: number;
  name: string;
  files: SqlFile[];
  checksum: string;
  /** The migrations of lower numbers that this one stands for: how many they were, and the last one's name. */
  replaces?: { count: number; last: string; program: string };
}

/** All functions of the schema, each in its file; edited in place and applied again as a whole when one differs. */
export interface FunctionSet {
  files: SqlFile[];
  checksum: string;
  /** A statement that comes into force with them, in their transaction. */
  afterwards?: string;
}

/** Reads `NNNN_name.sql` files and `NNNN_name/` folders in order of their numbers. */
export async function readMigrations(folder: string): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => /^\d{4}_[^.]+(\.sql)?$/.test(name)).sort();
  return Promise.all(
    names.map(async (name) => {
      const files = name.endsWith('.sql') ? [await read(folder, name)] : await readAll(join(folder, name));
      return { version: Number(name.slice(0, 4)), name, files, checksum: checksumOf(files) };
    }),
  );
}

/**
 * Reads all functions below `folder`; what lies in its `migrations` are changes, not functions.
 * @param complete gives the text that is applied; its errors name the file
 */
export async function readFunctions(folder: string, complete = (sql: string) => sql): Promise<FunctionSet> {
  const files = (await readAll(folder)).filter(({ name }) => !name.startsWith('migrations/'));
  const completed = files.map(({ name, sql }) => ({ name, sql: completeFile(name, sql, complete) }));
  return { files: completed, checksum: checksumOf(completed) };
}

function completeFile(name: string, sql: string, complete: (sql: string) => string): string {
  try {
    return complete(sql);
  } catch (error) {
    throw new Error(`${name}: ${(error as Error).message}`, { cause: error });
  }
}

async function readAll(folder: string): Promise<SqlFile[]> {
  const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.sql'));
  const files = await Promise.all(names.map((name) => read(folder, name)));
  return files.sort((a, b) => (a.name < b.name ? -1 : 1));
}

async function read(folder: string, name: string): Promise<SqlFile> {
  return { name: name.replaceAll('\\', '/'), sql: await readFile(join(folder, name), 'utf8') };
}

/** SHA-256 (hex) over the texts; a change of a name alone is none. */
function checksumOf(files: SqlFile[]): string {
  const hash = createHash('sha256');
  for (const { sql } of files) hash.update(sql);
  return hash.digest('hex');
}
