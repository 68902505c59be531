import { Queue, Worker } from 'bullmq';
import { Chain, inRounds, order } from './chain.mjs';

const connection = { host: '127.0.0.1', port: order.redisPort, maxRetriesPerRequest: null };
const queue = new Queue('step', { connection });
const keep = { removeOnComplete: true, attempts: 3 };
for (let from = 0; from < order.waiting; from += 1_000) {
  await queue.addBulk(
    Array.from({ length: 1_000 }, (_, index) => ({
      name: 'step',
      data: { lead: from + index, step: 0 },
      opts: { ...keep, delay: 86_400_000 + (from + index) * 1_000 },
    })),
  );
}
inRounds(async () => {
  for (let from = 0; from < order.leads; from += 1_000) {
    const count = Math.min(1_000, order.leads - from);
    await queue.addBulk(
      Array.from({ length: count }, (_, index) => ({
        name: 'step',
        data: { lead: from + index, step: 0 },
        opts: keep,
      })),
    );
  }
  const chain = new Chain();
  const worker = new Worker(
    'step',
    async (job) => {
      chain.begin();
      if (job.data.step + 1 < order.steps)
        await queue.add('step', { lead: job.data.lead, step: job.data.step + 1 }, keep);
    },
    { connection, concurrency: 100 },
  );
  worker.on('completed', () => chain.step());
  worker.on('error', (error) => console.error(error));
  return chain.done;
});
