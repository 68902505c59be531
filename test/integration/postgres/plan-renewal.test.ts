import { expect } from 'chai';
import { Database } from '../../../pkg/postgres/database.ts';
import { fill } from '../../bench/engine/fill.ts';
import { testPostgres } from '../../tools/postgres.ts';

describe('plans that a connection keeps', () => {
  it('are made anew with its 16th transaction under a claim: its tables have grown meanwhile', async () => {
    const urls = await (await testPostgres()).product();
    const { workspaceId } = await fill(urls.superuserUrl, 'plain', 10);
    const url = `${urls.superuserUrl}?options=${encodeURIComponent('-c plan_cache_mode=force_generic_plan')}`;
    const db = new Database({ url, max: 1, applicationName: 'test', prepare: true });
    const claim = await db.tx({ kind: 'platform' }, async (tx) => {
      await tx.exec('create table public.grown (id int primary key) with (autovacuum_enabled = off)');
      return tx.row<{ token: string }>(`select token from app.take_claim('workspace', $1, 'test', 3600)`, [
        workspaceId,
      ]);
    });
    const plans: string[] = [];
    for (let transaction = 2; transaction <= 17; transaction++) {
      plans[transaction] = await db.tx({ kind: 'claim', token: claim?.token ?? '' }, async (tx) => {
        await tx.named('one', 'select id from public.grown where id = $1', [1]);
        const lines = await tx.rows<{ 'QUERY PLAN': string }>('explain execute one(1)');
        if (transaction === 2) await tx.exec('insert into public.grown select generate_series(1, 10000)');
        return lines[0]?.['QUERY PLAN'] ?? '';
      });
    }
    await db.close();
    const anew = plans.findIndex((plan, transaction) => plan !== plans[transaction - 1] && transaction > 2);
    expect(anew).to.equal(17);
    expect(plans[17]).to.include('Index');
  });
});
