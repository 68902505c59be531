import type { RunWrite } from '../nodes/node-type.ts';
import type { Tx } from '../postgres/database.ts';
import { applyScores } from '../store/lead-scores.ts';
import { notifyMembers } from '../store/notifications.ts';
import { nextDue } from '../store/rest.ts';
import { closeReviews, insertReviews } from '../store/review-items.ts';
import { applyExclusions, applyListAdds, applyTags } from '../store/run-writes.ts';
import { type AnsweredRun, appendEvents, claimAnswered, claimDue, type RunRow, writeRuns } from '../store/runs.ts';
import { claimWishes } from './calls/claim-wishes.ts';
import type { GrantedCall } from './calls/granted-call.ts';
import type { ChannelAccount } from './channel-account.ts';
import { ALWAYS, applyAnswer, timesOf } from './claim-answers.ts';
import { claimPlanned } from './claim-planned.ts';
import type { GraphCache } from './graph-cache.ts';
import { handOverAll } from './hand-off-step.ts';
import { FACTS_MISSING, loadFacts, loadFlows } from './load-batch.ts';
import type { EffectRequest, Snapshot, StepCount, Walk } from './step.ts';
import { walkRun } from './walk.ts';

/** A claimed effect, to be performed after the batch's commit. */
export interface GrantedEffect {
  /** Without what the walk knew of its run: hundreds wait for their answers at once. */
  request: Pick<EffectRequest, 'claim' | 'type' | 'failures'>;
  runId: string;
  workspaceId: string;
  personId: string | null;
  account: ChannelAccount;
  /** The request is not written before this (epoch ms product time). */
  notBefore: number;
}

export interface BatchResult {
  /** Runs that were due. */
  runs: number;
  granted: GrantedEffect[];
  calls: GrantedCall[];
  steps: StepCount[];
  /** Age of the oldest due run, ms product time. */
  lagMs: number;
  /** When all is written; then: when work of the workspace is due next (epoch ms product time; after a full batch: now), null: nothing is known of. */
  written: Promise<number | null>;
}

export interface BatchOptions {
  workspaceId: string;
  now: number;
  /** Runs due until then are taken, at or after `now`: what is about to be due is made ready before (look-ahead.ts). */
  until: number;
  limit: number;
  /** Runs that go on because their send was settled; no more than `limit`. */
  answered: readonly AnsweredRun[];
  /** Runs whose effect is under way. */
  busy: readonly string[];
  cache: GraphCache;
  /** Texts of the writer in use cost nothing. */
  writerIsFree: boolean;
  newId: () => string;
}

/** One batch in one transaction: claims due runs, walks them, claims effects, writes everything back. */
export async function runBatch(tx: Tx, options: BatchOptions): Promise<BatchResult> {
  const runs = await claimRuns(tx, options);
  if (runs.length === 0) return { runs: 0, granted: [], calls: [], steps: [], lagMs: 0, written: nextDue(tx) };
  const dueTimes = runs.map((run) => run.dueAt ?? options.now);
  // All are judged at one instant, at which the last of them is due.
  const now = Math.max(options.now, ...dueTimes);
  const { walks, snap } = await walkAll(tx, { ...options, now }, runs);
  const granted = await claimEffects(tx, walks, snap);
  await handOverAll(tx, snap.now, walks);
  const calls = await claimWishes(tx, walks, snap, options.writerIsFree);
  const full = runs.length >= options.limit;
  const { written } = await writeBack(tx, { workspaceId: options.workspaceId, now, full }, walks);
  return {
    runs: runs.length,
    granted,
    calls,
    steps: walks.flatMap((walk) => walk.steps),
    lagMs: Math.max(0, options.now - Math.max(Math.min(...dueTimes), 1)),
    written,
  };
}

/** What has an answer goes on first, as if it were due now; what is due fills the batch up. */
async function claimRuns(tx: Tx, { workspaceId, now, until, limit, answered, busy }: BatchOptions): Promise<RunRow[]> {
  const left = limit - answered.length;
  const taken = [...busy, ...answered.map((one) => one.runId)];
  const [going, due] = await Promise.all([
    claimAnswered(tx, answered),
    left > 0 ? claimDue(tx, workspaceId, until, left, taken) : [],
  ]);
  return [...going.map((run) => ({ ...run, dueAt: now })), ...due];
}

/** Walks every run; those that ask for facts of their person are walked again when these are loaded. */
async function walkAll(
  tx: Tx,
  options: BatchOptions,
  runs: readonly RunRow[],
): Promise<{ walks: Walk[]; snap: Snapshot }> {
  const bare = await loadFlows(tx, options.workspaceId, options.now, runs, options.cache);
  const walks: Walk[] = [];
  const asking: RunRow[] = [];
  for (const run of runs) {
    try {
      walks.push(walkRun(run, bare, options.newId));
    } catch (error) {
      if (error !== FACTS_MISSING) throw error;
      asking.push(run);
    }
  }
  if (asking.length === 0) return { walks, snap: bare };
  const snap = await loadFacts(tx, bare, asking);
  for (const run of asking) walks.push(walkRun(run, snap, options.newId));
  return { walks, snap };
}

