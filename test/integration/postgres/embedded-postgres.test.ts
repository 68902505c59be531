import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, chmod, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import pg from 'pg';
import { EmbeddedPostgres } from '../../../pkg/standalone/postgres/embedded-postgres.ts';
import { eventually } from '../../tools/kube.ts';

const PROGRAM = new URL('../../../pkg/standalone/postgres/embedded-postgres.ts', import.meta.url).href;

describe('the database of a home', function () {
  this.timeout(60_000);
  let home = '';
  const started: EmbeddedPostgres[] = [];
  const others: ChildProcess[] = [];
  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'outrider-embedded-'));
    // As root the server runs as another user.
    await chmod(home, 0o755);
  });
  afterEach(async () => {
    for (const server of started.splice(0)) await server.stop();
    for (const other of others.splice(0)) other.kill('SIGKILL');
    await rm(home, { recursive: true, force: true });
  });

  const start = async (): Promise<EmbeddedPostgres> => {
    const server = await EmbeddedPostgres.start({ folder: join(home, 'data') });
    started.push(server);
    return server;
  };
  const answer = async (server: EmbeddedPostgres): Promise<unknown> => {
    const client = new pg.Client({ connectionString: server.superuserUrl() });
    await client.connect();
    const { rows } = await client.query('select 1 as one');
    await client.end();
    return rows[0]?.one;
  };

  it('a lock whose process id is another program’s by now ends nobody', async () => {
    await (await start()).stop();
    const other = spawn(process.execPath, ['-e', 'process.stdin.resume()', 'postgres', '-D', '/var/lib/postgres'], {
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    others.push(other);
    await once(other, 'spawn');
    await writeFile(join(home, 'data', 'postmaster.pid'), `${other.pid}\n${join(home, 'data')}\n1\n`);
    expect(await answer(await start())).to.equal(1);
    expect([other.exitCode, other.signalCode]).to.deep.equal([null, null]);
  });

  it('a server that a killed run left on the folder is ended first', async () => {
    const left = await start();
    const ended = new Promise<void>((resolve) => left.onLost(() => resolve()));
    expect(await answer(await start())).to.equal(1);
    await ended;
  });

  it('a first start that is killed while it makes the database begins anew', async () => {
    const text = `const { EmbeddedPostgres } = await import('${PROGRAM}'); await EmbeddedPostgres.start({ folder: '${home}/data' });`;
    const killed = spawn(process.execPath, ['--input-type=module', '-e', text], { detached: true, stdio: 'ignore' });
    const ended = once(killed, 'exit');
    await eventually('initdb has begun', async () => {
      for (const name of await readdir(home)) {
        const there = await access(join(home, name, 'PG_VERSION')).then(
          () => true,
          () => false,
        );
        if (there) return true;
      }
      return false;
    });
    process.kill(-(killed.pid ?? 0), 'SIGKILL');
    await ended;
    expect(await answer(await start())).to.equal(1);
  });
});
