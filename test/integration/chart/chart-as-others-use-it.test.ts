import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { expect } from 'chai';
import { parse, stringify } from 'yaml';
import { kubectl } from '../../tools/kubectl.ts';
import { CHART, type Manifest, podOf, render } from './rendered.ts';

type Values = Record<string, unknown>;
const PRODUCTION = {
  database: { existingSecret: 'pg' },
  redis: { existingSecret: 'redis' },
  secrets: { existingSecret: 'app' },
};
const SETS = { 'database.existingSecret': 'pg', 'redis.existingSecret': 'redis', 'secrets.existingSecret': 'app' };
const OF_RELEASES = new URL('released-values/', import.meta.url);
/** All that is made by choice, so that every template renders something. */
const EVERYTHING = {
  'networkPolicy.enabled': true,
  'mcpServer.autoscaling.enabled': true,
  'metrics.serviceMonitor.enabled': true,
  'metrics.podMonitor.enabled': true,
  'metrics.prometheusRule.enabled': true,
  'metrics.dashboards.enabled': true,
  'ingress.enabled': true,
  'ingress.host': 'mcp.example.com',
  'httpRoute.enabled': true,
  'httpRoute.parentRefs': [{ name: 'gateway' }],
  'httpRoute.hostnames': ['mcp.example.com'],
};

/** Every path of the values that is no free-form map. */
function pathsOf(values: Values, at: readonly string[] = []): string[][] {
  return Object.entries(values).flatMap(([key, value]) => {
    const path = [...at, key];
    const inner =
      value !== null && typeof value === 'object' && !Array.isArray(value) ? pathsOf(value as Values, path) : [];
    return [path, ...inner];
  });
}

