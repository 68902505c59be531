import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { type Sandbox, startSandbox } from '../../../cmd/sandbox/sandbox.ts';
import { CallError } from '../../../pkg/providers/call-error.ts';
import type { CrmLists, CrmPerson } from '../../../pkg/providers/crm/crm-lists.ts';
import type { CrmAccess } from '../../../pkg/providers/crm/crm-provider.ts';
import { CRMS } from '../../../pkg/providers/integrations.ts';
import {
  type CrmClients,
  crmClients,
  hubspotList,
  pipedriveFilter,
  salesforceCampaign,
} from '../../fixtures/sandbox/crm-clients.ts';
import { FakeClock } from '../../tools/fake-clock.ts';

const KEY = 'sandbox-key-of-crm-clients';
const { signal } = new AbortController();

/** What a test needs of each vendor: its client makes and reads, our adapter reads and writes the same. */
interface Vendor {
  name: 'hubspot' | 'pipedrive' | 'salesforce';
  make(clients: CrmClients, list: string, count: number): Promise<{ listId: string; ids: (string | number)[] }>;
  /** Takes a person out of the list. */
  takeOut(clients: CrmClients, listId: string, id: string): Promise<void>;
  /** Whether the vendor's client sees that the person must not be contacted. */
  isExcluded(clients: CrmClients, id: string): Promise<boolean>;
  /** What a person is called by the vendor's client. */
  titleOf(clients: CrmClients, id: string): Promise<string | null | undefined>;
  /** A property and its lead field. */
  title: string;
}

const mailOf = (list: string, at: number): string => `p${at}@${list.toLowerCase()}.example`;
const OPTED_OUT = 3;

const VENDORS: readonly Vendor[] = [
  {
    name: 'hubspot',
    title: 'jobtitle',
    make: (clients, list, count) =>
      hubspotList(
        clients,
        list,
        Array.from({ length: count }, (_, at) => ({
          email: mailOf(list, at),
          firstname: 'P',
          lastname: `${list} ${at}`,
          ...(at === OPTED_OUT ? { hs_email_optout: 'true' } : {}),
        })),
      ),
    takeOut: async ({ hubspot }, listId, id) => {
      await hubspot.crm.lists.membershipsApi.remove(listId, [id]);
    },
    isExcluded: async ({ hubspot }, id) => {
      const properties = ['hs_email_optout', 'email'];
      const input = { inputs: [{ id }], properties, propertiesWithHistory: [] };
      const { results } = await hubspot.crm.contacts.batchApi.read(input);
      const email = results[0]?.properties['email'] ?? '';
      const { subscriptionStatuses } = await hubspot.communicationPreferences.statusApi.getEmailStatus(email);
      const all = subscriptionStatuses.every((one) => one.status === 'NOT_SUBSCRIBED');
      return all && results[0]?.properties['hs_email_optout'] === 'true';
    },
    titleOf: async ({ hubspot }, id) => {
      const input = { inputs: [{ id }], properties: ['jobtitle'], propertiesWithHistory: [] };
      return (await hubspot.crm.contacts.batchApi.read(input)).results[0]?.properties['jobtitle'];
    },
  },
  {
    name: 'pipedrive',
    title: 'job_title',
    make: (clients, list, count) =>
      pipedriveFilter(
        clients,
        list,
        list.length,
        Array.from({ length: count }, (_, at) => ({
          name: `${list} ${at}`,
          emails: [{ value: mailOf(list, at), primary: true, label: 'work' }],
          ...(at === OPTED_OUT ? { marketing_status: 'unsubscribed' } : {}),
        })),
      ),
    takeOut: async ({ pipedrive }, _listId, id) => {
      await pipedrive.persons.updatePerson({ id: Number(id), UpdatePersonRequest: { label_ids: [] } });
    },
    isExcluded: async ({ pipedrive }, id) => {
      const { data } = await pipedrive.persons.getPersons({ ids: id, include_fields: 'marketing_status' });
      return (data?.[0] as { marketing_status?: string } | undefined)?.marketing_status === 'unsubscribed';
    },
    titleOf: async ({ pipedrive }, id) => (await pipedrive.persons.getPerson({ id: Number(id) })).data?.job_title,
  },
  {
    name: 'salesforce',
    title: 'Title',
    make: (clients, list, count) =>
      salesforceCampaign(
        clients,
        list,
        Array.from({ length: count }, (_, at) => ({
          FirstName: 'P',
          LastName: `${list} ${at}`,
          Email: mailOf(list, at),
          HasOptedOutOfEmail: at === OPTED_OUT,
        })),
      ),
    takeOut: async ({ salesforce }, listId, id) => {
      const soql = `SELECT Id FROM CampaignMember WHERE CampaignId = '${listId.split(':')[1]}' AND ContactId = '${id}'`;
      const [member] = (await salesforce.query<{ Id: string }>(soql)).records;
      await salesforce.sobject('CampaignMember').update({ Id: member?.Id ?? '', CampaignId: '' });
    },
    isExcluded: async ({ salesforce }, id) => {
      const contact = await salesforce.sobject('Contact').retrieve(id);
      return contact['HasOptedOutOfEmail'] === true && contact['DoNotCall'] === true;
    },
    titleOf: async ({ salesforce }, id) => (await salesforce.sobject('Contact').retrieve(id))['Title'] as string,
  },
];

