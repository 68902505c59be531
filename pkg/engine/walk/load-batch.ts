import type { CompiledGraph, CompiledNode } from '../../domain/graph.ts';
import { ownTextNode } from '../../nodes/own-text.ts';
import { nodeTypeOf } from '../../nodes/registry.ts';
import type { Tx } from '../../postgres/database.ts';
import { readCalls } from '../../store/calls/node-calls.ts';
import { readKnownFields } from '../../store/enrichment/attempts.ts';
import type { SendRow } from '../../store/ledger/ledger.ts';
import { readBounced } from '../../store/mail/mailboxes.ts';
import { type ReviewRow, readReviews } from '../../store/reviews/review-items.ts';
import { type AccountRow, type LeadRow, readAccounts, readFlows, readWorkspace } from '../../store/runs/batch-facts.ts';
import type { RunRow } from '../../store/runs/runs.ts';
import { readIcps } from '../../store/scoring/lead-scores.ts';
import { readLeadSignals } from '../../store/signals/lead-signals.ts';
import { isSenderOf } from '../ledger/pick-account.ts';
import type { FactReads } from './fact-reads.ts';
import type { GraphCache } from './graph-cache.ts';
import { loadSplits } from './splits.ts';
import type { Snapshot } from './step.ts';

/** States of runs about whose drafts a person may have decided; a blocked one may have been rejected to be written anew, one that replied before the reply. */
const MAY_HAVE_DRAFTS: ReadonlySet<string> = new Set(['in_review', 'paused', 'blocked', 'replied']);

/** Thrown when a walk asks for what was not loaded: the run is walked again with facts. */
export const FACTS_MISSING = new Error('facts of the person are not loaded');

class NotLoaded<V> extends Map<string, V> {
  override get(): never {
    throw FACTS_MISSING;
  }
  override values(): never {
    throw FACTS_MISSING;
  }
}

/**
 * What every run needs: workspace, workflows, graphs, and what became of its send. Most steps need nothing of the person.
 * @param reading the sends of the runs, as they are read
 */
export async function loadFlows(
  tx: Tx,
  { workspaceId, begunAt, now, cache }: Pick<Snapshot, 'workspaceId' | 'begunAt' | 'now'> & { cache: GraphCache },
  runs: readonly RunRow[],
  reading: Promise<readonly SendRow[]>,
): Promise<Snapshot> {
  const [workspace, found, sends, reviews] = await Promise.all([
    readWorkspace(tx, workspaceId),
    readFlows(tx, workspaceId, [...new Set(runs.map((run) => run.workflowId))]),
    reading,
    readReviews(
      tx,
      runs.filter((run) => MAY_HAVE_DRAFTS.has(run.state) || run.sendId).map((run) => run.id),
    ),
  ]);
  const flows = new Map(found.map((flow) => [flow.id, flow]));
  const graphs = new Map<string, CompiledGraph>();
  for (const key of graphKeys(runs, flows)) {
    const graph = await cache.get(tx, key.workflowId, key.version);
    if (graph) graphs.set(`${key.workflowId}/${key.version}`, graph);
  }
  return {
    begunAt,
    now,
    workspaceId,
    workspace: workspace ?? { timezone: 'UTC', businessHours: null },
    hasFacts: false,
    flows,
    graphs,
    leads: new NotLoaded(),
    details: new NotLoaded(),
    accounts: new NotLoaded(),
    relations: new NotLoaded(),
    sends: new Map(sends.map((send) => [send.id, send])),
    calls: new NotLoaded(),
    enriched: new NotLoaded(),
    reviews: byRun(reviews),
    icps: new NotLoaded(),
    signals: new NotLoaded(),
    bounced: new Set(),
    splits: { shares: new NotLoaded(), earlier: new NotLoaded() },
  };
}

/** The same with what acting for these runs needs of their persons, accounts and calls, by a handful of set queries. */
export async function loadFacts(tx: Tx, snap: Snapshot, runs: readonly RunRow[], reads: FactReads): Promise<Snapshot> {
  const { workspaceId, graphs } = snap;
  const campaignIds = [...new Set(runs.map((run) => run.campaignId))];
  const scores = hasNode(graphs, 'lead:score');
  reads.act(runs);
  const [{ leads, relations, accounts: own }, calls] = await Promise.all([
    reads.facts(),
    readCalls(tx, callIds(runs, graphs)),
  ]);
  const accounts = await accountsOf(tx, snap, runs, own);
  return {
    ...snap,
    hasFacts: true,
    leads: new Map(leads.map((lead) => [lead.id, lead])),
    icps: scores ? Map.groupBy(await readIcps(tx, workspaceId, campaignIds), (icp) => icp.campaignId) : new Map(),
    accounts: new Map(accounts.map((account) => [account.id, account])),
    relations: new Map(relations.map((relation) => [`${relation.accountId}/${relation.personId}`, relation])),
    calls: new Map(calls.map((call) => [call.id, call])),
    enriched: await enrichedOf(tx, runs, graphs),
    splits: await loadSplits(tx, workspaceId, runs, graphs),
  };
}

