import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from 'chai';
import pg from 'pg';
import { sleepReal } from '../../../pkg/base/clock.ts';
import { systemIds } from '../../../pkg/base/ids.ts';
import { createLogger, type Logger } from '../../../pkg/base/log.ts';
import { AuditLog } from '../../../pkg/mcp/audit-log.ts';
import { Database, type Scope, type Tx } from '../../../pkg/postgres/database.ts';
import { type AuditRecord, linkHash, reasonHash } from '../../../pkg/store/audit/audit.ts';
import { linksHold, listAuditEvents } from '../../../pkg/store/audit/list-audit-events.ts';
import { type AuditFindings, verifyAudit } from '../../../pkg/store/audit/verify-audit.ts';
import { MembersSeen } from '../../../pkg/store/tenancy/members-seen.ts';
import { type Harness, startMcp } from '../../fixtures/mcp/harness.ts';
import { eventually, startTestCluster, type TestCluster } from '../../tools/kube.ts';

const OUTRIDER = new URL('../../../cmd/outrider/main.ts', import.meta.url).pathname;
const silent = createLogger('test', 'silent');

interface Event {
  id: string;
  tool: string;
  outcome: string;
  actor_kind: string;
  workspace_id: string | null;
  duration_us: number;
  input_hash: string;
  record_ids: string[];
  position: number;
  hash: string;
  previous_hash: string;
}

