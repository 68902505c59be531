import { expect } from 'chai';
import { type Answer, BOATS, BOATS_PATH, boat, CRDS_PATH, type Json, TestApi } from '../../fixtures/kubeapi/harness.ts';
import { onlyEmbedded } from '../../fixtures/kubeapi/server.ts';

const fields = (answer: Answer): string[] => answer.body.details.causes.map((cause) => cause.field);

describe('Kubernetes API: schemas', () => {
  let api: TestApi;
  before(async () => {
    api = await TestApi.start();
    await api.defineBoats();
  });
  after(() => api.stop());

  it('fills in defaults, inside lists too', async () => {
    const made = await api.call('POST', BOATS_PATH, boat('d', { crew: [{ name: 'al' }] }));
    expect(made.body.spec).to.deep.equal({ captain: 'Ada', sails: 2, crew: [{ name: 'al', role: 'hand' }] });
  });

  it('prunes unknown fields but keeps what is free-form', async () => {
    const made = await api.call(
      'POST',
      `${BOATS_PATH}?fieldValidation=Ignore`,
      boat('p', { wheels: 4, cargo: { any: { thing: 1 } } }),
    );
    expect(made.body.spec).to.deep.equal({ captain: 'Ada', sails: 2, cargo: { any: { thing: 1 } } });
  });

  it('Strict refuses unknown fields by name, Warn warns', async () => {
    const strict = await api.call(
      'POST',
      `${BOATS_PATH}?fieldValidation=Strict`,
      boat('st', { wheels: 4 }, { foo: 'x' }),
    );
    expect(strict.code).to.equal(400);
    expect(strict.body.message).to.contain(
      'strict decoding error: unknown field "metadata.foo", unknown field "spec.wheels"',
    );
    const warned = await api.call('POST', `${BOATS_PATH}?fieldValidation=Warn`, boat('wa', { wheels: 4 }));
    expect(warned.code).to.equal(201);
    expect(String(warned.headers['warning'])).to.contain('unknown field \\"spec.wheels\\"');
  });

  it('refuses bad values with one cause per field', async () => {
    const refused = await api.call(
      'POST',
      BOATS_PATH,
      boat('bad', {
        captain: 'A',
        sails: 10,
        flag: 'green',
        route: ['a', 'b', 'c', 'd', 'e', 'f'],
        crew: [{ name: 'x' }, { name: 'x' }],
        labels: { a: 'too long' },
      }),
    );
    expect([refused.code, refused.body.reason]).to.deep.equal([422, 'Invalid']);
    expect(fields(refused)).to.have.members([
      'spec.captain',
      'spec.sails',
      'spec.flag',
      'spec.route',
      'spec.crew[1]',
      'spec.labels.a',
      '<nil>',
    ]);
    const typed = await api.call('POST', BOATS_PATH, boat('typed', { sails: 'two' }));
    expect(typed.body.message).to.contain('spec.sails in body must be of type integer: "string"');
    const missing = await api.call('POST', BOATS_PATH, { ...boat('missing'), spec: {} });
    expect(missing.body.message).to.contain('Boat.sea.test "missing" is invalid: [spec.captain: Required value, ');
  });

  it('CEL rules refuse with message, messageExpression, reason and fieldPath', async () => {
    const red = await api.call('POST', BOATS_PATH, boat('red', { flag: 'red' }));
    expect(red.code).to.equal(422);
    expect(red.body.details.causes).to.deep.equal([
      {
        reason: 'FieldValueForbidden',
        field: 'spec.sails',
        message: 'Forbidden: a red boat needs more than 2 sails',
      },
    ]);
  });

  it('transition rules run only when there was a value before; optionalOldSelf always', async () => {
    expect((await api.call('POST', BOATS_PATH, boat('tr', { home: 'Oslo' }))).code).to.equal(201);
    const moved = await api.patch(`${BOATS_PATH}/tr`, 'merge', { spec: { home: 'Rome' } });
    expect(moved.body.message).to.contain('home is immutable');
    expect((await api.patch(`${BOATS_PATH}/tr`, 'merge', { spec: { sails: 1 } })).body.message).to.contain(
      'sails only grow',
    );
    expect((await api.patch(`${BOATS_PATH}/tr`, 'merge', { spec: { sails: 3 } })).code).to.equal(200);
  });

  it('a definition that uses a lacking feature is refused, naming the path', async function () {
    onlyEmbedded(this, 'a real one lacks none of them, and prunes what no schema has');
    const broken = structuredClone(BOATS) as unknown as {
      metadata: Json;
      spec: Json & { names: Json; versions: Json[] };
    };
    broken.metadata['name'] = 'ships.sea.test';
    broken.spec.names = { ...broken.spec.names, plural: 'ships', singular: 'ship', kind: 'Ship', shortNames: [] };
    const schema = (
      broken.spec.versions[0] as unknown as { schema: { openAPIV3Schema: { properties: Record<string, Json> } } }
    ).schema.openAPIV3Schema;
    schema.properties['spec'] = {
      type: 'object',
      properties: {
        odd: { type: 'string', 'x-unheard-of': true },
        ruled: { type: 'string', 'x-kubernetes-validations': [{ rule: 'quantity(self).isGreaterThan(1)' }] },
        untyped: {},
      },
    };
    const refused = await api.call('POST', CRDS_PATH, broken);
    expect(refused.code).to.equal(422);
    const at = 'spec.versions[0].schema.openAPIV3Schema.properties[spec]';
    expect(fields(refused)).to.have.members([
      `${at}.properties[odd].x-unheard-of`,
      `${at}.properties[ruled].x-kubernetes-validations[0].rule`,
      `${at}.properties[untyped].type`,
    ]);
    const scaled = structuredClone(BOATS) as unknown as { spec: { versions: Json[] } };
    Object.assign(scaled.spec.versions[0] ?? {}, { subresources: { scale: {} } });
    expect(fields(await api.call('POST', CRDS_PATH, scaled))).to.deep.equal(['spec.versions[0].subresources.scale']);
  });
});
