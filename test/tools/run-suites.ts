import { runSuites, type Suite } from './suite-runner.ts';

/** Suites in order, with the seconds each may take; the sum stays under 540 (`make test` is under 10 minutes). */
const SUITES: readonly Suite[] = [
  { name: 'unit', glob: 'test/unit/**/*.test.ts', seconds: 60 },
  { name: 'contract', glob: 'test/contract/**/*.test.ts', seconds: 20 },
  { name: 'integration', glob: 'test/integration/**/*.test.ts', seconds: 200 },
  { name: 'standalone', glob: 'test/standalone/**/*.test.ts', seconds: 100 },
  { name: 'chaos', glob: 'test/chaos/**/*.test.ts', seconds: 160 },
];

await runSuites(SUITES);
