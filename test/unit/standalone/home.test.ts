import { chmod, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { openHome } from '../../../pkg/standalone/home.ts';

async function refusal(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => '',
    (error: Error) => error.message,
  );
}

describe('data folder of standalone', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'outrider-home-'));
  });

  afterEach(async () => {
    await chmod(folder, 0o755);
    await rm(folder, { recursive: true, force: true });
  });

  it('a second start on the same folder is refused with a sentence that says what to do', async () => {
    const first = await openHome(folder);
    expect(await refusal(openHome(folder))).to.match(/already runs on .* Stop it with Ctrl-C/);
    await first.release();
    await (await openHome(folder)).release();
  });

  it('a lock that a killed start left behind is taken over', async () => {
    await writeFile(join(folder, 'lock'), '999999999 1');
    await (await openHome(folder)).release();
  });

  it('of starts at the same moment one goes on, with a lock that is left and without', async () => {
    for (const left of [undefined, '999999999 1']) {
      if (left !== undefined) await writeFile(join(folder, 'lock'), left);
      const starts = await Promise.allSettled(Array.from({ length: 5 }, () => openHome(folder)));
      const going = starts.flatMap((start) => (start.status === 'fulfilled' ? [start.value] : []));
      expect(going).to.have.length(1);
      for (const start of starts) if (start.status === 'rejected') expect(start.reason.name).to.equal('UserError');
      for (const home of going) await home.release();
    }
    expect((await readdir(folder)).filter((name) => name.startsWith('lock'))).to.deep.equal([]);
  });

  it('a folder of a newer version is refused and left alone', async () => {
    await writeFile(join(folder, 'version'), '99');
    expect(await refusal(openHome(folder))).to.contain('newer version (99)');
  });

  it('a path that can not be a folder is refused naming OUTRIDER_HOME', async () => {
    await writeFile(join(folder, 'file'), '');
    expect(await refusal(openHome(join(folder, 'file')))).to.contain('OUTRIDER_HOME');
  });

  it('secrets survive restarts and are readable by their owner only', async () => {
    const first = await openHome(folder);
    await first.release();
    const second = await openHome(folder);
    await second.release();
    expect(second.secrets).to.deep.equal(first.secrets);
    expect(second.fresh).to.equal(false);
    expect((await stat(join(folder, 'secrets.json'))).mode & 0o777).to.equal(0o600);
  });
});
