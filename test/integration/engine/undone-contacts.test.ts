import { expect } from 'chai';
import { ProviderError } from '../../../pkg/providers/network/network-provider.ts';
import { type Bench, enrol, openBench, passTime, query } from '../../fixtures/engine/harness.ts';
import {
  chain,
  DAY,
  HOUR,
  lead,
  MINUTE,
  message,
  runOf,
  type WorkflowFixture,
  workflowFixture,
} from '../../fixtures/engine/workflow-fixture.ts';

describe('a message that was proven not to have been sent is no contact', function () {
  this.timeout(120_000);
  let bench: Bench;
  let at: WorkflowFixture;
  let leadId: string;
  let startedAt: number;
  beforeEach(async () => {
    bench = await openBench();
    const wait = { nodeType: 'flow:wait', config: { waitType: 'duration', durationMs: 5 * DAY } };
    at = await workflowFixture(bench, chain(message('one'), wait, message('two')), {
      contactPolicy: { minDaysBetweenTouches: 2 },
    });
    ({ leadId } = await lead(bench, at));
    startedAt = bench.clock.now();
  });
  afterEach(() => bench.close());

  const refuse = (text: string): void => {
    at.network.onPerform = (action, perform) => {
      if (action.text === text) return Promise.reject(new ProviderError('unavailable_before_send', 'away'));
      return Promise.resolve(perform());
    };
  };
  const texts = (): (string | null)[] => at.network.received.map((one) => one.text);
  const contactedAt = async (): Promise<number | null | undefined> =>
    (await query<{ at: number | null }>(bench, 'select last_contacted_at as at from lead_overlay'))[0]?.at;

  it('the next try comes within minutes, and does not wait for the days between two touches', async () => {
    await enrol(bench, at.ws, at.flow, [leadId]);
    await at.handle.quiet();
    expect(texts()).to.deep.equal(['one']);
    const first = await contactedAt();
    refuse('two');
    for (let tries = 0; tries < 100 && (await runOf(bench, leadId)).wait_reason !== 'account_unhealthy'; tries++)
      await passTime(bench, at.handle, 2 * HOUR, 2 * HOUR);
    expect(await contactedAt(), 'contacted last by the first message').to.equal(first);
    at.network.onPerform = undefined;
    await passTime(bench, at.handle, HOUR, 10 * MINUTE);
    expect(texts()).to.deep.equal(['one', 'two']);
    expect(bench.clock.now() - startedAt).to.be.lessThan(6 * DAY);
    expect(await contactedAt()).to.be.greaterThan(first ?? 0);
  });

  it('nobody was contacted when the first one was not sent', async () => {
    refuse('one');
    await enrol(bench, at.ws, at.flow, [leadId]);
    await at.handle.quiet();
    expect((await runOf(bench, leadId)).wait_reason).to.equal('account_unhealthy');
    expect(await contactedAt()).to.equal(null);
  });
});