/** The same with all that is known of the leads of these runs. */
export async function loadDetails(
  tx: Tx,
  snap: Snapshot,
  runs: readonly RunRow[],
  reads: FactReads,
): Promise<Snapshot> {
  reads.detail(runs);
  const leads = await reads.details();
  const mails = hasNode(snap.graphs, 'mail:send');
  return {
    ...snap,
    details: new Map(leads.map((lead) => [`${lead.campaignId}/${lead.id}`, lead])),
    signals: await signalsOf(tx, snap, runs),
    bounced: mails ? await readBounced(tx, snap.workspaceId, mailsOf(leads)) : new Set(),
  };
}

/** Signals of the leads whose graph counts them, or has a rule or a text that speaks of one. */
async function signalsOf(
  tx: Tx,
  { workspaceId, graphs, now }: Snapshot,
  runs: readonly RunRow[],
): Promise<Snapshot['signals']> {
  // In any version of it: a run may be about to move to the newest one.
  const asking = [...graphs].flatMap(([key, graph]) =>
    asksForSignals(graph) ? [key.slice(0, key.lastIndexOf('/'))] : [],
  );
  const leadIds = runs.flatMap((run) => (asking.includes(run.workflowId) ? [run.leadId] : []));
  return leadIds.length === 0 ? new Map() : readLeadSignals(tx, workspaceId, leadIds, now);
}

const SIGNAL_NODES: readonly string[] = ['lead:score', 'ai:craft'];
const known = new WeakMap<CompiledGraph, boolean>();

function asksForSignals(graph: CompiledGraph): boolean {
  let asks = known.get(graph);
  if (asks === undefined) {
    // Templates stand in a config as text, or as the parts that they were parsed into.
    const speaksOf = (node: CompiledNode) => /"signal[."]|\{\{\s*signal:/.test(JSON.stringify(node.config));
    const tells = (node: CompiledNode) => SIGNAL_NODES.includes(node.nodeType) || ownTextNode(node) !== null;
    asks = graph.nodes.some((node) => tells(node) || speaksOf(node));
    known.set(graph, asks);
  }
  return asks;
}

function hasNode(graphs: ReadonlyMap<string, CompiledGraph>, nodeType: string): boolean {
  for (const graph of graphs.values()) if (graph.nodes.some((node) => node.nodeType === nodeType)) return true;
  return false;
}

/** Calls of runs that stand at a node which asks outside, or has a text written before it is sent or shown. */
function callIds(runs: readonly RunRow[], graphs: ReadonlyMap<string, CompiledGraph>): string[] {
  return runs.flatMap((run) => {
    const node = graphs.get(`${run.workflowId}/${run.graphVersion}`)?.byId.get(run.nodeId);
    return run.sendId && node && mayCall(node) ? [run.sendId] : [];
  });
}

function mayCall(node: CompiledNode): boolean {
  const { kind } = nodeTypeOf(node.nodeType);
  return kind === 'call' || kind === 'review' || ownTextNode(node) !== null;
}

async function enrichedOf(
  tx: Tx,
  runs: readonly RunRow[],
  graphs: ReadonlyMap<string, CompiledGraph>,
): Promise<Snapshot['enriched']> {
  if (!hasNode(graphs, 'lead:enrich')) return new Map();
  const leadIds = runs.map((run) => run.leadId);
  return new Map((await readKnownFields(tx, leadIds)).map((row) => [row.leadId, row.enriched]));
}

function mailsOf(leads: readonly LeadRow[]): string[] {
  return [...new Set(leads.flatMap((lead) => (lead.email ? [lead.email.toLowerCase()] : [])))];
}

/** The accounts that these runs have (`own`); all of the workspace when one has to be chosen, or a mailbox. */
async function accountsOf(
  tx: Tx,
  { workspaceId, flows, graphs }: Snapshot,
  runs: readonly RunRow[],
  own: readonly AccountRow[],
): Promise<readonly AccountRow[]> {
  const usable = new Set(own.flatMap((account) => (account.usable ? [account.id] : [])));
  const keeps = ({ accountId, workflowId }: RunRow): boolean =>
    accountId !== null && usable.has(accountId) && isSenderOf(flows.get(workflowId), accountId);
  if (!hasNode(graphs, 'mail:send') && runs.every(keeps)) return own;
  const all = await readAccounts(tx, workspaceId, null);
  const listed = new Set(all.map((account) => account.id));
  return [...all, ...own.filter((account) => !listed.has(account.id))];
}

function graphKeys(
  runs: readonly RunRow[],
  flows: ReadonlyMap<string, { graphVersion: number; inFlight: string }>,
): { workflowId: string; version: number }[] {
  const keys = new Map<string, { workflowId: string; version: number }>();
  let last: RunRow | undefined;
  for (const run of runs) {
    // Most runs of a batch are of few workflows.
    if (last?.workflowId === run.workflowId && last.graphVersion === run.graphVersion) continue;
    last = run;
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
