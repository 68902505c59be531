import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { type Sandbox, startSandbox } from '../../../cmd/sandbox/sandbox.ts';
import { ProviderError } from '../../../pkg/providers/network/network-provider.ts';
import { UnipileAdapter } from '../../../pkg/providers/network/unipile-adapter.ts';
import { recordAcceptance } from '../../../pkg/store/inbox/inbox.ts';
import { type Bench, enrol, openBench, openEngine, passTime, query } from '../../fixtures/engine/harness.ts';
import { outcomeOf } from '../../fixtures/engine/node-outcome.ts';
import { addCampaign, addLead, addWorkflow, addWorkspace, type GraphInput } from '../../fixtures/engine/rows.ts';
import { syncRound } from '../../fixtures/engine/sync-round.ts';
import {
  chain,
  DAY,
  HOUR,
  lead,
  message,
  NO_GAP,
  runOf,
  type WorkflowFixture,
  workflowFixture,
} from '../../fixtures/engine/workflow-fixture.ts';
import { sandboxControl } from '../../tools/sandbox-control.ts';

const API_KEY = 'k';
const NAP = { nodeType: 'flow:wait', config: { waitType: 'duration', durationMs: DAY } };
const REQUEST = { nodeType: 'network:connection_request' };
const WAIT = { nodeType: 'network:wait_connection' };
const ENDORSE = { nodeType: 'network:endorse' };
const ADA = 'ada-l';

