import { z } from 'zod';
import { endAccount } from '../../store/accounts/connected-accounts.ts';
import { dropWaiting } from '../../store/deliveries/read-deliveries.ts';
import { endSyncSchedules } from '../../store/integrations/crm-sync-schedules.ts';
import { whatNeeds } from '../../store/integrations/integration-uses.ts';
import { endIntegration } from '../../store/integrations/integrations.ts';
import { forgetGrant } from '../../store/integrations/oauth-grants.ts';
import { notFound } from '../errors.ts';
import { tool } from '../tool.ts';

export const disconnectIntegration = tool({
  name: 'svc_disconnect_integration',
  domain: 'Integrations',
  title: 'Disconnect integration',
  description:
    'Disconnects and forgets credentials; pushes waiting for it are dropped and listed. Next: svc_list_integrations.',
  example: { input: { integrationId: '$integrationId' } },
  scope: 'integrations:write',
  category: 'write',
  reaches: false,
  hints: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
  workspace: 'record',
  input: z.strictObject({
    integrationId: z.string().min(1),
    confirm: z
      .boolean()
      .default(false)
      .describe(
        'Disconnect although runs, automations or lists need it; without it the answer says which, and nothing is done.',
      ),
  }),
  output: z.object({
    integrationId: z.string(),
    disconnected: z.boolean().describe('false: it is needed; say confirm to disconnect all the same.'),
    droppedDeliveries: z.number(),
    affectedWorkflows: z.array(z.string()),
    affectedAutomations: z.array(z.string()),
    affectedLists: z.array(z.string()).describe('Lists there that are kept in sync; their leads stay.'),
  }),
  async run(ctx, { integrationId, confirm }) {
    return ctx.tx(async (tx) => {
      const found = await tx.row<{ workspace_id: string; open: boolean }>(
        `select workspace_id, deleted_at is null as open from integration where id = $1 for update`,
        [integrationId],
      );
      if (!found) throw notFound('integration', integrationId);
      const workspaceId = found.workspace_id;
      const uses = await whatNeeds(tx, workspaceId, integrationId);
      const told = {
        integrationId,
        droppedDeliveries: found.open ? uses.openCalls : 0,
        affectedWorkflows: uses.workflows,
        affectedAutomations: uses.automations,
        affectedLists: uses.lists,
      };
      const needed = uses.liveRuns || uses.automations.length > 0 || uses.lists.length > 0;
      if (found.open && needed && !confirm) return { ...told, disconnected: false };
      const now = ctx.clocks.product.now();
      const dropped = found.open ? await dropWaiting(tx, integrationId, 'its integration was disconnected', now) : 0;
      if (found.open) {
        await endSyncSchedules(tx, { workspaceId, integrationId }, now);
        await forgetGrant(tx, integrationId);
        await endIntegration(tx, integrationId, now);
        await endAccount(tx, workspaceId, integrationId, now);
      }
      return { ...told, disconnected: true, droppedDeliveries: told.droppedDeliveries + dropped };
    });
  },
});
