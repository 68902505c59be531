import type { Json, JsonObject } from '../../base/json.ts';
import { arrayText } from '../../postgres/array-text.ts';
import type { Tx } from '../../postgres/database.ts';

/** An effect that a run wants to do now. */
export interface ClaimRequest {
  runId: string;
  /** Id that the send gets when it is granted. */
  sendId: string;
  nodeId: string;
  accountId: string;
  action: string;
  /** Budgets that give a unit each; the first is the action. */
  budgets: readonly string[];
  /** Key: person + workflow + node, or account + person for ever. */
  once: 'node' | 'account';
  body: string | null;
  /** {profileUrl, publicId, providerId?, chatId?, invitationId?} */
  target: JsonObject;
  /** The hours are closed until then (epoch ms product time): nothing is sent before, a moment is promised. */
  notBefore?: number;
  /** When it is granted it is dispatched as well: it can do no harm and has nothing to wait for. Other kinds are never dispatched at once. */
  atOnce?: boolean;
}

/** Why a claim or a dispatch was refused. */
export type Refusal =
  | 'gone'
  | 'replied'
  | 'suppressed'
  | 'already_sent'
  | 'recontact'
  | 'send_freeze'
  | 'account_unhealthy'
  | 'claim_held_elsewhere'
  | 'purpose_lock'
  | 'duration'
  | 'business_hours'
  | 'company_limit'
  | 'budget'
  | 'pacing';

export interface ClaimAnswer {
  runId: string;
  granted: boolean;
  refusal: Refusal | null;
  /** When it is worth asking again (epoch ms product time); null when nobody knows. */
  nextAt: number | null;
  /** Granted, but not before this (epoch ms product time). */
  actAt?: number;
}

/**
 * Claims key, contact claim and units for all requests at once; the runs must be locked by `tx`. At a paced account only a
 * run that holds a promise of this minute is granted (see send-plan.ts).
 */
export async function claimSends(tx: Tx, now: number, requests: readonly ClaimRequest[]): Promise<ClaimAnswer[]> {
  if (requests.length === 0) return [];
  return tx.rows<ClaimAnswer>(
    `select run_id as "runId", granted, refusal, next_at as "nextAt" from app.claim_sends($1, $2)`,
    [now, JSON.stringify(requests)],
  );
}

export interface DispatchAnswer {
  sendId: string;
  dispatched: boolean;
  refusal: Refusal | null;
}

/** The last check before the outside call; what is refused is cancelled, its units and key are back. */
export async function dispatchSends(tx: Tx, now: number, sendIds: readonly string[]): Promise<DispatchAnswer[]> {
  if (sendIds.length === 0) return [];
  return tx.rows<DispatchAnswer>(
    `select send_id as "sendId", dispatched, refusal from app.dispatch_sends($1, $2::uuid[])`,
    [now, arrayText(sendIds)],
  );
}

/** What became of a dispatched send. */
export interface SendResult {
  sendId: string;
  result: 'confirmed' | 'failed' | 'unknown';
  /** The node's outcome; null after a failure: the step is tried again at `retryAt`. */
  outcome?: string | null;
  ref?: string | null;
  error?: string | null;
  evidence?: Json[];
  /** Real ms until the next look-up (unknown only). */
  lookupAfterMs?: number;
  /** A harmless action whose outcome can't be known: the run goes on. */
  maybe?: boolean;
  /** Epoch ms product time. */
  retryAt?: number;
  /** Tries that failed, with this one: the run's history tells it, and that the account or its provider is why it waits. */
  tries?: number;
  /** Units that stay spent, where a server took a mail for some of its readers alone; absent: all of one that left, none of another. */
  keptUnits?: number;
  /** Merged into the send's target, e.g. {providerId, chatId}. */
  target?: JsonObject;
  /** The one who settles it as confirmed goes on with its run by itself: the run does not become due. */
  held?: boolean;
  /** Nothing left, and a person has to decide why: it is a dead letter. */
  dead?: true;
  /** Confirmed, held and harmless, and nothing new is known of its target but the person's id for the account, if that. */
  plain?: { providerId: string | null };
}

/** Settles sends that are dispatched or unknown; others are left alone. Returns what changed but for the plain ones. */
export async function settleSends(
  tx: Tx,
  now: number,
  results: readonly SendResult[],
): Promise<{ sendId: string; runId: string | null; state: string }[]> {
  const plain = results.filter((one) => one.plain);
  const others = results.filter((one) => !one.plain);
  const [, settled] = await Promise.all([confirmSends(tx, now, plain), settleOthers(tx, now, others)]);
  return settled;
}

