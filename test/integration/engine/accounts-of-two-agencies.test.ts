import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { type Planned, planAction } from '../../../pkg/store/actions/actions.ts';
import { recordAcceptance, recordReplies, recordReply } from '../../../pkg/store/inbox/inbox.ts';
import { FakeNetwork } from '../../fixtures/engine/fake-network.ts';
import {
  type Bench,
  change,
  type EngineHandle,
  enrol,
  openBench,
  openEngine,
  query,
} from '../../fixtures/engine/harness.ts';
import { addAccount, addCampaign, addLead, addWorkflow, addWorkspace } from '../../fixtures/engine/rows.ts';
import { chain, DAY, NO_GAP } from '../../fixtures/engine/workflow-fixture.ts';

interface Place {
  ws: string;
  flow: string;
  leadId: string;
  handle: EngineHandle;
}

describe('an account of two agencies', function () {
  this.timeout(60_000);
  let bench: Bench;
  let network: FakeNetwork;
  let account: string;
  let places: [Place, Place];

  beforeEach(async () => {
    bench = await openBench();
    network = new FakeNetwork();
    const workspaces = [
      await addWorkspace(bench.app, { agencyId: 'one' }),
      await addWorkspace(bench.app, { agencyId: 'two' }),
    ];
    account = await addAccount(bench.app, workspaces, { pacing: { maxGapSeconds: 0 } });
    const steps = chain(
      { nodeType: 'network:connection_request' },
      { nodeType: 'flow:wait', config: { waitType: 'duration', durationMs: 30 * DAY } },
    );
    const asked = { sourceIndex: 0, targetIndex: 1, branch: 'already_pending' };
    const graph = { ...steps, edges: [...steps.edges, asked] };
    places = (await Promise.all(
      workspaces.map(async (ws) => ({
        ws,
        flow: await addWorkflow(bench.app, ws, await addCampaign(bench.app, ws, NO_GAP), graph),
        leadId: await addLead(bench.app, ws, { profileId: 'one-human' }),
        handle: await openEngine(bench, ws, network),
      })),
    )) as [Place, Place];
  });
  afterEach(() => bench.close());

  async function begin({ ws, flow, leadId, handle }: Place): Promise<string> {
    const [answer] = await enrol(bench, ws, flow, [leadId]);
    expect(answer?.skipped).to.equal(null);
    await handle.quiet();
    const [run] = await query<{ person_id: string }>(bench, 'select person_id from run where lead_id = $1', [leadId]);
    return run?.person_id ?? '';
  }
  const asked = (): number => network.received.filter(({ kind }) => kind === 'connection_request').length;

  it('asks a human once, whichever agency wants it: the request is known by account and id', async () => {
    const [one, other] = [await begin(places[0]), await begin(places[1])];
    expect(one).to.not.equal(other);
    expect(asked()).to.equal(1);
    const states = await query<{ state: string }>(bench, 'select state from relation where account_id = $1', [account]);
    expect(states.map(({ state }) => state)).to.deep.equal(['pending', 'pending']);
  });

  it('what the other one plans to do once for the account is done, and its action has no id for this one', async () => {
    const now = bench.clock.now();
    const like = ({ ws, leadId }: Place): Promise<Planned> =>
      bench.app.tx({ kind: 'workspaces', ids: [ws] }, (tx) =>
        planAction(
          tx,
          {
            ...{ id: randomUUID(), workspaceId: ws, campaignId: null, leadId, accountId: account, action: 'like' },
            ...{ budgets: ['like'], once: 'post:post-1', body: null, target: { postId: 'post-1' }, dueAt: now },
            ...{ expiresAt: null, by: 'kim@agency.example', scheduledRunId: null },
          },
          now,
        ),
      );
    const first = await like(places[0]);
    expect(first).to.include({ made: true });
    expect(await like(places[1])).to.deep.equal({ refusal: 'already_sent' });
    expect(await like(places[0])).to.deep.equal({ ...first, made: false });
  });

  it('hears an acceptance and a reply for each agency of its own person', async () => {
    const one = await begin(places[0]);
    await begin(places[1]);
    const now = bench.clock.now();
    await bench.app.tx({ kind: 'platform' }, (tx) =>
      recordAcceptance(tx, { now, accountId: account, personId: one, providerId: 'ACoone-human', at: now }),
    );
    const connected = await query<{ connected: boolean }>(
      bench,
      `select (facts ->> 'connected')::boolean as connected from run where account_id = $1`,
      [account],
    );
    expect(connected).to.deep.equal([{ connected: true }, { connected: true }]);
    await bench.app.tx({ kind: 'platform' }, (tx) =>
      recordReply(tx, {
        now: now + 1,
        accountId: account,
        personId: one,
        at: now + 1,
        replyClass: 'unsubscribe',
        resumeAt: null,
      }),
    );
    const barred = await query<{ workspace_id: string; same: boolean }>(
      bench,
      `select s.workspace_id, s.person_id = l.person_id as same
       from suppression s join lead l on l.workspace_id = s.workspace_id order by s.workspace_id = $1 desc`,
      [places[0].ws],
    );
    expect(barred).to.deep.equal(places.map(({ ws }) => ({ workspace_id: ws, same: true })));
  });

  it('hears an acceptance of a person who was merged meanwhile for each agency, and a reply of both persons once', async () => {
    const [met, two] = [await begin(places[0]), await begin(places[1])];
    const now = bench.clock.now();
    const email = 'another@humans.example';
    const other = await addLead(bench.app, places[0].ws, { profileId: null, email });
    const personOf = async (leadId: string): Promise<string> => {
      const resolved = 'select person_id as id from app.resolve_persons($1, 1)';
      return (await query<{ id: string }>(bench, resolved, [[leadId]]))[0]?.id ?? '';
    };
    const shown = await personOf(other);
    await change(bench, 'update lead set email = null where id = $1', [other]);
    await change(bench, 'update lead set email = $2 where id = $1', [places[0].leadId, email]);
    const one = await personOf(places[0].leadId);
    const gone = one === met ? shown : met;
    expect(gone).to.not.equal(one);
    const connected = (): Promise<{ connected: boolean | null }[]> =>
      query(bench, `select (facts ->> 'connected')::boolean as connected from run where account_id = $1`, [account]);
    // The provider's id is not always told: the relation, which the merge moved, knows it.
    await query(bench, 'select app.record_acceptance($1, $2, $3, null, $1)', [now, account, gone]);
    expect(await connected()).to.deep.equal([{ connected: true }, { connected: true }]);
    const reply = { now: now + 1, accountId: account, at: now + 1, replyClass: 'neutral' as const, resumeAt: null };
    const touched = (personIds: string[]): Promise<number> =>
      bench.app.tx({ kind: 'platform' }, (tx) => recordReplies(tx, { ...reply, personIds }));
    expect([await touched([one, two]), await touched([two, one])]).to.deep.equal([2, 0]);
  });

  it('shares nothing by an alias: what one agency pairs with a profile is not the other one`s', async () => {
    const one = await begin(places[0]);
    await change(bench, `update lead set email = 'shared@invented.example' where id = $1`, [places[0].leadId]);
    await query(bench, 'select count(*) from app.resolve_persons($1, 1)', [[places[0].leadId]]);
    const stranger = await addLead(bench.app, places[1].ws, { profileId: null, email: 'shared@invented.example' });
    const [row] = await query<{ person_id: string }>(bench, 'select person_id from app.resolve_persons($1, 1)', [
      [stranger],
    ]);
    expect(row?.person_id).to.not.equal(one);
    expect(await query(bench, 'select 1 from relation where person_id = $1', [row?.person_id])).to.deep.equal([]);
  });
});
