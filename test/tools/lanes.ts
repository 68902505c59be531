import { realBinaries } from './real-api-server.ts';
import type { Suite } from './suite-runner.ts';

/** Three lanes of about the same length, each with something that uses the processor and something that waits, and a short one that fills up. */
export const LANES: readonly (readonly Suite[])[] = [
  [
    { name: 'unit', glob: 'test/unit/**/*.test.ts', seconds: 40 },
    { name: 'contract', glob: 'test/contract/**/*.test.ts', seconds: 20 },
    {
      name: 'integration',
      glob: 'test/integration/{controllers,doctor,events,postgres,restore,secrets,sign-in,stories,tools}/**/*.test.ts',
      seconds: 260,
    },
    { name: 'mcp', glob: 'test/integration/mcp/**/*.test.ts', seconds: 110 },
  ],
  [
    { name: 'chaos', glob: 'test/chaos/*.test.ts', seconds: 480 },
    { name: 'console', glob: 'test/{console,integration/console}/**/*.test.ts', seconds: 110 },
    { name: 'store', glob: 'test/integration/store/*.test.ts', seconds: 70 },
  ],
  [
    { name: 'standalone', glob: 'test/standalone/**/*.test.ts', seconds: 230 },
    { name: 'engine', glob: 'test/integration/engine/*.test.ts', seconds: 180 },
  ],
  [
    {
      name: 'platform',
      glob: 'test/integration/{chart,docs,image,kubeapi,monitoring,sandbox}/**/*.test.ts',
      seconds: 90,
    },
    {
      name: 'apiserver',
      glob: 'test/integration/kubeapi/*.test.ts',
      seconds: 90,
      env: { KUBE_API: 'real' },
      leftOut: noRealApiServer,
    },
  ],
];

async function noRealApiServer(): Promise<string | undefined> {
  if (await realBinaries()) return undefined;
  return 'There is no real API server here for the suite of the embedded one; make test-apiserver builds it and runs this.';
}
