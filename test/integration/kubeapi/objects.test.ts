import { expect } from 'chai';
import { BOATS_PATH, boat, type Json, TestApi } from '../../fixtures/kubeapi/harness.ts';
import { onlyEmbedded } from '../../fixtures/kubeapi/server.ts';

const CONFIGMAPS = '/api/v1/namespaces/default/configmaps';
const LEASES = '/apis/coordination.k8s.io/v1/namespaces/default/leases';

describe('Kubernetes API: objects', () => {
  let api: TestApi;
  before(async () => {
    api = await TestApi.start();
    await api.defineBoats();
  });
  after(() => api.stop());

  it('generation counts changes of the spec only', async () => {
    const made = await api.call('POST', BOATS_PATH, boat('gen'));
    expect(made.code).to.equal(201);
    expect(made.body.metadata.generation).to.equal(1);
    const labelled = await api.patch(`${BOATS_PATH}/gen`, 'merge', { metadata: { labels: { a: 'b' } } });
    expect(labelled.body.metadata.generation).to.equal(1);
    const status = await api.patch(`${BOATS_PATH}/gen/status`, 'merge', { status: { phase: 'Afloat' } });
    expect(status.body.metadata.generation).to.equal(1);
    const changed = await api.patch(`${BOATS_PATH}/gen`, 'merge', { spec: { sails: 4 } });
    expect(changed.body.metadata.generation).to.equal(2);
  });

  it('status is isolated both ways', async () => {
    const made = await api.call('POST', BOATS_PATH, { ...boat('iso'), status: { phase: 'Sunk' } });
    expect(made.body.status).to.equal(undefined);
    const status = await api.patch(`${BOATS_PATH}/iso/status`, 'merge', {
      metadata: { labels: { no: 'way' } },
      spec: { captain: 'Bob' },
      status: { phase: 'Afloat' },
    });
    expect(status.body.spec['captain']).to.equal('Ada');
    expect(status.body.metadata['labels']).to.equal(undefined);
    const main = await api.patch(`${BOATS_PATH}/iso`, 'merge', { spec: { captain: 'Cyd' }, status: { phase: 'Sunk' } });
    expect(main.body.status).to.deep.equal({ phase: 'Afloat' });
    expect(main.body.spec['captain']).to.equal('Cyd');
  });

  it('an unchanged object keeps its resource version', async () => {
    const made = await api.call('POST', BOATS_PATH, boat('same'));
    const again = await api.patch(`${BOATS_PATH}/same`, 'merge', { spec: { captain: 'Ada' } });
    expect(again.body.metadata.resourceVersion).to.equal(made.body.metadata.resourceVersion);
  });

  it('a stale resource version is 409 and changes nothing', async () => {
    const made = await api.call('POST', BOATS_PATH, boat('stale'));
    await api.patch(`${BOATS_PATH}/stale`, 'merge', { spec: { sails: 3 } });
    const put = await api.call('PUT', `${BOATS_PATH}/stale`, { ...made.body, spec: { captain: 'Zoe' } });
    expect([put.code, put.body.reason]).to.deep.equal([409, 'Conflict']);
    expect(put.body.message).to.contain('the object has been modified');
    const patched = await api.patch(`${BOATS_PATH}/stale`, 'merge', {
      metadata: { resourceVersion: made.body.metadata.resourceVersion },
      spec: { captain: 'Zoe' },
    });
    expect(patched.code).to.equal(409);
    expect((await api.call('GET', `${BOATS_PATH}/stale`)).body.spec['captain']).to.equal('Ada');
  });

  it('replacing without a resource version is refused', async () => {
    await api.call('POST', BOATS_PATH, boat('blind'));
    const put = await api.call('PUT', `${BOATS_PATH}/blind`, boat('blind', { sails: 5 }));
    expect(put.code).to.equal(422);
    expect(put.body.message).to.contain('must be specified for an update');
  });

  it('of two writers with one version exactly one wins', async () => {
    const made = await api.call('POST', BOATS_PATH, boat('race'));
    const put = (captain: string): Promise<{ code: number }> =>
      api.call('PUT', `${BOATS_PATH}/race`, { ...made.body, spec: { captain } });
    const codes = (await Promise.all([put('Bob'), put('Cyd'), put('Dan')])).map((answer) => answer.code);
    expect(codes.sort()).to.deep.equal([200, 409, 409]);
  });

  it('a failed test of a JSON patch is 422, not 409', async () => {
    await api.call('POST', BOATS_PATH, boat('jsonpatch'));
    const failed = await api.patch(`${BOATS_PATH}/jsonpatch`, 'json', [
      { op: 'test', path: '/spec/captain', value: 'Bob' },
      { op: 'replace', path: '/spec/captain', value: 'Cyd' },
    ]);
    expect([failed.code, failed.body.reason]).to.deep.equal([422, 'Invalid']);
    const done = await api.patch(`${BOATS_PATH}/jsonpatch`, 'json', [
      { op: 'test', path: '/spec/captain', value: 'Ada' },
      { op: 'replace', path: '/spec/captain', value: 'Cyd' },
    ]);
    expect(done.body.spec['captain']).to.equal('Cyd');
    expect((await api.call('GET', `${BOATS_PATH}/jsonpatch`)).body.spec['captain']).to.equal('Cyd');
  });

  it('merge patches remove with null; strategic ones are for built-in kinds', async () => {
    await api.call('POST', BOATS_PATH, boat('mp', { flag: 'blue' }));
    const done = await api.patch(`${BOATS_PATH}/mp`, 'merge', { spec: { flag: null } });
    expect(done.body.spec).to.deep.equal({ captain: 'Ada', sails: 2 });
    expect((await api.patch(`${BOATS_PATH}/mp`, 'strategic-merge', { spec: {} })).code).to.equal(415);
    await api.call('POST', CONFIGMAPS, { metadata: { name: 'sm', finalizers: ['a.test/one'] }, data: { a: '1' } });
    const both = await api.patch(`${CONFIGMAPS}/sm`, 'strategic-merge', {
      metadata: { finalizers: ['a.test/two'] },
      data: { b: '2' },
    });
    expect(both.body.metadata['finalizers']).to.have.members(['a.test/one', 'a.test/two']);
    expect(both.body['data']).to.deep.equal({ a: '1', b: '2' });
  });

  it('a name is taken once; generateName makes new ones', async () => {
    await api.call('POST', BOATS_PATH, boat('only'));
    const again = await api.call('POST', BOATS_PATH, boat('only'));
    expect([again.code, again.body.reason]).to.deep.equal([409, 'AlreadyExists']);
    const generated = { ...boat(''), metadata: { generateName: 'boat-' } };
    const [one, two] = [await api.call('POST', BOATS_PATH, generated), await api.call('POST', BOATS_PATH, generated)];
    expect(one.body.metadata.name).to.match(/^boat-.{5}$/);
    expect(one.body.metadata.name).not.to.equal(two.body.metadata.name);
  });

  it('a dry run answers and stores nothing', async () => {
    const made = await api.call('POST', `${BOATS_PATH}?dryRun=All`, boat('dry'));
    expect([made.code, made.body.spec['sails']]).to.deep.equal([201, 2]);
    expect((await api.call('GET', `${BOATS_PATH}/dry`)).code).to.equal(404);
    await api.call('POST', BOATS_PATH, boat('dry'));
    await api.call('DELETE', `${BOATS_PATH}/dry?dryRun=All`);
    expect((await api.call('GET', `${BOATS_PATH}/dry`)).code).to.equal(200);
  });

  it('an option that is not known is refused: a dry run that is misspelt would write', async () => {
    await api.call('POST', BOATS_PATH, boat('optional'));
    const path = `${BOATS_PATH}/optional`;
    const merge = { 'content-type': 'application/merge-patch+json' };
    const change = { spec: { sails: 7 } };
    for (const [method, url, body, headers, field] of [
      ['DELETE', `${path}?dryRun=true`, undefined, {}, 'dryRun'],
      ['DELETE', path, { dryRun: ['all'] }, {}, 'dryRun'],
      ['DELETE', `${path}?propagationPolicy=Sometimes`, undefined, {}, 'propagationPolicy'],
      ['DELETE', path, { propagationPolicy: 'foreground' }, {}, 'propagationPolicy'],
      ['PATCH', `${path}?dryRun=true`, change, merge, 'dryRun'],
      ['PATCH', `${path}?fieldValidation=strict`, change, merge, 'fieldValidation'],
      ['PATCH', `${path}?force=true`, change, merge, 'force'],
      ['PATCH', `${path}?fieldManager=${'m'.repeat(129)}`, change, merge, 'fieldManager'],
      ['POST', `${BOATS_PATH}?dryRun=All&dryRun=none`, boat('misspelt'), {}, 'dryRun'],
    ] as const) {
      const answer = await api.call(method, url, body, headers);
      expect([answer.code, answer.body.details?.causes?.[0]?.field], `${method} ${url}`).to.deep.equal([422, field]);
    }
    expect((await api.call('GET', path)).body.spec).to.deep.equal({ captain: 'Ada', sails: 2 });
    expect((await api.call('GET', `${BOATS_PATH}/misspelt`)).code).to.equal(404);
  });

  it('a replacement or patch that names another object is refused', async () => {
    const { metadata } = (await api.call('POST', BOATS_PATH, boat('named-here'))).body;
    const path = `${BOATS_PATH}/named-here`;
    const put = async (given: Json): Promise<number> =>
      (await api.call('PUT', path, boat('named-here', { sails: 3 }, { ...metadata, ...given }))).code;
    const patched = async (given: Json | null): Promise<number> =>
      (await api.patch(path, 'merge', { metadata: given, spec: { sails: 3 } })).code;
    const other = `${metadata.uid.slice(0, -1)}x`;
    expect(
      await Promise.all([{ name: 'x' }, { name: undefined }, { namespace: 'x' }, { uid: other }].map(put)),
    ).to.deep.equal([400, 400, 400, 409]);
    expect(await Promise.all([{ name: 'x' }, null, { namespace: 'x' }, { uid: other }].map(patched))).to.deep.equal([
      400, 400, 400, 422,
    ]);
    expect((await api.call('GET', path)).body.spec['sails']).to.equal(2);
  });

  it('an object that is to be made has no version yet, as one that was printed has', async () => {
    const made = await api.call('POST', BOATS_PATH, boat('again', {}, { resourceVersion: '5' }));
    expect([made.code, made.body.message]).to.deep.equal([
      500,
      'resourceVersion should not be set on objects to be created',
    ]);
  });

  it('a null in a map, or in an object in a list of a patch, is no value', async () => {
    const made = await api.call('POST', BOATS_PATH, boat('nulls', { labels: { a: null, b: 'x' }, flag: null }));
    expect(made.body.spec).to.deep.equal({ captain: 'Ada', sails: 2, labels: { b: 'x' } });
    const cargo = { list: [{ a: null, b: 1 }, null] };
    const patched = await api.patch(`${BOATS_PATH}/nulls`, 'merge', { spec: { cargo } });
    expect(patched.body.spec['cargo']).to.deep.equal({ list: [{ b: 1 }, null] });
  });

  it('a MicroTime has exactly six digits', async () => {
    const lease = (time: string): object => ({
      metadata: { name: 'l' },
      spec: { holderIdentity: 'me', renewTime: time },
    });
    const three = await api.call('POST', LEASES, lease('2026-01-01T00:00:00.123Z'));
    expect([three.code, three.body.reason]).to.deep.equal([400, 'BadRequest']);
    expect(three.body.message).to.contain('cannot parse');
    expect((await api.call('POST', LEASES, lease('2026-01-01T00:00:00.123456Z'))).code).to.equal(201);
  });

  it('lists come in pages; a token of before a restart is 410', async () => {
    for (const name of ['a', 'b', 'c'])
      await api.call('POST', CONFIGMAPS, { metadata: { name: `page-${name}`, labels: { page: 'y' } } });
    const query = `${CONFIGMAPS}?labelSelector=page%3Dy&limit=2`;
    const first = await api.call('GET', query);
    expect(first.body.items.map((item) => item.metadata.name)).to.deep.equal(['page-a', 'page-b']);
    expect(first.body.metadata['remainingItemCount'], 'not known where a selector leaves some out').to.equal(undefined);
    const all = await api.call('GET', `${CONFIGMAPS}?limit=1`);
    expect(all.body.metadata['remainingItemCount']).to.be.greaterThan(1);
    const token = first.body.metadata.continue ?? '';
    const second = await api.call('GET', `${query}&continue=${token}`);
    expect(second.body.items.map((item) => item.metadata.name)).to.deep.equal(['page-c']);
    expect(second.body.metadata.continue).to.equal(undefined);
    await api.restart();
    const late = await api.call('GET', `${query}&continue=${token}`);
    expect([late.code, late.body.reason]).to.deep.equal([410, 'Expired']);
  });

  it('all pages of a list show one moment, whatever is changed between them', async () => {
    const query = `${CONFIGMAPS}?labelSelector=moment%3Dy&limit=1`;
    const made = (name: string): Promise<unknown> =>
      api.call('POST', CONFIGMAPS, {
        metadata: { name: `moment-${name}`, labels: { moment: 'y' } },
        data: { at: '1' },
      });
    for (const name of ['a', 'b', 'd']) await made(name);
    const { resourceVersion, continue: token } = (await api.call('GET', query)).body.metadata;
    await api.call('DELETE', `${CONFIGMAPS}/moment-b`);
    await made('c');
    await api.patch(`${CONFIGMAPS}/moment-d`, 'merge', { data: { at: '2' } });
    const rest = await api.call('GET', `${query.replace('limit=1', 'limit=9')}&continue=${token}`);
    expect(rest.body.items.map((item) => [item.metadata.name, item['data']])).to.deep.equal([
      ['moment-b', { at: '1' }],
      ['moment-d', { at: '1' }],
    ]);
    expect(rest.body.metadata.resourceVersion).to.equal(resourceVersion);
  });

  it('a label selector that can not be understood is 400: it selects neither everything nor nothing', async () => {
    for (const selector of ['a b', 'a in (b', 'a in b', '=x', 'a=b c', 'a>b', '!a=b', 'a,', 'no key!', 'a=-b']) {
      const answer = await api.call('GET', `${CONFIGMAPS}?labelSelector=${encodeURIComponent(selector)}`);
      expect([answer.code, answer.body.reason], selector).to.deep.equal([400, 'BadRequest']);
    }
    await api.call('POST', CONFIGMAPS, { metadata: { name: 'chosen', labels: { size: '7', 'a.test/b': '' } } });
    for (const selector of [
      'size>6',
      'size<8,size',
      'size in (7, 8)',
      'size notin(8)',
      ' size == 7 , !other',
      'a.test/b=,size=7',
    ]) {
      const chosen = `${selector},a.test/b`;
      const { items } = (await api.call('GET', `${CONFIGMAPS}?labelSelector=${encodeURIComponent(chosen)}`)).body;
      expect(
        items.map((item) => item.metadata.name),
        selector,
      ).to.deep.equal(['chosen']);
    }
  });

  it('status is not deleted apart: 405, and the object stays', async () => {
    await api.call('POST', BOATS_PATH, boat('kept'));
    expect((await api.call('DELETE', `${BOATS_PATH}/kept/status`)).code).to.equal(405);
    expect((await api.call('GET', `${BOATS_PATH}/kept`)).code).to.equal(200);
  });

  it('a field is unknown also where every JavaScript object has one of its name', async () => {
    for (const name of ['constructor', 'toString', '__proto__', 'hasOwnProperty']) {
      const spec = JSON.parse(`{"captain":"Ada","${name}":{"x":"y"}}`) as Json;
      const made = await api.call('POST', `${BOATS_PATH}?fieldValidation=Strict`, { ...boat('named'), spec });
      expect(made.body.message, name).to.contain(`unknown field "spec.${name}"`);
      const labels = JSON.parse(`{"${name}":"y"}`) as Json;
      const kept = await api.call('POST', `${BOATS_PATH}?dryRun=All`, boat('named', { labels, cargo: { a: labels } }));
      expect(JSON.stringify(kept.body.spec['labels']), name).to.equal(JSON.stringify(labels));
      expect(JSON.stringify(kept.body.spec['cargo']), name).to.equal(JSON.stringify({ a: labels }));
    }
  });

  it('selectors choose by label, name and selectable field, and refuse others', async () => {
    await api.call('POST', BOATS_PATH, boat('s1', { captain: 'Eve' }, { labels: { sea: 'north' } }));
    await api.call('POST', BOATS_PATH, boat('s2', { captain: 'Eve' }, { labels: { sea: 'south' } }));
    const names = async (query: string): Promise<string[]> =>
      (await api.call('GET', `${BOATS_PATH}?${query}`)).body.items.map((item) => item.metadata.name);
    expect(await names('labelSelector=sea')).to.deep.equal(['s1', 's2']);
    expect(await names(`labelSelector=${encodeURIComponent('sea in (south,east)')}`)).to.deep.equal(['s2']);
    expect(await names(`labelSelector=${encodeURIComponent('sea,sea!=south')}`)).to.deep.equal(['s1']);
    expect(await names(`fieldSelector=${encodeURIComponent('spec.captain=Eve,metadata.name!=s1')}`)).to.deep.equal([
      's2',
    ]);
    const refused = await api.call('GET', `${BOATS_PATH}?fieldSelector=spec.sails%3D2`);
    expect([refused.code, refused.body.message]).to.deep.equal([400, 'field label not supported: spec.sails']);
  });

  it('without a token nothing is answered but the probes and the version', async () => {
    const stranger = { authorization: 'Bearer wrong' };
    expect((await api.call('GET', '/api/v1/namespaces', undefined, stranger)).code).to.equal(401);
    expect((await api.call('GET', '/version', undefined, stranger)).body.reason).to.equal('Unauthorized');
    for (const path of ['/livez', '/readyz', '/healthz', '/version'])
      expect((await api.call('GET', path, undefined, { authorization: '' })).code, path).to.equal(200);
  });

  it('kinds that it does not have are 404, in the form of a Status', async function () {
    onlyEmbedded(this, 'a real one has all kinds, and answers unknown paths with text');
    const kinds = await api.call('GET', '/apis/apps/v1/namespaces/default/deployments');
    expect([kinds.code, kinds.body['kind'], kinds.body.reason]).to.deep.equal([404, 'Status', 'NotFound']);
  });

  it('unknown kinds are 404, unknown verbs 405, broken bodies 400', async () => {
    expect((await api.call('GET', '/apis/sea.test/v1/namespaces/default/sheep')).code).to.equal(404);
    expect((await api.call('GET', '/nonsense')).code).to.equal(404);
    expect((await api.call('POST', `${CONFIGMAPS}/x`, { metadata: { name: 'x' } })).code).to.equal(405);
    expect((await api.call('POST', BOATS_PATH, 'text')).code).to.equal(400);
    expect((await api.call('POST', BOATS_PATH, { ...boat('x'), kind: 'Car' })).code).to.equal(422);
    const { kind: _kind, ...unnamed } = boat('x');
    expect((await api.call('POST', BOATS_PATH, unnamed)).body.message).to.contain("Object 'Kind' is missing");
    expect(
      (await api.call('POST', '/api/v1/namespaces/nowhere/configmaps', { metadata: { name: 'x' } })).code,
    ).to.equal(404);
    for (const name of ['No_Name', 'a..b', 'a.-b', 'a'.repeat(254)])
      expect((await api.call('POST', CONFIGMAPS, { metadata: { name } })).code, name).to.equal(422);
    expect((await api.call('POST', '/api/v1/namespaces', { metadata: { name: 'a.b' } })).code).to.equal(422);
  });

  it('a fault hook answers 429 with Retry-After', async function () {
    onlyEmbedded(this, 'faults are scripted in the embedded one');
    api.faults = (method) =>
      method === 'GET' ? { code: 429, reason: 'TooManyRequests', message: 'later', retryAfterSeconds: 7 } : undefined;
    const answer = await api.call('GET', CONFIGMAPS);
    api.faults = undefined;
    expect([answer.code, answer.headers['retry-after'], answer.body.reason]).to.deep.equal([
      429,
      '7',
      'TooManyRequests',
    ]);
  });

  const MALFORMED: [string, Json][] = [
    ['a name that is a number', { name: 1 }],
    ['labels that are a text', { labels: 'x' }],
    ['a label that is a number', { labels: { a: 1 } }],
    ['an annotation that is a number', { annotations: { a: 1 } }],
    ['finalizers that are a text', { finalizers: 'example.com/a' }],
    ['owners that are a text', { ownerReferences: 'a' }],
    ['an owner that is a text', { ownerReferences: ['a'] }],
  ];
  for (const [what, metadata] of MALFORMED) {
    it(`${what}: 400, and nothing is stored`, async () => {
      const answer = await api.call('POST', BOATS_PATH, boat('malformed', {}, metadata));
      expect([answer.code, answer.body.reason]).to.deep.equal([400, 'BadRequest']);
      expect((await api.call('GET', `${BOATS_PATH}/malformed`)).code).to.equal(404);
    });
  }

  it('owners need a uid, label keys are qualified names, annotations have a bound in all', async () => {
    const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'a' };
    for (const [field, metadata] of [
      ['metadata.ownerReferences', { ownerReferences: [owner] }],
      ['metadata.labels', { labels: { 'no key!': 'x' } }],
      ['metadata.labels', { labels: { 'a..b/c': 'x' } }],
      ['metadata.annotations', { annotations: { 'no key!': 'x' } }],
      ['metadata.finalizers', { finalizers: ['no name!'] }],
      [
        'metadata.ownerReferences',
        { ownerReferences: ['u1', 'u2'].map((uid) => ({ ...owner, uid, controller: true })) },
      ],
      ['metadata.annotations', { annotations: { a: 'x'.repeat(262_144) } }],
    ] as const) {
      const answer = await api.call('POST', BOATS_PATH, boat('malformed', {}, metadata));
      expect(answer.code, field).to.equal(422);
      expect(answer.body.details.causes[0]?.field).to.match(new RegExp(`^${field}`));
    }
  });

  it('an object that is larger than its store takes is refused in its words', async () => {
    const answer = await api.call('POST', BOATS_PATH, boat('huge', { cargo: { x: 'x'.repeat(1_600_000) } }));
    expect([answer.code, answer.body.message]).to.deep.equal([500, 'etcdserver: request is too large']);
  });

  it('half a character is replaced, as a real server reads it', async () => {
    const made = await api.call('POST', BOATS_PATH, boat('half', { captain: 'a\ud800b' }));
    expect([made.code, made.body.spec['captain']]).to.deep.equal([201, 'a\ufffdb']);
  });

  it('text that Postgres can not hold is refused by its field', async function () {
    onlyEmbedded(this, 'etcd holds NUL characters');
    for (const cargo of [{ x: ['a\u0000b'] }, { 'a\u0000': 1 }]) {
      const answer = await api.call('POST', BOATS_PATH, boat('nul', { cargo }));
      expect(answer.code).to.equal(400);
      expect(answer.body.message).to.match(/^spec\.cargo/);
    }
  });

  it('a path or a version that can not be read is 400', async function () {
    onlyEmbedded(this, 'a real one ends the stream, and calls the version a fault of its own');
    expect((await api.call('GET', `${BOATS_PATH}/%zz`)).code).to.equal(400);
    expect((await api.call('GET', `${BOATS_PATH}?watch=true&resourceVersion=abc`)).code).to.equal(400);
  });

  it('objects outlive the server; versions go on rising', async () => {
    const made = await api.call('POST', BOATS_PATH, boat('lasting'));
    await api.restart();
    const found = await api.call('GET', `${BOATS_PATH}/lasting`);
    expect(found.body.metadata.uid).to.equal(made.body.metadata.uid);
    const changed = await api.patch(`${BOATS_PATH}/lasting`, 'merge', { spec: { sails: 3 } });
    expect(Number(changed.body.metadata.resourceVersion)).to.be.greaterThan(Number(made.body.metadata.resourceVersion));
  });

  it('a client may ask for tables and for metadata alone', async () => {
    await api.call('POST', BOATS_PATH, boat('views'));
    const table = await api.call('GET', `${BOATS_PATH}/views`, undefined, {
      accept: 'application/json;as=Table;v=v1;g=meta.k8s.io',
    });
    expect(table.body['kind']).to.equal('Table');
    expect((table.body['columnDefinitions'] as { name: string }[]).map((column) => column.name)).to.deep.equal([
      'Name',
      'Captain',
      'Ready',
      'Sails',
      'Age',
    ]);
    const partial = await api.call('GET', BOATS_PATH, undefined, {
      accept: 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io',
    });
    expect(partial.body['kind']).to.equal('PartialObjectMetadataList');
    expect(partial.body.items.every((item) => item.spec === undefined)).to.equal(true);
  });
});
