import { Logger, makeWorkerUtils, run } from 'graphile-worker';
import { Chain, inRounds, order } from './chain.mjs';

const logger = new Logger(() => () => {});
const utils = await makeWorkerUtils({ connectionString: order.url, logger });
await utils.migrate();
await utils.addJob('step', {}, { runAt: new Date(Date.now() + 3e9) });
await utils.withPgClient(async (client) => {
  await client.query(
    `insert into graphile_worker._private_jobs (task_id, payload, run_at, max_attempts)
     select (select id from graphile_worker._private_tasks where identifier = 'step'), json_build_object('lead', g, 'step', 0),
       now() + interval '1 day' + g * interval '1 second', 3 from generate_series(1, $1::int) g`,
    [order.waiting],
  );
  await client.query('vacuum analyze graphile_worker._private_jobs');
});
inRounds(async () => {
  await utils.addJobs(
    Array.from({ length: order.leads }, (_, lead) => ({
      identifier: 'step',
      payload: { lead, step: 0 },
      maxAttempts: 3,
    })),
  );
  const chain = new Chain();
  const worker = {
    connectionString: order.url,
    maxPoolSize: 20,
    concurrentJobs: 100,
    logger,
    pollInterval: 2_000,
    localQueue: { size: 500 },
    completeJobBatchDelay: 0,
    failJobBatchDelay: 0,
  };
  await run({
    preset: { worker },
    noHandleSignals: true,
    taskList: {
      async step(job, helpers) {
        chain.begin();
        if (job.step + 1 < order.steps)
          await helpers.addJob('step', { lead: job.lead, step: job.step + 1 }, { maxAttempts: 3 });
        chain.step();
      },
    },
  });
  return chain.done;
});
