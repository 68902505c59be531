import { expect } from 'chai';
import { BOATS_PATH, boat, CRDS_PATH, type Json, TestApi } from '../../fixtures/kubeapi/harness.ts';
import { eventually } from '../../tools/kube.ts';

const CONFIGMAPS = '/api/v1/namespaces/default/configmaps';
const PODS = '/api/v1/namespaces/default/pods';

describe('Kubernetes API: deletion', () => {
  let api: TestApi;
  before(async () => {
    api = await TestApi.start();
    await api.defineBoats();
  });
  after(() => api.stop());

  const exists = async (path: string): Promise<boolean> => (await api.call('GET', path)).code === 200;
  const gone = (path: string): Promise<boolean> => eventually(`${path} goes`, async () => !(await exists(path)));
  const named = ({ name, uid }: { name: string; uid: string }): Json => ({ name, uid });
  const owned = (name: string, owner: { name: string; uid: string }): Json => ({
    metadata: {
      name,
      ownerReferences: [{ apiVersion: 'sea.test/v1', kind: 'Boat', ...named(owner), blockOwnerDeletion: true }],
    },
  });

  it('an object with finalizers waits for them and takes no new ones', async () => {
    await api.call('POST', BOATS_PATH, boat('fin', {}, { finalizers: ['sea.test/hold'] }));
    const marked = await api.call('DELETE', `${BOATS_PATH}/fin`);
    expect(marked.body.metadata['deletionTimestamp']).to.be.a('string');
    const more = await api.patch(`${BOATS_PATH}/fin`, 'merge', {
      metadata: { finalizers: ['sea.test/hold', 'sea.test/more'] },
    });
    expect([more.code, more.body.details.causes[0]?.field]).to.deep.equal([422, 'metadata.finalizers']);
    expect((await api.call('DELETE', `${BOATS_PATH}/fin`)).code).to.equal(200);
    await api.patch(`${BOATS_PATH}/fin`, 'merge', { metadata: { finalizers: [] } });
    expect(await exists(`${BOATS_PATH}/fin`)).to.equal(false);
  });

  it('preconditions of uid and version are kept', async () => {
    const made = await api.call('POST', BOATS_PATH, boat('pre'));
    const wrong = await api.call('DELETE', `${BOATS_PATH}/pre`, { preconditions: { uid: 'other' } });
    expect(wrong.code).to.equal(409);
    expect(wrong.body.message).to.contain('the UID in the precondition (other) does not match the UID in record');
    expect((await api.call('DELETE', `${BOATS_PATH}/pre`, { preconditions: { resourceVersion: '1' } })).code).to.equal(
      409,
    );
    const right = await api.call('DELETE', `${BOATS_PATH}/pre`, { preconditions: { uid: made.body.metadata.uid } });
    expect(right.code).to.equal(200);
  });

  it('what an object owns is collected after it', async () => {
    const owner = await api.call('POST', BOATS_PATH, boat('owner'));
    await api.call('POST', CONFIGMAPS, owned('child', owner.body.metadata));
    await api.call('DELETE', `${BOATS_PATH}/owner`);
    await gone(`${CONFIGMAPS}/child`);
  });

  it('in the foreground the owner goes last; orphans live on', async () => {
    const owner = await api.call('POST', BOATS_PATH, boat('front'));
    const child = owned('held', owner.body.metadata);
    await api.call('POST', CONFIGMAPS, { metadata: { ...(child['metadata'] as Json), finalizers: ['sea.test/hold'] } });
    await api.call('DELETE', `${BOATS_PATH}/front?propagationPolicy=Foreground`);
    await eventually(
      'child is marked',
      async () => (await api.call('GET', `${CONFIGMAPS}/held`)).body.metadata['deletionTimestamp'] !== undefined,
    );
    expect(await exists(`${BOATS_PATH}/front`)).to.equal(true);
    await api.patch(`${CONFIGMAPS}/held`, 'merge', { metadata: { finalizers: null } });
    await gone(`${BOATS_PATH}/front`);
    const other = await api.call('POST', BOATS_PATH, boat('leaver'));
    await api.call('POST', CONFIGMAPS, owned('orphan', other.body.metadata));
    await api.call('DELETE', `${BOATS_PATH}/leaver?propagationPolicy=Orphan`);
    const owners = async (): Promise<unknown> =>
      (await api.call('GET', `${CONFIGMAPS}/orphan`)).body.metadata['ownerReferences'] ?? [];
    await eventually('the orphan is let go', async () => JSON.stringify(await owners()) === '[]');
    await gone(`${BOATS_PATH}/leaver`);
    expect(await exists(`${CONFIGMAPS}/orphan`)).to.equal(true);
  });

  it('a Pod waits for its node until that deletes it with no grace', async () => {
    const spec = { nodeName: 'here', terminationGracePeriodSeconds: 12, containers: [{ name: 'c', image: 'i' }] };
    await api.call('POST', PODS, { metadata: { name: 'pod' }, spec });
    const marked = await api.call('DELETE', `${PODS}/pod`);
    expect(marked.body.metadata['deletionGracePeriodSeconds']).to.equal(12);
    await api.call('DELETE', `${PODS}/pod`);
    expect(await exists(`${PODS}/pod`)).to.equal(true);
    await api.call('DELETE', `${PODS}/pod`, { gracePeriodSeconds: 0 });
    expect(await exists(`${PODS}/pod`)).to.equal(false);
  });

  it('a namespace takes its contents along and refuses new ones meanwhile', async () => {
    await api.call('POST', '/api/v1/namespaces', { metadata: { name: 'tmp' } });
    const path = '/apis/sea.test/v1/namespaces/tmp/boats';
    await api.call('POST', path, boat('in', {}, { finalizers: ['sea.test/hold'] }));
    await api.call('DELETE', '/api/v1/namespaces/tmp');
    const refused = await api.call('POST', path, boat('late'));
    expect([refused.code, refused.body.message.includes('being terminated')]).to.deep.equal([403, true]);
    await api.patch(`${path}/in`, 'merge', { metadata: { finalizers: null } });
    await gone('/api/v1/namespaces/tmp');
  });

  it('deletecollection takes what the selector matches', async () => {
    for (const name of ['c1', 'c2', 'c3'])
      await api.call('POST', CONFIGMAPS, { metadata: { name, labels: { set: name === 'c3' ? 'b' : 'a' } } });
    await api.call('DELETE', `${CONFIGMAPS}?labelSelector=set%3Da`);
    const left = (await api.call('GET', `${CONFIGMAPS}?labelSelector=set`)).body.items.map(
      (item) => item.metadata.name,
    );
    expect(left).to.deep.equal(['c3']);
  });

  it('a definition goes when its last object has gone, and its path with it', async () => {
    await api.call('POST', BOATS_PATH, boat('last', {}, { finalizers: ['sea.test/hold'] }));
    await api.call('DELETE', `${CRDS_PATH}/boats.sea.test`);
    await eventually(
      'the boat is marked',
      async () => (await api.call('GET', `${BOATS_PATH}/last`)).body.metadata['deletionTimestamp'] !== undefined,
    );
    expect(await exists(`${CRDS_PATH}/boats.sea.test`)).to.equal(true);
    await api.patch(`${BOATS_PATH}/last`, 'merge', { metadata: { finalizers: null } });
    await gone(`${CRDS_PATH}/boats.sea.test`);
    await eventually('the path goes', async () => (await api.call('GET', BOATS_PATH)).code === 404);
  });
});