describe("sandbox: CRMs, by the vendors' own clients", function () {
  this.timeout(30_000);
  let home: string;
  let sandbox: Sandbox;
  let clients: CrmClients;
  const accessTo = (name: Vendor['name'], token = KEY): CrmAccess => ({ url: clients.url(name), token, reach: 'any' });

  before(async () => {
    home = await mkdtemp(join(tmpdir(), 'outrider-crms-'));
    sandbox = await startSandbox({ clock: new FakeClock(), home, seed: 'crms', apiKey: KEY });
    clients = crmClients(sandbox, KEY);
  });
  after(async () => {
    await sandbox.stop();
    await rm(home, { recursive: true, force: true });
  });
  async function answer(service: string, reply: object | null): Promise<void> {
    const body = JSON.stringify({ service, reply });
    await fetch(`${sandbox.url}/_sandbox/outside`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json' },
    });
  }
  async function everybody(
    lists: CrmLists,
    access: CrmAccess,
    listId: string,
    between?: (page: number) => Promise<void>,
  ) {
    const people: CrmPerson[] = [];
    let pages = 0;
    for (let cursor: string | null = null; pages === 0 || cursor !== null; pages++) {
      const page = await lists.page(access, listId, { cursor, properties: [...Object.keys(lists.fields)], signal });
      people.push(...page.people);
      cursor = page.cursor;
      await between?.(pages);
    }
    return { people, pages };
  }

  for (const vendor of VENDORS) {
    const { name } = vendor;
    const crm = CRMS[name];
    if (!crm) throw new Error(`no adapter for ${name}`);
    const { lists } = crm;

    describe(name, () => {
      let long: { listId: string; ids: string[] };

      it('what its client makes the adapter lists, finds and reads, page by page, opt-outs with it', async () => {
        const list = `Long${name}`;
        const { listId, ids } = await vendor.make(clients, list, 130);
        const found = await lists.list(accessTo(name), { query: list.toUpperCase(), limit: 10, cursor: null, signal });
        expect(found.lists.map((one) => [one.id, one.name])).to.deep.equal([[listId, list]]);
        expect((await lists.find(accessTo(name), listId, signal))?.name).to.equal(list);
        const { people, pages } = await everybody(lists, accessTo(name), listId);
        expect(pages).to.equal(2);
        expect(people.map((one) => one.id)).to.deep.equal(ids.map(String));
        expect(people.filter((one) => one.excluded).map((one) => one.id)).to.deep.equal([String(ids[OPTED_OUT])]);
        const mail = Object.entries(lists.fields).find(([, field]) => field === 'email')?.[0] ?? '';
        expect(people[7]?.properties[mail]).to.equal(mailOf(list, 7));
        long = { listId, ids: ids.map(String) };
      });

      it('I1: who stays in a list that changes between two pages is met, and met once', async () => {
        const { listId, ids } = long;
        const { people } = await everybody(lists, accessTo(name), listId, async (page) => {
          if (page === 0) await vendor.takeOut(clients, listId, ids[5] ?? '');
        });
        expect(people.map((one) => one.id)).to.deep.equal(ids);
      });

      it('what the adapter writes its client reads: properties, and that somebody must not be contacted', async () => {
        const { ids } = await vendor.make(clients, `Written${name}`, 2);
        const id = String(ids[0]);
        await lists.update(accessTo(name), id, { [vendor.title]: 'Head of Sales' }, signal);
        expect(await vendor.titleOf(clients, id)).to.equal('Head of Sales');
        const reading = { properties: [vendor.title], signal };
        const [before] = await lists.read(accessTo(name), [id], reading);
        expect([before?.excluded, before?.properties[vendor.title]]).to.deep.equal([false, 'Head of Sales']);
        if (!before) throw new Error('not read');
        await lists.exclude(accessTo(name), before, signal);
        await lists.exclude(accessTo(name), before, signal);
        expect(await vendor.isExcluded(clients, id)).to.equal(true);
        expect((await lists.read(accessTo(name), [id], reading))[0]?.excluded).to.equal(true);
      });

      it('pushes a contact, then the same one again with more: its client sees one', async () => {
        const contact = {
          leadId: 'l1',
          firstName: 'Ada',
          lastName: 'Lovelace',
          fullName: 'Ada Lovelace',
          title: 'Countess',
          company: 'Engines',
          email: `ada@${name}.example`,
          profileUrl: '',
          country: 'GB',
        };
        const push = { object: 'contact', contact, fields: {}, mark: 'outriderl1', at: 0 } as const;
        const access = accessTo(name);
        expect(await crm.find(access, push, { signal })).to.equal(null);
        const id = await crm.push(access, push, { signal });
        expect(await crm.find(access, push, { signal })).to.equal(id);
        const more = { ...push, contact: { ...contact, title: 'Analyst' } };
        expect(await crm.find(access, more, { signal }), 'not written yet').to.equal(null);
        expect(await crm.push(access, more, { signal })).to.equal(id);
        expect(await vendor.titleOf(clients, id)).to.equal('Analyst');
        for (const object of ['lead', 'deal', 'task'] as const) {
          const other = { ...push, object, mark: `outrider${object}` };
          const made = await crm.push(access, other, { signal });
          expect(await crm.find(access, other, { signal }), object).to.equal(made);
          expect(await crm.push(access, other, { signal }), object).to.equal(made);
        }
      });

      it('says what a refusal proves: a wrong key, a list that is gone, too many questions', async () => {
        const kindOf = async (work: Promise<unknown>): Promise<string> => {
          const error = await work.then(
            () => undefined,
            (failed: unknown) => failed,
          );
          return error instanceof CallError ? error.kind : 'none';
        };
        const reading = { cursor: null, properties: [], signal };
        expect(await kindOf(crm.check(accessTo(name, 'another key'), signal))).to.equal('auth');
        const gone = name === 'salesforce' ? 'Contact:00B000000000999' : '99999';
        expect(await kindOf(lists.page(accessTo(name), gone, reading))).to.equal('refused');
        expect(await lists.find(accessTo(name), gone, signal)).to.equal(null);
        await answer(name, { status: 429, body: {} });
        expect(await kindOf(lists.page(accessTo(name), gone, reading))).to.equal('busy');
        await answer(name, null);
      });
    });
  }

  it('hubspot: a contact that was merged is read under its new id, with the old one beside it', async () => {
    const { ids } = await hubspotList(clients, 'Merged', [{ email: 'one@m.example' }, { email: 'two@m.example' }]);
    const [kept = '', gone = ''] = ids;
    await clients.hubspot.crm.contacts.basicApi.merge({ primaryObjectId: kept, objectIdToMerge: gone });
    const people = await CRMS['hubspot']?.lists.read(accessTo('hubspot'), [gone], { properties: [], signal });
    expect(people?.map(({ id, aliases }) => [id, aliases])).to.deep.equal([[kept, [gone]]]);
  });

  it('salesforce: a field that the administrator hides is not asked for; a list view is read by its query', async () => {
    const hide = (hidden: string[]): Promise<unknown> =>
      fetch(`${sandbox.url}/_sandbox/outside`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ service: 'salesforce', hidden }),
      });
    const { ids } = await salesforceCampaign(clients, 'Hidden', [{ LastName: 'Seen', Phone: '1', Title: 'View' }]);
    const view = await clients.salesforce.sobject('ListView').create({
      Name: 'Viewers',
      SobjectType: 'Contact',
      Query: "SELECT Name, Id FROM Contact USING SCOPE everything WHERE Title = 'View' ORDER BY Name ASC NULLS FIRST",
    });
    const described = await clients.salesforce
      .sobject('Contact')
      .listview(view.id ?? '')
      .describe();
    expect(described).to.have.property('query');
    await hide(['Phone']);
    const { people } = await everybody(
      CRMS['salesforce']?.lists as CrmLists,
      accessTo('salesforce'),
      `Contact:${view.id}`,
    );
    await hide([]);
    expect(people.map((one) => one.id)).to.deep.equal(ids);
    expect(people[0]?.properties).to.deep.include({ LastName: 'Seen' }).and.not.have.property('Phone');
  });

  it('salesforce: its daily limit is told as forbidden, and means later', async () => {
    const client = clients.salesforce;
    const body = [{ errorCode: 'REQUEST_LIMIT_EXCEEDED', message: 'TotalRequests Limit exceeded.' }];
    await answer('salesforce', { status: 403, body });
    const soql = 'SELECT Id FROM Contact LIMIT 1';
    const theirs: unknown = await Promise.resolve(client.query(soql)).catch((failed: unknown) => failed);
    const ours = await CRMS['salesforce']?.check(accessTo('salesforce'), signal).catch((failed: unknown) => failed);
    await answer('salesforce', null);
    expect((theirs as Error).name).to.equal('REQUEST_LIMIT_EXCEEDED');
    expect((ours as CallError).kind).to.equal('busy');
    expect((await client.query(soql)).done).to.equal(true);
  });
});
