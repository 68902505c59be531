import { expect } from 'chai';
import { BOATS_PATH, boat, TestApi, until, type WatchEvent } from '../../fixtures/kubeapi/harness.ts';
import { onlyEmbedded } from '../../fixtures/kubeapi/server.ts';
import { eventually } from '../../tools/kube.ts';

describe('Kubernetes API: watches', () => {
  let api: TestApi;
  let leave: AbortController;
  before(async () => {
    api = await TestApi.start();
    await api.defineBoats();
  });
  beforeEach(() => {
    leave = new AbortController();
  });
  afterEach(async () => {
    leave.abort();
    await api.call('DELETE', BOATS_PATH);
  });
  after(() => api.stop());

  const version = async (): Promise<string> => (await api.call('GET', BOATS_PATH)).body.metadata.resourceVersion;

  it('tells every change after a version, in order, once', async () => {
    const from = await version();
    await api.call('POST', BOATS_PATH, boat('w1'));
    const events = api.watch(`${BOATS_PATH}?watch=true&resourceVersion=${from}`, leave.signal);
    const first = await until(events, (event) => event.type === 'ADDED');
    await api.patch(`${BOATS_PATH}/w1`, 'merge', { spec: { sails: 5 } });
    await api.call('DELETE', `${BOATS_PATH}/w1`);
    const seen = [...first, ...(await until(events, (event) => event.type === 'DELETED'))];
    expect(seen.map((event) => event.type)).to.deep.equal(['ADDED', 'MODIFIED', 'DELETED']);
    const versions = seen.map((event) => Number(event.object.metadata.resourceVersion));
    expect(versions).to.deep.equal([...versions].sort((a, b) => a - b));
    const again = api.watch(`${BOATS_PATH}?watch=true&resourceVersion=${versions[0]}`, leave.signal);
    expect((await until(again, (event) => event.type === 'DELETED')).map((event) => event.type)).to.deep.equal([
      'MODIFIED',
      'DELETED',
    ]);
  });

  it('sends the state first and marks its end when asked for initial events', async () => {
    await api.call('POST', BOATS_PATH, boat('i1'));
    await api.call('POST', BOATS_PATH, boat('i2'));
    const query = 'watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
    const seen = await until(api.watch(`${BOATS_PATH}?${query}`, leave.signal), (event) => event.type === 'BOOKMARK');
    expect(seen.map((event) => event.type)).to.deep.equal(['ADDED', 'ADDED', 'BOOKMARK']);
    const mark = seen.at(-1)?.object.metadata;
    expect(mark?.['annotations']).to.deep.equal({ 'k8s.io/initial-events-end': 'true' });
    expect(mark?.resourceVersion).to.equal(await version());
  });

  it('an object that leaves the selector is DELETED for its watchers, and ADDED when it comes', async () => {
    await api.call('POST', BOATS_PATH, boat('sel', { captain: 'Eve' }));
    const from = await version();
    const events = api.watch(
      `${BOATS_PATH}?watch=true&resourceVersion=${from}&fieldSelector=spec.captain%3DEve`,
      leave.signal,
    );
    await api.patch(`${BOATS_PATH}/sel`, 'merge', { spec: { captain: 'Bob' } });
    await api.patch(`${BOATS_PATH}/sel`, 'merge', { spec: { captain: 'Eve' } });
    const seen = await until(events, (event) => event.type === 'ADDED');
    expect(seen.map((event) => event.type)).to.deep.equal(['DELETED', 'ADDED']);
  });

  it('a version of before a restart is 410, in the stream', async () => {
    const from = await version();
    await api.restart();
    const answer = await eventually('the watch is answered', async () => {
      const got = await api.call('GET', `${BOATS_PATH}?watch=true&resourceVersion=${from}&timeoutSeconds=20`);
      // Until its memory is filled a real one has no time.
      return got.code !== 429 && got;
    });
    const { type, object } = answer.body as unknown as WatchEvent;
    expect([answer.code, type, object['code'], object.reason]).to.deep.equal([200, 'ERROR', 410, 'Expired']);
  });

  it('a compaction is 410 in the stream', async function () {
    onlyEmbedded(this, 'an open watch of a real one is served from its memory and outlives a compaction');
    const events = api.watch(`${BOATS_PATH}?watch=true&sendInitialEvents=true&allowWatchBookmarks=true`, leave.signal);
    await until(events, (event) => event.type === 'BOOKMARK');
    api.embedded.expireWatches();
    const seen = await until(events, () => false);
    expect(seen.map((event) => [event.type, event.object['code']])).to.deep.equal([['ERROR', 410]]);
  });

  it('ends after timeoutSeconds', async () => {
    const events = api.watch(`${BOATS_PATH}?watch=true&timeoutSeconds=1`, leave.signal);
    expect(await until(events, () => false)).to.deep.equal([]);
  });

  it('watchers of all namespaces see every namespace', async () => {
    await api.call('POST', '/api/v1/namespaces', { metadata: { name: 'far' } });
    const from = await version();
    const events = api.watch(`/apis/sea.test/v1/boats?watch=true&resourceVersion=${from}`, leave.signal);
    await api.call('POST', '/apis/sea.test/v1/namespaces/far/boats', boat('away'));
    const [event] = await until(events, () => true);
    expect(event?.object.metadata['namespace']).to.equal('far');
  });
});
