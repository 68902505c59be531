import { z } from 'zod';
import type { InsideRecord, OutsideRecord } from '../../domain/restore-guard.ts';
import type { Tx } from '../../postgres/database.ts';

const outsideRecord = z.object({ epoch: z.number(), systemIdentifier: z.string(), timeline: z.number() }).nullable();

/** Under this name the guard keeps resources that are older than their rows. */
export const RESOURCES_KEY = 'resources';

/** A custom resource that is older than the row that shows it; `liveGeneration` null: it is gone, never deleted. */
export const behindResource = z.object({
  kind: z.enum(['Workspace', 'Campaign', 'Workflow']),
  id: z.string(),
  uid: z.string(),
  rowGeneration: z.number(),
  liveGeneration: z.number().nullable(),
});
export type BehindResource = z.infer<typeof behindResource>;

/** The guard's row with the running server beside it. */
export interface GuardState extends InsideRecord {
  server: { systemIdentifier: string; timeline: number };
  /** Whether this start of the server was compared already. */
  checked: boolean;
  /** Whether sends are frozen until a reconciliation. */
  frozen: boolean;
  /** The look at all resources that a reconciliation asked for and nobody took yet; null: none. */
  lookWanted: number | null;
}

interface Row {
  epoch: number;
  system_identifier: string | null;
  timeline: number | null;
  accepted: Record<string, unknown>;
  server_identifier: string;
  server_timeline: number;
  checked: boolean;
  frozen: boolean;
  look_wanted: number | null;
}

/** Reads the guard; for the operator's scope (platform) and the owner. */
export async function readGuard(tx: Tx): Promise<GuardState> {
  const row = await tx.row<Row>(
    `select
       g.epoch,
       g.system_identifier,
       g.timeline,
       g.accepted,
       s.system_identifier as server_identifier,
       s.timeline as server_timeline,
       coalesce(g.checked_start = s.started, false) as checked,
       exists (select 1 from send_freeze f where f.scope = 'platform' and f.target = 'restore') as frozen,
       case when g.looks_wanted > g.looks_done then g.looks_wanted end as look_wanted
     from restore_guard g
     cross join app.server_identity() s`,
  );
  if (!row) throw new Error('the row of restore_guard is missing');
  return {
    epoch: row.epoch,
    systemIdentifier: row.system_identifier,
    timeline: row.timeline,
    accepted: acceptedRecords(row.accepted),
    server: { systemIdentifier: row.server_identifier, timeline: row.server_timeline },
    checked: row.checked,
    frozen: row.frozen,
    lookWanted: row.look_wanted,
  };
}

/** The keepers' part of what was accepted; the resources' part has another shape. */
function acceptedRecords(accepted: Record<string, unknown>): Record<string, OutsideRecord | null> {
  const keepers = Object.entries(accepted).filter(([name]) => name !== RESOURCES_KEY);
  return z.record(z.string(), outsideRecord).parse(Object.fromEntries(keepers));
}

/**
 * Says that the running server was compared, and takes the next epoch (`step` 1) or keeps it (0), unless the guard moved
 * meanwhile. The next one is taken when every keeper holds the present one: what a reconciliation accepted of them is over then,
 * and a second loss is noticed as the first was.
 * @returns the record to keep outside, or undefined when another writer was faster
 */
export async function advanceEpoch(tx: Tx, from: number, step: 0 | 1): Promise<OutsideRecord | undefined> {
  return tx.row<OutsideRecord>(
    `update restore_guard g
     set
       epoch = g.epoch + $2,
       system_identifier = s.system_identifier,
       timeline = s.timeline,
       checked_start = s.started,
       accepted = case when $2 > 0 then '{}' else g.accepted end
     from app.server_identity() s
     where g.epoch = $1
     returning g.epoch, g.system_identifier as "systemIdentifier", g.timeline`,
    [from, step],
  );
}

/** Asks the operator for a look at all resources, while sends are frozen. @returns its number; undefined: they are not */
export async function wantLook(tx: Tx): Promise<number | undefined> {
  const row = await tx.row<{ wanted: number }>(
    `update restore_guard
     set looks_wanted = looks_wanted + 1
     where exists (select 1 from send_freeze f where f.scope = 'platform' and f.target = 'restore')
     returning looks_wanted as wanted`,
  );
  return row?.wanted;
}

