import type { DemoClient } from '../../pkg/standalone/demo/demo-client.ts';
import { until } from './running-home.ts';

const DAY = 86_400_000;

/** One message behind a review, from one account, that may go out on one coming day only; nobody has approved it yet. */
export interface ReviewedCampaign {
  workflowId: string;
  /** The account's id at the provider. */
  externalId: string;
  /** Lead ids by name. */
  leads: Map<string, string>;
  /** Approves all drafts as they stand, once each lead has one. */
  approveAll(): Promise<void>;
  /** State and end of each lead's run, by name. */
  run(name: string): Promise<{ state: string; endReason: string | null; waitReason: string | null }>;
}

/** The next weekday (Monday 1) after tomorrow that is no weekend: the account itself rests then. */
function comingDay(now: number): number {
  const days = [2, 3, 4].map((ahead) => new Date(now + ahead * DAY).getUTCDay());
  return days.find((day) => day >= 1 && day <= 5) ?? 1;
}

/** @param now product time, epoch ms @param names people whom the account is connected with; profiles end in `-<mark>` */
export async function startReviewedCampaign(
  client: DemoClient,
  mark: string,
  names: readonly string[],
  now: number,
): Promise<ReviewedCampaign> {
  const { campaignId } = await client.inWorkspace<{ campaignId: string }>('svc_create_campaign', { title: mark });
  const hours = { timezoneMode: 'fixed', timezone: 'UTC', days: [comingDay(now)], startHour: 0, endHour: 24 };
  await client.call('svc_update_campaign', { campaignId, businessHours: hours });
  const rows = names.map((name) => `${name},${mark},https://www.linkedin.com/in/${name}-${mark}`);
  const csv = ['First Name,Last Name,LinkedIn URL', ...rows].join('\n');
  await client.inWorkspace('svc_import_leads_csv', { csv, campaignId });
  const { networkAccounts } = await client.inWorkspace<{
    networkAccounts: { networkAccountId: string; displayName: string }[];
  }>('svc_list_network_accounts');
  const account = networkAccounts.find((one) => one.displayName === 'Ada Brandt');
  const { workflowId } = await client.call<{ workflowId: string }>('svc_create_workflow', {
    campaignId,
    name: mark,
    graph: GRAPH,
  });
  await client.call('svc_update_workflow', { workflowId, networkAccountIds: [account?.networkAccountId] });
  await client.call('svc_update_workflow_status', { workflowId, enabled: true });
  const found = await client.inWorkspace<{ leads: { leadId: string; firstName: string }[] }>('svc_search_leads', {
    query: mark,
  });
  const leads = new Map(found.leads.map(({ firstName, leadId }) => [firstName, leadId]));
  await client.call('svc_trigger_workflow', { workflowId, leadIds: [...leads.values()] });
  return {
    workflowId,
    externalId: 'acc-ada-brandt',
    leads,
    async approveAll() {
      const list = { workflowId, state: 'pending' };
      const items = await until('a draft per lead', async () => {
        const page = await client.inWorkspace<{ reviewItems: { reviewItemId: string }[] }>(
          'svc_list_review_items',
          list,
        );
        return page.reviewItems.length === names.length && page.reviewItems;
      });
      for (const { reviewItemId } of items) await client.call('svc_approve_review_item', { reviewItemId });
    },
    async run(name) {
      const { runs } = await client.inWorkspace<{
        runs: { state: string; endReason: string | null; waitReason: string | null }[];
      }>('svc_list_workflow_runs', { workflowId, leadId: leads.get(name) });
      return runs[0] ?? { state: 'none', endReason: null, waitReason: null };
    },
  };
}

const GRAPH = {
  nodes: [
    { nodeType: 'source:manual', label: 'Start' },
    { nodeType: 'flow:review', label: 'Look' },
    {
      nodeType: 'network:message',
      label: 'Hello',
      config: { textMode: 'static', text: 'Hello {{lead:firstName}}' },
    },
  ],
  edges: [
    { sourceIndex: 0, targetIndex: 1 },
    { sourceIndex: 1, targetIndex: 2, branch: 'approved' },
  ],
};
