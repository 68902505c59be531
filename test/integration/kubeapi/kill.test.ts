import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect } from 'chai';
import pg from 'pg';
import { TestApi } from '../../fixtures/kubeapi/harness.ts';
import { onlyEmbedded } from '../../fixtures/kubeapi/server.ts';
import { testPostgres } from '../../tools/postgres.ts';

/** Creates ConfigMaps as fast as it can and prints each name once its write was answered. */
const WRITER = new URL('../../fixtures/kubeapi/kill-writer.ts', import.meta.url).pathname;

function firstLines(child: ChildProcess, count: number): Promise<string[]> {
  const lines: string[] = [];
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`writer ended early (${code})`)));
    if (!child.stdout) return reject(new Error('no output'));
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (lines.push(line) === count) resolve(lines);
    });
  });
}

describe('Kubernetes API: SIGKILL', () => {
  it('every answered write is there after the server was killed, and versions go on rising', async function () {
    onlyEmbedded(this, 'this is about its objects in Postgres');
    const url = await (await testPostgres()).database('kube_killed');
    const folder = await mkdtemp(join(tmpdir(), 'kube-killed-'));
    const env = { ...process.env, TMPDIR: folder };
    const child = spawn(process.execPath, [WRITER, url], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    const answered = await firstLines(child, 40);
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await ended;
    await rm(folder, { recursive: true, force: true });
    const pool = new pg.Pool({ connectionString: url, max: 1 });
    const last = await pool.query<{ version: string }>('select max(version) as version from kube_object');
    await pool.end();
    const api = await TestApi.start(url);
    try {
      const list = await api.call('GET', '/api/v1/namespaces/default/configmaps');
      expect(list.body.items.map((item) => item.metadata.name)).to.include.members(answered);
      expect(Number(list.body.metadata.resourceVersion)).to.be.greaterThan(Number(last.rows[0]?.version));
    } finally {
      await api.stop();
    }
  });
});
