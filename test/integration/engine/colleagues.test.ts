import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import pg from 'pg';
import type { ReplyClass } from '../../../pkg/domain/vocabulary.ts';
import { Database } from '../../../pkg/postgres/database.ts';
import { recordReply } from '../../../pkg/store/inbox/inbox.ts';
import { type Enrolment, enrolLeads } from '../../../pkg/store/runs/enrol.ts';
import { handOff } from '../../../pkg/store/runs/hand-off.ts';
import { takeLease } from '../../fixtures/engine/harness.ts';
import { addAccount, addCampaign, addLead, addWorkflow, addWorkspace } from '../../fixtures/engine/rows.ts';
import { eventually } from '../../tools/kube.ts';
import { testPostgres } from '../../tools/postgres.ts';

const NOW = Date.UTC(2026, 0, 5, 9);
const STOPS = { contactPolicy: { stopCompanyOnReply: true } };

// The policy stopCompanyOnReply: after a reply the whole company is left alone in the campaign.
describe('engine: colleagues of who replied', function () {
  this.timeout(60_000);
  let app: Database;
  let executor: Database;
  let ownerUrl: string;

  before(async () => {
    const urls = await (await testPostgres()).product();
    ownerUrl = urls.ownerUrl;
    app = new Database({ url: urls.appUrl, max: 4, applicationName: 'test' });
    executor = new Database({ url: urls.executorUrl, max: 2, applicationName: 'test' });
  });
  after(async () => {
    await app.close();
    await executor.close();
  });

  interface Office {
    ws: string;
    flow: string;
    account: string;
    first: string;
    colleague: string;
    stranger: string;
  }
  async function office(settings: object = STOPS): Promise<Office> {
    const ws = await addWorkspace(app);
    const camp = await addCampaign(app, ws, settings);
    const flow = await addWorkflow(app, ws, camp, { nodes: [], edges: [] });
    const account = await addAccount(app, [ws]);
    const [first, colleague] = [
      await addLead(app, ws, { company: 'Acme' }),
      await addLead(app, null, { company: 'Acme' }),
    ];
    return { ws, flow, account, first, colleague, stranger: await addLead(app, ws, {}) };
  }
  const enrol = ({ ws, flow }: Office, leadIds: string[]): Promise<Enrolment[]> =>
    app.tx({ kind: 'workspaces', ids: [ws] }, (tx) =>
      enrolLeads(tx, {
        workspaceId: ws,
        workflowId: flow,
        now: NOW,
        leads: leadIds.map((leadId) => ({ leadId, runId: randomUUID() })),
        source: 'trigger',
      }),
    );
  const skipped = async (at: Office, leadIds: string[]): Promise<unknown[]> =>
    (await enrol(at, leadIds)).map((answer) => answer.skipped);
  const runs = (
    at: Office,
    leadId: string,
  ): Promise<{ state: string; end_reason: string | null; person_id: string }[]> =>
    app.tx({ kind: 'platform' }, (tx) =>
      tx.rows('select state, end_reason, person_id from run where workspace_id = $1 and lead_id = $2', [at.ws, leadId]),
    );
  const reply = async (at: Office, replyClass: ReplyClass = 'negative'): Promise<void> =>
    replyOf(at, (await runs(at, at.first))[0]?.person_id ?? '', replyClass);
  const replyOf = async (at: Office, personId: string, replyClass: ReplyClass = 'negative'): Promise<void> => {
    const given = { now: NOW + 1, accountId: at.account, personId, at: NOW + 1, resumeAt: null };
    await app.tx({ kind: 'workspaces', ids: [at.ws] }, (tx) => recordReply(tx, { ...given, replyClass }));
  };

  /** Until it is done, or waits for a lock. */
  const untilOverOrWaiting = async (work: Promise<void>): Promise<void> => {
    let over = false;
    const end = (): void => {
      over = true;
    };
    work.then(end, end);
    while (!over) {
      const waiting = await app.tx({ kind: 'platform' }, (tx) => tx.rows('select 1 from pg_locks where not granted'));
      if (waiting.length > 0) return;
    }
  };

  it('who is to be enrolled after the reply is not, and people of other companies are', async () => {
    const at = await office();
    await enrol(at, [at.first]);
    await reply(at);
    expect(await skipped(at, [at.colleague, at.stranger])).to.deep.equal(['suppressed', null]);
  });

  it('also a reply that comes when the sequence is over stops those who are under way', async () => {
    const at = await office();
    await enrol(at, [at.first, at.colleague, at.stranger]);
    await app.tx({ kind: 'platform' }, (tx) =>
      tx.exec(`update run set state = 'completed', ended_at = $2, facts = '{"lastTouchAt": 1}' where lead_id = $1`, [
        at.first,
        NOW,
      ]),
    );
    await reply(at);
    const states = [await runs(at, at.colleague), await runs(at, at.stranger), await runs(at, at.first)];
    expect(states.map(([run]) => run?.state)).to.deep.equal(['stopped', 'queued', 'completed']);
  });

  it('a notice of absence is no reply, and without the policy nobody else is stopped', async () => {
    const away = await office();
    await enrol(away, [away.first]);
    await reply(away, 'out_of_office');
    expect(await skipped(away, [away.colleague])).to.deep.equal([null]);
    const lax = await office({});
    await enrol(lax, [lax.first]);
    await reply(lax);
    expect(await skipped(lax, [lax.colleague])).to.deep.equal([null]);
  });

  it('another campaign of the workspace goes by its own replies', async () => {
    const at = await office();
    await enrol(at, [at.first]);
    await reply(at);
    const other = await addWorkflow(app, at.ws, await addCampaign(app, at.ws, STOPS), { nodes: [], edges: [] });
    expect(await skipped({ ...at, flow: other }, [at.colleague])).to.deep.equal([null]);
  });

  it('the history of a colleague who is stopped says so, and that of who asked to be left alone', async () => {
    const at = await office();
    await enrol(at, [at.first, at.colleague]);
    await reply(at, 'unsubscribe');
    const ends = await app.tx({ kind: 'platform' }, (tx) =>
      tx.rows<{ lead_id: string; state: string }>(
        `select r.lead_id, e.data ->> 'state' as state from run_event e join run r on r.id = e.run_id
         where e.kind = 'run.completed' and r.workspace_id = $1 and e.at = r.ended_at`,
        [at.ws],
      ),
    );
    expect(ends).to.have.deep.members([
      { lead_id: at.first, state: 'suppressed' },
      { lead_id: at.colleague, state: 'stopped' },
    ]);
  });

  it('who is enrolled at the moment of the reply is stopped by it', async () => {
    const at = await office();
    await enrol(at, [at.first]);
    let replied: Promise<void> | undefined;
    await app.tx({ kind: 'workspaces', ids: [at.ws] }, async (tx) => {
      const leads = [{ leadId: at.colleague, runId: randomUUID() }];
      await enrolLeads(tx, { workspaceId: at.ws, workflowId: at.flow, now: NOW, leads, source: 'trigger' });
      replied = reply(at);
      await untilOverOrWaiting(replied);
    });
    await replied;
    expect((await runs(at, at.colleague)).map(({ state, end_reason }) => [state, end_reason])).to.deep.equal([
      ['stopped', 'a colleague replied'],
    ]);
  });

  it('who is handed over to the campaign at the moment of the reply is stopped by it', async () => {
    const at = await office();
    await enrol(at, [at.first]);
    const other = await addWorkflow(app, at.ws, await addCampaign(app, at.ws, {}), { nodes: [], edges: [] });
    const [run] = await enrol({ ...at, flow: other }, [at.colleague]);
    const claim = await takeLease({ app, executor }, at.ws);
    let replied: Promise<void> | undefined;
    await claim.tx(async (tx) => {
      const runId = run?.runId ?? '';
      await tx.rows('select 1 from run where id = $1 for no key update', [runId]);
      const [answer] = await handOff(tx, NOW, [{ runId, newRunId: randomUUID(), workflowId: at.flow, facts: {} }]);
      expect(answer?.refusal).to.equal(null);
      await tx.exec(`update run set state = 'completed', due_at = null, ended_at = $2 where id = $1`, [runId, NOW]);
      replied = reply(at);
      await untilOverOrWaiting(replied);
    });
    await replied;
    expect((await runs(at, at.colleague)).map(({ state }) => state)).to.have.members(['completed', 'stopped']);
  });

  describe('what meets a reply in the same campaign', () => {
    let holder: pg.Client;
    let lock: string;
    let at: Office;
    let person: string;
    beforeEach(async () => {
      holder = new pg.Client({ connectionString: ownerUrl });
      await holder.connect();
      at = await office();
      await enrol(at, [at.first, at.colleague]);
      person = (await runs(at, at.colleague))[0]?.person_id ?? '';
      const [run] = await app.tx({ kind: 'platform' }, (tx) =>
        tx.rows<{ campaign_id: string }>('select campaign_id from run where lead_id = $1', [at.first]),
      );
      lock = `hashtextextended('colleagues:${run?.campaign_id}', 0)`;
    });
    afterEach(() => holder.end());
    const states = async (...leadIds: string[]): Promise<unknown[]> =>
      (await Promise.all(leadIds.map((leadId) => runs(at, leadId)))).map(([run]) => run?.state);
    const waiting = async (count: number): Promise<void> => {
      const text = `select 1 from pg_locks l where not l.granted and l.pid in (
        select a.pid from pg_stat_activity a where a.datname = current_database())`;
      await eventually(`${count} wait`, async () => (await holder.query(text)).rows.length === count);
    };

    it('is the reply of another one: each waits for the other one only once', async () => {
      await holder.query(`select pg_advisory_lock(${lock})`);
      const both = Promise.all([reply(at), replyOf(at, person)]);
      both.catch(() => undefined);
      await waiting(2);
      await holder.query(`select pg_advisory_unlock(${lock})`);
      await both;
      // The one who came second had been stopped by then.
      expect((await states(at.first, at.colleague)).sort()).to.deep.equal(['replied', 'stopped']);
    });

    it('is a batch that holds a colleague and hands somebody over to it: who is handed over waits, and the reply stops the colleague', async () => {
      const other = await addWorkflow(app, at.ws, await addCampaign(app, at.ws, {}), { nodes: [], edges: [] });
      const [given] = await enrol({ ...at, flow: other }, [at.stranger]);
      const claim = await takeLease({ app, executor }, at.ws);
      const request = { runId: given?.runId ?? '', newRunId: randomUUID(), workflowId: at.flow, facts: {} };
      const { replied, answers } = await claim.tx(async (tx) => {
        await tx.rows('select 1 from run where lead_id = any ($1) order by id for no key update', [
          [at.colleague, at.stranger],
        ]);
        const replied = reply(at);
        replied.catch(() => undefined);
        await waiting(1);
        return { replied, answers: await handOff(tx, NOW, [request]) };
      });
      await replied;
      expect(answers).to.deep.equal([]);
      expect(await states(at.first, at.colleague, at.stranger)).to.deep.equal(['replied', 'stopped', 'queued']);
      expect((await claim.tx((tx) => handOff(tx, NOW, [request])))[0]?.refusal).to.equal(null);
    });
  });
});
