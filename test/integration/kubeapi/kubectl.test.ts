import { execFile } from 'node:child_process';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { stringify } from 'yaml';
import { BOATS, BOATS_PATH, boat, type Json, TestApi } from '../../fixtures/kubeapi/harness.ts';
import { onlyEmbedded } from '../../fixtures/kubeapi/server.ts';
import { eventually } from '../../tools/kube.ts';
import { kubernetesTools, type Run } from '../../tools/kubectl.ts';

const yaml = (...objects: object[]): string => objects.map((object) => stringify(object)).join('---\n');

describe('Kubernetes API: the real kubectl', function () {
  this.timeout(120_000);
  let api: TestApi;
  before(async () => {
    api = await TestApi.start();
    expect((await api.kubectl('apply -f -', { input: yaml(BOATS) })).stdout).to.contain('boats.sea.test created');
    await ok('wait --for=condition=Established crd/boats.sea.test --timeout=20s');
  });
  after(() => api.stop());

  async function ok(args: string, input?: string, env?: Record<string, string>): Promise<Run> {
    const run = await api.kubectl(args, { ...(input === undefined ? {} : { input }), ...(env ? { env } : {}) });
    if (run.code !== 0) throw new Error(`kubectl ${args}: ${run.stderr}`);
    return run;
  }

  it('apply creates, is quiet the second time, configures the third', async () => {
    expect((await ok('apply -f -', yaml(boat('apply')))).stdout).to.equal('boat.sea.test/apply created\n');
    expect((await ok('apply -f -', yaml(boat('apply')))).stdout).to.equal('boat.sea.test/apply unchanged\n');
    const changed = yaml(boat('apply', { flag: 'blue' }));
    expect((await ok('apply -f -', changed)).stdout).to.equal('boat.sea.test/apply configured\n');
    expect((await ok('get bt apply -o jsonpath={.spec}')).stdout).to.equal('{"captain":"Ada","flag":"blue","sails":2}');
  });

  it('a List is applied, created and replaced as its items are; a typo in an item is refused', async () => {
    const list = (...items: object[]): string => yaml({ apiVersion: 'v1', kind: 'List', items });
    const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'listed' }, data: { a: '1' } };
    const both = list(boat('first'), map);
    const told = (what: string): string => `boat.sea.test/first ${what}\nconfigmap/listed ${what}\n`;
    expect((await ok('apply -f -', both)).stdout).to.equal(told('created'));
    expect((await ok('apply -f -', both)).stdout).to.equal(told('unchanged'));
    expect((await ok('replace -f -', both)).stdout).to.equal(told('replaced'));
    expect((await ok('create -f -', list(boat('second')))).stdout).to.equal('boat.sea.test/second created\n');
    expect((await ok('apply --server-side --force-conflicts -f -', both)).stdout).to.equal(told('serverside-applied'));
    const read = (await ok('get boats,configmaps listed first -o yaml --ignore-not-found')).stdout;
    expect((await ok('apply -f -', read)).code, 'what get printed').to.equal(0);
    const typo = await api.kubectl('apply -f -', { input: list(boat('third', { captian: 'x' })) });
    // A server that publishes the fields in /openapi/v2 lets kubectl see it by itself, in other words.
    expect([typo.code, /unknown field "(spec\.)?captian"/.test(typo.stderr)]).to.deep.equal([1, true]);
    expect((await ok('delete -f -', both)).stdout).to.match(/"first" deleted[\s\S]*"listed" deleted/);
  });

  it('apply refuses unknown fields and bad values with the field', async () => {
    const unknown = await api.kubectl('apply -f -', { input: yaml(boat('typo', { captian: 'x' })) });
    expect([unknown.code, unknown.stderr.includes('unknown field "spec.captian"')]).to.deep.equal([1, true]);
    const bad = await api.kubectl('apply -f -', { input: yaml(boat('bad', { sails: 99 })) });
    expect(bad.stderr).to.contain('The Boat "bad" is invalid: spec.sails: Invalid value: 99');
  });

  it('apply --server-side names manager and field of a conflict, and can force', async () => {
    expect((await ok('apply --server-side -f -', yaml(boat('ssa')))).stdout).to.equal(
      'boat.sea.test/ssa serverside-applied\n',
    );
    const other = yaml(boat('ssa', { captain: 'Bob' }));
    const refused = await api.kubectl('apply --server-side --field-manager=bob -f -', { input: other });
    expect(refused.code).to.equal(1);
    expect(refused.stderr).to.contain('Apply failed with 1 conflict: conflict with "kubectl": .spec.captain');
    await ok('apply --server-side --field-manager=bob --force-conflicts -f -', other);
    expect((await ok('get boat ssa -o jsonpath={.spec.captain}')).stdout).to.equal('Bob');
  });

  it('who goes over from client-side to server-side apply takes their fields along, and lets go of what they leave out', async () => {
    await ok('apply -f -', yaml(boat('over', { flag: 'blue' })));
    await ok('apply --server-side -f -', yaml(boat('over', { flag: 'blue' })));
    const { managedFields = [] } = (await api.call('GET', `${BOATS_PATH}/over`)).body.metadata;
    expect(managedFields.map(({ manager }) => manager)).not.to.include('kubectl-client-side-apply');
    await ok('apply --server-side -f -', yaml(boat('over')));
    expect((await ok('get boat over -o jsonpath={.spec}')).stdout).to.equal('{"captain":"Ada","sails":2}');
  });

  it('get prints the columns, wide ones on demand, by short name, singular and category', async () => {
    await ok('apply -f -', yaml(boat('shown')));
    const plain = (await ok('get boats shown')).stdout.split('\n');
    expect(plain[0]?.split(/\s+/)).to.deep.equal(['NAME', 'CAPTAIN', 'READY', 'AGE']);
    expect(plain[1]).to.match(/^shown\s+Ada\s+\d+s$/);
    expect((await ok('get boat shown -o wide')).stdout).to.match(/SAILS/);
    expect((await ok('get fleet -A')).stdout).to.contain('shown');
    expect((await ok('get bt -o name')).stdout).to.contain('boat.sea.test/shown\n');
    expect((await ok('get boats --field-selector spec.captain=Nobody')).stderr).to.contain('No resources found');
    expect((await api.kubectl('get boats missing')).stderr).to.contain(
      'Error from server (NotFound): boats.sea.test "missing" not found',
    );
    expect((await api.kubectl('get cars')).stderr).to.contain('the server doesn\'t have a resource type "cars"');
  });

  it('api-resources, api-versions, version and auth can-i answer', async () => {
    const resources = (await ok('api-resources')).stdout;
    expect(resources).to.match(/boats\s+bt\s+sea\.test\/v1\s+true\s+Boat/);
    expect((await ok('api-resources --categories=fleet -o name')).stdout).to.equal('boats.sea.test\n');
    expect((await ok('api-versions')).stdout.split('\n')).to.include.members(['sea.test/v1', 'v1']);
    expect((await ok('version')).stdout).to.match(/Server Version: v1\.35\.\d/);
    expect((await ok('auth can-i create boats')).stdout).to.equal('yes\n');
    expect((await ok('auth can-i --list')).stdout).to.match(/\*\.\*\s+\[\]\s+\[\]\s+\[\*\]/);
    expect((await ok('auth whoami -o jsonpath={.status.userInfo.username}')).stdout).to.equal('admin');
  });

  it('explain shows the description of a field', async () => {
    const top = (await ok('explain boat')).stdout;
    expect(top).to.contain('A boat of the fleet.');
    const field = (await ok('explain boat.spec.captain')).stdout;
    expect([field.includes('FIELD: captain <string>'), field.includes('Who steers.')]).to.deep.equal([true, true]);
    expect((await ok('explain boat.spec --recursive')).stdout).to.contain('crew\t<[]Object>');
    expect((await ok('explain pods')).stdout).to.contain('KIND:       Pod');
  });

  it('describe shows the object and its events', async () => {
    await ok('apply -f -', yaml(boat('told')));
    const { uid } = (await api.call('GET', `${BOATS_PATH}/told`)).body.metadata;
    await api.call('POST', '/apis/events.k8s.io/v1/namespaces/default/events', {
      metadata: { name: 'told.1', namespace: 'default' },
      eventTime: '2026-01-01T00:00:00.000000Z',
      action: 'Sail',
      reason: 'SetSail',
      note: 'the boat left the harbour',
      type: 'Normal',
      reportingController: 'sea.test/captain',
      reportingInstance: 'c-1',
      regarding: { apiVersion: 'sea.test/v1', kind: 'Boat', name: 'told', namespace: 'default', uid },
    });
    const text = (await ok('describe boat told')).stdout;
    expect(text).to.match(/Captain:\s+Ada/);
    expect(text).to.match(/Normal\s+SetSail\s+.*captain\s+the boat left the harbour/);
    expect((await ok('get events')).stdout).to.match(/SetSail\s+boat\/told\s+the boat left the harbour/);
    expect((await ok('events --for boat/told')).stdout).to.contain('the boat left the harbour');
  });

  it('get events tells when each was seen last, a series too', async () => {
    const event = (name: string, more: object): Json => ({
      metadata: { name, namespace: 'default' },
      eventTime: '2026-01-01T00:00:00.000000Z',
      action: 'Sail',
      reason: 'Seen',
      note: name,
      type: 'Normal',
      reportingController: 'sea.test/captain',
      reportingInstance: 'c-1',
      regarding: { apiVersion: 'sea.test/v1', kind: 'Boat', name: 'seen', namespace: 'default' },
      ...more,
    });
    const now = `${new Date().toISOString().slice(0, 19)}.000000Z`;
    const path = '/apis/events.k8s.io/v1/namespaces/default/events';
    for (const one of [event('once', {}), event('again', { series: { count: 5, lastObservedTime: now } })])
      expect((await api.call('POST', path, one)).code).to.equal(201);
    const told = (await ok('get events')).stdout;
    expect(told).to.match(/\n\d+(d|y\d*d?)\s+Normal\s+Seen\s+boat\/seen\s+once/);
    expect(told).to.match(/\n\d+s\s+Normal\s+Seen\s+boat\/seen\s+again/);
    for (const path of ['.lastTimestamp', '.metadata.creationTimestamp'])
      expect((await ok(`get events --sort-by=${path}`)).stdout, path).to.contain('again');
  });

  it('wait ends when the condition comes, and when the object goes', async () => {
    await ok('apply -f -', yaml(boat('waits')));
    const waiting = ok('wait --for=condition=Ready boat/waits --timeout=20s');
    await api.patch(`${BOATS_PATH}/waits/status`, 'merge', {
      status: { conditions: [{ type: 'Ready', status: 'True' }] },
    });
    expect((await waiting).stdout).to.equal('boat.sea.test/waits condition met\n');
    const going = ok('wait --for=delete boat/waits --timeout=20s');
    await ok('delete boat waits');
    await going;
  });

  it('edit by a script, patch, label, annotate and replace', async () => {
    await ok('apply -f -', yaml(boat('edited')));
    const editor = api.file('editor');
    await writeFile(editor, '#!/bin/sh\nsed -i s/Ada/Eve/ "$1"\n');
    await chmod(editor, 0o755);
    expect((await ok('edit boat edited', undefined, { KUBE_EDITOR: editor })).stdout).to.equal(
      'boat.sea.test/edited edited\n',
    );
    await ok('patch boat edited --type=merge -p {"spec":{"sails":4}}');
    await ok('patch boat edited --type=json -p [{"op":"add","path":"/spec/flag","value":"blue"}]');
    await ok('patch boat edited --subresource=status --type=merge -p {"status":{"phase":"Afloat"}}');
    await ok('label boat edited sea=north');
    await ok('annotate boat edited note=x');
    expect((await ok('get boat edited -L sea -o jsonpath={.spec}{.status}{.metadata.labels}')).stdout).to.equal(
      '{"captain":"Eve","flag":"blue","sails":4}{"phase":"Afloat"}{"sea":"north"}',
    );
    const current = (await ok('get boat edited -o yaml')).stdout.replace('Eve', 'Fay');
    expect((await ok('replace -f -', current)).stdout).to.equal('boat.sea.test/edited replaced\n');
  });

  it('diff shows what apply would change, and changes nothing', async () => {
    await ok('apply -f -', yaml(boat('diffed')));
    const run = await api.kubectl('diff -f -', { input: yaml(boat('diffed', { captain: 'Gus' })) });
    expect(run.code).to.equal(1);
    expect([run.stdout.includes('-  captain: Ada'), run.stdout.includes('+  captain: Gus')]).to.deep.equal([
      true,
      true,
    ]);
    expect((await ok('get boat diffed -o jsonpath={.spec.captain}')).stdout).to.equal('Ada');
    expect((await ok('apply --dry-run=server -f -', yaml(boat('undone')))).stdout).to.contain(
      'created (server dry run)',
    );
    expect((await api.kubectl('get boat undone')).code).to.equal(1);
  });

  it('get --watch follows', async () => {
    const watching = api.kubectl('get boats --watch --request-timeout=3s -o name');
    await eventually(
      'the boat is watched',
      async () => (await api.kubectl('apply -f -', { input: yaml(boat('followed')) })).code === 0,
    );
    expect((await watching).stdout).to.contain('boat.sea.test/followed');
  });

  it('logs print what the node agent keeps, tail and follow included', async function () {
    onlyEmbedded(this, 'logs come from a kubelet');
    const asked: Json[] = [];
    api.embedded.logs = async function* (namespace, pod, { follow, tailLines, container }) {
      asked.push({ namespace, pod, follow, tailLines, container });
      yield 'one\n';
      yield 'two\n';
    };
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'talker' },
      spec: { containers: [{ name: 'main', image: 'x' }] },
    };
    await ok('apply -f -', yaml(pod));
    expect((await ok('logs talker')).stdout).to.equal('one\ntwo\n');
    expect((await ok('logs -f --tail=5 talker')).stdout).to.equal('one\ntwo\n');
    expect(asked[1]).to.deep.include({
      namespace: 'default',
      pod: 'talker',
      follow: true,
      tailLines: 5,
      container: 'main',
    });
    expect((await api.kubectl('logs nobody')).stderr).to.contain('pods "nobody" not found');
    expect((await ok('get pods')).stdout).to.match(/talker\s+0\/1\s+Pending/);
    expect((await ok('describe pod talker')).stdout).to.match(/Status:\s+Pending/);
    await ok('delete pod talker --force');
  });

  it('delete by name, selector and file; namespaces with their contents', async () => {
    await ok('apply -f -', yaml(boat('gone')));
    expect((await ok('delete -f -', yaml(boat('gone')))).stdout).to.contain('boat.sea.test "gone" deleted');
    await ok('create namespace bay');
    await ok('apply -n bay -f -', yaml(boat('x1', {}, { labels: { a: 'b' } }), boat('x2')));
    expect((await ok('delete boats -n bay -l a=b')).stdout).to.contain('"x1" deleted');
    await ok('delete namespace bay');
    expect((await api.kubectl('get boats -n bay')).stderr).to.contain('No resources found');
    expect((await ok('get namespaces')).stdout).not.to.contain('bay');
  });

  it('helm installs, upgrades, lists and removes a release', async () => {
    const chart = api.file('chart');
    await mkdir(`${chart}/templates`, { recursive: true });
    await writeFile(`${chart}/Chart.yaml`, 'apiVersion: v2\nname: little\nversion: 0.1.0\n');
    const template = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'of-helm' },
      data: { a: '{{ .Values.a }}' },
    };
    await writeFile(`${chart}/templates/cm.yaml`, yaml(template));
    const { helm } = await kubernetesTools();
    const env = { PATH: process.env['PATH'] ?? '', HOME: api.file('.') };
    const run = async (...args: string[]): Promise<string> =>
      (await promisify(execFile)(helm, ['--kubeconfig', api.kubeconfig, ...args], { env, timeout: 60_000 })).stdout;
    await run('install', 'little', chart, '--set', 'a=one');
    await run('upgrade', 'little', chart, '--set', 'a=two');
    expect((await ok('get cm of-helm -o jsonpath={.data.a}')).stdout).to.equal('two');
    expect(await run('list')).to.match(/little\s+default\s+2\s.*deployed/);
    // A later chart has a value more. What docs/upgrade.md says keeps the values given and takes its default.
    await writeFile(`${chart}/values.yaml`, 'more: { b: new }\n');
    const later = { ...template, data: { ...template.data, b: '{{ .Values.more.b }}' } };
    await writeFile(`${chart}/templates/cm.yaml`, yaml(later));
    const page = await readFile(new URL('../../../docs/upgrade.md', import.meta.url), 'utf8');
    const flags = /^helm upgrade outrider \S+ -n outrider (.+)$/m.exec(page)?.[1]?.split(' ') ?? [];
    await run('upgrade', 'little', chart, ...flags);
    expect((await ok('get cm of-helm -o jsonpath={.data}')).stdout).to.equal('{"a":"two","b":"new"}');
    await run('uninstall', 'little');
    expect((await api.kubectl('get cm of-helm')).code).to.equal(1);
  });

  it('secrets and configmaps are made by generators', async () => {
    await ok('create secret generic hush --from-literal=a=b');
    expect((await ok('get secret hush -o jsonpath={.data.a}')).stdout).to.equal('Yg==');
    await ok('create configmap cm --from-literal=a=b');
    expect((await ok('get cm cm -o jsonpath={.data.a}')).stdout).to.equal('b');
  });

  it('kinds of a new definition are known at once, and forgotten when it goes', async () => {
    const ports = structuredClone(BOATS) as unknown as { metadata: Json; spec: Json & { names: Json } };
    ports.metadata['name'] = 'ports.sea.test';
    ports.spec.names = { plural: 'ports', singular: 'port', kind: 'Port', listKind: 'PortList' };
    await ok('apply --server-side -f -', yaml(ports));
    await ok('apply -f -', yaml({ ...boat('oslo'), kind: 'Port' }));
    await ok('delete crd ports.sea.test');
    expect((await api.kubectl('get ports')).code).to.equal(1);
  });
});
