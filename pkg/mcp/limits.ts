import type { Database } from '../postgres/database.ts';
import type { Category } from '../tools/tool.ts';

/** Calls per minute and key. Source: specification, Limits. */
export interface RateLimits {
  read: number;
  write: number;
  llm: number;
  overall: number;
}
export const DEFAULT_LIMITS: RateLimits = { read: 120, write: 30, llm: 10, overall: 240 };

/** What one round trip says of a call. */
export interface Admission {
  /** Category whose limit was reached. */
  refused: Category | 'overall' | null;
  retrySeconds: number;
  keyGeneration: number | null;
  userGeneration: number | null;
  sessionEnded: boolean;
}

/** Counts calls; one atomic round trip that also carries the generations of key and user. */
export interface Limiter {
  admit(request: { keyId: string; category: Category; calls: number; sessionHash: Buffer | null }): Promise<Admission>;
}

interface Row {
  refused: Category | 'overall' | null;
  retry_seconds: number | null;
  key_generation: number | null;
  user_generation: number | null;
  session_ended: boolean;
}

/** Limits in Postgres, for installations without Redis; exact over replicas. */
export class PostgresLimiter implements Limiter {
  readonly #db: Database;
  readonly #limits: RateLimits;

  constructor(db: Database, limits: RateLimits) {
    this.#db = db;
    this.#limits = limits;
  }

  async admit(request: {
    keyId: string;
    category: Category;
    calls: number;
    sessionHash: Buffer | null;
  }): Promise<Admission> {
    const { keyId, category, calls, sessionHash } = request;
    const result = await this.#db.pool.query<Row>({
      name: 'admit',
      text: 'select * from app.admit($1, $2, $3, $4, $5, $6)',
      values: [keyId, category, this.#limits[category], this.#limits.overall, calls, sessionHash],
    });
    const row = result.rows[0];
    return {
      refused: row?.refused ?? null,
      retrySeconds: row?.retry_seconds ?? 0,
      keyGeneration: row?.key_generation ?? null,
      userGeneration: row?.user_generation ?? null,
      sessionEnded: row?.session_ended ?? false,
    };
  }
}
