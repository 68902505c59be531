import type { z } from 'zod';
import { isUuid } from '../../base/ids.ts';
import type { CompiledGraph, CompiledNode } from '../../domain/graph.ts';
import type { Tx } from '../../postgres/database.ts';
import type { graphProblem } from '../records/graph.ts';

type Problem = z.input<typeof graphProblem>;

/** The few fields of configs that name records; every schema keeps these names. */
interface NamingConfig {
  leadListId?: string;
  memberIds?: readonly string[];
  reviewerIds?: readonly string[];
}

/** Lists and members that nodes name and that are not there: such a step would feed, add or tell nobody, without a word. */
export async function missingIds(tx: Tx, workspaceId: string, graph: CompiledGraph): Promise<Problem[]> {
  const lists = await listsOf(tx, workspaceId, graph);
  const members = await membersOf(tx, workspaceId, graph);
  return graph.nodes.flatMap((node) => [...listProblems(node, lists), ...memberProblems(node, members)]);
}

const configOf = (node: CompiledNode): NamingConfig => node.config as NamingConfig;
const namedBy = (node: CompiledNode): readonly string[] => {
  const { memberIds = [], reviewerIds = [] } = configOf(node);
  return [...memberIds, ...reviewerIds];
};

/** Lists of the workspace that the graph names, with their type. */
async function listsOf(tx: Tx, workspaceId: string, graph: CompiledGraph): Promise<ReadonlyMap<string, string>> {
  const ids = graph.nodes.flatMap((node) => configOf(node).leadListId ?? []).filter(isUuid);
  if (ids.length === 0) return new Map();
  const rows = await tx.rows<{ id: string; type: string }>(
    'select id, type from lead_list where workspace_id = $1 and id = any ($2::uuid[]) and deleted_at is null',
    [workspaceId, ids],
  );
  return new Map(rows.map(({ id, type }) => [id, type]));
}

/** Members of the workspace that the graph names, by their own ids and those of their users. */
async function membersOf(tx: Tx, workspaceId: string, graph: CompiledGraph): Promise<ReadonlySet<string>> {
  const ids = graph.nodes.flatMap(namedBy);
  if (ids.length === 0) return new Set();
  const rows = await tx.rows<{ id: string; user_id: string }>(
    'select id, user_id from member where workspace_id = $1 and (id::text = any ($2) or user_id::text = any ($2))',
    [workspaceId, ids],
  );
  return new Set(rows.flatMap((row) => [row.id, row.user_id]));
}

function listProblems(node: CompiledNode, lists: ReadonlyMap<string, string>): Problem[] {
  const { leadListId } = configOf(node);
  if (leadListId === undefined) return [];
  const type = lists.get(leadListId);
  if (type === undefined) {
    const message = `${node.nodeType}: there is no lead list "${leadListId}". Call svc_list_lead_lists to find valid IDs.`;
    return [problem(node, 'unknown_lead_list', message)];
  }
  if (node.nodeType !== 'lead:add_to_list' || type === 'static') return [];
  const message = `lead:add_to_list: list "${leadListId}" is a query list, which takes nobody by hand. Call svc_create_lead_list.`;
  return [problem(node, 'query_lead_list', message)];
}

function memberProblems(node: CompiledNode, members: ReadonlySet<string>): Problem[] {
  return namedBy(node)
    .filter((id) => !members.has(id))
    .map((id) => {
      const message = `${node.nodeType}: "${id}" is no member of the workspace. Call svc_list_members to find valid IDs.`;
      return problem(node, 'unknown_member', message);
    });
}

function problem({ index }: CompiledNode, code: string, message: string): Problem {
  return { nodeIndex: index, edgeIndex: null, code, message };
}
