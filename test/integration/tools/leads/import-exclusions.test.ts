import { expect } from 'chai';
import { type McpTools, startMcpTools, type ToolUser } from '../../../tools/mcp-tools.ts';

interface Imported {
  created: number;
  updated: number;
  skipped: number;
  suppressed: number;
  excluded: number;
  errors: { row: number; line: number; field: string | null; message: string }[];
}
interface Found {
  leads: { leadId: string; fullName: string; email: string | null; profileUrl: string }[];
}
interface Read {
  lead: { suppression: { suppressed: boolean; sources: string[] } };
}

describe('an import keeps to what its file says of people', () => {
  let tools: McpTools;
  let user: ToolUser;
  before(async function () {
    this.timeout(60_000);
    tools = await startMcpTools();
    user = await tools.as({ workspace: 'acme' });
  });
  after(() => tools.stop());

  const load = (csv: string, more: object = {}): Promise<Imported> =>
    user.call<Imported>('svc_import_leads_csv', { csv, ...more });
  const sourcesOf = async (query: string): Promise<string[]> => {
    const { leads } = await user.call<Found>('svc_search_leads', { query, includeSuppressed: true });
    const read = await user.call<Read>('svc_get_lead', { leadId: leads[0]?.leadId });
    return read.lead.suppression.sources;
  };

  it('whom the file marks is imported, excluded and counted, in a rehearsal too', async () => {
    const csv = [
      'Email,Name,Company,Do Not Contact,Email Status,Unsubscribed from all email',
      'ada@no.example,Ada Nofirst,No,TRUE,,',
      'bo@no.example,Bo Nosecond,No,,,true',
      'cy@no.example,Cy Nothird,No,,Bounced,',
      'di@no.example,Di Nofourth,No,FALSE,Verified,false',
    ].join('\n');
    expect(await load(csv, { dryRun: true })).to.include({ created: 4, excluded: 3 });
    expect(await load(csv)).to.include({ created: 4, excluded: 3, suppressed: 2, skipped: 0 });
    expect(await sourcesOf('Nofirst')).to.deep.equal(['import']);
    expect(await sourcesOf('Nosecond')).to.deep.equal(['unsubscribe']);
    expect(await sourcesOf('Nofourth')).to.deep.equal([]);
  });

  it('whom the workspace has already is excluded too, also where duplicates are skipped, and once', async () => {
    await load('Email,Name,Company\neve@later.example,Eve Later,Later\n');
    const csv = 'Email,Name,Company,Stage\neve@later.example,Eve Later,Later,Do Not Contact\n';
    expect(await load(csv, { onDuplicate: 'skip' })).to.include({ created: 0, excluded: 1, skipped: 1 });
    expect(await load(csv)).to.include({ updated: 1, excluded: 1 });
    expect(await sourcesOf('Eve Later')).to.deep.equal(['import']);
  });

  it('two profiles under one address are two people, and the conflict is named', async () => {
    const row = (name: string, profile: string): string =>
      `Email,Name,Company,LinkedIn\nwe@both.example,${name},Both,https://www.linkedin.com/in/${profile}\n`;
    await load(row('Fay Both', 'fay-both-1'));
    const second = await load(row('Gus Both', 'gus-both-2'), { onDuplicate: 'overwrite' });
    expect(second).to.include({ created: 1, updated: 0, skipped: 0 });
    expect(second.errors[0]).to.include({ row: 2, line: 2, field: 'email' });
    expect(second.errors[0]?.message).to.match(/another lead, which has another profile/);
    const { leads } = await user.call<Found>('svc_search_leads', { query: 'Both', detail: 'full' });
    expect(leads.map(({ fullName, email }) => [fullName, email])).to.have.deep.members([
      ['Fay Both', 'we@both.example'],
      ['Gus Both', null],
    ]);
  });
});
