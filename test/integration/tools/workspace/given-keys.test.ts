import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { eventually } from '../../../tools/kube.ts';
import { type McpTools, startMcpTools } from '../../../tools/mcp-tools.ts';

const OUTRIDER = new URL('../../../../cmd/outrider/main.ts', import.meta.url).pathname;

interface Given {
  key: string;
  revoked: number;
}

describe('a key for who can make none', function () {
  this.timeout(120_000);
  let tools: McpTools;
  before(async () => {
    tools = await startMcpTools();
  });
  after(() => tools.stop());

  const give = async (...words: string[]): Promise<Given> => {
    const env = { PATH: process.env['PATH'], OWNER_DATABASE_URL: tools.cluster.ownerUrl };
    const { stdout } = await promisify(execFile)(process.execPath, [OUTRIDER, 'members', 'key', ...words], { env });
    return JSON.parse(stdout) as Given;
  };

  it('the owner of a new workspace comes in by it, and who lost theirs gets another in its place', async () => {
    const first = await give('Owner@acme.example');
    const owner = tools.user(await tools.mcp.client(first.key));
    const who = await owner.call<{ workspaces: object[]; scopes: string[] }>('svc_whoami');
    expect(who.workspaces).to.deep.equal([{ workspaceId: 'acme', name: 'acme', role: 'owner' }]);
    expect(who.scopes.filter((scope) => scope.startsWith('admin:'))).to.deep.equal([]);
    await owner.call('svc_create_api_key', { workspaceId: 'acme', name: 'CI', scopes: ['leads:read'] });
    const second = await give('owner@acme.example', '--revoke-others');
    expect(second.revoked).to.equal(1);
    // The server hears of it from the database.
    await eventually('the lost key is refused', async () => (await tools.mcp.post(first.key, {})).status === 401);
    await tools.user(await tools.mcp.client(second.key)).call('svc_list_members', { workspaceId: 'acme' });
  });

  it('nobody gets one whom the platform does not know', async () => {
    const failure = await give('nobody@x.example').catch((error: { stderr: string }) => error.stderr);
    expect(failure).to.match(/^Nobody has the address nobody@x\.example\. Invite them/);
  });
});
