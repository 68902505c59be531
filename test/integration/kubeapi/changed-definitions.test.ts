import { expect } from 'chai';
import {
  type Answer,
  BOATS_PATH,
  boat,
  CRDS_PATH,
  type Json,
  type KubeBody,
  TestApi,
} from '../../fixtures/kubeapi/harness.ts';
import { eventually } from '../../tools/kube.ts';

interface Properties {
  properties: Record<string, Json>;
}

/** Objects outlive the definition that they were made under: an upgrade changes it below them. */
describe('Kubernetes API: objects of an earlier definition', () => {
  let api: TestApi;
  before(async () => {
    api = await TestApi.start();
    await api.defineBoats();
    const spec = {
      captain: 'Bartholomew',
      crew: [{ name: 'al', pay: 9 }],
      labels: { a: 'b' },
      route: ['Oslo', 'Rome'],
    };
    expect((await api.call('POST', BOATS_PATH, boat('old', spec, { finalizers: ['sea.test/hold'] }))).code).to.equal(
      201,
    );
    await redefine((properties) => {
      const {
        captain,
        crew,
        route,
        labels: _gone,
        ...rest
      } = properties as Record<string, Json & { items: Properties }>;
      Object.assign(crew?.items.properties['pay'] ?? {}, { maximum: 5 });
      return {
        ...rest,
        crew,
        captain: { ...captain, maxLength: 5 },
        route: { ...route, 'x-kubernetes-validations': [{ rule: 'size(self) < 2', message: 'one port only' }] },
        rig: { type: 'string', default: 'sloop' },
      };
    });
  });
  after(() => api.stop());

  /** Changes the schema of the spec, and waits until it counts. */
  async function redefine(change: (properties: Record<string, Json>) => Json): Promise<void> {
    const path = `${CRDS_PATH}/boats.sea.test`;
    await eventually('the definition is changed', async () => {
      const definition = (await api.call('GET', path)).body;
      const { versions } = definition.spec as unknown as { versions: { schema: { openAPIV3Schema: Properties } }[] };
      const spec = versions[0]?.schema.openAPIV3Schema.properties['spec'] as unknown as Properties;
      spec.properties = change(spec.properties) as Record<string, Json>;
      return (await api.call('PUT', path, definition)).code === 200;
    });
    await eventually(
      'the change counts',
      async () =>
        (await api.call('POST', `${BOATS_PATH}?dryRun=All`, boat('new', { captain: 'Bartholomew' }))).code === 422,
      30_000,
    );
  }

  const old = `${BOATS_PATH}/old`;
  const change = (body: Json, path = old): Promise<Answer> =>
    api.call('PATCH', `${path}?fieldValidation=Strict`, body, { 'content-type': 'application/merge-patch+json' });

  it('are shown as the definition of now has them: with its defaults, without what it does not know', async () => {
    const crew = [{ name: 'al', role: 'hand', pay: 9 }];
    const shown = { captain: 'Bartholomew', sails: 2, crew, route: ['Oslo', 'Rome'], rig: 'sloop' };
    expect((await api.call('GET', old)).body.spec).to.deep.equal(shown);
    const listed = (await api.call('GET', BOATS_PATH)).body.items.map((item: KubeBody) => item.spec);
    expect(listed).to.deep.equal([shown]);
  });

  it('can be labelled, held and given a status, though they break a bound or a rule of now', async () => {
    for (const [body, path] of [
      [{ metadata: { labels: { sea: 'north' } } }, old],
      [{ metadata: { finalizers: ['sea.test/hold', 'sea.test/more'] } }, old],
      [{ status: { phase: 'Afloat' } }, `${old}/status`],
    ] as const) {
      const answer = await change(body, path);
      expect(answer.code, answer.body.message).to.equal(200);
    }
    const applied = await api.apply(`${old}/status`, 'engine', { ...boat('old'), status: { phase: 'Moored' } }, true);
    expect(applied.code, applied.body.message).to.equal(200);
  });

  it('take a change of another field, and refuse one that breaks a bound or a rule anew', async () => {
    const other = await change({
      spec: {
        flag: 'blue',
        crew: [
          { name: 'al', pay: 9, role: 'hand' },
          { name: 'bo', pay: 1 },
        ],
      },
    });
    expect(other.code, other.body.message).to.equal(200);
    for (const [spec, field] of [
      [{ captain: 'Christopher' }, 'spec.captain'],
      [{ crew: [{ name: 'al', pay: 8 }] }, 'spec.crew[0].pay'],
      [{ route: ['Oslo', 'Bonn'] }, 'spec.route'],
    ] as const) {
      const refused = await change({ spec });
      expect([refused.code, refused.body.details.causes[0]?.field]).to.deep.equal([422, field]);
    }
  });

  it('go when what holds them is taken away', async () => {
    expect((await api.call('DELETE', old)).code).to.equal(200);
    const freed = await change({ metadata: { finalizers: null } });
    expect(freed.code, freed.body.message).to.equal(200);
    expect((await api.call('GET', old)).code).to.equal(404);
  });
});
