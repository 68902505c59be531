import { expect } from 'chai';
import { BOATS_PATH, boat, TestApi } from './harness.ts';

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

  it('needs a field manager', async () => {
    const answer = await api.call('PATCH', `${BOATS_PATH}/x`, boat('x'), {
      'content-type': 'application/apply-patch+yaml',
    });
    expect(answer.code).to.equal(422);
    expect(answer.body.message).to.contain('fieldManager: Required value');
  });
});
