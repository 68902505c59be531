import { z } from 'zod';
import { overallStatus, readSystemHealth } from '../../store/figures/system-health.ts';
import { iso, isoOrNull } from '../times.ts';
import { tool } from '../tool.ts';
import { listFreezes, sendFreeze } from './send-freezes.ts';

/** Catalog record ComponentHealth. */
const componentHealth = z.object({
  name: z.string(),
  status: z.enum(['ok', 'degraded', 'down']),
  detail: z.string(),
  since: z.string().nullable(),
  runbook: z.string(),
});

export const adminGetSystemHealth = tool({
  name: 'svc_admin_get_system_health',
  domain: 'Admin (platform admins only)',
  title: 'Admin: get system health',
  description:
    'Controllers, executors, queue lag, provider error rates, budget breaches and clock skew at a glance. Next: svc_admin_list_dead_letters.',
  example: { input: {}, caller: 'admin' },
  scope: 'admin:read',
  category: 'read',
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  workspace: 'platform',
  input: z.strictObject({}),
  output: z.object({
    status: z.string(),
    components: z.array(componentHealth),
    alerts: z.array(z.string()),
    freezes: z.array(sendFreeze),
  }),
  async run(ctx) {
    const now = { product: ctx.clocks.product.now(), real: ctx.clocks.real.now() };
    const { found, freezes } = await ctx.platformTx(async (tx) => ({
      found: await readSystemHealth(tx, now),
      freezes: await listFreezes(tx),
    }));
    const components = found.map((one) => ({ ...one, since: isoOrNull(one.since) }));
    const alerts = found
      .filter(({ status }) => status !== 'ok')
      .map(
        ({ name, status, detail, since, runbook }) =>
          `${name} ${status === 'down' ? 'down' : 'degraded'} since ${iso(since ?? now.real)}: ${detail}. See ${runbook}.`,
      );
    return { status: overallStatus(found), components, alerts, freezes };
  },
});
