import { DBOS } from '@dbos-inc/dbos-sdk';
import { Chain, inRounds, order } from './chain.mjs';

const chain = new Chain();
DBOS.setConfig({ name: 'bench', systemDatabaseUrl: order.url, systemDatabasePoolSize: 40, logLevel: 'error' });
const campaign = DBOS.registerWorkflow(
  async (lead) => {
    for (let step = 0; step < order.steps; step++) {
      await DBOS.runStep(async () => lead + step, { name: 'step' });
      chain.step();
    }
  },
  { name: 'campaign' },
);
const asleep = DBOS.registerWorkflow(async (ms) => DBOS.sleep(ms), { name: 'asleep' });
await DBOS.launch();
let waiting = 0;
await Promise.all(
  Array.from({ length: 40 }, async () => {
    while (waiting++ < order.waiting) await DBOS.startWorkflow(asleep)(86_400_000);
  }),
);
inRounds(async () => {
  let lead = 0;
  chain.begin();
  await Promise.all(
    Array.from({ length: 100 }, async () => {
      while (lead < order.leads) await campaign(lead++);
    }),
  );
  return chain.done;
});
