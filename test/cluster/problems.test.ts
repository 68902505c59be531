import { expect } from 'chai';
import { fixture } from './cluster-fixture.ts';
import { eventually, minutes } from './patient.ts';
import { executorOf, makeTeam, type Team, workspaceOf } from './people.ts';
import type { Release } from './release.ts';

const POD = 'jsonpath={.metadata.uid}';
const EXECUTOR_IMAGE = 'jsonpath={.spec.template.spec.containers[0].env[?(@.name=="EXECUTOR_IMAGE")].value}';
/**
 * Takes all memory of the pod by processes that are smaller each than its first one, and names that one as the one to be
 * killed for it: so the kernel ends the executor, not who took the memory.
 */
const OUT_OF_MEMORY = `require('fs').writeFileSync('/proc/1/oom_score_adj', '1000');
  const hold = 'const all = Buffer.alloc(24 << 20, 1); setTimeout(() => all, 10_000);';
  for (let n = 0; n < 12; n++) require('child_process').spawn(process.execPath, ['-e', hold]);
  setTimeout(() => process.exit(0), 10_000);`;

describe('trouble on a real cluster', () => {
  let release: Release;

  before(async function () {
    this.timeout(minutes(30));
    ({ release } = await fixture(this));
  });

  afterEach(async () => {
    await release.kubectl('delete', 'quota', 'tight', '--ignore-not-found');
    await release.sandbox('POST', 'faults', []);
  });

  const uidOf = (pod: string): Promise<string> => release.kubectl('get', 'pod', pod, '-o', POD, '--ignore-not-found');
  const newUid = (pod: string, old: string): Promise<string> =>
    eventually(
      `another pod ${pod}`,
      async () => {
        const uid = await uidOf(pod);
        return uid !== '' && uid !== old && uid;
      },
      90_000,
    );
  const once = async (team: Team): Promise<void> => {
    expect((await team.messages()).map((one) => one.text)).to.deep.equal(['Hello Grace']);
  };

  it('an executor that is deleted by force while it works is replaced, and nobody is messaged twice', async () => {
    const team = await makeTeam(release, 'forced');
    const leads = await team.people('Grace');
    await release.sandbox('POST', 'faults', [{ action: 'message', kind: 'slow', rate: 1, ms: 4_500 }]);
    await team.trigger(leads);
    const pod = await executorOf(release, 'forced');
    const uid = await uidOf(pod);
    // The network did it and has not answered yet: the one who comes after has to find out.
    await team.arrived(1, 60_000);
    await release.kubectl('delete', 'pod', pod, '--grace-period=0', '--force');
    await newUid(pod, uid);
    await release.sandbox('POST', 'faults', []);
    await team.arrived(1, 120_000);
    await eventually(
      'the ledger knows that it arrived',
      async () => {
        const rows = await release.sql(`select state from send where workspace_id = 'forced'`);
        return rows.length === 1 && rows[0]?.['state'] === 'confirmed';
      },
      120_000,
    );
    await once(team);
  });

  it('an evicted executor comes back and goes on', async () => {
    const team = await makeTeam(release, 'evicted');
    const leads = await team.people('Grace');
    const pod = await executorOf(release, 'evicted');
    const uid = await uidOf(pod);
    const eviction = {
      apiVersion: 'policy/v1',
      kind: 'Eviction',
      metadata: { name: pod, namespace: release.namespace },
    };
    const { cluster } = await fixture();
    const path = `/api/v1/namespaces/${release.namespace}/pods/${pod}/eviction`;
    await cluster.kubectl(['create', '--raw', path, '-f', '-'], { input: JSON.stringify(eviction) });
    await eventually('the pod is gone', async () => (await uidOf(pod)) !== uid, 90_000);
    await team.trigger(leads);
    await newUid(pod, uid);
    await team.arrived(1, 120_000);
    await once(team);
  });

  it('a quota that is used up is said on the Workspace, and clears when there is room', async () => {
    await release.kubectl('create', 'quota', 'tight', '--hard=pods=1');
    const team = await makeTeam(release, 'crowded');
    await team.trigger(await team.people('Grace'));
    await eventually(
      'the reason on the Workspace',
      async () => /quota/i.test(await release.kubectl('get', 'ows/crowded', '-o', 'jsonpath={.status.conditions}')),
      60_000,
    );
    await release.kubectl('delete', 'quota', 'tight');
    await team.arrived(1, 120_000);
  });

  it('a limit range that the executor does not fit in is told on the Workspace, and clears with it', async () => {
    const range = { limits: [{ type: 'Container', max: { memory: '64Mi' } }] };
    await release.apply({ apiVersion: 'v1', kind: 'LimitRange', metadata: { name: 'narrow' }, spec: range });
    try {
      const team = await makeTeam(release, 'narrow');
      await team.trigger(await team.people('Grace'));
      const said = 'jsonpath={.status.conditions[?(@.type=="ExecutorAvailable")].message}';
      await eventually(
        'the reason on the Workspace',
        async () => /maximum memory usage/.test(await release.kubectl('get', 'ows/narrow', '-o', said)),
        60_000,
      );
      await release.kubectl('delete', 'limitrange', 'narrow');
      await team.arrived(1, 120_000);
    } finally {
      await release.kubectl('delete', 'limitrange', 'narrow', '--ignore-not-found');
    }
  });

  it('an executor that runs out of memory says so, is started again, and nobody is messaged twice', async () => {
    const team = await makeTeam(release, 'small');
    await team.greet('Grace');
    await team.arrived(1, 120_000);
    const pod = await executorOf(release, 'small');
    const events = ['events', '--field-selector', 'reason=ExecutorRestarted', '-o', 'jsonpath={.items[*].message}'];
    const said = 'jsonpath={.status.conditions[?(@.type=="ExecutorAvailable")].message}';
    await eventually(
      'the reason on the Workspace',
      async () => {
        await release.kubectl('exec', pod, '--', '/usr/local/bin/node', '-e', OUT_OF_MEMORY).catch(() => '');
        return /OOMKilled/.test(await release.kubectl('get', 'ows/small', '-o', said));
      },
      180_000,
    );
    expect(await release.kubectl('get', 'ows/small', '-o', 'jsonpath={.status.executor.state}')).to.not.equal(
      'Running',
    );
    expect(await release.kubectl('get', ...events)).to.include('OOMKilled (exit code 137)');
    await team.greet('Ada');
    await team.arrived(2, 180_000);
    expect((await team.messages()).map((one) => one.text).sort()).to.deep.equal(['Hello Ada', 'Hello Grace']);
    await eventually(
      'at work again',
      async () => /at work/.test(await release.kubectl('get', 'ows/small', '-o', said)),
      120_000,
    );
  });

  it('an image that can not be pulled is told, stops a share of the executors at most, and clears with the image', async () => {
    const [steady, fresh] = [await makeTeam(release, 'works'), await makeTeam(release, 'pulls')];
    await steady.greet('Grace');
    await steady.arrived(1, 120_000);
    const operator = 'deployment/outrider-operator';
    const image = await release.kubectl('get', operator, '-o', EXECUTOR_IMAGE);
    const use = async (name: string): Promise<void> => {
      await release.kubectl('set', 'env', operator, `EXECUTOR_IMAGE=${name}`);
      await release.kubectl('rollout', 'status', operator, '--timeout=180s');
    };
    const said = 'jsonpath={.status.conditions[?(@.type=="ExecutorAvailable")]}';
    try {
      await use('outrider.dev/not-there:1');
      // The executor that its first look at the workflow woke has the old image, and would do the work at once.
      await eventually(
        'asleep',
        async () => (await release.kubectl('get', 'ows/pulls', '-o', 'jsonpath={.status.executor.state}')) === 'Idle',
        120_000,
      );
      await fresh.trigger(await fresh.people('Grace'));
      await eventually(
        'the reason on the Workspace',
        async () => /ErrImagePull|ImagePullBackOff/.test(await release.kubectl('get', 'ows/pulls', '-o', said)),
        120_000,
      );
      expect(await release.kubectl('get', 'ows/pulls', '-o', 'jsonpath={.status.executor.state}')).to.equal('Starting');
      const images = 'jsonpath={.items[*].spec.containers[0].image}';
      const used = await release.kubectl('get', 'pods', '-l', 'outrider.dev/role=workspace', '-o', images);
      // The new one, and the one executor that may be replaced at a time.
      expect(used.split(' ').filter((name) => name.includes('not-there')).length).to.be.within(1, 2);
    } finally {
      await use(image);
    }
    await fresh.arrived(1, 180_000);
    await once(fresh);
    await steady.greet('Ada');
    await steady.arrived(2, 180_000);
  });

  it('a tenant’s namespace that is deleted during a campaign takes its executor along, and what nobody can have meant rests', async () => {
    const namespace = `${release.namespace}-tenant`;
    const { cluster } = await fixture();
    await cluster.kubectl(['create', 'namespace', namespace]);
    try {
      const team = await makeTeam(release, 'guest', namespace);
      await release.sandbox('POST', 'faults', [{ action: 'message', kind: 'slow', rate: 1, ms: 4_500 }]);
      await team.trigger(await team.people('Grace', 'Ada'));
      await team.arrived(1, 120_000);
    } finally {
      await cluster.kubectl(['delete', 'namespace', namespace, '--timeout=120s'], { timeoutMs: 150_000 });
      await release.sandbox('POST', 'faults', []);
    }
    const key = `${namespace}/guest`;
    const pods = [
      'get',
      'pods',
      '-l',
      'outrider.dev/role=workspace',
      '-o',
      'jsonpath={.items[*].metadata.annotations}',
    ];
    await eventually('its pod is gone', async () => !(await release.kubectl(...pods)).includes(key), 90_000);
    const rows = await release.sql(
      `select (select count(*)::int from held_deletion where kind = 'Workspace' and id = $1) as held,
              (select count(*)::int from workspace where id = $1 and deleted_at is not null) as tombstones,
              (select count(*)::int from send where workspace_id = $1 and state in ('planned', 'claimed')) as open`,
      [`${namespace}.guest`],
    );
    expect(rows).to.deep.equal([{ held: 1, tombstones: 0, open: 0 }]);
  });

  it('a workspace that can not get a node says why and recovers', async () => {
    const team = await makeTeam(release, 'nowhere');
    const leads = await team.people('Grace');
    const pod = await executorOf(release, 'nowhere');
    const uid = await uidOf(pod);
    await release.apply(workspaceOf('nowhere', { executor: { nodeSelector: { 'outrider.dev/nowhere': 'true' } } }));
    await eventually('the pod of the old template is gone', async () => (await uidOf(pod)) !== uid, 90_000);
    await team.trigger(leads);
    await eventually(
      'the scheduler’s reason on the Workspace',
      async () => /schedul/i.test(await release.kubectl('get', 'ows/nowhere', '-o', 'jsonpath={.status.conditions}')),
      90_000,
    );
    await release.apply(workspaceOf('nowhere'));
    await team.arrived(1, 120_000);
  });

  it('a Workspace deleted during a campaign goes with all below it, and applied again messages nobody twice', async () => {
    const team = await makeTeam(release, 'again');
    const leads = await team.people('Grace');
    await team.trigger(leads);
    await team.arrived(1, 120_000);
    await release.kubectl('delete', 'ows/again', '--timeout=90s');
    expect(await release.kubectl('get', 'ocamp/again-pilot', 'owf/again-hello', '--ignore-not-found')).to.equal('');
    const second = await makeTeam(release, 'again');
    await second.trigger(await second.people('Grace')).catch(() => undefined);
    await second.people('Ada');
    await once(team);
  });
});
