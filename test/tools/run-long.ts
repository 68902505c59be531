import { runSuites, type Suite } from './suite-runner.ts';

/** What CI runs of it; `make test` has a share of the rest. */
const SHARE = ['conformance', 'clients', 'hostile'];

/** Suites of `make test-long`; half as much again as the longer lane stays under 45 minutes. */
const LANES: readonly (readonly Suite[])[] = [
  [
    { name: 'conformance', glob: 'test/long/mcp-conformance.test.ts', seconds: 30 },
    { name: 'clients', glob: 'test/long/mcp-clients.test.ts', seconds: 30 },
    { name: 'replicas', glob: 'test/long/mcp-replicas.test.ts', seconds: 300 },
    { name: 'hostile-database', glob: 'test/long/hostile-database.test.ts', seconds: 120 },
    { name: 'homes', glob: 'test/standalone/upgrade.test.ts', seconds: 240, env: { CHAOS: 'full' } },
    {
      name: 'promises',
      glob: 'test/integration/engine/promises.test.ts',
      seconds: 300,
      env: { PROMISE_PEOPLE: '2000' },
    },
    {
      name: 'enrichment',
      glob: 'test/integration/tools/enrichment/enrichment-kills.test.ts',
      seconds: 300,
      env: { ENRICH_LEADS: '1000' },
    },
  ],
  [
    { name: 'hostile', glob: 'test/long/hostile-calls.test.ts', seconds: 180 },
    {
      name: 'draws',
      glob: 'test/integration/stories/{worlds-of-tenants,splits-tell-the-timelines}.test.ts',
      seconds: 90,
      env: { CHAOS: 'full' },
    },
    { name: 'letters', glob: 'test/integration/mcp/hostile.test.ts', seconds: 150, env: { CHAOS: 'full' } },
    { name: 'imports', glob: 'test/long/imports-at-once.test.ts', seconds: 180 },
    { name: 'quarter', glob: 'test/chaos/quarter.test.ts', seconds: 600, env: { CHAOS: 'full' } },
    {
      name: 'calendars',
      glob: 'test/unit/providers/calendar/calendar-judges.test.ts',
      seconds: 240,
      env: { CALENDAR_SEEDS: '10000' },
    },
    {
      name: 'forecast',
      glob: 'test/integration/engine/forecast.test.ts',
      seconds: 240,
      env: { FORECAST_SEEDS: '20' },
    },
  ],
];

const inShare = ({ name }: Suite): boolean => process.env['SHARE'] !== '1' || SHARE.includes(name);
await runSuites(LANES.map((lane) => lane.filter(inShare)));
