import { expect } from 'chai';
import { actionOf, classifyFailure, type FailedSend, LIMIT_REST_MS } from '../../../pkg/engine/ledger/send-outcome.ts';
import type { EffectNode } from '../../../pkg/nodes/node-type.ts';
import { nodeTypeOf } from '../../../pkg/nodes/registry.ts';
import { ProviderError, type ProviderErrorKind } from '../../../pkg/providers/network/network-provider.ts';

const NOW = 1_000_000;
const type = nodeTypeOf('network:connection_request') as EffectNode<never>;
const request: FailedSend = { sendId: 'send', type, failures: 0, dispatched: true };
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

describe('what a provider error proves', () => {
  const table: [ProviderErrorKind, 'failed' | 'unknown', string | null | undefined, string][] = [
    ['already_connected', 'failed', 'already_connected', 'the node has an outcome for it'],
    ['already_pending', 'failed', 'already_pending', 'the node has an outcome for it'],
    ['unsupported', 'failed', 'failed', 'nothing can be done'],
    ['rate_limited', 'failed', null, 'nothing was done, tried again later'],
    ['limit', 'failed', null, 'nothing was done, the account rests'],
    ['unavailable_before_send', 'failed', null, 'the request was not written'],
    ['unknown_outcome', 'unknown', undefined, 'the request was written'],
  ];
  for (const [kind, result, outcome, why] of table) {
    it(`${kind}: ${result} (${why})`, () => {
      const classified = classifyFailure(new ProviderError(kind, 'text'), request, NOW);
      expect(classified.result.result).to.equal(result);
      expect(classified.result.outcome).to.equal(outcome);
    });
  }

  it('an error that is not the provider’s proves nothing', () => {
    expect(classifyFailure(new TypeError('boom'), request, NOW).result.result).to.equal('unknown');
  });

  it('before the dispatch nothing was done, whatever was thrown', () => {
    const { result } = classifyFailure(new TypeError('boom'), { ...request, dispatched: false }, NOW);
    expect(result).to.include({ result: 'failed', outcome: null, tries: 1 });
  });

  it('each failure doubles the wait, up to hours; a limit that comes again for one person asks less and less often', () => {
    const waits = (kind: ProviderErrorKind): number[] =>
      [0, 1, 5, 9].map(
        (failures) =>
          (classifyFailure(new ProviderError(kind, 'x'), { ...request, failures }, NOW).result.retryAt ?? 0) - NOW,
      );
    for (const [kind, floors] of [
      ['unavailable_before_send', [5 * MINUTE, 10 * MINUTE, 160 * MINUTE, 4 * HOUR]],
      ['limit', [5 * HOUR, 10 * HOUR, 24 * HOUR, 24 * HOUR]],
    ] as const)
      for (const [index, wait] of waits(kind).entries())
        expect(wait, `${kind} ${index}`).to.be.within(floors[index] ?? 0, (floors[index] ?? 0) + HOUR);
  });

  it('an outage is what nobody answered, named no wait for, and is not mail', () => {
    const away = (error: Error, send = request): boolean => classifyFailure(error, send, NOW).away;
    expect(away(new ProviderError('unavailable_before_send', 'x'))).to.equal(true);
    expect(away(new ProviderError('unavailable_before_send', 'x', 60_000))).to.equal(false);
    expect(away(new ProviderError('limit', 'x'))).to.equal(false);
    expect(away(new ProviderError('unsupported', 'x'))).to.equal(false);
    const mail = { ...request, type: { ...request.type, channel: 'mail' as const } };
    expect(away(new ProviderError('unavailable_before_send', 'x'), mail)).to.equal(false);
  });

  it('a limit of the network rests the account for hours, a rate limit as long as it says', () => {
    expect(classifyFailure(new ProviderError('limit', 'x'), request, NOW).restMs).to.equal(LIMIT_REST_MS);
    expect(classifyFailure(new ProviderError('rate_limited', 'x', 3_600_000), request, NOW).restMs).to.equal(3_600_000);
  });
});

describe('actionOf', () => {
  it('takes only what the ledger knows', () => {
    const action = actionOf({
      action: 'message',
      body: 'Hi',
      target: { providerId: 'p', publicId: 'ada', chatId: '', extra: 1 },
    });
    expect(action).to.deep.equal({ kind: 'message', providerId: 'p', publicId: 'ada', text: 'Hi' });
  });
});
