import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { CHART, type Manifest, render } from './rendered.ts';

const DEV = { 'dev.postgres.enabled': true, 'dev.redis.enabled': true, 'dev.sandbox.enabled': true };
const STORES = ['outrider-postgres', 'outrider-redis', 'outrider-sandbox'];

/**
 * Pod templates of the stores as the chart of 0.1.0 rendered them. They stay as they are: the stores keep their data in the pod,
 * and Kubernetes replaces a pod when anything in its template changes.
 */
const OF_0_1_0 = new URL('development-stores-0.1.0.json', import.meta.url);

describe('the development stores of the chart', () => {
  let next: string;
  before(async () => {
    next = await chartOfVersion('9.9.9');
  });
  after(() => rm(next, { recursive: true, force: true }));

  it('a store keeps its pod, and with it its data, whatever the version of the chart', async () => {
    const pinned = { ...DEV, 'dev.sandbox.image': 'outrider.dev/outrider:0.1.0' };
    const born = JSON.parse(await readFile(OF_0_1_0, 'utf8')) as Record<string, unknown>;
    expect(podTemplates(await render(pinned))).to.deep.equal(born);
    expect(podTemplates(await render(pinned, { chart: next }))).to.deep.equal(born);
  });

  it('the Deployment and the Service of a store say the version of the chart', async () => {
    const rendered = await render(DEV, { chart: next });
    for (const { kind, metadata } of rendered.filter((one) => STORES.includes(one.metadata.name))) {
      if (kind === 'Secret') continue;
      expect(metadata.labels, `${kind} ${metadata.name}`).to.include({ 'helm.sh/chart': 'outrider-9.9.9' });
    }
  });

  it('the sandbox is the release’s own where no other is asked for', async () => {
    const text = JSON.stringify(podTemplates(await render(DEV, { chart: next }))['outrider-sandbox']);
    expect(text).to.include('"image":"outrider.dev/outrider:9.9.9"');
  });
});

function podTemplates(manifests: Manifest[]): Record<string, unknown> {
  const stores = manifests.filter(({ kind, metadata }) => kind === 'Deployment' && STORES.includes(metadata.name));
  return Object.fromEntries(stores.map(({ metadata, spec }) => [metadata.name, spec?.['template']]));
}

/** This chart as another version. */
async function chartOfVersion(version: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'outrider-chart-'));
  await cp(CHART, folder, { recursive: true });
  const file = join(folder, 'Chart.yaml');
  const card = await readFile(file, 'utf8');
  await writeFile(file, card.replace(/^(version|appVersion): .*$/gm, `$1: ${version}`));
  return folder;
}
