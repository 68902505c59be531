import type { DemoClient } from '../../pkg/standalone/demo/demo-client.ts';

/** The specification's own flow: three leads, view, a day's wait, request; enabled. Profiles end in `-<mark>`. */
export async function startSmallCampaign(
  client: DemoClient,
  mark: string,
): Promise<{ campaignId: string; workflowId: string; warnings: string[] }> {
  const { campaignId } = await client.inWorkspace<{ campaignId: string }>('svc_create_campaign', { title: mark });
  const { icpId } = await client.call<{ icpId: string }>('svc_create_icp', { campaignId, titles: ['VP Sales'] });
  const rows = ['ann', 'bob', 'cy'].map(
    (name) => `${name},Test,VP Sales,Acme,https://www.linkedin.com/in/${name}-${mark}`,
  );
  await client.inWorkspace('svc_import_leads_csv', {
    csv: ['First Name,Last Name,Title,Company,LinkedIn URL', ...rows].join('\n'),
    campaignId,
  });
  await client.call('svc_trigger_icp_scoring', { icpId });
  const { workflowId } = await client.call<{ workflowId: string }>('svc_create_workflow', {
    campaignId,
    name: mark,
    graph: GRAPH,
  });
  const { warnings } = await client.call<{ warnings: string[] }>('svc_update_workflow_status', {
    workflowId,
    enabled: true,
  });
  return { campaignId, workflowId, warnings };
}

const GRAPH = {
  nodes: [
    { nodeType: 'network:profile_view', label: 'View', config: {} },
    { nodeType: 'flow:wait', label: 'Wait', config: { waitType: 'duration', durationMs: 86_400_000 } },
    {
      nodeType: 'network:connection_request',
      label: 'Connect',
      config: { noteMode: 'static', noteTemplate: 'Hi {{lead:firstName}}' },
    },
  ],
  edges: [
    { sourceIndex: 0, targetIndex: 1 },
    { sourceIndex: 1, targetIndex: 2 },
  ],
};
