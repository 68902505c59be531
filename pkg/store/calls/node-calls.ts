import type { JsonObject } from '../../base/json.ts';
import type { Tx } from '../../postgres/database.ts';

/** A call that a run wants to make now. */
export interface CallRequest {
  runId: string;
  /** Ids that the call and its credit hold get when it is granted. */
  callId: string;
  holdId: string;
  nodeId: string;
  nodeType: string;
  /** Unique in the workspace while the call is open or done. */
  onceKey: string;
  /** Asking again does no harm; else a lost answer is looked up. */
  repeatable: boolean;
  outward: 'crm' | 'outreach' | 'webhook' | null;
  integrationId: string | null;
  /** A webhook's own target. */
  url: string | null;
  /** Credits held; 0: free. */
  credits: number;
  action: string | null;
}

export type CallRefusal =
  | 'gone'
  | 'send_freeze'
  | 'suppressed'
  | 'rehearsal'
  | 'no_integration'
  | 'credits'
  | 'seen'
  | 'busy';

export interface CallAnswer {
  runId: string;
  /** The granted call, or the one that has the key. */
  callId: string | null;
  granted: boolean;
  refusal: CallRefusal | null;
  /** Epoch ms product time; null when nobody knows. */
  nextAt: number | null;
  /** Tries of the granted call, this one included. */
  tries: number;
}

/** Claims keys and credits of all requests; the runs must be locked by `tx`. */
export async function claimCalls(tx: Tx, now: number, requests: readonly CallRequest[]): Promise<CallAnswer[]> {
  if (requests.length === 0) return [];
  return tx.rows<CallAnswer>(
    `select run_id as "runId", call_id as "callId", granted, refusal, next_at as "nextAt", tries
     from app.claim_calls($1, $2)`,
    [now, JSON.stringify(requests)],
  );
}

export interface CallDispatch {
  callId: string;
  dispatched: boolean;
  /** Of webhooks: rising per workspace. */
  sequence: number | null;
}

/** The last check before the request leaves; what is refused is cancelled. */
export async function dispatchCalls(tx: Tx, now: number, callIds: readonly string[]): Promise<CallDispatch[]> {
  return tx.rows<CallDispatch>(
    `select call_id as "callId", dispatched, sequence from app.dispatch_calls($1, $2::uuid[])`,
    [now, callIds],
  );
}

/** What became of a call. */
export interface CallResult {
  callId: string;
  /** `not_found`: a look-up of an unknown call that did not find it. `dead_letter`: nobody learnt what it did. */
  result: 'settled' | 'retry' | 'unknown' | 'not_found' | 'dead_letter';
  outcome?: string;
  data?: JsonObject;
  ref?: string | null;
  error?: string | null;
  /** Credits for what was delivered, at most what is held. */
  credits?: number;
  /** Keeps the key of a failed call: nobody knows what it did. */
  keepKey?: boolean;
  /** Epoch ms product time. */
  retryAt?: number;
  /** Of `not_found`: the provider had time to show it; two such look-ups prove that nothing was done. */
  counts?: boolean;
}

/** Settles open calls with their credits; settled ones are left alone. Returns how many changed. */
export async function settleCalls(tx: Tx, now: number, results: readonly CallResult[]): Promise<number> {
  if (results.length === 0) return 0;
  const row = await tx.row<{ changed: number }>('select app.settle_calls($1, $2) as changed', [
    now,
    JSON.stringify(results),
  ]);
  return row?.changed ?? 0;
}

/** After a takeover: what older epochs left open is asked again, or looked up. Returns how many calls that were. */
export async function recoverCalls(tx: Tx, now: number): Promise<number> {
  const row = await tx.row<{ open: number }>('select app.recover_calls($1) as open', [now]);
  return row?.open ?? 0;
}

/** A call as the engine reads it. */
export interface CallRow {
  id: string;
  runId: string;
  state: 'claimed' | 'dispatched' | 'settled' | 'unknown';
  outcome: string | null;
  result: JsonObject;
  ref: string | null;
  error: string | null;
  credits: number;
  tries: number;
  dispatchedAt: number | null;
}

/** Calls by id. */
export async function readCalls(tx: Tx, ids: readonly string[]): Promise<CallRow[]> {
  if (ids.length === 0) return [];
  return tx.rows<CallRow>(
    `select id, run_id as "runId", state, outcome, result, ref, error, credits, tries, dispatched_at as "dispatchedAt"
     from node_call where id = any ($1::uuid[])`,
    [ids],
  );
}
