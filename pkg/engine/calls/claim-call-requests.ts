import type { Tx } from '../../postgres/database.ts';
import { type CallAnswer, type CallRequest, claimCalls } from '../../store/calls/node-calls.ts';
import { readAiEndpoint } from '../../store/integrations/own-endpoints.ts';
import { block, end, leave, park, wait, waitForAnswer } from '../walk/run-moves.ts';
import { type Advance, closeAdvance, type Snapshot } from '../walk/step.ts';
import { waitReason } from './call-step.ts';
import type { CallToMake } from './call-to-make.ts';
import type { GrantedCall } from './granted-call.ts';

/** Calls claimed in one batch; the others come in the next, a moment later. */
const MAX_PER_BATCH = 100;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/**
 * Claims what the walks wish and turns the answers into their next states.
 * @param writerIsFree the platform's writer charges nothing, so nothing is held for its texts
 */
export async function claimCallRequests(
  tx: Tx,
  advances: readonly Advance[],
  snap: Snapshot,
  writerIsFree: boolean,
): Promise<GrantedCall[]> {
  const asking = advances.filter((walk) => walk.call !== null);
  const claiming = asking.filter((walk) => walk.call?.job === 'perform');
  for (const walk of claiming.slice(MAX_PER_BATCH)) {
    waitForAnswer(walk, waitReasonOf(walk), snap.now + 1);
    closeAdvance(walk);
  }
  const asked = new Map(claiming.slice(0, MAX_PER_BATCH).map((walk) => [walk.run.id, walk]));
  const wished = [...asked.values()].flatMap((walk) => (walk.call?.job === 'perform' ? [walk.call.request] : []));
  const requests = await priced(tx, snap.workspaceId, wished, writerIsFree);
  const granted: GrantedCall[] = [];
  for (const answer of await claimCalls(tx, snap.now, requests)) {
    const walk = asked.get(answer.runId);
    if (!walk?.call) continue;
    const call = answered(walk, snap, walk.call, answer);
    closeAdvance(walk);
    if (call) granted.push(call);
  }
  const lookups = asking.flatMap((walk) =>
    walk.call && 'callId' in walk.call ? [grantOf(walk, snap, walk.call, walk.call.callId, 1)] : [],
  );
  return [...granted, ...lookups];
}

/** What is held for each: nothing for a text of a writer that charges nothing, as a workspace's own model. */
async function priced(
  tx: Tx,
  workspaceId: string,
  requests: readonly CallRequest[],
  writerIsFree: boolean,
): Promise<CallRequest[]> {
  const isText = ({ action }: CallRequest): boolean => action === 'ai_craft';
  const free = requests.some(isText) && (writerIsFree || (await readAiEndpoint(tx, workspaceId)) !== undefined);
  return requests.map((request) => (free && isText(request) ? { ...request, credits: 0 } : request));
}

function waitReasonOf(walk: Advance): 'enrichment' | 'duration' {
  return walk.call ? waitReason(walk.call.type) : 'duration';
}

function grantOf(walk: Advance, snap: Snapshot, request: CallToMake, callId: string, tries: number): GrantedCall {
  const { run } = walk;
  return {
    job: request.job,
    callId,
    runId: run.id,
    workspaceId: snap.workspaceId,
    campaignId: run.campaignId,
    leadId: run.leadId,
    personId: run.personId,
    nodeId: request.node.nodeId,
    type: request.type,
    ask: request.ask,
    notBefore: walk.before.dueAt ?? 0,
    tries,
  };
}

/** The granted call, or null when the run goes another way. */
function answered(walk: Advance, snap: Snapshot, request: CallToMake, answer: CallAnswer): GrantedCall | null {
  const { now } = snap;
  const { run } = walk;
  const { type, node } = request;
  if (answer.granted && answer.callId) {
    run.sendId = answer.callId;
    wait(walk, waitReason(type), now + MINUTE_MS);
    return grantOf(walk, snap, request, answer.callId, answer.tries);
  }
  switch (answer.refusal) {
    case 'seen':
      // The next look takes its outcome.
      run.sendId = answer.callId;
      wait(walk, waitReason(type), now);
      return null;
    case 'busy':
      run.sendId = null;
      wait(walk, waitReason(type), now + MINUTE_MS);
      return null;
    case 'send_freeze':
      if (answer.nextAt === null) park(walk);
      else wait(walk, 'send_freeze', answer.nextAt);
      return null;
    case 'suppressed':
      end(walk, now, 'suppressed', 'suppressed');
      return null;
    case 'credits':
      if (type.noCreditsOutcome) leave(walk, now, node, type.noCreditsOutcome);
      else block(walk, now, 'credits', now + HOUR_MS);
      return null;
    case 'rehearsal':
    case 'no_integration': {
      const reason =
        answer.refusal === 'rehearsal' ? 'a rehearsal reaches nobody outside' : 'the integration is not connected';
      leave(walk, now, node, type.failedOutcome, { reason });
      return null;
    }
    default:
      // Paused or ended between the walk and the claim; nothing is due.
      run.dueAt = run.state === 'paused' ? null : now + MINUTE_MS;
      run.waitReason ??= 'duration';
      return null;
  }
}
