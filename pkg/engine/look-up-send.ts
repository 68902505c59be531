import { withDeadline } from '../base/clock.ts';
import { messageOf } from '../base/errors.ts';
import { retryWaitMs } from '../domain/patience.ts';
import type { LookupResult } from '../providers/network/network-provider.ts';
import { deferLookup, EXECUTOR_ENDED, type LookupRow, noteLookup, type SendResult } from '../store/ledger.ts';
import type { EffectChannel } from './effect-channel.ts';
import type { EngineDeps } from './engine-deps.ts';
import { waitAfter } from './hasten-lookups.ts';
import type { LedgerBatcher } from './ledger-batcher.ts';
import { HARMLESS } from './send-outcome.ts';

const LOOKUP_TIMEOUT_MS = 15_000;
/** Two agreeing "not found" after settleAfter prove that nothing was done. */
const AGREEING = 2;
/** Look-ups that fail this often in a row hand the send to a person. */
const MAX_ERRORS = 12;

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
    if (send.lookups + 1 >= MAX_ERRORS) await deadLetter(deps, send, `look-ups fail: ${messageOf(error)}`);
    else
      await postpone(deps, send, waitAfter(channel.settleAfterMs, send.lookups), `look-up failed: ${messageOf(error)}`);
    return false;
  }
  if ('unsupported' in answer) return unknowable(deps, send);
  if (answer.found) {
    const { ref } = answer;
    await settle(
      deps,
      { sendId: send.id, result: 'confirmed', ref, evidence: [evidence(deps, 'found', ref ?? '')] },
      send.action,
    );
    return true;
  }
  return notFound(deps, channel, send);
}

/** "Not found" counts only after settleAfter of real time; before it the action may still show up. */
async function notFound(deps: LookupDeps, channel: EffectChannel, send: LookupRow): Promise<boolean> {
  const waited = deps.unknownFor.ms(send.id);
  const counts = waited >= channel.settleAfterMs;
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
      evidence: evidence(deps, 'not_found', 'after settleAfter'),
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
  if (!HARMLESS.includes(send.action)) {
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

async function deadLetter(deps: EngineDeps, send: LookupRow, text: string): Promise<void> {
  const now = deps.clock.now();
  await deps.claim.tx(async (tx) => {
    await noteLookup(tx, now, {
      sendId: send.id,
      notFound: false,
      lookupAfterMs: null,
      evidence: evidence(deps, 'dead_letter', text),
    });
    await tx.exec('update run set due_at = $2 where id = $1 and send_id = $3 and ended_at is null', [
      send.runId,
      now,
      send.id,
    ]);
  });
  deps.metrics.deadLetters.inc();
  deps.log.error(
    { sendId: send.id, action: send.action, reason: text },
    'outcome of a send can not be found out; a person has to decide',
  );
}

/** Looks again after `ms`, and says why in the send's evidence. */
export async function postpone(deps: EngineDeps, send: LookupRow, ms: number, text: string): Promise<void> {
  await deps.claim.tx((tx) =>
    noteLookup(tx, deps.clock.now(), {
      sendId: send.id,
      notFound: false,
      lookupAfterMs: ms,
      evidence: evidence(deps, 'lookup_failed', text),
    }),
  );
}

async function settle(deps: LookupDeps, result: SendResult, action: string): Promise<void> {
  await deps.ledger.settle(result);
  await deps.faults('settled', result.sendId);
  deps.unknownFor.forget(result.sendId);
  deps.metrics.sends.inc({ action, state: result.maybe ? 'maybe' : result.result });
}

function evidence(deps: EngineDeps, what: string, text: string): { at: number; what: string; text: string } {
  return { at: deps.clock.now(), what, text };
}
