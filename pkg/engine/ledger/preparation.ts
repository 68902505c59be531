import type { JsonObject } from '../../base/json.ts';
import type { NetworkProvider } from '../../providers/network/network-provider.ts';
import type { RelationNote } from '../../store/inbox/inbox.ts';
import type { EngineDeps } from '../engine-deps.ts';
import type { GrantedEffect } from './claim-effects.ts';

/**
 * What is known before the dispatch: go on with this target, or the outcome that needs no action, and why (for people).
 * `dead`: a person has to decide, so that it is a dead letter.
 */
export type Prepared = { go: true; target: JsonObject } | { go: false; outcome: string; reason: string; dead?: true };

/** What prepares one action needs. */
export interface Preparation {
  deps: EngineDeps;
  provider: NetworkProvider;
  effect: GrantedEffect;
  signal: AbortSignal;
  /** Keeps what was learnt of the relation; it is committed with the dispatch, or with the outcome that stands instead. */
  note: (relation: RelationNote) => void;
}

/** The account as the provider knows it. */
export const accountOf = (effect: GrantedEffect): { externalId: string } => ({ externalId: effect.account.externalId });
