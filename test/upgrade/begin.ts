import { type Cast, WEEKDAYS } from './cast.ts';
import { BY_MAIL, CRAFTED_MESSAGE, FIRST_CONTACT, GREETING, intoCrm, REQUEST, REVIEWED_MESSAGE } from './graphs.ts';
import type { OldHome } from './old-home.ts';
import { CRAFTED, GREETED, MAILED, ON_MONDAY, OTHERS, PUSHED, REFUSED, REVIEWED, STRANGERS } from './people.ts';

const MONDAYS = { ...WEEKDAYS, days: [1] };

/** Workflows that wait for people when the program is interrupted, and who is left. */
export interface Flows {
  greet: string;
  request: string;
  mail: string;
  craft: string;
  others: string;
  mondays: string;
  /** Leads that nobody was written to yet. */
  left: {
    greeted: string[];
    refused: string[];
    mailed: string[];
    others: string[];
    crafted: string[];
    onMonday: string[];
  };
}

/** People, keys, integrations, a mailbox, a playbook. */
export async function setUpOffice(home: OldHome, workspaceId: string): Promise<void> {
  const { key } = await home.call<{ key: string }>('svc_create_api_key', {
    workspaceId,
    name: 'Reports',
    scopes: ['campaigns:read'],
    keyType: 'workspace',
  });
  if (!key.startsWith('cs_')) throw new Error('no key was made');
  const gone = await home.call<{ apiKeyId: string }>('svc_create_api_key', {
    workspaceId,
    name: 'Old reports',
    scopes: ['campaigns:read'],
    keyType: 'workspace',
  });
  await home.call('svc_revoke_api_key', { apiKeyId: gone.apiKeyId });
  await home.call('svc_create_invitation', { workspaceId, email: 'new@agency.example', role: 'member' });
  await home.call('svc_update_workspace', { workspaceId, timezone: 'Europe/Berlin' });
  await home.call('svc_regenerate_playbook', { workspaceId, instructions: 'Plain and short' });
  await home.cli('mailbox', 'connect', 'olivia@agency.example', '--name', 'Olivia', '--timezone', 'Europe/Berlin');
}

/** Everything that lives on by itself. @returns what is begun later */
export async function begin(home: OldHome, demo: Cast, other: Cast): Promise<Flows> {
  const { campaignId } = demo;
  await home.call('svc_create_persona', { campaignId, name: 'Head of sales', painPoints: ['Outreach by hand'] });
  await home.call('svc_create_phase', { campaignId, name: 'First contact', phaseType: 'outreach' });
  const { icpId } = await home.call<{ icpId: string }>('svc_create_icp', { campaignId, titles: ['Head of Sales'] });
  const strangers = await demo.people(STRANGERS);
  const [reviewed, greeted, refused, mailed, crafted] = [
    await demo.people(REVIEWED),
    await demo.people(GREETED),
    await demo.people(REFUSED),
    await demo.people(MAILED),
    await demo.people(CRAFTED),
  ];
  await home.call('svc_trigger_icp_scoring', { icpId });
  await demo.trigger(await demo.workflow('First contact', FIRST_CONTACT), strangers);
  await demo.trigger(await demo.workflow('Reviewed', REVIEWED_MESSAGE), reviewed);
  const craft = await demo.workflow('Crafted', CRAFTED_MESSAGE);
  await demo.trigger(craft, crafted.slice(0, 2));
  const mail = await demo.workflow('By mail', BY_MAIL);
  await demo.trigger(mail, mailed.slice(0, 3));
  await pushIntoCrm(home, demo, await demo.people(PUSHED));
  const monday = await home.call<{ campaignId: string }>('svc_create_campaign', {
    workspaceId: demo.workspaceId,
    title: 'Mondays',
  });
  await home.call('svc_update_campaign', { campaignId: monday.campaignId, businessHours: MONDAYS });
  const onMonday = await demo.people(ON_MONDAY, monday.campaignId);
  await keepLists(home, demo, greeted);
  const others = await other.people(OTHERS);
  const flows = {
    greet: await demo.workflow('Greeting', GREETING),
    request: await demo.workflow('Request', REQUEST),
    mail,
    craft,
    others: await other.workflow('Greeting', GREETING),
    mondays: await demo.workflow('On Mondays', GREETING, monday.campaignId),
    left: { onMonday, greeted, refused, mailed: mailed.slice(3), others, crafted: crafted.slice(2) },
  };
  await approve(home, demo, 1);
  return flows;
}

/** A list, a query that is kept, and one person of whom everything is to be forgotten. */
async function keepLists(home: OldHome, { workspaceId }: Cast, leads: readonly string[]): Promise<void> {
  const { leadListId } = await home.call<{ leadListId: string }>('svc_create_lead_list', {
    workspaceId,
    name: 'Friends',
  });
  await home.call('svc_add_leads_to_list', { leadListId, leadIds: leads.slice(0, 3) });
  const predicate = { hasEmail: true };
  await home.call('svc_create_query_lead_list', { workspaceId, name: 'With an address', predicate });
  await home.call('svc_erase_lead', { leadId: leads.at(-1), reason: 'data_subject_request' });
}

/** Approves some drafts; the rest waits for a person. */
async function approve(home: OldHome, { workspaceId }: Cast, count: number): Promise<void> {
  const items = await home.until('drafts wait for a person', async () => {
    const page = await home.call<{ reviewItems: { reviewItemId: string }[] }>('svc_list_review_items', {
      workspaceId,
      state: 'pending',
    });
    return page.reviewItems.length >= REVIEWED.length && page.reviewItems;
  });
  for (const { reviewItemId } of items.slice(0, count)) await home.call('svc_approve_review_item', { reviewItemId });
}

async function pushIntoCrm(home: OldHome, demo: Cast, leads: string[]): Promise<void> {
  const { sandboxApiKey } = await home.secrets();
  const { integrationId } = await home.call<{ integrationId: string }>('svc_connect_integration', {
    workspaceId: demo.workspaceId,
    provider: 'hubspot',
    credentials: { token: sandboxApiKey, url: `${home.connection.sandboxUrl}/outside/hubspot` },
  });
  await demo.trigger(await demo.workflow('CRM', intoCrm(integrationId)), leads);
  await home.until('the CRM has them', async () => {
    const [row] = await home.sql<{ count: number }>(
      `select count(*)::int as count from node_call where state = 'settled'`,
    );
    return (row?.count ?? 0) >= leads.length;
  });
}