async function claimEffects(tx: Tx, walks: readonly Walk[], snap: Snapshot): Promise<GrantedEffect[]> {
  const asking = new Map(walks.flatMap((walk) => (walk.request ? [[walk.run.id, walk] as const] : [])));
  const requests = [...asking.values()].flatMap((walk) => (walk.request ? [walk.request.claim] : []));
  const granted: GrantedEffect[] = [];
  const answers = await claimPlanned(tx, snap.now, requests, ({ runId }) => {
    const walk = asking.get(runId);
    return walk?.request ? timesOf(walk, snap, walk.request) : ALWAYS;
  });
  for (const answer of answers) {
    const walk = asking.get(answer.runId);
    if (!walk?.request || !applyAnswer(walk, snap, walk.request, answer)) continue;
    const account = snap.accounts.get(walk.request.claim.accountId);
    if (account) {
      granted.push({
        request: { claim: walk.request.claim, type: walk.request.type, failures: walk.request.failures },
        runId: walk.run.id,
        workspaceId: snap.workspaceId,
        personId: walk.run.personId,
        notBefore: Math.max(walk.before.dueAt ?? 0, answer.actAt ?? 0),
        account: {
          id: account.id,
          provider: account.provider,
          externalId: account.externalId,
          kind: account.kind,
        },
      });
    }
  }
  return granted;
}

/** Its last statements are sent when it returns. `full`: as many were due as were asked for, so more may be due now. */
async function writeBack(
  tx: Tx,
  { workspaceId, now, full }: { workspaceId: string; now: number; full: boolean },
  walks: readonly Walk[],
): Promise<Pick<BatchResult, 'written'>> {
  await writeReviews(tx, workspaceId, now, walks);
  // After the reviews: ending a run cancels those of its drafts that are still open.
  const writes = [
    writeRuns(
      tx,
      walks.map((walk) => ({ before: walk.before, after: walk.run })),
    ),
    appendEvents(
      tx,
      workspaceId,
      walks.flatMap((walk) => walk.events),
    ),
  ];
  if (walks.some((walk) => walk.writes.length > 0)) {
    // After the runs: an exclusion may end one that was just written.
    await Promise.all(writes);
    await writeWishes(tx, workspaceId, now, walks);
  }
  const next = full ? Promise.resolve(now) : nextDue(tx);
  const written = Promise.all([...writes, next]).then(() => next);
  // Whoever commits awaits it; a transaction that ends before that has a reason of its own.
  written.catch(() => undefined);
  return { written };
}

async function writeReviews(tx: Tx, workspaceId: string, now: number, walks: readonly Walk[]): Promise<void> {
  const asked = walks.filter((walk) => walk.newReview !== null || walk.closedReviews.length > 0);
  if (asked.length === 0) return;
  await insertReviews(
    tx,
    workspaceId,
    asked.flatMap((walk) => (walk.newReview ? [walk.newReview] : [])),
  );
  for (const state of ['expired', 'sent'] as const) {
    await closeReviews(
      tx,
      now,
      asked.flatMap((walk) => walk.closedReviews.filter((one) => one.state === state).map((one) => one.id)),
      state,
    );
  }
}

interface Wish<W extends RunWrite> {
  leadId: string;
  personId: string | null;
  campaignId: string;
  write: W;
}

async function writeWishes(tx: Tx, workspaceId: string, now: number, walks: readonly Walk[]): Promise<void> {
  const wishes = walks.flatMap((walk) =>
    walk.writes.map((write) => ({
      leadId: walk.run.leadId,
      personId: walk.run.personId,
      campaignId: walk.run.campaignId,
      write,
    })),
  );
  const of = <T extends RunWrite['type']>(type: T): Wish<Extract<RunWrite, { type: T }>>[] =>
    wishes.filter((wish): wish is Wish<Extract<RunWrite, { type: T }>> => wish.write.type === type);
  await applyScores(
    tx,
    workspaceId,
    now,
    of('score').flatMap(({ leadId, campaignId, write }) =>
      write.scores.map((one) => ({ ...one, campaignId, leadId, signals: write.signals })),
    ),
  );
  await applyTags(
    tx,
    workspaceId,
    of('tag').map(({ leadId, write }) => ({ leadId, add: write.add, remove: write.remove })),
  );
  await applyListAdds(
    tx,
    workspaceId,
    now,
    of('add_to_list').map(({ leadId, write }) => ({ leadId, leadListId: write.leadListId })),
  );
  await applyExclusions(
    tx,
    workspaceId,
    now,
    of('exclude').flatMap(({ personId, write }) =>
      personId ? [{ personId, appliesTo: write.appliesTo, reason: write.reason }] : [],
    ),
  );
  await notifyMembers(
    tx,
    now,
    of('notify').map(({ write: { memberIds, title, text, origin, leadId } }) => ({
      members: memberIds,
      kind: 'run.step_done',
      title,
      text,
      data: { leadId },
      nextTool: 'svc_get_lead',
      origin,
    })),
  );
}
