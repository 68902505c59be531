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
  workflowId?: string;
  icpIds?: readonly string[] | null;
  /** lead:tag */
  add?: readonly string[];
  remove?: readonly string[];
  /** flow:condition */
  rules?: readonly { field: string; op: string; value?: unknown }[];
}

/**
 * Lists, members, workflows, ICPs and tags that nodes name and that are not there: such a step would feed, add, tell or take
 * nobody, without a word.
 */
export async function missingIds(tx: Tx, workspaceId: string, graph: CompiledGraph): Promise<Problem[]> {
  const lists = await listsOf(tx, workspaceId, graph);
  const members = await membersOf(tx, workspaceId, graph);
  const flows = await idsOf(
    tx,
    'workflow',
    workspaceId,
    graph.nodes.flatMap((node) => configOf(node).workflowId ?? []),
  );
  const icps = await idsOf(
    tx,
    'icp',
    workspaceId,
    graph.nodes.flatMap((node) => configOf(node).icpIds ?? []),
  );
  const tags = await tagsOf(tx, workspaceId, graph);
  return graph.nodes.flatMap((node) => {
    const { workflowId, icpIds } = configOf(node);
    return [
      ...listProblems(node, lists),
      ...memberProblems(node, members),
      ...unknown(node, workflowId === undefined ? [] : [workflowId], flows, FLOWS),
      ...unknown(node, icpIds ?? [], icps, ICPS),
      ...unknown(node, readTags(node), tags, TAGS),
    ];
  });
}

interface Kind {
  code: string;
  /** Of an id that is not there: what is wrong, and the tool that goes on. */
  text: (id: string) => string;
}
const FLOWS: Kind = {
  code: 'unknown_workflow',
  text: (id) => `there is no workflow "${id}". Call svc_list_workflows to find valid IDs.`,
};
const ICPS: Kind = {
  code: 'unknown_icp',
  text: (id) => `there is no ICP "${id}". Call svc_list_icps to find valid IDs.`,
};
const TAGS: Kind = {
  code: 'unknown_tag',
  text: (id) =>
    `no lead has the tag "${id}", and no step of the graph adds it. Call svc_search_leads with tags to see who has one.`,
};

function unknown(
  node: CompiledNode,
  ids: readonly string[],
  known: ReadonlySet<string>,
  { code, text }: Kind,
): Problem[] {
  return ids.filter((id) => !known.has(id)).map((id) => problem(node, code, `${node.nodeType}: ${text(id)}`));
}

/** Of these ids those that are there. */
async function idsOf(
  tx: Tx,
  table: 'workflow' | 'icp',
  workspaceId: string,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const rows = await tx.rows<{ id: string }>(
    `select id::text as id
     from ${table}
     where workspace_id = $1 and id::text = any ($2) and deleted_at is null`,
    [workspaceId, ids],
  );
  return new Set(rows.map((row) => row.id));
}

/** Operators of a condition that ask whether a lead has a tag. */
const HAS_TAG: ReadonlySet<string> = new Set(['eq', 'in', 'contains']);

/** Tags that a step looks for or takes away. */
function readTags(node: CompiledNode): string[] {
  const { remove = [], rules = [] } = configOf(node);
  const asked = rules
    .filter(({ field, op }) => field === 'lead.tags' && HAS_TAG.has(op))
    .flatMap(({ value }) => (Array.isArray(value) ? value : [value]));
  return [...remove, ...asked].filter((tag): tag is string => typeof tag === 'string');
}

/** Of the tags that the graph looks for those that leads of the workspace have, or that it adds itself. */
async function tagsOf(tx: Tx, workspaceId: string, graph: CompiledGraph): Promise<ReadonlySet<string>> {
  const asked = graph.nodes.flatMap(readTags);
  if (asked.length === 0) return new Set();
  const rows = await tx.rows<{ tag: string }>(
    `select t.tag
     from unnest($2::text[]) t (tag)
     where exists (
       select 1
       from lead_overlay o
       where o.tags <> '{}' and app.tag_keys(o.workspace_id, o.tags) @> app.tag_keys($1, array[t.tag])
     )`,
    [workspaceId, asked],
  );
  return new Set([...rows.map((row) => row.tag), ...graph.nodes.flatMap((node) => configOf(node).add ?? [])]);
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
