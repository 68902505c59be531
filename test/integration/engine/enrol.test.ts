import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { Database, type Tx } from '../../../pkg/postgres/database.ts';
import { type Enrolment, enrolLeads } from '../../../pkg/store/runs/enrol.ts';
import { addCampaign, addLead, addWorkflow, addWorkspace } from '../../fixtures/engine/rows.ts';
import { testPostgres } from '../../tools/postgres.ts';

const NOW = Date.UTC(2026, 0, 5, 9);

describe('enrolment', function () {
  this.timeout(60_000);
  let app: Database;

  before(async () => {
    const urls = await (await testPostgres()).product();
    app = new Database({ url: urls.appUrl, max: 4, applicationName: 'test' });
  });
  after(() => app.close());

  const enrol = (workspaceId: string, workflowId: string, leadIds: string[], now = NOW): Promise<Enrolment[]> =>
    app.tx({ kind: 'workspaces', ids: [workspaceId] }, (tx) =>
      enrolLeads(tx, {
        workspaceId,
        workflowId,
        now,
        leads: leadIds.map((leadId) => ({ leadId, runId: randomUUID() })),
        source: 'trigger',
      }),
    );

  const platform = <T>(work: (tx: Tx) => Promise<T>): Promise<T> => app.tx({ kind: 'platform' }, work);

  async function place(
    settings: object = {},
    agencyId: string | null = null,
  ): Promise<{ ws: string; camp: string; flow: string }> {
    const ws = await addWorkspace(app, { agencyId });
    const camp = await addCampaign(app, ws, settings);
    return { ws, camp, flow: await addWorkflow(app, ws, camp, { nodes: [], edges: [] }) };
  }

  it('a lead has one live run per workflow', async () => {
    const { ws, flow } = await place();
    const lead = await addLead(app, ws, {});
    expect((await enrol(ws, flow, [lead]))[0]?.skipped).to.equal(null);
    expect((await enrol(ws, flow, [lead]))[0]).to.deep.equal({
      leadId: lead,
      runId: null,
      skipped: 'already_enrolled',
    });
  });

  it('two leads of one person are one person', async () => {
    const { ws, flow } = await place();
    const first = await addLead(app, ws, { profileId: `p-${ws}`, email: null });
    const second = await addLead(app, ws, { profileId: null, email: `x@${ws}.example` });
    const bridge = await addLead(app, null, { profileId: `p-${ws}`, email: `x@${ws}.example` });
    const answers = await enrol(ws, flow, [bridge, first, second]);
    expect(answers.map((answer) => answer.skipped)).to.deep.equal([null, 'claimed', 'claimed']);
  });

  it('an address with a tag, or with dots that its provider ignores, is the same mailbox: nobody escapes under it', async () => {
    const { ws, flow } = await place();
    const host = `${ws}.example`;
    const mails = [`anna@${host}`, `anna+news@${host}`, `b.en.${ws}@gmail.com`, `ben${ws}+x@googlemail.com`];
    const leads: string[] = [];
    for (const email of [...mails, `another@${host}`]) leads.push(await addLead(app, ws, { profileId: null, email }));
    expect((await enrol(ws, flow, leads)).map((answer) => answer.skipped)).to.deep.equal([
      null,
      'claimed',
      null,
      'claimed',
      null,
    ]);
    const persons = (ids: string[]): Promise<{ id: string }[]> =>
      platform((tx) => tx.rows('select distinct person_id as id from lead where id = any ($1)', [ids]));
    // In bulk as one by one, whichever comes first.
    const late = await addLead(app, ws, { profileId: null, email: `ANNA+late@${host}` });
    const [tagged, plain] = [`cleo+a@${host}`, `cleo@${host}`];
    const bulk = await Promise.all([tagged, plain].map((email) => addLead(app, ws, { profileId: null, email })));
    await platform((tx) => tx.exec('select app.complete_leads($1, 1)', [[late, ...bulk]]));
    expect(await persons([leads[0] ?? '', leads[1] ?? '', late])).to.have.length(1);
    expect(await persons(bulk)).to.have.length(1);
    expect(await persons([...leads, ...bulk, late])).to.have.length(4);
  });

  it('two profiles behind a mailbox that several people read are two persons: nobody gets what is meant for a colleague', async () => {
    const { ws } = await place();
    const [sister, third, fourth] = await Promise.all([0, 1, 2].map(() => addWorkspace(app, { agencyId: ws })));
    if (!sister || !third || !fourth) throw new Error('no workspace');
    await platform((tx) => tx.exec('update workspace set agency_id = id where id = $1', [ws]));
    const shared = `info@${ws}.example`;
    const [anna, ben, office, carl] = [
      await addLead(app, ws, { profileId: `anna-${ws}`, email: shared }),
      await addLead(app, sister, { profileId: `ben-${ws}`, email: shared }),
      await addLead(app, third, { profileId: null, email: shared }),
      await addLead(app, fourth, { profileId: `carl-${ws}`, email: `Info+x@${ws}.example` }),
    ];
    const persons = async (ids: (string | undefined)[]): Promise<number> => {
      const rows = await platform((tx) => tx.rows('select distinct person_id from lead where id = any ($1)', [ids]));
      return rows.length;
    };
    // In bulk as one by one.
    await platform((tx) => tx.exec('select app.complete_leads($1, 1)', [[anna, ben]]));
    await platform((tx) => tx.rows('select count(*) from app.resolve_persons($1, 1)', [[office, carl]]));
    expect(await persons([anna, ben, carl])).to.equal(3);
    expect(await persons([anna, ben, office, carl]), 'the mailbox itself is somebody').to.equal(4);
    const again = await addLead(app, sister, { profileId: null, email: shared.toUpperCase() }).catch(() => undefined);
    expect(again, 'an address is one lead in a workspace').to.equal(undefined);
    const own = `own@${ws}.example`;
    const two = [
      await addLead(app, ws, { profileId: `a-${ws}`, email: own }),
      await addLead(app, sister, { profileId: `b-${ws}`, email: own }),
    ];
    await platform((tx) => tx.exec('select app.complete_leads($1, 1)', [two]));
    expect(await persons(two), 'a mailbox of their own under two profiles').to.equal(2);
  });

  /** Until a statement waits for a lock, or `work` is done without. */
  const waits = async (work: Promise<unknown>): Promise<void> => {
    let over = false;
    const ended = work.then(() => {
      over = true;
    });
    const waiting = (tx: Tx) => tx.rows('select 1 from pg_locks where not granted');
    while (!over && (await platform(waiting)).length === 0);
    if (over) await ended;
  };

  it('who is found to be a person under contact, at the moment of the enrolment, is not enrolled beside them', async () => {
    const { ws, camp, flow } = await place();
    const second = await addWorkflow(app, ws, camp, { nodes: [], edges: [] });
    const address = `x@${ws}.example`;
    await platform((tx) => tx.exec('update workspace set agency_id = id where id = $1', [ws]));
    const leads = [
      await addLead(app, ws, { profileId: `p-${ws}`, email: null }),
      await addLead(app, ws, { profileId: null, email: address }),
    ];
    const sister = await addWorkspace(app, { agencyId: ws });
    const bridge = await addLead(app, sister, { profileId: `p-${ws}`, email: address });
    // A person is merged into the one whose id is smaller.
    const [known, other] = await platform((tx) =>
      tx.rows<{ id: string }>('select lead_id as id from app.resolve_persons($1, 1) order by person_id', [leads]),
    );
    await enrol(ws, flow, [known?.id ?? '']);
    const { enrolling } = await platform(async (tx) => {
      await tx.exec('select count(*) from app.resolve_persons(array[$1::uuid], 1)', [bridge]);
      const enrolling = enrol(ws, second, [other?.id ?? '']);
      await waits(enrolling);
      return { enrolling };
    });
    expect((await enrolling).map((answer) => answer.skipped)).to.deep.equal(['claimed']);
    const runs = await platform((tx) => tx.rows('select 1 from run where workspace_id = $1', [ws]));
    expect(runs).to.have.length(1);
  });

  it('suppression is checked at enrolment', async () => {
    const { ws, flow } = await place();
    const lead = await addLead(app, ws, { email: `a@stop-${ws}.example` });
    const other = await addLead(app, ws, {});
    await app.tx({ kind: 'platform' }, (tx) =>
      tx.exec(
        `insert into suppression (id, workspace_id, level, kind, value, source, created_at) values (gen_random_uuid(), $1, 'workspace', 'domain', $2, 'manual', 1)`,
        [ws, `stop-${ws}.example`],
      ),
    );
    expect((await enrol(ws, flow, [lead, other])).map((answer) => answer.skipped)).to.deep.equal(['suppressed', null]);
  });

  it('contact claim scopes: workspace and agency keep a second campaign away, campaign does not', async () => {
    const a = await place({ contactPolicy: { dedupeScope: 'campaign' } });
    const lead = await addLead(app, a.ws, {});
    const sibling = await addCampaign(app, a.ws, { contactPolicy: { dedupeScope: 'campaign' } });
    const siblingFlow = await addWorkflow(app, a.ws, sibling, { nodes: [], edges: [] });
    expect((await enrol(a.ws, a.flow, [lead]))[0]?.skipped).to.equal(null);
    expect((await enrol(a.ws, siblingFlow, [lead]))[0]?.skipped).to.equal(null);

    const b = await place();
    const shared = await addLead(app, b.ws, {});
    const second = await addWorkflow(app, b.ws, await addCampaign(app, b.ws, {}), { nodes: [], edges: [] });
    expect((await enrol(b.ws, b.flow, [shared]))[0]?.skipped).to.equal(null);
    expect((await enrol(b.ws, second, [shared]))[0]?.skipped).to.equal('claimed');

    const agency = `agency-${randomUUID()}`;
    const c = await place({ contactPolicy: { dedupeScope: 'agency' } }, agency);
    const d = await place({ contactPolicy: { dedupeScope: 'agency' } }, agency);
    const pooled = await addLead(app, null, {});
    expect((await enrol(c.ws, c.flow, [pooled]))[0]?.skipped).to.equal(null);
    expect((await enrol(d.ws, d.flow, [pooled]))[0]?.skipped).to.equal('claimed');
  });

  it('an ended run releases its contact claim', async () => {
    const { ws, camp, flow } = await place();
    const lead = await addLead(app, ws, {});
    const other = await addWorkflow(app, ws, camp, { nodes: [], edges: [] });
    const [first] = await enrol(ws, flow, [lead]);
    await app.tx({ kind: 'platform' }, (tx) =>
      tx.exec(`update run set state = 'stopped', ended_at = $2 where id = $1`, [first?.runId, NOW]),
    );
    expect((await enrol(ws, other, [lead]))[0]?.skipped).to.equal(null);
  });

  it('a workspace cannot enrol into a foreign workflow', async () => {
    const a = await place();
    const b = await place();
    const lead = await addLead(app, b.ws, {});
    expect(await enrol(a.ws, b.flow, [lead])).to.deep.equal([]);
  });
});
