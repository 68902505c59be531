import { fork } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { sleepReal } from '../../../pkg/base/clock.ts';
import { Database } from '../../../pkg/postgres/database.ts';
import { executorBuild } from '../../chaos/executor-build.ts';
import type { TestDatabase } from '../../tools/postgres.ts';
import { POD_ENV, POD_FLAGS } from './pod-flags.ts';

/** Resident MB of `cmd/executor` as the image carries it, which holds its claim and has nothing to do. */
export async function idleRss(urls: TestDatabase, workspaceId: string): Promise<number> {
  const { entry } = await executorBuild();
  const app = new Database({ url: urls.appUrl, max: 1, applicationName: 'bench' });
  const env = { NODE_ENV: 'production', ...POD_ENV, DATABASE_URL: urls.executorUrl, OUTRIDER_WORKSPACE: workspaceId };
  const child = fork(entry, [], { env, execArgv: POD_FLAGS, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const claim = async (request: { id?: unknown; type?: string }): Promise<void> => {
    const grant = await app.tx({ kind: 'platform' }, (tx) =>
      tx.row<{ token: string; epoch: number }>(`select token, epoch from app.take_claim('workspace', $1, 'idle')`, [
        workspaceId,
      ]),
    );
    child.send({ ...request, type: 'claimed', ...grant });
  };
  // A claim that fails ends the bench.
  child.on('message', (request: { id?: unknown; type?: string }) => void claim(request));
  try {
    await sleepReal(15_000);
    const status = await readFile(`/proc/${child.pid}/status`, 'utf8');
    return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? Number.NaN) / 1_024;
  } finally {
    child.kill('SIGKILL');
    await app.close();
  }
}
