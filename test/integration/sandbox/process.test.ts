import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect } from 'chai';
import { UnipileAdapter } from '../../../pkg/providers/network/unipile-adapter.ts';
import { API_KEY } from '../../fixtures/sandbox/harness.ts';

const ENTRY = new URL('../../../cmd/sandbox/main.ts', import.meta.url).pathname;

describe('sandbox as a process', () => {
  let home: string;
  let child: ChildProcess | undefined;

  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'outrider-sandbox-'));
  });
  afterEach(async () => {
    child?.kill('SIGKILL');
    await rm(home, { recursive: true, force: true });
  });

  async function start(env: Record<string, string> = {}): Promise<string> {
    child = spawn(process.execPath, [ENTRY], {
      env: {
        PATH: process.env.PATH ?? '',
        LOG_LEVEL: 'silent',
        SANDBOX_HOME: home,
        SANDBOX_API_KEY: API_KEY,
        ...env,
      },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    if (!child.stdout) throw new Error('no stdout');
    const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
    return (JSON.parse(line) as { url: string }).url;
  }

  it('keeps what was acknowledged when it is killed', async () => {
    const account = { externalId: 'acc-1' };
    const adapter = new UnipileAdapter({ url: await start(), apiKey: API_KEY, timeoutMs: 5_000, settleAfterMs: 0 });
    const ada = await adapter.lookupProfile(account, { publicId: 'ada-l' });
    await adapter.perform(account, { kind: 'profile_view', ...ada });
    child?.kill('SIGKILL');
    await once(child as ChildProcess, 'exit');
    const received = (await (await fetch(`${await start()}/_sandbox/received`)).json()) as { kind: string }[];
    expect(received.map((entry) => entry.kind)).to.deep.equal(['profile_view']);
    await adapter.close();
  });

  it('stops cleanly on SIGTERM', async () => {
    await start();
    child?.kill('SIGTERM');
    expect(await once(child as ChildProcess, 'exit')).to.deep.equal([0, null]);
  });

  it('ends when its parent ends', async () => {
    await start({ OUTRIDER_PARENT_PIPE: '1' });
    child?.stdin?.end();
    expect(await once(child as ChildProcess, 'exit')).to.deep.equal([0, null]);
  });

  it('names the settings that are wrong', async () => {
    child = spawn(process.execPath, [ENTRY], {
      env: { PATH: process.env.PATH ?? '' },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    let text = '';
    child.stdout?.on('data', (chunk: Buffer) => (text += chunk.toString()));
    expect(await once(child, 'close')).to.deep.equal([1, null]);
    expect(text).to.match(/SANDBOX_HOME.*SANDBOX_API_KEY/);
  });
});
