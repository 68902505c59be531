import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { createCampaign } from '../../../pkg/tools/campaigns/create-campaign.ts';
import { getImportProgress } from '../../../pkg/tools/integrations/get-import-progress.ts';
import { createLeadList } from '../../../pkg/tools/lead-lists/create-lead-list.ts';
import { getLeadList } from '../../../pkg/tools/lead-lists/get-lead-list.ts';
import { getLead } from '../../../pkg/tools/leads/get-lead.ts';
import { importLeadsCsv } from '../../../pkg/tools/leads/import-leads-csv.ts';
import { searchLeads } from '../../../pkg/tools/leads/search-leads.ts';
import { type ToolBench, toolBench } from '../../tools/tool-context.ts';

interface Answer {
  importId: string;
  status: string;
  created: number;
  updated: number;
  skipped: number;
  suppressed: number;
  errors: { row: number; field: string | null; message: string }[];
}
interface Lead {
  leadId: string;
  fullName: string;
  title: string;
  email: string | null;
  phone: string | null;
  tags: string[];
  suppression: { suppressed: boolean };
  provenance: { field: string; source: string }[];
}

describe('CSV import', () => {
  let bench: ToolBench;
  beforeEach(async () => {
    bench = await toolBench();
  });
  afterEach(() => bench.close());

  const load = (csv: string, more: object = {}, workspaceId?: string): Promise<Answer> =>
    bench.call<Answer>(importLeadsCsv, { csv, ...more }, workspaceId);
  const leads = async (more: object = {}, workspaceId?: string): Promise<Lead[]> =>
    (await bench.call<{ leads: Lead[] }>(searchLeads, { limit: 100, detail: 'full', ...more }, workspaceId)).leads;
  const count = async (): Promise<number> =>
    (await bench.tx((tx) => tx.row<{ n: number }>('select count(*)::int as n from lead')))?.n ?? -1;
  const failure = (promise: Promise<unknown>): Promise<unknown> =>
    promise.then(
      () => 'no error',
      (error) => error,
    );

  it('stores private leads with tags and provenance, and another workspace sees none', async () => {
    await bench.workspace('other');
    const csv = 'Name,Email,Title\nAda Lovelace,ada@x.example,VP Sales\n';
    expect(await load(csv, { tags: ['fair'], sourceNote: 'fair 2026' })).to.include({ created: 1, skipped: 0 });
    const [lead] = await leads();
    expect(lead).to.deep.include({ fullName: 'Ada Lovelace', title: 'VP Sales', tags: ['fair'] });
    expect(lead?.provenance.find((entry) => entry.field === 'email')?.source).to.equal('fair 2026');
    expect(await leads({}, 'other')).to.deep.equal([]);
    const read = await failure(bench.call(getLead, { leadId: lead?.leadId }, 'other'));
    expect(read)
      .to.have.property('message')
      .that.matches(/was not found/);
  });

  it('imports a file twice without a second lead', async () => {
    const csv =
      'First Name,Last Name,Company,Email,LinkedIn\nAda,Lovelace,Acme,a@x.example,\nBo,Berg,Acme,,bo-berg\nCy,Dahl,Acme GmbH,,\n';
    expect(await load(csv)).to.include({ created: 3, skipped: 0 });
    expect(await load(csv, { idempotencyKey: 'another' })).to.include({ created: 0, updated: 3, skipped: 0 });
    expect(await count()).to.equal(3);
  });

  it('knows a person by name and company when there is nothing better', async () => {
    await load('Name,Company\nCy Dahl,Acme GmbH\n');
    expect(await load('Name,Company\ncy dahl,ACME\n')).to.include({ created: 0, updated: 1 });
  });

  it('names duplicates inside the file by line', async () => {
    const answer = await load('Name,Email\nAda,a@x.example\nBo,b@x.example\nAda L,A@X.example\n');
    expect(answer).to.deep.include({ created: 2, skipped: 1 });
    expect(answer.errors).to.deep.equal([
      { row: 4, line: 4, field: null, message: 'the same person as line 2', skipped: true },
    ]);
  });

  it('takes a row that fits two leads, one by profile and one by mail', async () => {
    await load('Name,LinkedIn,Email\nAda,ada-l,\nAda L,,a@x.example\n');
    for (const onDuplicate of ['fill_empty', 'overwrite', 'skip']) {
      expect(await load('Name,LinkedIn,Email\nAda,ada-l,a@x.example\n', { onDuplicate })).to.include({
        status: 'completed',
      });
    }
    expect(await count()).to.equal(2);
  });

  it('takes two new rows that a third one connects', async () => {
    const csv = 'Name,LinkedIn,Email\nAda,ada-l,\nAda L,,a@x.example\nAda L,ada-l,a@x.example\n';
    expect(await load(csv)).to.deep.include({ created: 2, skipped: 1 });
  });

  it('fills what is empty, overwrites when asked, and hand edits win', async () => {
    await load('Name,Email,Title\nAda,a@x.example,CEO\n');
    const richer = 'Name,Email,Title,Phone\nAda,a@x.example,CTO,+49 30 1\n';
    await load(richer);
    expect((await leads())[0]).to.include({ title: 'CEO', phone: '+49 30 1' });
    await load(richer, { onDuplicate: 'overwrite' });
    expect((await leads())[0]).to.include({ title: 'CTO' });
    await bench.tx((tx) =>
      tx.exec(`update lead set title = 'Chair', provenance = provenance || '{"title": {"source": "manual", "at": 1}}'`),
    );
    await load(richer, { onDuplicate: 'overwrite' });
    expect((await leads())[0]).to.include({ title: 'Chair' });
  });

  it('changes nothing when the file is broken, and nothing on a dry run', async () => {
    const broken = await failure(load('Name,Email\nAda,a@x.example\nBo,"b@x.example\n'));
    expect(broken).to.include({ name: 'UserError' });
    expect(await load('Name,Email\nAda,a@x.example\n', { dryRun: true })).to.include({ created: 1, status: 'dry_run' });
    expect(await count()).to.equal(0);
    expect(await bench.call(getImportProgress, {})).to.deep.equal({ imports: [], nextCursor: null });
  });

  it('names the columns that went nowhere, and no row is skipped for them', async () => {
    const csv = 'Remark of an export\nName,Email,Lead Status,E-Mail,Owner,\nAda,a@x.example,hot,b@x.example,,x\n';
    const answer = await load(csv, { mapping: { Name: 'fullName' } });
    expect(answer).to.deep.include({ created: 1, skipped: 0 });
    const note = {
      row: 2,
      line: 2,
      field: null,
      message:
        'these columns were not imported: "E-Mail", column 6; to keep one, name its lead field or customFields.<name> in mapping and import again',
    };
    expect(answer.errors, 'an empty column loses nothing').to.deep.equal([note]);
    const { imports } = await bench.call<{ imports: object[] }>(getImportProgress, { importId: answer.importId });
    expect(imports[0]).to.deep.include({ total: 1, skipped: 0, errors: [note] });
    const { errors } = await load(csv, {
      mapping: { 'Lead Status': 'customFields.status', 'E-Mail': 'customFields.other' },
    });
    expect(errors.map((one) => one.message)).to.deep.equal([note.message.replace('"E-Mail", ', '')]);
    const wide = Array.from({ length: 30 }, (_, n) => `Extra ${n}`);
    const [many] = (await load(`Name,Email,${wide}\nAda,a@x.example,${wide}\n`)).errors;
    expect(many?.message).to.match(/"Extra 19" and 10 more; to keep one/);
  });

  it('refuses a file that identifies nobody', async () => {
    expect(await failure(load('Title,City\nCEO,Paris\n'))).to.include({ reason: 'NoIdentity' });
  });

  it('counts suppressed persons, and search leaves them out', async () => {
    await load('Name,Email\nAda,a@x.example\n');
    await bench.tx((tx) =>
      tx.exec(`insert into suppression (id, workspace_id, level, kind, value, person_id, source, created_at)
        select gen_random_uuid(), 'acme', 'workspace', 'person', person_id::text, person_id, 'manual', 1 from lead`),
    );
    expect(await load('Name,Email\nAda,a@x.example\nBo,b@x.example\n')).to.include({ suppressed: 1 });
    expect((await leads()).map((lead) => lead.fullName)).to.deep.equal(['Bo']);
    expect(await leads({ includeSuppressed: true })).to.have.length(2);
  });

  it('counts a mail address that was suppressed before its person was known', async () => {
    await bench.tx((tx) =>
      tx.exec(`insert into suppression (id, workspace_id, level, kind, value, source, created_at)
        values (gen_random_uuid(), 'acme', 'workspace', 'mail', 'a@x.example', 'unsubscribe', 1)`),
    );
    expect(await load('Name,Email\nAda,a@x.example\n')).to.include({ suppressed: 1 });
  });

  it('puts leads into a list and a campaign, and the import can be read again', async () => {
    const { campaignId } = await bench.call<{ campaignId: string }>(createCampaign, { title: 'T' });
    const { leadListId } = await bench.call<{ leadListId: string }>(createLeadList, { name: 'L' });
    const answer = await load('Name,Email\nAda,a@x.example\nBo,nope\n', { campaignId, leadListId });
    const list = await bench.call<{ leadList: { leadCount: number }; leads: Lead[] }>(getLeadList, { leadListId });
    expect(list.leadList.leadCount).to.equal(1);
    expect(list.leads.map((lead) => lead.fullName)).to.deep.equal(['Ada']);
    const { imports } = await bench.call<{ imports: object[] }>(getImportProgress, { importId: answer.importId });
    expect(imports[0]).to.include({ total: 2, created: 1, skipped: 1, status: 'completed' });
  });

  it('answers a repeated idempotency key with the first result', async () => {
    const first = await load('Name,Email\nAda,a@x.example\n', { idempotencyKey: 'k' });
    expect(await load('Name,Email\nAda,a@x.example\n', { idempotencyKey: 'k' })).to.deep.equal(first);
    const other = await failure(load('Name,Email\nBo,b@x.example\n', { idempotencyKey: 'k' }));
    expect(other).to.include({ reason: 'IdempotencyMismatch' });
  });

  it('reads the example file and skips its bad rows by line', async () => {
    const answer = await load(await readFile('docs/examples/leads.csv', 'utf8'));
    expect(answer.created).to.be.within(270, 300);
    expect(answer.skipped).to.be.within(10, 40);
    const [columns, ...rows] = answer.errors;
    expect(columns).to.deep.include({ row: 1, field: null });
    expect(columns?.message).to.match(/not imported: "Record ID", "Notes";/);
    for (const error of rows) expect(error.row).to.be.greaterThan(1);
  });

  it('pages through a search without a gap or a double', async () => {
    await load(`Name,Email\n${Array.from({ length: 25 }, (_, n) => `P${n},p${n}@x.example`).join('\n')}\n`);
    const seen: string[] = [];
    let cursor: string | null | undefined;
    do {
      const page = await bench.call<{ leads: Lead[]; nextCursor: string | null }>(searchLeads, {
        limit: 7,
        ...(cursor ? { cursor } : {}),
      });
      seen.push(...page.leads.map((lead) => lead.leadId));
      cursor = page.nextCursor;
    } while (cursor);
    expect(new Set(seen).size).to.equal(25);
    expect(seen).to.have.length(25);
  });
});
