import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { Database } from '../../../pkg/postgres/database.ts';
import { startToolCalls, type ToolCalls, workspaceKey } from '../../tools/tool-calls.ts';

interface Import {
  importId: string;
  status: string;
  created: number;
  updated: number;
  skipped: number;
  suppressed: number;
  errors: { row: number; field: string | null; message: string; skipped?: true }[];
  columns?: { column: string; target: string | null }[];
}
interface Lead {
  leadId: string;
  fullName: string;
  title: string;
  phone: string | null;
  email: string | null;
  tags: string[];
  customFields: object;
  provenance: { field: string; source: string }[];
  suppression: { suppressed: boolean; sources: string[] };
}

describe('lead import', () => {
  let tools: ToolCalls;
  before(async () => {
    tools = await startToolCalls();
  });
  after(() => tools.stop());

  const load = (csv: string, more: object = {}, caller = workspaceKey('acme')): Promise<Import> =>
    tools.call<Import>('svc_import_leads_csv', { csv, ...more }, caller);
  const count = async (table: string): Promise<number> =>
    (await tools.rows<{ count: number }>(`select count(*)::int as count from ${table}`))[0]?.count ?? -1;
  const search = async (input: object = {}): Promise<Lead[]> =>
    (await tools.call<{ leads: Lead[] }>('svc_search_leads', { detail: 'full', ...input })).leads;

  beforeEach(async () => {
    for (const table of [
      'lead_list_member',
      'campaign_lead',
      'lead_overlay',
      'lead_score',
      'suppression',
      'lead_import',
      'idempotency',
      'lead_list',
      'lead',
    ]) {
      await tools.rows(`delete from ${table}`);
    }
  });

  it('imports the example file: everyone is imported or named, and the second time nobody is new', async () => {
    const csv = readFileSync('docs/examples/leads.csv', 'utf8');
    const first = await load(csv);
    expect(first.status).to.equal('completed');
    expect(first.created).to.equal(await count('lead'));
    // The first line names the columns that went nowhere, the next three the cells that did; then each row that was skipped.
    const cells = first.errors.slice(1, 4).map(({ field }) => field);
    expect(cells).to.deep.equal(['lastName', 'email', 'email']);
    expect(first.errors).to.have.length(4 + first.skipped);
    const again = await load(csv, { onDuplicate: 'overwrite' });
    expect(again).to.deep.include({ created: 0, updated: first.created, skipped: first.skipped });
    expect(await count('lead')).to.equal(first.created);
  });

  it('a broken file changes nothing', async () => {
    const text = await tools.refusal('svc_import_leads_csv', { csv: 'Email,Name\na@a.example,A\nb@b.example,"B\n' });
    expect(text).to.match(/^Invalid input: csv: .*line 3.*Nothing was imported/);
    expect([await count('lead'), await count('lead_import')]).to.deep.equal([0, 0]);
  });

  it('a file without identity is refused, naming what identifies', async () => {
    expect(await tools.refusal('svc_import_leads_csv', { csv: 'Title,City\nCEO,Bonn\n' })).to.match(
      /no column identifies a person \(email, profileUrl, or name and company\)/,
    );
  });

  it('a dry run reports what would happen and writes nothing', async () => {
    await load('Email,Phone\na@a.example,\n');
    await tools.rows(
      `insert into suppression (id, workspace_id, level, kind, value, source, created_at) values (gen_random_uuid(), 'acme', 'workspace', 'domain', 'b.example', 'manual', 0)`,
    );
    const csv = 'Email,Phone\na@a.example,123\nb@b.example,\nnope,\n';
    const dry = await load(csv, { dryRun: true, tags: ['x'] });
    expect(dry).to.deep.include({ status: 'dry_run', created: 1, updated: 1, skipped: 1, suppressed: 1 });
    expect([await count('lead'), await count('lead_import'), await count('lead_overlay')]).to.deep.equal([1, 1, 0]);
    const { importId: _dry, status: _status, columns: _columns, ...would } = dry;
    const { importId: _real, status: _done, ...did } = await load(csv);
    expect(did).to.deep.equal(would);
  });

  it('fill_empty fills what is unknown, overwrite replaces, hand edits win, skip changes nothing', async () => {
    const row = (title: string, phone: string): string =>
      `Email,Name,Title,Phone\nann@a.example,Ann Lee,${title},${phone}\n`;
    await load(row('CTO', ''), { sourceNote: 'fair' });
    await load(row('CEO', '+49 30 111111'), { sourceNote: 'list' });
    const [filled] = await search();
    expect(filled).to.deep.include({ title: 'CTO', phone: '+49 30 111111' });
    const sources = Object.fromEntries((filled?.provenance ?? []).map((entry) => [entry.field, entry.source]));
    expect(sources).to.include({ title: 'fair', email: 'fair', phone: 'list' });
    await load(row('CFO', '+49 30 222222'), { onDuplicate: 'skip' });
    expect((await search())[0]).to.include({ title: 'CTO', phone: '+49 30 111111' });
    await tools.rows(
      `update lead set phone = '999', provenance = provenance || '{"phone": {"source": "manual", "at": 1}}'`,
    );
    await load(row('CFO', '+49 30 222222'), { onDuplicate: 'overwrite' });
    expect((await search())[0]).to.include({ title: 'CFO', phone: '999' });
  });

  it('the same key answers again without a second import; other input under it is refused', async () => {
    const input = { csv: 'Email\na@a.example\n', idempotencyKey: 'k1' };
    const first = await tools.call<Import>('svc_import_leads_csv', input);
    expect(await tools.call('svc_import_leads_csv', input)).to.deep.equal(first);
    expect(await count('lead_import')).to.equal(1);
    expect(await tools.refusal('svc_import_leads_csv', { ...input, tags: ['x'] })).to.match(/idempotencyKey/);
  });

  it('two imports of one file at the same time make one lead each', async () => {
    const csv = `Email\n${Array.from({ length: 50 }, (_, i) => `p${i}@a.example`).join('\n')}\n`;
    const [a, b] = await Promise.all([load(csv, { idempotencyKey: 'one' }), load(csv, { idempotencyKey: 'other' })]);
    expect([a.created, b.created].toSorted((x, y) => x - y)).to.deep.equal([0, 50]);
    expect(await count('lead')).to.equal(50);
  });

  it('puts leads on a list and into a campaign, with tags; doubles count once', async () => {
    const { campaignId } = await tools.call<{ campaignId: string }>('svc_create_campaign', { title: 'C' });
    const { leadListId } = await tools.call<{ leadListId: string }>('svc_create_lead_list', { name: 'L', campaignId });
    const csv = 'Email\na@a.example\nb@a.example\nA@a.example\n';
    const result = await load(csv, { leadListId, campaignId, tags: ['fair', 'vip'] });
    expect(result.errors).to.deep.equal([
      { row: 4, line: 4, field: null, message: 'the same person as line 2', skipped: true },
    ]);
    await load(csv, { leadListId, campaignId, tags: ['new'] });
    const read = await tools.call<{ leadList: { leadCount: number }; leads: Lead[] }>('svc_get_lead_list', {
      leadListId,
      detail: 'full',
    });
    expect(read.leadList.leadCount).to.equal(2);
    expect(read.leads[0]?.tags).to.deep.equal(['fair', 'new', 'vip']);
    expect(await count('campaign_lead')).to.equal(2);
    expect(await tools.refusal('svc_import_leads_csv', { csv, leadListId: 'nope' })).to.equal(
      'Lead list "nope" was not found. Call svc_list_lead_lists to find valid IDs.',
    );
  });

  it('suppressed people are imported, counted, and hidden from searches by whatever suppresses them', async () => {
    const values = [
      ['mail', 'mail@x.example'],
      ['domain', 'd.example'],
      ['profile', 'prof'],
    ];
    for (const [kind, value] of values) {
      await tools.rows(
        `insert into suppression (id, workspace_id, level, kind, value, source, created_at) values (gen_random_uuid(), 'acme', 'workspace', $1, $2, 'unsubscribe', 0)`,
        [kind, value],
      );
    }
    const csv =
      'Email,LinkedIn URL\nmail@x.example,\nany@d.example,\n,https://www.linkedin.com/in/PROF/\nfree@y.example,\n';
    expect(await load(csv)).to.include({ created: 4, suppressed: 3 });
    expect((await search()).map((lead) => lead.email)).to.deep.equal(['free@y.example']);
    const all = await search({ includeSuppressed: true });
    expect(all.filter((lead) => lead.suppression.suppressed)).to.have.length(3);
    expect(all.find((lead) => lead.email === 'mail@x.example')?.suppression.sources).to.deep.equal(['unsubscribe']);
  });

  it('leads, tags and imports of one workspace never show in another', async () => {
    const { importId } = await load('Email\na@a.example\n', { tags: ['secret'] });
    const [lead] = await search();
    const rival = workspaceKey('rival');
    expect((await tools.call<{ leads: Lead[] }>('svc_search_leads', {}, rival)).leads).to.deep.equal([]);
    expect(await tools.refusal('svc_get_lead', { leadId: lead?.leadId }, rival)).to.match(/was not found/);
    expect(await tools.refusal('svc_get_import_progress', { importId }, rival)).to.match(/^Import ".*" was not found/);
    await load('Email\na@a.example\n', {}, rival);
    expect(await count('lead')).to.equal(2);
  });

  it('progress names the counts and the skipped rows; leads:read sees only its own imports', async () => {
    const { importId, errors } = await load('Email\na@a.example\nIda Voss\n');
    expect(errors).to.deep.equal([
      { row: 3, line: 3, field: 'email', message: '"Ida Voss" is no mail address', skipped: true },
    ]);
    const { imports } = await tools.call<{ imports: object[] }>('svc_get_import_progress', { importId });
    expect(imports[0]).to.deep.include({
      importId,
      kind: 'csv',
      status: 'completed',
      total: 2,
      created: 1,
      skipped: 1,
      // What stood in a cell may be the data of somebody who is erased later: the answer alone has it.
      errors: [{ row: 3, line: 3, field: 'email', message: 'is no mail address', skipped: true }],
    });
    const own = workspaceKey('acme', ['leads:read'], 'acme');
    const other = workspaceKey('acme', ['leads:read'], 'another-key');
    expect((await tools.call<{ imports: object[] }>('svc_get_import_progress', {}, own)).imports).to.have.length(1);
    expect((await tools.call<{ imports: object[] }>('svc_get_import_progress', {}, other)).imports).to.deep.equal([]);
    expect(await tools.refusal('svc_get_import_progress', {}, workspaceKey('acme', ['campaigns:read']))).to.match(
      /^Scope integrations:read/,
    );
  });

  it('counts every row that it skips and names the first thousand', async () => {
    const rows = Array.from({ length: 1_500 }, (_, n) => `P${n},no mail`).join('\n');
    const { skipped, errors } = await load(`Name,Email\nAda,ada@x.example\n${rows}\n`);
    expect([skipped, errors.length]).to.deep.equal([1_500, 1_000]);
    expect(errors.map(({ row }) => row)).to.deep.equal(Array.from({ length: 1_000 }, (_, n) => n + 3));
  });

  it('names the rows that it skips before cells that it leaves out, and a dry run where each column goes', async () => {
    const rows = Array.from({ length: 1_200 }, (_, n) => `P${n},p${n}@x.example,no number`).join('\n');
    const csv = `Name,E-mail,Phone,Opt out,Team\n${rows}\nBo,no mail,,,\nCy,no mail,,,\n`;
    const { errors, columns } = await load(csv, { dryRun: true, mapping: { Team: 'customFields.team' } });
    expect(columns).to.deep.equal([
      { column: 'Name', target: 'fullName' },
      { column: 'E-mail', target: 'email' },
      { column: 'Phone', target: 'phone' },
      { column: 'Opt out', target: 'unsubscribed' },
      { column: 'Team', target: 'customFields.team' },
    ]);
    expect(errors).to.have.length(1_000);
    expect(errors.flatMap(({ row, skipped }) => (skipped ? [row] : []))).to.deep.equal([1_202, 1_203]);
    expect(await load(csv)).to.not.have.property('columns');
    const { columns: lost } = await load('Email,Shoe size\na@x.example,43\n', { dryRun: true });
    expect(lost?.[1]).to.deep.equal({ column: 'Shoe size', target: null });
  });

  it('10,000 rows in one call', async function () {
    this.timeout(180_000);
    const rows = Array.from(
      { length: 10_000 },
      (_, i) =>
        `P${i},Last${i},p${i}@c${i % 500}.example,Acme ${i % 500},https://www.linkedin.com/in/p-${i},Head of Sales`,
    );
    const csv = `First Name,Last Name,Email,Company,LinkedIn URL,Title\n${rows.join('\n')}\n`;
    expect(await load(csv)).to.include({ created: 10_000, skipped: 0 });
    expect(await load(csv, { onDuplicate: 'overwrite' })).to.include({ created: 0, updated: 10_000 });
  }).timeout(60_000);
});

