import { expect } from 'chai';
import pg from 'pg';
import { Registry } from 'prom-client';
import { SystemClock } from '../../../pkg/base/clock.ts';
import { createLogger } from '../../../pkg/base/log.ts';
import type { OperatorContext } from '../../../pkg/controllers/context.ts';
import { CountsCache } from '../../../pkg/controllers/counts.ts';
import { Capacity } from '../../../pkg/controllers/wake/capacity.ts';
import { StartGate } from '../../../pkg/controllers/wake/start-gate.ts';
import { WakeLoop } from '../../../pkg/controllers/wake/wake-loop.ts';
import { createOperatorMetrics } from '../../../pkg/metrics/operator-metrics.ts';
import { Database } from '../../../pkg/postgres/database.ts';
import { TestProductClock } from '../../tools/kube.ts';
import { testPostgres } from '../../tools/postgres.ts';

describe('claims that lapse', function () {
  this.timeout(60_000);
  const metrics = createOperatorMetrics(new Registry());
  let db: Database;
  let owner: pg.Client;
  let loop: WakeLoop;

  before(async () => {
    const { appUrl, superuserUrl } = await (await testPostgres()).product();
    db = new Database({ url: appUrl, max: 2, applicationName: 'test' });
    owner = new pg.Client({ connectionString: superuserUrl });
    await owner.connect();
    const clocks = { real: new SystemClock(), product: new TestProductClock() };
    const pods = { store: { list: () => [] } };
    const campaigns = { store: { get: () => undefined } };
    const counts = new CountsCache(db, clocks.real);
    const runtime = { log: createLogger('test', 'silent') };
    const caches = { pods, campaigns, counts };
    const context = {
      db,
      clocks,
      metrics,
      runtime,
      homeNamespace: 'outrider',
      ...caches,
    } as unknown as OperatorContext;
    const nothing = (): void => undefined;
    const capacity = new Capacity({ clock: clocks.real, max: 10, pods: () => new Set() });
    loop = new WakeLoop(context, new StartGate({ clocks, random: () => 0.5, capacity }), {
      workspace: nothing,
      held: nothing,
      refresh: nothing,
      counted: nothing,
    });
  });
  after(async () => {
    await owner.end();
    await db.close();
  });

  const lease = (key: string, holder: string | null, seconds: number): Promise<unknown> =>
    owner.query(
      `insert into outrider.claim (kind, key, epoch, holder, expires_at) values ('workspace', $1, 1, $2, clock_timestamp() + make_interval(secs => $3))
       on conflict (kind, key) do update set holder = excluded.holder, expires_at = excluded.expires_at`,
      [key, holder, seconds],
    );
  const lapsed = async (): Promise<number> => {
    await loop.poll();
    return (await metrics.leasesLapsed.get()).values[0]?.value ?? 0;
  };

  it('one that ran out while it was held counts once; one that was given back, or ran out before we led, does not', async () => {
    await lease('dies', 'pod-a', 30);
    await lease('drains', 'pod-b', 30);
    await lease('long-gone', 'pod-c', -60);
    expect(await lapsed()).to.equal(0);
    await lease('dies', 'pod-a', -1);
    await lease('drains', null, -1);
    expect(await lapsed()).to.equal(1);
    expect(await lapsed()).to.equal(1);
  });
});
