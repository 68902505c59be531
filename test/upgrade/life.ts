import { sleepReal } from '../../pkg/base/clock.ts';
import { kubectl } from '../tools/kubectl.ts';
import { BY_MAIL, CRAFTED_MESSAGE, FIRST_CONTACT, GREETING, intoCrm, REQUEST, REVIEWED_MESSAGE } from './graphs.ts';
import type { OldHome } from './old-home.ts';
import {
  CRAFTED,
  GREETED,
  importPeople,
  MAILED,
  ON_MONDAY,
  OTHERS,
  type Person,
  PUSHED,
  REFUSED,
  REVIEWED,
  STRANGERS,
} from './people.ts';
import type { SlowWriter } from './slow-writer.ts';

/** A Monday, early, so that it lies before any machine's present. */
export const BEGIN = Date.UTC(2026, 0, 5, 7);
/** Friday, in the hours of all accounts. */
const INTERRUPTED = Date.UTC(2026, 0, 9, 10);

const WEEKDAYS = { timezoneMode: 'fixed', timezone: 'UTC', days: [1, 2, 3, 4, 5], startHour: 8, endHour: 18 };
const MONDAYS = { ...WEEKDAYS, days: [1] };

/** A workspace of the home with what its scenes need. */
interface Cast {
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

function castOf(home: OldHome, workspaceId: string, campaignId: string): Cast {
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

/** Lets a home of the old program live for nine days, and leaves it in the middle of its work. */
export async function live(home: OldHome, writer: SlowWriter): Promise<void> {
  const { workspaceId } = home.connection;
  const said = (text: string): void => console.log(text);
  await setUpOffice(home, workspaceId);
  said('office');
  const { campaignId } = await home.call<{ campaignId: string }>('svc_create_campaign', {
    workspaceId,
    title: 'Winter',
    goal: 'Ten conversations',
  });
  await home.call('svc_update_campaign', { campaignId, businessHours: WEEKDAYS });
  const demo = castOf(home, workspaceId, campaignId);
  const other = await otherWorkspace(home);
  const flows = await begin(home, demo, other);
  said('begun');
  await home.playUntil(INTERRUPTED);
  said('played');
  await interrupt(home, writer, demo, other, flows);
}

/** People, keys, integrations, a mailbox, a playbook. */
async function setUpOffice(home: OldHome, workspaceId: string): Promise<void> {
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

interface Flows {
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

async function begin(home: OldHome, demo: Cast, other: Cast): Promise<Flows> {
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

/** A second workspace, applied with kubectl; an account of the first works for it too. One object is not well, another one rests. */
async function otherWorkspace(home: OldHome): Promise<Cast> {
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

/** Ways of the sandbox to fail, by the time when they are in force. */
const ERRORS = [{ action: 'connection_request', kind: 'error', rate: 1 }];
const LOST = [
  ...ERRORS,
  { action: 'message', kind: 'lost_answer', rate: 1 },
  { action: 'mail', kind: 'lost_answer', rate: 1 },
];
const BLIND = [...ERRORS, { action: 'list', kind: 'error', rate: 1 }];
const SILENT = [...ERRORS, { action: 'message', kind: 'timeout', rate: 1 }];

/** Looks at the ledger between which a minute of product time passes: what is due needs real time to be done. */
const LOOKS_PER_MINUTE = 10;
const MOST_LOOKS = 4_000;

/** Nothing of unknown outcome is looked up before it is told to. */
const LOOK_LATER = `
  create or replace function app.look_later() returns trigger language plpgsql as $$
    begin new.lookup_after := clock_timestamp() + interval '1 hour'; return new; end $$;
  create trigger look_later before update on send for each row
    when (new.state = 'unknown' and old.state <> 'unknown') execute function app.look_later()`;

/** Leaves effects in each state of the ledger and ends the program as a loss of power would. */
async function interrupt(home: OldHome, writer: SlowWriter, demo: Cast, other: Cast, flows: Flows): Promise<void> {
  const { greeted, refused, mailed, others, crafted, onMonday } = flows.left;
  const [first, second, third, fourth] = greeted;
  if (!first || !second || !third || !fourth) throw new Error('too few people are left');
  await demo.trigger(flows.mondays, onMonday);
  await home.sandbox('POST', 'faults', ERRORS);
  await demo.trigger(flows.request, refused);
  await become(home, refused, 'failed');
  await home.sandbox('POST', 'faults', LOST);
  await home.sql(LOOK_LATER);
  await demo.trigger(flows.greet, [first, second]);
  await become(home, [first, second], 'unknown');
  await home.sandbox('POST', 'faults', BLIND);
  await tellPeople(home);
  await home.sandbox('POST', 'faults', LOST);
  await demo.trigger(flows.greet, [third]);
  await demo.trigger(flows.mail, mailed);
  await become(home, [third, ...mailed], 'unknown');
  await home.sql('drop function app.look_later cascade');
  await home.sandbox('POST', 'faults', SILENT);
  writer.silent = true;
  await demo.trigger(flows.craft, crafted);
  await holds(home, `select 1 from credit_hold where state = 'held'`);
  // Nothing of this workspace is dispatched while others seem to write to the same people.
  for (let place = 0; place < 8; place++)
    await home.sql(`select pg_advisory_lock(hashtextextended('touch:' || $1 || ':' || $2, 0))`, [
      demo.workspaceId,
      place,
    ]);
  await demo.trigger(flows.greet, [fourth]);
  await become(home, [fourth], 'claimed');
  await other.trigger(flows.others, others.slice(0, 1));
  await become(home, others.slice(0, 1), 'dispatched');
  await home.kill();
}

/** Lets minutes pass until the latest sends to these leads have a state. */
async function become(home: OldHome, leads: readonly string[], wanted: string): Promise<void> {
  let states = '';
  for (let look = 1; look < MOST_LOOKS; look++) {
    const rows = await home.sql<{ state: string; wait_reason: string | null }>(
      `select distinct on (u.lead_id) coalesce(s.state, 'none') as state, u.wait_reason from run u left join send s on s.run_id = u.id
       where u.lead_id = any ($1::uuid[]) order by u.lead_id, s.claimed_at desc nulls last`,
      [leads],
    );
    states = rows.map(({ state, wait_reason }) => `${state} (${wait_reason})`).join(', ');
    if (rows.length === leads.length && rows.every(({ state }) => state === wanted)) return;
    await sleepReal(50);
    if (look % LOOKS_PER_MINUTE === 0) await home.clock({ advanceMs: 60_000 });
  }
  throw new Error(`sends never become ${wanted}: ${states}`);
}

function holds(home: OldHome, question: string): Promise<true> {
  return home.until(question, async () => (await home.sql(question)).length > 0);
}

/** Look-ups fail until a person is told of both sends; one of the letters is answered. */
async function tellPeople(home: OldHome): Promise<void> {
  await home.until('a person is told of both', async () => {
    await home.sql(
      `update send set lookup_after = clock_timestamp() where state = 'unknown' and dead_letter_state is null`,
    );
    return (await home.sql(`select 1 from send where dead_letter_state = 'open'`)).length >= 2;
  });
  const { deadLetters } = await home.call<{ deadLetters: { deadLetterId: string }[] }>('svc_admin_list_dead_letters');
  const deadLetterId = deadLetters[0]?.deadLetterId;
  const reason = 'Seen in the inbox';
  await home.call('svc_admin_resolve_dead_letter', { deadLetterId, resolution: 'mark_done', reason });
}
