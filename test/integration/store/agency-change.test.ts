import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { Database } from '../../../pkg/postgres/database.ts';
import { type Bench, enrol, openBench } from '../../fixtures/engine/harness.ts';
import { addCampaign, addLead, addWorkflow, addWorkspace } from '../../fixtures/engine/rows.ts';

describe('a workspace that changes its agency', function () {
  this.timeout(60_000);
  let bench: Bench;
  let owner: Database;
  before(async () => {
    bench = await openBench();
    owner = new Database({ url: bench.ownerUrl, max: 1, applicationName: 'test' });
  });
  after(async () => {
    await owner.close();
    await bench.close();
  });

  const query = <T extends object>(sql: string, values: unknown[]): Promise<T[]> =>
    owner.tx({ kind: 'none' }, async (tx) => {
      await tx.exec('set local search_path = outrider, app');
      return tx.rows<T>(sql, values);
    });
  const agencyOf = (ws: string, agency: string | null): Promise<unknown> =>
    bench.app.tx({ kind: 'platform' }, (tx) =>
      tx.exec('update workspace set agency_id = $2 where id = $1', [ws, agency]),
    );
  /** A workspace with a lead of this profile in its workflow; scope `agency` in its campaign. */
  async function following(agencyId: string | null, profileId: string, email: string | null = null) {
    const ws = await addWorkspace(bench.app, { agencyId });
    const camp = await addCampaign(bench.app, ws, { contactPolicy: { dedupeScope: 'agency' } });
    const flow = await addWorkflow(bench.app, ws, camp, { nodes: [], edges: [] });
    const leadId = await addLead(bench.app, ws, { profileId, email });
    const [answer] = await enrol(bench, ws, flow, [leadId]);
    return { ws, flow, leadId, skipped: answer?.skipped };
  }
  const personOf = async (leadId: string): Promise<{ id: string; scope: string } | undefined> =>
    (
      await query<{ id: string; scope: string }>(
        'select p.id, p.scope from lead l join person p on p.id = l.person_id where l.id = $1',
        [leadId],
      )
    )[0];
  const journal = async (ws: string): Promise<number> =>
    (await query(`select 1 from person_merge where evidence ->> 'workspaceId' = $1`, [ws])).length;

  it('joins with its persons: who is known there is one with them, and the claim that holds stays', async () => {
    const [agency, profile] = [`agency-${randomUUID()}`, `p-${randomUUID()}`];
    const there = await following(agency, profile);
    const joins = await following(null, profile);
    expect([there.skipped, joins.skipped]).to.deep.equal([null, null]);
    await agencyOf(joins.ws, agency);
    expect(await personOf(joins.leadId)).to.deep.equal(await personOf(there.leadId));
    expect(await journal(joins.ws)).to.equal(1);
    const third = await addWorkspace(bench.app, { agencyId: agency });
    const camp = await addCampaign(bench.app, third, { contactPolicy: { dedupeScope: 'agency' } });
    const flow = await addWorkflow(bench.app, third, camp, { nodes: [], edges: [] });
    const [answer] = await enrol(bench, third, flow, [await addLead(bench.app, third, { profileId: profile })]);
    expect(answer?.skipped).to.equal('claimed');
  });

  it('leaves with its own: the persons of the others and their claims stay', async () => {
    const [agency, profile] = [`agency-${randomUUID()}`, `p-${randomUUID()}`];
    const stays = await following(agency, profile);
    const leaves = await addWorkspace(bench.app, { agencyId: agency });
    const leadId = await addLead(bench.app, leaves, { profileId: profile });
    const flow = await addWorkflow(bench.app, leaves, await addCampaign(bench.app, leaves), { nodes: [], edges: [] });
    expect((await enrol(bench, leaves, flow, [leadId]))[0]?.skipped, 'under another scope').to.equal(null);
    const before = await personOf(stays.leadId);
    await agencyOf(leaves, `agency-${randomUUID()}`);
    expect(await personOf(stays.leadId)).to.deep.equal(before);
    expect((await personOf(leadId))?.id).to.not.equal(before?.id);
    const [run] = await query<{ person_id: string }>('select person_id from run where lead_id = $1', [leadId]);
    expect(run?.person_id).to.equal((await personOf(leadId))?.id);
    const claims = await query<{ workspace_id: string; person_id: string }>(
      'select workspace_id, person_id from contact_claim where workspace_id = any ($1) order by workspace_id = $2',
      [[stays.ws, leaves], leaves],
    );
    expect(claims.map((claim) => claim.person_id)).to.deep.equal([before?.id, run?.person_id]);
  });

  it('never unites two profiles by it, whatever mail address they share', async () => {
    const [agency, mail] = [`agency-${randomUUID()}`, `${randomUUID()}@shared.example`];
    const there = await following(agency, `a-${randomUUID()}`, mail);
    const joins = await following(null, `b-${randomUUID()}`, mail);
    await agencyOf(joins.ws, agency);
    const [one, other] = [await personOf(there.leadId), await personOf(joins.leadId)];
    expect(one?.scope).to.equal(other?.scope);
    expect(one?.id).to.not.equal(other?.id);
  });
});
