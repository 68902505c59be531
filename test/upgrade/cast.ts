import { kubectl } from '../tools/kubectl.ts';
import type { OldHome } from './old-home.ts';
import { importPeople, type Person } from './people.ts';

/** The hours of all campaigns but one. */
export const WEEKDAYS = { timezoneMode: 'fixed', timezone: 'UTC', days: [1, 2, 3, 4, 5], startHour: 8, endHour: 18 };

/** A workspace of the home with what its scenes need. */
export interface Cast {
  workspaceId: string;
  campaignId: string;
  /** Makes an enabled workflow. @returns its id */
  workflow(name: string, graph: object, campaignId?: string): Promise<string>;
  /** Imports people. @returns their lead ids */
  people(who: readonly Person[], campaignId?: string): Promise<string[]>;
  trigger(workflowId: string, leadIds: string[]): Promise<void>;
}

interface Enrolment {
  enrolled: number;
  skipped: { leadId: string; reason: string }[];
}

/** @param campaignId of the campaign that its workflows and people belong to */
export function castOf(home: OldHome, workspaceId: string, campaignId: string): Cast {
  return {
    workspaceId,
    campaignId,
    async workflow(name, graph, of = campaignId) {
      const { workflowId } = await home.call<{ workflowId: string }>(
        'svc_create_workflow',
        { campaignId: of, name, graph },
        workspaceId,
      );
      await home.call('svc_update_workflow_status', { workflowId, enabled: true }, workspaceId);
      return workflowId;
    },
    people: (who, of = campaignId) => importPeople(home, workspaceId, of, who),
    async trigger(workflowId, leadIds) {
      const input = { workflowId, leadIds };
      const { enrolled, skipped } = await home.call<Enrolment>('svc_trigger_workflow', input, workspaceId);
      if (enrolled !== leadIds.length) throw new Error(`not enrolled: ${JSON.stringify(skipped)}`);
    },
  };
}

/** A second workspace, applied with kubectl; an account of the first works for it too. One object is not well, another one rests. */
export async function otherWorkspace(home: OldHome): Promise<Cast> {
  const apply = async (kind: string, name: string, spec: object): Promise<void> => {
    const object = { apiVersion: 'outrider.dev/v1alpha1', kind, metadata: { name }, spec };
    const { code, stderr } = await kubectl(home.connection.kubeconfig, ['apply', '-f', '-'], {
      input: JSON.stringify(object),
    });
    if (code !== 0) throw new Error(stderr);
  };
  await apply('Workspace', 'acme', { displayName: 'Acme', owner: 'owner@acme.example', timezone: 'UTC' });
  await apply('Workspace', 'resting', {
    displayName: 'Resting',
    owner: 'owner@acme.example',
    operatingMode: 'Suspended',
  });
  await apply('Campaign', 'acme-winter', {
    workspaceRef: { name: 'acme' },
    title: 'Winter at Acme',
    businessHours: WEEKDAYS,
  });
  await apply('Workflow', 'acme-broken', {
    campaignRef: { name: 'acme-winter' },
    name: 'Leads to nowhere',
    enabled: true,
    graph: { nodes: [{ nodeId: 'a', nodeType: 'network:teleport', label: 'A', config: {} }], edges: [] },
  });
  const args = ['wait', '--for=condition=Ready', 'ows/acme', 'ocamp/acme-winter', '--timeout=60s'];
  const { code, stderr } = await kubectl(home.connection.kubeconfig, args);
  if (code !== 0) throw new Error(stderr);
  const account = await accountOf(home, 'Ben Okafor');
  await home.call('svc_admin_link_account', {
    action: 'link',
    accountKind: 'network',
    accountId: account,
    workspaceId: 'acme',
  });
  return castOf(home, 'acme', 'acme-winter');
}

async function accountOf(home: OldHome, name: string): Promise<string> {
  const [row] = await home.sql<{ id: string }>('select id from network_account where display_name = $1', [name]);
  if (!row) throw new Error(`there is no account of ${name}`);
  return row.id;
}
