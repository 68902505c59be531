import { eventually } from './patient.ts';
import type { Release } from './release.ts';

/** Hours that never close: the cluster runs on real time. */
export const ALWAYS = { days: [1, 2, 3, 4, 5, 6, 7], startHour: 0, endHour: 24, timezoneMode: 'account' };
export const API = 'outrider.dev/v1alpha1';

/** What the sandbox performed. */
export interface Received {
  kind: string;
  accountId: string;
  target: string;
  text: string;
}

/** A workspace with an account, a campaign and a workflow that says hello, all applied with kubectl. */
export interface Team {
  workspace: string;
  campaign: string;
  workflow: string;
  accountId: string;
  /** Imports people who are connected with the account; nobody is messaged yet. @returns their lead ids */
  people(...names: string[]): Promise<string[]>;
  trigger(leadIds: string[]): Promise<void>;
  /** Imports and triggers, at once: pauses between messages are skipped. */
  greet(...names: string[]): Promise<void>;
  /** The same, but the message goes out only after so long (real ms). */
  greetIn(ms: number, ...names: string[]): Promise<void>;
  /** Messages that reached people of this team. */
  messages(): Promise<Received[]>;
  /** Waits until so many messages arrived. */
  arrived(count: number, withinMs?: number): Promise<Received[]>;
}

/**
 * @param name of the workspace; the other names follow from it
 * @param namespace a tenant's; default: the release's own
 */
export async function makeTeam(release: Release, name: string, namespace?: string): Promise<Team> {
  const [campaign, workflow] = [`${name}-pilot`, `${name}-hello`];
  const there = namespace === undefined ? release : release.within(namespace);
  const idOf = (object: string): string => (namespace === undefined ? object : `${namespace}.${object}`);
  await there.apply(workspaceOf(name));
  await there.apply({
    apiVersion: API,
    kind: 'Campaign',
    metadata: { name: campaign },
    spec: { workspaceRef: { name }, title: 'Pilot', goal: 'meetings', businessHours: ALWAYS },
  });
  await there.apply(workflowOf(workflow, campaign));
  await there.kubectl('wait', '--for=condition=Ready', `ows/${name}`, `ocamp/${campaign}`, '--timeout=60s');
  const externalId = `acc-${name}`;
  const { accountId } = await release.call<{ accountId: string }>('svc_admin_link_account', {
    action: 'register',
    accountKind: 'network',
    tier: 'premium',
    displayName: name,
    externalId,
    timezone: 'UTC',
  });
  const link = { action: 'link', accountKind: 'network', accountId, workspaceId: idOf(name) };
  await release.call('svc_admin_link_account', link);
  // Open at all hours, no account is new, none pauses between messages: the cluster's clock is real.
  await release.sql(
    `update network_account set business_hours = $1, ramp_enabled = false, pacing = '{"maxGapSeconds": 0}' where id = $2`,
    [ALWAYS, accountId],
  );
  await there.kubectl('wait', '--for=condition=Ready', `owf/${workflow}`, '--timeout=60s');
  const messages = async (): Promise<Received[]> => {
    const all = await release.sandbox<Received[]>('GET', 'received');
    return all.filter((one) => one.kind === 'message' && one.accountId === externalId);
  };
  const trigger = async (leadIds: string[]): Promise<void> =>
    void (await release.call('svc_trigger_workflow', { workflowId: idOf(workflow), leadIds }));
  /** As if the account had acted just now and paused for so long; 0: it does not pause. */
  const pauseFor = async (ms: number): Promise<void> => {
    const pacing = ms > 0 ? null : { maxGapSeconds: 0 };
    await release.sql('update network_account set pacing = $1 where id = $2', [pacing, accountId]);
    if (ms === 0) return;
    await release.sql('delete from account_slot where account_id = $1 and acted', [accountId]);
    await release.sql(
      `insert into account_slot (account_id, heavy, at, free_at, workspace_id, run_id, budgets, acted)
       select $1, true, now.ms, now.ms + $2, $3, gen_random_uuid(), '{}', true
       from (select (extract(epoch from clock_timestamp()) * 1000)::bigint as ms) as now`,
      [accountId, ms, idOf(name)],
    );
  };
  const team: Team = {
    workspace: name,
    campaign,
    workflow,
    accountId,
    messages,
    trigger,
    greet: (...names) => team.greetIn(0, ...names),
    async greetIn(ms, ...names) {
      const leads = await team.people(...names);
      await pauseFor(ms);
      await trigger(leads);
    },
    async people(...names) {
      // Each at a company of their own: no more than three people of one are written to in a day.
      const rows = names.map(
        (first) => `${first},Of ${name},${first} and Sons,https://www.linkedin.com/in/${name}-${first.toLowerCase()}`,
      );
      for (const first of names) {
        await release.sandbox('POST', 'people', { publicId: `${name}-${first.toLowerCase()}`, behaviour: 'connected' });
      }
      const csv = `firstName,lastName,company,profileUrl\n${rows.join('\n')}\n`;
      await release.call('svc_import_leads_csv', { workspaceId: idOf(name), campaignId: idOf(campaign), csv });
      const { leads } = await release.call<{ leads: { leadId: string; firstName: string }[] }>('svc_search_leads', {
        workspaceId: idOf(name),
        limit: 100,
      });
      return leads.filter((lead) => names.includes(lead.firstName)).map((lead) => lead.leadId);
    },
    async arrived(count, withinMs = 60_000) {
      return eventually(
        `${count} messages of ${name}`,
        async () => {
          const found = await messages();
          return found.length >= count && found;
        },
        withinMs,
      );
    },
  };
  return team;
}

export function workspaceOf(name: string, spec: object = {}): object {
  return {
    apiVersion: API,
    kind: 'Workspace',
    metadata: { name },
    spec: { displayName: name, owner: 'admin@example.com', businessHours: ALWAYS, ...spec },
  };
}

export function workflowOf(name: string, campaign: string, text = 'Hello {{lead:firstName}}'): object {
  return {
    apiVersion: API,
    kind: 'Workflow',
    metadata: { name },
    spec: {
      campaignRef: { name: campaign },
      name,
      enabled: true,
      graph: {
        nodes: [
          { nodeId: 'leads', nodeType: 'source:manual', label: 'Leads', config: {} },
          { nodeId: 'hello', nodeType: 'network:message', label: 'Hello', config: { textMode: 'static', text } },
        ],
        edges: [{ sourceIndex: 0, targetIndex: 1 }],
      },
    },
  };
}

/** The name of a workspace's pod. */
export async function executorOf(release: Release, workspace: string): Promise<string> {
  return eventually(
    `the executor of ${workspace}`,
    async () => {
      const name = await release.kubectl('get', 'ows', workspace, '-o', 'jsonpath={.status.executor.podName}');
      return name !== '' && name;
    },
    60_000,
  );
}
