import { createHash, randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { Tx } from '../../../pkg/postgres/database.ts';
import { recordAcceptance, recordReply } from '../../../pkg/store/inbox/inbox.ts';
import { unsubscribe } from '../../../pkg/store/suppression/unsubscribe.ts';
import { type Bench, change, enrol, openBench, query } from '../../fixtures/engine/harness.ts';
import { addLead, addWorkspace } from '../../fixtures/engine/rows.ts';
import { chain, DAY, runOf, type WorkflowFixture, workflowFixture } from '../../fixtures/engine/workflow-fixture.ts';

describe('engine: persons who turn out to be one', function () {
  this.timeout(60_000);
  let bench: Bench;
  before(async () => {
    bench = await openBench();
  });
  after(() => bench.close());

  /** A lead under contact whose person will be merged into another one's, and the lead that shows that they are one. */
  async function fixture(): Promise<{ at: WorkflowFixture; leadId: string; personId: string; bridge: string }> {
    const at = await workflowFixture(
      bench,
      chain({ nodeType: 'flow:wait', config: { waitType: 'duration', durationMs: DAY } }),
    );
    await change(bench, 'update workspace set agency_id = id where id = $1', [at.ws]);
    const mails = [0, 1].map(() => `${randomUUID()}@one.example`);
    const leads: string[] = [];
    for (const email of mails) leads.push(await addLead(bench.app, at.ws, { profileId: null, email }));
    // A person is merged into the one whose id is smaller.
    const known = await query<{ lead_id: string; person_id: string }>(
      bench,
      'select lead_id, person_id from app.resolve_persons($1, 1) order by person_id desc',
      [leads],
    );
    const profileId = `p-${randomUUID()}`;
    const [first, second] = mails;
    await query(bench, 'update lead set profile_id = $2 where id = $1', [leads[0], profileId]);
    await query(bench, 'select count(*) from app.resolve_persons($1, 1)', [[leads[0]]]);
    const sister = await addWorkspace(bench.app, { agencyId: at.ws });
    const bridge = await addLead(bench.app, sister, { profileId, email: second ?? first ?? null });
    const { lead_id: leadId = '', person_id: personId = '' } = known[0] ?? {};
    await enrol(bench, at.ws, at.flow, [leadId]);
    return { at, leadId, personId, bridge };
  }

  const merge = (bridge: string): Promise<unknown> =>
    query(bench, 'select count(*) from app.resolve_persons($1, 1)', [[bridge]]);

  it('the unsubscribe address of an earlier mail excludes them', async () => {
    const { at, leadId, personId, bridge } = await fixture();
    const hash = createHash('sha256').update(leadId).digest();
    await query(
      bench,
      'insert into unsubscribe_token (token_hash, workspace_id, person_id, account_id, created_at) values ($1, $2, $3, $4, 1)',
      [hash, at.ws, personId, at.account],
    );
    await merge(bridge);
    expect(await bench.app.tx({ kind: 'platform' }, (tx) => unsubscribe(tx, bench.clock.now(), hash))).to.equal(true);
    expect((await runOf(bench, leadId)).end_reason).to.equal('unsubscribed');
    const barred = await query(bench, 'select source from app.suppressed_leads($1, null, $2, $3)', [
      at.ws,
      [leadId],
      bench.clock.now(),
    ]);
    expect(barred).to.deep.equal([{ source: 'unsubscribe' }]);
  });

  /** What `record` says of the person comes while they are being merged. */
  async function duringMerge(bridge: string, record: (tx: Tx) => Promise<unknown>): Promise<void> {
    const { recording } = await bench.app.tx({ kind: 'platform' }, async (tx) => {
      await tx.rows('select count(*) from app.resolve_persons($1, 1)', [[bridge]]);
      const recording = bench.app.tx({ kind: 'platform' }, record);
      while ((await query(bench, 'select 1 from pg_locks where not granted')).length === 0);
      return { recording };
    });
    await recording;
  }

  it('a reply that comes meanwhile ends their run', async () => {
    const { at, leadId, personId, bridge } = await fixture();
    const now = bench.clock.now();
    const reply = { now, accountId: at.account, personId, at: now, replyClass: 'negative', resumeAt: null } as const;
    await duringMerge(bridge, (tx) => recordReply(tx, reply));
    expect((await runOf(bench, leadId)).state).to.equal('replied');
  });

  it('an acceptance that comes meanwhile is theirs', async () => {
    const { at, leadId, personId, bridge } = await fixture();
    const now = bench.clock.now();
    const acceptance = { now, accountId: at.account, personId, providerId: 'ACo1', at: now };
    await duringMerge(bridge, (tx) => recordAcceptance(tx, acceptance));
    const { person_id } = await runOf(bench, leadId);
    const known = await query(bench, `select person_id from relation where account_id = $1 and state = 'connected'`, [
      at.account,
    ]);
    expect(known).to.deep.equal([{ person_id }]);
  });
});
