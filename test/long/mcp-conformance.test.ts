import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { startMcp } from '../fixtures/mcp/harness.ts';
import { type KeyProxy, startKeyProxy } from '../tools/key-proxy.ts';
import { startTestCluster, type TestCluster } from '../tools/kube.ts';
import { type McpProcess, startMcpProcess } from '../tools/mcp-process.ts';

const run = promisify(execFile);
const SUITE = new URL('../../node_modules/.bin/conformance', import.meta.url).pathname;

/** Checks of `server-stateless` that need tools of the suite's example server. */
const NEEDS_EXAMPLE_TOOLS = [
  'sep-2575-http-server-no-independent-requests-on-stream',
  'sep-2575-missing-capability-http-400',
  'sep-2575-server-no-log-without-loglevel',
  'sep-2575-server-rejects-undeclared-capability',
];

describe('official conformance suite', function () {
  this.timeout(300_000);
  let cluster: TestCluster;
  let server: McpProcess;
  let proxy: KeyProxy;
  let folder: string;

  before(async () => {
    cluster = await startTestCluster();
    const inside = await startMcp({ db: cluster.db });
    await inside.workspace('acme');
    const { plaintext } = await inside.key({ userId: await inside.user({ member: 'acme', role: 'owner' }) });
    await inside.stop();
    server = startMcpProcess(cluster, {
      MCP_RATE_LIMIT_READ_PER_MIN: '10000',
      MCP_RATE_LIMIT_OVERALL_PER_MIN: '10000',
    });
    proxy = await startKeyProxy((await server.ready).mcpUrl, plaintext);
    folder = await mkdtemp(join(tmpdir(), 'outrider-conformance-'));
  });
  after(async () => {
    proxy?.close();
    server?.child.kill('SIGKILL');
    await cluster?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  /** Runs what a revision requires; fails when more or less fails than is written down. */
  const conforms = async (revision: string): Promise<void> => {
    const baseline = new URL(`conformance/${revision}.yaml`, import.meta.url).pathname;
    const words = ['--url', proxy.url, '--requirements', revision, '--expected-failures', baseline, '-o', folder];
    try {
      await run(process.execPath, [SUITE, 'server', ...words], { timeout: 240_000 });
    } catch (error) {
      const { stdout } = error as { stdout: string };
      throw new Error(stdout.slice(stdout.indexOf('=== SUMMARY ===')));
    }
  };

  it('2025-11-25: everything passes that needs no tool of the suite itself', () => conforms('2025-11-25'));

  it('2026-07-28: everything passes that needs no tool of the suite itself', async () => {
    await conforms('2026-07-28');
    const names = await readdir(folder);
    const stateless = names.find((name) => name.startsWith('server-server-stateless'));
    const checks: { id: string; status: string }[] = JSON.parse(
      await readFile(join(folder, stateless ?? '', 'checks.json'), 'utf8'),
    );
    const failed = checks.filter((check) => check.status === 'FAILURE').map((check) => check.id);
    expect([...new Set(failed)].sort()).to.deep.equal(NEEDS_EXAMPLE_TOOLS);
  });
});
