import type { Database } from '../postgres/database.ts';
import type { Category } from '../tools/tool.ts';

/** Calls per minute and key. Source: specification, Limits. */
export interface RateLimits {
  read: number;
  write: number;
  llm: number;
  overall: number;
}

/** One call that asks to be counted. */
export interface AdmissionRequest {
  keyId: string;
  category: Category;
  calls: number;
  sessionHash: Buffer | null;
}

/** What is true of a key, its user and its session now. */
export interface Current {
  keyGeneration: number | null;
  userGeneration: number | null;
  sessionEnded: boolean;
}

/** What one round trip says of a call. */
export interface Admission extends Current {
  /** Category whose limit was reached. */
  refused: Category | 'overall' | null;
  retrySeconds: number;
}

/** Counts calls; one atomic round trip that also carries the generations of key and user. */
export interface Limiter {
  admit(request: AdmissionRequest): Promise<Admission>;
  /** The same without counting, for requests that are no calls. */
  current(keyId: string, sessionHash: Buffer | null): Promise<Current>;
}

interface Row {
  refused?: Category | 'overall' | null;
  retry_seconds?: number | null;
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

  async admit(request: AdmissionRequest): Promise<Admission> {
    const { keyId, category, calls, sessionHash } = request;
    const result = await this.#db.pool.query<Row>({
      name: 'admit',
      text: 'select * from app.admit($1, $2, $3, $4, $5, $6)',
      values: [keyId, category, this.#limits[category], this.#limits.overall, calls, sessionHash],
    });
    const [row] = result.rows;
    return { ...currentOf(row), refused: row?.refused ?? null, retrySeconds: row?.retry_seconds ?? 0 };
  }

  async current(keyId: string, sessionHash: Buffer | null): Promise<Current> {
    const result = await this.#db.pool.query<Row>({
      name: 'current_key',
      text: 'select * from app.current_key($1, $2)',
      values: [keyId, sessionHash],
    });
    return currentOf(result.rows[0]);
  }
}

function currentOf(row: Row | undefined): Current {
  return {
    keyGeneration: row?.key_generation ?? null,
    userGeneration: row?.user_generation ?? null,
    sessionEnded: row?.session_ended ?? false,
  };
}
