import { PgBoss } from 'pg-boss';
import { Chain, inRounds, order } from './chain.mjs';

const QUEUE = 'step';
const boss = new PgBoss({ connectionString: order.url, max: 20, schedule: false, useListenNotify: true });
boss.on('error', (error) => console.error(error));
await boss.start();
await boss.createQueue(QUEUE, { retryLimit: 3, notify: true });
await boss.insert(QUEUE, [{ data: {}, startAfter: 86_400 * 300 }]);
await boss.getDb().executeSql(
  `insert into pgboss.job (name, data, start_after)
   select $2, json_build_object('lead', g, 'step', 0), now() + interval '1 day' + g * interval '1 second' from generate_series(1, $1::int) g`,
  [order.waiting, QUEUE],
);
await boss.getDb().executeSql('vacuum analyze pgboss.job');
const work = {
  batchSize: 500,
  pollingIntervalSeconds: 0.5,
  burstWhenBatchFull: true,
  burstWhenReadyExceeds: 1,
  notifyPollingIntervalSeconds: 0.5,
  localConcurrency: 2,
};

async function round() {
  for (let from = 0; from < order.leads; from += 1_000) {
    const count = Math.min(1_000, order.leads - from);
    await boss.insert(
      QUEUE,
      Array.from({ length: count }, (_, index) => ({ data: { lead: from + index, step: 0 } })),
    );
  }
  const chain = new Chain();
  await boss.work(QUEUE, work, async (jobs) => {
    chain.begin();
    const next = jobs
      .filter((job) => job.data.step + 1 < order.steps)
      .map((job) => ({ data: { lead: job.data.lead, step: job.data.step + 1 } }));
    if (next.length > 0) await boss.insert(QUEUE, next);
    chain.step(jobs.length);
  });
  const rate = await chain.done;
  await boss.offWork(QUEUE);
  return rate;
}

inRounds(round);
