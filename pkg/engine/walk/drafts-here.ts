import type { ReviewRow } from '../../store/reviews/review-items.ts';
import type { RunRow } from '../../store/runs/runs.ts';
import type { Advance, Snapshot } from './step.ts';

/** The drafts of this visit of the run's node, decided ones too; a run that was moved back asks anew. Oldest first. */
export function draftsHere(run: RunRow, { reviews }: Pick<Snapshot, 'reviews'>): ReviewRow[] {
  return (reviews.get(run.id) ?? []).filter((item) => item.nodeId === run.nodeId && item.createdAt >= run.enteredAt);
}

/** Nobody is asked about a text for which the run does not wait: whatever took it away from its draft, another version of the graph too. */
export function takeBackLeft(walk: Advance, snap: Pick<Snapshot, 'reviews'>): void {
  const { run, closedReviews } = walk;
  const pending = (snap.reviews.get(run.id) ?? []).filter(
    ({ id, state }) => state === 'pending' && !closedReviews.some((closed) => closed.id === id),
  );
  if (pending.length === 0) return;
  const kept = run.state === 'in_review' && !walk.newReview ? draftsHere(run, snap) : [];
  for (const item of pending) if (!kept.includes(item)) closedReviews.push({ id: item.id, state: 'needless' });
}

/** Nothing is approved for this send any more: the one who comes there again has the text put before people. */
export function forgetApproved({ facts }: Advance, sendNodeId: string): void {
  for (const kind of ['approved', 'approvedSubjects'] as const) {
    const texts = facts[kind];
    if (texts?.[sendNodeId] === undefined) continue;
    facts[kind] = Object.fromEntries(Object.entries(texts).filter(([nodeId]) => nodeId !== sendNodeId));
  }
}
