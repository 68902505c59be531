import { buildCluster } from '../cluster/cluster.ts';
import { runSuites } from './suite-runner.ts';

/**
 * `make test-cluster`: builds what a cluster needs, shows that one comes up, runs the suite. `WHERE_POSSIBLE=1` passes
 * over a machine that can not make one, after the sentence that says why; without it that is a failure.
 */
const why = await buildCluster().then(
  () => undefined,
  (error: Error) => error.message,
);
if (why !== undefined) {
  console.log(`suite cluster: not run. ${why}`);
  process.exit(process.env['WHERE_POSSIBLE'] === '1' ? 0 : 1);
}
await runSuites([
  [
    {
      name: 'cluster',
      glob: 'test/cluster/*.test.ts',
      seconds: 1_140,
      mocha: ['--timeout', '300000', '--require', 'test/cluster/stage.ts'],
      // One that hangs must not keep everybody waiting; `MINUTES` ends a slow run in good order before.
      limitSeconds: 2_400,
    },
  ],
]);
