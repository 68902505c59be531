import { expect } from 'chai';
import { ProviderError } from '../../../pkg/providers/network/network-provider.ts';
import { recordReply } from '../../../pkg/store/inbox/inbox.ts';
import { planIdle } from '../../../pkg/store/runs/plan-idle.ts';
import { type Bench, change, enrol, openBench, passTime, query } from '../../fixtures/engine/harness.ts';
import type { GraphInput } from '../../fixtures/engine/rows.ts';
import {
  chain,
  DAY,
  HOUR,
  lead,
  message,
  NO_GAP,
  type RunView,
  runOf,
  type WorkflowFixture,
  workflowFixture,
} from '../../fixtures/engine/workflow-fixture.ts';

const REVIEW = { nodeType: 'flow:review', config: { expiresAfterMs: 30 * DAY } };
const NAP = { nodeType: 'flow:wait', config: { waitType: 'duration', durationMs: DAY } };
const VISIT = { nodeType: 'network:profile_view' };

// Whatever moves a run whose draft waits for a person: the draft has its run, and there is one of it.
describe('engine: a draft never waits without its run, and never twice', function () {
  this.timeout(120_000);
  let bench: Bench;
  let at: WorkflowFixture;
  let leadId: string;
  beforeEach(async () => {
    bench = await openBench();
  });
  afterEach(() => bench.close());

  async function begin(graph: GraphInput, settings: object = {}): Promise<void> {
    at = await workflowFixture(bench, graph, { ...NO_GAP, ...settings });
    ({ leadId } = await lead(bench, at));
    await enrol(bench, at.ws, at.flow, [leadId]);
  }
  const drafts = (): Promise<{ id: string; state: string }[]> =>
    query(bench, 'select id, state from review_item where workspace_id = $1 order by created_at, id', [at.ws]);
  const states = async (): Promise<string[]> => (await drafts()).map((draft) => draft.state);
  const run = (): Promise<RunView> => runOf(bench, leadId);
  const texts = (): (string | null)[] => at.network.received.map((one) => one.text);
  /** Its executor looks for parked runs before it rests. */
  const campaign = async (state: string): Promise<void> => {
    await change(bench, 'update campaign set state = $2 where id = $1', [at.camp, state]);
    await at.handle.deps.claim.tx((tx) => planIdle(tx, bench.clock.now()), { lookups: true });
  };
  /** As the tools do. */
  const decide = (state: string, onReject: string | null = null): Promise<number> =>
    change(
      bench,
      `update review_item set state = $2, on_reject = $3, decided_at = $4, decided_by = 'a' where workspace_id = $1 and state = 'pending'`,
      [at.ws, state, onReject, bench.clock.now()],
    );
  const pause = (until: number): Promise<number> =>
    change(bench, `update run set state = 'paused', wait_reason = null, due_at = $1, version = version + 1`, [until]);
  const reply = async (): Promise<unknown> => {
    const { person_id: personId } = await run();
    const now = bench.clock.now();
    return bench.app.tx({ kind: 'workspaces', ids: [at.ws] }, (tx) =>
      recordReply(tx, { now, accountId: at.account, personId, at: now, replyClass: 'neutral', resumeAt: null }),
    );
  };

  for (const [where, nodes, settings] of [
    ['a flow:review', [REVIEW, message('Hello')], {}],
    ['a send node whose campaign reviews all', [message('Hello')], { reviewMode: 'all' }],
  ] as const) {
    it(`at ${where}: a hold that ends while the campaign is paused leaves the draft with its run`, async () => {
      await begin(chain(...nodes), settings);
      await at.handle.quiet();
      const before = await drafts();
      await pause(bench.clock.now() + HOUR);
      await campaign('paused');
      await passTime(bench, at.handle, 2 * HOUR, HOUR);
      expect(await run()).to.include({ state: 'in_review', wait_reason: 'send_freeze' });
      await campaign('active');
      await passTime(bench, at.handle, 2 * HOUR, HOUR);
      expect(await drafts()).to.deep.equal(before);
      expect(await run()).to.include({ state: 'in_review', wait_reason: 'review' });
      await decide('approved');
      await passTime(bench, at.handle, 2 * HOUR, HOUR);
      expect(texts()).to.deep.equal(['Hello']);
    });
  }

  it('what a person decided before the lead answered counts, where answers do not end a sequence', async () => {
    await begin(chain(REVIEW, message('Hello')), { contactPolicy: { minDaysBetweenTouches: 0, stopOnReply: false } });
    await at.handle.quiet();
    await campaign('paused');
    await decide('rejected', 'stop_lead');
    await reply();
    await campaign('active');
    await passTime(bench, at.handle, 2 * HOUR, HOUR);
    expect(await states()).to.deep.equal(['rejected']);
    expect(await run()).to.include({ state: 'stopped', end_reason: 'the draft was rejected' });
  });

  it('a text whose draft was taken back, since its step was needless, is put before people when its lead is moved back there', async () => {
    const chained = chain(REVIEW, message('Hello'), NAP);
    await begin({
      nodes: chained.nodes,
      edges: [...chained.edges, { sourceIndex: 1, targetIndex: 2, branch: 'not_connected' }],
    });
    await at.handle.quiet();
    const asked = await run();
    await change(
      bench,
      `insert into relation (account_id, person_id, state, requested_at) values ($1, $2, 'pending', 1)`,
      [at.account, asked.person_id],
    );
    await decide('approved');
    await at.handle.quiet();
    expect(await run()).to.include({ node_id: 'n2' });
    expect(await states()).to.deep.equal(['cancelled']);
    await change(bench, `update relation set state = 'connected', connected_at = $1`, [bench.clock.now()]);
    // As the tool does.
    await change(
      bench,
      `update run set node_id = 'n1', entered_at = $1, state = 'waiting', wait_reason = 'duration', due_at = $1, version = version + 1`,
      [bench.clock.now()],
    );
    await passTime(bench, at.handle, 2 * HOUR, HOUR);
    expect(texts(), 'what nobody approves any more').to.deep.equal([]);
    expect(await states()).to.deep.equal(['cancelled', 'pending']);
    await decide('approved');
    await passTime(bench, at.handle, 2 * HOUR, HOUR);
    expect(texts()).to.deep.equal(['Hello']);
    expect(await states()).to.deep.equal(['cancelled', 'sent']);
  });

  it('a text whose draft was taken back when its lead failed is put before people when a dead letter is retried', async () => {
    await begin(chain(message('Hello')), { reviewMode: 'all' });
    await at.handle.quiet();
    at.network.onPerform = () => Promise.reject(new ProviderError('unknown_outcome', 'socket hang up'));
    at.network.lookupOutcome = () => Promise.resolve({ unsupported: true });
    await decide('approved');
    await at.handle.quiet();
    await change(bench, 'update send set lookup_after = clock_timestamp()');
    await at.handle.lookUp();
    const resolve = async (how: string): Promise<void> => {
      await query(bench, `select app.resolve_send(id, $1, $2, 'admin', 'asked the lead') from send`, [
        how,
        bench.clock.now(),
      ]);
      await passTime(bench, at.handle, 2 * HOUR, HOUR);
    };
    await resolve('mark_not_done');
    expect(await run()).to.include({ state: 'failed' });
    expect(await states()).to.deep.equal(['cancelled']);
    at.network.onPerform = undefined;
    await resolve('retry');
    expect(texts(), 'what nobody approves any more').to.deep.equal([]);
    expect(await states()).to.deep.equal(['cancelled', 'pending']);
    await decide('approved');
    await passTime(bench, at.handle, 2 * HOUR, HOUR);
    expect(texts()).to.deep.equal(['Hello']);
  });

  /** Another version of the graph, to which runs go over as soon as they are looked at. */
  const edit = async (graph: GraphInput): Promise<void> => {
    const nodes = graph.nodes.map((node, index) => ({ nodeId: `n${index}`, label: `n${index}`, config: {}, ...node }));
    await change(
      bench,
      `insert into workflow_graph (workspace_id, workflow_id, version, graph, node_types_version, created_at) values ($1, $2, 2, $3, '1.0.0', 1)`,
      [at.ws, at.flow, JSON.stringify({ nodes, edges: graph.edges })],
    );
    await change(bench, `update workflow set graph_version = 2, in_flight = 'migrate' where id = $1`, [at.flow]);
  };

  for (const [what, before, after, settings] of [
    ['a flow:review becomes a wait', [REVIEW, message('Hello')], [NAP, message('Hello')], {}],
    ['a flow:review becomes a message', [REVIEW, message('Hello')], [message('First'), NAP], {}],
    ['a reviewed message becomes a wait', [message('Hello')], [NAP, message('Hello')], { reviewMode: 'all' }],
    ['a reviewed message becomes a visit', [message('Hello')], [VISIT, NAP], { reviewMode: 'all' }],
  ] as const) {
    it(`${what} while its draft waits: the draft is taken back when the run goes over`, async () => {
      await begin(chain(...before), settings);
      await at.handle.quiet();
      expect(await states()).to.deep.equal(['pending']);
      await edit(chain(...after));
      // The one who is told to look again.
      await change(bench, 'update run set due_at = $1, version = version + 1', [bench.clock.now()]);
      await passTime(bench, at.handle, 2 * HOUR, HOUR);
      expect(await states()).to.deep.equal(['cancelled']);
      expect(await run()).to.include({ state: 'waiting', wait_reason: 'duration', graph_version: 2 });
    });
  }

  it('a reviewed message becomes a flow:review while its draft waits: what is behind it is shown instead', async () => {
    await begin(chain(message('Hello')), { reviewMode: 'all' });
    await at.handle.quiet();
    await edit(chain(REVIEW, message('Good day')));
    await change(bench, 'update run set due_at = $1, version = version + 1', [bench.clock.now()]);
    await at.handle.quiet();
    expect(await states()).to.have.members(['cancelled', 'pending']);
    await decide('approved');
    await change(bench, `update campaign set settings = settings - 'reviewMode'`);
    await passTime(bench, at.handle, 2 * HOUR, HOUR);
    expect(texts()).to.deep.equal(['Good day']);
  });
});
