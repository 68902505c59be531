import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { access, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { ownFolder, sweepAbandoned } from '../../tools/abandoned.ts';

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

describe('servers of tests that were killed', () => {
  it('end, and their folders go; those of a running process stay', async () => {
    const { pid: dead } = spawnSync('true');
    const server = spawn('sleep', ['600']);
    const [mine, theirs] = [await ownFolder(), await mkdtemp(join(tmpdir(), `outrider-test-${dead}-`))];
    await mkdir(join(theirs, 'postgres'));
    await writeFile(join(theirs, 'postgres', 'postmaster.pid'), `${server.pid}\n/somewhere\n`);
    const ended = once(server, 'exit');
    await sweepAbandoned();
    expect(await ended).to.deep.equal([null, 'SIGQUIT']);
    expect(await exists(theirs)).to.equal(false);
    expect(await exists(mine)).to.equal(true);
    await rm(mine, { recursive: true });
  });
});
