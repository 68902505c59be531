import { expect } from 'chai';
import { BOATS_PATH, boat, TestApi } from '../../fixtures/kubeapi/harness.ts';

describe('Kubernetes API: server-side apply', () => {
  let api: TestApi;
  before(async () => {
    api = await TestApi.start();
    await api.defineBoats();
  });
  after(() => api.stop());

  it('creates, and records what the manager owns', async () => {
    const made = await api.apply(`${BOATS_PATH}/new`, 'alice', boat('new'));
    expect(made.code).to.equal(201);
    const [entry] = made.body.metadata.managedFields ?? [];
    expect([entry?.manager, entry?.fieldsV1]).to.deep.equal(['alice', { 'f:spec': { 'f:captain': {} } }]);
    const again = await api.apply(`${BOATS_PATH}/new`, 'alice', boat('new'));
    expect([again.code, again.body.metadata.resourceVersion]).to.deep.equal([200, made.body.metadata.resourceVersion]);
  });

  it('a field of another manager is a conflict that names both; force takes it', async () => {
    await api.apply(`${BOATS_PATH}/con`, 'alice', boat('con'));
    const refused = await api.apply(`${BOATS_PATH}/con`, 'bob', boat('con', { captain: 'Bob' }));
    expect([refused.code, refused.body.reason]).to.deep.equal([409, 'Conflict']);
    expect(refused.body.message).to.equal('Apply failed with 1 conflict: conflict with "alice": .spec.captain');
    expect(refused.body.details.causes).to.deep.equal([
      { reason: 'FieldManagerConflict', message: 'conflict with "alice"', field: '.spec.captain' },
    ]);
    const forced = await api.apply(`${BOATS_PATH}/con`, 'bob', boat('con', { captain: 'Bob' }), true);
    expect(forced.body.spec['captain']).to.equal('Bob');
    expect(forced.body.metadata.managedFields?.map((entry) => entry.manager)).to.deep.equal(['bob']);
  });

  it('the same value is shared without a conflict', async () => {
    await api.apply(`${BOATS_PATH}/shared`, 'alice', boat('shared'));
    const both = await api.apply(`${BOATS_PATH}/shared`, 'bob', boat('shared'));
    expect(both.body.metadata.managedFields?.map((entry) => entry.manager)).to.have.members(['alice', 'bob']);
    const left = await api.apply(`${BOATS_PATH}/shared`, 'alice', { ...boat('shared'), spec: {} });
    expect(left.code).to.equal(200);
    expect((await api.call('GET', `${BOATS_PATH}/shared`)).body.spec['captain']).to.equal('Ada');
  });

  it('an omitted field that only the manager owned goes away', async () => {
    await api.apply(
      `${BOATS_PATH}/omit`,
      'alice',
      boat('omit', { flag: 'blue', cargo: { tea: 1 } }, { labels: { a: '1', b: '2' } }),
    );
    const left = await api.apply(`${BOATS_PATH}/omit`, 'alice', boat('omit', {}, { labels: { a: '1' } }));
    expect(left.body.spec).to.deep.equal({ captain: 'Ada', sails: 2 });
    expect(left.body.metadata['labels']).to.deep.equal({ a: '1' });
  });

  it('keyed lists merge by key, atomic lists are replaced whole', async () => {
    await api.apply(
      `${BOATS_PATH}/lists`,
      'alice',
      boat('lists', { crew: [{ name: 'al', pay: 1 }], route: ['Oslo', 'Rome'] }),
    );
    const crew = [{ name: 'bo', role: 'cook' }];
    const merged = await api.apply(`${BOATS_PATH}/lists`, 'bob', { ...boat('lists'), spec: { crew } });
    expect(merged.body.spec['crew']).to.deep.equal([
      { name: 'al', role: 'hand', pay: 1 },
      { name: 'bo', role: 'cook' },
    ]);
    const gone = await api.apply(`${BOATS_PATH}/lists`, 'bob', { ...boat('lists'), spec: {} });
    expect((gone.body.spec['crew'] as { name: string }[]).map((entry) => entry.name)).to.deep.equal(['al']);
    const route = await api.apply(`${BOATS_PATH}/lists`, 'bob', { ...boat('lists'), spec: { route: ['Bonn'] } });
    expect(route.body.message).to.contain('conflict with "alice": .spec.route');
    const replaced = await api.apply(
      `${BOATS_PATH}/lists`,
      'bob',
      { ...boat('lists'), spec: { route: ['Bonn'] } },
      true,
    );
    expect(replaced.body.spec['route']).to.deep.equal(['Bonn']);
  });

  it('conditions of two managers live in one status', async () => {
    await api.apply(`${BOATS_PATH}/conds`, 'alice', boat('conds'));
    const condition = (type: string): object => ({
      apiVersion: 'sea.test/v1',
      kind: 'Boat',
      metadata: { name: 'conds' },
      status: { conditions: [{ type, status: 'True' }] },
    });
    await api.apply(`${BOATS_PATH}/conds/status`, 'engine', condition('Ready'));
    const both = await api.apply(`${BOATS_PATH}/conds/status`, 'anchor', condition('Moored'));
    expect((both.body.status['conditions'] as { type: string }[]).map((entry) => entry.type)).to.deep.equal([
      'Ready',
      'Moored',
    ]);
    expect(both.body.spec['captain']).to.equal('Ada');
  });

  it('an update takes ownership; the apply after it conflicts and says how it was written', async () => {
    await api.apply(`${BOATS_PATH}/upd`, 'alice', boat('upd'));
    await api.call(
      'PATCH',
      `${BOATS_PATH}/upd?fieldManager=hand`,
      { spec: { captain: 'Cyd' } },
      { 'content-type': 'application/merge-patch+json' },
    );
    const refused = await api.apply(`${BOATS_PATH}/upd`, 'alice', boat('upd'));
    expect(refused.body.message).to.equal(
      'Apply failed with 1 conflict: conflict with "hand" using sea.test/v1: .spec.captain',
    );
  });

  it('key order and a restart are no conflict', async () => {
    const path = `${BOATS_PATH}/order`;
    await api.apply(path, 'alice', boat('order', { cargo: { longName: 1, b: { z: 1, a: 2 } } }));
    const made = await api.apply(path, 'bob', boat('order', { cargo: { b: { a: 2, z: 1 }, longName: 1 } }));
    expect(made.code).to.equal(200);
    await api.restart();
    const again = await api.apply(path, 'bob', boat('order', { cargo: { b: { a: 2, z: 1 }, longName: 1 } }));
    expect([again.code, again.body.metadata.resourceVersion]).to.deep.equal([200, made.body.metadata.resourceVersion]);
  });

  it('items of a keyed list stand in the order of what was applied, those of others beside their neighbours', async () => {
    const path = `${BOATS_PATH}/places`;
    const crew = async (manager: string, names: string[]): Promise<string[]> => {
      const applied = { ...boat('places'), spec: { captain: 'Ada', crew: names.map((name) => ({ name })) } };
      const { body } = await api.apply(path, manager, applied);
      return (body.spec['crew'] as { name: string }[]).map(({ name }) => name);
    };
    expect(await crew('alice', ['b', 'a'])).to.deep.equal(['b', 'a']);
    expect(await crew('alice', ['a', 'b'])).to.deep.equal(['a', 'b']);
    expect(await crew('bob', ['c', 'a', 'd'])).to.deep.equal(['c', 'a', 'b', 'd']);
    expect(await crew('alice', ['a'])).to.deep.equal(['c', 'a', 'd']);
  });

  it('an object goes where its URL says: another name, another namespace or another uid is refused', async () => {
    await api.apply(`${BOATS_PATH}/here`, 'alice', boat('here'));
    const { uid } = (await api.call('GET', `${BOATS_PATH}/here`)).body.metadata;
    for (const [what, object, code] of [
      ['name', boat('there'), 400],
      ['no name', { ...boat('here'), metadata: {} }, 200],
      ['namespace', boat('here', {}, { namespace: 'elsewhere' }), 400],
      ['uid', boat('here', {}, { uid: `${uid.slice(0, -1)}x` }), 422],
    ] as const) {
      expect((await api.apply(`${BOATS_PATH}/here`, 'alice', object)).code, what).to.equal(code);
      if (what !== 'uid') expect((await api.apply(`${BOATS_PATH}/fresh`, 'alice', object)).code, what).to.equal(400);
    }
    for (const name of ['there', 'fresh']) expect((await api.call('GET', `${BOATS_PATH}/${name}`)).code).to.equal(404);
  });

  it('a status is taken whatever uid it names', async () => {
    await api.apply(`${BOATS_PATH}/whoever`, 'alice', boat('whoever'));
    const status = { ...boat('whoever', {}, { uid: 'another' }), status: { phase: 'Afloat' } };
    const taken = await api.apply(`${BOATS_PATH}/whoever/status`, 'alice', status);
    expect([taken.code, taken.body.status]).to.deep.equal([200, { phase: 'Afloat' }]);
  });

  it('what has not the shape of the definition is refused before anything else, nulls too', async () => {
    const path = `${BOATS_PATH}/shape`;
    await api.apply(path, 'alice', boat('shape'));
    for (const [spec, code, said] of [
      [
        { wheels: 4 },
        500,
        'failed to create typed patch object (/shape; sea.test/v1, Kind=Boat): .spec.wheels: field not declared in schema',
      ],
      [{ crew: 5 }, 500, '.spec.crew: expected list'],
      [{ crew: [{ pay: 1 }] }, 500, 'an element that omits all key fields'],
      [{ crew: [{ name: 'al' }, { name: 'al' }] }, 500, '.spec.crew: duplicate entries for key'],
      [{ flag: null }, 422, 'spec.flag in body must be of type string: "null"'],
    ] as const) {
      const refused = await api.apply(path, 'alice', boat('shape', spec));
      expect([refused.code, refused.body.message.includes(said)], refused.body.message).to.deep.equal([code, true]);
    }
  });

  it('fields of a free-form object are owned one by one', async () => {
    const path = `${BOATS_PATH}/free`;
    await api.apply(path, 'alice', boat('free', { cargo: { tea: 1, env: [{ name: 'a' }] } }));
    const both = await api.apply(path, 'bob', { ...boat('free'), spec: { cargo: { rum: 2 } } });
    expect(both.body.spec['cargo']).to.deep.equal({ tea: 1, rum: 2, env: [{ name: 'a' }] });
    const refused = await api.apply(path, 'bob', { ...boat('free'), spec: { cargo: { rum: 2, env: [] } } });
    expect(refused.body.details.causes.map(({ field }) => field)).to.deep.equal(['.spec.cargo.env']);
  });

  it('who owns an empty object owns none of its fields', async () => {
    const path = `${BOATS_PATH}/empty`;
    await api.apply(path, 'alice', boat('empty', { flag: 'blue' }));
    await api.apply(path, 'bob', { ...boat('empty'), spec: {} });
    expect((await api.apply(path, 'alice', boat('empty'))).body.spec).to.deep.equal({ captain: 'Ada', sails: 2 });
    await api.patch(`${path}/status`, 'merge', { status: {} });
    const applied = await api.apply(`${path}/status`, 'alice', { ...boat('empty'), status: { phase: 'Afloat' } });
    expect([applied.code, applied.body.status]).to.deep.equal([200, { phase: 'Afloat' }]);
  });

  it('several conflicts are told by manager', async () => {
    const path = `${BOATS_PATH}/several`;
    await api.apply(path, 'alice', boat('several', { flag: 'blue' }));
    const refused = await api.apply(path, 'bob', boat('several', { captain: 'Bob', flag: 'red', sails: 4 }));
    expect(refused.body.message).to.equal(
      'Apply failed with 2 conflicts: conflicts with "alice":\n- .spec.captain\n- .spec.flag',
    );
  });

  it('a manager is forgotten by who empties the list of them', async () => {
    await api.apply(`${BOATS_PATH}/forgotten`, 'alice', boat('forgotten'));
    const emptied = await api.patch(`${BOATS_PATH}/forgotten`, 'merge', { metadata: { managedFields: [{}] } });
    expect(emptied.body.metadata.managedFields ?? []).to.deep.equal([]);
    const taken = await api.apply(`${BOATS_PATH}/forgotten`, 'bob', boat('forgotten', { captain: 'Bob' }), true);
    expect(taken.body.metadata.managedFields?.map(({ manager }) => manager))
      .to.include('bob')
      .and.not.include('alice');
  });

  it('needs a field manager', async () => {
    const answer = await api.call('PATCH', `${BOATS_PATH}/x`, boat('x'), {
      'content-type': 'application/apply-patch+yaml',
    });
    expect(answer.code).to.equal(422);
    expect(answer.body.message).to.contain('fieldManager: Required value');
  });
});