/** Whether the operator has taken the look. @param look its number (wantLook) */
export async function lookIsDone(tx: Tx, look: number): Promise<boolean> {
  const row = await tx.row<{ done: boolean }>('select looks_done >= $1 as done from restore_guard', [look]);
  return row?.done ?? false;
}

/**
 * Keeps what a look found for the reconciliation that asked for it.
 * @param seen what each keeper of the epoch says now, and under RESOURCES_KEY the resources that are older than their rows
 */
export async function answerLook(tx: Tx, look: number, seen: Readonly<Record<string, unknown>>): Promise<void> {
  await tx.exec(
    `update restore_guard
     set looks_done = $1, outside = outside || $2::jsonb
     where looks_done < $1`,
    [look, JSON.stringify(seen)],
  );
}

/** Stops every send until a reconciliation. @returns whether this call stopped them */
export async function freezeForRestore(
  tx: Tx,
  now: number,
  reason: string,
  outside: Readonly<Record<string, unknown>>,
): Promise<boolean> {
  const row = await tx.row<{ frozen: boolean }>('select app.freeze_restore($1, $2, $3) as frozen', [
    now,
    reason,
    JSON.stringify(outside),
  ]);
  return row?.frozen ?? false;
}

/** An account that was not compared with its provider since this start of the server. */
export interface UnguardedAccount {
  id: string;
  provider: string;
  kind: 'network' | 'mail';
  externalId: string;
  /** When its last confirmed send left (epoch ms, product time). */
  since: number;
}

/**
 * Under the claim of a workspace: accounts of it that have to be compared before their first effect, some of them.
 * @param except accounts that are not asked for now
 */
export async function unguardedAccounts(tx: Tx, except: readonly string[]): Promise<UnguardedAccount[]> {
  return tx.rows<UnguardedAccount>(
    `select u.id, u.provider, a.kind, u.external_id as "externalId", u.since
     from app.unguarded_accounts($1) u
     join network_account a on a.id = u.id
     order by 1`,
    [except],
  );
}

/** What an account did on its own behalf or ours, as the provider shows it. */
export interface Trace {
  /** `inmail`: the first message of a chat that an InMail opened; `post`: what the account's owner posted. */
  kind: 'message' | 'inmail' | 'connection_request' | 'post';
  /** The provider's id of the message or invitation. */
  ref: string;
  providerId: string;
  publicId: string | null;
  text: string | null;
  /** Epoch ms; null when the provider does not say. */
  at: number | null;
}

/** A trace that the ledger lacks. */
export interface LackingTrace {
  trace: Trace;
  personId: string | null;
  /** The person is being followed through this account. */
  ofLead: boolean;
  /** The text is one of ours. */
  ours: boolean;
}

/** Whether posts are written for the account: of others none is ours. */
export async function publishes(tx: Tx, accountId: string): Promise<boolean> {
  return (await tx.row('select 1 from content_post where account_id = $1 limit 1', [accountId])) !== undefined;
}

/** Which of these traces the ledger does not know. */
export async function lackingTraces(tx: Tx, accountId: string, traces: readonly Trace[]): Promise<LackingTrace[]> {
  if (traces.length === 0) return [];
  const rows = await tx.rows<{ trace: number; personId: string | null; ofLead: boolean; ours: boolean }>(
    'select trace, person_id as "personId", of_lead as "ofLead", ours from app.lacking_traces($1, $2)',
    [accountId, JSON.stringify(traces)],
  );
  return rows.flatMap(({ trace: index, ...rest }) => {
    const trace = traces[index];
    return trace ? [{ trace, ...rest }] : [];
  });
}

/** Records what the comparison said; nothing lacking lets the account act. */
export async function reportAccount(
  tx: Tx,
  report: { accountId: string; now: number; lacking: number; proof: boolean; detail: string },
): Promise<void> {
  await tx.exec('select app.report_account($1, $2, $3, $4, $5)', [
    report.accountId,
    report.now,
    report.lacking,
    report.proof,
    report.detail,
  ]);
}
