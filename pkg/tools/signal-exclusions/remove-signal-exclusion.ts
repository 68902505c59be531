import { z } from 'zod';
import { isUuid } from '../../base/ids.ts';
import { liftExclusion } from '../../store/suppression/exclude.ts';
import { notFound, wrongState } from '../errors.ts';
import { tool } from '../tool.ts';

export const removeSignalExclusion = tool({
  name: 'svc_remove_signal_exclusion',
  domain: 'Signal Exclusions',
  title: 'Remove exclusion',
  description:
    'Removes a manual, imported or customer exclusion; unsubscribes, complaints and erasures cannot be removed. Runs that it ended stay ended. Next: svc_list_signal_exclusions.',
  example: { input: { signalExclusionId: '$signalExclusionId' } },
  scope: 'signals:write',
  category: 'write',
  reaches: true,
  hints: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
  workspace: 'record',
  input: z.strictObject({ signalExclusionId: z.string().min(1) }),
  output: z.object({ signalExclusionId: z.string(), removed: z.boolean() }),
  async run(ctx, { signalExclusionId }) {
    const found = isUuid(signalExclusionId)
      ? await ctx.tx((tx) => liftExclusion(tx, signalExclusionId, ctx.clocks.product.now()))
      : undefined;
    if (!found) throw notFound('signalExclusion', signalExclusionId);
    if (!found.removable) {
      throw wrongState(
        `The exclusion is of source ${found.source}: it is the person's own wish or the law, and nobody lifts it`,
        'svc_list_signal_exclusions',
      );
    }
    return { signalExclusionId, removed: found.lifted };
  },
});
