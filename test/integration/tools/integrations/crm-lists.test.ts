import { expect } from 'chai';
import { systemIds } from '../../../../pkg/base/ids.ts';
import { Sealer } from '../../../../pkg/base/sealer.ts';
import { reachBesides } from '../../../../pkg/providers/integrations.ts';
import { keepEchoes } from '../../../../pkg/store/integrations/integration-objects.ts';
import { excludeImported } from '../../../../pkg/store/leads/import-exclusions.ts';
import {
  type CrmClients,
  crmClients,
  hubspotList,
  pipedriveFilter,
  salesforceCampaign,
} from '../../../fixtures/sandbox/crm-clients.ts';
import { API_KEY, type Bench, startBench } from '../../../fixtures/sandbox/harness.ts';
import { MONDAY, missing, NOBODY } from '../../../fixtures/tools/mcp-fixture.ts';
import { type McpTools, startMcpTools, type ToolUser } from '../../../tools/mcp-tools.ts';

const IMPORT = 'svc_import_provider_list';

interface Started {
  importId: string;
  status: string;
}
interface Import {
  status: string;
  total: number;
  created: number;
  updated: number;
  skipped: number;
  excluded: number;
  failed: number;
  errors: { message: string }[];
}
interface Lead {
  id: string;
  email: string;
  title: string;
  company: string;
  full_name: string;
  custom_fields: Record<string, string>;
}

/** People as HubSpot keeps them. */
const people = (mark: string, count: number): Record<string, string>[] =>
  Array.from({ length: count }, (_, at) => ({
    email: `p${at}@${mark}.example`,
    firstname: 'Pat',
    lastname: `${mark}-${at}`,
    jobtitle: 'Buyer',
    company: `Firm ${mark}`,
  }));

