import { Database } from '../../pkg/postgres/database.ts';
import { decideAll } from './agents.ts';

/** A process that decides about the signals that are stored (it did not store them), and tells its figures on a line of JSON. */
const [url = '', people = 'new', signals = '0'] = process.argv.slice(2);
const db = new Database({ url, max: 2, applicationName: 'bench-run' });
console.log(JSON.stringify(await decideAll(db, people === 'known' ? 'known' : 'new', Number(signals))));
await db.close();
