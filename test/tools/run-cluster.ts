import { buildCluster } from '../cluster/cluster.ts';
import { endAfter, secondsLeft } from './deadline.ts';
import { runSuites } from './suite-runner.ts';

/**
 * `make test-cluster`: builds what a cluster needs, shows that one comes up, runs the suite. `WHERE_POSSIBLE=1` passes
 * over a machine that can not make one, after the sentence that says why; without it, and in CI, that is a failure.
 * `MINUTES` gives it so long: what it can not finish it does not begin.
 */
endAfter(Number(process.env['MINUTES'] || Number.POSITIVE_INFINITY));
const why = await buildCluster().then(
  () => undefined,
  (error: Error) => error.message,
);
if (why !== undefined) {
  console.log(`suite cluster: not run. ${why}`);
  process.exit(process.env['WHERE_POSSIBLE'] === '1' && process.env['CI'] !== 'true' ? 0 : 1);
}
await runSuites([
  [
    {
      name: 'cluster',
      glob: 'test/cluster/*.test.ts',
      seconds: 1_140,
      mocha: ['--timeout', '300000', '--require', 'test/cluster/cluster-fixture.ts'],
      // One that hangs must not keep everybody waiting.
      limitSeconds: Math.min(3_600, secondsLeft()),
    },
  ],
]);
