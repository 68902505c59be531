import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import pg from 'pg';
import { makeServerCertificate } from '../../../pkg/standalone/kubeapi/server-certificate.ts';
import { API_KEY, startBench } from '../../fixtures/sandbox/harness.ts';
import { startTlsProxy } from '../../fixtures/sandbox/tls-proxy.ts';
import { testPostgres } from '../../tools/postgres.ts';

const CLI = new URL('../../../cmd/outrider/main.ts', import.meta.url).pathname;

describe('outrider mailbox connect', function () {
  this.timeout(60_000);
  let owner: pg.Client;
  let ownerUrl: string;
  before(async () => {
    ({ ownerUrl } = await (await testPostgres()).product());
    owner = new pg.Client({ connectionString: ownerUrl });
    await owner.connect();
    await owner.query(
      `insert into workspace (id, uid, name, created_at, updated_at) values ('acme', 'acme', 'Acme', 1, 1), ('rival', 'rival', 'Rival', 1, 1)`,
    );
  });
  after(() => owner.end());

  /** What else the command finds in its environment. */
  let more: Record<string, string> = {};
  /** @returns the id of the account */
  const connect = async (address: string, workspace: string, ...options: string[]): Promise<string> => {
    const { PATH: path } = process.env;
    const env = { PATH: path, OWNER_DATABASE_URL: ownerUrl, OUTRIDER_SECRETS_KEY: 's'.repeat(40), ...more };
    const args = [CLI, 'mailbox', 'connect', address, '--workspace', workspace, ...options];
    const { stdout } = await promisify(execFile)(process.execPath, args, { env });
    return stdout.split(' ')[0] ?? '';
  };

  it('makes a mailbox of each address, however soon after another; connecting one again changes what is said', async () => {
    const [ada, bob] = [`ada-${randomUUID()}@agency.example`, `bob-${randomUUID()}@rival.example`];
    const first = await connect(ada, 'acme', '--name', 'Ada', '--limit', '7', '--timezone', 'Europe/Berlin');
    const second = await connect(bob, 'rival', '--name', 'Bob');
    expect(await connect(ada.toUpperCase(), 'acme', '--limit', '8')).to.equal(first);
    const { rows } = await owner.query(
      `select m.address, a.external_id, a.display_name, a.timezone, a.limits,
         (select array_agg(workspace_id) from account_link l where l.account_id = a.id) as workspaces
       from mailbox m join network_account a on a.id = m.account_id where a.id = any ($1) order by a.display_name`,
      [[first, second]],
    );
    expect(rows).to.deep.equal([
      {
        address: ada,
        external_id: ada,
        display_name: 'Ada',
        timezone: 'Europe/Berlin',
        limits: { mail: { day: 8 } },
        workspaces: ['acme'],
      },
      {
        address: bob,
        external_id: bob,
        display_name: 'Bob',
        timezone: 'UTC',
        limits: { mail: { day: 40 } },
        workspaces: ['rival'],
      },
    ]);
  });

  it('keeps the folder of sent mails that the server has, whatever it is called: nothing could be looked up in another', async () => {
    const sandbox = await startBench('mailbox-command');
    const certificate = await makeServerCertificate(Date.now());
    const { smtpPort, imapPort } = sandbox.sandbox.mail;
    const proxies = [
      await startTlsProxy('smtp', smtpPort, certificate),
      await startTlsProxy('imap', imapPort, certificate),
    ];
    const home = await mkdtemp(join(tmpdir(), 'outrider-mailbox-'));
    try {
      await writeFile(join(home, 'ca.pem'), certificate.cert);
      more = { NODE_EXTRA_CA_CERTS: join(home, 'ca.pem'), MAILBOX_PASSWORD: API_KEY };
      const [smtp, imap] = proxies.map((proxy) => `127.0.0.1:${proxy.port}`);
      const servers = ['--smtp', smtp ?? '', '--imap', imap ?? ''];
      const id = await connect(`eve-${randomUUID()}@agency.example`, 'acme', ...servers, '--sent-folder', 'Sent Items');
      const { rows } = await owner.query('select sent_folder from mailbox where account_id = $1', [id]);
      expect(rows).to.deep.equal([{ sent_folder: 'Sent' }]);
    } finally {
      more = {};
      for (const proxy of proxies) await proxy.close();
      await sandbox.stop();
      await rm(home, { recursive: true, force: true });
    }
  });

  it('refuses a timezone that the database does not know, which would end each look at the account', async () => {
    const refusal = await connect('cy@agency.example', 'acme', '--timezone', 'Mars/Olympus').catch(
      (error: { stderr: string }) => error.stderr,
    );
    expect(refusal).to.equal('--timezone Mars/Olympus is no IANA name such as Europe/Berlin.\n');
  });
});