/**
 * Those of the failed sends whose accounts no other transaction works on; `tx` holds these accounts then, and before them the
 * runs of all sends that it settles.
 */
export async function freeSends(tx: Tx, failed: readonly string[], others: readonly string[]): Promise<Set<string>> {
  if (failed.length === 0) return new Set();
  const rows = await tx.named<{ id: string }>(
    'free_sends',
    'select id from app.free_sends($1::uuid[], $2::uuid[]) as id',
    [arrayText(failed), arrayText(others)],
  );
  return new Set(rows.map((row) => row.id));
}

/** Settles plain confirmations. Returns those that it confirmed; others were settled before, or discarded by a person. */
export async function confirmSends(
  tx: Tx,
  now: number,
  results: readonly SendResult[],
): Promise<{ sendId: string; dispatchedAt: number }[]> {
  if (results.length === 0) return [];
  return tx.named(
    'confirm_sends',
    `select send_id as "sendId", dispatched_at as "dispatchedAt"
     from app.confirm_sends($1, $2::uuid[], $3::text[], $4::text[], $5::text[])`,
    [
      now,
      arrayText(results.map((one) => one.sendId)),
      arrayText(results.map((one) => one.outcome ?? null)),
      arrayText(results.map((one) => one.ref ?? null)),
      arrayText(results.map((one) => one.plain?.providerId ?? null)),
    ],
  );
}

async function settleOthers(
  tx: Tx,
  now: number,
  results: readonly SendResult[],
): Promise<{ sendId: string; runId: string | null; state: string }[]> {
  if (results.length === 0) return [];
  return tx.rows(`select send_id as "sendId", run_id as "runId", state from app.settle_sends($1, $2)`, [
    now,
    JSON.stringify(results),
  ]);
}

/** Error of a send whose executor ended between dispatch and answer, as `app.recover_sends` writes it. */
export const EXECUTOR_ENDED = 'the executor ended between dispatch and answer';

/** After a takeover: undoes what older epochs claimed, marks what they dispatched as unknown. */
export async function recoverSends(
  tx: Tx,
  now: number,
  firstLookupMs: number,
): Promise<{ cancelled: number; unknown: number }> {
  const row = await tx.row<{ cancelled: number; unknown: number }>(
    'select cancelled, unknown from app.recover_sends($1, $2)',
    [now, firstLookupMs],
  );
  return row ?? { cancelled: 0, unknown: 0 };
}

/** Lets an account rest until then (epoch ms product time) after a limit signal of the provider. */
export async function coolAccount(tx: Tx, accountId: string, until: number, reason = ''): Promise<void> {
  await tx.exec('select app.cool_account($1, $2, $3)', [accountId, until, reason]);
}

/** A send as the engine reads it. */
export interface SendRow {
  id: string;
  runId: string;
  nodeId: string;
  accountId: string;
  action: string;
  state: 'planned' | 'claimed' | 'dispatched' | 'confirmed' | 'failed' | 'unknown';
  outcome: string | null;
  error: string | null;
  body: string | null;
  target: JsonObject;
  maybe: boolean;
  deadLetterState: string | null;
  dispatchedAt: number | null;
  settledAt: number | null;
}

const SEND_COLUMNS = `id, run_id as "runId", node_id as "nodeId", account_id as "accountId", action, state, outcome, error, body, target, maybe,
  dead_letter_state as "deadLetterState", dispatched_at as "dispatchedAt", settled_at as "settledAt"`;

/** Sends of workspace $1 that are not settled, of runs and of actions. */
const OPEN_SENDS = 'app.all_sends_by_id(array(select w.send_id from open_send w where w.workspace_id = $1)) send';

/** Sends of runs by id. */
export async function readSends(tx: Tx, ids: readonly string[]): Promise<SendRow[]> {
  if (ids.length === 0) return [];
  return tx.named<SendRow>('read_sends', `select ${SEND_COLUMNS} from app.sends_by_id($1::uuid[])`, [arrayText(ids)]);
}

/** An unknown send whose look-up is due. */
export interface LookupRow extends Omit<SendRow, 'runId' | 'nodeId'> {
  /** Null: of an action without a run. */
  runId: string | null;
  /** Look-ups that failed in a row. */
  lookups: number;
  notFound: number;
  /** Tries of the run's node, or of the action, before this one that failed of themselves. */
  failures: number;
  dispatchedRealMs: number;
  /** When a person asked for it last (epoch ms product time). */
  askedAt: number | null;
  /** Provider ids of the account's other sends to this person. */
  otherRefs: string[];
}

