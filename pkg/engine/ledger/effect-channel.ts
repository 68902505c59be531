import type { JsonObject } from '../../base/json.ts';
import type { LookupResult, PerformOptions, PerformResult } from '../../providers/network/network-provider.ts';
import type { RelationNote } from '../../store/inbox/inbox.ts';
import type { LookupRow } from '../../store/ledger/ledger.ts';
import type { GrantedEffect } from './claim-effects.ts';
import type { Prepared } from './preparation.ts';

/** How effects of one account leave: what is the same for all of them (claim, dispatch, settlement) is not in here. */
export interface EffectChannel {
  /** Real ms after dispatch before a look-up may say "not found". */
  readonly settleAfterMs: number;
  /** Learns what the request needs; nothing in it can be seen by the person. @throws ProviderError */
  prepare(effect: GrantedEffect, signal: AbortSignal, note: (relation: RelationNote) => void): Promise<Prepared>;
  /** Does it once. @throws ProviderError; every kind but `unknown_outcome` proves that nothing was done */
  perform(effect: GrantedEffect, target: JsonObject, options: PerformOptions): Promise<PerformResult>;
  /** Gives back what preparing took, whatever became of the effect. Absent: nothing. */
  close?(): void | Promise<void>;
  /** Looks for the trace of a send of unknown outcome. @throws ProviderError */
  lookup(send: LookupRow, signal: AbortSignal): Promise<LookupResult>;
}
