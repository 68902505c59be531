import { expect } from 'chai';
import { ProviderError } from '../../../pkg/providers/network/network-provider.ts';
import { recoverSends } from '../../../pkg/store/ledger.ts';
import { type Bench, change, enrol, openBench, openEngine, passTime, query } from './harness.ts';
import { chain, HOUR, lead, message, type Place, place, runOf } from './place.ts';

// A run that is paused while its send is claimed or under way: what becomes of that send does not end the pause.
describe('engine: held runs', function () {
  this.timeout(120_000);
  let bench: Bench;
  let at: Place;
  let leadId: string;
  beforeEach(async () => {
    bench = await openBench();
    at = await place(bench, chain(message('Hello'), message('Again')));
    ({ leadId } = await lead(bench, at));
    await enrol(bench, at.ws, at.flow, [leadId]);
  });
  afterEach(() => bench.close());

  const hold = (): Promise<number> =>
    change(bench, `update run set state = 'paused', wait_reason = null, due_at = null where lead_id = $1`, [leadId]);
  const texts = (): (string | null)[] => at.network.received.map((one) => one.text);
  const expectHeld = async (): Promise<void> => {
    expect(await runOf(bench, leadId)).to.include({ state: 'paused', wait_reason: null, due_at: null });
  };

  for (const [when, point, sent] of [
    ['before the dispatch', 'claimed', []],
    ['while the request is under way', 'before_settle', ['Hello']],
  ] as const) {
    it(`the executor ends ${when}: another one takes over and leaves the run alone`, async () => {
      const never = new Promise<never>(() => undefined);
      const reached = Promise.withResolvers<void>();
      const dying = await openEngine(bench, at.ws, at.network, {
        faults: (reachedPoint) => {
          if (reachedPoint !== point) return Promise.resolve();
          reached.resolve();
          return never;
        },
      });
      await dying.engine.step();
      await reached.promise;
      await hold();
      const heir = await openEngine(bench, at.ws, at.network);
      const { cancelled, unknown } = await heir.deps.claim.tx((tx) => recoverSends(tx, bench.clock.now(), 500));
      expect(cancelled + unknown).to.equal(1);
      await passTime(bench, heir, 6 * HOUR, HOUR);
      await expectHeld();
      expect(texts()).to.deep.equal(sent);
    });
  }

  it('a person settles what became of the send: the run goes on when its pause ends', async () => {
    at.network.onPerform = async (_action, perform) => {
      perform();
      throw new ProviderError('unknown_outcome', 'connection reset');
    };
    await at.handle.quiet();
    at.network.onPerform = undefined;
    await hold();
    const [send] = await query<{ id: string }>(
      bench,
      `update send set dead_letter_at = 1, dead_letter_state = 'open', lookup_after = null where workspace_id = $1 returning id`,
      [at.ws],
    );
    await query(bench, 'select app.resolve_send($1, $2, $3, $4, $5)', [
      send?.id,
      'mark_done',
      bench.clock.now(),
      'admin',
      'as I saw',
    ]);
    await passTime(bench, at.handle, 6 * HOUR, HOUR);
    await expectHeld();
    expect(texts()).to.deep.equal(['Hello']);
  });
});
