import { chmod, mkdtemp, readdir, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { RunningHome, until } from '../fixtures/standalone/running-home.ts';
import { shownAt } from '../fixtures/standalone/shown-at.ts';
import { startSmallCampaign } from '../fixtures/standalone/small-campaign.ts';

interface Child {
  command: string;
  uids: string[];
  groups: string;
}

const isExecutor = (child: Child): boolean => child.command.includes('cmd/executor/main.ts');
const hasNoRight = (child: Child): boolean => !child.uids.includes('0') && !child.groups.split(' ').includes('0');

/** Processes whose parent is `parent`, with command line and user. */
async function childrenOf(parent: number): Promise<Child[]> {
  const found = [];
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
    if (!status.includes(`\nPPid:\t${parent}\n`)) continue;
    const command = (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).replaceAll('\0', ' ');
    const field = (name: string): string => new RegExp(`^${name}:\\t(.*)$`, 'm').exec(status)?.[1] ?? '';
    found.push({ command, uids: field('Uid').split('\t'), groups: field('Groups').trim() });
  }
  return found;
}

describe('make run as root in a folder that only root may enter', function () {
  this.timeout(120_000);
  let locked: string;
  let home: RunningHome;

  before(async function () {
    if (process.getuid?.() !== 0) return this.skip();
    locked = await mkdtemp(join(await realpath(tmpdir()), 'outrider-locked-'));
    await chmod(locked, 0o700);
    home = await RunningHome.make(shownAt(join(locked, 'clone')));
    await chmod(join(home.folder, '..'), 0o700);
    await home.start();
  });

  after(async () => {
    await home?.stop();
    // Postgres keeps its data where it may go.
    const data = home ? await readFile(join(home.folder, 'postgres.location'), 'utf8').catch(() => '') : '';
    for (const path of data ? [data, `${data}.password`] : []) await rm(path, { recursive: true, force: true });
    await home?.remove();
    if (locked) await rm(locked, { recursive: true, force: true });
  });

  it('executors do their work, and neither they nor Postgres keep any right of root', async () => {
    const { sandboxUrl } = await home.connection();
    const client = await home.client();
    await startSmallCampaign(client, 'locked');
    await home.cli('clock', '--skip-idle');
    await until('a profile is viewed', async () => {
      const received = (await (await fetch(`${sandboxUrl}/_sandbox/received`)).json()) as { target: string }[];
      return received.some((one) => one.target.includes('-locked'));
    });
    await client.close();
    const executors = (await childrenOf(home.pid)).filter(isExecutor);
    expect(executors).to.not.have.length(0);
    expect(executors[0]?.command).to.contain(locked);
    // Another may be starting: what it runs lies where only root may read, so it reads that first.
    await until('every executor has given up the rights that it starts with', async () => {
      const now = (await childrenOf(home.pid)).filter(isExecutor);
      return now.length > 0 && now.every(hasNoRight);
    });
    const servers = (await childrenOf(home.pid)).filter((one) => one.command.includes('bin/postgres'));
    expect(servers).to.not.have.length(0);
    expect(servers.filter((one) => !hasNoRight(one))).to.deep.equal([]);
  });
});
