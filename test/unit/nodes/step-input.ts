import { compileGraph } from '../../../pkg/nodes/compile-graph.ts';
import type { AnyNodeType, LeadFacts, StepInput, StepResult } from '../../../pkg/nodes/node-type.ts';
import { nodeTypeOf } from '../../../pkg/nodes/registry.ts';

/** Monday, 2 March 2026, 10:00 UTC. */
export const NOW = Date.parse('2026-03-02T10:00:00Z');
export const DAY = 86_400_000;

export const lead: LeadFacts = {
  leadId: 'lead-1',
  firstName: 'Ada',
  lastName: 'Lovelace',
  fullName: 'Ada Lovelace',
  headline: '',
  title: 'CTO',
  seniority: 'c_suite',
  company: 'Acme',
  companySize: '51-200',
  industry: 'Software',
  location: '',
  country: '',
  timezone: null,
  email: null,
  profileUrl: 'https://network.example/in/ada',
  customFields: { plan: 'gold' },
  tags: ['warm'],
  score: { total: 60, icp: 50, signals: 10 },
};

/** Config as the node's own schema returns it; throws what the graph compiler would say. */
export function configOf(nodeType: string, config: Record<string, unknown>): unknown {
  const parsed = nodeTypeOf(nodeType).config.safeParse(config);
  if (!parsed.success) throw new Error(parsed.error.message);
  return parsed.data;
}

export function inputFor(
  nodeType: string,
  config: Record<string, unknown> = {},
  over: Partial<StepInput> = {},
): StepInput {
  return {
    now: NOW,
    enteredAt: NOW,
    runId: 'run-1',
    workflowId: 'wf-1',
    node: { nodeId: 'n', nodeType, label: 'n', index: 0, config: configOf(nodeType, config), next: new Map() },
    lead,
    facts: {},
    arms: {},
    account: { accountId: 'acc', tier: 'sales', timezone: 'Europe/Berlin', displayName: 'Grace Hopper' },
    rescore: () => ({ total: 70, icp: 60, signals: 10, scores: [] }),
    ...over,
  };
}

/** One step of a pure node. */
export function step(
  nodeType: string,
  config: Record<string, unknown> = {},
  over: Partial<StepInput> = {},
): StepResult {
  const type = nodeTypeOf(nodeType);
  if (type.kind !== 'pure') throw new Error(`${nodeType} is not pure`);
  const input = inputFor(nodeType, config, over);
  return type.step(input, input.node.config as never);
}

/** An effect node's type. */
export function effect(nodeType: string): AnyNodeType & { kind: 'effect' } {
  const type = nodeTypeOf(nodeType);
  if (type.kind !== 'effect') throw new Error(`${nodeType} is no effect`);
  return type;
}

/** Codes of a graph's errors. */
export function codesOf(
  nodes: Parameters<typeof compileGraph>[0]['nodes'],
  edges: [number, number, string?][],
): string[] {
  const given = edges.map(([sourceIndex, targetIndex, branch]) => ({ sourceIndex, targetIndex, branch }));
  return compileGraph({ nodes, edges: given }).errors.map((problem) => problem.code);
}
