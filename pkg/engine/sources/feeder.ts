import type { CompiledGraph, CompiledNode } from '../../domain/graph.ts';
import { dateOfDay, instantOf, localTime } from '../../domain/local-time.ts';
import type { SourceFeed } from '../../nodes/node-type.ts';
import { nodeTypeOf } from '../../nodes/registry.ts';
import type { Tx } from '../../postgres/database.ts';
import { type FlowRow, readFlows, readWorkspace, type WorkspaceRow } from '../../store/runs/batch-facts.ts';
import { type Enrolment, enrolLeads } from '../../store/runs/enrol.ts';
import {
  type Candidates,
  type FeedRow,
  listCandidates,
  poolCandidates,
  readFeeds,
  type SourcePlace,
  writeFeed,
} from '../../store/runs/feed.ts';
import { queuedCandidates, settleQueued } from '../../store/signals/signal-queue.ts';
import { flowSettings } from '../settings.ts';
import type { GraphCache } from '../walk/graph-cache.ts';
import { SourcePace } from './source-pace.ts';

const DAY_MS = 86_400_000;
/** Leads that one source may look at and refuse in one round; the next one goes on behind them. */
const SCAN_LIMIT = 2_000;
const PAGE = 200;
/** Parts of a pool or list that one round goes through in vain; the next one goes on behind them. */
const PARTS = 5;
/** Defaults of the pool that feeds a graph without a source node (catalog, source:campaign_pool). */
const IMPLICIT_POOL: SourceFeed = {
  from: 'campaign_pool',
  scoreMin: null,
  icpIds: null,
  maxPerDay: 25,
  order: 'score',
  excludeContactedDays: 90,
};
/** Name of that pool's row in source_feed. */
const IMPLICIT_NODE = 'campaign-pool';

interface Source {
  flow: FlowRow;
  nodeId: string;
  feed: SourceFeed;
  entryNodeId: string;
}

/**
 * Where the rounds before this one came to in a source (`<workflow>/<node>`) without coming to its end: behind which part of
 * a pool or list, and how many candidates from there on were refused. Who is suppressed or claimed elsewhere stays a candidate, and
 * must not hide those behind.
 */
export type FeedCursors = Map<string, FeedCursor>;

interface FeedCursor {
  after: SourcePlace | null;
  refused: number;
}

interface FeedRound {
  workspaceId: string;
  now: number;
  cache: GraphCache;
  newId: () => string;
  places: FeedCursors;
  /** What earlier rounds know of how long sources take; absent: nothing. */
  pace?: SourcePace;
}

/** Lets sources enrol leads, up to maxPerDay per local date of the workspace. Returns how many were enrolled. */
export async function feedSources(tx: Tx, options: FeedRound): Promise<number> {
  const { workspaceId } = options;
  const workspace = await readWorkspace(tx, workspaceId);
  if (!workspace) return 0;
  const flows = (await readFlows(tx, workspaceId, null)).filter((flow) => flow.active && flow.graphVersion > 0);
  const feeds = new Map((await readFeeds(tx, workspaceId)).map((feed) => [`${feed.workflowId}/${feed.nodeId}`, feed]));
  let enrolled = 0;
  for (const flow of flows) {
    const graph = await options.cache.get(tx, flow.id, flow.graphVersion);
    if (!graph) continue;
    for (const source of sourcesOf(flow, graph)) {
      enrolled += await feedOne(tx, options, workspace, source, feeds.get(`${flow.id}/${source.nodeId}`));
    }
  }
  return enrolled;
}

function sourcesOf(flow: FlowRow, graph: CompiledGraph): Source[] {
  if (graph.sources.length === 0)
    return [{ flow, nodeId: IMPLICIT_NODE, feed: IMPLICIT_POOL, entryNodeId: graph.entryNodeId }];
  return graph.sources.flatMap((node) => sourceOf(flow, node));
}

function sourceOf(flow: FlowRow, node: CompiledNode): Source[] {
  const type = nodeTypeOf(node.nodeType);
  const entryNodeId = node.next.get('next');
  if (type.kind !== 'source' || !entryNodeId) return [];
  const feed = type.feed(node.config as never);
  return feed.from === 'manual' ? [] : [{ flow, nodeId: node.nodeId, feed, entryNodeId }];
}

