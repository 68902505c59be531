import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { sleepReal } from '../../../pkg/base/clock.ts';
import { createLogger } from '../../../pkg/base/log.ts';
import { syncAccount } from '../../../pkg/engine/account-sync.ts';
import { feedSources } from '../../../pkg/engine/feeder.ts';
import { GraphCache } from '../../../pkg/engine/graph-cache.ts';
import { ProviderError } from '../../../pkg/providers/network/network-provider.ts';
import { recordAcceptance, recordReply } from '../../../pkg/store/inbox.ts';
import { rest } from '../../../pkg/store/rest.ts';
import { CLAIM_DUE } from '../../../pkg/store/runs.ts';
import { FakeNetwork } from './fake-network.ts';
import { addAccount, addCampaign, addLead, addWorkflow, addWorkspace, type GraphInput } from './fixtures.ts';
import {
  analyzeRuns,
  type Bench,
  change,
  type EngineHandle,
  enrol,
  openBench,
  openEngine,
  passTime,
  query,
  takeClaim,
} from './harness.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const NO_GAP = { contactPolicy: { minDaysBetweenTouches: 0 } };

const message = (text = 'Hello {{lead:firstName}}'): GraphInput['nodes'][number] => ({
  nodeType: 'network:message',
  config: { textMode: 'static', text },
});
const chain = (...nodes: GraphInput['nodes']): GraphInput => ({
  nodes,
  edges: nodes.slice(1).map((_node, index) => ({ sourceIndex: index, targetIndex: index + 1 })),
});

interface Place {
  ws: string;
  camp: string;
  flow: string;
  account: string;
  network: FakeNetwork;
  handle: EngineHandle;
}

interface RunView {
  id: string;
  state: string;
  wait_reason: string | null;
  due_at: number | null;
  node_id: string;
  end_reason: string | null;
  facts: Record<string, unknown>;
  person_id: string;
  send_id: string | null;
}

