import type { CompiledGraph } from '../domain/graph.ts';
import type { Tx } from '../postgres/database.ts';
import { readAccounts, readFlows, readLeads, readRelations, readWorkspace } from '../store/batch-facts.ts';
import { readIcps } from '../store/lead-scores.ts';
import { readSends } from '../store/ledger.ts';
import { type ReviewRow, readReviews } from '../store/review-items.ts';
import type { RunRow } from '../store/runs.ts';
import type { GraphCache } from './graph-cache.ts';
import { loadSplits } from './splits.ts';
import type { Snapshot } from './step.ts';

/** Loads everything that stepping these runs needs, with a handful of set queries. */
export async function loadBatch(
  tx: Tx,
  workspaceId: string,
  now: number,
  runs: readonly RunRow[],
  cache: GraphCache,
): Promise<Snapshot> {
  const workspace = await readWorkspace(tx, workspaceId);
  const flows = new Map(
    (await readFlows(tx, workspaceId, [...new Set(runs.map((run) => run.workflowId))])).map((flow) => [flow.id, flow]),
  );
  const graphs = new Map<string, CompiledGraph>();
  for (const key of graphKeys(runs, flows)) {
    const graph = await cache.get(tx, key.workflowId, key.version);
    if (graph) graphs.set(`${key.workflowId}/${key.version}`, graph);
  }
  const campaignIds = [...new Set(runs.map((run) => run.campaignId))];
  const scores = [...graphs.values()].some((graph) => graph.nodes.some((node) => node.nodeType === 'lead:score'));
  const leads = await readLeads(
    tx,
    workspaceId,
    runs.map((run) => run.leadId),
    runs.map((run) => run.campaignId),
  );
  const persons = runs.flatMap((run) => (run.personId ? [run.personId] : []));
  const relations = await readRelations(tx, persons);
  const accounts = await readAccounts(tx, workspaceId);
  const sends = await readSends(
    tx,
    runs.flatMap((run) => (run.sendId ? [run.sendId] : [])),
  );
  const reviews = await readReviews(
    tx,
    runs.filter((run) => run.state === 'in_review' || run.sendId).map((run) => run.id),
  );
  return {
    now,
    workspaceId,
    workspace: workspace ?? { timezone: 'UTC', businessHours: null },
    flows,
    graphs,
    leads: new Map(leads.map((lead) => [`${lead.campaignId}/${lead.id}`, lead])),
    icps: scores ? Map.groupBy(await readIcps(tx, workspaceId, campaignIds), (icp) => icp.campaignId) : new Map(),
    accounts: new Map(accounts.map((account) => [account.id, account])),
    relations: new Map(relations.map((relation) => [`${relation.accountId}/${relation.personId}`, relation])),
    sends: new Map(sends.map((send) => [send.id, send])),
    reviews: byRun(reviews),
    splits: await loadSplits(tx, workspaceId, runs, graphs),
  };
}

function graphKeys(
  runs: readonly RunRow[],
  flows: ReadonlyMap<string, { graphVersion: number; inFlight: string }>,
): { workflowId: string; version: number }[] {
  const keys = new Map<string, { workflowId: string; version: number }>();
  for (const run of runs) {
    keys.set(`${run.workflowId}/${run.graphVersion}`, { workflowId: run.workflowId, version: run.graphVersion });
    const flow = flows.get(run.workflowId);
    if (flow?.inFlight === 'migrate' && flow.graphVersion !== run.graphVersion) {
      keys.set(`${run.workflowId}/${flow.graphVersion}`, { workflowId: run.workflowId, version: flow.graphVersion });
    }
  }
  return [...keys.values()];
}

function byRun(reviews: readonly ReviewRow[]): Map<string, ReviewRow[]> {
  const grouped = new Map<string, ReviewRow[]>();
  for (const review of reviews) grouped.set(review.runId, [...(grouped.get(review.runId) ?? []), review]);
  return grouped;
}
