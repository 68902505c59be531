import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { copyFile, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleEntry } from '../../cmd/image/bundle.ts';

const ROOT = new URL('../../', import.meta.url).pathname;

/** The executor as the image carries it, and its compiled code beside it, so that a restart costs little. */
export interface ExecutorBuild {
  entry: string;
  /** Settings with which it finds its compiled code. */
  env: Record<string, string>;
}

let made: Promise<ExecutorBuild> | undefined;

/** Builds the executor once for all tests of this process; the files go when the process ends. */
export function executorBuild(): Promise<ExecutorBuild> {
  made ??= build();
  return made;
}

async function build(): Promise<ExecutorBuild> {
  const folder = await mkdtemp(join(tmpdir(), 'outrider-chaos-build-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const entry = await bundleEntry(ROOT, folder, 'executor');
  await copyFile(join(ROOT, 'package.json'), join(folder, 'package.json'));
  const env = { NODE_COMPILE_CACHE: join(folder, 'compiled') };
  // Killed processes leave no compiled code behind; this one ends by itself, as it lacks its settings.
  await new Promise<void>((resolve) => execFile(process.execPath, [entry], { env }, () => resolve()));
  return { entry, env };
}
