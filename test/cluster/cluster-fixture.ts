import { LONGEST_FILE_SECONDS, secondsLeft } from '../tools/deadline.ts';
import { type Cluster, openCluster } from './cluster.ts';
import { loadImages } from './images.ts';
import { describeFailure, install, type Release } from './release.ts';

/** One cluster and one installation for the whole run; each test file makes a workspace of its own in it. */
export interface Fixture {
  cluster: Cluster;
  release: Release;
}

let opened: Promise<Fixture> | undefined;

/**
 * The stage of this run, made at the first call. A cold build of the cluster's binaries takes minutes.
 * @param hook of a test file: where the time of the run (`MINUTES`) does not suffice for it any more, its tests are skipped
 * @throws Error in CI instead, where nobody reads what was skipped
 */
export function fixture(hook?: Mocha.Context): Promise<Fixture> {
  if (hook && secondsLeft() < LONGEST_FILE_SECONDS) {
    const why = 'not run: the minutes of this run are nearly over';
    if (process.env['CI'] === 'true') throw new Error(why);
    console.log(`    ${why}`);
    hook.skip();
  }
  opened ??= open().catch((error: Error) => {
    console.log(`  the cluster or the installation failed, once more from nothing: ${error.message}`);
    return open();
  });
  return opened;
}

async function open(): Promise<Fixture> {
  const cluster = await openCluster();
  try {
    const version = (await cluster.kubectl(['version'])).trim().split('\n').at(-1);
    console.log(`  cluster: ${cluster.how}; ${version}`);
    await loadImages(cluster);
    return { cluster, release: await install(cluster) };
  } catch (error) {
    await cluster.stop();
    throw error;
  }
}

/** Mocha hooks of the cluster suite. */
export const mochaHooks = {
  async afterEach(this: Mocha.Context): Promise<void> {
    if (this.currentTest?.state !== 'failed' || !opened) return;
    const found = await opened.catch(() => undefined);
    if (found) console.log(await describeFailure(found.release));
  },
  async afterAll(this: Mocha.Context): Promise<void> {
    this.timeout(180_000);
    const found = await opened?.catch(() => undefined);
    await found?.release.close();
    await found?.cluster.stop();
  },
};
