import { z } from 'zod';
import { tool } from '../tool.ts';
import { requireSearchWatch } from './search-watch-row.ts';
import { endWatch } from './watch-schedule.ts';

export const deleteSearchWatch = tool({
  name: 'svc_delete_search_watch',
  domain: 'Topics & Search Watches',
  title: 'Delete search watch',
  description: 'Deletes a topic or search watch; leads it found stay. Next: svc_list_search_watches.',
  example: { input: { searchWatchId: '$searchWatchId' } },
  scope: 'competitors:write',
  category: 'write',
  reaches: false,
  hints: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
  workspace: 'record',
  input: z.strictObject({ searchWatchId: z.string().min(1) }),
  output: z.object({ searchWatchId: z.string(), deleted: z.boolean() }),
  async run(ctx, { searchWatchId }) {
    const now = ctx.clocks.product.now();
    return ctx.tx(async (tx) => {
      await endWatch(tx, await requireSearchWatch(tx, searchWatchId), now);
      return { searchWatchId, deleted: true };
    });
  },
});
