import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { CallFixture } from '../../fixtures/engine/call-fixture.ts';
import { CallNodeFixture } from '../../fixtures/engine/call-node-fixture.ts';
import { change, type EngineHandle, enrol, openEngine, passTime, query } from '../../fixtures/engine/harness.ts';
import { addAccount, addCampaign, addLead, addWorkflow, addWorkspace } from '../../fixtures/engine/rows.ts';
import { chain, MINUTE, message, runOf } from '../../fixtures/engine/workflow-fixture.ts';

const ANY_TIME = { days: [1, 2, 3, 4, 5, 6, 7], startHour: 0, endHour: 24, timezoneMode: 'account' };

// A wish that no rule understands, but the one who classifies the reply in a workflow.
describe('engine: a wish to be left alone that a workflow finds in a reply', function () {
  this.timeout(120_000);
  let nodeFixture: CallNodeFixture;
  let fixture: CallFixture;
  let engine: EngineHandle;
  before(async () => {
    nodeFixture = await CallNodeFixture.open();
    ({ fixture, engine } = nodeFixture);
  });
  after(() => fixture.stop());

  /** A neighbour who has the same person under way: where a draft waits for a decision. */
  async function neighbour(profileId: string, accountId: string | null): Promise<{ ws: string; leadId: string }> {
    const { bench } = fixture;
    const ws = await addWorkspace(bench.app);
    const camp = await addCampaign(bench.app, ws, { businessHours: ANY_TIME, reviewMode: 'all' });
    await change(bench, 'insert into account_link (account_id, workspace_id, linked_at) values ($1, $2, 1)', [
      accountId ?? (await addAccount(bench.app, [])),
      ws,
    ]);
    const flow = await addWorkflow(bench.app, ws, camp, chain(message()));
    const leadId = await addLead(bench.app, ws, { profileId });
    await enrol(bench, ws, flow, [leadId]);
    await (await openEngine(bench, ws, fixture.network)).quiet();
    return { ws, leadId };
  }

  it('holds in every workspace of the account that it was written to, and ends what is under way there', async () => {
    const { bench } = fixture;
    const leadId = await fixture.lead();
    const [lead] = await query<{ profile: string }>(bench, 'select profile_id as profile from lead where id = $1', [
      leadId,
    ]);
    const shares = await neighbour(lead?.profile ?? '', fixture.account);
    const other = await neighbour(lead?.profile ?? '', null);
    const flow = await fixture.flow(
      chain(
        { nodeType: 'flow:wait', config: { waitType: 'duration', durationMs: MINUTE } },
        { nodeType: 'ai:classify_reply' },
      ),
    );
    await fixture.enrol(flow, leadId);
    await engine.quiet();
    const conversation = randomUUID();
    await change(
      bench,
      `insert into conversation (id, account_id, external_id, person_id) select $1::uuid, $2, $1::text, person_id from run where lead_id = $3`,
      [conversation, fixture.account, leadId],
    );
    await change(
      bench,
      `insert into message (id, conversation_id, account_id, external_id, direction, body, sent_at) values ($1::uuid, $2, $3, $1::text, 'in', 'Please stop messaging me.', $4)`,
      [randomUUID(), conversation, fixture.account, bench.clock.now()],
    );
    await passTime(bench, engine, 2 * MINUTE, MINUTE);
    expect((await fixture.outcomes(leadId)).at(-1)?.outcome).to.equal('unsubscribe');
    const barred = await query<{ workspace_id: string }>(
      bench,
      `select s.workspace_id from suppression s join run r on r.person_id = s.person_id
       where r.lead_id = any ($1::uuid[]) and s.source = 'unsubscribe' and not s.removable order by 1`,
      [[leadId, shares.leadId, other.leadId]],
    );
    expect(barred.map((row) => row.workspace_id)).to.have.members([fixture.ws, shares.ws]);
    expect(await runOf(bench, shares.leadId)).to.include({ state: 'suppressed', end_reason: 'unsubscribed' });
    expect((await runOf(bench, other.leadId)).state, 'who shares no account').to.equal('in_review');
    const drafts = await query(bench, 'select state from review_item where workspace_id = $1', [shares.ws]);
    expect(drafts).to.deep.equal([{ state: 'cancelled' }]);
    const history = await query<{ kind: string; data: unknown }>(
      bench,
      'select e.kind, e.data from run_event e join run r on r.id = e.run_id where r.lead_id = $1 order by e.seq',
      [shares.leadId],
    );
    expect(history.map((line) => line.kind).slice(-2)).to.deep.equal(['unsubscribe.received', 'run.completed']);
    expect(history.at(-1)?.data).to.deep.equal({ state: 'suppressed', reason: 'unsubscribed' });
  });
});