describe('engine', function () {
  this.timeout(120_000);
  let bench: Bench;
  beforeEach(async () => {
    bench = await openBench();
  });
  afterEach(() => bench.close());

  async function place(graph: GraphInput, settings: object = NO_GAP, hours?: object): Promise<Place> {
    const network = new FakeNetwork();
    const ws = await addWorkspace(bench.app);
    const camp = await addCampaign(bench.app, ws, {
      businessHours: { days: [1, 2, 3, 4, 5, 6, 7], startHour: 0, endHour: 24, timezoneMode: 'account' },
      ...settings,
    });
    const account = await addAccount(bench.app, [ws], hours ? { hours } : {});
    const flow = await addWorkflow(bench.app, ws, camp, graph);
    return { ws, camp, flow, account, network, handle: await openEngine(bench, ws, network) };
  }

  async function lead(at: Place, connected = true): Promise<{ leadId: string; publicId: string }> {
    const publicId = `p-${randomUUID().slice(0, 8)}`;
    if (connected) at.network.connected.add(publicId);
    return { leadId: await addLead(bench.app, at.ws, { profileId: publicId }), publicId };
  }

  const runOf = async (leadId: string): Promise<RunView> => {
    const [row] = await query<RunView>(bench, 'select * from run where lead_id = $1 order by started_at desc limit 1', [
      leadId,
    ]);
    if (!row) throw new Error('no run');
    return row;
  };
  const sendsOf = (
    ws: string,
  ): Promise<
    { state: string; outcome: string | null; dead_letter_state: string | null; evidence: { what: string }[] }[]
  > => query(bench, 'select * from send where workspace_id = $1 order by claimed_at', [ws]);

  it('a lost answer after the action was done is looked up and never repeated', async () => {
    const at = await place(chain(message()));
    const { leadId } = await lead(at);
    at.network.onPerform = async (_action, perform) => {
      perform();
      throw new ProviderError('unknown_outcome', 'connection reset');
    };
    await enrol(bench, at.ws, at.flow, [leadId]);
    await at.handle.quiet();
    expect((await sendsOf(at.ws))[0]?.state).to.equal('unknown');
    expect(await runOf(leadId)).to.include({ state: 'waiting', wait_reason: 'unknown_outcome' });
    await change(bench, `update send set lookup_after = clock_timestamp()`);
    expect(await at.handle.lookUp()).to.equal(1);
    await passTime(bench, at.handle, 2 * HOUR, HOUR);
    expect(at.network.received).to.have.length(1);
    expect((await sendsOf(at.ws)).map((send) => send.state)).to.deep.equal(['confirmed']);
    expect((await runOf(leadId)).state).to.equal('completed');
  });

  it('not found counts only after settleAfter and twice; then the unit is back and it is tried through the normal path', async () => {
    const at = await place(chain(message()));
    const { leadId } = await lead(at);
    let lose = true;
    at.network.onPerform = async (_action, perform) => {
      if (!lose) return perform();
      throw new ProviderError('unknown_outcome', 'timeout');
    };
    await enrol(bench, at.ws, at.flow, [leadId]);
    await at.handle.quiet();
    lose = false;
    await change(bench, 'update send set lookup_after = clock_timestamp()');
    await at.handle.lookUp();
    expect((await sendsOf(at.ws))[0]?.state, 'early not found').to.equal('unknown');
    await change(
      bench,
      `update send set lookup_after = clock_timestamp(), dispatched_real = clock_timestamp() - interval '1 minute'`,
    );
    await at.handle.lookUp();
    expect((await sendsOf(at.ws))[0]?.state, 'first not found').to.equal('unknown');
    await change(bench, 'update send set lookup_after = clock_timestamp()');
    expect(await at.handle.lookUp()).to.equal(1);
    expect((await sendsOf(at.ws))[0]?.state).to.equal('failed');
    await passTime(bench, at.handle, HOUR, 10 * MINUTE);
    expect(at.network.received).to.have.length(1);
    const [budget] = await query<{ used: number[] }>(
      bench,
      `select used from account_budget where account_id = $1 and action = 'message'`,
      [at.account],
    );
    expect(budget?.used[0]).to.equal(1);
  });

  it('a harmless action whose outcome cannot be known goes on as maybe and keeps its unit', async () => {
    const at = await place(chain({ nodeType: 'network:profile_view' }, { nodeType: 'flow:end' }));
    const { leadId } = await lead(at);
    at.network.onPerform = async () => {
      throw new ProviderError('unknown_outcome', 'timeout');
    };
    await enrol(bench, at.ws, at.flow, [leadId]);
    await at.handle.quiet();
    await change(bench, 'update send set lookup_after = clock_timestamp()');
    await at.handle.lookUp();
    await passTime(bench, at.handle, HOUR, 10 * MINUTE);
    expect((await runOf(leadId)).state).to.equal('completed');
    const events = await query<{ data: { maybe?: boolean } }>(
      bench,
      `select data from run_event where kind = 'run.step_done' and node_id = 'n0'`,
    );
    expect(events[0]?.data.maybe).to.equal(true);
    const [budget] = await query<{ used: number[] }>(bench, `select used from account_budget where account_id = $1`, [
      at.account,
    ]);
    expect(budget?.used[0]).to.equal(1);
  });

  it('what cannot be looked up and does harm becomes a dead letter with its evidence, and only a person ends it', async () => {
    const at = await place(chain(message()));
    const { leadId } = await lead(at);
    at.network.onPerform = async () => {
      throw new ProviderError('unknown_outcome', 'socket hang up');
    };
    at.network.lookupOutcome = () => Promise.resolve({ unsupported: true });
    await enrol(bench, at.ws, at.flow, [leadId]);
    await at.handle.quiet();
    await change(bench, 'update send set lookup_after = clock_timestamp()');
    await at.handle.lookUp();
    await at.handle.quiet();
    const [send] = await query<{
      id: string;
      state: string;
      dead_letter_state: string;
      evidence: { what: string; text: string }[];
    }>(bench, 'select * from send where workspace_id = $1', [at.ws]);
    expect(send).to.include({ state: 'unknown', dead_letter_state: 'open' });
    expect(send?.evidence[0]).to.include({ what: 'lost_answer', text: 'socket hang up' });
    expect(await runOf(leadId)).to.include({ state: 'blocked', wait_reason: 'unknown_outcome' });
    const resolve = (how: string): Promise<{ state: string }[]> =>
      query(bench, 'select app.resolve_send($1, $2, $3, $4, $5) as state', [
        send?.id,
        how,
        bench.clock.now(),
        'admin',
        'asked the lead',
      ]);
    expect((await resolve('retry'))[0]?.state).to.equal('outcome_unknown');
    expect((await resolve('mark_done'))[0]?.state).to.equal('confirmed');
    await at.handle.quiet();
    expect((await runOf(leadId)).state).to.equal('completed');
    expect(at.network.received).to.have.length(0);
  });

  it('a reply between approval and dispatch cancels the send, the draft and the run', async () => {
    const at = await place(chain({ nodeType: 'flow:review' }, message()));
    const { leadId } = await lead(at);
    await enrol(bench, at.ws, at.flow, [leadId]);
    await at.handle.quiet();
    const run = await runOf(leadId);
    expect(run).to.include({ state: 'in_review', wait_reason: 'review' });
    await change(bench, `update review_item set state = 'approved', decided_at = $1`, [bench.clock.now()]);
    const replied = await bench.app.tx({ kind: 'workspaces', ids: [at.ws] }, (tx) =>
      recordReply(tx, {
        now: bench.clock.now(),
        accountId: at.account,
        personId: run.person_id,
        at: bench.clock.now(),
        replyClass: 'positive',
        resumeAt: null,
      }),
    );
    expect(replied).to.equal(1);
    await at.handle.quiet();
    expect(at.network.received).to.have.length(0);
    expect(await runOf(leadId)).to.include({ state: 'completed', end_reason: 'replied' });
    expect((await query<{ state: string }>(bench, 'select state from review_item'))[0]?.state).to.equal('cancelled');
  });

  it('a conversation is fetched before a message, and a reply found there stops it', async () => {
    const at = await place(chain(message()));
    const { leadId, publicId } = await lead(at);
    await enrol(bench, at.ws, at.flow, [leadId]);
    at.network.inbox.push({
      messageId: 'm1',
      chatId: `chat-${publicId}`,
      direction: 'in',
      text: 'Sounds great, let us talk',
      sentAt: bench.clock.now(),
    });
    await at.handle.quiet();
    expect(at.network.received).to.have.length(0);
    expect(await runOf(leadId)).to.include({ state: 'completed', end_reason: 'replied' });
    const [budget] = await query<{ used: number[] }>(bench, `select used from account_budget where account_id = $1`, [
      at.account,
    ]);
    expect(budget?.used[0]).to.equal(0);
  });

  it('an out-of-office reply does not end the run but waits', async () => {
    const at = await place(
      chain(
        message('one'),
        { nodeType: 'flow:wait', config: { waitType: 'duration', durationMs: HOUR } },
        message('two'),
      ),
    );
    const { leadId } = await lead(at);
    await enrol(bench, at.ws, at.flow, [leadId]);
    await at.handle.quiet();
    const run = await runOf(leadId);
    await bench.app.tx({ kind: 'workspaces', ids: [at.ws] }, (tx) =>
      recordReply(tx, {
        now: bench.clock.now(),
        accountId: at.account,
        personId: run.person_id,
        at: bench.clock.now(),
        replyClass: 'out_of_office',
        resumeAt: bench.clock.now() + 3 * DAY,
      }),
    );
    expect(await runOf(leadId)).to.include({ state: 'replied', due_at: bench.clock.now() + 3 * DAY });
    await passTime(bench, at.handle, 2 * DAY, 6 * HOUR);
    expect(at.network.received).to.have.length(1);
    await passTime(bench, at.handle, 2 * DAY, 6 * HOUR);
    expect(at.network.received.map((one) => one.text)).to.deep.equal(['one', 'two']);
  });

  it('a wish to stop suppresses the person in every workspace of the account', async () => {
    const at = await place(
      chain(
        message('one'),
        { nodeType: 'flow:wait', config: { waitType: 'duration', durationMs: HOUR } },
        message('two'),
      ),
    );
    const { leadId } = await lead(at);
    await enrol(bench, at.ws, at.flow, [leadId]);
    await at.handle.quiet();
    const run = await runOf(leadId);
    await bench.app.tx({ kind: 'workspaces', ids: [at.ws] }, (tx) =>
      recordReply(tx, {
        now: bench.clock.now(),
        accountId: at.account,
        personId: run.person_id,
        at: bench.clock.now(),
        replyClass: 'unsubscribe',
        resumeAt: null,
      }),
    );
    expect(await runOf(leadId)).to.include({ state: 'suppressed', end_reason: 'unsubscribed' });
    expect((await enrol(bench, at.ws, at.flow, [leadId]))[0]?.skipped).to.equal('suppressed');
  });

  it('acceptance wakes the run that waits for it, and account sync finds acceptances and replies', async () => {
    const at = await place({
      nodes: [
        { nodeType: 'network:connection_request' },
        { nodeType: 'network:wait_connection', config: { timeoutMs: 14 * DAY } },
        message('Thanks {{lead:firstName}}'),
        { nodeType: 'network:wait_reply' },
        { nodeType: 'lead:tag', config: { add: ['answered'], remove: [] } },
      ],
      edges: [
        { sourceIndex: 0, targetIndex: 1 },
        { sourceIndex: 1, targetIndex: 2, branch: 'accepted' },
        { sourceIndex: 2, targetIndex: 3 },
        { sourceIndex: 3, targetIndex: 4, branch: 'replied' },
      ],
    });
    const { leadId, publicId } = await lead(at, false);
    await enrol(bench, at.ws, at.flow, [leadId]);
    await at.handle.quiet();
    expect(await runOf(leadId)).to.include({ node_id: 'n1', wait_reason: 'duration' });
    const sync = async (): Promise<void> => {
      const claim = await takeClaim(bench, at.account, 'accounts-pod', 'account');
      await syncAccount({
        claim,
        clock: bench.clock,
        providers: () => at.network,
        newId: () => randomUUID(),
        log: createLogger('test', 'silent'),
      });
      await claim.release();
    };
    await sync();
    expect((await runOf(leadId)).node_id).to.equal('n1');
    at.network.connected.add(publicId);
    await bench.clock.advance(5 * HOUR);
    await sync();
    await at.handle.quiet();
    expect(at.network.received.map((one) => one.kind)).to.deep.equal(['connection_request', 'message']);
    await bench.clock.advance(HOUR);
    at.network.inbox.push({
      messageId: 'm-in',
      chatId: `chat-${publicId}`,
      direction: 'in',
      text: 'Yes, I am interested',
      sentAt: bench.clock.now() - 1,
    });
    at.network.listChats = () =>
      Promise.resolve({
        items: [
          {
            chatId: `chat-${publicId}`,
            providerId: `ACo${publicId}`,
            publicId,
            name: 'Ada',
            lastMessageAt: bench.clock.now() - 1,
            unread: 1,
          },
        ],
        cursor: null,
      });
    await sync();
    await at.handle.quiet();
    const tags = await query<{ tags: string[] }>(bench, 'select tags from lead_overlay where lead_id = $1', [leadId]);
    expect(tags[0]?.tags).to.deep.equal(['answered']);
    const inbox = await query<{ reply_class: string }>(
      bench,
      'select reply_class from conversation where account_id = $1',
      [at.account],
    );
    expect(inbox[0]?.reply_class).to.equal('positive');
  });

  it('a request is made once per account and person for ever, also through another workflow', async () => {
    const at = await place(chain({ nodeType: 'network:connection_request' }), {
      contactPolicy: { minDaysBetweenTouches: 0, recontactAfterDays: 0 },
    });
    const { leadId } = await lead(at, false);
    await enrol(bench, at.ws, at.flow, [leadId]);
    await at.handle.quiet();
    const again = await addWorkflow(bench.app, at.ws, at.camp, chain({ nodeType: 'network:connection_request' }));
    await bench.clock.advance(DAY);
    expect((await enrol(bench, at.ws, again, [leadId]))[0]?.skipped).to.equal(null);
    await change(bench, `update relation set state = 'none', requested_at = null`);
    await at.handle.quiet();
    expect(at.network.received).to.have.length(1);
    expect((await runOf(leadId)).state).to.equal('completed');
  });

  it('a re-created workflow messages nobody twice, while leads whom nobody contacted are messaged', async () => {
    const at = await place(chain(message()));
    const [contacted, fresh] = [await lead(at), await lead(at)];
    await enrol(bench, at.ws, at.flow, [contacted.leadId]);
    await at.handle.quiet();
    // Deleted: runs stopped, row tombstoned; applied again under the same name with a new uid.
    await change(bench, `update workflow set deleted_at = 1, enabled = false where id = $1`, [at.flow]);
    await change(bench, `update workflow set deleted_at = null, enabled = true, uid = 'new' where id = $1`, [at.flow]);
    const answers = await enrol(bench, at.ws, at.flow, [contacted.leadId, fresh.leadId]);
    expect(answers.map((answer) => answer.skipped)).to.deep.equal(['claimed', null]);
    await bench.clock.advance(DAY);
    await at.handle.quiet();
    await bench.clock.advance(120 * DAY);
    expect((await enrol(bench, at.ws, at.flow, [contacted.leadId]))[0]?.skipped, 'after recontactAfterDays').to.equal(
      null,
    );
    await at.handle.quiet();
    expect(at.network.received.map((one) => one.publicId)).to.deep.equal([contacted.publicId, fresh.publicId]);
  });

  it('nobody is enrolled again before recontactAfterDays, under whatever workflow or campaign of the workspace', async () => {
    const at = await place(chain(message()));
    const { leadId } = await lead(at);
    await enrol(bench, at.ws, at.flow, [leadId]);
    await at.handle.quiet();
    const other = await addWorkflow(bench.app, at.ws, await addCampaign(bench.app, at.ws, {}), chain(message()));
    await bench.clock.advance(89 * DAY);
    expect((await enrol(bench, at.ws, other, [leadId]))[0]?.skipped).to.equal('claimed');
    await bench.clock.advance(2 * DAY);
    expect((await enrol(bench, at.ws, other, [leadId]))[0]?.skipped).to.equal(null);
  });

  it('business hours are checked at the send, not at the scheduling', async () => {
    const at = await place(
      chain({ nodeType: 'network:profile_view' }),
      { businessHours: { days: [1, 2, 3, 4, 5], startHour: 9, endHour: 18, timezoneMode: 'account' } },
      { days: [1, 2, 3, 4, 5], startHour: 9, endHour: 18, timezoneMode: 'account' },
    );
    const { leadId } = await lead(at);
    await bench.clock.advance(10 * HOUR);
    await enrol(bench, at.ws, at.flow, [leadId]);
    await at.handle.quiet();
    const run = await runOf(leadId);
    expect(run).to.include({ state: 'waiting', wait_reason: 'business_hours' });
    expect(run.due_at).to.be.within(Date.UTC(2026, 0, 6, 9), Date.UTC(2026, 0, 6, 10));
    await passTime(bench, at.handle, 16 * HOUR, HOUR);
    expect(at.network.received).to.have.length(1);
  });

  for (const [what, stop, release] of [
    [
      'a hold',
      `insert into hold (workspace_id, kind, id, reason, held_by, created_at) values ($1, 'workspace', $1, 'x', 'x', 1)`,
      'delete from hold where workspace_id = $1',
    ],
    [
      'suspending the workspace',
      `update workspace set operating_mode = 'Suspended' where id = $1`,
      `update workspace set operating_mode = 'Running' where id = $1`,
    ],
    [
      'a send freeze',
      `insert into send_freeze (id, scope, target, reason, frozen_by, since) values (gen_random_uuid(), 'workspace', $1, 'x', 'x', 1)`,
      'delete from send_freeze where target = $1',
    ],
    [
      'pausing the campaign',
      `update campaign set state = 'paused' where workspace_id = $1`,
      `update campaign set state = 'active' where workspace_id = $1`,
    ],
    [
      'disabling the workflow',
      `update workflow set enabled = false where workspace_id = $1`,
      `update workflow set enabled = true where workspace_id = $1`,
    ],
  ] as const) {
    it(`${what} stops sends, keeps places, and its release goes on`, async () => {
      const at = await place(
        chain(
          { nodeType: 'flow:wait', config: { waitType: 'duration', durationMs: HOUR } },
          { nodeType: 'network:profile_view' },
        ),
      );
      const { leadId } = await lead(at);
      await enrol(bench, at.ws, at.flow, [leadId]);
      await at.handle.quiet();
      await change(bench, stop, [at.ws]);
      await passTime(bench, at.handle, 3 * HOUR, HOUR);
      expect(at.network.received).to.have.length(0);
      expect(await runOf(leadId)).to.include({ wait_reason: 'send_freeze', due_at: null });
      const sleeping = await at.handle.deps.claim.tx((tx) => rest(tx, bench.clock.now()));
      expect(sleeping.unparked).to.equal(0);
      await change(bench, release, [at.ws]);
      const [wake] = await query<{ due_at: number }>(
        bench,
        'select due_at from workspace_wake where workspace_id = $1',
        [at.ws],
      );
      expect(wake?.due_at, 'the operator is told').to.equal(0);
      expect((await at.handle.deps.claim.tx((tx) => rest(tx, bench.clock.now()))).unparked).to.equal(1);
      await at.handle.quiet();
      expect(at.network.received).to.have.length(1);
    });
  }

  it('an unapproved draft is never sent: expiry ends the run', async () => {
    const at = await place(chain({ nodeType: 'flow:review', config: { expiresAfterMs: 2 * DAY } }, message()));
    const { leadId } = await lead(at);
    await enrol(bench, at.ws, at.flow, [leadId]);
    await passTime(bench, at.handle, 3 * DAY, 12 * HOUR);
    expect(at.network.received).to.have.length(0);
    expect(await runOf(leadId)).to.include({ state: 'stopped', end_reason: 'the review expired' });
    expect((await query<{ state: string }>(bench, 'select state from review_item'))[0]?.state).to.equal('expired');
  });

  it('review mode: all puts a gate before each text, and the approved (edited) text is what is sent', async () => {
    const at = await place(chain(message()), { ...NO_GAP, reviewMode: 'all' });
    const { leadId } = await lead(at);
    await enrol(bench, at.ws, at.flow, [leadId]);
    await at.handle.quiet();
    expect(
      (await query<{ body: string; risk_flags: string[] }>(bench, 'select * from review_item'))[0],
    ).to.deep.include({ body: 'Hello Ada', risk_flags: ['first_touch'] });
    await change(bench, `update review_item set state = 'approved', body = 'Hello dear Ada', decided_at = $1`, [
      bench.clock.now(),
    ]);
    await at.handle.quiet();
    expect(at.network.received.map((one) => one.text)).to.deep.equal(['Hello dear Ada']);
    expect((await query<{ state: string }>(bench, 'select state from review_item'))[0]?.state).to.equal('sent');
  });

  it('missing data blocks the text instead of sending a gap', async () => {
    const at = await place({
      nodes: [message('Hi {{lead:industry}}'), { nodeType: 'flow:end', config: { reason: 'no data' } }],
      edges: [{ sourceIndex: 0, targetIndex: 1, branch: 'missing_data' }],
    });
    const { leadId } = await lead(at);
    await enrol(bench, at.ws, at.flow, [leadId]);
    await at.handle.quiet();
    expect(at.network.received).to.have.length(0);
    expect((await runOf(leadId)).state).to.equal('completed');
  });

  it('a limit signal of the network rests the account', async () => {
    const at = await place(chain({ nodeType: 'network:profile_view' }));
    const { leadId } = await lead(at);
    let limited = true;
    at.network.onPerform = async (_action, perform) => {
      if (!limited) return perform();
      throw new ProviderError('rate_limited', 'slow down', 30 * MINUTE);
    };
    await enrol(bench, at.ws, at.flow, [leadId]);
    await at.handle.quiet();
    limited = false;
    const [account] = await query<{ cooldown_until: number }>(
      bench,
      'select cooldown_until from network_account where id = $1',
      [at.account],
    );
    expect(account?.cooldown_until).to.equal(bench.clock.now() + 30 * MINUTE);
    await passTime(bench, at.handle, 25 * MINUTE, 5 * MINUTE);
    expect(at.network.received).to.have.length(0);
    await passTime(bench, at.handle, HOUR, 5 * MINUTE);
    expect(at.network.received).to.have.length(1);
  });

  it('a run that stays blocked for 30 days fails', async () => {
    const at = await place(chain({ nodeType: 'network:profile_view' }));
    await change(bench, `update network_account set status = 'restricted' where id = $1`, [at.account]);
    const { leadId } = await lead(at);
    await enrol(bench, at.ws, at.flow, [leadId]);
    await at.handle.quiet();
    expect(await runOf(leadId)).to.include({ state: 'blocked', wait_reason: 'account_unhealthy' });
    await passTime(bench, at.handle, 31 * DAY, 6 * HOUR);
    expect((await runOf(leadId)).state).to.equal('failed');
  });

  it('the campaign pool feeds a graph without a source, best first, up to its limit per local date', async () => {
    const at = await place(chain({ nodeType: 'flow:wait', config: { waitType: 'duration', durationMs: DAY } }));
    const icp = randomUUID();
    await change(bench, `insert into icp (id, workspace_id, campaign_id, created_at) values ($1, $2, $3, 1)`, [
      icp,
      at.ws,
      at.camp,
    ]);
    const scores = new Map<string, number>();
    for (let index = 0; index < 40; index++) {
      const id = await addLead(bench.app, at.ws, {});
      scores.set(id, 40 + index);
      await change(
        bench,
        `insert into lead_score (workspace_id, campaign_id, icp_id, lead_id, icp_score, signal_score, total, computed_at) values ($1, $2, $3, $4, $5, 0, $5, 1)`,
        [at.ws, at.camp, icp, id, 40 + index],
      );
    }
    const feed = (): Promise<number> =>
      at.handle.deps.claim.tx((tx) =>
        feedSources(tx, {
          workspaceId: at.ws,
          now: bench.clock.now(),
          cache: new GraphCache(),
          newId: () => randomUUID(),
        }),
      );
    expect(await feed()).to.equal(25);
    expect(await feed()).to.equal(0);
    const first = await query<{ lead_id: string }>(bench, 'select lead_id from run where workflow_id = $1', [at.flow]);
    expect(Math.min(...first.map((row) => scores.get(row.lead_id) ?? 0))).to.equal(55);
    await bench.clock.advance(DAY);
    expect(await feed()).to.equal(5);
  });

  it('in-flight runs finish on their version, or migrate by node id', async () => {
    const wait = { nodeId: 'hold', nodeType: 'flow:wait', config: { waitType: 'duration', durationMs: DAY } };
    for (const [mode, expected] of [
      ['finish_on_old', []],
      ['migrate', ['profile_view']],
    ] as const) {
      const at = await place(chain(wait, { nodeId: 'stop', nodeType: 'flow:end' }));
      const { leadId } = await lead(at);
      await enrol(bench, at.ws, at.flow, [leadId]);
      await at.handle.quiet();
      const next = {
        nodes: [
          { ...wait, label: 'w' },
          { nodeId: 'view', nodeType: 'network:profile_view', label: 'v', config: {} },
        ],
        edges: [{ sourceIndex: 0, targetIndex: 1 }],
      };
      await change(bench, `insert into workflow_graph values ($1, $2, 2, $3, '1.0.0', 1)`, [
        at.ws,
        at.flow,
        JSON.stringify(next),
      ]);
      await change(bench, 'update workflow set graph_version = 2, in_flight = $2 where id = $1', [at.flow, mode]);
      await passTime(bench, at.handle, 2 * DAY, 12 * HOUR);
      expect(
        at.network.received.map((one) => one.kind),
        mode,
      ).to.deep.equal(expected);
    }
  });

  it('every waiting run has a reason, and a time unless a person has to act', async () => {
    const at = await place(
      chain(
        { nodeType: 'network:profile_view' },
        { nodeType: 'flow:wait', config: { waitType: 'duration', durationMs: HOUR } },
        { nodeType: 'network:connection_request' },
        { nodeType: 'network:wait_connection' },
      ),
    );
    const leads = await Promise.all(Array.from({ length: 40 }, () => lead(at, false)));
    await enrol(
      bench,
      at.ws,
      at.flow,
      leads.map((one) => one.leadId),
    );
    await passTime(bench, at.handle, 6 * HOUR, 10 * MINUTE);
    const waiting = await query<RunView>(bench, `select * from run where workspace_id = $1 and ended_at is null`, [
      at.ws,
    ]);
    expect(waiting).to.have.length(40);
    expect(waiting.filter((run) => run.wait_reason === null || run.due_at === null)).to.deep.equal([]);
    expect(new Set(waiting.map((run) => run.wait_reason)).size).to.be.greaterThan(1);
  });

  it('the claim of due work uses the index of due runs, however many wait', async () => {
    const at = await place(chain({ nodeType: 'flow:end' }));
    await change(
      bench,
      `insert into run (id, workspace_id, workflow_id, campaign_id, lead_id, graph_version, node_id, state, due_at, entered_at, started_at)
       select gen_random_uuid(), $1, $2, $3, gen_random_uuid(), 1, 'n0', 'waiting', case when i % 1000 = 0 then 1 else 9e15 + i end, 1, 1 from generate_series(1, 20000) i`,
      [at.ws, at.flow, at.camp],
    );
    await analyzeRuns(bench);
    const plan = await at.handle.deps.claim.tx((tx) =>
      tx.rows<{ 'QUERY PLAN': string }>(`explain ${CLAIM_DUE}`, [at.ws, bench.clock.now(), 100, []]),
    );
    expect(plan.map((row) => row['QUERY PLAN']).join('\n')).to.contain('Index Scan using run_due');
  });

  it('a reply stops the person in every workspace of the account, and colleagues where the policy says so', async () => {
    const pause = { nodeType: 'flow:wait', config: { waitType: 'duration', durationMs: DAY } };
    const at = await place(chain(pause, message()), {
      contactPolicy: { minDaysBetweenTouches: 0, stopCompanyOnReply: true },
    });
    const other = await addWorkspace(bench.app);
    await change(bench, 'insert into account_link (account_id, workspace_id, linked_at) values ($1, $2, 1)', [
      at.account,
      other,
    ]);
    const otherFlow = await addWorkflow(
      bench.app,
      other,
      await addCampaign(bench.app, other, {}),
      chain(pause, message()),
    );
    const shared = await addLead(bench.app, null, { company: 'Acme' });
    const colleague = await addLead(bench.app, at.ws, { company: 'Acme' });
    await enrol(bench, at.ws, at.flow, [shared, colleague]);
    await enrol(bench, other, otherFlow, [shared]);
    await at.handle.quiet();
    const run = await runOf(shared);
    const stopped = await bench.app.tx({ kind: 'workspaces', ids: [at.ws] }, (tx) =>
      recordReply(tx, {
        now: bench.clock.now(),
        accountId: at.account,
        personId: run.person_id,
        at: bench.clock.now(),
        replyClass: 'positive',
        resumeAt: null,
      }),
    );
    expect(stopped).to.equal(2);
    const states = await query<{ workspace_id: string; state: string }>(
      bench,
      'select workspace_id, state from run where lead_id = $1',
      [shared],
    );
    expect(states.map((one) => one.state)).to.deep.equal(['replied', 'replied']);
    expect(await runOf(colleague)).to.include({ state: 'stopped', end_reason: 'a colleague replied' });
  });

  it('lead nodes write in the same transaction: tag, list, exclusion', async () => {
    const list = randomUUID();
    const at = await place(
      chain(
        { nodeType: 'lead:tag', config: { add: ['a', 'b'], remove: [] } },
        { nodeType: 'lead:tag', config: { add: [], remove: ['a'] } },
        { nodeType: 'lead:add_to_list', config: { leadListId: list } },
        { nodeType: 'lead:exclude', config: { appliesTo: 'all_outreach', reason: 'test' } },
      ),
    );
    await change(
      bench,
      `insert into lead_list (id, workspace_id, name, type, created_at) values ($1, $2, 'L', 'static', 1)`,
      [list, at.ws],
    );
    const { leadId } = await lead(at);
    await enrol(bench, at.ws, at.flow, [leadId]);
    await at.handle.quiet();
    expect(
      (await query<{ tags: string[] }>(bench, 'select tags from lead_overlay where lead_id = $1', [leadId]))[0]?.tags,
    ).to.deep.equal(['b']);
    expect(
      (await query<{ lead_count: number }>(bench, 'select lead_count from lead_list where id = $1', [list]))[0]
        ?.lead_count,
    ).to.equal(1);
    expect((await enrol(bench, at.ws, at.flow, [leadId]))[0]?.skipped).to.equal('suppressed');
  });

  it('the loop reports idle, wakes for new work, leaves the exact wake time, and drains', async () => {
    const at = await place(
      chain(
        { nodeType: 'network:profile_view' },
        { nodeType: 'flow:wait', config: { waitType: 'duration', durationMs: DAY } },
      ),
    );
    const loop = at.handle.engine.run();
    const idle = async (): Promise<boolean> =>
      (await query(bench, 'select 1 from claim where key = $1 and idle_epoch = epoch', [at.ws])).length > 0;
    const until = async (done: () => Promise<boolean>): Promise<void> => {
      for (let tries = 0; tries < 500; tries++) {
        if (await done()) return;
        await sleepReal(20);
      }
      throw new Error('never');
    };
    await until(idle);
    const { leadId } = await lead(at);
    await enrol(bench, at.ws, at.flow, [leadId]);
    await until(() => Promise.resolve(at.network.received.length === 1));
    await until(
      async () =>
        (await query(bench, 'select 1 from run where lead_id = $1 and node_id = $2', [leadId, 'n1'])).length === 1,
    );
    await until(idle);
    at.handle.engine.drain();
    await loop;
    const [wake] = await query<{ due_at: number }>(bench, 'select due_at from workspace_wake where workspace_id = $1', [
      at.ws,
    ]);
    // The campaign pool feeds again when the next local date begins, before the wait is over.
    expect(wake?.due_at).to.equal(Date.UTC(2026, 0, 6));
  });

  it('an acceptance that is known before the request makes it needless', async () => {
    const at = await place({
      nodes: [{ nodeType: 'network:connection_request' }, { nodeType: 'flow:end', config: { reason: 'known' } }],
      edges: [{ sourceIndex: 0, targetIndex: 1, branch: 'already_connected' }],
    });
    const { leadId } = await lead(at, true);
    await enrol(bench, at.ws, at.flow, [leadId]);
    await at.handle.quiet();
    expect(at.network.received).to.have.length(0);
    const run = await runOf(leadId);
    expect(run.state).to.equal('completed');
    await bench.app.tx({ kind: 'workspaces', ids: [at.ws] }, (tx) =>
      recordAcceptance(tx, { now: 1, accountId: at.account, personId: run.person_id, providerId: 'x', at: 1 }),
    );
  });
});
