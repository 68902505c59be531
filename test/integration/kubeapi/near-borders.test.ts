import { readdir, readFile } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import { expect } from 'chai';
import { parse } from 'yaml';
import { type Answer, CRDS_PATH, type Json, TestApi } from '../../fixtures/kubeapi/harness.ts';
import { nearBorders, oddTexts, type Random, randomOf } from '../../fixtures/kubeapi/near-borders.ts';
import { REAL } from '../../fixtures/kubeapi/server.ts';
import { example, type Schema } from '../../fixtures/kubeapi/violations.ts';
import { eventually } from '../../tools/kube.ts';

const CRDS = new URL('../../../crds/', import.meta.url).pathname;
const OBJECTS = 100;

interface Definition {
  spec: { names: { kind: string; plural: string }; versions: { schema: { openAPIV3Schema: Schema } }[] };
}

/** Schemas, defaults and CEL rules of the product, as two servers read them: random objects at the bounds and just beyond. */
describe('Kubernetes API: objects near the borders of the three kinds', function () {
  this.timeout(240_000);
  let servers: TestApi[] = [];
  let definitions: Definition[];

  before(async function () {
    if (!REAL) {
      console.log('    only beside a real API server: what one takes the other has to take');
      this.skip();
    }
    servers = [await TestApi.start(), await TestApi.start(undefined, false)];
    const files = (await readdir(CRDS)).filter((name) => name.endsWith('.yaml')).sort();
    definitions = await Promise.all(
      files.map(async (name) => parse(await readFile(`${CRDS}${name}`, 'utf8')) as Definition),
    );
    for (const definition of definitions) await Promise.all(servers.map((api) => define(api, definition)));
  });
  after(async () => {
    for (const api of servers) await api.stop();
  });

  const pathOf = ({ spec }: Definition): string =>
    `/apis/outrider.dev/v1alpha1/namespaces/default/${spec.names.plural}`;

  async function define(api: TestApi, definition: Definition): Promise<void> {
    await api.call('POST', CRDS_PATH, definition);
    await eventually('served', async () => (await api.call('GET', pathOf(definition))).code === 200, 30_000);
  }

  /** Asks both; what they made of it must be the same. @returns whether it was taken */
  async function same(what: string, ask: (api: TestApi) => Promise<Answer>, part: 'spec' | 'status'): Promise<boolean> {
    const [real, embedded] = await Promise.all(servers.map(ask));
    const told = `${what}\nreal: ${real?.code} ${real?.body.message}\nembedded: ${embedded?.code} ${embedded?.body.message}`;
    expect(embedded?.code, told).to.equal(real?.code);
    expect(isDeepStrictEqual(embedded?.body[part], real?.body[part]), told).to.equal(true);
    return (real?.code ?? 500) < 300;
  }

  async function compare(definition: Definition, seed: number, random: Random): Promise<boolean> {
    const { kind } = definition.spec.names;
    const { spec, status } = definition.spec.versions[0]?.schema.openAPIV3Schema.properties ?? {};
    const odd = [0, 0.02, 0.06][seed % 3] ?? 0;
    const draw = (schema: Schema | undefined): unknown => nearBorders(schema ?? {}, random, odd);
    const query = '?fieldValidation=Ignore';
    const path = `${pathOf(definition)}/n${seed}`;
    const object = { apiVersion: 'outrider.dev/v1alpha1', kind, metadata: { name: `n${seed}` }, spec: draw(spec) };
    const create = (api: TestApi): Promise<Answer> => api.call('POST', `${pathOf(definition)}${query}`, object);
    if (!(await same(`seed ${seed}: ${JSON.stringify(object)}`, create, 'spec'))) return false;
    for (const [url, body, part] of [
      [path, { spec: draw(spec) }, 'spec'],
      [`${path}/status`, { status: draw(status) }, 'status'],
    ] as [string, Json, 'spec' | 'status'][]) {
      const write = (api: TestApi): Promise<Answer> => api.patch(`${url}${query}`, 'merge', body);
      await same(`seed ${seed}: ${JSON.stringify(object)} and then ${JSON.stringify(body)}`, write, part);
    }
    await Promise.all(servers.map((api) => api.call('DELETE', path)));
    return true;
  }

  it('texts of any form are taken and refused alike, in each place', async () => {
    let asked = 0;
    for (const definition of definitions) {
      const { kind } = definition.spec.names;
      const { spec = {}, status = {} } = definition.spec.versions[0]?.schema.openAPIV3Schema.properties ?? {};
      const object = (name: string, given: unknown): Json => ({
        apiVersion: 'outrider.dev/v1alpha1',
        kind,
        metadata: { name },
        spec: given,
      });
      const path = pathOf(definition);
      await same(kind, (api) => api.call('POST', path, object('texts', example(spec))), 'spec');
      for (const given of oddTexts(spec)) {
        const body = object('text', given);
        await same(JSON.stringify(body), (api) => api.call('POST', `${path}?dryRun=All`, body), 'spec');
        asked++;
      }
      for (const given of oddTexts(status)) {
        const write = (api: TestApi): Promise<Answer> =>
          api.patch(`${path}/texts/status?dryRun=All`, 'merge', { status: given });
        await same(`${kind} ${JSON.stringify(given)}`, write, 'status');
        asked++;
      }
    }
    expect(asked).to.be.greaterThan(500);
  });

  it('the embedded server takes and refuses what a real one does, and makes the same of it', async () => {
    let taken = 0;
    for (let seed = 1; seed <= OBJECTS; seed++) {
      for (const definition of definitions) if (await compare(definition, seed, randomOf(seed))) taken++;
    }
    expect(taken).to.be.within(OBJECTS / 2, OBJECTS * 2.8);
  });
});
