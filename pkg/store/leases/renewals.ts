import type { Tx } from '../../postgres/database.ts';

/** A lease that was renewed. */
export interface Renewed {
  /** Fresh token. */
  token: string;
  /** The operator wants the lease back. */
  drain: boolean;
  /** The database's clock, epoch ms. */
  now: number;
}

/**
 * Renews the leases of these tokens for `ttlSeconds` of real time each. Answers in their order; undefined: that lease is lost.
 * Needs no scope: each token proves its own lease.
 */
export async function renewClaims(
  tx: Tx,
  tokens: readonly string[],
  ttlSeconds: number,
): Promise<(Renewed | undefined)[]> {
  const rows = await tx.rows<Renewed & { at: number }>(
    `select t.at::int as at, r.token, r.drain, (extract(epoch from clock_timestamp()) * 1000)::float8 as now
     from unnest($1::text[]) with ordinality as t (token, at)
     cross join lateral app.renew_claim(t.token, $2) r`,
    [tokens, ttlSeconds],
  );
  const found = new Map(rows.map(({ at, token, drain, now }) => [at, { token, drain, now }]));
  return tokens.map((_, index) => found.get(index + 1));
}
