import type pg from 'pg';
import { OwnClient } from '../../pkg/postgres/own-client.ts';
import { sessionOf } from '../../pkg/postgres/session-settings.ts';
import { INVARIANTS, notAddingUp, type Wrong } from './ledger-adds-up.ts';

/** A database of this process, and the connection that looks into it. */
interface Watched {
  url: string;
  client: pg.Client | null;
}

/** Databases that no test has ended on yet. */
let fresh: Watched[] = [];
/** Databases that were there when the first test of the file ended: those of its `before`. */
let kept: Watched[] = [];
let fileOfKept: string | undefined;

/** Puts a database under watch: from now on its ledger must add up after each test. @param url superuser's */
export function watchLedger(url: string): void {
  fresh.push({ url, client: null });
}

/**
 * Holds the invariants of the credit ledger after a test, whatever it was about: in the databases that the file's tests
 * share, and in those that were made since the test before.
 * @param file of the test that ended
 * @throws Error naming what does not add up
 */
export async function ledgersAddUp(file: string | undefined): Promise<void> {
  if (file !== fileOfKept) {
    await closeLedgers();
    [kept, fresh, fileOfKept] = [fresh, [], file];
    return holdAll(kept);
  }
  const once = fresh;
  fresh = [];
  await holdAll([...kept, ...once]);
  await Promise.all(once.map(close));
}

/** Ends the watch of the file's databases. */
export async function closeLedgers(): Promise<void> {
  await Promise.all(kept.map(close));
  kept = [];
}

async function holdAll(databases: readonly Watched[]): Promise<void> {
  for (const database of databases) {
    // A test may have ended every connection to its database.
    const rows = await look(database).catch(async () => {
      await close(database);
      return look(database);
    });
    const problem = notAddingUp(rows);
    if (problem !== null) throw new Error(problem);
  }
}

async function look(database: Watched): Promise<Wrong[]> {
  database.client ??= await connect(database.url);
  // Planned once for each database: that takes longer than to look, and it looks after every test.
  return (await database.client.query<Wrong>({ name: 'invariants', text: INVARIANTS })).rows;
}

async function connect(connectionString: string): Promise<pg.Client> {
  const client = new OwnClient({
    ...sessionOf(connectionString),
    application_name: 'ledger-watch',
  });
  // The server may end before the watch does.
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

async function close(database: Watched): Promise<void> {
  await database.client?.end().catch(() => undefined);
  database.client = null;
}
