import { expect } from 'chai';
import { actionOf, LIMIT_REST_MS, verdictOf } from '../../../pkg/engine/send-outcome.ts';
import type { EffectNode } from '../../../pkg/nodes/node-type.ts';
import { nodeTypeOf } from '../../../pkg/nodes/registry.ts';
import { ProviderError, type ProviderErrorKind } from '../../../pkg/providers/network/network-provider.ts';

const NOW = 1_000_000;
const request = nodeTypeOf('network:connection_request') as EffectNode<never>;

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
      const verdict = verdictOf(new ProviderError(kind, 'text'), request, NOW);
      expect(verdict.result.result).to.equal(result);
      expect(verdict.result.outcome).to.equal(outcome);
    });
  }

  it('an error that is not the provider’s proves nothing', () => {
    expect(verdictOf(new TypeError('boom'), request, NOW).result.result).to.equal('unknown');
  });

  it('a limit of the network rests the account for hours, a rate limit as long as it says', () => {
    expect(verdictOf(new ProviderError('limit', 'x'), request, NOW).restMs).to.equal(LIMIT_REST_MS);
    expect(verdictOf(new ProviderError('rate_limited', 'x', 3_600_000), request, NOW).restMs).to.equal(3_600_000);
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
