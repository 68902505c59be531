import { withDeadline } from '../../base/clock.ts';
import { messageOf } from '../../base/errors.ts';
import { isHarmless } from '../../domain/actions.ts';
import { retryWaitMs } from '../../domain/patience.ts';
import type { LookupResult } from '../../providers/network/network-provider.ts';
import { deferLookup, EXECUTOR_ENDED, type LookupRow, noteLookup, type SendResult } from '../../store/ledger/ledger.ts';
import { lookAtRunOfSend } from '../../store/runs/control-runs.ts';
import type { EngineDeps } from '../engine-deps.ts';
import type { EffectChannel } from '../ledger/effect-channel.ts';
import type { LedgerBatcher } from '../ledger/ledger-batcher.ts';
import { END_AFTER, TELL_AFTER, waitAfter } from './look-up-waits.ts';

const LOOKUP_TIMEOUT_MS = 15_000;
const DAY_MS = 86_400_000;
/** Two agreeing "not found" after settleAfter prove that nothing was done. */
const AGREEING = 2;

/** What a look-up needs; its settlement is committed together with those of the effects under way. */
export interface LookupDeps extends EngineDeps {
  ledger: Pick<LedgerBatcher, 'settle'>;
}

/** Looks for the trace of one send of unknown outcome. Returns whether that settled it; what it could not find out is looked up again later. */
export async function lookUpSend(deps: LookupDeps, channel: EffectChannel, send: LookupRow): Promise<boolean> {
  let answer: LookupResult;
  try {
    await deps.faults('looking_up', send.id);
    answer = await withDeadline(LOOKUP_TIMEOUT_MS, deps.claim.signal, (signal) => channel.lookup(send, signal));
    await deps.faults('looked_up', send.id);
  } catch (error) {
    deps.claim.assertHeld();
    await lookUpFailed(deps, channel.settleAfterMs, send, messageOf(error));
    return false;
  }
  if ('unsupported' in answer) return unknowable(deps, send);
  if (answer.found) {
    const { ref, givenId } = answer;
    const found = [evidence(deps, 'found', ref ?? '')];
    const learnt = givenId ? { target: { givenId } } : {};
    await settle(deps, { sendId: send.id, result: 'confirmed', ref, evidence: found, ...learnt }, send.action);
    return true;
  }
  return notFound(deps, channel, send);
}

/** It is looked up again. A person is told after some time, once, and what a later look-up finds settles it all the same. */
export async function lookUpFailed(
  deps: EngineDeps,
  settleAfterMs: number,
  send: LookupRow,
  reason: string,
): Promise<void> {
  const failures = send.lookups + 1;
  const lookupAfterMs = failures < END_AFTER ? waitAfter(settleAfterMs, send.lookups) : null;
  if (!isTold(send) && failures >= TELL_AFTER) return deadLetter(deps, send, `look-ups fail: ${reason}`, lookupAfterMs);
  const text = lookupAfterMs === null ? `look-ups ended: ${reason}` : `look-up failed: ${reason}`;
  const isNews = !isTold(send) || lookupAfterMs === null;
  return note(deps, send, lookupAfterMs, isNews ? [evidence(deps, 'lookup_failed', text)] : []);
}

/**
 * "Not found" counts only after settleAfter of real time; before it the action may still show up. Long after the action its trace
 * may be gone (a request that was declined, a message that was taken back): then it proves nothing, unless a person asked.
 */
async function notFound(deps: LookupDeps, channel: EffectChannel, send: LookupRow): Promise<boolean> {
  const waited = deps.unknownFor.ms(send.id);
  const counts = waited >= channel.settleAfterMs;
  if (counts && isTold(send) && !isAsked(deps, send)) {
    await note(deps, send, null, [evidence(deps, 'not_found', 'too late to prove anything')]);
    return false;
  }
  if (counts && send.notFound + 1 >= AGREEING) {
    await settle(
      deps,
      {
        sendId: send.id,
        result: 'failed',
        outcome: null,
        error: send.error ?? 'the request never arrived',
        ...nextTry(send, deps.clock.now()),
        evidence: [evidence(deps, 'not_found', 'twice after settleAfter')],
      },
      send.action,
    );
    return true;
  }
  await deps.claim.tx((tx) => {
    if (!counts) return deferLookup(tx, send.id, channel.settleAfterMs - waited + 50);
    return noteLookup(tx, deps.clock.now(), {
      sendId: send.id,
      notFound: true,
      lookupAfterMs: Math.max(500, channel.settleAfterMs / 2),
      evidence: [evidence(deps, 'not_found', 'after settleAfter')],
    });
  });
  return false;
}

/** One request that got lost says nothing, and an executor that ended neither: at once. Where it happens again, as after every failure. */
function nextTry(send: LookupRow, now: number): { retryAt: number; tries?: number } {
  if (send.failures === 0 || send.error === EXECUTOR_ENDED) return { retryAt: now };
  return { retryAt: now + retryWaitMs(send.failures - 1, send.id), tries: send.failures + 1 };
}

/** No look-up can tell: a harmless action goes on as "maybe", anything else is a person's decision. */
async function unknowable(deps: LookupDeps, send: LookupRow): Promise<boolean> {
  if (!isHarmless(send.action)) {
    await deadLetter(deps, send, 'the provider offers no look-up for this action');
    return false;
  }
  await settle(
    deps,
    { sendId: send.id, result: 'unknown', maybe: true, evidence: [evidence(deps, 'maybe', 'can not be looked up')] },
    send.action,
  );
  return true;
}

/** An entry of a send's evidence; `at`: epoch ms product time. */
type Evidence = { at: number; what: string; text: string };

/** Whether a person asked for it, who has seen whether its trace can be gone. */
function isAsked(deps: EngineDeps, { askedAt }: LookupRow): boolean {
  return askedAt !== null && deps.clock.now() - askedAt < DAY_MS;
}

const isTold = (send: LookupRow): boolean => send.deadLetterState === 'open';

/** A person is told. @param lookupAfterMs until it is looked up again all the same; null: it is not */
async function deadLetter(
  deps: EngineDeps,
  send: LookupRow,
  text: string,
  lookupAfterMs: number | null = null,
): Promise<void> {
  const now = deps.clock.now();
  await deps.claim.tx(async (tx) => {
    await noteLookup(tx, now, {
      sendId: send.id,
      notFound: false,
      lookupAfterMs,
      dead: true,
      evidence: [evidence(deps, 'dead_letter', text)],
    });
    if (send.runId !== null) await lookAtRunOfSend(tx, send.runId, send.id, now);
  });
  if (isTold(send)) return;
  deps.metrics.deadLetters.inc();
  deps.log.error(
    { sendId: send.id, action: send.action, reason: text },
    'outcome of a send can not be found out; a person has to decide',
  );
}

/** Notes a look-up that says nothing. @param lookupAfterMs until the next one; null: there is none */
async function note(
  deps: EngineDeps,
  send: LookupRow,
  lookupAfterMs: number | null,
  said: readonly Evidence[],
): Promise<void> {
  await deps.claim.tx((tx) =>
    noteLookup(tx, deps.clock.now(), { sendId: send.id, notFound: false, lookupAfterMs, evidence: said }),
  );
}

async function settle(deps: LookupDeps, result: SendResult, action: string): Promise<void> {
  await deps.ledger.settle(result);
  await deps.faults('settled', result.sendId);
  deps.unknownFor.forget(result.sendId);
  deps.metrics.sends.inc({ action, state: result.maybe ? 'maybe' : result.result });
}

function evidence(deps: EngineDeps, what: string, text: string): Evidence {
  return { at: deps.clock.now(), what, text };
}
