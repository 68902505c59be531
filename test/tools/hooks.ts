import { endShared } from './at-end.ts';
import { ledgersAddUp } from './ledger-watch.ts';
import { patience } from './patience.ts';
import { stopTestPostgres } from './postgres.ts';
import { stopSharedApiServer } from './real-api-server.ts';
import { useScratch } from './scratch.ts';

useScratch();

/** What of mocha's suites is used beyond its types: their hooks. */
interface Hooked {
  _beforeAll: Mocha.Hook[];
  _beforeEach: Mocha.Hook[];
  _afterAll: Mocha.Hook[];
  _afterEach: Mocha.Hook[];
}

/** Lengthens every time limit of a suite and of those below it. */
function stretch(suite: Mocha.Suite, factor: number): void {
  const { _beforeAll, _beforeEach, _afterAll, _afterEach } = suite as unknown as Hooked;
  const all = [...suite.tests, ..._beforeAll, ..._beforeEach, ..._afterAll, ..._afterEach];
  for (const one of all) one.timeout(one.timeout() * factor);
  for (const below of suite.suites) stretch(below, factor);
}

/** Root hooks of mocha: time limits follow `PATIENCE`; the credit ledger adds up after every test; shared servers of the process end with it. */
export const mochaHooks = {
  beforeAll(this: Mocha.Context): void {
    const root = this.test?.parent;
    if (root && patience() > 1) stretch(root, patience());
  },
  async afterEach(this: Mocha.Context): Promise<void> {
    await ledgersAddUp(this.currentTest?.file);
  },
  async afterAll(this: Mocha.Context): Promise<void> {
    this.timeout(120_000);
    await endShared();
    await stopSharedApiServer();
    await stopTestPostgres();
  },
};