async function feedOne(
  tx: Tx,
  options: FeedRound,
  workspace: WorkspaceRow,
  source: Source,
  last: FeedRow | undefined,
): Promise<number> {
  const { now, workspaceId } = options;
  if (source.feed.from === 'manual') return 0;
  const today = localTime(now, workspace.timezone).dayNumber;
  const date = dateOfDay(today);
  const fedBefore = last?.feedDate === date ? last.fed : 0;
  const room = source.feed.maxPerDay - fedBefore;
  const asked = room > 0 && options.pace?.rests(placeOf(source)) !== true;
  const enrolled = asked ? await enrolSome(tx, options, workspace, source, room) : 0;
  const nextAt = instantOf(today + 1, 0, workspace.timezone);
  if (enrolled > 0 || last?.feedDate !== date) {
    await writeFeed(tx, workspaceId, {
      workflowId: source.flow.id,
      nodeId: source.nodeId,
      feedDate: date,
      fed: fedBefore + enrolled,
      nextAt,
    });
  }
  return enrolled;
}

/** Its name among all sources of a workspace. */
function placeOf(source: Source): string {
  return `${source.flow.id}/${source.nodeId}`;
}

/** Pages over candidates, since some of them are refused (suppressed, claimed elsewhere). */
async function enrolSome(
  tx: Tx,
  options: FeedRound,
  workspace: WorkspaceRow,
  source: Source,
  room: number,
): Promise<number> {
  const place = placeOf(source);
  const pace = options.pace ?? new SourcePace();
  let enrolled = 0;
  let at: FeedCursor = options.places.get(place) ?? { after: null, refused: 0 };
  let looked = 0;
  let parts = 0;
  options.places.delete(place);
  while (enrolled < room) {
    const tired = at.after !== null && (parts === PARTS || pace.rests(place));
    if (looked - enrolled >= SCAN_LIMIT || tired) {
      options.places.set(place, at);
      break;
    }
    const most = Math.min(PAGE, room - enrolled);
    const look = (): Promise<Candidates> => candidates(tx, options, workspace, source, most, at);
    const { leadIds: page, next } = await pace.look(place, look, at.after !== null);
    if (page.length === 0) {
      if (next === null) break;
      at = { after: next, refused: 0 };
      parts++;
      continue;
    }
    const answers = await enrolLeads(tx, {
      workspaceId: options.workspaceId,
      workflowId: source.flow.id,
      now: options.now,
      leads: page.map((leadId) => ({ leadId, runId: options.newId() })),
      entryNodeId: source.entryNodeId,
      source: 'source',
    });
    const taken = answers.filter((answer) => answer.runId !== null).length;
    if (source.feed.from === 'signal_agent') await settleFound(tx, options, source, source.feed, answers);
    else at = { ...at, refused: at.refused + page.length - taken };
    enrolled += taken;
    looked += page.length;
  }
  return enrolled;
}

/** What was found leaves the queue whatever became of it. */
async function settleFound(
  tx: Tx,
  options: { workspaceId: string; now: number },
  source: Source,
  feed: SourceFeed & { from: 'signal_agent' },
  answers: readonly Enrolment[],
): Promise<void> {
  await settleQueued(tx, options.workspaceId, {
    workflowId: source.flow.id,
    signalAgentId: feed.signalAgentId,
    now: options.now,
    outcomes: answers.map(({ leadId, runId, skipped }) => ({ leadId, runId, outcome: skipped ?? 'enrolled' })),
  });
}

async function candidates(
  tx: Tx,
  options: { workspaceId: string; now: number },
  workspace: WorkspaceRow,
  source: Source,
  limit: number,
  { after, refused: offset }: FeedCursor,
): Promise<Candidates> {
  const { feed, flow } = source;
  const whole = (leadIds: string[]): Candidates => ({ leadIds, next: null });
  if (feed.from === 'manual') return whole([]);
  if (feed.from === 'lead_list') {
    const { leadListId } = feed;
    return listCandidates(tx, options.workspaceId, {
      workflowId: flow.id,
      leadListId,
      limit,
      offset,
      after,
      now: options.now,
    });
  }
  if (feed.from === 'signal_agent') {
    const query = { workflowId: flow.id, signalAgentId: feed.signalAgentId, limit };
    return whole(await queuedCandidates(tx, options.workspaceId, query));
  }
  return poolCandidates(tx, options.workspaceId, {
    workflowId: flow.id,
    campaignId: flow.campaignId,
    scoreMin: feed.scoreMin ?? flowSettings(flow, workspace).scoreMin,
    icpIds: feed.icpIds,
    order: feed.order,
    contactedBefore: options.now - feed.excludeContactedDays * DAY_MS,
    limit,
    offset,
    after,
  });
}
