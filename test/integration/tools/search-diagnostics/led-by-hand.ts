import type { DiagnoseFixture, Diagnosis } from '../../../fixtures/tools/diagnose-fixture.ts';

export interface Led {
  rival: DiagnoseFixture['acme'];
  /** Checks and tools in the order in which they came. */
  followed: string[];
  workflowId: string;
}

/** What somebody does who knows no more than what `svc_diagnose` says: the tool of the first blocker, again and again. */
export async function ledByHand(fixture: DiagnoseFixture): Promise<Led> {
  const rival = fixture.log.watch(await fixture.tools.as({ workspace: 'rival' }), 'rival');
  const { campaignId } = await rival.call<{ campaignId: string }>('svc_create_campaign', { title: 'First' });
  let workflowId = '';
  const graph = { nodes: [{ nodeType: 'network:profile_view' }], edges: [] };
  const steps: Record<string, () => Promise<unknown>> = {
    svc_admin_link_account: () =>
      fixture.boss.call('svc_admin_link_account', {
        action: 'register',
        accountKind: 'network',
        workspaceId: 'rival',
        externalId: 'rita',
      }),
    svc_import_leads_csv: () =>
      rival.call('svc_import_leads_csv', { csv: 'Name,Email\nAda Lead,ada@r.example\n', campaignId }),
    svc_create_workflow: async () => {
      const made = { campaignId, name: 'W', graph };
      ({ workflowId } = await rival.call<{ workflowId: string }>('svc_create_workflow', made));
    },
    svc_update_workflow_status: () => rival.call('svc_update_workflow_status', { workflowId, enabled: true }),
  };
  const followed: string[] = [];
  for (let step = 0; step < 10; step++) {
    const { firstBlocker, nextTool } = await rival.call<Diagnosis>('svc_diagnose', { target: 'workspace' });
    if (firstBlocker === null) break;
    followed.push(`${firstBlocker.check}: ${nextTool}`);
    await steps[nextTool ?? '']?.();
  }
  return { rival, followed, workflowId };
}
