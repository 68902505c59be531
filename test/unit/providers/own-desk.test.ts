import { expect } from 'chai';
import { Sealer } from '../../../pkg/base/sealer.ts';
import type { FieldResult, Verdicts } from '../../../pkg/domain/enrichment/attempt.ts';
import { resultsOf, settledEarly } from '../../../pkg/domain/enrichment/results.ts';
import { hunter } from '../../../pkg/providers/enrichment/hunter.ts';
import { CHECKS_WITHOUT_DNS } from '../../../pkg/providers/enrichment/mail-checks.ts';
import { ownDesk } from '../../../pkg/providers/enrichment/own-desk.ts';
import { peopleDataLabs } from '../../../pkg/providers/enrichment/people-data-labs.ts';

describe('enrichment by providers of the workspace', () => {
  const sealer = new Sealer('a key of the installation, 32 characters');
  const opens = { sealer, reachOf: () => 'public' as const };
  const at = { url: 'https://platform.example', apiKey: 'k' };
  const platform = { providers: [peopleDataLabs(at), hunter(at)], checks: CHECKS_WITHOUT_DNS };
  const own = (id: string, provider: string, sealedFor = id) => ({
    id,
    provider,
    url: '',
    sealed: sealer.seal(JSON.stringify({ token: 't' }), `integration:${sealedFor}`),
  });

  it("its own are asked first, in the order of their connecting, and replace the platform's of that name", () => {
    expect(ownDesk(platform, [], opens)).to.equal(platform);
    const desk = ownDesk(platform, [own('i1', 'dropcontact'), own('i2', 'hunter')], opens);
    expect(desk.providers.map(({ name }) => name)).to.deep.equal(['dropcontact', 'hunter', 'people_data_labs']);
    expect([...(desk.own ?? [])]).to.deep.equal(['dropcontact', 'hunter']);
  });

  it("one whose key does not open is left out, and the platform's does not step in at the cost of credits", () => {
    const desk = ownDesk(platform, [own('i1', 'hunter', 'another')], opens);
    expect(desk.providers.map(({ name }) => name)).to.deep.equal(['people_data_labs']);
    const closed = ownDesk(platform, [own('i1', 'hunter')], { ...opens, sealer: undefined });
    expect(closed.providers.map(({ name }) => name)).to.deep.equal(['people_data_labs']);
  });

  it('what the own key found costs no credits', () => {
    const found = (provider: string): Verdicts =>
      new Map([['phone', { kind: 'found', provider, answer: { phone: '1' }, confidence: null }]]);
    const credits = (provider: string): number | undefined =>
      resultsOf(found(provider), null, new Set(['apollo'])).map((one) => one.credits)[0];
    expect([credits('apollo'), credits('people_data_labs')]).to.deep.equal([0, 8]);
  });

  it('what was found is settled while other fields wait; an address and its verification are settled together', () => {
    const results = (...states: string[]): FieldResult[] =>
      states.map((one) => {
        const [field, state] = one.split(' ');
        return { field, state } as FieldResult;
      });
    const early = (...states: string[]): string[] => settledEarly(results(...states)).map(({ field }) => field);
    expect(early('phone open', 'profile found')).to.deep.equal(['profile']);
    expect(early('phone open', 'email found', 'email_verification found')).to.deep.equal([
      'email',
      'email_verification',
    ]);
    expect(early('email_verification open', 'email found', 'profile found')).to.deep.equal(['profile']);
    expect(early('profile not_found', 'phone open')).to.deep.equal([]);
  });
});