describe('tools: lists of a CRM, by an MCP client', function () {
  this.timeout(60_000);
  let bench: Bench;
  let clients: CrmClients;
  let tools: McpTools;
  let acme: ToolUser;
  let rival: ToolUser;
  let hubspot: string;

  before(async () => {
    bench = await startBench('crm-lists');
    clients = crmClients(bench.sandbox, API_KEY);
    const sealer = new Sealer('an installation key of at least 32 characters');
    tools = await startMcpTools(undefined, { sealer, reachOf: reachBesides(bench.sandbox.url) });
    tools.cluster.clock.at = MONDAY;
    acme = await tools.as({ workspace: 'acme' });
    rival = await tools.as({ workspace: 'rival' });
    hubspot = await connect('hubspot');
  });
  after(async () => {
    await tools.stop();
    await bench.stop();
  });

  async function connect(provider: 'hubspot' | 'pipedrive' | 'salesforce', more: object = {}): Promise<string> {
    const credentials = { token: API_KEY, url: clients.url(provider) };
    const name = `${provider} ${systemIds.uuid()}`;
    const made = await acme.call<{ integrationId: string }>('svc_connect_integration', {
      provider,
      credentials,
      name,
      ...more,
    });
    return made.integrationId;
  }
  const progress = async (importId: string): Promise<Import> => {
    const { imports } = await acme.call<{ imports: Import[] }>('svc_get_import_progress', { importId });
    if (!imports[0]) throw new Error('no import');
    return imports[0];
  };
  /** Imports to the end: what the call left is a server's. */
  async function imported(
    providerListId: string,
    more: object = {},
    integrationId = hubspot,
  ): Promise<Import & Started> {
    const started = await acme.call<Started>(IMPORT, { integrationId, providerListId, ...more });
    while (await tools.worker().next());
    return { ...started, ...(await progress(started.importId)) };
  }
  const leads = (mark: string): Promise<Lead[]> =>
    tools.rows(
      `select * from lead where workspace_id = 'acme' and email like $1 and erased_at is null order by email`,
      [`%@${mark}.example`],
    );
  async function synced(
    integrationId: string,
  ): Promise<{ status: string; done: Record<string, number>; error: string | null }> {
    const id = systemIds.uuid();
    await tools.rows(
      `insert into background_job (id, workspace_id, kind, work, created_at) values ($1, 'acme', 'crm_sync', $2, $3)`,
      [id, { integrationId }, MONDAY],
    );
    while (await tools.worker().next());
    const [job] = await tools.rows<{ status: string; work: { done: Record<string, number> }; error: string | null }>(
      'select status, work, error from background_job where id = $1',
      [id],
    );
    return { status: job?.status ?? '', done: job?.work.done ?? {}, error: job?.error ?? null };
  }
  const listOf = async (name: string): Promise<string> =>
    (await acme.call<{ leadListId: string }>('svc_create_lead_list', { name })).leadListId;
  const membersOf = async (id: string): Promise<number> =>
    (await tools.rows('select 1 from lead_list_member where lead_list_id = $1', [id])).length;
  const answer = (reply: object | null, service = 'hubspot'): Promise<unknown> =>
    bench.control('outside', { service, reply });

  describe('svc_list_provider_lists', () => {
    interface Lists {
      providerLists: { providerListId: string; name: string; kind: string; size: number | null }[];
      nextCursor: string | null;
    }
    it('lists what can be imported, by name and in pages; of a foreign integration nothing is learned', async () => {
      for (const name of ['Fair A', `Fair B ${'x'.repeat(400)}`, 'Other']) await hubspotList(clients, name, []);
      const first = await acme.call<Lists>('svc_list_provider_lists', {
        integrationId: hubspot,
        query: 'fair',
        limit: 1,
      });
      expect(first.providerLists.map(({ name, kind, size }) => [name, kind, size])).to.deep.equal([
        ['Fair A', 'manual', 0],
      ]);
      const asked = { integrationId: hubspot, query: 'fair', limit: 1, cursor: first.nextCursor };
      const second = await acme.call<Lists>('svc_list_provider_lists', asked);
      expect([second.providerLists.map(({ name }) => name), second.nextCursor]).to.deep.equal([
        [`Fair B ${'x'.repeat(193)}`],
        null,
      ]);
      expect(await rival.refusal('svc_list_provider_lists', { integrationId: hubspot })).to.equal(
        missing('Integration', hubspot, 'svc_list_integrations'),
      );
    });

    it('one whose credentials are refused says so from then on, until they are renewed', async () => {
      const integrationId = await connect('hubspot');
      await answer({ status: 401, body: { category: 'EXPIRED_AUTHENTICATION', message: 'The token expired' } });
      const said = await acme.refusal('svc_list_provider_lists', { integrationId });
      expect(said).to.match(/^The integration is not connected.*Call svc_connect_integration\.$/);
      expect(await acme.refusal(IMPORT, { integrationId, providerListId: '1' })).to.equal(said);
      await answer(null);
      expect(await acme.refusal('svc_list_provider_lists', { integrationId }), 'from then on').to.equal(said);
      const { integrations } = await acme.call<{ integrations: { integrationId: string; status: string }[] }>(
        'svc_list_integrations',
        { limit: 100 },
      );
      expect(integrations.find((one) => one.integrationId === integrationId)?.status).to.equal('needs_auth');
      const credentials = { token: API_KEY, url: clients.url('hubspot') };
      await acme.call('svc_connect_integration', { provider: 'hubspot', integrationId, credentials });
      await acme.call('svc_list_provider_lists', { integrationId });
    });
  });

  describe('svc_import_provider_list', () => {
    it('imports every page as private leads, into a list and a campaign; who opted out there is excluded here', async () => {
      const all = people('whole', 130);
      Object.assign(all[3] ?? {}, { hs_email_optout: 'true' });
      const { listId } = await hubspotList(clients, 'Whole', all);
      const leadListId = await listOf('From HubSpot');
      const done = await imported(listId, { leadListId });
      expect([done.status, done.total, done.created, done.updated, done.excluded]).to.deep.equal([
        'completed',
        130,
        130,
        0,
        1,
      ]);
      expect(await membersOf(leadListId)).to.equal(130);
      const [first] = await leads('whole');
      expect([first?.title, first?.company, first?.full_name]).to.deep.equal(['Buyer', 'Firm whole', 'Pat whole-0']);
      const out = await tools.rows<{ email: string }>(
        `select l.email from suppression s join lead l on l.person_id = s.person_id where s.workspace_id = 'acme' and s.source = 'unsubscribe'`,
      );
      expect(out.map((row) => row.email)).to.deep.equal(['p3@whole.example']);
    });

    for (const [vendor, make] of [
      [
        'pipedrive',
        () =>
          pipedriveFilter(clients, 'Pipe', 77, [
            { name: 'Pia Pipe', emails: [{ value: 'pia@pipe.example', primary: true }], job_title: 'CEO' },
          ]),
      ],
      [
        'salesforce',
        () =>
          salesforceCampaign(clients, 'Force', [
            { FirstName: 'Pia', LastName: 'Pipe', Email: 'pia@force.example', Title: 'CEO' },
          ]),
      ],
    ] as const) {
      it(`imports a list of ${vendor}`, async () => {
        const { listId } = await make();
        const done = await imported(listId, {}, await connect(vendor));
        expect([done.status, done.created]).to.deep.equal(['completed', 1]);
        const [lead] = await leads(vendor === 'pipedrive' ? 'pipe' : 'force');
        expect([lead?.full_name, lead?.title]).to.deep.equal(['Pia Pipe', 'CEO']);
      });
    }

    it('reads every mapped field of Pipedrive, which answers fifteen custom ones at once', async () => {
      const keys = Array.from({ length: 20 }, (_, at) => at.toString(16).padStart(40, '0'));
      const custom_fields = Object.fromEntries(keys.map((key, at) => [key, `value ${at}`]));
      const emails = [{ value: 'pia@many.example', primary: true }];
      const { listId } = await pipedriveFilter(clients, 'Many', 78, [{ name: 'Pia Many', emails, custom_fields }]);
      const mapping = Object.fromEntries(keys.map((key, at) => [key, `customFields.f${at}`]));
      await imported(listId, { mapping }, await connect('pipedrive'));
      const [lead] = await leads('many');
      expect(Object.keys(lead?.custom_fields ?? {})).to.have.length(20);
    });

    it('I1: a server that dies between two pages leaves an import that goes on there: nobody is lost, nobody counts twice', async () => {
      const { listId } = await hubspotList(clients, 'Crash', people('crash', 230));
      // The call reads two pages; then the vendor asks for patience once, and a step is done twice, as after a crash.
      const { importId } = await acme.call<Started>(IMPORT, { integrationId: hubspot, providerListId: listId });
      expect((await progress(importId)).created).to.equal(200);
      const [before] = await tools.rows<{ work: object }>('select work from background_job where id = $1', [importId]);
      await answer({ status: 429, body: { policyName: 'TEN_SECONDLY_ROLLING' } });
      await tools.worker().next();
      await answer(null);
      expect((await progress(importId)).status).to.equal('running');
      await tools.rows('update background_job set not_before = 0, work = $2 where id = $1', [
        importId,
        { ...before?.work, cursor: null, total: 0, created: 0 },
      ]);
      while (await tools.worker().next());
      const done = await progress(importId);
      expect([done.status, done.total, done.created]).to.deep.equal(['completed', 30, 30]);
      expect(await leads('crash')).to.have.length(230);
    });

    it('a vendor that shows empty pages without end is left, and the import says so', async () => {
      const { listId } = await hubspotList(clients, 'Blank', people('blank', 230));
      const { importId } = await acme.call<Started>(IMPORT, { integrationId: hubspot, providerListId: listId });
      let asked = 0;
      for (; asked < 30 && (await progress(importId)).status === 'running'; asked++) {
        await answer({ status: 200, body: { results: [], paging: { next: { after: `page-${asked}` } } } });
        await tools.worker(0).next();
      }
      await answer(null);
      const { status, total, errors } = await progress(importId);
      expect([status, total, errors.at(-1)?.message, asked]).to.deep.equal([
        'failed',
        200,
        'the list there showed 10 empty pages in a row',
        10,
      ]);
    });

    it('a person who is called and addressed otherwise there is the same lead here, by their id', async () => {
      const { listId, ids } = await hubspotList(clients, 'Renamed', people('renamed', 1));
      await imported(listId);
      const [before] = await leads('renamed');
      const properties = { email: 'new@renamed.example', lastname: 'Married', jobtitle: 'Head' };
      await clients.hubspot.crm.contacts.basicApi.update(ids[0] ?? '', { properties });
      const done = await imported(listId, { onDuplicate: 'overwrite' });
      expect([done.created, done.updated]).to.deep.equal([0, 1]);
      const after = await leads('renamed');
      expect(after.map(({ id, email, title }) => [id, email, title])).to.deep.equal([
        [before?.id, 'new@renamed.example', 'Head'],
      ]);
    });

    it('I2: our own value that comes back is no news; another one is', async () => {
      const { listId, ids } = await hubspotList(clients, 'Echo', people('echo', 2));
      await imported(listId);
      const [one, two] = await leads('echo');
      const scope = { workspaceId: 'acme', integrationId: hubspot };
      await tools.cluster.db.tx({ kind: 'workspaces', ids: ['acme'] }, (tx) =>
        keepEchoes(
          tx,
          scope,
          [one, two].map((lead, at) => ({
            externalId: ids[at] ?? '',
            leadId: lead?.id ?? '',
            property: 'jobtitle',
            value: 'Ours',
          })),
          MONDAY,
        ),
      );
      // Meanwhile the leads have another title here; there one has ours, and one was changed by a person.
      await tools.rows(`update lead set title = 'Newer' where email like '%@echo.example'`);
      for (const [at, jobtitle] of ['Ours', 'Theirs'].entries())
        await clients.hubspot.crm.contacts.basicApi.update(ids[at] ?? '', { properties: { jobtitle } });
      await imported(listId, { onDuplicate: 'overwrite' });
      expect((await leads('echo')).map(({ title }) => title)).to.deep.equal(['Newer', 'Theirs']);
    });

    it('I3: each field follows its owner: ours, theirs even over a hand, or the newest', async () => {
      const integrationId = await connect('hubspot', {
        fieldMapping: {
          jobtitle: { to: 'title', owner: 'theirs' },
          company: { to: 'company', owner: 'ours' },
          industry: { to: 'customFields.branch' },
        },
      });
      const { listId, ids } = await hubspotList(clients, 'Owned', people('owned', 1));
      await imported(listId, {}, integrationId);
      const [lead] = await leads('owned');
      await acme.call('svc_upsert_lead', { leadId: lead?.id, title: 'By hand', company: 'By hand GmbH' });
      const properties = { jobtitle: 'By them', company: 'By them Ltd', industry: 'ROBOTS' };
      await clients.hubspot.crm.contacts.basicApi.update(ids[0] ?? '', { properties });
      await imported(listId, { onDuplicate: 'overwrite' }, integrationId);
      const [after] = await leads('owned');
      expect([after?.title, after?.company, after?.custom_fields['branch']]).to.deep.equal([
        'By them',
        'By hand GmbH',
        'ROBOTS',
      ]);
    });

    it('who opted out on a second record of theirs is excluded, though that record is skipped', async () => {
      const [first, second] = [people('twice', 1)[0] ?? {}, { ...people('twice', 1)[0], hs_email_optout: 'true' }];
      const profile = 'https://www.linkedin.com/in/pat-twice';
      const both = [first, { ...second, email: 'pat@twice.example' }].map((one) => ({
        ...one,
        hs_linkedin_url: profile,
      }));
      const { listId } = await hubspotList(clients, 'Twice', both);
      await imported(listId, { mapping: { hs_linkedin_url: 'profileUrl' } });
      const [lead] = await leads('twice');
      const excluded = await tools.rows(
        `select 1 from suppression s join lead l on l.person_id = s.person_id where l.id = $1 and s.source = 'unsubscribe'`,
        [lead?.id],
      );
      expect([(await leads('twice')).length, excluded.length]).to.deep.equal([1, 1]);
    });

    it('refuses what it can not do, and begins nothing', async () => {
      const { listId } = await hubspotList(clients, 'Refused', people('refused', 1));
      const refusal = (more: object): Promise<string> =>
        acme.refusal(IMPORT, { integrationId: hubspot, providerListId: listId, ...more });
      expect(await refusal({ providerListId: '424242' })).to.equal(
        missing('Provider list', '424242', 'svc_list_provider_lists'),
      );
      expect(await refusal({ leadListId: NOBODY })).to.contain('Lead list');
      expect(await refusal({ campaignId: NOBODY })).to.contain('Campaign');
      expect(await refusal({ mapping: { jobtitle: 'shoeSize' } })).to.contain(
        'mapping.jobtitle: must be one of firstName',
      );
      expect(await refusal({ removeFromList: true })).to.contain('removeFromList: needs keepInSync');
      expect(await leads('refused')).to.deep.equal([]);
      expect(await rival.refusal(IMPORT, { integrationId: hubspot, providerListId: listId })).to.equal(
        missing('Integration', hubspot, 'svc_list_integrations'),
      );
    });
  });

  describe('sync_crm', () => {
    it('is an automation of a campaign too, for a CRM of its workspace', async () => {
      const { campaignId } = await acme.call<{ campaignId: string }>('svc_create_campaign', { title: 'Synced' });
      const integrationId = await connect('hubspot');
      const automation = {
        campaignId,
        name: 'CRM',
        kind: 'sync_crm',
        schedule: '0 6 * * *',
        settings: { integrationId },
      };
      expect(await acme.call('svc_upsert_automation', automation)).to.include({ created: true });
      const chat = await connect('hubspot');
      await tools.rows(`update integration set kind = 'webhook' where id = $1`, [chat]);
      expect(
        await acme.refusal('svc_upsert_automation', { ...automation, name: 'Chat', settings: { integrationId: chat } }),
      ).to.contain('settings.integrationId: is no CRM');
    });

    it('I4: who leaves a list there leaves ours where we were told so; nobody is deleted, and who comes is taken over', async () => {
      const { listId, ids } = await hubspotList(clients, 'Synced', people('synced', 3));
      const leadListId = await listOf('Synced');
      const integrationId = await connect('hubspot');
      await imported(listId, { leadListId, keepInSync: true, removeFromList: true }, integrationId);
      const [schedule] = await tools.rows<{ kind: string; settings: object; every_ms: number }>(
        `select kind, settings, every_ms from schedule where workspace_id = 'acme' and enabled`,
      );
      expect(schedule).to.deep.equal({ kind: 'sync_crm', settings: { integrationId }, every_ms: 3_600_000 });
      await clients.hubspot.crm.lists.membershipsApi.remove(listId, [ids[0] ?? '']);
      const [late] = people('late', 1);
      const { id } = await clients.hubspot.crm.contacts.basicApi.create({ properties: late ?? {}, associations: [] });
      await clients.hubspot.crm.lists.membershipsApi.add(listId, [id]);
      const { status, done } = await synced(integrationId);
      expect([status, done['created'], done['left']]).to.deep.equal(['completed', 1, 1]);
      expect(await membersOf(leadListId)).to.equal(3);
      expect(await leads('synced'), 'all leads are there').to.have.length(3);
      const asked = await acme.call<{ disconnected: boolean; affectedLists: string[] }>('svc_disconnect_integration', {
        integrationId,
      });
      expect([asked.disconnected, asked.affectedLists], 'says first what breaks').to.deep.equal([false, [listId]]);
      await acme.call('svc_list_provider_lists', { integrationId });
      const ended = await acme.call<typeof asked>('svc_disconnect_integration', { integrationId, confirm: true });
      expect([ended.disconnected, ended.affectedLists]).to.deep.equal([true, [listId]]);
      const left = await tools.rows(
        `select 1 from schedule where settings ->> 'integrationId' = $1 and enabled union all
         select 1 from provider_list where integration_id = $1 and keep_in_sync`,
        [integrationId],
      );
      expect(left).to.deep.equal([]);
    });

    it('I3: who must not be contacted is told both ways, once, and never taken back', async () => {
      const { listId, ids } = await hubspotList(clients, 'Both', people('both', 3));
      const integrationId = await connect('hubspot');
      await imported(listId, {}, integrationId);
      const [ours, theirs, last] = await leads('both');
      await tools.cluster.db.tx({ kind: 'workspaces', ids: ['acme'] }, (tx) =>
        excludeImported(tx, 'acme', [{ leadId: ours?.id ?? '', source: 'unsubscribe', reason: 'asked us' }], MONDAY),
      );
      await clients.hubspot.crm.contacts.basicApi.update(ids[1] ?? '', { properties: { hs_email_optout: 'true' } });
      const first = await synced(integrationId);
      expect([first.status, first.error, first.done['told']]).to.deep.equal(['completed', null, 1]);
      const read = await clients.hubspot.crm.contacts.batchApi.read({
        inputs: ids.map((id) => ({ id })),
        properties: ['hs_email_optout'],
        propertiesWithHistory: [],
      });
      expect(read.results.map(({ properties }) => properties['hs_email_optout'])).to.deep.equal(['true', 'true', null]);
      const barred = async (): Promise<string[]> =>
        (
          await tools.rows<{ id: string }>(`select lead_id as id from app.suppressed_leads('acme', null, $1, $2)`, [
            [ours?.id, theirs?.id, last?.id],
            MONDAY,
          ])
        ).map(({ id }) => id);
      expect(await barred()).to.have.members([ours?.id, theirs?.id]);
      expect((await synced(integrationId)).done['told'], 'told once').to.equal(0);
      await clients.hubspot.crm.contacts.basicApi.update(ids[1] ?? '', { properties: { hs_email_optout: 'false' } });
      await synced(integrationId);
      expect(await barred(), 'never taken back').to.have.members([ours?.id, theirs?.id]);
      const emptied = Object.fromEntries(Object.keys(people('both', 1)[0] ?? {}).map((name) => [name, '']));
      const gone = { ...emptied, hs_email_optout: 'true' };
      await clients.hubspot.crm.contacts.basicApi.update(ids[2] ?? '', { properties: gone });
      await synced(integrationId);
      expect(await barred(), 'of a record that was emptied').to.have.members([ours?.id, theirs?.id, last?.id]);
    });

    it('what says elsewhere that nobody may be contacted counts: by itself, or by the mapping', async () => {
      const said = people('marked', 4);
      Object.assign(said[0] ?? {}, { hs_email_quarantined: 'true' });
      Object.assign(said[1] ?? {}, { hs_lead_status: 'DO_NOT_CONTACT' });
      Object.assign(said[2] ?? {}, { client_wish: 'yes' });
      Object.assign(said[3] ?? {}, { hs_lead_status: 'ATTEMPTED_TO_CONTACT', client_wish: 'no', phone: 'none yet' });
      const { listId } = await hubspotList(clients, 'Marked', said);
      const done = await imported(listId, { mapping: { client_wish: 'doNotContact' } });
      expect([done.created, done.excluded]).to.deep.equal([4, 3]);
      expect(done.errors.map(({ message }) => message).join(), 'notes are told').to.match(/phone/);
      const sources = await tools.rows<{ source: string }>(
        `select s.source from suppression s join lead l on l.person_id = s.person_id or l.email = s.value
         where l.workspace_id = 'acme' and l.email like '%@marked.example' order by l.email`,
      );
      expect(sources.map(({ source }) => source)).to.deep.equal(['bounce', 'import', 'import']);
    });

    it('one pass over a list at a time: the second waits for the first, and nobody has left meanwhile', async () => {
      const { listId } = await hubspotList(clients, 'Once', people('once', 3));
      const integrationId = await connect('hubspot');
      await imported(listId, { keepInSync: true }, integrationId);
      const other = systemIds.uuid();
      await tools.rows(
        `insert into background_job (id, workspace_id, kind, work, created_at, not_before)
         values ($1, 'acme', 'provider_list_import', '{}', $2, $3)`,
        [other, MONDAY, MONDAY + 86_400_000],
      );
      await tools.rows('update provider_list set pass_job = $1 where integration_id = $2', [other, integrationId]);
      expect((await synced(integrationId)).status, 'it rests').to.equal('running');
      await tools.rows(`update background_job set status = 'completed' where id = $1`, [other]);
      tools.cluster.clock.at = MONDAY + 60_000;
      while (await tools.worker().next());
      const jobs = await tools.rows<{ status: string }>(
        `select status from background_job where kind = 'crm_sync' and work ->> 'integrationId' = $1`,
        [integrationId],
      );
      expect(jobs.map(({ status }) => status)).to.deep.equal(['completed']);
      tools.cluster.clock.at = MONDAY;
    });

    it('what a member excludes is told to no CRM as an opt-out, and what we told comes back as no wish of the person', async () => {
      const { listId, ids } = await hubspotList(clients, 'Ours alone', people('ours-alone', 2));
      const integrationId = await connect('hubspot');
      await imported(listId, {}, integrationId);
      const optedOut = async (): Promise<unknown[]> => {
        const inputs = ids.map((id) => ({ id }));
        const asked = { inputs, properties: ['hs_email_optout'], propertiesWithHistory: [] };
        const { results } = await clients.hubspot.crm.contacts.batchApi.read(asked);
        return results.map(({ properties }) => properties['hs_email_optout'] ?? null);
      };
      const domain = { kind: 'domain', value: 'ours-alone.example', expiresAt: '2030-01-01T00:00:00Z' };
      const { signalExclusionId } = await acme.call<{ signalExclusionId: string }>('svc_add_signal_exclusion', domain);
      const asPerson = { kind: 'email', value: 'p0@ours-alone.example' };
      const person = await acme.call<{ signalExclusionId: string }>('svc_add_signal_exclusion', asPerson);
      expect((await synced(integrationId)).done['told']).to.equal(0);
      expect(await optedOut()).to.deep.equal([null, null]);
      // A version before told the CRM of a member's exclusion.
      const told = { properties: { hs_email_optout: 'true' } };
      await clients.hubspot.crm.contacts.basicApi.update(ids[0] ?? '', told);
      await tools.rows('update integration_object set told_at = $2 where external_id = $1', [ids[0], MONDAY]);
      expect((await synced(integrationId)).done['excluded']).to.equal(0);
      for (const id of [signalExclusionId, person.signalExclusionId])
        await acme.call('svc_remove_signal_exclusion', { signalExclusionId: id });
      const [lead] = await leads('ours-alone');
      const { allowed } = await acme.call<{ allowed: boolean }>('svc_check_signal_exclusion', { leadId: lead?.id });
      expect(allowed, 'lifted').to.equal(true);
    });

    it('a person of whom the CRM forbids to tell (403) stops nobody else, and the connection stays', async () => {
      const { listId } = await hubspotList(clients, 'Forbidden', people('forbidden', 2));
      const integrationId = await connect('hubspot');
      await imported(listId, {}, integrationId);
      const wishes = (await leads('forbidden')).map(({ id }) => ({
        leadId: id,
        source: 'unsubscribe' as const,
        reason: 'asked us',
      }));
      await tools.cluster.db.tx({ kind: 'workspaces', ids: ['acme'] }, (tx) =>
        excludeImported(tx, 'acme', wishes, MONDAY),
      );
      const below = 'communication-preferences/v3/status/email/p0@forbidden.example';
      await bench.control('outside', { service: 'hubspot', reply: { status: 403, body: { message: 'no' }, below } });
      const first = await synced(integrationId);
      await answer(null);
      expect([first.status, first.done['told']]).to.deep.equal(['completed', 1]);
      await acme.call('svc_list_provider_lists', { integrationId });
      expect((await synced(integrationId)).done['told'], 'the other one, later').to.equal(1);
    });

    it('tells values of ours, and takes owner and stage over where it works both ways', async () => {
      const integrationId = await connect('hubspot', {
        twoWay: true,
        fieldMapping: { jobtitle: { to: 'title', owner: 'ours' } },
      });
      const [person] = people('twoway', 1);
      const more = { hubspot_owner_id: '71', lifecyclestage: 'customer' };
      const { listId, ids } = await hubspotList(clients, 'Two ways', [{ ...person, ...more }]);
      await imported(listId, {}, integrationId);
      await acme.call('svc_connect_integration', {
        provider: 'hubspot',
        integrationId,
        credentials: { token: API_KEY },
      });
      const [kept] = await tools.rows<{ two_way: boolean; url: string }>(
        'select two_way, url from integration where id = $1',
        [integrationId],
      );
      expect(kept, 'renewing the token changes nothing else').to.deep.equal({
        two_way: true,
        url: clients.url('hubspot'),
      });
      const [lead] = await leads('twoway');
      expect(lead?.custom_fields).to.deep.equal({ crmOwner: '71', crmStage: 'customer' });
      await acme.call('svc_upsert_lead', { leadId: lead?.id, title: 'Chief Buyer' });
      const { done } = await synced(integrationId);
      expect(done['pushed']).to.equal(1);
      const read = { inputs: [{ id: ids[0] ?? '' }], properties: ['jobtitle'], propertiesWithHistory: [] };
      const { results } = await clients.hubspot.crm.contacts.batchApi.read(read);
      expect(results[0]?.properties['jobtitle']).to.equal('Chief Buyer');
      expect((await synced(integrationId)).done['pushed'], 'told once').to.equal(0);
    });
  });
});