describe('audit log', function () {
  this.timeout(60_000);
  let cluster: TestCluster;
  let mcp: Harness;
  let key: string;
  let superuser: pg.Client;

  before(async () => {
    cluster = await startTestCluster();
    mcp = await startMcp({ db: cluster.db, resources: cluster.resources() });
    await mcp.workspace('acme');
    const user = await mcp.user({ member: 'acme', role: 'owner' });
    key = (await mcp.key({ userId: user })).plaintext;
    superuser = new pg.Client({ connectionString: cluster.superuserUrl });
    await superuser.connect();
  });
  after(async () => {
    await superuser?.end();
    await mcp.stop();
    await cluster.stop();
  });

  const call = async (name: string, input: object, by = key): Promise<string> => {
    const session = await mcp.initialize(by);
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: input } };
    const answer = await mcp.post(by, body, { 'mcp-session-id': session });
    const { content } = answer.json.result as { content: { text: string }[] };
    return content[0]?.text ?? '';
  };
  const events = (): Promise<Event[]> =>
    mcp.platform((tx) => tx.rows<Event>('select * from audit_event where chain is not null order by chain, position'));
  const eventsOf = (tool: string): Promise<Event[]> =>
    eventually(`a record of ${tool}`, async () => {
      const found = (await events()).filter((event) => event.tool === tool);
      return found.length > 0 && found;
    });

  it('asks once a minute for each member when they called last, however often they call', async () => {
    let asked = 0;
    const db: Pick<Database, 'tx'> = {
      tx: async (scope, work) => {
        asked++;
        return cluster.db.tx(scope, work);
      },
    };
    const member = await mcp.platform((tx) => tx.row<{ id: string }>('select user_id as id from member'));
    const seen = new MembersSeen(db);
    const called = async (at: number): Promise<number | null> => {
      await seen.keep([{ ...record('x'), actorKind: 'user', actorId: member?.id ?? '', workspaceId: 'acme', at }]);
      const row = await mcp.platform((tx) => tx.row<{ at: number | null }>('select last_seen_at as at from member'));
      return row?.at ?? null;
    };
    const first = 9_000_000_000_000;
    expect(await called(first)).to.equal(first);
    for (let second = 1; second < 60; second++) await called(first + second * 1_000);
    expect(asked, 'within a minute').to.equal(1);
    expect(await called(first + 60_000)).to.equal(first + 60_000);
    expect(asked).to.equal(2);
  });

  it('has every call in one chain: who, what, where, how it ended, how long; inputs by hash, records by id', async () => {
    await call('svc_get_workspace', { workspaceId: 'acme' });
    const made = JSON.parse(
      await call('svc_create_api_key', { workspaceId: 'acme', name: 'Audit me', scopes: ['leads:read'] }),
    ) as { apiKeyId: string; key: string };
    await call('svc_get_campaign', { campaignId: 'Ada Lovelace <ada@test.example>' });
    const [refused] = await eventsOf('svc_get_campaign');
    const all = await events();
    expect(all.map(({ tool, outcome }) => [tool, outcome])).to.deep.equal([
      ['svc_get_workspace', 'ok'],
      ['svc_create_api_key', 'ok'],
      ['svc_get_campaign', 'refused'],
    ]);
    expect(all.map((event) => event.position)).to.deep.equal([1, 2, 3]);
    expect(all[1]).to.include({ actor_kind: 'user', workspace_id: 'acme', previous_hash: all[0]?.hash });
    expect(all[1]?.record_ids).to.deep.equal([made.apiKeyId]);
    expect(all[1]?.input_hash).to.match(/^[0-9a-f]{64}$/);
    expect(all[1]?.duration_us).to.be.greaterThan(0);
    expect(refused?.record_ids[0]).to.match(/^#[0-9a-f]{64}$/);
    expect(JSON.stringify(all)).to.not.contain('Audit me').and.not.contain(made.key).and.not.contain('Lovelace');
  });

  it('keeps a key or the token of an invitation that was given as an id by hash alone', async () => {
    const token = 'Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4Zm9vYmFyYmE';
    await call('svc_revoke_api_key', { apiKeyId: key });
    await call('svc_revoke_invitation', { invitationId: token });
    const [revoked] = await eventsOf('svc_revoke_api_key');
    const [invitation] = await eventsOf('svc_revoke_invitation');
    for (const event of [revoked, invitation]) expect(event?.record_ids[0]).to.match(/^#[0-9a-f]{64}$/);
    expect(JSON.stringify(await events()))
      .to.not.contain(key)
      .and.not.contain(token);
  });

  it('keeps why a platform admin did something, as the tools say, and notices when it was changed', async () => {
    const admin = (await mcp.key({ userId: await mcp.user({ admin: true }) })).plaintext;
    await call(
      'svc_admin_set_send_freeze',
      { frozen: true, workspaceId: 'acme', reason: 'a complaint of 3 May' },
      admin,
    );
    await call('svc_admin_set_send_freeze', { frozen: false, workspaceId: 'acme', reason: 'it was settled' }, admin);
    await call('svc_revoke_invitation', { invitationId: 'nobody' });
    await eventually('both', async () => (await eventsOf('svc_admin_set_send_freeze')).length === 2);
    const told = await mcp.platform((tx) =>
      tx.rows<{ change: object }>(
        `select change from audit_event where tool = 'svc_admin_set_send_freeze' order by chain, position`,
      ),
    );
    expect(told.map((row) => row.change)).to.deep.equal([
      { reason: 'a complaint of 3 May', reasonHash: reasonHash('a complaint of 3 May') },
      { reason: 'it was settled', reasonHash: reasonHash('it was settled') },
    ]);
    expect((await verifyAudit(mcp.db)).broken).to.equal(null);
    const forge = (reason: string): Promise<unknown> =>
      superuser.query(
        `update outrider.audit_event set change = change || jsonb_build_object('reason', $1::text) where change ->> 'reason' like 'a %'`,
        [reason],
      );
    await forge('a whim');
    expect((await verifyAudit(mcp.db)).broken).to.contain('was changed after it was written');
    await forge('a complaint of 3 May');
    expect((await verifyAudit(mcp.db)).broken).to.equal(null);
  });

  it('names of a list of records the first ones, and how many more there were', async () => {
    const ids = Array.from({ length: 7 }, (_, n) => `018f0000-0000-7000-8000-00000000000${n}`);
    await call('svc_bulk_decide_review_items', { reviewItemIds: ids, decision: 'reject' });
    expect((await eventsOf('svc_bulk_decide_review_items'))[0]?.record_ids).to.deep.equal([...ids.slice(0, 5), '+2']);
  });

  it('the record of a write commits with the write: both are of one transaction', async () => {
    const plain = JSON.parse(await call('svc_create_lead_list', { workspaceId: 'acme', name: 'One' })) as object;
    const resource = JSON.parse(await call('svc_create_campaign', { workspaceId: 'acme', title: 'One' })) as object;
    for (const [tool, table, id] of [
      ['svc_create_lead_list', 'lead_list', Object.values(plain)[0]],
      ['svc_create_campaign', 'campaign', Object.values(resource)[0]],
    ]) {
      const { rows } = await superuser.query<{ together: boolean }>(
        `select w.xmin = t.xmin as together from outrider.audit_write w, outrider.${table} t
         where w.tool = $1 and t.id::text = $2`,
        [tool, id],
      );
      expect(rows, tool).to.deep.equal([{ together: true }]);
    }
    const [event] = await eventsOf('svc_create_lead_list');
    const written = await mcp.platform((tx) => tx.rows('select 1 from audit_write where id = $1', [event?.id]));
    expect(written.length).to.equal(1);
  });

  it('what was refused or rolled back leaves no record of a write', async () => {
    await call('svc_create_campaign', { workspaceId: 'acme', title: '' });
    await call('svc_revoke_api_key', { apiKeyId: '018f0000-0000-7000-8000-0000000000ff' });
    await superuser.query(`alter table outrider.persona add constraint never check (name <> 'Never')`);
    const { campaignId } = JSON.parse(await call('svc_create_campaign', { workspaceId: 'acme', title: 'Two' })) as {
      campaignId: string;
    };
    expect(await call('svc_create_persona', { campaignId, name: 'Never' })).to.contain('failed on our side');
    expect((await eventsOf('svc_create_persona'))[0]?.outcome).to.equal('fault');
    const tools = await mcp.platform((tx) => tx.rows<{ tool: string }>('select tool from audit_write'));
    expect(tools.map((row) => row.tool))
      .to.not.include('svc_revoke_api_key')
      .and.not.include('svc_create_persona');
  });

  it('tells the workspace of a call that a record decided, by a key that opens one', async () => {
    const { campaignId } = JSON.parse(await call('svc_create_campaign', { workspaceId: 'acme', title: 'W' })) as {
      campaignId: string;
    };
    await call('svc_update_campaign', { campaignId, title: 'Where' });
    expect((await eventsOf('svc_update_campaign'))[0]?.workspace_id).to.equal('acme');
    await call('svc_whoami', {});
    expect((await eventsOf('svc_whoami'))[0]?.workspace_id, 'of none').to.equal(null);
  });

  it('a tool that declares itself reading is refused by the database when it writes', async () => {
    const write = mcp.db.read({ kind: 'platform' }, (tx) => tx.exec(`delete from lead_list`));
    expect(await write.catch((error: Error) => error.message)).to.contain('read-only transaction');
  });

  it('nobody but the owner of the schema changes or deletes what is written', async () => {
    for (const statement of [
      `update audit_event set outcome = 'ok'`,
      'delete from audit_event',
      'delete from audit_write',
      `update audit_anchor set closed = true`,
    ]) {
      const tried = mcp.platform((tx) => tx.exec(statement));
      expect(await tried.catch((error: Error) => error.message), statement).to.contain('permission denied');
    }
  });

  it('a record that Postgres can never take is a gap that is told; what came with it is written', async () => {
    let lost = 0;
    const told: string[] = [];
    const log = {
      ...silent,
      error: (facts: { tool?: string }) => told.push(facts.tool ?? ''),
    } as unknown as Logger;
    const chain = new AuditLog(mcp.db, systemIds, log, undefined, (count) => {
      lost += count;
    });
    for (const tool of ['before_the_bad_one', 'bad_by_nul', 'bad_by_half', 'after_the_bad_one'])
      chain.append(record(tool));
    const written = await Promise.race([chain.close().then(() => true), sleepReal(10_000).then(() => false)]);
    expect(written, 'a batch that can not be written is not tried for ever').to.equal(true);
    const { broken, gaps } = await verifyAudit(mcp.db);
    expect([broken, lost, told]).to.deep.equal([null, 2, ['bad_by_nul', 'bad_by_half']]);
    expect(
      gaps.filter((gap) => gap.endsWith(' records lost') && !gap.endsWith('1001 records lost')),
    ).to.have.length.of.at.least(1);
    const [before] = await eventsOf('before_the_bad_one');
    const [after] = await eventsOf('after_the_bad_one');
    expect([before?.position, after?.outcome]).to.deep.equal([1, 'ok']);
  });

  describe('the check', () => {
    /** A chain of its own, closed in order. */
    const chainOf = async (count: number): Promise<string> => {
      const log = new AuditLog(mcp.db, systemIds, silent);
      for (let i = 0; i < count; i++) log.append(record(`tool_${i}`));
      await log.close();
      const [row] = await mcp.platform((tx) =>
        tx.rows<{ chain: string }>('select chain from audit_anchor order by seq desc limit 1'),
      );
      return row?.chain ?? '';
    };
    const verify = (): Promise<AuditFindings> => verifyAudit(mcp.db);
    /** Does something to the log, looks, and takes it back. */
    const while_ = async (statement: string, look: () => Promise<unknown>): Promise<void> => {
      await superuser.query('create schema kept');
      for (const table of ['audit_event', 'audit_anchor', 'audit_write'])
        await superuser.query(`create table kept.${table} as select * from outrider.${table}`);
      await superuser.query(statement);
      await look().finally(() => putBack());
    };
    const putBack = async (): Promise<void> => {
      for (const table of ['audit_event', 'audit_anchor', 'audit_write']) {
        await superuser.query(`delete from outrider.${table}`);
        const identity = table === 'audit_write' ? '' : 'overriding system value';
        await superuser.query(`insert into outrider.${table} ${identity} select * from kept.${table}`);
      }
      await superuser.query('drop schema kept cascade');
    };

    it('holds for what was written, also for more than one batch', async () => {
      await chainOf(1_200);
      const verdict = await verify();
      expect(verdict.broken).to.equal(null);
      expect(verdict.records).to.be.greaterThan(1_200);
    });

    it('names the first record that was changed, taken away, put in or moved', async () => {
      const chain = await chainOf(20);
      const at = (position: number): string => `chain = '${chain}' and position = ${position}`;
      const cases: [string, RegExp][] = [
        [`update outrider.audit_event set outcome = 'refused' where ${at(7)}`, /position 7: was changed/],
        [`update outrider.audit_event set actor_id = 'someone else' where ${at(7)}`, /position 7: was changed/],
        [`update outrider.audit_event set input_hash = 'other' where ${at(1)}`, /position 1: was changed/],
        [`delete from outrider.audit_event where ${at(7)}`, /positions 7 to 7 are gone/],
        [`delete from outrider.audit_event where chain = '${chain}' and position <= 3`, /positions 1 to 3 are gone/],
        [`delete from outrider.audit_event where chain = '${chain}' and position > 15`, /end of the chain is gone/],
        [`delete from outrider.audit_event where chain = '${chain}'`, /end of the chain is gone/],
      ];
      for (const [statement, wanted] of cases) {
        await while_(statement, async () => expect((await verify()).broken, statement).to.match(wanted));
      }
      expect((await verify()).broken).to.equal(null);
    });

    it('notices a chain that was written anew with right hashes, and anchors that were changed', async () => {
      const chain = await chainOf(3);
      const rows = await mcp.platform((tx) =>
        tx.rows<{ id: string }>('select id from audit_event where chain = $1 order by position', [chain]),
      );
      let previous = '';
      const statements = rows.map(({ id }, i) => {
        const forged = linkHash(previous, chain, i + 1, { ...record('forged'), id });
        const statement = `update outrider.audit_event set tool = 'forged', hash = '${forged}', previous_hash = '${previous}' where id = '${id}'`;
        previous = forged;
        return statement;
      });
      await while_(statements.join(';'), async () =>
        expect((await verify()).broken).to.contain(`chain ${chain}, position 3: the chain was written anew`),
      );
      await while_(`update outrider.audit_anchor set head = 'x' where chain = '${chain}'`, async () =>
        expect((await verify()).broken).to.contain('was changed after it was written'),
      );
      await while_(`delete from outrider.audit_anchor where chain <> '${chain}'`, async () =>
        expect((await verify()).broken).to.contain('does not follow the anchor before it'),
      );
    });

    it('reads the log in pages, by its indexes: no statement grows with it', async () => {
      const ids = `('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid`;
      // Of before the chains, so that none of them is broken by these.
      await superuser.query(`insert into outrider.audit_event (id, at, actor_kind, actor_id, tool, request_id, hash, previous_hash)
        select ${ids}, 1, 'user', 'u', 't', 'r', '', '' from generate_series(1, 30000) n`);
      await superuser.query(`insert into outrider.audit_write (id, at, actor_kind, actor_id, tool, input_hash, request_id)
        select ${ids}, 1, 'user', 'u', 't', '', 'r' from generate_series(1, 30000) n`);
      await superuser.query('analyze outrider.audit_event, outrider.audit_write');
      const whole: string[] = [];
      const watched = {
        read: <T>(scope: Scope, work: (tx: Tx) => Promise<T>): Promise<T> =>
          mcp.db.tx(scope as { kind: 'platform' }, async (tx) => {
            const rows = async (text: string, values: unknown[] = []): Promise<unknown[]> => {
              const plan = await tx.rows<Record<string, string>>(`explain ${text}`, values);
              const steps = plan.map((step) => step['QUERY PLAN'] ?? '').join('\n');
              // A walk from the newest on is as long as the log where few records meet its filter.
              const walks = /audit_event_pkey/.test(steps) && !/Index Cond: \(?\(seq /.test(steps);
              const ofChain = /audit_event_link/.test(steps) && !/Index Cond: .*position/.test(steps);
              if (walks || ofChain || /Seq Scan on audit_(event|write)/.test(steps)) whole.push(`${text} ${steps}`);
              return tx.rows(text, values);
            };
            const spy = { rows, row: async (text: string, values?: unknown[]) => (await rows(text, values))[0] };
            return work(spy as unknown as Tx);
          }),
      };
      expect((await verifyAudit(watched as unknown as Database)).broken).to.equal(null);
      const all = { workspaceId: undefined, actorId: undefined, toolName: undefined, recordId: undefined };
      const rest = { from: undefined, to: undefined, before: undefined, limit: 50 };
      for (const nobodys of ['workspaceId', 'actorId', 'toolName', 'recordId'] as const)
        await watched.read({ kind: 'platform' }, (tx) => listAuditEvents(tx, { ...all, ...rest, [nobodys]: 'nobody' }));
      for (const never of [{ from: 1e15 }, { to: 0 }])
        await watched.read({ kind: 'platform' }, (tx) => listAuditEvents(tx, { ...all, ...rest, ...never }));
      expect(whole).to.deep.equal([]);
      const chain = await chainOf(40);
      const page = await mcp.db.read({ kind: 'platform' }, (tx) => listAuditEvents(tx, { ...all, ...rest }));
      expect(page.filter((row) => row.chain === chain)).to.have.length(40);
      expect(await watched.read({ kind: 'platform' }, (tx) => linksHold(tx, page))).to.equal(true);
      expect(whole).to.deep.equal([]);
      // One plan for all filters would walk over all of the log for each of them.
      const prepares = new Database({ url: cluster.databaseUrl, max: 1, applicationName: 'plans', prepare: true });
      await prepares.read({ kind: 'platform' }, async (tx) => {
        for (let call = 0; call < 16; call++) await listAuditEvents(tx, { ...all, ...rest, toolName: 'nobody' });
        const plans = await tx.rows<{ generic: string; custom: string }>(
          `select generic_plans as generic, custom_plans as custom
           from pg_prepared_statements where statement like '%from audit_event%'`,
        );
        expect(plans.map(({ generic }) => Number(generic))).to.deep.equal([0]);
        expect(Number(plans[0]?.custom)).to.be.at.least(8);
      });
      await prepares.close();
      await superuser.query(
        `delete from outrider.audit_event where tool = 't'; delete from outrider.audit_write where tool = 't'`,
      );
    });

    it('a crash shows as a chain that was cut off; what Postgres could not take shows as a gap', async () => {
      const cut = new AuditLog(mcp.db, systemIds, silent);
      cut.append(record('before_the_crash'));
      const [written] = await eventsOf('before_the_crash');
      const verdict = await verify();
      expect(verdict.broken).to.equal(null);
      expect(verdict.gaps.join()).to.contain('is open or was cut off after position 1');
      await cut.close();
      expect(written?.position).to.equal(1);
      expect((await verify()).gaps.length).to.equal(verdict.gaps.length - 1);
    });

    it('`outrider audit verify` says so, and ends with 2 when a link is broken', async () => {
      const run = () =>
        promisify(execFile)(process.execPath, [OUTRIDER, 'audit', 'verify'], {
          env: { PATH: process.env['PATH'], DATABASE_URL: cluster.databaseUrl },
        }).then(
          ({ stdout }) => ({ code: 0, stdout }),
          (error: { code: number; stdout: string }) => error,
        );
      const chain = await chainOf(5);
      expect(await run()).to.include({ code: 0 });
      await while_(`update outrider.audit_event set tool = 'x' where chain = '${chain}' and position = 2`, async () => {
        const { code, stdout } = await run();
        expect(code).to.equal(2);
        expect(stdout).to.contain(`BROKEN chain ${chain}, position 2: was changed after it was written`);
      });
    });
  });

  describe('while Postgres does not answer', () => {
    it('records wait and are written when it is back; what does not fit is counted and told', async () => {
      let down = true;
      const flaky = {
        tx: (...args: Parameters<Database['tx']>) =>
          down ? Promise.reject(new Error('no connection')) : mcp.db.tx(...args),
      } as unknown as Database;
      const log = new AuditLog(flaky, systemIds, silent);
      log.append(record('first_of_outage'));
      for (let i = 0; i < 51_000; i++) log.append(record('during_outage'));
      down = false;
      await eventually('the gap is told', async () => {
        const { gaps } = await verifyAudit(mcp.db);
        return gaps.some((gap) => gap.endsWith('1001 records lost'));
      });
      await log.close();
      expect((await verifyAudit(mcp.db)).broken).to.equal(null);
    });

    it('a server that stops without its last records leaves a chain that was cut off, not one that was tampered with', async () => {
      let fails = 0;
      const flaky = {
        tx: (...args: Parameters<Database['tx']>) =>
          fails-- > 0 ? Promise.reject(new Error('no connection')) : mcp.db.tx(...args),
      } as unknown as Database;
      const log = new AuditLog(flaky, systemIds, silent);
      log.append(record('written_before_the_stop'));
      await eventsOf('written_before_the_stop');
      // As often as a server that stops tries; the database is back right behind it.
      fails = 3;
      log.append(record('lost_at_the_stop'));
      await log.close();
      expect(fails).to.be.lessThan(1);
      const { broken, gaps } = await verifyAudit(mcp.db);
      expect(broken).to.equal(null);
      expect(gaps.join()).to.contain('is open or was cut off after position 1');
    });
  });
});

const UNWRITABLE: Record<string, string> = { bad_by_nul: 'some\u0000one', bad_by_half: 'some\ud83d' };

function record(tool: string): AuditRecord {
  return {
    id: systemIds.uuid(),
    at: 1,
    actorKind: 'user',
    actorId: UNWRITABLE[tool] ?? 'someone',
    keyPrefix: 'csu_test',
    tool,
    workspaceId: null,
    outcome: 'ok',
    calls: 1,
    durationUs: 5,
    inputHash: 'hash',
    recordIds: ['a', 'b'],
    requestId: 'request',
  };
}
