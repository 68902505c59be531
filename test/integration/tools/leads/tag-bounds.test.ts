import { expect } from 'chai';
import { applyTags } from '../../../../pkg/store/runs/run-writes.ts';
import { startToolCalls, type ToolCalls, workspaceKey } from '../../../tools/tool-calls.ts';

const MOST = 200;

describe('tags of a lead', () => {
  let tools: ToolCalls;
  let leadId: string;
  before(async () => {
    tools = await startToolCalls();
  });
  after(() => tools.stop());

  const names = (from: number, count: number): string[] => Array.from({ length: count }, (_, i) => `tag-${from + i}`);
  const tagsOf = async (): Promise<string[]> =>
    (await tools.call<{ lead: { tags: string[] } }>('svc_get_lead', { workspaceId: 'acme', leadId })).lead.tags;
  const add = (addTags: string[]): Promise<object> =>
    tools.call('svc_upsert_lead', { leadId, addTags }, workspaceKey('acme'));

  beforeEach(async () => {
    const made = await tools.call<{ leadId: string }>(
      'svc_upsert_lead',
      { firstName: 'Ada', lastName: 'L', company: 'Firm', email: 'ada@firm.example' },
      workspaceKey('acme'),
    );
    leadId = made.leadId;
    await tools.call('svc_upsert_lead', { leadId, tags: [] }, workspaceKey('acme'));
    for (let from = 0; from < MOST; from += 50) await add(names(from, 50));
  });

  it(`are ${MOST} at most, however many calls add some`, async () => {
    const refused = await tools.refusal('svc_upsert_lead', { leadId, addTags: ['one more'] }, workspaceKey('acme'));
    expect(refused).to.match(/more than 200 tags/);
    expect(await tagsOf()).to.have.length(MOST);
    await add(['tag-1']);
    await tools.call('svc_upsert_lead', { leadId, addTags: ['x'], removeTags: ['tag-1'] }, workspaceKey('acme'));
    expect(await tagsOf())
      .to.have.length(MOST)
      .and.include('x');
  });

  it('so with those of an import, of which nothing is kept then', async () => {
    const csv = 'Email,Name,Company\nada@firm.example,Ada L,Firm\nbob@firm.example,Bob M,Firm\n';
    const refused = await tools.refusal('svc_import_leads_csv', { csv, tags: ['import'] }, workspaceKey('acme'));
    expect(refused).to.match(/more than 200 tags/);
    expect(await tools.rows(`select 1 from lead where email = 'bob@firm.example'`)).to.deep.equal([]);
    await tools.call('svc_import_leads_csv', { csv, tags: ['tag-1'] }, workspaceKey('acme'));
    expect(await tagsOf()).to.have.length(MOST);
  });

  it('and with those of a workflow, which takes off what it is to take off all the same', async () => {
    const { db } = tools.cluster;
    await db.tx({ kind: 'platform' }, (tx) =>
      applyTags(tx, 'acme', [{ leadId, add: ['one more'], remove: ['tag-1'] }]),
    );
    await db.tx({ kind: 'platform' }, (tx) => applyTags(tx, 'acme', [{ leadId, add: ['another'], remove: [] }]));
    await db.tx({ kind: 'platform' }, (tx) =>
      applyTags(tx, 'acme', [{ leadId, add: ['third'], remove: ['tag-2', 'x'] }]),
    );
    const tags = await tagsOf();
    expect(tags.length).to.be.at.most(MOST);
    expect(tags).to.not.include('tag-1');
    expect(tags).to.not.include('tag-2');
    expect(tags).to.include('third');
  });
});
