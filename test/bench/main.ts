import { Database } from '../../pkg/postgres/database.ts';
import { startPostgres } from '../tools/postgres.ts';
import { benchLimiter } from './limiter.ts';
import { benchToolList } from './tool-list.ts';

/** Prints ratios against bare limits of this machine, measured in the same run; figures of two machines don't compare. */
const postgres = await startPostgres();
try {
  const urls = await postgres.product();
  const db = new Database({ url: urls.appUrl, max: 4, applicationName: 'bench' });
  for (const line of [...(await benchLimiter(db)), ...benchToolList()]) console.log(line);
  await db.close();
} finally {
  await postgres.stop();
}