for (const major of [3, 4] as const) {
  describe(`chart as others use it, Helm ${major}`, function () {
    this.timeout(240_000);
    let folder: string;
    let defaults: Values;
    before(async () => {
      folder = await mkdtemp(join(tmpdir(), 'outrider-chart-'));
      defaults = parse(await readFile(join(CHART, 'values.yaml'), 'utf8')) as Values;
    });
    after(() => rm(folder, { recursive: true, force: true }));

    /** A chart of somebody else that has ours as a dependency under another name. */
    async function parentOf(values: Values): Promise<string> {
      const parent = join(folder, 'parent');
      await rm(parent, { recursive: true, force: true });
      await mkdir(join(parent, 'charts'), { recursive: true });
      await cp(CHART, join(parent, 'charts/outrider'), { recursive: true });
      const { version } = parse(await readFile(join(CHART, 'Chart.yaml'), 'utf8')) as { version: string };
      const dependency = { name: 'outrider', version, alias: 'reach', condition: 'reach.enabled', repository: '' };
      const card = { apiVersion: 'v2', name: 'platform', version: '1.0.0', dependencies: [dependency] };
      await writeFile(join(parent, 'Chart.yaml'), stringify(card));
      await writeFile(join(parent, 'values.yaml'), stringify(values));
      return parent;
    }

    it('as a dependency with a condition and globals of the parent: it renders, the mirror counts, and off is off', async () => {
      const global = { imageRegistry: 'mirror.example', storageClass: 'fast', team: { name: 'growth' } };
      const chart = await parentOf({ global, reach: { enabled: true, ...PRODUCTION } });
      const manifests = await render({}, { major, chart });
      const images = manifests.flatMap((one) => podOf(one)?.spec.containers ?? []).map(({ image }) => image);
      expect(images).to.not.have.length(0);
      for (const image of images) expect(image).to.match(/^mirror\.example\//);
      for (const { metadata } of manifests)
        expect(metadata.labels?.['app.kubernetes.io/name'], metadata.name).to.equal('reach');
      expect(await render({ 'reach.enabled': false }, { major, chart })).to.deep.equal([]);
    });

    it('what a parent leaves empty counts as absent in the dependency, too', async () => {
      const given = { ...PRODUCTION, mcpServer: { allowedHosts: null, replicas: null, mail: null }, global: null };
      const plain = await render({}, { major, chart: await parentOf({ reach: { enabled: true, ...PRODUCTION } }) });
      const empty = await render(
        {},
        { major, chart: await parentOf({ global: null, reach: { enabled: null, ...given } }) },
      );
      expect(empty).to.deep.equal(plain);
    });

    it('every key that is empty counts as absent', async () => {
      const sets = { ...SETS, ...EVERYTHING };
      const plain = await render(sets, { major });
      const set = new Set(Object.keys(sets));
      const leaves = pathsOf(defaults).map((path) => path.join('.'));
      const free = leaves.filter((path) => ![...set].some((one) => one === path || one.startsWith(`${path}.`)));
      // One rendering for all leaves, and one for all sections.
      const ofDepth = (depth: (parts: number) => boolean): Values =>
        Object.fromEntries(free.filter((path) => depth(path.split('.').length)).map((path) => [path, null]));
      const deepest = free.filter((path) => !free.some((other) => other.startsWith(`${path}.`)));
      expect(deepest.length).to.be.greaterThan(100);
      for (const nulls of [Object.fromEntries(deepest.map((path) => [path, null])), ofDepth((parts) => parts === 1)])
        expect(await render({ ...nulls, ...sets }, { major })).to.deep.equal(plain);
    });

    it('labels that are given win over ours and stand once; what selects pods stays; Kustomize reads every rendering', async () => {
      const common = {
        'app.kubernetes.io/part-of': 'growth',
        'app.kubernetes.io/version': 'x',
        'app.kubernetes.io/name': 'no',
        tier: 'a',
      };
      const more = { 'app.kubernetes.io/part-of': 'pods', 'app.kubernetes.io/component': 'no' };
      const labels = Object.fromEntries(['operator', 'mcpServer', 'jobs'].map((one) => [`${one}.podLabels`, more]));
      const values = {
        ...SETS,
        ...EVERYTHING,
        ...labels,
        commonLabels: common,
        'metrics.serviceMonitor.labels': more,
        'metrics.podMonitor.labels': more,
        'metrics.prometheusRule.labels': more,
        'metrics.dashboards.labels': more,
        'ingress.annotations': { 'nginx.ingress.kubernetes.io/proxy-buffering': 'on' },
      };
      const manifests = await render(values, { major });
      for (const { kind, metadata } of manifests) {
        const monitored = ['ServiceMonitor', 'PodMonitor', 'PrometheusRule', 'ConfigMap'].includes(kind);
        expect(metadata.labels, `${kind} ${metadata.name}`).to.include({
          'app.kubernetes.io/part-of': monitored ? 'pods' : 'growth',
          'app.kubernetes.io/version': 'x',
          'app.kubernetes.io/name': 'outrider',
          tier: 'a',
        });
      }
      for (const one of manifests.filter(({ kind }) => kind === 'Deployment')) {
        const selector = (one.spec as { selector: { matchLabels: Record<string, string> } }).selector.matchLabels;
        expect(podOf(one)?.labels).to.include({ ...selector, 'app.kubernetes.io/part-of': 'pods' });
      }
      const ingress = manifests.find(({ kind }) => kind === 'Ingress');
      expect(ingress?.metadata.annotations).to.include({ 'nginx.ingress.kubernetes.io/proxy-buffering': 'on' });
      const kustomized = join(folder, 'kustomize');
      await mkdir(kustomized, { recursive: true });
      await writeFile(join(kustomized, 'rendered.yaml'), manifests.map((one) => stringify(one)).join('---\n'));
      await writeFile(join(kustomized, 'kustomization.yaml'), stringify({ resources: ['rendered.yaml'] }));
      const { code, stderr } = await kubectl(join(folder, 'none'), ['kustomize', kustomized]);
      expect([code, stderr]).to.deep.equal([0, '']);
    });

    it('--reuse-values from each released version renders as the values of this one', async () => {
      const plain = await render({ ...SETS, ...EVERYTHING }, { major });
      const released = (await readdir(OF_RELEASES)).sort();
      expect(released).to.include.members(['0.1.0.yaml', '0.2.0.yaml']);
      for (const file of released) {
        // Helm takes the values that the older chart was installed with, its defaults included, in place of those of the new one.
        const chart = join(folder, `of-${basename(file, '.yaml')}`);
        await cp(CHART, chart, { recursive: true });
        await cp(new URL(file, OF_RELEASES), join(chart, 'values.yaml'));
        expect(await render({ ...SETS, ...EVERYTHING }, { major, chart }), file).to.deep.equal(plain);
      }
    });

    it('the Job that detaches knows its own name and may look at who made it', async () => {
      const manifests = await render(SETS, { major });
      const named = (kind: string, name: string): Manifest | undefined =>
        manifests.find((one) => one.kind === kind && one.metadata.name === name);
      const job = named('Job', 'outrider-detach');
      const env = (job && podOf(job)?.spec.containers[0]?.env) ?? [];
      expect(env.find(({ name }) => name === 'DETACH_JOB')?.value).to.equal('outrider-detach');
      const rules = named('Role', 'outrider-jobs-home')?.rules ?? [];
      for (const [resource, name] of [
        ['jobs', 'outrider-detach'],
        ['deployments', 'outrider-operator'],
      ] as const)
        expect(rules.find(({ resources }) => resources.includes(resource))).to.deep.include({
          resourceNames: [name],
          verbs: ['get'],
        });
    });
  });
}
