import { copyFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { debianProgram } from './debian-packages.ts';

/** A clock of one process and its children that tests set; theirs is the machine's until then. */
export interface FakeTime {
  /** What the process has to be started with. */
  env: Record<string, string>;
  /** Sets the clock so many seconds ahead of the machine's (negative: behind); it holds within a second. */
  set(seconds: number): Promise<void>;
}

/**
 * libfaketime, whose files lie in `folder`, where the user of the process reads them; undefined where there is none to be
 * had. The monotonic clock stays the machine's, as it does when a clock is set.
 */
export async function fakeTime(folder: string): Promise<FakeTime | undefined> {
  const library = await debianProgram('faketime');
  if (!library) return undefined;
  const copy = join(folder, 'libfaketime.so.1');
  const settings = join(folder, 'faketime');
  await copyFile(library.path, copy);
  const set = async (seconds: number): Promise<void> => {
    await writeFile(`${settings}.next`, `${seconds < 0 ? '' : '+'}${seconds}\n`);
    await rename(`${settings}.next`, settings);
  };
  await set(0);
  const env = {
    LD_PRELOAD: copy,
    FAKETIME_TIMESTAMP_FILE: settings,
    FAKETIME_CACHE_DURATION: '1',
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
    DONT_FAKE_MONOTONIC: '1',
  };
  return { env, set };
}
