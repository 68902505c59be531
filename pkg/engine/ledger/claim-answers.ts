import type { SlotRequest } from '../../domain/account-plan.ts';
import { openTime } from '../../domain/hour-share.ts';
import type { ClaimAnswer } from '../../store/ledger/ledger.ts';
import { flowSettings } from '../settings.ts';
import { openingFor, sendHoursOf } from '../walk/effect-step.ts';
import { block, end, leave, logDone, park, wait } from '../walk/run-moves.ts';
import {
  type Advance,
  type AdvanceContext,
  closeAdvance,
  type EffectRequest,
  logEvent,
  type Snapshot,
} from '../walk/step.ts';

/** A run without a workflow has no hours. */
export const ALWAYS = { opening: (at: number): number => at, open: { hoursPerDay: 24, daysPerWeek: 7 } };
const HOUR_MS = 3_600_000;
/** A granted run looks at its send after this long even if nobody settles it (product time); `app.recover_sends` looks as far ahead. */
const RECHECK_MS = 60_000;

/** Turns the ledger's answer into the run's next state. Returns true when the effect may be performed. */
export function applyAnswer(walk: Advance, snap: Snapshot, request: EffectRequest, answer: ClaimAnswer): boolean {
  if (answer.granted) {
    walk.run.sendId = request.claim.sendId;
    wait(walk, 'pacing', snap.now + RECHECK_MS);
    closeAdvance(walk);
    return true;
  }
  refuse(walk, snap, request, answer);
  closeAdvance(walk);
  return false;
}

function refuse(walk: Advance, snap: Snapshot, request: EffectRequest, answer: ClaimAnswer): void {
  const { now } = snap;
  const { run } = walk;
  switch (answer.refusal) {
    case 'budget':
    case 'company_limit':
    case 'pacing':
    case 'duration':
    case 'business_hours':
      // The moment that the account promised; see claim-planned.ts.
      wait(
        walk,
        answer.refusal === 'company_limit' ? 'budget' : answer.refusal,
        Math.max(now + 1, answer.nextAt ?? now + RECHECK_MS),
      );
      return;
    case 'account_unhealthy':
      block(walk, now, 'account_unhealthy', answer.nextAt ?? now + HOUR_MS);
      return;
    case 'claim_held_elsewhere':
      block(walk, now, 'claim_held_elsewhere', answer.nextAt ?? now + 24 * HOUR_MS);
      return;
    case 'purpose_lock':
      holdForPurpose(walk, now);
      return;
    case 'send_freeze':
      if (answer.nextAt === null) park(walk);
      else wait(walk, 'send_freeze', answer.nextAt);
      return;
    case 'suppressed':
      end(walk, now, 'suppressed', 'suppressed');
      return;
    case 'replied':
      end(walk, now, 'completed', 'replied');
      return;
    case 'recontact':
      end(walk, now, 'stopped', 'contacted by another workflow within recontactAfterDays');
      return;
    case 'already_sent':
      alreadySent(walk, now, request);
      return;
    default:
      // Paused or ended between the walk and the claim; nothing is due.
      run.dueAt = run.state === 'paused' ? null : now + RECHECK_MS;
      run.waitReason ??= 'duration';
  }
}

const OF_ANOTHER =
  'the conversation is that of another campaign; resume the run with svc_control_workflow_runs to take it over';

/** A conversation that another campaign had is not gone on with until a person says so: who resumes the run takes it over. */
function holdForPurpose(walk: Advance, now: number): void {
  const { run, facts } = walk;
  run.state = 'paused';
  run.waitReason = null;
  run.dueAt = null;
  delete facts.blockedSince;
  facts.purposeHeldAt = now;
  logEvent(walk, now, 'run.step_done', run.nodeId || null, { action: 'pause', why: 'purpose_lock' }, OF_ANOTHER);
}

/**
 * The key was spent before (an earlier run, another account): nothing is sent, the run goes on. Without an edge it stops: whose way
 * ends by what an earlier run did has not completed it.
 */
function alreadySent(walk: Advance, now: number, request: EffectRequest): void {
  const { type, node, claim } = request;
  const outcome = claim.once === 'account' ? type.refusedOutcome('already_pending') : type.confirmedOutcome;
  if (!node.next.has(outcome)) {
    logDone(walk, now, node, outcome, { alreadySent: true });
    end(
      walk,
      now,
      'stopped',
      `ended after ${node.label} (${outcome}): it was done for this person before, and is not done again`,
    );
    return;
  }
  leave(walk, now, node, outcome, { alreadySent: true });
  if (walk.end === null) walk.run.waitReason = 'duration';
}

/** When this run may act through its account. */
export function timesOf(
  walk: Advance,
  snap: Snapshot,
  { claim }: EffectRequest,
): Pick<SlotRequest, 'opening' | 'open'> {
  const flow = snap.flows.get(walk.run.workflowId);
  const graph = snap.graphs.get(`${walk.run.workflowId}/${walk.run.graphVersion}`);
  if (!flow || !graph) return ALWAYS;
  const context: AdvanceContext = {
    snap,
    now: snap.now,
    graph,
    settings: flowSettings(flow, snap.workspace),
    newId: () => '',
  };
  return {
    opening: (at) => openingFor(walk, context, at, claim.accountId),
    open: openTime(sendHoursOf(walk, context, claim.accountId), snap.now),
  };
}
