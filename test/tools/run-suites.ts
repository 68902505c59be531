import { realBinaries } from './real-api-server.ts';
import { runSuites, type Suite } from './suite-runner.ts';

/** Three lanes: one uses the processor, one waits most for leases and restarts, one for processes to start and end. */
const LANES: readonly (readonly Suite[])[] = [
  [
    { name: 'unit', glob: 'test/unit/**/*.test.ts', seconds: 40 },
    { name: 'contract', glob: 'test/contract/**/*.test.ts', seconds: 20 },
    { name: 'integration', glob: 'test/integration/!(mcp)/**/*.test.ts', seconds: 450 },
  ],
  [{ name: 'chaos', glob: 'test/chaos/*.test.ts', seconds: 420 }],
  [
    { name: 'standalone', glob: 'test/standalone/**/*.test.ts', seconds: 170 },
    { name: 'mcp', glob: 'test/integration/mcp/**/*.test.ts', seconds: 110 },
    {
      name: 'apiserver',
      glob: 'test/integration/kubeapi/*.test.ts',
      seconds: 120,
      env: { KUBE_API: 'real' },
      leftOut: noRealApiServer,
    },
  ],
];

async function noRealApiServer(): Promise<string | undefined> {
  if (await realBinaries()) return undefined;
  return 'There is no real API server here for the suite of the embedded one; make test-apiserver builds it and runs this.';
}

await runSuites(LANES);
