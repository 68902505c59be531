import { expect } from 'chai';
import type { Cluster } from './cluster.ts';
import { fixture } from './cluster-fixture.ts';
import { eventually, minutes } from './patient.ts';
import { workspaceOf } from './people.ts';
import type { Release } from './release.ts';

const PLACES = 40;
/** Small, so that forty fit a node of two cores. */
const SMALL = { resources: { requests: { cpu: '5m', memory: '64Mi' }, limits: { memory: '256Mi' } } };

describe('a morning on which all wake at once', () => {
  const size = Number(process.env['CROWD'] ?? 200);
  const names = Array.from({ length: size }, (_, at) => `crowd-${at}`);
  let cluster: Cluster;
  let release: Release;

  before(async function () {
    this.timeout(minutes(30));
    ({ cluster, release } = await fixture(this));
    await release.upgrade({ 'executor.maxPods': String(PLACES) });
    const items = names.map((name) => workspaceOf(name, { executor: SMALL }));
    await cluster.kubectl(['-n', release.namespace, 'apply', '--server-side', '-f', '-'], {
      input: JSON.stringify({ apiVersion: 'v1', kind: 'List', items }),
    });
    await eventually(
      'all are in force',
      async () => (await count(`from workspace where id like 'crowd-%'`)) === size,
      120_000,
    );
  });
  after(async function () {
    this.timeout(minutes(10));
    if (!release) return;
    await release.kubectl('delete', 'ows', ...names, '--timeout=300s');
    await release.upgrade({});
  });

  const count = async (from: string): Promise<number> =>
    Number((await release.sql(`select count(*)::int as count ${from}`))[0]?.['count']);

  const wake = (which: string): Promise<unknown> =>
    release.sql(
      `insert into workspace_wake (workspace_id, due_at) select id, 1 from workspace where id ${which}
       on conflict (workspace_id) do update set due_at = 1`,
    );

  it('one at a time: from the pod’s creation to Ready, and from due work to the claim', async function () {
    this.timeout(minutes(5));
    const [made, ready] = [new Map<string, number>(), new Map<string, number>()];
    const state = '{.object.status.conditions[?(@.type=="Ready")].status}';
    const row = `jsonpath={.type} {.object.metadata.name} ${state}{"\\n"}`;
    const watch = ['get', 'pods', '-l', 'outrider.dev/role=workspace', '-w', '--output-watch-events', '-o', row];
    const stop = cluster.follow(['-n', release.namespace, ...watch], (line) => {
      const [type, name = '', isReady] = line.split(' ');
      if (type === 'ADDED') made.set(name, performance.now());
      if (isReady === 'True' && !ready.has(name)) ready.set(name, performance.now());
    });
    const claims: number[] = [];
    try {
      for (const name of names.slice(0, 7)) {
        const since = performance.now();
        await wake(`= '${name}'`);
        await eventually(
          'claimed',
          async () => (await count(`from claim where key = '${name}' and epoch > 0`)) === 1,
          60_000,
        );
        claims.push(performance.now() - since);
      }
      await eventually('seven are Ready', () => [...made.keys()].filter((name) => ready.has(name)).length >= 7, 60_000);
    } finally {
      stop();
    }
    const starts = [...made].flatMap(([name, at]) => (ready.has(name) ? [(ready.get(name) ?? 0) - at] : []));
    const p50 = (values: number[]): string => `${((values.toSorted((a, b) => a - b)[3] ?? 0) / 1_000).toFixed(1)} s`;
    console.log(`    p50 of 7: pod made to Ready ${p50(starts)}, due work to claim ${p50(claims)}`);
  });

  it(`${size} workspaces are all served, at most ${PLACES} pods at a time, none of them fails`, async function () {
    this.timeout(minutes(25));
    const there = new Set<string>();
    const failed: string[] = [];
    let most = 0;
    const row =
      'jsonpath={.type} {.object.metadata.name} {.object.status.phase} {.object.metadata.deletionTimestamp}{"\\n"}';
    const watch = ['get', 'pods', '-l', 'outrider.dev/role=workspace', '-w', '--output-watch-events', '-o', row];
    const stop = cluster.follow(['-n', release.namespace, ...watch], (line) => {
      const [type = '', name = '', phase = '', deleted = ''] = line.split(' ');
      if (type === 'DELETED') there.delete(name);
      else there.add(name);
      // One that is told to end while it still starts ends with an error; nobody waits for it.
      if (phase === 'Failed' && deleted === '') failed.push(line);
      most = Math.max(most, there.size);
    });
    try {
      const since = performance.now();
      await wake(`like 'crowd-%'`);
      await eventually(
        'all had their turn',
        async () => (await count(`from claim where kind = 'workspace' and key like 'crowd-%' and epoch > 0`)) === size,
        1_200_000,
      );
      console.log(
        `    ${size} workspaces through ${PLACES} places in ${Math.round((performance.now() - since) / 1_000)} s`,
      );
    } finally {
      stop();
    }
    expect(failed).to.deep.equal([]);
    expect(most, 'pods at a time').to.be.within(2, PLACES);
    const told = 'jsonpath={range .items[*]}{.involvedObject.name}: {.message}{"\\n"}{end}';
    const lost = await release.kubectl('get', 'events', '--field-selector', 'reason=ExecutorReplaced', '-o', told);
    // A node with too much to do may confirm the end of a pod so late that it is taken for lost; its work was done then.
    const failures = lost.split('\n').filter((line) => line !== '' && !line.includes('its node does not answer'));
    expect(failures).to.deep.equal([]);
  });
});
