import { readFile, rename, writeFile } from 'node:fs/promises';
import { z } from 'zod';
import type { OutsideRecord } from '../../domain/restore-guard.ts';

/** Annotation of the leader's Lease. */
const ANNOTATION = 'outrider.dev/restore-epoch';
const stored = z.object({ epoch: z.number(), systemIdentifier: z.string(), timeline: z.number() });

/** A place outside the database that remembers the epoch. */
export interface Vault {
  /** For people, and the key under which a reconciliation accepts what it holds. */
  readonly name: string;
  /** What it holds; null: nothing. @throws when it can't be read or is not readable as a record */
  read(): Promise<OutsideRecord | null>;
  /** Keeps a record; may be lazy: what `read` says tells whether it has arrived. */
  write(record: OutsideRecord): Promise<void>;
}

/** A file of the home (standalone): what is restored with the database's folder does not bring it back. */
export class FileVault implements Vault {
  readonly name = 'file';
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  async read(): Promise<OutsideRecord | null> {
    const text = await readFile(this.#path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
    return text === undefined ? null : stored.parse(JSON.parse(text));
  }

  async write(record: OutsideRecord): Promise<void> {
    await writeFile(`${this.#path}.new`, `${JSON.stringify(record)}\n`, { mode: 0o600 });
    await rename(`${this.#path}.new`, this.#path);
  }
}

/**
 * An annotation of the leader's Lease: the elector writes it with each renewal and reports each version that it sees. A
 * version older than one seen before stays until the next write: the resources were restored under us.
 */
export class LeaseVault implements Vault {
  readonly name = 'lease';
  #seen: OutsideRecord | null = null;
  #regressed: { to: OutsideRecord | null } | undefined;
  #wanted: OutsideRecord | undefined;

  /** What the Lease shall carry; nothing until the first comparison, so that it is never written over unseen. */
  get annotations(): Record<string, string> {
    return this.#wanted ? { [ANNOTATION]: JSON.stringify(this.#wanted) } : {};
  }

  /** Takes what a version of the Lease carries. An unreadable one counts as none. */
  observe(annotations: Readonly<Record<string, string>>): void {
    const text = annotations[ANNOTATION];
    const record = text === undefined ? null : parse(text);
    if (this.#wanted && this.#seen && (record?.epoch ?? -1) < this.#seen.epoch) this.#regressed = { to: record };
    this.#seen = record;
  }

  read(): Promise<OutsideRecord | null> {
    return Promise.resolve(this.#regressed ? this.#regressed.to : this.#seen);
  }

  write(record: OutsideRecord): Promise<void> {
    this.#wanted = record;
    this.#regressed = undefined;
    return Promise.resolve();
  }
}

function parse(text: string): OutsideRecord | null {
  try {
    return stored.parse(JSON.parse(text));
  } catch {
    return null;
  }
}
