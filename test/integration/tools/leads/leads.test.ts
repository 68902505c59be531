import { expect } from 'chai';
import { type McpTools, startMcpTools, type ToolUser } from '../../../tools/mcp-tools.ts';

const NOBODY = '018f0000-0000-7000-8000-0000000000ff';
const missing = (label: string, id: string, list: string): string =>
  `${label} "${id}" was not found. Call ${list} to find valid IDs.`;
const noLead = (id: string): string => missing('Lead', id, 'svc_search_leads');
const noList = (id: string): string => missing('Lead list', id, 'svc_list_lead_lists');
const noCampaign = (id: string): string => missing('Campaign', id, 'svc_list_campaigns');
const ERASED = 'This person was erased and may not be entered again. Call svc_search_leads for others.';

interface Lead {
  leadId: string;
  fullName: string;
  title: string;
  email: string | null;
  tags: string[];
  visibility: string;
  suppression: { suppressed: boolean; sources: string[] };
  notes: { text: string; author: string }[];
  provenance: { field: string; source: string }[];
  customFields: Record<string, string>;
  [field: string]: unknown;
}
interface Page {
  leads: Lead[];
  nextCursor: string | null;
}
interface Entered {
  leadId: string;
  created: boolean;
  visibility: string;
}

describe('tools: leads, by an MCP client', () => {
  let tools: McpTools;
  let acme: ToolUser;
  let rival: ToolUser;
  let count = 0;

  before(async function () {
    this.timeout(60_000);
    tools = await startMcpTools();
    acme = await tools.as({ workspace: 'acme' });
    rival = await tools.as({ workspace: 'rival' });
    await tools.account('acme');
  });
  after(() => tools.stop());

  const enter = (fields: object, user = acme): Promise<Entered> => user.call<Entered>('svc_upsert_lead', fields);
  const read = async (leadId: string, user = acme): Promise<Lead> =>
    (await user.call<{ lead: Lead }>('svc_get_lead', { leadId })).lead;
  const search = async (criteria: object, user = acme): Promise<string[]> =>
    (await user.call<Page>('svc_search_leads', { limit: 100, ...criteria })).leads.map((lead) => lead.fullName).sort();
  const load = (rows: string[], more: object = {}): Promise<{ created: number; updated: number; errors: object[] }> =>
    acme.call('svc_import_leads_csv', {
      csv: `Name,Email,Title,Company,Profile URL\n${rows.join('\n')}\n`,
      ...more,
    });
  /** A lead of the shared pool. */
  const shared = async (name: string, more: { email?: string; profile?: string } = {}): Promise<string> => {
    const id = `018f0000-0000-7000-8000-${String(++count).padStart(12, '0')}`;
    await tools.force(
      `insert into lead (id, first_name, full_name, title, company, email, profile_id, profile_url, created_at, updated_at)
       values ($1, $2, $2, 'CEO', 'Pool Firm', $3, $4, coalesce('https://www.linkedin.com/in/' || $4, ''), 1, 1)`,
      [id, name, more.email ?? null, more.profile ?? null],
    );
    return id;
  };

  /** Until so many statements wait for a lock. */
  const waiting = async (least: number): Promise<void> => {
    while ((await tools.force('select 1 from pg_locks where not granted')).length < least);
  };

  describe('svc_search_leads', () => {
    before(async () => {
      await load(
        [
          'Ada Search,ada@search-a.example,VP Sales,Search A,https://www.linkedin.com/in/ada-search',
          'Bo Search,bo@search-b.example,Clerk,Search B,',
        ],
        { tags: ['hot'] },
      );
      await shared('Cy Search');
    });
    it('finds the pool and the own leads, and no private lead of others', async () => {
      expect(await search({ query: 'search' })).to.deep.equal(['Ada Search', 'Bo Search', 'Cy Search']);
      expect(await search({ query: 'search' }, rival)).to.deep.equal(['Cy Search']);
      expect(await search({ query: 'search', visibility: 'private' })).to.deep.equal(['Ada Search', 'Bo Search']);
      expect(await search({ query: 'search', visibility: 'shared' })).to.deep.equal(['Cy Search']);
      expect(await search({ query: 'search', tags: ['hot'], titles: ['sales'] })).to.deep.equal(['Ada Search']);
      expect(await search({ query: 'search', tags: ['hot'] }, rival)).to.deep.equal([]);
      expect(await search({ query: 'search', hasEmail: false })).to.deep.equal(['Cy Search']);
    });
    it('25 leads fit 8 kB unless all of each is asked for; fields names what is wanted', async () => {
      const rows = Array.from({ length: 25 }, (_, n) => {
        const slug = `compact-${n}`;
        return `Maximiliane Compact-${n},maximiliane.${slug}@grosshandel.example,Head of Business Development,Grosshandel Nord GmbH ${n},https://www.linkedin.com/in/${slug}`;
      });
      await load(rows, { tags: ['fair'] });
      const page = (more: object): Promise<Page> =>
        acme.call<Page>('svc_search_leads', { query: 'grosshandel', ...more });
      const bytes = (answer: object): number => Buffer.byteLength(JSON.stringify(answer));
      const [compact, full] = [await page({}), await page({ detail: 'full' })];
      console.log(`        25 leads: ${bytes(compact)} bytes, ${bytes(full)} in full`);
      expect([compact.leads.length, full.leads.length]).to.deep.equal([25, 25]);
      expect(bytes(compact)).to.be.at.most(8_192);
      expect(compact.leads[0]).to.include.keys('leadId', 'fullName', 'title', 'company', 'email');
      expect(compact.leads[0]).to.not.have.any.keys('score', 'suppression', 'phone', 'provenance');
      expect(full.leads[0]).to.deep.equal(await read(full.leads[0]?.leadId ?? ''));
      const { leads } = await page({ fields: ['phone', 'profileUrl'], limit: 1 });
      expect(Object.keys(leads[0] ?? {})).to.have.members(['leadId', 'phone', 'profileUrl']);
      expect(await acme.refusal('svc_search_leads', { fields: ['shoeSize'] })).to.match(
        /^Invalid input: fields: has no "shoeSize"; there are leadId, visibility, /,
      );
    });

    it('takes a limit of 1 to 100, and minScore only with a campaign', async () => {
      expect(await acme.refusal('svc_search_leads', { limit: 101 })).to.match(/^Invalid input: limit: /);
      expect(await acme.refusal('svc_search_leads', { minScore: 10 })).to.equal(
        'Invalid input: minScore: needs campaignId',
      );
    });
    it('names a campaign, a list or a company that is not there', async () => {
      expect(await acme.refusal('svc_search_leads', { campaignId: NOBODY })).to.equal(noCampaign(NOBODY));
      expect(await acme.refusal('svc_search_leads', { leadListId: NOBODY })).to.equal(noList(NOBODY));
      expect(await acme.refusal('svc_search_leads', { companyId: NOBODY })).to.equal(
        missing('Company', NOBODY, 'svc_search_companies'),
      );
    });
  });

  describe('svc_get_lead', () => {
    it('reads tags and notes of the own workspace only, on a shared lead too', async () => {
      const leadId = await shared('Dee Pool');
      await enter({ leadId, tags: ['vip'], note: 'Met in Paris' });
      expect(await read(leadId)).to.deep.include({ visibility: 'shared', tags: ['vip'] });
      expect(await read(leadId, rival)).to.deep.include({ tags: [], notes: [] });
    });
    it('answers a missing and a foreign lead alike', async () => {
      const { leadId } = await enter({ email: 'own@get.example' });
      for (const id of [NOBODY, 'nonsense'])
        expect(await acme.refusal('svc_get_lead', { leadId: id })).to.equal(noLead(id));
      expect(await rival.refusal('svc_get_lead', { leadId })).to.equal(noLead(leadId));
    });
  });

  describe('svc_import_leads_csv', () => {
    it('says of each row what became of it, and svc_get_import_progress reads it again', async () => {
      const rows = ['Ed Import,ed@import.example,CEO,Import,', 'nobody,,,,', 'Ed Again,ed@import.example,CEO,Import,'];
      const answer = await acme.call<{ importId: string; created: number; skipped: number; errors: { row: number }[] }>(
        'svc_import_leads_csv',
        { csv: `Name,Email,Title,Company,Profile URL\n${rows.join('\n')}\n`, sourceNote: 'fair' },
      );
      expect(answer).to.include({ created: 1, skipped: 2 });
      expect(answer.errors.map((error) => error.row)).to.deep.equal([3, 4]);
      const { imports } = await acme.call<{ imports: object[] }>('svc_get_import_progress', {
        importId: answer.importId,
      });
      expect(imports[0]).to.include({ created: 1, skipped: 2, status: 'completed' });
    });
    it('wants a list and a campaign of the workspace, an identity, and at most 10,000 rows', async () => {
      const csv = 'Name,Email\nA,a@x.example\n';
      expect(await acme.refusal('svc_import_leads_csv', { csv, leadListId: NOBODY })).to.equal(noList(NOBODY));
      expect(await acme.refusal('svc_import_leads_csv', { csv, campaignId: NOBODY })).to.equal(noCampaign(NOBODY));
      expect(await acme.refusal('svc_import_leads_csv', { csv: 'Name,Title\nA,CEO\n' })).to.match(
        /no column identifies a person.*svc_import_leads_csv again\.$/,
      );
      const many = `Email,Name\n${Array.from({ length: 10_001 }, (_, index) => `p${index}@x.example,P`).join('\n')}\n`;
      expect(await acme.refusal('svc_import_leads_csv', { csv: many })).to.match(/10,?000/);
      const { leadListId } = await acme.call('svc_create_query_lead_list', { name: 'Q', predicate: { titles: ['x'] } });
      expect(await acme.refusal('svc_import_leads_csv', { csv, leadListId })).to.equal(
        'A query list has no manual members. Call svc_update_lead_list.',
      );
    });
  });

  describe('svc_upsert_lead', () => {
    it('enters a lead, and finds it again by address and by profile', async () => {
      const made = await enter({
        firstName: 'Flo',
        lastName: 'Hand',
        title: 'VP Sales',
        company: 'Hand GmbH',
        email: 'flo@hand.example',
        profileUrl: 'https://de.linkedin.com/in/Flo-Hand?x=1',
        customFields: { tier: 'A', other: 'x' },
        tags: ['b', 'a'],
        note: 'First note',
      });
      expect(made).to.include({ created: true, visibility: 'private' });
      const lead = await read(made.leadId);
      expect(lead).to.deep.include({
        fullName: 'Flo Hand',
        seniority: 'vp',
        company: 'Hand GmbH',
        profileUrl: 'https://www.linkedin.com/in/flo-hand',
        customFields: { tier: 'A', other: 'x' },
        tags: ['a', 'b'],
      });
      expect(lead['companyId']).to.be.a('string');
      expect(lead.notes.map((note) => note.text)).to.deep.equal(['First note']);
      expect(lead.provenance.every((entry) => entry.source === 'manual')).to.equal(true);
      const again = await enter({ email: 'FLO@hand.example', title: 'CRO', customFields: { other: null } });
      expect(again).to.deep.equal({ leadId: made.leadId, created: false, visibility: 'private' });
      await enter({
        profileUrl: 'linkedin.com/in/flo-hand'.replace(/^/, 'https://'),
        addTags: ['c'],
        removeTags: ['a'],
        note: 'Second',
      });
      const after = await read(made.leadId);
      expect(after).to.deep.include({
        title: 'CRO',
        fullName: 'Flo Hand',
        customFields: { tier: 'A' },
        tags: ['b', 'c'],
      });
      expect(after.notes.map((note) => note.text)).to.deep.equal(['First note', 'Second']);
      expect(await search({ query: 'flo hand' }, rival)).to.deep.equal([]);
    });
    it('a call whose answer was lost is made again: one lead, also without an address, and one note', async () => {
      const entry = { firstName: 'Nel', lastName: 'Twice', company: 'Twice GmbH', note: 'Met at the fair' };
      const { leadId } = await enter(entry);
      const again = await acme.again('svc_upsert_lead', entry);
      expect(again).to.deep.equal({ leadId, created: false, visibility: 'private' });
      const notes = async (): Promise<string[]> => (await read(leadId)).notes.map((note) => note.text);
      expect(await notes()).to.deep.equal(['Met at the fair']);
      await enter({ leadId, note: 'Called' });
      await tools.aMinuteLater();
      await acme.again('svc_upsert_lead', { leadId, note: 'Called' });
      expect(await notes(), 'a minute later it is another call').to.deep.equal(['Met at the fair', 'Called', 'Called']);
      const other = await enter({ firstName: 'Nel', lastName: 'Twice', company: 'Elsewhere AG' });
      expect(other.created).to.equal(true);
    });

    it('keeps what an enrichment finds at the same moment', async () => {
      const { leadId } = await enter({ firstName: 'Enno', company: 'Both', email: 'enno@both.example' });
      const { entering } = await tools.cluster.db.tx({ kind: 'platform' }, async (tx) => {
        await tx.exec(`update lead set phone = '+49 1', email_status = 'valid' where id = $1`, [leadId]);
        const entering = enter({ leadId, title: 'CEO' });
        await waiting(1);
        return { entering };
      });
      await entering;
      expect(await read(leadId)).to.deep.include({ title: 'CEO', phone: '+49 1' });
    });

    it('clears by an empty text, and an import does not fill it again', async () => {
      const { leadId } = await enter({ firstName: 'Gus', lastName: 'Hand', email: 'gus@hand.example', title: 'CEO' });
      await enter({ leadId, title: '' });
      await load(['Gus Hand,gus@hand.example,Chief,Hand,'], { onDuplicate: 'overwrite' });
      expect(await read(leadId)).to.include({ title: '', company: 'Hand' });
    });
    it('sets tags and notes of a shared lead, and none of its profile', async () => {
      const leadId = await shared('Hal Pool');
      expect(await enter({ leadId, addTags: ['x'] })).to.deep.equal({ leadId, created: false, visibility: 'shared' });
      expect(await acme.refusal('svc_upsert_lead', { leadId, title: 'x' })).to.equal(
        'Profile fields of a shared lead cannot be changed, only its tags and notes. Call svc_get_lead.',
      );
      expect((await read(leadId)).title).to.equal('CEO');
    });
    it('wants an identity, and does not take the address of another lead', async () => {
      expect(await acme.refusal('svc_upsert_lead', { firstName: 'X' })).to.equal(
        'Invalid input: email: a lead needs email, profileUrl, or a name and a company',
      );
      const one = await enter({ email: 'one@taken.example' });
      const two = await enter({ email: 'two@taken.example', profileUrl: 'https://www.linkedin.com/in/two-taken' });
      expect(await acme.refusal('svc_upsert_lead', { leadId: two.leadId, email: 'one@taken.example' })).to.contain(
        one.leadId,
      );
      expect(
        await acme.refusal('svc_upsert_lead', {
          email: 'one@taken.example',
          profileUrl: 'https://www.linkedin.com/in/two-taken',
        }),
      ).to.match(/^Invalid input: email: belongs to another lead/);
      for (const [bad, path] of [
        [{ email: 'x@y.example', customFields: { 'a b': 'x' } }, 'customFields'],
        [{ email: 'x@y.example', customFields: { a: 3 } }, 'customFields.a'],
        [{ email: 'x@y.example', timezone: 'Mars/One' }, 'timezone'],
        [{ email: 'x@y.example', tags: [''] }, 'tags.0'],
        [{ email: 'x@y.example', profileUrl: 'https://example.com/x' }, 'profileUrl'],
        [{ email: 'x@y.example', companyDomain: 'not a domain' }, 'companyDomain'],
      ] as const)
        expect(await acme.refusal('svc_upsert_lead', bad)).to.contain(`Invalid input: ${path}`);
    });
    it('a lead has a bounded number of custom fields, however they come', async () => {
      const fields = (from: number, count: number): Record<string, string> =>
        Object.fromEntries(Array.from({ length: count }, (_, at) => [`f${from + at}`, 'x']));
      const email = 'wide@fields.example';
      const { leadId } = await enter({ email, customFields: fields(0, 200) });
      const full = /^Invalid input: customFields: a lead has at most 200; null removes one/;
      expect(await acme.refusal('svc_upsert_lead', { leadId, customFields: fields(200, 1) })).to.match(full);
      await enter({ leadId, customFields: { f0: null, f200: 'x' } });
      const file = (from: number, count: number): object => {
        const names = Object.keys(fields(from, count));
        const csv = `email,${names.join()}\n${email},${names.map(() => 'y').join()}\n`;
        const mapping = Object.fromEntries(names.map((name) => [name, `customFields.${name}`]));
        return { csv, mapping, onDuplicate: 'fill_empty' };
      };
      expect(await acme.refusal('svc_import_leads_csv', file(0, 201))).to.match(/mapping: names more than 200 custom/);
      expect(await acme.refusal('svc_import_leads_csv', file(300, 1))).to.match(/csv: row 2: the lead would have more/);
      expect(Object.keys((await read(leadId)).customFields)).to.have.length(200);
    });
    it('answers a missing and a foreign lead alike', async () => {
      const { leadId } = await enter({ email: 'mine@upsert.example' });
      expect(await acme.refusal('svc_upsert_lead', { leadId: NOBODY, note: 'x' })).to.equal(noLead(NOBODY));
      expect(await rival.refusal('svc_upsert_lead', { leadId, note: 'x' })).to.equal(noLead(leadId));
    });
  });

  describe('svc_erase_lead', () => {
    const reason = 'data_subject_request';

    it('erases a private lead, cancels its run, and keeps nothing that names the person', async () => {
      const { leadId } = await enter({
        firstName: 'Ida',
        lastName: 'Erased',
        email: 'ida@erased.example',
        company: 'Erased Firm',
        profileUrl: 'https://www.linkedin.com/in/ida-erased',
        tags: ['x'],
        note: 'Secret',
      });
      const { campaignId } = await acme.call('svc_create_campaign', { title: 'C' });
      const { leadListId } = await acme.call('svc_create_lead_list', { name: 'L', campaignId });
      await acme.call('svc_add_leads_to_list', { leadListId, leadIds: [leadId] });
      const graph = {
        nodes: [
          { nodeType: 'source:manual' },
          { nodeType: 'flow:wait', config: { waitType: 'duration', durationMs: 86_400_000 } },
        ],
        edges: [{ sourceIndex: 0, targetIndex: 1 }],
      };
      const { workflowId } = await acme.call('svc_create_workflow', { campaignId, name: 'F', graph });
      await acme.call('svc_update_workflow_status', { workflowId, enabled: true });
      await acme.call('svc_trigger_workflow', { workflowId, leadIds: [leadId] });

      const answer = await acme.call<{ erased: boolean; recordsErased: Record<string, number> }>('svc_erase_lead', {
        leadId,
        reason,
      });
      expect(answer).to.deep.include({ erased: true, leadId, tombstone: true });
      expect(answer.recordsErased).to.include({ lead: 1, runsCancelled: 1, listMemberships: 1, tagsAndNotes: 1 });
      expect(await acme.refusal('svc_get_lead', { leadId })).to.equal(noLead(leadId));
      const list = await acme.call<{ leadList: { leadCount: number }; leads: object[] }>('svc_get_lead_list', {
        leadListId,
      });
      expect([list.leadList.leadCount, list.leads]).to.deep.equal([0, []]);
      const [run] = await tools.rows<{ state: string }>('select state from run where lead_id = $1', [leadId]);
      expect(run?.state).to.equal('suppressed');
      const left = await tools.rows<{ text: string }>(
        `select (select string_agg(l::text, ' ') from lead l) || (select coalesce(string_agg(k.key, ' '), '') from lead_match_key k)
           || (select coalesce(string_agg(o::text, ' '), '') from lead_overlay o) || (select coalesce(string_agg(c::text, ' '), '') from company c)
           || (select coalesce(string_agg(s::text, ' '), '') from suppression s) || (select string_agg(t::text, ' ') from erasure_tombstone t) as text`,
      );
      expect(left[0]?.text.toLowerCase()).to.not.match(/ida@|erased firm|ida-erased|secret/);
    });

    it('blocks an import, an entry and a contact of the person, and nobody else', async () => {
      const profileUrl = 'https://www.linkedin.com/in/jon-gone';
      const { leadId } = await enter({
        firstName: 'Jon',
        lastName: 'Gone',
        company: 'Gone Inc',
        email: 'jon@gone.example',
        profileUrl,
      });
      await acme.call('svc_erase_lead', { leadId, reason });
      const again = await load([
        'Jon Gone,JON@gone.example,CEO,Gone,',
        `Jonny,,CEO,Elsewhere,${profileUrl}`,
        'Jon Gone,,CEO,Gone,',
        'Jon Gone,another.jon@gone.example,CEO,Gone,',
      ]);
      expect(again).to.include({ created: 1 });
      expect(again.errors).to.have.length(3);
      expect(await acme.refusal('svc_upsert_lead', { email: 'jon+x@gone.example' })).to.equal(ERASED);
      // Another workspace has its own grounds.
      expect(await enter({ email: 'jon@gone.example' }, rival)).to.include({ created: true });
      // The pool learns of the person later: here nobody contacts them.
      const pool = await shared('Jon Pool', { email: 'jon@gone.example', profile: 'jon-gone' });
      expect(await search({ query: 'jon pool' })).to.deep.equal([]);
      expect((await read(pool)).suppression).to.deep.equal({ suppressed: true, sources: ['erasure'] });
      expect((await read(pool, rival)).suppression.suppressed).to.equal(false);
    });

    it('a person who is erased while a file that names them is imported stays erased', async () => {
      const { leadId } = await enter({ firstName: 'Ole', lastName: 'Race', email: 'ole@race.example' });
      const { erasing, importing } = await tools.cluster.db.tx({ kind: 'platform' }, async (tx) => {
        await tx.exec('select 1 from lead where id = $1 for update', [leadId]);
        const erasing = acme.call('svc_erase_lead', { leadId, reason });
        await waiting(1);
        // It waits for no lock that the erasure holds: it tries again until the erasure is through.
        const importing = load(['Ole Race,ole@race.example,Told again,Race Inc,']);
        await waiting(1);
        return { erasing, importing };
      });
      expect(await erasing).to.deep.include({ erased: true, leadId });
      expect(await importing).to.deep.include({ created: 0, updated: 0 });
      const [kept] = await tools.rows('select full_name, email, title, company from lead where id = $1', [leadId]);
      expect(kept).to.deep.equal({ full_name: '', email: null, title: '', company: '' });
    });

    it("erases only the workspace's own data on a shared lead", async () => {
      const leadId = await shared('Kim Pool', { email: 'kim@pool.example' });
      await enter({ leadId, tags: ['x'] });
      await enter({ leadId, tags: ['y'] }, rival);
      const answer = await acme.call('svc_erase_lead', { email: 'kim@pool.example', reason });
      expect(answer).to.deep.include({ erased: true, leadId, tombstone: true });
      expect(await read(leadId)).to.deep.include({ tags: [], fullName: 'Kim Pool' });
      expect((await read(leadId)).suppression.suppressed).to.equal(true);
      expect(await read(leadId, rival)).to.deep.include({ tags: ['y'] });
    });

    it('remembers an address that nobody has stored yet, and forgets nothing when asked again', async () => {
      const ask = { email: 'never@seen.example', reason };
      for (const _ of [1, 2]) {
        expect(await acme.call('svc_erase_lead', ask)).to.deep.include({
          erased: false,
          leadId: null,
          tombstone: true,
        });
      }
      expect(await acme.refusal('svc_upsert_lead', { email: 'never@seen.example' })).to.equal(ERASED);
    });

    it('leaves no tombstone when told so: the person may come back', async () => {
      const { leadId } = await enter({ email: 'lea@back.example' });
      expect(await acme.call('svc_erase_lead', { leadId, reason: 'retention', keepTombstone: false })).to.include({
        tombstone: false,
      });
      expect(await enter({ email: 'lea@back.example' })).to.include({ created: true });
    });

    it('does not erase from the pool itself', async () => {
      const leadId = await shared('Max Pool');
      expect(await acme.refusal('svc_erase_lead', { leadId, reason, keepTombstone: false })).to.equal(
        'The lead belongs to the shared pool and this workspace holds no data on it; erasing it from the pool itself needs a platform admin. Call svc_admin_erase_subject. This key lacks the scope admin:write of svc_admin_erase_subject; svc_whoami tells what it has.',
      );
    });

    it('wants exactly one subject, which is there', async () => {
      const one =
        'Invalid input: leadId: exactly one of leadId, email and profileUrl is needed. Call svc_search_leads to find valid IDs.';
      expect(await acme.refusal('svc_erase_lead', { reason })).to.equal(one);
      expect(await acme.refusal('svc_erase_lead', { reason, leadId: NOBODY, email: 'a@b.example' })).to.equal(one);
      const { leadId } = await enter({ email: 'mine@erase.example' });
      for (const id of [NOBODY, 'nonsense'])
        expect(await acme.refusal('svc_erase_lead', { leadId: id, reason })).to.equal(noLead(id));
      expect(await rival.refusal('svc_erase_lead', { leadId, reason })).to.equal(noLead(leadId));
    });
  });

  describe('svc_build_search_url', () => {
    it('starts from an ICP, explicit lists override it, and what cannot be told is named', async () => {
      const { campaignId } = await acme.call('svc_create_campaign', { title: 'C' });
      const { icpId } = await acme.call('svc_create_icp', {
        campaignId,
        titles: ['VP Sales'],
        seniorities: ['vp'],
        companySizes: ['11-50', '51-200'],
        industries: ['Software'],
      });
      const build = (more: object): Promise<{ url: string; ignoredCriteria: string[] }> =>
        acme.call('svc_build_search_url', more);
      const people = await build({ icpId, titles: ['CRO'], locations: ['Berlin'] });
      expect(new URL(people.url).searchParams.get('titleFreeText')).to.equal('CRO');
      expect(people.ignoredCriteria).to.have.members(['industries', 'seniorities', 'companySizes', 'locations']);
      const sales = await build({ icpId, searchType: 'sales_people' });
      const query = new URL(sales.url).searchParams.get('query');
      expect(query).to.contain(
        '(type:COMPANY_HEADCOUNT,values:List((id:C,selectionType:INCLUDED),(id:D,selectionType:INCLUDED)))',
      );
      expect(query).to.contain('id:300');
      expect(sales.ignoredCriteria).to.deep.equal(['industries']);
      const firms = await build({
        companySizes: ['1001-5000'],
        keywords: ['fin tech', 'bank'],
        searchType: 'companies',
      });
      expect(new URL(firms.url).searchParams.get('keywords')).to.equal('"fin tech" OR bank');
      expect(new URL(firms.url).searchParams.get('companySize')).to.equal('["G"]');
      expect(firms.ignoredCriteria).to.deep.equal([]);
    });
    it('wants a criterion, and an ICP of the workspace', async () => {
      expect(await acme.refusal('svc_build_search_url', {})).to.match(/^Invalid input: titles: /);
      expect(await acme.refusal('svc_build_search_url', { icpId: NOBODY })).to.equal(
        missing('ICP', NOBODY, 'svc_list_icps'),
      );
    });
  });
});
