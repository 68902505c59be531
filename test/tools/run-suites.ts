import { LANES } from './lanes.ts';
import { runSuites } from './suite-runner.ts';

await runSuites(LANES);
