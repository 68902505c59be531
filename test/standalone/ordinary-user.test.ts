import { chown, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { RunningHome, until } from '../fixtures/standalone/running-home.ts';
import { shownAt } from '../fixtures/standalone/shown-at.ts';
import { startSmallCampaign } from '../fixtures/standalone/small-campaign.ts';

const UID = 20_817;

/** The real, effective and saved user of a process; undefined when it ended. */
async function usersOf(pid: string): Promise<string[] | undefined> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return /^Uid:\t(.*)$/m.exec(status)?.[1]?.split('\t');
}

// Where the tests run as an ordinary user all other suites of this folder are this test.
describe('make run as an ordinary user', function () {
  this.timeout(120_000);
  let clone: string;
  let home: RunningHome;

  before(async function () {
    if (process.getuid?.() !== 0) return this.skip();
    clone = await mkdtemp(join(tmpdir(), 'outrider-clone-'));
    await chown(clone, UID, UID);
    const passwd = join(clone, 'passwd');
    await writeFile(passwd, `root:x:0:0::/root:/bin/sh\nordinary:x:${UID}:${UID}::${clone}:/bin/sh\n`);
    home = await RunningHome.make(shownAt(clone, { uid: UID, passwd }));
    await chown(join(home.folder, '..'), UID, UID);
    await home.start();
  });

  after(async () => {
    await home?.remove();
    if (clone) await rm(clone, { recursive: true, force: true });
  });

  it('everything runs, and works, as that user', async () => {
    const { sandboxUrl } = await home.connection();
    const client = await home.client();
    await startSmallCampaign(client, 'ordinary');
    await home.cli('clock', '--skip-idle');
    await until('a profile is viewed', async () => {
      const received = (await (await fetch(`${sandboxUrl}/_sandbox/received`)).json()) as { target: string }[];
      return received.some((one) => one.target.includes('-ordinary'));
    });
    await client.close();
    const processes = await home.processes();
    for (const part of ['bin/postgres', 'cmd/operator', 'cmd/mcp-server', 'cmd/sandbox', 'cmd/executor'])
      expect(processes.join('\n')).to.contain(part);
    for (const line of processes) {
      const users = await usersOf(line.split(' ')[0] ?? '');
      if (users) expect(new Set(users), line).to.deep.equal(new Set([String(UID)]));
    }
  });

  it('its files are its own, and it leaves no process', async () => {
    for (const name of ['connection.json', 'secrets.json', 'kubeconfig']) {
      const { uid, mode } = await stat(join(home.folder, name));
      expect([uid, mode & 0o777], name).to.deep.equal([UID, 0o600]);
    }
    expect(await home.stop()).to.equal(0);
    expect(await home.processes()).to.deep.equal([]);
    expect(await readdir(home.folder)).to.not.include('lock');
  });
});