describe('lead search', () => {
  let tools: ToolCalls;
  before(async () => {
    tools = await startToolCalls();
    const csv = [
      'First Name,Last Name,Email,Title,Company,# Employees,Industry,City,Country',
      'Jonas,Berg,jonas@nord.example,VP Sales,Nordwind GmbH,120,Software,Berlin,Germany',
      'Ida,Roth,,Head of Marketing,Roth & Co,"1,001 - 5,000",Retail,Paris,France',
      'Max,100%_Pure,max@pure.example,Founder,Pure,8,Software,Lisbon,Portugal',
    ].join('\n');
    await tools.call('svc_import_leads_csv', { csv, tags: ['all'] });
  });
  after(() => tools.stop());

  const cases: [string, object, string[]][] = [
    ['beginnings of words in name, title and company', { query: 'jon nord' }, ['Jonas']],
    ['any of the titles', { titles: ['sales', 'founder'] }, ['Jonas', 'Max']],
    ['seniority however it is written', { seniorities: ['Vice President'] }, ['Jonas']],
    ['a range of sizes', { companySizes: ['51-200'] }, ['Jonas']],
    ['an open range of sizes', { companySizes: ['1000+'] }, ['Ida']],
    ['industries', { industries: ['soft'] }, ['Jonas', 'Max']],
    ['locations', { locations: ['france', 'portugal'] }, ['Ida', 'Max']],
    ['keywords, taken literally', { keywords: ['%'] }, []],
    ['mail known', { hasEmail: false }, ['Ida']],
    ['all of the tags', { tags: ['all', 'none'] }, []],
    ['the shared pool only', { visibility: 'shared' }, []],
    ['criteria together', { industries: ['software'], locations: ['Berlin'], tags: ['all'] }, ['Jonas']],
    ['odd characters in the query', { query: `'); & | ! <-> :* "jonas` }, ['Jonas']],
  ];
  for (const [what, input, names] of cases) {
    it(`finds by ${what}`, async () => {
      const { leads } = await tools.call<{ leads: { firstName: string }[] }>('svc_search_leads', input);
      expect(leads.map((lead) => lead.firstName).toSorted()).to.deep.equal(names);
    });
  }

  it('minScore needs a campaign', async () => {
    expect(await tools.refusal('svc_search_leads', { minScore: 1 })).to.equal(
      'Invalid input: minScore: needs campaignId',
    );
  });

  it('who contacts a lead is the own workspace or elsewhere, never a name', async () => {
    await tools.call(
      'svc_import_leads_csv',
      { csv: 'email,firstName\nclaimed@berg.example,Klaus' },
      workspaceKey('acme'),
    );
    const owner = new Database({ url: tools.cluster.superuserUrl, max: 1, applicationName: 'test' });
    const claimedBy = async (holder: string, released: number | null): Promise<string | null> => {
      await owner.tx({ kind: 'none' }, async (tx) => {
        const lead = `email = 'claimed@berg.example'`;
        await tx.exec(
          `update outrider.lead set person_id = coalesce(person_id, '00000000-0000-4000-8000-00000000c1a1') where ${lead}`,
        );
        await tx.exec('delete from outrider.contact_claim');
        await tx.exec(
          `insert into outrider.contact_claim (scope_key, person_id, workspace_id, taken_at, released_at)
           select 'w:' || $1::text, person_id, $1, 1, $2 from outrider.lead where ${lead}`,
          [holder, released],
        );
      });
      const { leads } = await tools.call<{ leads: Lead[] }>('svc_search_leads', { query: 'klaus' });
      const { lead } = await tools.call<{ lead: { contact: { claimedBy: string | null } } }>('svc_get_lead', {
        leadId: leads[0]?.leadId,
      });
      return lead.contact.claimedBy;
    };
    try {
      expect(await claimedBy('acme', null)).to.equal('acme');
      expect(await claimedBy('a-competitor', null)).to.equal('elsewhere');
      expect(await claimedBy('a-competitor', 5)).to.equal(null);
    } finally {
      await owner.close();
    }
  });

  it('reads one lead as the workspace sees it; anything else is not found', async () => {
    const { leads } = await tools.call<{ leads: { leadId: string }[] }>('svc_search_leads', { query: 'jonas' });
    const { lead } = await tools.call<{ lead: object }>('svc_get_lead', { leadId: leads[0]?.leadId });
    expect(lead).to.deep.include({
      fullName: 'Jonas Berg',
      visibility: 'private',
      tags: ['all'],
      seniority: 'vp',
      companySize: '120',
    });
    expect(await tools.refusal('svc_get_lead', { leadId: 'x' })).to.equal(
      'Lead "x" was not found. Call svc_search_leads to find valid IDs.',
    );
  });
});
