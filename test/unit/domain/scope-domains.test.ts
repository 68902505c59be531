import { expect } from 'chai';
import { choiceOf, SCOPE_DOMAINS, scopesOfChoice } from '../../../pkg/domain/scope-domains.ts';
import { TENANT_SCOPES } from '../../../pkg/domain/scopes.ts';

describe('domains that a person opens to a client', () => {
  it('open all scopes of a workspace together, and none of the platform', () => {
    const all = SCOPE_DOMAINS.flatMap(({ name }) => scopesOfChoice(name, 'write'));
    expect(all.sort()).to.deep.equal([...TENANT_SCOPES].sort());
  });

  for (const [domain, choice, scopes] of [
    ['campaigns', 'none', []],
    ['campaigns', 'read', ['campaigns:read']],
    ['campaigns', 'write', ['campaigns:read', 'campaigns:write']],
    // There is nothing to read of it. Source: specification, Authentication 5.
    ['outreach', 'read', []],
    ['outreach', 'write', ['outreach:write']],
    ['admin', 'write', []],
  ] as const) {
    it(`${domain}: ${choice} opens ${scopes.join(', ') || 'nothing'}`, () => {
      expect(scopesOfChoice(domain, choice)).to.deep.equal(scopes);
      if (scopes.length > 0) expect(choiceOf(domain, scopes)).to.equal(choice);
    });
  }

  it('offer what there is of each', () => {
    expect(SCOPE_DOMAINS.find(({ name }) => name === 'outreach')?.choices).to.deep.equal(['none', 'write']);
    expect(SCOPE_DOMAINS.find(({ name }) => name === 'leads')?.choices).to.deep.equal(['none', 'read', 'write']);
  });
});
