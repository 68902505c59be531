import { expect } from 'chai';
import { fixture } from './cluster-fixture.ts';
import { eventually, minutes } from './patient.ts';
import { executorOf, makeTeam, type Team, workflowOf } from './people.ts';
import type { Release } from './release.ts';

describe('life on a real cluster', () => {
  let release: Release;
  let team: Team;

  before(async function () {
    this.timeout(minutes(30));
    ({ release } = await fixture(this));
    team = await makeTeam(release, 'acme');
  });

  it('helm test passes: the MCP server answers with the first key', async () => {
    const { cluster } = await fixture();
    const report = await cluster.helm(['test', release.name, '-n', release.namespace, '--timeout', '2m']);
    expect(report).to.match(/Phase:\s+Succeeded/);
  });

  it('a Workspace, Campaign and Workflow applied with kubectl message a real person once', async () => {
    await team.trigger(await team.people('Grace'));
    const [message] = await team.arrived(1);
    expect(message?.text).to.equal('Hello Grace');
    const states = await release.sql(`select count(*)::int as count from run where workflow_id = $1`, [team.workflow]);
    expect(states).to.deep.equal([{ count: 1 }]);
  });

  it('what tools make appears in kubectl get outrider, with printer columns, events and explain', async () => {
    const { campaignId } = await release.call<{ campaignId: string }>('svc_create_campaign', {
      workspaceId: 'acme',
      title: 'By tool',
      goal: 'talks',
      description: '',
    });
    expect(await release.kubectl('get', 'outrider')).to.include(campaignId);
    expect(await release.kubectl('get', 'ocamp', campaignId)).to.match(/READY\s+REASON\s+STATE/);
    await eventually('its events', async () =>
      /Events:[\s\S]*Executor/.test(await release.kubectl('describe', 'ows', 'acme')),
    );
    expect(await release.kubectl('explain', 'workflows.outrider.dev.spec.graph.nodes')).to.include('nodeType');
    const own = ['--field-selector', 'spec.workspaceRef.name=acme', '-o', 'name'];
    expect((await release.kubectl('get', 'ocamp', ...own)).trim().split('\n')).to.have.length(2);
  });

  it('kubectl diff shows a change before it is made, and nothing once it is', async () => {
    const { cluster } = await fixture();
    const manifest = JSON.stringify(workflowOf('acme-hello', 'acme-pilot', 'Good day {{lead:firstName}}'));
    const diff = (): Promise<string> =>
      cluster
        .kubectl(['-n', release.namespace, 'diff', '--server-side', '--force-conflicts', '-f', '-'], {
          input: manifest,
        })
        .catch((error: Error & { message: string }) => error.message);
    expect(await diff()).to.not.equal('');
    await cluster.kubectl(['-n', release.namespace, 'apply', '--server-side', '--force-conflicts', '-f', '-'], {
      input: manifest,
    });
    // Its status may change between the two looks of one diff.
    await eventually('nothing differs', async () => (await diff()) === '');
  });

  it('a tool does not take a field from a GitOps manager, and names it', async () => {
    const { cluster } = await fixture();
    const input = JSON.stringify({
      apiVersion: 'outrider.dev/v1alpha1',
      kind: 'Campaign',
      metadata: { name: 'acme-pilot' },
      spec: { workspaceRef: { name: 'acme' }, title: 'From Git', goal: 'meetings' },
    });
    const apply = ['-n', release.namespace, 'apply', '--server-side', '--force-conflicts', '--field-manager=argocd'];
    await cluster.kubectl([...apply, '-f', '-'], { input });
    const refused = await release
      .call('svc_update_campaign', { campaignId: 'acme-pilot', title: 'By tool' })
      .catch((error: Error) => error.message);
    expect(refused).to.match(/"spec.title" is managed by "argocd"/);
    expect(await release.kubectl('get', 'ocamp', 'acme-pilot', '-o', 'jsonpath={.spec.title}')).to.equal('From Git');
  });

  it('a suspended workspace loses its executor, sends nothing, and gets it back', async () => {
    const rest = await makeTeam(release, 'rest');
    const suspend = (mode: string): Promise<string> =>
      release.kubectl('patch', 'ows/rest', '--type=merge', '-p', JSON.stringify({ spec: { operatingMode: mode } }));
    const leads = await rest.people('Ada');
    await executorOf(release, 'rest');
    await suspend('Suspended');
    await release.kubectl('wait', '--for=jsonpath={.status.executor.state}=Idle', 'ows/rest', '--timeout=90s');
    await rest.trigger(leads);
    expect(await release.kubectl('get', 'ows/rest', '-o', 'jsonpath={.status.executor.podName}')).to.equal('');
    expect(await rest.messages()).to.deep.equal([]);
    await suspend('Running');
    expect(await rest.arrived(1, 90_000)).to.have.length(1);
  });
});
