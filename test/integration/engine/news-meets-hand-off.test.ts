import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { ReplyClass } from '../../../pkg/domain/vocabulary.ts';
import type { Tx } from '../../../pkg/postgres/database.ts';
import { recordAcceptance, recordReply } from '../../../pkg/store/inbox/inbox.ts';
import { handOff } from '../../../pkg/store/runs/hand-off.ts';
import { hearOptOuts } from '../../../pkg/store/runs/run-writes.ts';
import { unsubscribe } from '../../../pkg/store/suppression/unsubscribe.ts';
import { type Bench, change, enrol, openBench, query, takeLease } from '../../fixtures/engine/harness.ts';
import { addWorkflow } from '../../fixtures/engine/rows.ts';
import {
  chain,
  DAY,
  lead,
  MINUTE,
  type RunView,
  runOf,
  type WorkflowFixture,
  workflowFixture,
} from '../../fixtures/engine/workflow-fixture.ts';
import { eventually } from '../../tools/kube.ts';

const waits = chain({ nodeType: 'flow:wait', config: { waitType: 'duration', durationMs: DAY } });

/** A lead under way. */
interface Going {
  leadId: string;
  run: RunView;
}

// The one who stops or tells the runs of a person waits for the batch that holds one; it may give the person to a new run, which no snapshot shows.
describe('news of a person that meets the batch which hands them over', function () {
  this.timeout(60_000);
  let bench: Bench;
  let at: WorkflowFixture;
  let second: string;
  before(async () => {
    bench = await openBench();
    at = await workflowFixture(bench, waits);
    second = await addWorkflow(bench.app, at.ws, at.camp, waits);
  });
  after(() => bench.close());

  async function going(): Promise<Going> {
    const { leadId } = await lead(bench, at);
    await enrol(bench, at.ws, at.flow, [leadId]);
    const { id } = await runOf(bench, leadId);
    await change(bench, 'update run set account_id = $2, due_at = null where id = $1', [id, at.account]);
    await bench.clock.advance(2 * MINUTE);
    return { leadId, run: await runOf(bench, leadId) };
  }

  /** Hands over in a transaction for whose end the news waits. @returns what became of the new run */
  async function meanwhile({ run, leadId }: Going, news: () => Promise<unknown>): Promise<RunView> {
    const now = bench.clock.now();
    const { told } = await at.handle.deps.claim.tx(async (tx) => {
      await tx.rows('select 1 from run where id = $1 for no key update', [run.id]);
      const told = news();
      told.catch(() => undefined);
      await eventually(
        'the news waits for the run',
        async () => (await query(bench, 'select 1 from pg_locks where not granted')).length > 0,
      );
      await handOver(tx, run.id, now, second);
      return { told };
    });
    await told;
    return runThere(leadId);
  }
  async function handOver(tx: Tx, runId: string, now: number, workflowId: string): Promise<void> {
    const [answer] = await handOff(tx, now, [{ runId, newRunId: randomUUID(), workflowId, facts: {} }]);
    expect(answer?.refusal).to.equal(null);
    await tx.exec(`update run set state = 'completed', due_at = null, ended_at = $2 where id = $1`, [runId, now]);
  }
  async function runThere(leadId: string, workflowId = second): Promise<RunView> {
    const [there] = await query<RunView>(bench, 'select * from run where lead_id = $1 and workflow_id = $2', [
      leadId,
      workflowId,
    ]);
    if (!there) throw new Error('was not handed over');
    return there;
  }

  const reply = (run: RunView, sentAt: number, replyClass: ReplyClass = 'positive'): Promise<number> =>
    bench.app.tx({ kind: 'platform' }, (tx) =>
      recordReply(tx, {
        now: bench.clock.now(),
        accountId: at.account,
        personId: run.person_id,
        at: sentAt,
        replyClass,
        resumeAt: null,
      }),
    );

  it('a reply is known to the run that the person is handed over to at that moment', async () => {
    const one = await going();
    const there = await meanwhile(one, () => reply(one.run, bench.clock.now() + 1));
    expect([there.state, there.facts['replyClass']]).to.deep.equal(['replied', 'positive']);
  });

  it('also one that was written before, and is read when they are handed over', async () => {
    const one = await going();
    const written = bench.clock.now() - MINUTE;
    const there = await meanwhile(one, () => reply(one.run, written));
    expect([there.state, there.facts['replyClass']]).to.deep.equal(['replied', 'positive']);
  });

  it('also when it is read after they were handed over twice; what the first run has heard is no news to the last', async () => {
    const one = await going();
    const first = bench.clock.now() - MINUTE;
    await reply(one.run, first);
    await at.handle.deps.claim.tx((tx) => handOver(tx, one.run.id, bench.clock.now(), second));
    await bench.clock.advance(MINUTE);
    await at.handle.quiet();
    const third = await addWorkflow(bench.app, at.ws, at.camp, waits);
    const between = await runThere(one.leadId);
    await at.handle.deps.claim.tx((tx) => handOver(tx, between.id, bench.clock.now(), third));
    await reply(one.run, first);
    await at.handle.quiet();
    expect((await runThere(one.leadId, third)).state).to.equal('waiting');
    await reply(one.run, first + 1);
    expect((await runThere(one.leadId, third)).state).to.equal('replied');
  });

  it('a wish to be left alone that another workflow found in a reply ends it', async () => {
    const one = await going();
    const { person_id: personId } = one.run;
    const wish = { runId: randomUUID(), personId, reason: 'asked', heardBy: at.account };
    const there = await meanwhile(one, () =>
      at.handle.deps.claim.tx((tx) => hearOptOuts(tx, at.ws, bench.clock.now(), [wish])),
    );
    expect([there.state, there.end_reason]).to.deep.equal(['suppressed', 'unsubscribed']);
  });

  it('the one who follows the address in a mail ends it', async () => {
    const one = await going();
    const hash = Buffer.from(randomUUID());
    await change(bench, 'insert into unsubscribe_token values ($1, $2, $3, $4, 1)', [
      hash,
      at.ws,
      one.run.person_id,
      at.account,
    ]);
    const there = await meanwhile(one, () =>
      bench.app.tx({ kind: 'platform' }, (tx) => unsubscribe(tx, bench.clock.now(), hash)),
    );
    expect([there.state, there.end_reason]).to.deep.equal(['suppressed', 'unsubscribed']);
  });

  it('an acceptance is known to it', async () => {
    const one = await going();
    const given = { now: bench.clock.now(), accountId: at.account, personId: one.run.person_id, providerId: 'p' };
    const there = await meanwhile(one, () =>
      bench.app.tx({ kind: 'platform' }, (tx) => recordAcceptance(tx, { ...given, at: given.now })),
    );
    expect(there.facts).to.include({ connected: true, connectedAt: given.now });
  });

  it('a mail that came back is known to it', async () => {
    const one = await going();
    const sendId = randomUUID();
    await change(
      bench,
      `insert into send (id, workspace_id, workflow_id, campaign_id, run_id, node_id, lead_id, person_id, account_id, action, state, epoch, target, claimed_at, dispatched_at)
       select $2, workspace_id, workflow_id, campaign_id, id, 'n', lead_id, person_id, $3, 'mail', 'confirmed', 1, '{"to": "ada@x.example"}', $4, $4 from run where id = $1`,
      [one.run.id, sendId, at.account, bench.clock.now() - MINUTE],
    );
    const sync = await takeLease(bench, at.account, 'accounts-pod', 'account');
    const there = await meanwhile(one, () =>
      sync.tx((tx) =>
        tx.rows(`select app.record_mail_report($1, $2, $3, 'hard_bounce', $4, null, 'no such user', $1)`, [
          bench.clock.now(),
          at.account,
          randomUUID(),
          sendId,
        ]),
      ),
    );
    expect(there.facts).to.include({ mailBounced: true });
  });
});
