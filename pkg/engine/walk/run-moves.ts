import { endWords } from '../../domain/end-words.ts';
import type { CompiledNode } from '../../domain/graph.ts';
import { missingDataEnd } from '../../domain/missing-data.ts';
import type { RunState, WaitReason } from '../../domain/vocabulary.ts';
import { type Advance, added, logEvent } from './step.ts';
import { stepDone } from './step-done.ts';

const DAY_MS = 86_400_000;
/** A blocked run fails after this long (catalog, state machine workflowRun). */
export const BLOCKED_LIMIT_MS = 30 * DAY_MS;

/** Leaves the node by an outcome; without an edge the run is over (failed only for the outcome `failed`, stopped for `missing_data`). */
export function leave(
  walk: Advance,
  now: number,
  node: CompiledNode,
  outcome: string,
  data?: Record<string, string | number | boolean>,
): void {
  const { run } = walk;
  logDone(walk, now, node, outcome, data);
  run.sendId = null;
  delete walk.facts.blockedSince;
  forgetTries(walk);
  const target = backToDraft(walk, node, outcome) ?? node.next.get(outcome);
  if (target === undefined) {
    if (outcome === 'failed') end(walk, now, 'failed', failure(node, data?.['reason']));
    else if (outcome === 'missing_data')
      end(walk, now, 'stopped', missingDataEnd(endWords(node.label, outcome), missingIn(data)));
    else end(walk, now, 'completed', endWords(node.label, outcome, textOf(data?.['reason'])));
    return;
  }
  goTo(walk, now, target);
}

/** Leaves a send node for which no text came about. */
export function leaveWithout(
  walk: Advance,
  now: number,
  node: CompiledNode,
  { outcome, reason }: { outcome: 'missing_data' | 'failed'; reason: string },
): void {
  leave(walk, now, node, outcome, outcome === 'failed' ? { reason } : { missing: 'enough for a text', reason });
}

const textOf = (value: string | number | boolean | undefined): string | undefined =>
  value === undefined ? undefined : String(value);

/** What nobody knew of the lead, so that no text with a hole in it left; a run that ends so is not completed. */
function missingIn(data: Record<string, string | number | boolean> | undefined): string {
  return String(data?.['missing'] ?? 'something');
}

/** A list of runs says why each failed, without the history of every one. */
function failure(node: CompiledNode, reason: string | number | boolean | undefined): string {
  return reason ? `${node.nodeType} failed: ${String(reason).slice(0, 200)}` : `${node.nodeType} failed`;
}

/** Stands at a node from now on. */
export function goTo({ run }: Advance, now: number, nodeId: string): void {
  run.nodeId = nodeId;
  run.enteredAt = now;
  run.state = 'waiting';
  run.waitReason = null;
  run.dueAt = now;
}

/** A text that was written anew for a draft: the next one, or back to the draft; undefined: along the graph, as always. */
function backToDraft({ facts }: Advance, node: CompiledNode, outcome: string): string | undefined {
  const { redrafting } = facts;
  if (!redrafting) return undefined;
  delete facts.redrafting;
  const [written, ...left] = redrafting.crafts;
  if (written !== node.nodeId || outcome !== 'done') return undefined;
  if (left.length > 0) facts.redrafting = { ...redrafting, crafts: left };
  return left[0] ?? redrafting.back;
}

/** Tells the history and the metrics that the node is done. */
export function logDone(
  walk: Advance,
  now: number,
  node: CompiledNode,
  outcome: string,
  data?: Record<string, string | number | boolean>,
): void {
  const done = stepDone(node, outcome);
  logEvent(walk, now, 'run.step_done', node.nodeId, data ? { ...done.data, ...data } : done.data);
  walk.steps = added(walk.steps, done.count);
}

/** Each node has tries of its own, and so has each visit of it. */
function forgetTries({ facts }: Advance): void {
  delete facts.tries;
  delete facts.failingSince;
}

/** Ends the run. Claims, drafts and open sends are released by the database when the row is written. */
export function end(
  walk: Advance,
  now: number,
  state: Extract<RunState, 'completed' | 'stopped' | 'suppressed' | 'failed'>,
  reason: string,
): void {
  const { run } = walk;
  run.state = state;
  walk.end = { at: now, reason };
  // A retry by a person starts afresh.
  delete walk.facts.blockedSince;
  forgetTries(walk);
  run.dueAt = null;
  run.waitReason = null;
  run.sendId = null;
  const kind = state === 'failed' ? 'run.failed' : 'run.completed';
  logEvent(walk, now, kind, run.nodeId || null, { state, reason });
}

/** Waits with a reason; `until` null means that an event or a person has to come. */
export function wait(walk: Advance, reason: WaitReason, until: number | null): void {
  const { run } = walk;
  run.state = reason === 'review' ? 'in_review' : 'waiting';
  run.waitReason = reason;
  run.dueAt = until;
  delete walk.facts.blockedSince;
}

/** Waits for what the ledger answers in this batch: the one who was blocked and is so again has been since then. */
export function waitForAnswer(walk: Advance, reason: WaitReason, until: number): void {
  const { blockedSince } = walk.facts;
  wait(walk, reason, until);
  if (blockedSince !== undefined) walk.facts.blockedSince = blockedSince;
}

/** Blocked by something outside the run; it looks again at `until` and fails after 30 days. */
export function block(walk: Advance, now: number, reason: WaitReason, until: number): void {
  const since = walk.facts.blockedSince ?? now;
  if (now - since >= BLOCKED_LIMIT_MS) {
    end(walk, now, 'failed', `blocked for 30 days: ${reason}`);
    return;
  }
  if (walk.facts.blockedSince === undefined) logEvent(walk, now, 'run.blocked', walk.run.nodeId || null, { reason });
  walk.run.state = 'blocked';
  walk.run.waitReason = reason;
  walk.run.dueAt = Math.min(until, since + BLOCKED_LIMIT_MS);
  walk.facts.blockedSince = since;
}

/** Parks a run whose workflow, campaign or workspace is stopped: it keeps its place and costs nothing until released. That time is not its own. */
export function park(walk: Advance): void {
  delete walk.facts.blockedSince;
  walk.run.waitReason = 'send_freeze';
  walk.run.dueAt = null;
}
