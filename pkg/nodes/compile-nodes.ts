import type { z } from 'zod';
import type { GraphProblem } from '../domain/graph.ts';
import { assignNodeIds, isNodeId } from '../domain/node-identity.ts';
import { NODE_TYPES_VERSION } from './define.ts';
import type { AnyNodeType } from './node-type.ts';
import { NODE_TYPES } from './registry.ts';

/** A node as callers write it. */
export interface NodeInput {
  nodeId?: string | null | undefined;
  nodeType: string;
  label?: string | null | undefined;
  config?: Readonly<Record<string, unknown>> | null | undefined;
}

/** A node whose type is known and whose config was accepted. */
export interface ParsedNode {
  nodeId: string;
  index: number;
  type: AnyNodeType;
  label: string;
  config: unknown;
  outcomes: readonly string[];
}

function issueText(issue: z.core.$ZodIssue): string {
  const path = ['config', ...issue.path.map(String)].join('.');
  return `${path}: ${issue.message}`;
}

function outcomesOf(type: AnyNodeType, config: unknown): readonly string[] {
  return typeof type.outcomes === 'function' ? type.outcomes(config as never) : type.outcomes;
}

function parseNode(node: NodeInput, index: number, nodeId: string, errors: GraphProblem[]): ParsedNode | null {
  const complain = (code: string, message: string) => errors.push({ nodeIndex: index, edgeIndex: null, code, message });
  if (node.nodeType === 'source:entry') {
    complain('hidden_node', 'source:entry is prepended by the platform and must not be given; leave it out');
    return null;
  }
  const type = NODE_TYPES.get(node.nodeType);
  if (!type) {
    // As much of it as a workflow's manifest takes.
    const named = node.nodeType.slice(0, 60);
    const message = `unknown nodeType "${named}": node vocabulary ${NODE_TYPES_VERSION} does not have it; call svc_get_workflow_node_types`;
    complain('unknown_node_type', message);
    return null;
  }
  const parsed = type.config.safeParse(node.config ?? {});
  if (!parsed.success) {
    const causes = parsed.error.issues.slice(0, 10).map(issueText).join('; ');
    complain('bad_config', `${node.nodeType}: ${causes}`);
    return null;
  }
  const config: unknown = parsed.data;
  return { nodeId, index, type, label: node.label || node.nodeType, config, outcomes: outcomesOf(type, config) };
}

function checkIds(nodes: readonly NodeInput[], errors: GraphProblem[]): void {
  const first = new Map<string, number>();
  nodes.forEach((node, index) => {
    if (!node.nodeId) return;
    const complain = (code: string, message: string) =>
      errors.push({ nodeIndex: index, edgeIndex: null, code, message });
    if (!isNodeId(node.nodeId)) {
      complain(
        'bad_node_id',
        `nodeId "${node.nodeId}" must be a DNS label: lower-case letters, digits and hyphens, at most 63`,
      );
    }
    const earlier = first.get(node.nodeId);
    if (earlier !== undefined)
      complain('duplicate_node_id', `nodeId "${node.nodeId}" is already used by node ${earlier}`);
    else first.set(node.nodeId, index);
  });
}

/** Parses every node; null where a node was refused, with the reason in `errors`. */
export function parseNodes(nodes: readonly NodeInput[], errors: GraphProblem[]): readonly (ParsedNode | null)[] {
  checkIds(nodes, errors);
  const ids = assignNodeIds(nodes);
  return nodes.map((node, index) => parseNode(node, index, ids[index] ?? `node-${index}`, errors));
}
