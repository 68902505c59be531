import type { Database } from '../postgres/database.ts';
import type { Admission, AdmissionRequest, Limiter, RateLimits, Standing, Subject } from './limits.ts';

/** Order of the windows in a row of request_count. */
const WINDOWS: readonly (keyof RateLimits)[] = ['read', 'write', 'llm', 'overall'];

interface Row {
  refused?: number | null;
  by_owner?: boolean;
  retry_ms?: number | null;
  key_generation: number | null;
  user_generation: number | null;
  session_ended: boolean;
}

/** Limits in Postgres, for installations without Redis and while Redis is away; exact over replicas. */
export class PostgresLimiter implements Limiter {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  async admit({ keyId, category, limits, sessionHash, owner }: AdmissionRequest): Promise<Admission> {
    const index = WINDOWS.indexOf(category) + 1;
    const result = await this.#db.pool.query<Row>({
      name: 'count_call',
      text: 'select * from app.count_call($1, $2, $3, $4, $5, $6, $7)',
      values: [keyId, index, limits[category], limits.overall, sessionHash, owner?.id ?? null, owner?.times ?? 1],
    });
    const [row] = result.rows;
    const refused = row?.refused ? (WINDOWS[row.refused - 1] ?? null) : null;
    return { ...standingOf(row), refused, byOwner: row?.by_owner ?? false, retryMs: row?.retry_ms ?? 0 };
  }

  async standing({ keyId, sessionHash }: Subject): Promise<Standing> {
    const result = await this.#db.pool.query<Row>({
      name: 'current_key',
      text: 'select * from app.current_key($1, $2)',
      values: [keyId, sessionHash],
    });
    return standingOf(result.rows[0]);
  }

  /** The generations are in the rows that were written. */
  async stamp(): Promise<void> {}

  close(): void {}
}

/** The version of a key that is read under these generations. */
export function postgresVersion(keyGeneration: number | null, userGeneration: number | null): string {
  return `p${keyGeneration ?? ''}.${userGeneration ?? ''}`;
}

function standingOf(row: Row | undefined): Standing {
  return {
    version: postgresVersion(row?.key_generation ?? null, row?.user_generation ?? null),
    sessionEnded: row?.session_ended ?? false,
  };
}
