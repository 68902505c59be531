import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { Database, type Tx } from '../../../pkg/postgres/database.ts';
import { listMerges, personsNamed, splitPerson } from '../../../pkg/store/persons/united-persons.ts';
import { type Bench, enrol, openBench, query } from '../../fixtures/engine/harness.ts';
import { addCampaign, addLead, addWorkflow, addWorkspace } from '../../fixtures/engine/rows.ts';

describe('a merge of two persons', function () {
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

  const asOwner = <T>(work: (tx: Tx) => Promise<T>): Promise<T> => owner.tx({ kind: 'none' }, work);
  const personOf = async (leadId: string): Promise<string> =>
    (await query<{ id: string }>(bench, 'select person_id as id from lead where id = $1', [leadId]))[0]?.id ?? '';

  /** Two leads under contact with a mail address each, and a third one with both addresses in turn: all are one person. */
  async function united(): Promise<{ ws: string; leads: string[]; bridge: string }> {
    const ws = await addWorkspace(bench.app);
    const flow = await addWorkflow(bench.app, ws, await addCampaign(bench.app, ws), { nodes: [], edges: [] });
    const mails = [0, 1].map(() => `${randomUUID()}@own.example`);
    const leads = [];
    for (const email of mails) leads.push(await addLead(bench.app, ws, { profileId: null, email }));
    await enrol(bench, ws, flow, leads);
    const profileId = `p-${randomUUID()}`;
    const bridge = await addLead(bench.app, ws, { profileId, email: null });
    const resolve = (): Promise<unknown> => query(bench, 'select count(*) from app.resolve_persons($1, 1)', [[bridge]]);
    await resolve();
    for (const email of mails) {
      await query(bench, 'update lead set email = null where id = any ($1) and email = $2', [leads, email]);
      await query(bench, 'update lead set email = $2 where id = $1', [bridge, email]);
      await resolve();
    }
    return { ws, leads, bridge };
  }

  it('is journalled with what proved it, and undone: each has its runs and claims again', async () => {
    const { leads, bridge } = await united();
    const person = await personOf(bridge);
    expect(await Promise.all(leads.map(personOf))).to.deep.equal([person, person]);
    const merges = await asOwner((tx) => listMerges(tx, { personId: person, limit: 10 }));
    expect(merges).to.have.length(2);
    expect(merges[0]?.evidence).to.include({ kind: 'identity', leadId: bridge });
    expect(await asOwner((tx) => personsNamed(tx, bridge))).to.deep.equal([person]);
    const [newest] = merges;
    const persons = await asOwner((tx) => splitPerson(tx, person, newest?.mergeId ?? '', 'test'));
    expect(persons).to.have.length(2);
    const apart = newest?.leads ?? [];
    expect(apart.length).to.be.above(0);
    for (const leadId of apart) {
      expect(await personOf(leadId)).to.equal(persons[1]);
      const claims = await query<{ person_id: string }>(
        bench,
        'select c.person_id from contact_claim c join run r on r.id = c.run_id where r.lead_id = $1',
        [leadId],
      );
      for (const claim of claims) expect(claim.person_id).to.equal(persons[1]);
    }
    expect(await asOwner((tx) => listMerges(tx, { personId: person, limit: 10 }))).to.have.length(1);
  });

  it('is undone by nobody but the platform', async () => {
    const { ws, bridge } = await united();
    const person = await personOf(bridge);
    const persons = await bench.app.tx({ kind: 'workspaces', ids: [ws] }, (tx) =>
      splitPerson(tx, person, null, 'test'),
    );
    expect(persons).to.deep.equal([]);
  });

  it('is refused for two agencies and for two profiles, and nothing is journalled', async () => {
    const [ws, other] = [await addWorkspace(bench.app), await addWorkspace(bench.app)];
    const leads = [
      await addLead(bench.app, ws, {}),
      await addLead(bench.app, ws, {}),
      await addLead(bench.app, other, { profileId: null, email: `${randomUUID()}@own.example` }),
    ];
    await query(bench, 'select count(*) from app.resolve_persons($1, 1)', [leads]);
    const [one, second, stranger] = await Promise.all(leads.map(personOf));
    for (const with_ of [second, stranger])
      expect(
        await definer(`select app.unite_persons($1, $2, '{"kind": "identity"}') as done`, [one, with_]),
      ).to.deep.equal([{ done: false }]);
  });

  const definer = (sql: string, values: unknown[]): Promise<object[]> =>
    asOwner(async (tx) => {
      await tx.exec('set local role outrider_definer');
      await tx.exec('set local search_path = outrider, app');
      return tx.rows(sql, values);
    });
});
