import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { type Sandbox, startSandbox } from '../../../cmd/sandbox/sandbox.ts';
import { UnipileAdapter } from '../../../pkg/providers/network/unipile-adapter.ts';
import { type Bench, enrol, openBench, openEngine, query } from '../../fixtures/engine/harness.ts';
import { addLead } from '../../fixtures/engine/rows.ts';
import { syncRound } from '../../fixtures/engine/sync-round.ts';
import { chain, DAY, HOUR, message, runOf, workflowFixture } from '../../fixtures/engine/workflow-fixture.ts';
import { sandboxControl } from '../../tools/sandbox-control.ts';

const API_KEY = 'k';
const ADA = 'ada-l';

describe('engine: a thumb under a message', function () {
  this.timeout(60_000);
  let bench: Bench;
  let home: string;
  let sandbox: Sandbox;
  let network: UnipileAdapter;
  before(async () => {
    bench = await openBench();
    home = await mkdtemp(join(tmpdir(), 'outrider-reactions-'));
    sandbox = await startSandbox({ clock: bench.clock, home, seed: 'reactions', apiKey: API_KEY });
    // Long, as in fake-network.ts.
    network = new UnipileAdapter({ url: sandbox.url, apiKey: API_KEY, timeoutMs: 10_000, settleAfterMs: 60_000 });
  });
  after(async () => {
    await network.close();
    await sandbox.stop();
    await bench.close();
    await rm(home, { recursive: true, force: true });
  });

  const control = (path: string, body: object): Promise<unknown> => sandboxControl(sandbox.url, path, body);

  it('is no answer: the lead stays where it waits for one, and what they write then is one', async () => {
    await control('people', { publicId: ADA, behaviour: { connected: true, reply: 'none' } });
    const at = await workflowFixture(
      bench,
      chain(message('Hello'), { nodeType: 'network:wait_reply', config: { timeoutMs: 10 * DAY } }),
    );
    const handle = await openEngine(bench, at.ws, network);
    const leadId = await addLead(bench.app, at.ws, { profileId: ADA });
    await enrol(bench, at.ws, at.flow, [leadId]);
    await handle.quiet();
    const heard = async (text: string, direction: 'in' | 'reaction'): Promise<unknown[]> => {
      await bench.clock.advance(HOUR);
      await control('inbound', { accountId: at.account, publicId: ADA, text, direction });
      await syncRound(bench, { account: at.account, network });
      await handle.quiet();
      return query(bench, `select body from message where direction = 'in'`);
    };

    expect(await heard('👍', 'reaction')).to.deep.equal([]);
    expect(await runOf(bench, leadId)).to.include({ node_id: 'n1', state: 'waiting', end_reason: null });
    expect(await heard('Tell me more.', 'in')).to.deep.equal([{ body: 'Tell me more.' }]);
    expect(await runOf(bench, leadId)).to.include({ end_reason: 'ended after n1 (replied)' });
  });
});