// What the network says of a connection that was one counts more than what is remembered of it.
describe('engine: a person removes the connection', function () {
  this.timeout(120_000);
  let bench: Bench;
  let home: string;
  let sandbox: Sandbox;
  let adapter: UnipileAdapter;
  beforeEach(async () => {
    bench = await openBench();
    home = await mkdtemp(join(tmpdir(), 'outrider-removed-'));
    sandbox = await startSandbox({ clock: bench.clock, home, seed: 'removed', apiKey: API_KEY });
    // Long, as in fake-network.ts.
    adapter = new UnipileAdapter({ url: sandbox.url, apiKey: API_KEY, timeoutMs: 10_000, settleAfterMs: 60_000 });
  });
  afterEach(async () => {
    await adapter.close();
    await sandbox.stop();
    await bench.close();
    await rm(home, { recursive: true, force: true });
  });

  const control = <T>(path: string, body?: object): Promise<T> => sandboxControl<T>(sandbox.url, path, body);

  interface Fixture extends Pick<WorkflowFixture, 'ws' | 'account' | 'handle'> {
    network: UnipileAdapter;
    leadId: string;
  }

  /** A lead who is connected from the beginning, on its way. */
  async function begin(graph: GraphInput, behaviour: { connected?: boolean } = {}): Promise<Fixture> {
    await control('people', {
      publicId: ADA,
      behaviour: { connected: true, skills: 2, reply: 'none', accepts: true, acceptAfterMs: DAY, ...behaviour },
    });
    const { ws, account, flow } = await workflowFixture(bench, graph);
    const handle = await openEngine(bench, ws, adapter);
    const leadId = await addLead(bench.app, ws, { profileId: ADA });
    await enrol(bench, ws, flow, [leadId]);
    return { ws, account, handle, network: adapter, leadId };
  }

  /** Another workspace of the same account, whose own lead is the same person. */
  async function beside(at: Fixture, graph: GraphInput): Promise<Fixture> {
    const ws = await addWorkspace(bench.app);
    const camp = await addCampaign(bench.app, ws, NO_GAP);
    await bench.app.tx({ kind: 'platform' }, (tx) =>
      tx.exec('insert into account_link (account_id, workspace_id, linked_at) values ($1, $2, 1)', [at.account, ws]),
    );
    const flow = await addWorkflow(bench.app, ws, camp, graph);
    const handle = await openEngine(bench, ws, adapter);
    const leadId = await addLead(bench.app, ws, { profileId: ADA });
    await enrol(bench, ws, flow, [leadId]);
    return { ws, account: at.account, handle, network: adapter, leadId };
  }

  const received = async (): Promise<string[]> =>
    (await control<{ kind: string; text: string | null }[]>('received')).map(({ kind, text }) => text ?? kind);
  const relation = async (at: Pick<WorkflowFixture, 'account'>): Promise<string | undefined> =>
    (await query<{ state: string }>(bench, 'select state from relation where account_id = $1', [at.account]))[0]?.state;
  const remove = (at: Fixture): Promise<unknown> => control('disconnect', { accountId: at.account, publicId: ADA });

  it('a message is refused: the next request is sent, waited for and accepted, and the next message goes out', async () => {
    const at = await begin({
      nodes: [message('One'), NAP, message('Two'), REQUEST, WAIT, message('Three')],
      edges: [
        { sourceIndex: 0, targetIndex: 1 },
        { sourceIndex: 1, targetIndex: 2 },
        { sourceIndex: 2, targetIndex: 3, branch: 'not_connected' },
        { sourceIndex: 3, targetIndex: 4 },
        { sourceIndex: 4, targetIndex: 5 },
      ],
    });
    await at.handle.quiet();
    expect(await received()).to.deep.equal(['One']);
    expect(await relation(at)).to.equal('connected');
    expect((await runOf(bench, at.leadId)).facts).to.include({ connected: true });
    expect(await remove(at)).to.deep.equal({ removed: true });
    await passTime(bench, at.handle, DAY + HOUR, HOUR);
    expect(await received()).to.deep.equal(['One', 'connection_request']);
    expect(await relation(at)).to.equal('pending');
    expect((await runOf(bench, at.leadId)).facts).to.not.have.any.keys('connected', 'connectedAt');
    await syncRound(bench, at);
    await at.handle.quiet();
    expect(await received(), 'who has not accepted is waited for').to.have.length(2);
    await bench.clock.advance(DAY);
    await syncRound(bench, at);
    await passTime(bench, at.handle, HOUR, HOUR);
    expect(await received()).to.deep.equal(['One', 'connection_request', 'Three']);
    expect(await relation(at)).to.equal('connected');
    expect(Number((await runOf(bench, at.leadId)).facts['connectedAt'])).to.be.above(bench.clock.now() - 5 * HOUR);
  });

  it('skills can not be endorsed: the relation is none, which the run that asked knows too', async () => {
    const at = await begin(chain(message('One'), NAP, ENDORSE, NAP));
    await at.handle.quiet();
    await remove(at);
    await passTime(bench, at.handle, DAY + HOUR, HOUR);
    expect((await outcomeOf(bench, at.leadId, 'n2'))?.outcome).to.equal('not_connected');
    expect(await relation(at)).to.equal('none');
  });

  it('what one workspace was told of the account is so for the others: they ask to connect', async () => {
    const at = await begin(chain(message('One'), NAP, message('Two')));
    await at.handle.quiet();
    const other = await beside(at, chain(NAP, NAP, REQUEST, WAIT));
    await other.handle.quiet();
    await remove(at);
    await passTime(bench, at.handle, DAY + HOUR, HOUR);
    expect(await relation(at)).to.equal('none');
    await passTime(bench, other.handle, DAY + 2 * HOUR, HOUR);
    expect(await received()).to.deep.equal(['One', 'connection_request']);
    expect(await runOf(bench, other.leadId)).to.include({ state: 'waiting' });
  });

  it('who connected again by hand is known by the list of connections, and waits for nothing', async () => {
    const at = await begin({
      nodes: [message('One'), NAP, ENDORSE, NAP, message('Two')],
      edges: [
        { sourceIndex: 0, targetIndex: 1 },
        { sourceIndex: 1, targetIndex: 2 },
        { sourceIndex: 2, targetIndex: 3, branch: 'not_connected' },
        { sourceIndex: 3, targetIndex: 4 },
      ],
    });
    await at.handle.quiet();
    await remove(at);
    await passTime(bench, at.handle, DAY + HOUR, HOUR);
    expect(await relation(at)).to.equal('none');
    const { providerId } = await adapter.lookupProfile({ externalId: at.account }, { publicId: ADA });
    await adapter.perform({ externalId: at.account }, { kind: 'connection_request', publicId: ADA, providerId });
    await control('accept', { accountId: at.account, publicId: ADA });
    await syncRound(bench, at);
    expect(await relation(at)).to.equal('connected');
    await passTime(bench, at.handle, DAY + HOUR, HOUR);
    expect((await received()).at(-1)).to.equal('Two');
  });

  it('a request that was accepted stays so in the health of the account', async () => {
    const at = await begin(chain(REQUEST, WAIT, NAP, message('One')), { connected: false });
    await at.handle.quiet();
    await bench.clock.advance(2 * DAY);
    await syncRound(bench, at);
    await at.handle.quiet();
    await remove(at);
    await passTime(bench, at.handle, DAY + HOUR, HOUR);
    expect(await relation(at)).to.equal('none');
    expect(await received()).to.deep.equal(['connection_request']);
    const judgedAt = bench.clock.now() + 10 * DAY;
    const [facts] = await query(bench, 'select requests, accepted, connections from app.account_facts($1, $2)', [
      at.account,
      judgedAt,
    ]);
    expect(facts).to.deep.equal({ requests: 1, accepted: 1, connections: 0 });
  });

  describe('what is no word about the connection', () => {
    async function refusedOnce(
      nodes: GraphInput['nodes'],
      during?: (at: WorkflowFixture, leadId: string) => Promise<unknown>,
    ) {
      const at = await workflowFixture(bench, chain(message('One'), NAP, ...nodes));
      const { leadId } = await lead(bench, at);
      await enrol(bench, at.ws, at.flow, [leadId]);
      await at.handle.quiet();
      at.network.onPerform = async () => {
        await during?.(at, leadId);
        throw new ProviderError('not_connected', 'refused');
      };
      await passTime(bench, at.handle, DAY + HOUR, HOUR);
      return { at, outcome: (await outcomeOf(bench, leadId, 'n2'))?.outcome };
    }

    it('an InMail that is refused leaves it', async () => {
      const inMail = { nodeType: 'network:inmail', config: { subject: 'S', text: 'T' } };
      const { at, outcome } = await refusedOnce([inMail]);
      expect(outcome).to.equal('failed');
      expect(await relation(at)).to.equal('connected');
    });

    it('an acceptance that came after the message was handed over outlives its refusal', async () => {
      const { at, outcome } = await refusedOnce([message('Two')], async ({ account }, leadId) => {
        await bench.app.tx({ kind: 'platform' }, (tx) =>
          tx.exec(`update relation set state = 'pending', connected_at = null`),
        );
        await bench.clock.advance(1_000);
        const { person_id: personId } = await runOf(bench, leadId);
        const [known] = await query<{ id: string }>(bench, 'select provider_id as id from relation');
        const met = { accountId: account, personId, providerId: known?.id ?? '' };
        const now = bench.clock.now();
        await bench.app.tx({ kind: 'platform' }, (tx) => recordAcceptance(tx, { ...met, now, at: now }));
      });
      expect(outcome).to.equal('not_connected');
      expect(await relation(at)).to.equal('connected');
    });
  });
});
