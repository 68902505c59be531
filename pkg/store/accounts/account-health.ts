import { type AccountFacts, healthFactors, healthScore } from '../../domain/account-health.ts';
import type { Tx } from '../../postgres/database.ts';

/** What is known of an account's conduct. @param now epoch ms, product time */
export async function readAccountFacts(tx: Tx, accountId: string, now: number): Promise<AccountFacts> {
  const row = await tx.row<AccountFacts>(
    `select requests, accepted, pending, messaged, replied, busiest_day as "busiestDay", usual_day as "usualDay",
       sessions_lost as "sessionsLost", limit_signals as "limitSignals", restrictions, connections
     from app.account_facts($1, $2)`,
    [accountId, now],
  );
  if (!row) throw new Error('the facts of the account are missing');
  return row;
}

/** Judges the account anew; the limits in force follow at the next claim. */
export async function keepHealth(tx: Tx, accountId: string, now: number): Promise<void> {
  const score = healthScore(healthFactors(await readAccountFacts(tx, accountId, now)));
  await tx.exec('update network_account set health = $2 where id = $1 and health <> $2::real', [
    accountId,
    score / 100,
  ]);
}
