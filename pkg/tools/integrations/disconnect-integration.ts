import { z } from 'zod';
import { dropWaiting } from '../../store/deliveries/read-deliveries.ts';
import { endIntegration } from '../../store/integrations/integrations.ts';
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
  hints: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
  workspace: 'record',
  input: z.strictObject({ integrationId: z.string().min(1) }),
  output: z.object({
    integrationId: z.string(),
    disconnected: z.boolean(),
    droppedDeliveries: z.number(),
    affectedWorkflows: z.array(z.string()),
  }),
  async run(ctx, { integrationId }) {
    return ctx.tx(async (tx) => {
      const found = await tx.row<{ workspace_id: string; open: boolean }>(
        `select workspace_id, deleted_at is null as open from integration where id = $1 for update`,
        [integrationId],
      );
      if (!found) throw notFound('integration', integrationId);
      const workflows = await tx.rows<{ id: string }>(
        `select w.id
         from workflow w
         join workflow_graph g on g.workflow_id = w.id and g.version = w.graph_version
         where w.workspace_id = $1
           and w.deleted_at is null
           and exists (
             select 1
             from jsonb_array_elements(g.graph -> 'nodes') n
             where n -> 'config' ->> 'integrationId' = $2
           )
         order by w.id limit 1000`,
        [found.workspace_id, integrationId],
      );
      // Runs that wait with an open call to it take the outcome `failed` at their next look.
      const open = await tx.row<{ n: number }>(
        `select count(*)::int as n
         from node_call c
         join run r on r.id = c.run_id
         join workflow_graph g on g.workflow_id = r.workflow_id and g.version = r.graph_version
         where c.workspace_id = $1
           and c.state = 'claimed'
           and r.send_id = c.id
           and r.ended_at is null
           and exists (
             select 1
             from jsonb_array_elements(g.graph -> 'nodes') n
             where n ->> 'nodeId' = c.node_id and n -> 'config' ->> 'integrationId' = $2
           )`,
        [found.workspace_id, integrationId],
      );
      const now = ctx.clocks.product.now();
      const told = found.open ? await dropWaiting(tx, integrationId, 'its integration was disconnected', now) : 0;
      if (found.open) await endIntegration(tx, integrationId, now);
      return {
        integrationId,
        disconnected: true,
        droppedDeliveries: found.open ? told + (open?.n ?? 0) : 0,
        affectedWorkflows: workflows.map((row) => row.id),
      };
    });
  },
});
