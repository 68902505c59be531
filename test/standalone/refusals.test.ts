import { type ChildProcess, execFile } from 'node:child_process';
import { mkdir, open, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { RunningHome } from '../fixtures/standalone/running-home.ts';

const run = promisify(execFile);

function exitOf(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve) => child.once('exit', (code) => resolve(code)));
}

/** Starts the program and expects that it ends by itself. @returns what it printed */
async function refused(home: RunningHome, env: Record<string, string> = {}): Promise<string> {
  const { child, output } = home.spawn({ PORT: String(home.port), ...env });
  expect(await exitOf(child), output()).to.equal(1);
  expect(await home.processes()).to.deep.equal([]);
  expect(output(), 'a sentence, not a stack').to.not.match(/^\s+at /m);
  return output();
}

/** Writes until the disk takes no more byte. @returns the file that fills it */
async function fill(folder: string): Promise<string> {
  const file = join(folder, 'filler');
  const handle = await open(file, 'w');
  try {
    for (let size = 1024 ** 2; size >= 1; size = Math.floor(size / 2)) {
      while (
        await handle.write(Buffer.alloc(size)).then(
          ({ bytesWritten }) => bytesWritten === size,
          () => false,
        )
      );
    }
  } finally {
    await handle.close();
  }
  return file;
}

describe('a start that is refused says what to do, exits with 1 and changes nothing', function () {
  this.timeout(90_000);
  let home: RunningHome;

  beforeEach(async () => {
    home = await RunningHome.make();
  });

  afterEach(() => home.remove());

  for (const PORT of ['http', '65536']) {
    it(`wrong PORT ${PORT}`, async () => {
      expect(await refused(home, { PORT })).to.match(/Outrider did not start: .*PORT: .*(must|expected|number)/i);
      expect(await readdir(join(home.folder, '..'))).to.deep.equal([]);
    });
  }

  it('a data folder of a newer version', async () => {
    await mkdir(home.folder);
    await writeFile(join(home.folder, 'version'), '99');
    expect(await refused(home)).to.match(/newer version \(99\).*Run the newer Outrider/);
    expect(await readdir(home.folder)).to.deep.equal(['version']);
    expect(await readFile(join(home.folder, 'version'), 'utf8')).to.equal('99');
  });

  it('a path that is a file', async () => {
    await writeFile(home.folder, 'mine');
    expect(await refused(home)).to.match(/can't be written .*Set OUTRIDER_HOME to a folder of yours/);
    expect(await readFile(home.folder, 'utf8')).to.equal('mine');
  });

  describe('on a disk of its own (needs root)', () => {
    const mount = async (options: string): Promise<void> => {
      await mkdir(home.folder);
      await run('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', home.folder]);
    };

    before(function () {
      if (process.getuid?.() !== 0) this.skip();
    });

    // After the outer hook has stopped the program this must go before the folder is removed, hence its own order.
    afterEach(async () => {
      await home.stop();
      await run('umount', ['-l', home.folder]).catch(() => undefined);
    });

    it('an unwritable folder', async () => {
      await mount('ro');
      expect(await refused(home)).to.match(/can't be written \(EROFS\).*make run OUTRIDER_HOME=/);
    });

    it('a full disk at the start', async () => {
      await mount('size=4m');
      expect(await refused(home)).to.match(/The disk of .* is full\. Nothing is lost: free some space/);
      expect(await readdir(home.folder)).to.deep.equal([]);
      await fill(home.folder);
      expect(await refused(home)).to.match(/The disk of .* is full/);
    });

    it('a disk that runs full: it stops in order, and with space it goes on with everything', async () => {
      await mount('size=400m');
      const { userKey } = await home.start();
      const { campaignId } = await (await home.client()).inWorkspace<{ campaignId: string }>('svc_create_campaign', {
        title: 'Before the disk was full',
      });
      const { child, output } = home.running();
      const ended = exitOf(child);
      const filler = await fill(home.folder);
      expect(await ended, output()).to.equal(1);
      expect(output()).to.match(/Outrider stops: The disk of .* is full\. Nothing is lost: free some space/);
      expect(await home.processes()).to.deep.equal([]);
      expect(await refused(home)).to.match(/The disk of .* is full/);
      await rm(filler);
      expect((await home.start()).userKey).to.equal(userKey);
      const again = await home.client();
      expect(JSON.stringify(await again.call('svc_get_campaign', { campaignId }))).to.contain(
        'Before the disk was full',
      );
      await again.close();
    });
  });
});
