import { canonicalJson } from '../../pkg/base/json.ts';
import type { Database } from '../../pkg/postgres/database.ts';
import { takesKey } from '../../pkg/tools/idempotency/key-of-call.ts';
import { ALL_TOOLS } from '../../pkg/tools/registry.ts';

/**
 * Makes what a test creates twice with the same input two things: the second call is another one, as if it came a minute later. A call
 * that stands for one whose answer was lost goes past this.
 */
export class DeliberateCalls {
  readonly #db: Database;
  readonly #made = new Set<string>();

  constructor(db: Database) {
    this.#db = db;
  }

  /** To be awaited before each call. */
  async next(name: string, input: object): Promise<void> {
    const tool = ALL_TOOLS.find((one) => one.name === name);
    if (!tool || tool.hints.readOnly || takesKey(tool)) return;
    const call = `${name} ${canonicalJson(input)}`;
    if (this.#made.has(call)) await aMinuteLater(this.#db, name);
    this.#made.add(call);
  }
}

/** A minute of real time passes for answers that are kept under no key of the caller: the same call is another one then. */
export async function aMinuteLater(db: Database, tool?: string): Promise<void> {
  for (const table of ['idempotency', 'intent']) {
    await db.tx({ kind: 'platform' }, (tx) =>
      tx.exec(
        `update ${table} set created_at = created_at - interval '61 seconds' where $1::text is null or tool = $1`,
        [tool ?? null],
      ),
    );
  }
}
