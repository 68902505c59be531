import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import pg from 'pg';
import type { Connection } from '../../pkg/standalone/connection.ts';
import type { DemoClient } from '../../pkg/standalone/demo/demo-client.ts';
import { startReviewedCampaign } from '../fixtures/standalone/reviewed-campaign.ts';
import { RunningHome, until } from '../fixtures/standalone/running-home.ts';
import { seenByPrometheus } from '../fixtures/standalone/seen-by-prometheus.ts';
import { startSmallCampaign } from '../fixtures/standalone/small-campaign.ts';
import { kubectl } from '../tools/kubectl.ts';

const EXAMPLE = new URL('../../docs/examples/workspace.yaml', import.meta.url).pathname;

interface Received {
  kind: string;
  target: string;
}

describe('make run, as its user sees it', function () {
  this.timeout(120_000);
  let home: RunningHome;
  let connection: Connection;
  let client: DemoClient;

  const kube = (...args: string[]): ReturnType<typeof kubectl> => kubectl(connection.kubeconfig, args);
  const received = async (): Promise<Received[]> =>
    (await (await fetch(`${connection.sandboxUrl}/_sandbox/received`)).json()) as Received[];

  before(async () => {
    home = await RunningHome.make();
    connection = await home.start();
    client = await home.client();
  });

  after(async () => {
    await client.close().catch(() => undefined);
    await home.remove();
  });

  it('the connection file names everything that answers, and only its owner may read it', async () => {
    expect((await stat(join(home.folder, 'connection.json'))).mode & 0o777).to.equal(0o600);
    expect(connection.demo.state).to.equal('off');
    for (const key of [connection.userKey, connection.workspaceKey]) {
      const { code, text } = await home.cli('call', 'svc_whoami');
      expect(code, text).to.equal(0);
      expect(key).to.match(/^csu?_[0-9a-f]{32}$/);
    }
    for (const url of [connection.metricsUrls.mcpServer, connection.metricsUrls.operator]) {
      expect(await (await fetch(url)).text()).to.contain('# HELP');
    }
    const health = (await (await fetch(connection.mcpUrl.replace('/mcp', '/health'))).json()) as { tools: string[] };
    expect(health.tools).to.include('svc_create_campaign');
  });

  it('a second start on the same folder is refused and the first lives on', async () => {
    const { child, output } = home.spawn({ PORT: String(home.port) });
    const code = await new Promise((resolve) => child.once('exit', resolve));
    expect(code).to.equal(1);
    expect(output()).to.contain('already runs on');
    expect((await home.cli('call', 'svc_whoami')).code).to.equal(0);
  });

  it('a used port is refused naming another', async () => {
    const other = await RunningHome.make();
    const { child, output } = other.spawn({ PORT: String(home.port) });
    expect(await new Promise((resolve) => child.once('exit', resolve))).to.equal(1);
    expect(output()).to.contain('make run PORT=');
    await other.remove();
  });

  it('what kubectl applies the tools list, and what tools make kubectl shows', async () => {
    const applied = await kube('apply', '-f', EXAMPLE);
    expect(applied.code, applied.stderr).to.equal(0);
    const waited = await kube(
      'wait',
      '--for=condition=Ready',
      '--timeout=30s',
      'ocamp/acme-spring',
      'ows/acme',
      'owf/acme-first-contact',
    );
    expect(waited.code, waited.stderr).to.equal(0);
    const admin = await home.cli('call', 'svc_admin_list_workspaces');
    expect(admin.text).to.contain('"workspaceId": "acme"');
    const { campaignId } = await client.inWorkspace<{ campaignId: string }>('svc_create_campaign', {
      title: 'Made by a tool',
    });
    expect((await kube('get', 'ocamp', campaignId, '-o', 'wide')).stdout).to.contain('Made by a tool');
    expect((await kube('explain', 'workflow.spec.graph')).stdout).to.contain('nodes');
  });

  it('kubectl logs shows what the account sync says', async () => {
    await until('account sync runs', async () => (await kube('get', 'pod', 'ex-accounts')).stdout.includes('Running'));
    expect((await kube('logs', 'ex-accounts')).code).to.equal(0);
  });

  it('the node agent refuses a foreign Pod', async () => {
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'foreign' },
      spec: { containers: [{ name: 'x', image: 'busybox' }] },
    };
    const made = await kubectl(connection.kubeconfig, ['apply', '-f', '-'], { input: JSON.stringify(pod) });
    expect(made.code, made.stderr).to.equal(0);
    await until('refused', async () => {
      const shown = JSON.parse((await kube('get', 'pod', 'foreign', '-o', 'json')).stdout) as {
        status: { phase: string; reason?: string };
      };
      return shown.status.phase === 'Failed' && shown.status.reason === 'UnsupportedByNodeAgent';
    });
    expect((await kube('delete', 'pod', 'foreign', '--grace-period=0', '--force')).code).to.equal(0);
  });

  it('outrider clock prints product time, jumps forward and never back', async () => {
    const before = await home.cli('clock');
    expect(before.text).to.match(/^\d{4}-\d\d-\d\dT.*Z {2}speed 1/);
    const after = await home.cli('clock', '--advance', '1d');
    expect(Date.parse(after.text.split(' ')[0] ?? '') - Date.parse(before.text.split(' ')[0] ?? '')).to.be.at.least(
      86_400_000,
    );
    expect((await home.cli('clock', '--advance', '-1d')).code).to.equal(1);
  });

  it("the specification's own flow: each lead is viewed and asked exactly once, also after delete and re-apply", async () => {
    const { workflowId, warnings } = await startSmallCampaign(client, 'standalone');
    expect(warnings.join(' ')).to.contain('draft campaign was activated');
    await home.cli('clock', '--skip-idle');
    const mine = async (kind: string): Promise<number> =>
      (await received()).filter((one) => one.kind === kind && one.target.includes('-standalone')).length;
    await until('three requests', async () => (await mine('connection_request')) === 3, 90_000);
    expect(await mine('profile_view')).to.equal(3);
    const { stdout } = await kube('get', 'owf', workflowId, '-o', 'json');
    const object = JSON.parse(stdout) as { metadata: Record<string, unknown>; spec: object; status?: object };
    expect((await kube('delete', 'owf', workflowId)).code).to.equal(0);
    object.metadata = { name: workflowId };
    delete object.status;
    const again = await kubectl(connection.kubeconfig, ['apply', '--server-side', '-f', '-'], {
      input: JSON.stringify(object),
    });
    expect(again.code, again.stderr).to.equal(0);
    expect((await kube('wait', '--for=condition=Ready', '--timeout=30s', `owf/${workflowId}`)).code).to.equal(0);
    await home.cli('clock', '--advance', '2d');
    await home.cli('clock', '--skip-idle', 'off');
    expect(await mine('connection_request')).to.equal(3);
    expect(await mine('profile_view')).to.equal(3);
  });

  it('a reply between approval and dispatch: the approved message never leaves', async () => {
    const sandbox = async (name: string, body: object): Promise<void> => {
      const answer = await fetch(`${connection.sandboxUrl}/_sandbox/${name}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      expect(answer.status, await answer.text()).to.equal(200);
    };
    const people = ['dora', 'emil'];
    for (const name of people) await sandbox('people', { publicId: `${name}-review`, behaviour: 'connected' });
    const now = Date.parse((await home.cli('clock')).text.split(' ')[0] ?? '');
    const campaign = await startReviewedCampaign(client, 'review', people, now);
    await campaign.approveAll();
    const waiting = async (name: string): Promise<boolean> =>
      (await campaign.run(name)).waitReason === 'business_hours';
    await until('both wait for their hours', async () => (await waiting('dora')) && (await waiting('emil')));

    const reply = { accountId: campaign.externalId, publicId: 'dora-review', text: 'Yes, let us talk next week.' };
    await sandbox('inbound', reply);
    await home.cli('clock', '--skip-idle');
    const messages = async (name: string): Promise<number> =>
      (await received()).filter((one) => one.kind === 'message' && one.target.endsWith(`/${name}-review`)).length;
    await until('who said nothing is written to', async () => (await messages('emil')) === 1, 90_000);
    const ended = await until('who replied is done', async () => {
      const run = await campaign.run('dora');
      return run.endReason !== null && run;
    });
    await home.cli('clock', '--skip-idle', 'off');

    expect(ended).to.include({ state: 'completed', endReason: 'replied' });
    expect(await messages('dora')).to.equal(0);
    const { reviewItems } = await client.inWorkspace<{ reviewItems: { leadId: string }[] }>('svc_list_review_items', {
      workflowId: campaign.workflowId,
      state: 'cancelled',
      fields: ['leadId'],
    });
    expect(reviewItems.map((item) => item.leadId)).to.deep.equal([campaign.leads.get('dora')]);
  });

  seenByPrometheus(() => ({ home, connection, client }));

  it('a home whose clock ran ahead is a rehearsal: real provider accounts are refused, and say what to do', async () => {
    const owner = new pg.Client({ connectionString: connection.databaseUrl });
    await owner.connect();
    await until('the database knows', async () => {
      const { rows } = await owner.query<{ rehearsal: boolean }>('select rehearsal from outrider.installation');
      return rows[0]?.rehearsal === true;
    });
    await owner.query(
      `insert into outrider.network_account (id, provider, external_id, status_since, created_at) values ('acc-real', 'unipile', 'real', 1, 1)`,
    );
    const { workspaceId } = connection;
    const link = { action: 'link', accountKind: 'network', accountId: 'acc-real', workspaceId };
    const refusal = await client.call('svc_admin_link_account', link).then(
      () => 'linked',
      (error: unknown) => String(error),
    );
    expect(refusal).to.match(/rehearsal.*make run OUTRIDER_HOME=<new folder>/s);
    // A link from before the clock ran ahead: time stays real for it.
    await owner.query(
      `insert into outrider.account_link (account_id, workspace_id, linked_at) values ('acc-real', $1, 1)`,
      [workspaceId],
    );
    const clock = await home.cli('clock', '--advance', '1d');
    expect(clock.code).to.equal(1);
    expect(clock.text).to.match(/real provider accounts.*OUTRIDER_HOME/s);
    await owner.query(`delete from outrider.account_link where account_id = 'acc-real'`);
    await owner.end();
  });

  it('Ctrl-C leaves no process and no lock; the next start has workspace, keys and clock again', async () => {
    await client.close();
    const time = Date.parse((await home.cli('clock')).text.split(' ')[0] ?? '');
    expect(await home.stop('SIGINT')).to.equal(0);
    expect(await home.processes()).to.deep.equal([]);
    expect(await readdir(home.folder)).to.not.include('lock');
    const again = await home.start();
    expect(again.userKey).to.equal(connection.userKey);
    expect(again.workspaceId).to.equal(connection.workspaceId);
    expect(Date.parse((await home.cli('clock')).text.split(' ')[0] ?? '')).to.be.at.least(time);
    connection = again;
    client = await home.client();
    expect((await kube('get', 'ocamp', 'acme-spring')).code).to.equal(0);
  });

  it('after a SIGKILL of the whole tree the next start heals by itself', async () => {
    await client.close();
    for (const line of await home.processes()) {
      try {
        process.kill(Number(line.split(' ')[0]), 'SIGKILL');
      } catch {
        // ended meanwhile
      }
    }
    await home.stop('SIGKILL');
    connection = await home.start();
    client = await home.client();
    expect(await client.call('svc_whoami')).to.have.property('scopes');
    const owner = new pg.Client({ connectionString: connection.databaseUrl });
    await owner.connect();
    const count = async (sql: string): Promise<number> => (await owner.query(sql)).rowCount ?? 0;
    await until('the operator has compared the epochs', async () => {
      return (
        (await count('select 1 from outrider.restore_guard where checked_start = pg_postmaster_start_time()')) === 1
      );
    });
    expect(await count('select 1 from outrider.send_freeze'), 'a plain restart needs nobody').to.equal(0);
    await owner.end();
  });

  it('no secret is in any log', async () => {
    const secrets = JSON.parse(await readFile(join(home.folder, 'secrets.json'), 'utf8')) as {
      roles: Record<string, string>;
      sessionSecret: string;
    };
    const hidden = [
      ...Object.values(secrets.roles),
      secrets.sessionSecret,
      connection.userKey,
      connection.workspaceKey,
      connection.runnerSecret,
    ];
    const folders = [join(home.folder, 'logs'), join(home.folder, 'logs', 'pods')];
    for (const folder of folders) {
      for (const file of (await readdir(folder)).filter((name) => name.endsWith('.log'))) {
        const text = await readFile(join(folder, file), 'utf8');
        for (const secret of hidden) expect(text.includes(secret), `${file} holds a secret`).to.equal(false);
      }
    }
  });
});
