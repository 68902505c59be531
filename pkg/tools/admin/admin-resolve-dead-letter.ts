import { z } from 'zod';
import { isUuid } from '../../base/ids.ts';
import { actorOf } from '../actor-of.ts';
import { notFound, wrongState } from '../errors.ts';
import { tool } from '../tool.ts';

export const adminResolveDeadLetter = tool({
  name: 'svc_admin_resolve_dead_letter',
  domain: 'Admin (platform admins only)',
  title: 'Admin: resolve dead letter',
  description:
    'Retries a dead action, or records by hand that it did or did not happen; an unknown send is never retried before it is looked up. Next: svc_admin_list_dead_letters.',
  example: {
    input: { deadLetterId: '$deadLetterId', resolution: 'mark_done', reason: 'seen in the conversation' },
    caller: 'admin',
  },
  scope: 'admin:write',
  category: 'write',
  reaches: true,
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: true },
  workspace: 'platform',
  input: z.strictObject({
    deadLetterId: z.string().min(1),
    resolution: z.enum(['lookup', 'retry', 'mark_done', 'mark_not_done', 'discard']),
    reason: z.string().min(1).max(500).describe('Kept in the audit log.'),
  }),
  output: z.object({ deadLetterId: z.string(), state: z.string() }),
  async run(ctx, input) {
    if (!isUuid(input.deadLetterId)) throw notFound('deadLetter', input.deadLetterId);
    const who = actorOf(ctx);
    const state = await ctx.platformTx(async (tx) => {
      const values = [input.deadLetterId, input.resolution, ctx.clocks.product.now(), who, input.reason];
      const send = await tx.row<{ state: string }>('select app.resolve_send($1, $2, $3, $4, $5) as state', values);
      if (send && send.state !== 'not_found') return send.state;
      const call = await tx.row<{ state: string }>('select app.resolve_call($1, $2, $3, $4, $5) as state', values);
      return call?.state ?? 'not_found';
    });
    if (state === 'not_found') throw notFound('deadLetter', input.deadLetterId);
    if (state === 'outcome_unknown') {
      throw wrongState(
        'The outcome of this action is unknown; look it up or mark it before a retry',
        'svc_admin_resolve_dead_letter',
      );
    }
    if (state === 'not_looked_up') {
      throw wrongState(
        'Its look-ups failed for a day and ended; look into the system it was pushed to, then mark it',
        'svc_admin_resolve_dead_letter',
      );
    }
    return { deadLetterId: input.deadLetterId, state };
  },
});
