import { runSuites, type Suite } from './suite-runner.ts';

/** What waits most for itself runs beside what uses the processor most. */
const LANES: readonly (readonly Suite[])[] = [
  [
    { name: 'unit', glob: 'test/unit/**/*.test.ts', seconds: 40 },
    { name: 'contract', glob: 'test/contract/**/*.test.ts', seconds: 20 },
    { name: 'integration', glob: 'test/integration/**/*.test.ts', seconds: 320 },
  ],
  [
    { name: 'chaos', glob: 'test/chaos/*.test.ts', seconds: 240 },
    { name: 'standalone', glob: 'test/standalone/**/*.test.ts', seconds: 160 },
  ],
];

await runSuites(LANES);
