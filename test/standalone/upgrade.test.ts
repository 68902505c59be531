import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import pg from 'pg';
import { PROGRAM_VERSION } from '../../pkg/base/program-version.ts';
import { Sealer } from '../../pkg/base/sealer.ts';
import { Database } from '../../pkg/postgres/database.ts';
import { SYSTEM_MAILBOX } from '../../pkg/standalone/components.ts';
import type { Connection } from '../../pkg/standalone/connection.ts';
import type { DemoClient } from '../../pkg/standalone/demo/demo-client.ts';
import { verifyAudit } from '../../pkg/store/audit/verify-audit.ts';
import { missingMigrations, readSchema } from '../../pkg/store/migrations.ts';
import { FULL } from '../chaos/seed.ts';
import { RunningHome, until } from '../fixtures/standalone/running-home.ts';
import { kubectl } from '../tools/kubectl.ts';
import { INVARIANTS, type Wrong } from '../tools/ledger-adds-up.ts';
import { dumpSchema } from '../tools/schema-dump.ts';
import { type Facts, lostOf, readFacts } from '../upgrade/facts.ts';
import { readHome, type StoredHome, storedVersions, unpackHome } from '../upgrade/home-archive.ts';
import { playUntil } from '../upgrade/product-time.ts';
import { connected } from '../upgrade/stored-database.ts';

const HOUR = 3_600_000;
const WEEK = 7 * 24 * HOUR;

/** What the sandbox performed; its file is the judge, and belongs to no program that is upgraded. */
interface Received {
  accountId: string;
  kind: string;
  target: string;
  text: string | null;
}

const stored = await storedVersions();
/** The last version's in `make test`, every stored home in `make test-long`. */
const versions = FULL ? stored : stored.slice(-1);
const newest = versions.at(-1);

