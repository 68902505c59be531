import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { Registry as Metrics } from 'prom-client';
import { customResourceDefinition, specSchema } from '../../../pkg/api/crd.ts';
import { API_VERSION } from '../../../pkg/api/kind.ts';
import { KINDS } from '../../../pkg/api/kinds.ts';
import type { KindName } from '../../../pkg/api/specs.ts';
import { SystemClock } from '../../../pkg/base/clock.ts';
import { systemIds } from '../../../pkg/base/ids.ts';
import { createLogger } from '../../../pkg/base/log.ts';
import { KubeClient } from '../../../pkg/kube/client.ts';
import { KubeError } from '../../../pkg/kube/kube-error.ts';
import type { SpecObject } from '../../../pkg/kube/types.ts';
import { createKubeMetrics } from '../../../pkg/metrics/kube-metrics.ts';
import { setUpCluster } from '../../../pkg/standalone/kube-setup.ts';
import { RESOURCES } from '../../../pkg/tools/resources/kinds.ts';
import { releaseFields } from '../../../pkg/tools/resources/release-field.ts';
import {
  type Fields,
  fluxDrift,
  serverSideDrift,
  threeWayPatch,
  twoWayDrift,
} from '../../fixtures/gitops/drift-rules.ts';
import { type Variant, variantsOf } from '../../fixtures/gitops/field-variants.ts';
import { TestApi } from '../../fixtures/kubeapi/harness.ts';
import type { Schema } from '../../fixtures/kubeapi/violations.ts';

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';
const EXAMPLES = new URL('../../../docs/examples/workspace.yaml', import.meta.url);

interface Level {
  schema: Schema & { description?: string };
  path: string;
  /** Below a list or a map. */
  inItem: boolean;
}

function* levels(schema: Level['schema'], path: string, inItem: boolean): Generator<Level> {
  yield { schema, path, inItem };
  for (const [name, inner] of Object.entries(schema.properties ?? {})) yield* levels(inner, `${path}.${name}`, inItem);
  if (schema.items) yield* levels(schema.items, `${path}[]`, true);
  if (typeof schema.additionalProperties === 'object') yield* levels(schema.additionalProperties, `${path}{}`, true);
}

