import type { DemoClient } from './demo-client.ts';

interface ReviewPage {
  reviewItems: { reviewItemId: string; riskFlags: string[]; body: string }[];
  pendingCount: number;
}

/** Hours between two looks into the review queue, product time. */
const LOOK_EVERY_MS = 4 * 3_600_000;

/**
 * Decides reviews as a person would: looks into the queue every few hours, approves what is fine, rejects what has
 * no name to greet. `dueAt` keeps skip-idle from jumping past the next look.
 */
export class DemoReviewer {
  readonly #client: DemoClient;
  approved = 0;
  rejected = 0;
  /** Epoch ms, product time, of the next look. */
  dueAt: number;

  constructor(client: DemoClient, now: number) {
    this.#client = client;
    this.dueAt = now + LOOK_EVERY_MS;
  }

  /** Looks into the queue when it is time; otherwise does nothing. */
  async look(now: number): Promise<void> {
    if (now < this.dueAt) return;
    const page = await this.#client.inWorkspace<ReviewPage>('svc_list_review_items', {
      fields: ['riskFlags', 'body'],
      limit: 100,
    });
    const bad = page.reviewItems.filter((item) => item.riskFlags.includes('too_long') || item.body.includes('{{'));
    const good = page.reviewItems.filter((item) => !bad.includes(item));
    await this.#decide(
      good.map((item) => item.reviewItemId),
      'approve',
    );
    await this.#decide(
      bad.map((item) => item.reviewItemId),
      'reject',
    );
    this.approved += good.length;
    this.rejected += bad.length;
    const more = page.pendingCount > page.reviewItems.length;
    this.dueAt = more ? now : now + LOOK_EVERY_MS;
  }

  async #decide(reviewItemIds: string[], decision: 'approve' | 'reject'): Promise<void> {
    if (reviewItemIds.length === 0) return;
    const reason = decision === 'reject' ? { reason: 'The text does not read well.' } : {};
    await this.#client.call('svc_bulk_decide_review_items', { reviewItemIds, decision, ...reason });
  }
}