for (const version of versions) {
  describe(`a home that ${version} left in the middle of its work, upgraded`, function () {
    this.timeout(180_000);
    let stored: StoredHome;
    let home: RunningHome;
    let connection: Connection;
    let client: DemoClient;
    let owner: pg.Client;
    let stoppedWith: Facts;
    let schema: string;
    let receivedBefore: Received[];

    const sql = async <T extends object>(statement: string, values: unknown[] = []): Promise<T[]> =>
      (await owner.query(statement, values)).rows as T[];
    /** What left for leads; what the house itself mails to its users is its own business. */
    const received = async (): Promise<Received[]> => {
      const all = (await (await fetch(`${connection.sandboxUrl}/_sandbox/received`)).json()) as Received[];
      return all.filter(({ accountId }) => accountId !== SYSTEM_MAILBOX);
    };
    const database = async <T>(work: (db: Database) => Promise<T>): Promise<T> => {
      const db = new Database({ url: connection.databaseUrl, max: 1, applicationName: 'upgrade-test' });
      return work(db).finally(() => db.close());
    };

    before(async () => {
      stored = readHome(version);
      home = await RunningHome.make();
      await unpackHome(stored, home.folder, async (url) => {
        stoppedWith = await readFacts(url);
        schema = await connected(url, dumpSchema);
      });
    });
    after(async () => {
      await client?.close().catch(() => undefined);
      await owner?.end().catch(() => undefined);
      await home.remove();
    });

    it('is restored as its program made it', () => {
      // What the text says of a thing is this program's way to say it; which things and columns there are is not.
      expect(thingsOf(schema)).to.deep.equal(thingsOf(stored.schemaText));
    });

    it('starts, with its schema brought up to this version, under the keys that it has', async () => {
      connection = await home.start();
      client = await home.client();
      owner = new pg.Client({ connectionString: connection.databaseUrl });
      await owner.connect();
      receivedBefore = await received();
      expect(await database(async (db) => missingMigrations(db, await readSchema()))).to.deep.equal([]);
      const health = (await (await fetch(connection.mcpUrl.replace('/mcp', '/health'))).json()) as { version: string };
      expect(health.version).to.equal(PROGRAM_VERSION);
      expect((await home.cli('--version')).text.trim()).to.equal(PROGRAM_VERSION);
      const whoami = await home.cli('call', 'svc_whoami');
      expect(whoami.code, whoami.text).to.equal(0);
      expect(receivedBefore).to.have.length.above(30);
    });

    // What goes, goes a version later: the programs of the version before run on this schema while an upgrade rolls, and after a rollback.
    if (version === newest) {
      it('what the program of before calls, reads and writes is still there', async () => {
        const now = await connected(connection.databaseUrl, dumpSchema);
        const kept = new Set(usedBy(now));
        const gone = usedBy(stored.schemaText).filter((line) => !kept.has(line));
        expect(gone.filter((line) => !UNUSED.some((thing) => line.startsWith(`${thing}:`)))).to.deep.equal([]);
      });
    }

    it('its custom resources are served, those that are well and the one that is not', async () => {
      const shown = await kubectl(connection.kubeconfig, ['get', 'outrider', '-A', '-o', 'json']);
      const { items } = JSON.parse(shown.stdout) as { items: Resource[] };
      const kept = stoppedWith.get('campaign')?.size ?? 0;
      expect(items.filter(({ kind }) => kind === 'Campaign')).to.have.length(kept);
      const ready = new Map(items.map((item) => [item.metadata.name, readyOf(item)]));
      expect(ready.get('acme')).to.equal('True');
      expect(ready.get('acme-winter')).to.equal('True');
      expect(ready.get('acme-broken')).to.equal('False');
      const { campaigns } = await client.inWorkspace<{ campaigns: { title: string }[] }>('svc_list_campaigns');
      expect(campaigns.map(({ title }) => title).sort()).to.deep.equal(['Mondays', 'Winter']);
    });

    it('its sealed secrets open', async () => {
      const { sealingKey, sandboxApiKey } = JSON.parse(await readFile(join(home.folder, 'secrets.json'), 'utf8')) as {
        sealingKey: string;
        sandboxApiKey: string;
      };
      const sealer = new Sealer(sealingKey);
      const [integration] = await sql<{ id: string; sealed: Buffer }>('select id, sealed from integration');
      if (!integration) throw new Error('no integration is there');
      expect(sealer.open(integration.sealed, `integration:${integration.id}`)).to.contain(sandboxApiKey);
    });

    it('what was under way is settled: unknown outcomes are looked up, what had not left leaves once', async () => {
      const open = `select id, state, error from send where (state in ('planned', 'claimed', 'dispatched')
        or (state = 'unknown' and dead_letter_state is null))`;
      // Those that were open when the home stopped; what live runs send meanwhile is theirs.
      const before = `${open} and coalesce(claimed_at, 0) <= ${stored.product}`;
      let left: object[] = [];
      await until(
        'every send is settled',
        async () => {
          left = await sql(before);
          return left.length === 0;
        },
        180_000,
      ).catch((error: Error) => {
        throw new Error(`${error.message}: ${JSON.stringify(left)}`);
      });
      const { deadLetters } = await client.call<{ deadLetters: { deadLetterId: string; outcomeKnown: boolean }[] }>(
        'svc_admin_list_dead_letters',
      );
      expect(deadLetters.map(({ outcomeKnown }) => outcomeKnown)).to.deep.equal([false]);
      const letter = {
        deadLetterId: deadLetters[0]?.deadLetterId,
        resolution: 'lookup',
        reason: 'the account answers',
      };
      await client.call('svc_admin_resolve_dead_letter', letter);
      await until('the letter is answered', async () => {
        const [row] = await sql<{ count: number }>(
          `select count(*)::int as count from send where dead_letter_state = 'open'`,
        );
        return row?.count === 0;
      });
    });

    it('plays a week: live runs go on, nothing is lost, credits add up', async () => {
      await playUntil({ folder: home.folder, sandboxUrl: connection.sandboxUrl, sql }, stored.product + WEEK, 2 * HOUR);
      const due = `select id, node_id, state, wait_reason from run where ended_at is null and due_at < $1`;
      const late = stored.product + WEEK - 4 * HOUR;
      await until('nothing is left behind', async () => (await sql(due, [late])).length === 0);
      expect(lostOf(stoppedWith, await readFacts(connection.databaseUrl))).to.deep.equal([]);
      const ended = await sql<{ name: string; count: number }>(
        `select w.name, count(*)::int as count from run r join workflow w on w.id = r.workflow_id
         where r.state = 'completed' group by 1 order by 1`,
      );
      // Those that no review and no silence keeps: they come to their end.
      const counts = Object.fromEntries(ended.map(({ name, count }) => [name, count]));
      expect(counts).to.include({ 'By mail': 5, Greeting: 5, 'On Mondays': 2, Request: 2 });
      const wrong = await sql<Wrong>(INVARIANTS);
      expect(wrong).to.deep.equal([]);
      expect(await sql(`select 1 from credit_hold where state = 'held'`)).to.have.length(0);
    });

    it('nobody was messaged twice: the sandbox received what the ledger says, each once', async () => {
      const all = await received();
      expect(all.slice(0, receivedBefore.length)).to.deep.equal(receivedBefore);
      expect(all.length).to.be.above(receivedBefore.length);
      expect(doubles(all.map(keyOf))).to.deep.equal([]);
      const sends = await sql<{ account: string; action: string; target: string }>(
        `select a.external_id as account, s.action, coalesce(s.target ->> 'publicId', s.target ->> 'to') as target
         from send s join network_account a on a.id = s.account_id where s.state = 'confirmed'`,
      );
      const recorded = sends.map(({ account, action, target }) => `${account} ${actionOf(action)} ${target}`);
      const seen = all.map(({ accountId, kind, target }) => `${accountId} ${actionOf(kind)} ${nameOf(target)}`);
      expect(seen.sort()).to.deep.equal(recorded.sort());
    });

    it('the audit log holds from its first link on, and the doctor finds nothing', async () => {
      const { broken, records } = await database(verifyAudit);
      expect(broken).to.equal(null);
      expect(records).to.be.above(stoppedWith.get('audit_event')?.size ?? 0);
      const { code, text } = await home.cli('doctor');
      expect(text.split('\n').filter((line) => line.startsWith('BAD'))).to.deep.equal([]);
      expect(code, text).to.equal(0);
    });
  });
}

