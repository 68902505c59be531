import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { ProviderError } from '../../../../pkg/providers/network/network-provider.ts';
import { markRehearsal } from '../../../../pkg/store/restore/rehearsal.ts';
import { DAY } from '../../stories/engine-stage.ts';
import { MESSAGE, WAIT } from './diagnose-stage.ts';
import type { DiagnoseWorld, Expected } from './diagnose-world.ts';

/** Checks of what reaches outside: network accounts and integrations. */
export function describeOutside({ stageOf, acme, account, failed, clears, tool }: DiagnoseWorld): void {
  describe('a network account', () => {
    const of = (): Pick<Expected, 'target' | 'targetId'> => ({
      target: 'network_account',
      targetId: stageOf().accountId,
    });

    it('cooldown, then health: the account rests and is warned for as long as the named tool says', async () => {
      const workflowId = await stageOf().flow(MESSAGE, WAIT);
      const name = 'svc_get_network_account_health';
      const { clock } = stageOf().tools.cluster;
      await clears(
        [{ ...of(), check: 'cooldown', tool: name }],
        async () => {
          stageOf().network.onPerform = async () => {
            throw new ProviderError('rate_limited', 'slow down', 30 * 60_000);
          };
          await stageOf().enrol(workflowId, 'Fast');
        },
        async (found) => {
          stageOf().network.onPerform = undefined;
          const { cooldowns } = await stageOf().acme.call<{ cooldowns: { until: string }[] }>(tool(found), account());
          clock.at = Date.parse(cooldowns[0]?.until ?? '');
        },
      );
      await clears(
        [{ ...of(), check: 'health', tool: name }],
        async () => {
          stageOf().network.status = 'restricted';
          await stageOf().sync();
          stageOf().network.status = 'ok';
          await stageOf().sync();
        },
        async (found) => {
          const { advice } = await stageOf().acme.call<{ advice: string[] }>(tool(found), account());
          expect(advice.join(' ')).to.match(/warned this account within the last 30 days/);
          clock.at = clock.now() + 31 * DAY;
        },
        () => stageOf().sync(),
      );
    });

    it('compared: after a start of Postgres the account waits until its provider has answered', () =>
      clears(
        [{ ...of(), check: 'compared', tool: 'svc_get_network_account' }],
        // As the leader leaves it after its own comparison.
        () => stageOf().tools.force('update restore_guard set checked_start = pg_postmaster_start_time()'),
        async (found) => {
          expect(found.detail).to.match(/passes by itself once the provider answers/);
          await acme(tool(found), account());
          await stageOf().compare();
        },
      ));

    it('provider: an account that nobody here can act for is registered again at the provider that there is', async () => {
      const register = { action: 'register', accountKind: 'network', workspaceId: 'acme', externalId: 'moved' };
      const { accountId } = await stageOf().boss.call<{ accountId: string }>('svc_admin_link_account', register);
      await stageOf().tools.force(`update network_account set provider = 'sandbox' where id = $1`, [accountId]);
      await clears(
        [{ target: 'network_account', targetId: accountId, check: 'provider', tool: 'svc_admin_link_account' }],
        async () => stageOf().unconfigured.add('sandbox'),
        async (found) => {
          expect(found.detail).to.match(/provider sandbox.* not configured/);
          await stageOf().boss.call(tool(found), register);
        },
      );
      stageOf().unconfigured.clear();
      await stageOf().boss.call('svc_admin_link_account', {
        action: 'unlink',
        accountKind: 'network',
        workspaceId: 'acme',
        accountId,
      });
    });

    it('rehearsal: a real account is unlinked by the named tool, and one of the sandbox takes its place', async () => {
      const { accountId: real } = await stageOf().boss.call<{ accountId: string }>('svc_admin_link_account', {
        action: 'register',
        accountKind: 'network',
        workspaceId: 'acme',
        externalId: 'real',
      });
      const diagnosed = { target: 'network_account', targetId: real };
      expect((await failed(diagnosed)).has('rehearsal')).to.equal(false);
      await stageOf().tools.force(`update network_account set provider = 'unipile' where id = $1`, [real]);
      await stageOf().tools.mcp.platform(markRehearsal);
      // Of the next one the real network knows nothing.
      stageOf().network.status = 'disconnected';
      const found = (await failed(diagnosed)).get('rehearsal');
      expect(found?.nextTool).to.equal('svc_admin_link_account');
      const other = { accountKind: 'network', workspaceId: 'acme' };
      await stageOf().boss.call(found?.nextTool ?? '', { ...other, action: 'unlink', accountId: real });
      const { accountId } = await stageOf().boss.call<{ accountId: string }>(found?.nextTool ?? '', {
        ...other,
        action: 'register',
        externalId: 'rehearsed',
      });
      stageOf().network.status = 'ok';
      expect((await failed({ target: 'network_account', targetId: accountId })).has('rehearsal')).to.equal(false);
      await stageOf().boss.call('svc_admin_link_account', { ...other, action: 'unlink', accountId });
    });
  });

  describe('an integration', () => {
    let status = 200;
    const hook = createServer((request, response) =>
      request.resume().on('end', () => response.writeHead(status).end()),
    );
    let url = '';
    before(async () => {
      await once(hook.listen(0, '127.0.0.1'), 'listening');
      url = `http://127.0.0.1:${(hook.address() as AddressInfo).port}/hook`;
    });
    after(() => hook.close());

    it('used, credentials and deliveries: a workflow takes it, and connecting again tries it', async () => {
      const connect = { provider: 'webhook', url };
      const { integrationId } = await stageOf().acme.call<{ integrationId: string }>(
        'svc_connect_integration',
        connect,
      );
      const of = { target: 'integration', targetId: integrationId };
      const unused = (await failed(of)).get('used');
      expect(unused?.nextTool).to.equal('svc_update_workflow');
      const workflowId = await stageOf().flow(WAIT);
      const nodes = [{ nodeType: 'source:manual' }, { nodeType: 'webhook:call', config: { integrationId } }];
      const graph = { nodes, edges: [{ sourceIndex: 0, targetIndex: 1 }] };
      await acme(unused?.nextTool ?? '', { workflowId, graph });
      expect((await failed(of)).has('used')).to.equal(false);

      for (const [check, answer, detail] of [
        ['credentials', 401, /webhook refuses the credentials \(.*401/],
        // Of two leads: whoever was refused first is tried again.
        ['deliveries', 410, /The last 2 deliveries failed \(.*410/],
      ] as const) {
        await clears(
          [{ ...of, check, tool: 'svc_connect_integration' }],
          async () => {
            status = answer;
            await stageOf().enrol(workflowId, `Hook${answer}`);
          },
          (found) => {
            expect(found.detail).to.match(detail);
            status = 200;
            return acme(tool(found), { ...connect, integrationId });
          },
        );
      }
    });
  });
}
