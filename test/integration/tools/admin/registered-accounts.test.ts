import { expect } from 'chai';
import { type NetworkProvider, ProviderError } from '../../../../pkg/providers/network/network-provider.ts';
import { FakeNetwork } from '../../../fixtures/engine/fake-network.ts';
import { platformAdmin } from '../../../fixtures/stories/people.ts';
import { type McpTools, startMcpTools, type ToolUser } from '../../../tools/mcp-tools.ts';

describe('svc_admin_link_account: whose account it is', function () {
  this.timeout(60_000);
  let tools: McpTools;
  let admin: ToolUser;
  /** What this server is configured for. */
  const configured = new Map<string, NetworkProvider>();
  const network = new FakeNetwork();
  before(async () => {
    tools = await startMcpTools((provider) => configured.get(provider));
    admin = await platformAdmin(tools);
  });
  after(() => tools.stop());
  beforeEach(() => configured.clear());

  const REGISTER = { action: 'register', accountKind: 'network', displayName: 'Ada' };
  const register = (externalId?: string): Promise<{ accountId: string }> =>
    admin.call('svc_admin_link_account', { ...REGISTER, ...(externalId === undefined ? {} : { externalId }) });
  const providerOf = async (accountId: string): Promise<string | undefined> => {
    const [row] = await tools.force<{ provider: string }>('select provider from network_account where id = $1', [
      accountId,
    ]);
    return row?.provider;
  };

  it('where the real network is configured it is an account of it', async () => {
    const early = await register('ext-early');
    expect(await providerOf(early.accountId), 'without any it is the sandbox’s').to.equal('sandbox');
    configured.set('unipile', network);
    expect(await providerOf((await register('ext-1')).accountId)).to.equal('unipile');
    const again = await register('ext-early');
    expect(again.accountId, 'one that nobody could act for').to.equal(early.accountId);
    expect(await providerOf(again.accountId)).to.equal('unipile');
    expect(await admin.refusal('svc_admin_link_account', REGISTER)).to.match(/^Invalid input: externalId: /);
  });

  it('where the sandbox is configured too, the real network is asked whether the account is its own', async () => {
    configured.set('unipile', network);
    configured.set('sandbox', new FakeNetwork());
    network.getAccount = (account) =>
      Promise.resolve({ status: account.externalId === 'ext-real' ? 'credentials_expired' : 'disconnected' });
    expect(await providerOf((await register('ext-real')).accountId)).to.equal('unipile');
    expect(await providerOf((await register('ext-made-up')).accountId)).to.equal('sandbox');
    expect(await providerOf((await register()).accountId)).to.equal('sandbox');
    network.getAccount = () => Promise.reject(new ProviderError('unavailable_before_send', 'away'));
    expect(await admin.refusal('svc_admin_link_account', { ...REGISTER, externalId: 'ext-2' })).to.contain('away');
  });
});
