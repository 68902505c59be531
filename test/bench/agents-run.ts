import { Database } from '../../pkg/postgres/database.ts';
import { decideAll } from './agents.ts';
import { benchMorning } from './agents-morning.ts';

/**
 * A process that decides about the signals that are stored (it did not store them), or works for many workspaces at six, and tells its figures
 * on a line of JSON. Arguments: `new` or `known`, the address and the number of signals; or `morning`, both addresses and the number of workspaces.
 */
const [what = '', appUrl = '', second = '', third = ''] = process.argv.slice(2);
if (what === 'morning') console.log(JSON.stringify(await benchMorning({ appUrl, executorUrl: second }, Number(third))));
else {
  const db = new Database({ url: appUrl, max: 2, applicationName: 'bench-run' });
  console.log(JSON.stringify(await decideAll(db, what === 'known' ? 'known' : 'new', Number(second))));
  await db.close();
}
