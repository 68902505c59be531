import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { Database } from '../../../pkg/postgres/database.ts';
import { nextDue } from '../../../pkg/standalone/next-due.ts';
import { wakeAccount } from '../../../pkg/store/runs/wake.ts';
import { addAccount, addWorkspace } from '../../fixtures/engine/rows.ts';
import { testPostgres } from '../../tools/postgres.ts';

describe('the next moment at which anything happens', () => {
  let db: Database;
  let sandbox: Server;
  before(async () => {
    const { appUrl } = await (await testPostgres()).product();
    db = new Database({ url: appUrl, max: 2, applicationName: 'test' });
    sandbox = createServer((_request, response) => response.end('{"dueAt":null}'));
    await new Promise<void>((resolve) => sandbox.listen(0, '127.0.0.1', resolve));
  });
  after(async () => {
    sandbox.close();
    await db.close();
  });

  it('is also a look at an account that is not connected, and none at one whose workspace is suspended', async () => {
    const url = `http://127.0.0.1:${(sandbox.address() as AddressInfo).port}`;
    const next = (): Promise<number | null> => nextDue(db, url, 'key');
    const run = (sql: string): Promise<number> => db.tx({ kind: 'platform' }, (tx) => tx.exec(sql));
    const account = await addAccount(db, [await addWorkspace(db)]);
    await db.tx({ kind: 'platform' }, (tx) => wakeAccount(tx, account, 5_000));
    await run(`update network_account set status = 'disconnected'`);
    expect(await next()).to.equal(5_000);
    await run(`update workspace set operating_mode = 'Suspended'`);
    expect(await next()).to.equal(null);
  });
});
