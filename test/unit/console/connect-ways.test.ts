import { expect } from 'chai';
import { argumentsOf, CONNECT_WAYS, type Provider } from '../../../pkg/console/screens/accounts/connect-ways.ts';
import { CONNECTABLE } from '../../../pkg/tools/integrations/integration-row.ts';

const given = (provider: Provider, values: Record<string, string>): object => {
  const way = CONNECT_WAYS[provider];
  if (!way) throw new Error(`${provider} has no way`);
  return argumentsOf(provider, way, values);
};

describe('ways to connect what the server can connect', () => {
  it('there is one for each', () => {
    expect([...CONNECTABLE.keys()].filter((provider) => !(provider in CONNECT_WAYS))).to.deep.equal([]);
  });

  it('what opens a mailbox goes into its credentials, and what was left empty nowhere', () => {
    const values = { email: ' a@x.example ', password: ' p ', smtp: 's:465', imap: 'i:993', username: '', name: 'Box' };
    expect(given('smtp_imap', values)).to.deep.equal({
      provider: 'smtp_imap',
      name: 'Box',
      credentials: { email: 'a@x.example', password: ' p ', smtp: 's:465', imap: 'i:993' },
    });
  });

  it('an address goes beside the credentials, where the tool takes it', () => {
    expect(given('caldav', { url: 'https://x.example/', username: 'u', password: 'p' })).to.deep.equal({
      provider: 'caldav',
      url: 'https://x.example/',
      credentials: { username: 'u', password: 'p' },
    });
    expect(given('webhook', { url: 'https://x.example/' })).to.deep.equal({
      provider: 'webhook',
      url: 'https://x.example/',
    });
  });

  it('without a token the member is sent to the vendor: no credentials are given', () => {
    expect(given('hubspot', { token: '' })).to.deep.equal({ provider: 'hubspot' });
    expect(given('hubspot', { token: 't' })).to.deep.equal({ provider: 'hubspot', credentials: { token: 't' } });
  });
});