describe('Kubernetes API: a manifest and its object are the same to GitOps tools', function () {
  this.timeout(120_000);
  let api: TestApi;
  let client: KubeClient;
  let made = 0;
  before(async () => {
    api = await TestApi.start();
    const runtime = {
      clock: new SystemClock(),
      random: () => 0.5,
      ids: systemIds,
      log: createLogger('test', 'silent'),
      metrics: createKubeMetrics(new Metrics()),
    };
    client = KubeClient.open({ text: await readFile(api.kubeconfig, 'utf8') }, runtime, { qps: 5_000, burst: 5_000 });
    await setUpCluster(client, 'outrider', 'postgres://nobody');
  });
  after(async () => {
    // A real server has the objects of all files.
    for (const { plural } of Object.values(KINDS)) {
      const all = `/apis/outrider.dev/v1alpha1/namespaces/outrider/${plural}`;
      expect((await api.call('DELETE', all)).code).to.equal(200);
    }
    await client.close();
    await api.stop();
  });

  const manifestOf = (kind: KindName, spec: unknown): SpecObject => {
    const metadata = { name: `m-${made++}`, namespace: 'outrider' };
    return { apiVersion: API_VERSION, kind, metadata, spec };
  };
  const plain = (object: SpecObject): Fields => JSON.parse(JSON.stringify(object)) as Fields;

  /** As `kubectl apply` makes it: the manifest is kept in an annotation. @returns undefined: refused */
  async function applied(kind: KindName, manifest: SpecObject): Promise<SpecObject | undefined> {
    const annotations = { [LAST_APPLIED]: JSON.stringify(manifest) };
    const body = { ...manifest, metadata: { ...manifest.metadata, annotations } };
    try {
      return await client.create(RESOURCES[kind], body, { fieldManager: 'kubectl-client-side-apply' });
    } catch (error) {
      if (error instanceof KubeError && error.status === 422) return undefined;
      throw error;
    }
  }

  /** What a tool of these rules would see of an object that was applied a moment ago. */
  async function drift(kind: KindName, manifest: SpecObject, live: SpecObject): Promise<string[]> {
    const server = (manager: string, object = manifest): Promise<SpecObject> =>
      client.apply(RESOURCES[kind], object, { fieldManager: manager, force: true, dryRun: true });
    const seen = plain(live);
    const given = plain(manifest);
    const argo = await server('argocd-controller');
    const flux = await server('kustomize-controller');
    const kubectl = await server('kubectl');
    return [
      ...(Object.keys(threeWayPatch(given, given, seen)).length > 0 ? ['kubectl apply, Argo CD (three-way)'] : []),
      ...(twoWayDrift(given, seen) ? ['Argo CD (two-way)'] : []),
      ...(serverSideDrift(plain(argo), seen) ? ['Argo CD (server-side)'] : []),
      ...(fluxDrift(plain(flux), seen) ? ['Flux'] : []),
      ...(serverSideDrift(plain(kubectl), seen) ? ['kubectl diff --server-side'] : []),
    ];
  }

  /** A second manager that applies the same on the server's side. @returns what goes wrong */
  async function second(kind: KindName, spec: unknown): Promise<string[]> {
    const manifest = manifestOf(kind, spec);
    await client.apply(RESOURCES[kind], manifest, { fieldManager: 'first', force: false });
    try {
      const after = await client.apply<SpecObject>(RESOURCES[kind], manifest, { fieldManager: 'second', force: false });
      return after.metadata.generation === 1 ? [] : ['a second manager changes it'];
    } catch (error) {
      return [`a second manager: ${(error as Error).message}`];
    }
  }

  async function lookAt(kind: KindName, { path, values }: Variant): Promise<string[]> {
    for (const spec of values) {
      const manifest = manifestOf(kind, spec);
      const live = await applied(kind, manifest);
      if (!live) continue;
      const found = [...(await drift(kind, manifest, live)), ...(await second(kind, spec))];
      return found.map((one) => `spec${path}: ${one}`);
    }
    return [`spec${path}: no value was taken`];
  }

  for (const kind of Object.values(KINDS)) {
    it(`${kind.kind}: no field drifts by the rules of kubectl, Argo CD and Flux, and a second manager has no conflict`, async () => {
      const variants = [...variantsOf(specSchema(kind) as Schema)];
      expect(variants.length).to.be.greaterThan(15);
      const found: string[] = [];
      for (const variant of variants) found.push(...(await lookAt(kind.kind as KindName, variant)));
      expect(found).to.deep.equal([]);
    });

    it(`${kind.kind}: no default stands below a list or a map, and each level describes itself`, () => {
      const definition = customResourceDefinition(kind) as {
        spec: { versions: { schema: { openAPIV3Schema: Schema } }[] };
      };
      const all = [...levels(definition.spec.versions[0]?.schema.openAPIV3Schema ?? {}, kind.singular, false)];
      const described = all.filter(({ path }) => path !== `${kind.singular}.metadata`);
      const silent = described.filter(({ schema }) => !schema.description).map(({ path }) => path);
      const filled = all.filter(({ schema, inItem }) => inItem && schema.default !== undefined).map(({ path }) => path);
      expect(filled).to.deep.equal([]);
      expect(silent).to.deep.equal([]);
    });
  }

  it('the example is applied twice: unchanged; a second manager and kubectl diff --server-side have nothing to say', async () => {
    const text = await readFile(EXAMPLES, 'utf8');
    const run = async (args: string): Promise<string> => {
      const { code, stdout, stderr } = await api.kubectl(`-n outrider ${args} -f -`, { input: text });
      expect([code, stderr], args).to.deep.equal([0, '']);
      return stdout;
    };
    expect((await run('apply')).split('\n').filter((line) => !line.endsWith(' created'))).to.deep.equal(['']);
    expect((await run('apply')).split('\n').filter((line) => !line.endsWith(' unchanged'))).to.deep.equal(['']);
    await run('apply --server-side');
    expect(await run('diff --server-side')).to.equal('');
    await run('apply --server-side --field-manager=second');
  });

  it('a field that is released is nobody’s: another manager sets it without force, and kubectl apply no longer knows of it', async () => {
    const given = { workspaceRef: { name: 'acme' }, title: 'T', goal: 'From Git' };
    const manifest = manifestOf('Campaign', given);
    const { name } = manifest.metadata;
    await api.kubectl('apply -f -', { input: JSON.stringify(manifest) });
    const theirs = { ...manifest, spec: { goal: 'Mine' } };
    const options = { fieldManager: 'other', force: false };
    const refused = await client.apply(RESOURCES.Campaign, theirs, options).catch((error: unknown) => error);
    expect((refused as KubeError).status).to.equal(409);
    const released = await releaseFields(client, 'Campaign', { name, namespace: 'outrider' }, ['spec.goal']);
    expect(released).to.deep.equal([{ field: 'spec.goal', managers: ['kubectl-client-side-apply'] }]);
    await client.apply(RESOURCES.Campaign, theirs, options);
    const { goal: _, ...rest } = given;
    const { stdout } = await api.kubectl('apply -f -', { input: JSON.stringify({ ...manifest, spec: rest }) });
    expect(stdout).to.match(/unchanged\n$/);
    const { spec } = await client.get<SpecObject>(RESOURCES.Campaign, { name, namespace: 'outrider' });
    expect(spec).to.include({ goal: 'Mine', title: 'T' });
  });

  it('kubectl explain says something of each kind and its spec and status', async () => {
    for (const path of ['workspaces', 'campaigns', 'workflows'].flatMap((one) => [
      one,
      `${one}.spec`,
      `${one}.status`,
    ])) {
      const { stdout } = await api.kubectl(`explain ${path}`);
      expect(stdout, path)
        .to.match(/DESCRIPTION:\n\s+\S/)
        .and.not.include('<empty>');
    }
  });
});
