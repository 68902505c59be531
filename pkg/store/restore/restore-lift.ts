import { z } from 'zod';
import type { Tx } from '../../postgres/database.ts';
import { tellTime } from '../events/tell-time.ts';
import { holdDeletion } from './held-deletions.ts';
import { type BehindResource, behindResource, RESOURCES_KEY } from './restore-guard.ts';

const GONE = 'it was gone after a restore';

/** An account as a reconciliation compares it. */
export interface GuardedAccount {
  id: string;
  name: string;
  kind: 'network' | 'mail';
  provider: string;
  externalId: string;
  /** When its last confirmed send left (epoch ms, product time). */
  since: number;
}

/** Every account and mailbox that a workspace sends through, and why sends are frozen. */
export async function guardedAccounts(tx: Tx): Promise<{ accounts: GuardedAccount[]; reasons: string[] }> {
  const accounts = await tx.rows<GuardedAccount>(
    `select
       a.id, a.display_name as name, a.kind, a.provider, a.external_id as "externalId",
       app.last_confirmed(a.id) as since
     from network_account a
     where exists (select 1 from account_link l where l.account_id = a.id)
     order by a.id limit 100000`,
  );
  const freezes = await tx.rows<{ reason: string }>(
    `select reason
     from send_freeze
     where (scope = 'platform' and target = 'restore')
       or (scope = 'account' and frozen_by = 'outrider')
     order by scope desc, since limit 1000`,
  );
  return { accounts, reasons: freezes.map((freeze) => freeze.reason) };
}

/** A confirmed send that the provider does not show. */
export interface Missing {
  sendId: string;
  action: string;
  ref: string | null;
  profileUrl: string | null;
  /** Epoch ms, product time. */
  at: number;
}

/** Confirmed messages and mails, and requests that are still pending, since a moment (epoch ms, product time). */
export async function confirmedSince(tx: Tx, accountId: string, since: number): Promise<Missing[]> {
  return tx.rows<Missing>(
    `select
       s.id as "sendId",
       s.action,
       s.provider_ref as ref,
       coalesce(s.target ->> 'profileUrl', s.target ->> 'to') as "profileUrl",
       s.dispatched_at as at
     from send s
     left join relation r on r.account_id = s.account_id and r.person_id = s.person_id
     where s.account_id = $1
       and s.state = 'confirmed'
       and s.dispatched_at >= $2
       and (s.action in ('message', 'mail') or (s.action = 'connection_request' and r.state = 'pending'))
     order by s.dispatched_at limit 10000`,
    [accountId, since],
  );
}

/** The account was compared on the running server. */
export async function markCompared(tx: Tx, accountId: string): Promise<void> {
  await tx.exec(
    `insert into account_guard (account_id, checked_start)
     values ($1, pg_postmaster_start_time())
     on conflict (account_id) do update set
       checked_start = excluded.checked_start,
       lacking = 0,
       proof = false,
       detail = ''`,
    [accountId],
  );
}

/** A resource that was older than its row, and what a reconciliation did. */
export interface BehindOutcome extends BehindResource {
  /** `taken`: the row shows the resource again; `held`: nothing acts for it until it is applied again and released. */
  outcome: 'taken' | 'held';
}

/** A resource that is there wins over its row; one that is gone is held back, for only a person knows whether to keep it. */
export async function settleBehind(
  tx: Tx,
  { dryRun, now }: { dryRun: boolean; now: number },
): Promise<BehindOutcome[]> {
  const row = await tx.row<{ behind: unknown }>(`select outside -> $1 as behind from restore_guard`, [RESOURCES_KEY]);
  const behind = z.array(behindResource).parse(row?.behind ?? []);
  const outcomes: BehindOutcome[] = [];
  for (const one of behind) {
    outcomes.push({ ...one, outcome: one.liveGeneration === null ? 'held' : 'taken' });
    if (dryRun) continue;
    if (one.liveGeneration === null) await holdDeletion(tx, one, GONE, now);
    else await showAgain(tx, one, one.liveGeneration);
  }
  return outcomes;
}

/** The next look of the controller projects the older generation. */
async function showAgain(tx: Tx, { kind, id, uid }: BehindResource, liveGeneration: number): Promise<void> {
  await tx.exec(`update ${kind.toLowerCase()} set generation = $3 where id = $1 and uid = $2 and generation > $3`, [
    id,
    uid,
    liveGeneration - 1,
  ]);
}

/** Ends the freeze: the running server and what the outside keepers said are accepted as they are. */
export async function lift(tx: Tx, now: number): Promise<void> {
  await tx.exec(
    `update restore_guard g
     set
       epoch = greatest(
         g.epoch,
         coalesce(
           (
             select max((o.value ->> 'epoch')::bigint)
             from jsonb_each(g.outside) o
             where jsonb_typeof(o.value) = 'object'
           ),
           0
         )
       ),
       accepted = g.outside,
       outside = '{}',
       system_identifier = s.system_identifier,
       timeline = s.timeline,
       checked_start = case when g.checked_start is not null or g.outside <> '{}' then s.started end,
       reconciled_at = $1
     from app.server_identity() s`,
    [now],
  );
  await tellTime(tx, now);
  await tx.exec(
    `delete from send_freeze
     where (scope = 'platform' and target = 'restore')
       or (scope = 'account' and frozen_by = 'outrider')`,
  );
  // What could not be compared is compared by its executor before it acts.
  await tx.exec(`update account_guard set lacking = 0 where checked_start is distinct from pg_postmaster_start_time()`);
}
