import type { CompiledGraph, CompiledNode } from '../../domain/graph.ts';
import { isAnswer } from '../../domain/replied.ts';
import type { PureNode, StepInput } from '../../nodes/node-type.ts';
import { nodeTypeOf } from '../../nodes/registry.ts';
import type { RunRow } from '../../store/runs/runs.ts';
import { callStep } from '../calls/call-step.ts';
import { flowSettings } from '../settings.ts';
import { draftsHere, takeBackLeft } from './drafts-here.ts';
import { effectStep } from './effect-step.ts';
import { handOffStep } from './hand-off-step.ts';
import { reviewStep } from './review-step.ts';
import { end, leave, logDone, park, wait } from './run-moves.ts';
import { type Advance, type AdvanceContext, closeAdvance, type Snapshot, type StoredFacts } from './step.ts';
import { stepInput } from './step-input.ts';

/** Nodes that a run may pass in one batch; a graph has no cycles and at most 200 nodes. */
const MAX_STEPS_IN_A_ROW = 250;

/** Moves a due run through as many nodes as possible without I/O; the result says what to write and what to claim. */
export function advanceRun(claimed: RunRow, snap: Snapshot, newId: () => string): Advance {
  const walk = openAdvance(claimed);
  goOn(walk, snap, newId);
  // The end of a run takes its drafts back with a reason of its own.
  if (walk.end === null) takeBackLeft(walk, snap);
  return closeAdvance(walk);
}

function goOn(walk: Advance, snap: Snapshot, newId: () => string): void {
  const { run } = walk;
  const now = Math.max(snap.begunAt, walk.before.dueAt ?? 0);
  const flow = snap.flows.get(run.workflowId);
  if (!flow) {
    end(walk, now, 'stopped', 'the workflow is gone');
    return;
  }
  // resumeAt of a pause: the due time of a paused run ends it. A draft that was shown there is still the one to decide.
  if (run.state === 'paused') run.state = draftsHere(run, snap).length > 0 ? 'in_review' : 'waiting';
  if (!flow.active) {
    park(walk);
    return;
  }
  const graph = currentGraph(run, flow, snap);
  if (!graph) {
    end(walk, now, 'failed', `graph version ${run.graphVersion} is not valid any more`);
    return;
  }
  // A walk that needs no facts of the person meets nothing that an erased lead could be harmed by.
  if (snap.hasFacts && snap.leads.get(run.leadId)?.erased !== false) {
    end(walk, now, 'suppressed', 'the lead was erased');
    return;
  }
  const context = { snap, now, graph, settings: flowSettings(flow, snap.workspace), newId };
  if (answerReply(walk, context) || isAway(walk, now)) return;
  step(walk, context);
}

function openAdvance(before: RunRow): Advance {
  const run = { ...before };
  const facts = { ...run.facts } as StoredFacts;
  return {
    before,
    run,
    end: null,
    facts,
    arms: { ...run.arms },
    events: [],
    writes: [],
    request: null,
    handOff: null,
    call: null,
    newReview: null,
    closedReviews: [],
    steps: [],
  };
}

/** The graph of the run's version; with in-flight `migrate` the newest one as long as it still has the run's node. */
function currentGraph(
  run: RunRow,
  flow: { graphVersion: number; inFlight: string },
  snap: Snapshot,
): CompiledGraph | undefined {
  if (flow.inFlight === 'migrate' && flow.graphVersion > run.graphVersion && !run.sendId) {
    const newest = snap.graphs.get(`${run.workflowId}/${flow.graphVersion}`);
    if (newest && (run.nodeId === '' || hasPlaceOf(newest, run))) run.graphVersion = flow.graphVersion;
  }
  return snap.graphs.get(`${run.workflowId}/${run.graphVersion}`);
}

/** Whether a graph still has where the run stands, and where it goes back to. */
function hasPlaceOf(graph: CompiledGraph, run: RunRow): boolean {
  const { redrafting } = run.facts as StoredFacts;
  return [run.nodeId, ...(redrafting ? [redrafting.back, ...redrafting.crafts] : [])].every((id) => graph.byId.has(id));
}

/** A reply ends the run, unless the policy goes on or the run stands at a node that waits for it. */
function answerReply(walk: Advance, context: AdvanceContext): boolean {
  const { run, facts } = walk;
  if (run.state !== 'replied') return false;
  run.state = 'waiting';
  if (!isAnswer(facts.replyClass) || !context.settings.stopOnReply) return false;
  const node = context.graph.byId.get(run.nodeId);
  const waits = `${facts.replyChannel ?? 'network'}:wait_reply`;
  if (node?.nodeType === waits || node?.nodeType === 'ai:classify_reply') return false;
  end(walk, context.now, 'completed', 'replied');
  return true;
}

/** Who is away is waited for, whatever made the run look again; what became of a send is taken first. */
function isAway({ run, facts }: Advance, now: number): boolean {
  if (facts.awayUntil === undefined || facts.awayUntil <= now || run.sendId !== null) return false;
  run.state = 'replied';
  run.waitReason = 'until_time';
  run.dueAt = facts.awayUntil;
  return true;
}

function step(walk: Advance, context: AdvanceContext): void {
  const { run } = walk;
  for (let steps = 0; steps < MAX_STEPS_IN_A_ROW; steps++) {
    if (run.nodeId === '') {
      run.nodeId = context.graph.entryNodeId;
      run.enteredAt = context.now;
    }
    const node = context.graph.byId.get(run.nodeId);
    if (!node) {
      end(walk, context.now, 'failed', `node ${run.nodeId} is not in graph version ${run.graphVersion}`);
      return;
    }
    const before = run.nodeId;
    visit(walk, context, node);
    if (walk.end || run.nodeId === before || walk.request || walk.handOff || walk.call) return;
  }
  wait(walk, 'duration', context.now + 1_000);
}

function visit(walk: Advance, context: AdvanceContext, node: CompiledNode): void {
  const type = nodeTypeOf(node.nodeType);
  const input = stepInput(walk, context, node);
  switch (type.kind) {
    case 'pure':
      pureStep(walk, context, input, type);
      return;
    case 'source':
      leave(walk, context.now, node, 'next');
      return;
    case 'review':
      reviewStep(walk, context, input, type);
      return;
    case 'handoff':
      handOffStep(walk, context, input, type);
      return;
    case 'call':
      callStep(walk, context, input, type);
      return;
    case 'effect':
      effectStep(walk, context, input, type);
  }
}

function pureStep(walk: Advance, context: AdvanceContext, input: StepInput, type: PureNode<never>): void {
  const { now } = context;
  const result = type.step(input, input.node.config as never);
  switch (result.kind) {
    case 'advance':
      if (result.writes) walk.writes.push(...result.writes);
      if (result.facts) Object.assign(walk.facts, result.facts);
      if (result.arm !== undefined) walk.arms[input.node.nodeId] = result.arm;
      leave(walk, now, input.node, result.outcome);
      return;
    case 'wait':
      wait(walk, result.reason, result.until);
      return;
    case 'end':
      if (result.writes) walk.writes.push(...result.writes);
      logDone(walk, now, input.node, result.state);
      end(walk, now, result.state, result.reason);
  }
}