interface Resource {
  kind: string;
  metadata: { name: string };
  status?: { conditions?: { type: string; status: string }[] };
}

function readyOf({ status }: Resource): string | undefined {
  return status?.conditions?.find(({ type }) => type === 'Ready')?.status;
}

/** Names of the things of a schema, and of their columns. */
function thingsOf(text: string): string[] {
  return text
    .split('\n')
    .filter((line) => /^\S|^ {2}column /.test(line))
    .map((line) => (line.startsWith('  column') ? line.split(' ').slice(0, 4).join(' ') : line));
}

/** Functions with what they take and return, and columns with their types: what a program may use, except by `select *`. */
function usedBy(text: string): string[] {
  let thing = '';
  return text.split('\n').flatMap((line) => {
    if (/^\S/.test(line)) thing = line;
    const column = /^ {2}column (\S+ [^(]*?)(?: not null| default .*| generated .*| identity .*)*$/.exec(line)?.[1];
    const returns = thing.startsWith('function ') ? /^ {2}(returns .*?) owner /.exec(line)?.[1] : undefined;
    const found = column ?? returns;
    return found === undefined ? [] : [`${thing}: ${found}`];
  });
}

/** What the newest release kept for programs of the release before it, and used no more itself. */
const UNUSED = ['type app.send_wish'];

/** What a person may receive once: a text, a request from an account. */
function keyOf({ accountId, kind, target, text }: Received): string {
  return kind === 'message' || kind === 'mail' ? `${kind} ${target} ${text}` : `${kind} ${target} ${accountId}`;
}

function doubles(keys: readonly string[]): string[] {
  return [...Map.groupBy(keys, (key) => key)].filter(([, all]) => all.length > 1).map(([key]) => key);
}

/** A noted request is one request to its receiver. */
function actionOf(action: string): string {
  return action === 'connection_request_with_note' ? 'connection_request' : action;
}

/** The person of a profile address; an address as it is. */
function nameOf(target: string): string {
  return target.replace(/\/+$/, '').split('/').at(-1) ?? target;
}