/** Unknown sends of the workspace whose look-up is due on the database's clock; a dispatch that lies ahead of it shows that it was set back. */
export async function dueLookups(tx: Tx, workspaceId: string, limit: number): Promise<LookupRow[]> {
  return tx.rows<LookupRow>(
    `select
       ${SEND_COLUMNS},
       lookups,
       not_found as "notFound",
       coalesce(
         (select (r.facts -> 'tries' ->> send.node_id)::int from run r where r.id = send.run_id),
         (select a.tries from action a where a.id = send.action_id),
         0
       ) as failures,
       (extract(epoch from dispatched_real) * 1000)::float8 as "dispatchedRealMs",
       (
         select max((e ->> 'at')::bigint)
         from jsonb_array_elements(evidence) e
         where e ->> 'what' = 'lookup'
       ) as "askedAt",
       array(
         select o.provider_ref
         from send o
         where o.account_id = send.account_id
           and o.claimed_at >= send.claimed_at - 3 * 86400000::bigint
           and (o.person_id = send.person_id or send.person_id is null and o.person_id is null)
           and o.id <> send.id
           and o.provider_ref is not null
         limit 100
       ) as "otherRefs"
     from ${OPEN_SENDS}
     where state = 'unknown'
       and not maybe
       and (lookup_after <= clock_timestamp() or (lookup_after is not null and dispatched_real > clock_timestamp()))
     order by lookup_after limit $2`,
    [workspaceId, limit],
  );
}

/** A look-up that lies in the future of the database's clock. */
export interface FarLookup {
  id: string;
  accountId: string;
  /** Look-ups that failed in a row. */
  lookups: number;
  /** Ms until it is due. */
  waitMs: number;
}

/** Unknown sends of the workspace (at `provider`, or all) whose look-up is further away than `ms`, the furthest first. */
export async function farLookups(
  tx: Tx,
  workspaceId: string,
  { provider, ms, limit }: { provider?: string; ms: number; limit: number },
): Promise<FarLookup[]> {
  return tx.rows<FarLookup>(
    `select
       id,
       account_id as "accountId",
       lookups,
       (extract(epoch from lookup_after - clock_timestamp()) * 1000)::float8 as "waitMs"
     from ${OPEN_SENDS}
     where state = 'unknown'
       and not maybe
       and lookup_after > clock_timestamp() + make_interval(secs => $2::float8 / 1000)
       and ($4::text is null or account_id in (select a.id from network_account a where a.provider = $4))
     order by lookup_after desc limit $3`,
    [workspaceId, ms, limit, provider ?? null],
  );
}

/** Makes look-ups due at once. */
export async function hastenLookups(tx: Tx, sendIds: readonly string[]): Promise<void> {
  await tx.exec(
    `update send
     set lookup_after = clock_timestamp()
     where id = any ($1::uuid[]) and state = 'unknown' and lookup_after > clock_timestamp()`,
    [arrayText(sendIds)],
  );
}

/** Looks again after `ms`: a look-up that came too early says nothing, and neither the send nor its evidence grows by it. */
export async function deferLookup(tx: Tx, sendId: string, ms: number): Promise<void> {
  await tx.exec(
    `update send
     set lookups = 0, lookup_after = clock_timestamp() + make_interval(secs => $2::float8 / 1000)
     where id = $1 and state = 'unknown'`,
    [sendId, ms],
  );
}

/** One look-up that settled nothing. */
export interface LookupNote {
  sendId: string;
  notFound: boolean;
  /** Real ms until the next one; null: there is none. */
  lookupAfterMs: number | null;
  /** A person has to decide. */
  dead?: boolean;
  evidence: readonly JsonObject[];
}

/** Records a look-up; a send that was settled or discarded meanwhile is left alone. */
export async function noteLookup(tx: Tx, now: number, note: LookupNote): Promise<void> {
  await tx.exec(
    `update send
     set
       lookups = case when $3 then 0 else lookups + 1 end,
       not_found = case when $3 then not_found + 1 else 0 end,
       lookup_after = case
         when $4::float8 is not null then clock_timestamp() + make_interval(secs => $4::float8 / 1000)
       end,
       evidence = evidence || $5::jsonb,
       dead_letter_at = case when $6 then coalesce(dead_letter_at, $2) else dead_letter_at end,
       dead_letter_state = case when $6 then coalesce(dead_letter_state, 'open') else dead_letter_state end
     where id = $1 and state = 'unknown' and dead_letter_state is distinct from 'discarded'`,
    [note.sendId, now, note.notFound, note.lookupAfterMs, JSON.stringify(note.evidence), note.dead ?? false],
  );
}
