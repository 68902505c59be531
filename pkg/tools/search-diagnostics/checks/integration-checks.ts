import { notFound } from '../../errors.ts';
import { type Check, type CheckContext, fail, pass } from './check.ts';
import { freezeCheck } from './freeze-check.ts';

interface Integration {
  name: string;
  provider: string;
  status: string;
  failures_in_row: number;
  last_error: string | null;
  /** Enabled workflows with a node that goes through it. */
  workflows: number;
}

/** Why nothing goes through an integration. */
export async function integrationChecks(context: CheckContext): Promise<Check[]> {
  const { tx, workspaceId, targetId } = context;
  const row = await tx.row<Integration>(
    `select
       i.name,
       i.provider,
       i.status,
       i.failures_in_row,
       i.last_error,
       (
         select count(*)
         from workflow f
         join workflow_graph g on g.workflow_id = f.id and g.version = f.graph_version
         where f.workspace_id = $1
           and f.enabled
           and f.deleted_at is null
           and jsonb_path_exists(
             g.graph,
             '$.nodes[*].config.integrationId ? (@ == $id)',
             jsonb_build_object('id', i.id)
           )
       )::int as workflows
     from integration i
     where i.id = $2 and i.workspace_id = $1 and i.deleted_at is null`,
    [workspaceId, targetId],
  );
  if (!row) throw notFound('integration', targetId);
  const { provider, status, failures_in_row: failures, last_error: error, workflows } = row;
  const again = { workspaceId, integrationId: targetId, provider };
  const refused = status === 'needs_auth';
  return [
    refused
      ? fail(
          'credentials',
          `${provider} refuses the credentials (${error}); renew them by the same integrationId.`,
          'svc_connect_integration',
          again,
        )
      : pass('credentials', `${provider} takes the credentials.`),
    failures > 0 && !refused
      ? fail(
          'deliveries',
          `The last ${failures} deliveries failed (${error}); connecting again by the same integrationId tries it.`,
          'svc_connect_integration',
          again,
        )
      : pass('deliveries', 'The last delivery did not fail.'),
    workflows === 0
      ? fail('used', 'No enabled workflow has a node that goes through it.', 'svc_update_workflow')
      : pass('used', `${workflows} enabled workflows go through it.`),
    // What is pushed into systems outside is held with the webhooks.
    await freezeCheck({ ...context, channels: ['', 'webhook'] }, { noSenders: true }),
  ];
}
