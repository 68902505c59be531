import { z } from 'zod';
import type { Tx } from '../../postgres/database.ts';
import { databaseClock, effectsSince, type FrozenAt, transactionId } from '../../store/ledger/effects-since.ts';
import { type FreezeKey, freezeSends, liftFreeze } from '../../store/ledger/send-freezes.ts';
import { wakeWaiting } from '../../store/runs/waiting-runs.ts';
import { actorOf } from '../actor-of.ts';
import { invalidInput } from '../errors.ts';
import { dateTime } from '../times.ts';
import { tool } from '../tool.ts';
import type { ToolContext } from '../tool-context.ts';
import { requireAdminWorkspace, requireNetworkAccount } from './require-workspace.ts';
import { listFreezes, sendFreeze } from './send-freezes.ts';

const input = z.strictObject({
  frozen: z.boolean(),
  workspaceId: z.string().min(1).optional(),
  accountId: z.string().min(1).optional(),
  channel: z.enum(['network', 'mail', 'content', 'webhook']).optional(),
  until: dateTime.optional(),
  reason: z.string().min(1).max(500).describe('Kept in the audit log.'),
});
type Request = z.output<typeof input>;

/** The ledger reads the freeze at every dispatch; a request that is being written may still leave. */
const EFFECTIVE_WITHIN_SECONDS = 5;
/** Between looks whether a dispatch of before the freeze is still under way (real ms). */
const LOOK_EVERY_MS = 100;

export const adminSetSendFreeze = tool({
  name: 'svc_admin_set_send_freeze',
  domain: 'Admin (platform admins only)',
  title: 'Admin: set send freeze',
  description:
    'Stops (or releases) every outward action platform-wide, per workspace, account or channel; the kill switch. Next: svc_admin_get_system_health.',
  example: {
    input: { frozen: true, workspaceId: '$newWorkspaceId', channel: 'mail', reason: 'their domain moves' },
    caller: 'admin',
  },
  scope: 'admin:write',
  category: 'write',
  reaches: true,
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  workspace: 'platform',
  input,
  output: z.object({
    freezes: z.array(sendFreeze),
    effectiveWithinSeconds: z.number(),
    /** From the call to the last effect that still left, measured; null: none did, or nothing was frozen. */
    lastEffectAfterMs: z.number().nullable(),
  }),
  async run(ctx, request) {
    if (request.workspaceId !== undefined && request.accountId !== undefined) {
      throw invalidInput('accountId', 'give workspaceId or accountId, not both');
    }
    const since = await ctx.platformTx(databaseClock);
    const { key, freezes, eased, xid } = await ctx.platformTx(async (tx) => {
      const { scope, target } = await scopeOf(tx, request);
      const key = { scope, target, channel: request.channel ?? '' };
      const eased = request.frozen ? await freeze(ctx, tx, key, request) : await lift(ctx, tx, key);
      return { key, freezes: await listFreezes(tx), eased, xid: await transactionId(tx) };
    });
    const over = { reason: 'send_freeze', workspaceId: null, now: ctx.clocks.product.now() } as const;
    if (eased) await wakeWaiting(ctx.platformTx, over);
    const lastEffectAfterMs = request.frozen ? await lastEffect(ctx, key, { since, xid }) : null;
    return { freezes, effectiveWithinSeconds: EFFECTIVE_WITHIN_SECONDS, lastEffectAfterMs };
  },
});

/** Waits for the dispatches that looked before the freeze was there, and no longer than it takes to be in force. */
async function lastEffect(ctx: ToolContext, key: FreezeKey, frozen: FrozenAt): Promise<number | null> {
  const { real } = ctx.clocks;
  const until = real.now() + EFFECTIVE_WITHIN_SECONDS * 1_000;
  for (;;) {
    const { lastAfterMs, over } = await ctx.platformTx((tx) => effectsSince(tx, key, frozen));
    if (over || real.now() >= until) return lastAfterMs;
    await real.sleep(LOOK_EVERY_MS, ctx.signal);
  }
}

async function scopeOf(tx: Tx, request: Request): Promise<Pick<FreezeKey, 'scope' | 'target'>> {
  if (request.workspaceId !== undefined) {
    await requireAdminWorkspace(tx, request.workspaceId);
    return { scope: 'workspace', target: request.workspaceId };
  }
  if (request.accountId !== undefined) {
    await requireNetworkAccount(tx, request.accountId);
    return { scope: 'account', target: request.accountId };
  }
  return { scope: 'platform', target: '' };
}

/** Who waits for a freeze that stood already waits for its new end. @returns whether somebody may wait for it already */
function freeze(ctx: ToolContext, tx: Tx, key: FreezeKey, request: Request): Promise<boolean> {
  return freezeSends(tx, key, {
    id: ctx.ids.uuid(),
    until: request.until === undefined ? null : Date.parse(request.until),
    reason: request.reason,
    by: actorOf(ctx),
    now: ctx.clocks.product.now(),
  });
}

async function lift(ctx: ToolContext, tx: Tx, key: FreezeKey): Promise<true> {
  await liftFreeze(tx, key, ctx.clocks.product.now());
  return true;
}
