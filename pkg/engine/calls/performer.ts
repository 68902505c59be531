import type { JsonObject } from '../../base/json.ts';
import type { EngineDeps } from '../engine-deps.ts';
import type { Also } from './call-ledger.ts';
import type { GrantedCall } from './granted-call.ts';
import type { Outside } from './outside.ts';

/** What a call brought. */
export interface Performed {
  outcome: string;
  /** What the run takes with it. */
  data?: JsonObject;
  /** Credits for what was delivered. */
  credits?: number;
  /** Id at the other side. */
  ref?: string;
  /** For people, with the outcome `failed`. */
  reason?: string;
  /** Written in the transaction that settles the call. */
  also?: Also;
}

export interface PerformOptions {
  signal: AbortSignal;
  /** The request is handed to the socket before, or not at all (monotonic ms). */
  deadlineMonotonicMs: number;
  /** Of webhooks: rising per workspace. */
  sequence: number | null;
}

/** A call whose facts are read and whose credentials are open. */
export interface PreparedCall {
  /** The integration whose health the call tells of. */
  integrationId?: string;
  /** @throws CallError with what the failure proves */
  perform(options: PerformOptions): Promise<Performed>;
  /** Looks whether an earlier, unknown try was done; null: not found. Absent: never needed. */
  lookUp?(signal: AbortSignal): Promise<Performed | null>;
  /** Real ms after which a look-up that finds nothing counts. */
  settleAfterMs?: number;
}

/** Makes a granted call ready; nothing leaves yet. */
export type Performer = (deps: EngineDeps & { outside: Outside }, call: GrantedCall) => Promise<PreparedCall>;
