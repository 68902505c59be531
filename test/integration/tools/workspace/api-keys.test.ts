import { expect } from 'chai';
import { TENANT_SCOPES } from '../../../../pkg/domain/scopes.ts';
import { ACME, AcmePeople } from '../../../tools/acme-people.ts';
import { type McpTools, startMcpTools, type ToolUser } from '../../../tools/mcp-tools.ts';

const NOBODY = '018f0000-0000-7000-8000-0000000000ff';

describe('tools: API keys, by an MCP client', () => {
  let tools: McpTools;
  let people: AcmePeople;
  let key: ToolUser;
  let owner: ToolUser;
  let rival: ToolUser;

  before(async function () {
    this.timeout(60_000);
    tools = await startMcpTools();
    people = await AcmePeople.of(tools);
    ({ key, owner, rival } = people);
  });
  after(() => tools.stop());

  describe('svc_create_api_key', () => {
    it('the owner makes a workspace key that works at once, shown once and stored as a hash', async () => {
      const made = await owner.call<{ key: string; keyPrefix: string; scopes: string[] }>('svc_create_api_key', {
        ...ACME,
        name: 'CI',
        scopes: ['campaigns:read', 'campaigns:read'],
      });
      expect(made.key).to.match(/^cs_[0-9a-f]{32}$/);
      expect(made.scopes).to.deep.equal(['campaigns:read']);
      const user = tools.user(await tools.mcp.client(made.key));
      await user.call('svc_list_campaigns');
      expect(await user.refusal('svc_list_members')).to.equal(
        'Scope workspace:read is required to call svc_list_members. Call svc_whoami to see the scopes of this key.',
      );
      const rows = await tools.rows<{ all: string }>(
        `select row_to_json(k)::text as all from api_key k where name = 'CI'`,
      );
      expect(rows[0]?.all).to.not.include(made.key);
    });

    it('refuses who is not owner, and a workspace key', async () => {
      const plain = await tools.as({ memberOf: ['acme'] });
      for (const user of [plain, key]) {
        expect(await user.refusal('svc_create_api_key', { ...ACME, name: 'x', scopes: ['leads:read'] })).to.match(
          /^Only the workspace owner, with a user key, can create workspace keys\. Call svc_list_members/,
        );
      }
    });

    it('refuses scopes that are unknown, the star, not held, or of the platform', async () => {
      for (const [scope, why] of [
        ['leads:fly', 'it is unknown'],
        ['*', 'keys always carry an explicit list'],
        ['admin:read', "a workspace key never holds the platform's scopes"],
      ]) {
        expect(await owner.refusal('svc_create_api_key', { ...ACME, name: 'x', scopes: [scope] })).to.equal(
          `Scope "${scope}" can't be given to a key: ${why}. This key gives ${TENANT_SCOPES.join(', ')}. Call svc_whoami to see the scopes of this key.`,
        );
      }
      expect(
        await owner.refusal('svc_create_api_key', { ...ACME, name: 'x', keyType: 'user', scopes: ['admin:read'] }),
      ).to.match(/^Scope "admin:read" can't be given to a key: only platform admins can give it\. This key gives work/);
      const narrow = await tools.as({ memberOf: ['acme'], scopes: ['workspace:write'] });
      expect(
        await narrow.refusal('svc_create_api_key', { ...ACME, name: 'x', keyType: 'user', scopes: ['leads:read'] }),
      ).to.match(/this key does not hold it\. This key gives workspace:write\. Call svc_whoami/);
    });

    it('tells of each scope that it refuses why, and no platform admin gives one of the platform to a workspace', async () => {
      await tools.rows(`update app_user set platform_admin = true where email = 'owner@acme.example'`);
      const input = { ...ACME, name: 'x', scopes: ['leads:fly', 'leads:read', 'admin:write'] };
      expect(await owner.refusal('svc_create_api_key', input)).to.match(
        /^Scope "leads:fly" can't be given to a key: it is unknown\. Scope "admin:write" can't be given to a key: a workspace key never/,
      );
      await tools.rows(`update app_user set platform_admin = false where email = 'owner@acme.example'`);
      const made = await tools.mcp.key({ workspaceId: 'acme', scopes: ['admin:read', 'leads:read'] });
      const who = await tools.user(await tools.mcp.client(made.plaintext)).call<{ scopes: string[] }>('svc_whoami');
      expect(who.scopes, 'of a key from before').to.deep.equal(['leads:read']);
    });
  });

  describe('svc_list_api_keys', () => {
    it('lists keys by prefix and scopes, never a revoked one; user keys are the own ones', async () => {
      const made = await owner.call<{ apiKeyId: string; keyPrefix: string }>('svc_create_api_key', {
        ...ACME,
        name: 'Listed',
        scopes: ['leads:read'],
      });
      const list = (): Promise<{ apiKeys: { apiKeyId: string; createdBy: string; keyPrefix: string }[] }> =>
        owner.call('svc_list_api_keys', { ...ACME, limit: 100 });
      const entry = (await list()).apiKeys.find((one) => one.apiKeyId === made.apiKeyId);
      expect(entry).to.deep.include({ keyPrefix: made.keyPrefix, createdBy: 'owner@acme.example' });
      await owner.call('svc_revoke_api_key', { apiKeyId: made.apiKeyId });
      expect((await list()).apiKeys.map((one) => one.apiKeyId)).to.not.include(made.apiKeyId);
      const own = await owner.call<{ apiKeys: { keyType: string }[] }>('svc_list_api_keys', {
        ...ACME,
        keyType: 'user',
      });
      expect(own.apiKeys.map((one) => one.keyType)).to.deep.equal(['user']);
    });
  });

  describe('svc_revoke_api_key', () => {
    it('any member revokes a workspace key; it stops at the next call', async () => {
      const made = await owner.call<{ apiKeyId: string; key: string }>('svc_create_api_key', {
        ...ACME,
        name: 'Short',
        scopes: ['campaigns:read'],
      });
      const user = tools.user(await tools.mcp.client(made.key));
      await user.call('svc_list_campaigns');
      const plain = await tools.as({ memberOf: ['acme'] });
      await plain.call('svc_revoke_api_key', { apiKeyId: made.apiKeyId });
      const failed = await user.call('svc_list_campaigns').then(
        () => 'answered',
        (error: unknown) => String(error),
      );
      expect(failed).to.match(/invalid or revoked/);
    });

    it('answers a missing and a foreign key alike', async () => {
      const made = await owner.call<{ apiKeyId: string }>('svc_create_api_key', {
        ...ACME,
        name: 'Ours',
        scopes: ['leads:read'],
      });
      for (const [user, id] of [
        [owner, NOBODY],
        [rival, made.apiKeyId],
      ] as const) {
        expect(await user.refusal('svc_revoke_api_key', { apiKeyId: id })).to.equal(
          `API key "${id}" was not found. Call svc_list_api_keys to find valid IDs.`,
        );
      }
    });
  });
});
