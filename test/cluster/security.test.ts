import { expect } from 'chai';
import { fixture } from './cluster-fixture.ts';
import { eventually, minutes } from './patient.ts';
import { executorOf, makeTeam, type Team } from './people.ts';
import type { Release } from './release.ts';

describe('security on a real cluster', () => {
  let release: Release;
  let team: Team;
  let pod: string;

  before(async function () {
    this.timeout(minutes(30));
    ({ release } = await fixture(this));
    team = await makeTeam(release, 'safe');
    await team.trigger(await team.people('Mary'));
    await team.arrived(1);
    pod = await executorOf(release, 'safe');
  });

  const node = (script: string): Promise<string> =>
    release.kubectl('exec', pod, '--', '/usr/local/bin/node', '--input-type=module', '-e', script);

  it("the executor's pod has no token that the API server accepts", async () => {
    const status = await node(
      `import { readFileSync } from 'node:fs'; process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
       const token = readFileSync('/var/run/secrets/outrider/token', 'utf8').trim();
       const answer = await fetch('https://kubernetes.default.svc/api/v1/namespaces', { headers: { authorization: 'Bearer ' + token } });
       console.log(answer.status);`,
    );
    expect(status.trim()).to.equal('401');
    const files = await node(
      `import { readdirSync } from 'node:fs'; console.log(JSON.stringify(readdirSync('/var/run/secrets')));`,
    );
    expect(JSON.parse(files)).to.deep.equal(['outrider']);
  });

  it("with the pod's whole environment plain SQL reads no row, its own workspace's neither", async () => {
    const environment = JSON.parse(await node('console.log(JSON.stringify(process.env))')) as Record<string, string>;
    const rows = await release.sqlAs(environment['DATABASE_URL'] ?? '', 'select * from run');
    expect(rows).to.deep.equal([]);
    const other = await release
      .sqlAs(environment['DATABASE_URL'] ?? '', 'select * from lead where private_workspace_id is not null')
      .catch(() => []);
    expect(other).to.deep.equal([]);
  });

  it('a stranger’s token, and a pod that is not ours, get no claim', async () => {
    const token = await release.kubectl('create', 'token', 'outrider-executor', '--audience=outrider-executor');
    const status = await node(
      `const answer = await fetch(process.env.CLAIM_URL + '/claims', { method: 'POST', headers: { authorization: 'Bearer ${token.trim()}' }, body: '{}' });
       console.log(answer.status);`,
    );
    expect(status.trim()).to.equal('401');
  });

  it('all pods pass the restricted standard enforced on the namespace', async () => {
    const report = await release.kubectl(
      'label',
      'namespace',
      release.namespace,
      'pod-security.kubernetes.io/enforce=restricted',
      '--overwrite',
      '--dry-run=server',
    );
    expect(report).to.not.match(/Warning|violat/i);
  });

  describe('a tenant with kubectl', () => {
    const tenant = ['--as=ann', '--as-group=tenants'];
    const can = (verb: string, what: string): Promise<string> =>
      release.kubectl('auth', 'can-i', verb, ...what.split(' '), ...tenant).catch(() => 'no');

    before(async () => {
      await release.kubectl('create', 'rolebinding', 'tenants', '--clusterrole=edit', '--group=tenants');
      await eventually(
        'the roles are aggregated',
        async () => (await can('create', 'campaigns.outrider.dev')).startsWith('yes'),
        30_000,
      );
    });

    for (const [verb, what, allowed] of [
      ['get', 'workspaces.outrider.dev', true],
      ['create', 'campaigns.outrider.dev', true],
      ['delete', 'workflows.outrider.dev', true],
      ['create', 'workspaces.outrider.dev', false],
      ['patch', 'workspaces.outrider.dev', false],
      ['update', 'workspaces.outrider.dev --subresource=platform', false],
      ['patch', 'campaigns.outrider.dev --subresource=status', false],
    ] as const) {
      it(`${allowed ? 'may' : 'may not'} ${verb} ${what}`, async () => {
        expect((await can(verb, what)).trim()).to.equal(allowed ? 'yes' : 'no');
      });
    }

    it('who may write Workspaces still changes nothing that is the platform’s', async () => {
      const role = ['--verb=get,create,patch,update', '--resource=workspaces.outrider.dev'];
      await release.kubectl('create', 'role', 'writers', ...role);
      await release.kubectl('create', 'rolebinding', 'writers', '--role=writers', '--group=tenants');
      const patch = (spec: object): Promise<string> =>
        release
          .kubectl('patch', 'ows/safe', '--type=merge', '-p', JSON.stringify({ spec }), ...tenant)
          .catch((error: Error) => error.message);
      await eventually(
        'the policy is in force',
        async () => /spec.owner is the platform/.test(await patch({ owner: 'eve@example.com' })),
        30_000,
      );
      expect(await patch({ limits: { readPerMinute: 100_000 } })).to.match(/spec.limits is the platform/);
      expect(await patch({ executor: { priorityClassName: 'system-node-critical' } })).to.match(
        /spec.executor is the platform/,
      );
      expect(await patch({ displayName: 'Safe and sound' })).to.match(/patched/);
    });
  });

  it('a reference to another namespace’s workspace can not be written', async () => {
    const other = `${release.namespace}-b`;
    const { cluster } = await fixture();
    await cluster.kubectl(['create', 'namespace', other]);
    try {
      const campaign = {
        apiVersion: 'outrider.dev/v1alpha1',
        kind: 'Campaign',
        metadata: { name: 'thief', namespace: other },
        spec: { workspaceRef: { name: 'safe' }, title: 'T', goal: 'g' },
      };
      await cluster.kubectl(['apply', '-f', '-'], { input: JSON.stringify(campaign) });
      await cluster.kubectl(['-n', other, 'wait', '--for=condition=Stalled', 'ocamp/thief', '--timeout=60s']);
    } finally {
      await cluster.kubectl(['-n', other, 'delete', 'ocamp', 'thief', '--timeout=60s']);
      await cluster.kubectl(['delete', 'namespace', other, '--wait=false']);
    }
  });

  it('a workspace’s secrets are in no object: neither login nor keys stand in a Pod or resource', async () => {
    const [pods, objects] = [
      await release.kubectl('get', 'pods', '-o', 'json'),
      await release.kubectl('get', 'outrider', '-o', 'json'),
    ];
    const secret = await release.get<{ data: Record<string, string> }>('secret', 'outrider-database');
    for (const encoded of Object.values(secret.data)) {
      const text = Buffer.from(encoded, 'base64').toString('utf8');
      expect(pods).to.not.include(text);
      expect(objects).to.not.include(text);
    }
  });
});
