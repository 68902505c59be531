import type { JsonObject } from '../../base/json.ts';
import type { CompiledNode } from '../../domain/graph.ts';
import type { StepCount } from './step.ts';

/** What is told of a run that left a node by an outcome; nobody changes it. */
export interface StepDone {
  /** For the history. */
  data: JsonObject;
  /** For the metrics. */
  count: StepCount;
}

const known = new WeakMap<CompiledNode, Map<string, StepDone>>();

/** The same objects for all runs that leave the node by the outcome: history is written by what is the same for many. */
export function stepDone(node: CompiledNode, outcome: string): StepDone {
  const ofNode = known.get(node) ?? new Map<string, StepDone>();
  const found = ofNode.get(outcome);
  if (found) return found;
  const { nodeType } = node;
  const done = { data: { outcome, nodeType }, count: { nodeType, result: outcome } };
  Object.freeze(done.data);
  known.set(node, ofNode.set(outcome, done));
  return done;
}
