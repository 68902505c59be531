import type { ReviewRow } from '../store/review-items.ts';
import type { RunRow } from '../store/runs.ts';
import type { Snapshot } from './step.ts';

/** The drafts of this visit of the run's node, decided ones too; a run that was moved back asks anew. Oldest first. */
export function draftsHere(run: RunRow, { reviews }: Pick<Snapshot, 'reviews'>): ReviewRow[] {
  return (reviews.get(run.id) ?? []).filter((item) => item.nodeId === run.nodeId && item.createdAt >= run.enteredAt);
}
