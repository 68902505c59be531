import { admin, startToolCalls, type ToolCalls } from '../../tools/tool-calls.ts';

/** A workspace ready to run: an account, a campaign, leads, and the specification's example workflow. */
export interface Stage {
  tools: ToolCalls;
  campaignId: string;
  accountId: string;
  workflowId: string;
  /** Ids of the leads by first name. */
  leads: Record<string, string>;
}

/** The specification's own example: no source, three steps. */
export const SPEC_GRAPH = {
  nodes: [
    { nodeType: 'network:profile_view', label: 'View', config: {} },
    { nodeType: 'flow:wait', label: 'Wait', config: { waitType: 'duration', durationMs: 86_400_000 } },
    {
      nodeType: 'network:connection_request',
      label: 'Connect',
      config: { noteMode: 'static', noteTemplate: 'Hi {{lead:firstName}} of {{lead:company}}' },
    },
  ],
  edges: [
    { sourceIndex: 0, targetIndex: 1 },
    { sourceIndex: 1, targetIndex: 2 },
  ],
};

const NAMES = ['Ada', 'Bo', 'Cy', 'Di', 'Ed'];

export async function startStage(): Promise<Stage> {
  const tools = await startToolCalls();
  tools.cluster.clock.at = Date.UTC(2026, 2, 2, 10);
  const { accountId } = await tools.call<{ accountId: string }>(
    'svc_admin_link_account',
    { action: 'register', accountKind: 'network', workspaceId: 'acme', displayName: 'Sam Sender', externalId: 'sam' },
    admin(),
  );
  const { campaignId } = await tools.call<{ campaignId: string }>('svc_create_campaign', { title: 'Growth' });
  const rows = NAMES.map(
    (name) => `${name} Lead,${name.toLowerCase()}@x.example,Firm ${name},${name.toLowerCase()}-lead`,
  );
  await tools.call('svc_import_leads_csv', { csv: `Name,Email,Company,LinkedIn\n${rows.join('\n')}\n` });
  const { leads: found } = await tools.call<{ leads: { leadId: string; firstName: string }[] }>('svc_search_leads', {});
  const leads = Object.fromEntries(found.map((lead) => [lead.firstName, lead.leadId]));
  const { workflowId } = await tools.call<{ workflowId: string }>('svc_create_workflow', {
    campaignId,
    name: 'Hello',
    graph: SPEC_GRAPH,
  });
  return { tools, campaignId, accountId, workflowId, leads };
}
