import type { RunWrite } from '../../nodes/node-type.ts';
import type { Tx } from '../../postgres/database.ts';
import { notifyMembers } from '../../store/notifications/notifications.ts';
import { closeReviews, insertReviews } from '../../store/reviews/review-items.ts';
import { applyExclusions, applyListAdds, applyTags, hearOptOuts } from '../../store/runs/run-writes.ts';
import { writeSteps } from '../../store/runs/write-steps.ts';
import { applyScores } from '../../store/scoring/lead-scores.ts';
import type { Advance, Snapshot } from './step.ts';

/** Writes runs with their history and all that their nodes wish. Its last statements are sent when it resolves; `written`: when they are done. */
export async function writeBack(
  tx: Tx,
  { workspaceId, now }: Snapshot,
  advances: readonly Advance[],
): Promise<{ written: Promise<unknown> }> {
  await writeReviews(tx, workspaceId, now, advances);
  // After the reviews: ending a run cancels those of its drafts that are still open.
  const written = writeSteps(
    tx,
    workspaceId,
    advances,
    advances.flatMap((walk) => walk.events),
  );
  // The one who commits awaits it; a transaction that ends before that has a reason of its own.
  written.catch(() => undefined);
  if (advances.some((walk) => walk.writes.length > 0)) {
    // After the runs: an exclusion may end one that was just written.
    await written;
    await applyRequests(tx, workspaceId, now, advances);
  }
  return { written };
}

async function writeReviews(tx: Tx, workspaceId: string, now: number, advances: readonly Advance[]): Promise<void> {
  const asked = advances.filter((walk) => walk.newReview !== null || walk.closedReviews.length > 0);
  if (asked.length === 0) return;
  await insertReviews(
    tx,
    workspaceId,
    asked.flatMap((walk) => (walk.newReview ? [walk.newReview] : [])),
  );
  await closeReviews(
    tx,
    now,
    asked.flatMap((walk) => walk.closedReviews),
  );
}

interface WriteRequest<W extends RunWrite> {
  runId: string;
  leadId: string;
  personId: string | null;
  campaignId: string;
  write: W;
}

async function applyRequests(tx: Tx, workspaceId: string, now: number, advances: readonly Advance[]): Promise<void> {
  const requests = advances.flatMap((walk) =>
    walk.writes.map((write) => ({
      runId: walk.run.id,
      leadId: walk.run.leadId,
      personId: walk.run.personId,
      campaignId: walk.run.campaignId,
      write,
    })),
  );
  const of = <T extends RunWrite['type']>(type: T): WriteRequest<Extract<RunWrite, { type: T }>>[] =>
    requests.filter((request): request is WriteRequest<Extract<RunWrite, { type: T }>> => request.write.type === type);
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
  await hearOptOuts(
    tx,
    workspaceId,
    now,
    of('wish').flatMap(({ runId, personId, write: { reason, heardBy } }) =>
      personId ? [{ runId, personId, reason, heardBy }] : [],
    ),
  );
  await notifyMembers(
    tx,
    now,
    of('notify').map(({ write }) => write.notice),
  );
}
