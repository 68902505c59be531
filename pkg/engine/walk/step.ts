import type { JsonObject } from '../../base/json.ts';
import type { KnownFields } from '../../domain/enrichment/enrich-fields.ts';
import type { EventKind } from '../../domain/event-kinds.ts';
import type { CompiledGraph, CompiledNode } from '../../domain/graph.ts';
import type { EffectNode, RunFacts, RunWrite } from '../../nodes/node-type.ts';
import type { CallRow } from '../../store/calls/node-calls.ts';
import type { ClaimRequest, SendRow } from '../../store/ledger/ledger.ts';
import type { ClosedReview, NewReview, ReviewRow } from '../../store/reviews/review-items.ts';
import type {
  AccountRow,
  FlowRow,
  LeadBasics,
  LeadRow,
  RelationRow,
  WorkspaceRow,
} from '../../store/runs/batch-facts.ts';
import type { HandOffRequest } from '../../store/runs/hand-off.ts';
import type { RunEnd } from '../../store/runs/run-changes.ts';
import type { RunEvent } from '../../store/runs/run-events.ts';
import type { RunRow } from '../../store/runs/runs.ts';
import type { IcpRow } from '../../store/scoring/lead-scores.ts';
import type { LeadSignal } from '../../store/signals/lead-signals.ts';
import type { CallToMake } from '../calls/call-to-make.ts';
import type { FlowSettings } from '../settings.ts';
import type { SplitFacts } from './splits.ts';

/** Everything that a batch loaded; stepping reads only this. */
export interface Snapshot {
  /** Epoch ms UTC, product time: when the batch began. */
  begunAt: number;
  /** The instant at which all that its runs ask for is judged: the last of them is due then. */
  now: number;
  workspaceId: string;
  workspace: WorkspaceRow;
  /** False: the maps of persons, accounts and calls are not loaded and throw when they are asked, as `details` do when they are not. */
  hasFacts: boolean;
  flows: ReadonlyMap<string, FlowRow>;
  /** `<workflow>/<version>` -> graph; absent when it does not compile any more. */
  graphs: ReadonlyMap<string, CompiledGraph>;
  /** What acting needs of a lead, by its id. */
  leads: ReadonlyMap<string, LeadBasics>;
  /** All that is known of a lead: `<campaign>/<lead>` -> lead. */
  details: ReadonlyMap<string, LeadRow>;
  /** ICPs by campaign; loaded only where a graph scores. */
  icps: ReadonlyMap<string, readonly IcpRow[]>;
  /** Signals of a lead and of its company, newest first, by lead; loaded only where a graph asks for them. */
  signals: ReadonlyMap<string, readonly LeadSignal[]>;
  accounts: ReadonlyMap<string, AccountRow>;
  /** `<account>/<person>` -> relation. */
  relations: ReadonlyMap<string, RelationRow>;
  sends: ReadonlyMap<string, SendRow>;
  reviews: ReadonlyMap<string, readonly ReviewRow[]>;
  /** Calls of runs that stand at a node which asks outside. */
  calls: ReadonlyMap<string, CallRow>;
  /** When enriched fields were found, by lead; loaded only where a graph enriches. */
  enriched: ReadonlyMap<string, KnownFields>;
  /** Addresses (lower case) to which a mail bounced; loaded only where a graph mails. */
  bounced: ReadonlySet<string>;
  splits: SplitFacts;
}

/** What the engine remembers beside a node's facts, in the same column. */
export type StoredFacts = RunFacts & {
  /** When the run became blocked; after 30 days it fails. */
  blockedSince?: number;
  /** Failed tries of a node whose effect is tried again; `<node>/ended`: those that ended with their executor. */
  tries?: Record<string, number>;
  /** When the first of them failed that was not its executor's end, epoch ms product time. */
  failingSince?: number;
  /** Of texts that were written for send nodes: under which playbook, and for how many credits. */
  ownTexts?: Record<string, { playbook: string; credits: number }>;
  /** The review node that the run left as approved, until a text that a person may review was sent. */
  behindReview?: string;
  /** Texts that are being written anew for a rejected draft: by which nodes, and where the run goes then. */
  redrafting?: { back: string; crafts: readonly string[] };
};

/** One run on its way through a batch; `run` is changed in place and written back at the end. */
export interface Advance {
  /** As it was claimed. */
  before: RunRow;
  run: RunRow;
  /** Null: the run goes on. */
  end: RunEnd | null;
  facts: StoredFacts;
  arms: Record<string, string>;
  events: RunEvent[];
  writes: RunWrite[];
  /** Effect that asks for a claim after the walk. */
  request: EffectRequest | null;
  /** Wish to give the lead to another workflow. */
  handOff: { node: CompiledNode; request: HandOffRequest } | null;
  /** Call that asks for a claim (or a look-up) after the walk. */
  call: CallToMake | null;
  newReview: NewReview | null;
  closedReviews: ClosedReview[];
  steps: StepCount[];
}

export interface StepCount {
  nodeType: string;
  result: string;
}

/** A wish to act, with what the engine needs when the answer of the ledger comes. */
export interface EffectRequest {
  claim: ClaimRequest;
  node: CompiledNode;
  type: EffectNode<never>;
  /** Tries before this one that failed of themselves. */
  failures: number;
}

/** Adds one line of history. */
export function logEvent(
  walk: Advance,
  at: number,
  kind: EventKind,
  nodeId: string | null,
  data: JsonObject,
  text = '',
): void {
  walk.events = added(walk.events, { runId: walk.run.id, at, kind, nodeId, actor: 'engine', text, data });
}

/** Most walks have one step: an empty array that is pushed to takes room for seventeen. */
export function added<T>(list: T[], one: T): T[] {
  if (list.length === 0) return [one];
  list.push(one);
  return list;
}

/** What a walk needs besides the run. */
export interface AdvanceContext {
  snap: Snapshot;
  /** The run's own instant: when it is due, or now when that has passed. */
  now: number;
  graph: CompiledGraph;
  settings: FlowSettings;
  newId: () => string;
}

/** Puts the walk's memory back into the row. */
export function closeAdvance(walk: Advance): Advance {
  walk.run.facts = walk.facts as RunRow['facts'];
  walk.run.arms = Object.keys(walk.arms).length > 0 ? walk.arms : null;
  return walk;
}
