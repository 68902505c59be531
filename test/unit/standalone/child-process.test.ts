import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { createLogger } from '../../../pkg/base/log.ts';
import { Component } from '../../../pkg/standalone/child-process.ts';

describe('a component of standalone', function () {
  this.timeout(30_000);
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'outrider-component-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const make = async (program: string, startTimeoutMs?: number): Promise<Component> => {
    const entry = join(folder, 'main.mjs');
    await writeFile(entry, program);
    return new Component({
      name: 'part',
      entry,
      env: { PATH: process.env['PATH'] ?? '', FOLDER: folder },
      logFile: join(folder, 'part.log'),
      log: createLogger('test', 'silent'),
      ...(startTimeoutMs === undefined ? {} : { startTimeoutMs }),
    });
  };
  const lives = (pid: number | undefined): boolean => {
    try {
      return pid !== undefined && process.kill(pid, 0);
    } catch {
      return false;
    }
  };

  it('is stopped when it does not become ready in time: it would keep the port from the one that is started next', async () => {
    // It does not notice that its parent closes its pipes, as one that hangs.
    const part = await make('setInterval(() => undefined, 1_000);', 1_500);
    const failure = await part.start().then(
      () => null,
      (error: Error) => error.message,
    );
    expect(failure).to.match(/^part did not become ready in time/);
    expect(lives(part.pid), 'it is gone').to.equal(false);
    await part.stop();
  });
});
