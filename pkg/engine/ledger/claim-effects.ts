import { monotonicMs } from '../../base/clock.ts';
import type { EffectWords } from '../../nodes/node-type.ts';
import type { Tx } from '../../postgres/database.ts';
import type { Advance, EffectRequest, Snapshot } from '../walk/step.ts';
import type { ChannelAccount } from './channel-account.ts';
import { ALWAYS, applyAnswer, timesOf } from './claim-answers.ts';
import { claimPlanned } from './claim-planned.ts';
import { isReadyAtOnce } from './ready-at-once.ts';

/** A claimed effect, to be performed after the batch's commit. */
export interface GrantedEffect {
  /** Without what the walk knew of its run: hundreds wait for their answers at once. */
  request: Pick<EffectRequest, 'claim' | 'failures'> & { type: EffectWords };
  /** Of an action without a run its own id. */
  runId: string;
  /** What becomes of it is kept with its action: no run goes on. */
  ofAction?: true;
  workspaceId: string;
  personId: string | null;
  account: ChannelAccount;
  /** The request is not written before this (epoch ms product time). */
  notBefore: number;
  /** Dispatched with its claim: monotonic ms before that, from which the time for its request counts. */
  dispatchedFrom?: number;
}

/**
 * Claims the effects that the walks ask for and turns the answers into their next states. Returns what may be performed.
 * @param atOnce how many of them may be dispatched with their claim
 */
export async function claimEffects(
  tx: Tx,
  advances: readonly Advance[],
  snap: Snapshot,
  atOnce: number,
): Promise<GrantedEffect[]> {
  const asking = new Map(advances.flatMap((walk) => (walk.request ? [[walk.run.id, walk] as const] : [])));
  const requests = [...asking.values()].flatMap((walk) => (walk.request ? [walk.request.claim] : []));
  for (const claim of requests.filter(isReadyAtOnce).slice(0, atOnce)) claim.atOnce = true;
  const dispatchedFrom = monotonicMs();
  const granted: GrantedEffect[] = [];
  const answers = await claimPlanned(tx, snap.now, requests, ({ runId }) => {
    const walk = asking.get(runId);
    return walk?.request ? timesOf(walk, snap, walk.request) : ALWAYS;
  });
  for (const answer of answers) {
    const walk = asking.get(answer.runId);
    if (!walk?.request || !applyAnswer(walk, snap, walk.request, answer)) continue;
    const account = snap.accounts.get(walk.request.claim.accountId);
    if (account) {
      granted.push({
        request: { claim: walk.request.claim, type: walk.request.type, failures: walk.request.failures },
        runId: walk.run.id,
        workspaceId: snap.workspaceId,
        personId: walk.run.personId,
        notBefore: Math.max(walk.before.dueAt ?? 0, answer.actAt ?? 0),
        ...(walk.request.claim.atOnce ? { dispatchedFrom } : {}),
        account: {
          id: account.id,
          provider: account.provider,
          externalId: account.externalId,
          kind: account.kind,
        },
      });
    }
  }
  return granted;
}
