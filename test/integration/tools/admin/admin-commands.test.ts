import { execFile } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { systemIds } from '../../../../pkg/base/ids.ts';
import { keepSystemHealth } from '../../../../pkg/store/figures/system-health.ts';
import { type McpTools, startMcpTools } from '../../../tools/mcp-tools.ts';

const CLI = new URL('../../../../cmd/outrider/main.ts', import.meta.url).pathname;

interface Ran {
  code: number;
  out: string;
}

describe('outrider admin: the admin tools for somebody who has a shell and no MCP client', function () {
  this.timeout(120_000);
  let tools: McpTools;
  let env: NodeJS.ProcessEnv;

  before(async () => {
    tools = await startMcpTools();
    const userId = await tools.mcp.user({ admin: true });
    const { plaintext } = await tools.mcp.key({ userId });
    env = {
      ...process.env,
      OUTRIDER_URL: tools.mcp.url,
      OUTRIDER_KEY: plaintext,
      OWNER_DATABASE_URL: tools.cluster.ownerUrl,
    };
  });
  after(() => tools.stop());

  const run = (...args: string[]): Promise<Ran> =>
    new Promise((resolve) => {
      execFile(process.execPath, [CLI, 'admin', ...args], { env, timeout: 60_000 }, (error, stdout, stderr) =>
        resolve({ code: error ? Number(error.code) : 0, out: `${stdout}${stderr}` }),
      );
    });
  const json = async (...args: string[]): Promise<Record<string, unknown>> => {
    const { code, out } = await run(...args);
    expect(code, out).to.equal(0);
    return JSON.parse(out) as Record<string, unknown>;
  };

  it('reads what the tools read', async () => {
    expect(JSON.stringify(await json('workspaces', 'acme'))).to.contain('owner@acme.example');
    expect(await json('workspace', 'acme')).to.have.property('queues');
    expect(JSON.stringify(await json('users', '--workspace', 'rival'))).to.contain('owner@rival.example');
    expect(await json('audit', '--tool', 'svc_admin_list_users')).to.include({ chainValid: true });
    expect(await json('dead-letters')).to.deep.include({ deadLetters: [] });
  });

  it('health works on the database alone: each component with its runbook, and an exit code', async () => {
    const down = await run('health');
    expect(down.code, down.out).to.equal(2);
    expect(down.out).to.match(
      /^DOWN operator since .*: no leader has been here yet\n {7}docs\/runbooks\/OperatorDown\.md$/m,
    );
    const now = { product: tools.cluster.clock.now(), real: tools.cluster.runtime.clock.now() };
    await tools.mcp.platform((tx) => keepSystemHealth(tx, now));
    const fine = await run('health');
    expect(fine.code, fine.out).to.equal(0);
    expect(fine.out).to.match(/^ok {3}executors: /m);
  });

  it('freezes and lets go, each with its reason', async () => {
    expect((await run('freeze', '--workspace', 'acme')).out).to.contain("required option '--reason <text>'");
    const frozen = await json('freeze', '--workspace', 'acme', '--reason', 'complaint');
    expect(JSON.stringify(frozen['freezes'])).to.contain('complaint');
    expect(await json('unfreeze', '--workspace', 'acme', '--reason', 'settled')).to.deep.include({ freezes: [] });
  });

  it('lists what an erasure finds, erases with --yes, and verifies the certificate', async () => {
    const acme = await tools.as({ workspace: 'acme' });
    await acme.call('svc_upsert_lead', { firstName: 'Lea', email: 'lea@pine.example' });
    const erase = ['erase', '--email', 'lea@pine.example', '--reason', 'request 3'];
    expect(await json(...erase)).to.include({ erased: false });
    const done = await json(...erase, '--yes');
    expect(done).to.include({ erased: true });
    const certificate = done['certificate'] as { signed: string };
    const file = join(tmpdir(), `certificate-${systemIds.uuid()}.json`);
    try {
      await writeFile(file, JSON.stringify(certificate));
      expect((await run('verify-certificate', file)).out).to.match(/^Genuine: \{"certificateId"/);
      await writeFile(file, JSON.stringify({ ...certificate, signed: `${certificate.signed} ` }));
      expect(await run('verify-certificate', file)).to.deep.include({ code: 2 });
    } finally {
      await rm(file);
    }
  });

  it('marks a workspace for deletion and takes it back', async () => {
    const args = ['delete-workspace', 'rival', '--name', 'rival', '--reason', 'contract'];
    expect(await json(...args, '--grace-days', '5')).to.include({ status: 'deleting' });
    expect(await json(...args, '--cancel')).to.include({ status: 'active', eraseAt: null });
  });
});
