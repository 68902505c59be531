import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { NEVER } from '../../../../pkg/base/clock.ts';
import { systemIds } from '../../../../pkg/base/ids.ts';
import { MOST_WORKSPACE_BYTES } from '../../../../pkg/domain/content/media-type.ts';
import { fetchMedia } from '../../../../pkg/providers/media/fetch-media.ts';
import { forgetMedia } from '../../../../pkg/store/content/forget-media.ts';
import { dequeueBackgroundJob } from '../../../../pkg/store/jobs/background-jobs.ts';
import { bucketGarbageJob } from '../../../../pkg/tools/content/bucket-garbage-job.ts';
import { type ContentWorld, DAY, openContentWorld } from '../../../fixtures/content/content-world.ts';
import { type BucketServer, startBucketServer } from '../../../tools/bucket-server.ts';

const HEAD = Buffer.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 0, 0, 13, 73, 72, 68, 82, 0, 0, 4, 0, 0, 0, 2, 0]);
const NOWHERE = { others: 0, room: Number.POSITIVE_INFINITY, take: () => Promise.resolve() };
const PNG = Buffer.concat([HEAD, Buffer.alloc(2_500_000, 7)]);

describe('content: media are fetched, judged by their bytes, and published as they were approved', function () {
  this.timeout(120_000);
  let world: ContentWorld;
  let server: Server;
  let address = '';
  /** What happens while a file is asked for. */
  let meanwhile = (): Promise<unknown> => Promise.resolve();
  const files = new Map<string, Buffer>([
    ['/a.png', PNG],
    ['/a.svg', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')],
    ['/large.png', Buffer.concat([HEAD, Buffer.alloc(11 * 1024 * 1024)])],
  ]);
  before(async () => {
    server = createServer((request, response) => {
      const file = files.get(request.url ?? '');
      // What a server says of its file is not believed.
      void meanwhile().then(() => response.writeHead(file ? 200 : 404, { 'content-type': 'image/png' }).end(file));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    world = await openContentWorld();
  });
  after(async () => {
    await world.stop();
    server.closeAllConnections();
    server.close();
  });

  /** A post with a medium at the server, whose bytes were fetched as far as they can be. @returns its id */
  async function withMedium(path: string): Promise<string> {
    const mediaUrls = [`https://media.example${path}`];
    const contentPostId = await world.create({ mediaUrls, altTexts: ['What it shows'] });
    await world.tools.force('update content_medium set url = $2 where post_id = $1', [contentPostId, address + path]);
    await world.tools.worker().next();
    return contentPostId;
  }
  const mediumOf = async (contentPostId: string): Promise<Record<string, unknown>> => {
    const { media } = await world.acme.call<{ media: Record<string, unknown>[] }>('svc_get_content_post', {
      contentPostId,
    });
    return media[0] ?? {};
  };

  it('a picture of several pieces arrives at the network as it was approved, whatever is at its address later', async () => {
    const contentPostId = await withMedium('/a.png');
    expect(await mediumOf(contentPostId)).to.deep.include({
      state: 'ready',
      type: 'image/png',
      bytes: PNG.length,
      width: 1024,
      height: 512,
      altText: 'What it shows',
    });
    await world.acme.call('svc_submit_content_for_approval', { contentPostId });
    await world.acme.call('svc_approve_content_post', { contentPostId });
    files.set('/a.png', Buffer.from('something else'));
    await world.acme.call('svc_publish_content_post', { contentPostId });
    await world.play();
    expect((await world.posted()).at(-1)?.files).to.deep.equal([{ type: 'image/png', size: PNG.length }]);
    files.set('/a.png', PNG);
  });

  it('bytes that are not those that were approved are not published', async () => {
    const contentPostId = await withMedium('/a.png');
    await world.acme.call('svc_submit_content_for_approval', { contentPostId });
    await world.acme.call('svc_approve_content_post', { contentPostId });
    await world.tools.force(
      `update content_chunk set data = set_byte(data, 100, 1) where place = 1
       and medium_id in (select id from content_medium where post_id = $1)`,
      [contentPostId],
    );
    await world.acme.call('svc_publish_content_post', { contentPostId });
    await world.play();
    expect((await world.get(contentPostId)).failure).to.include({ code: 'media_changed', outcomeKnown: true });
  });

  for (const [path, why] of [
    ['/a.svg', /no JPEG, PNG/],
    ['/large.png', /larger than 10 MB/],
    ['/gone.png', /answered 404/],
  ] as const)
    it(`${path} is refused, and with it the approval`, async () => {
      const contentPostId = await withMedium(path);
      expect((await mediumOf(contentPostId))['error']).to.match(why);
      await world.acme.call('svc_submit_content_for_approval', { contentPostId });
      expect(await world.acme.refusal('svc_approve_content_post', { contentPostId })).to.match(why);
    });

  it('all media of a post together have the room that is there; what an earlier try kept is gone', async () => {
    const contentPostId = await world.create({
      mediaUrls: ['https://media.example/a.png', 'https://media.example/b.png'],
    });
    await world.tools.force('update content_medium set url = $2 where post_id = $1', [
      contentPostId,
      `${address}/a.png`,
    ]);
    await world.tools.force(
      `update content_medium set state = 'ready', mime = 'video/mp4', bytes = $2 where post_id = $1 and place = 0`,
      [contentPostId, 47 * 1024 * 1024],
    );
    await world.tools.force(
      `insert into content_chunk (medium_id, workspace_id, place, data)
       select id, workspace_id, 7, '\\x00' from content_medium where post_id = $1 and place = 1`,
      [contentPostId],
    );
    await world.tools.worker().next();
    const rows = await world.tools.rows<{ error: string; chunks: number }>(
      `select m.error, count(c.*)::int as chunks from content_medium m left join content_chunk c on c.medium_id = m.id
       where m.post_id = $1 and m.place = 1 group by 1`,
      [contentPostId],
    );
    expect(rows).to.deep.equal([{ error: 'with it the media of the post are larger than 48 MB together', chunks: 0 }]);
  });

  describe('GET /media/<id>', () => {
    let contentPostId = '';
    let path = '';
    before(async () => {
      contentPostId = await withMedium('/a.png');
      path = String((await mediumOf(contentPostId))['path']);
    });
    const get = async (key: string | null, headers: Record<string, string> = {}, at = path): Promise<Response> => {
      const authorization: Record<string, string> = key === null ? {} : { authorization: `Bearer ${key}` };
      return fetch(new URL(at, world.tools.mcp.url), { headers: { ...authorization, ...headers } });
    };
    const keyOf = async (workspaceId: string, scopes = ['content:read']): Promise<string> =>
      (await world.tools.mcp.key({ workspaceId, scopes })).plaintext;

    it('serves the bytes to a key of the workspace, whole and by range, as nothing that a browser runs', async () => {
      const key = await keyOf('acme');
      const whole = await get(key);
      expect(whole.status).to.equal(200);
      expect(Buffer.from(await whole.arrayBuffer()).equals(PNG)).to.equal(true);
      for (const [name, value] of [
        ['content-type', 'image/png'],
        ['x-content-type-options', 'nosniff'],
        ['content-disposition', 'attachment'],
        ['content-security-policy', "default-src 'none'; sandbox"],
      ] as const)
        expect(whole.headers.get(name), name).to.equal(value);
      // Over the border of two pieces.
      const part = await get(key, { range: 'bytes=1048570-1048585' });
      expect([part.status, part.headers.get('content-range')]).to.deep.equal([
        206,
        `bytes 1048570-1048585/${PNG.length}`,
      ]);
      expect(Buffer.from(await part.arrayBuffer()).equals(PNG.subarray(1_048_570, 1_048_586))).to.equal(true);
      expect((await get(key, { range: `bytes=${PNG.length}-` })).status).to.equal(416);
    });

    it('is nothing to other workspaces, needs the scope, and a key', async () => {
      expect((await get(await keyOf('rival'))).status).to.equal(404);
      expect((await get(await keyOf('acme', ['leads:read']))).status).to.equal(403);
      expect((await get(null)).status).to.equal(401);
      expect((await get(await keyOf('acme'), {}, '/media/nothing')).status).to.equal(404);
    });

    it('goes a month after its post went out; what it was stays, and drafts keep theirs', async () => {
      const draft = await withMedium('/a.png');
      await world.acme.call('svc_publish_content_post', { contentPostId });
      await world.play();
      const forget = (days: number): Promise<boolean> =>
        world.tools.mcp.platform((tx) => forgetMedia(tx, world.now() + days * DAY));
      await forget(29);
      expect(await mediumOf(contentPostId)).to.include({ state: 'ready' });
      await forget(31);
      expect(await mediumOf(contentPostId)).to.include({ state: 'gone', path: null, bytes: PNG.length });
      expect((await get(await keyOf('acme'))).status).to.equal(404);
      expect(await mediumOf(draft)).to.include({ state: 'ready' });
      const chunks = `select count(*)::int as n from content_chunk c join content_medium m on m.id = c.medium_id where m.post_id = $1`;
      expect(await world.tools.rows(chunks, [contentPostId])).to.deep.equal([{ n: 0 }]);
    });
  });

  it('a workspace keeps so many bytes at most: the refusal says what helps', async () => {
    const contentPostId = await withMedium('/a.png');
    // All media of the workspace together.
    const full = `update content_medium set bytes = $2 - (
        select coalesce(sum(bytes), 0) from content_medium where post_id <> $1 and state = 'ready' and gone_at is null
      ) where post_id = $1`;
    await world.tools.force(full, [contentPostId, MOST_WORKSPACE_BYTES - 1_000]);
    const next = await withMedium('/a.png');
    expect((await mediumOf(next))['error']).to.match(/more than 2048 MB of media; delete drafts/);
    await world.tools.force(full, [contentPostId, 0]);
    meanwhile = () => world.tools.force(full, [contentPostId, MOST_WORKSPACE_BYTES - 1_000]);
    const atOnce = await withMedium('/a.png');
    meanwhile = () => Promise.resolve();
    expect(await mediumOf(atOnce), 'it comes as others do').to.include({ state: 'failed' });
    await world.tools.force(full, [contentPostId, MOST_WORKSPACE_BYTES]);
    const refused = { text: 'x', networkAccountId: world.accountId, mediaUrls: ['https://media.example/a.png'] };
    expect(await world.acme.refusal('svc_create_content_post', refused)).to.match(/keeps 2048 MB of media, of 2048 MB/);
    await world.acme.call('svc_delete_content_post', { contentPostId });
  });

  it('a job that kills its server is given up after five of them: its media can not be used', async () => {
    const contentPostId = await world.create({ mediaUrls: [`https://media.example/a.png`] });
    const { platform } = world.tools.mcp;
    for (let life = 0; life < 5; life++) {
      const taken = await platform((tx) => dequeueBackgroundJob(tx, systemIds.uuid(), ['content_media'], world.now()));
      expect(taken?.failures).to.equal(life);
      await world.tools.force(`update background_job set lease_until = clock_timestamp() - interval '1 second'
        where status = 'running'`);
    }
    await world.tools.worker().next();
    expect((await mediumOf(contentPostId))['error']).to.match(/^5 tries in a row failed or lost their server/);
    const open = await world.tools.rows(`select 1 from background_job where status in ('queued', 'running')`);
    expect(open).to.have.length(0);
  });

  it('nothing is fetched from addresses that are not public', async () => {
    for (const url of ['https://127.0.0.1/a.png', 'https://localhost/a.png', 'http://firm.example/a.png']) {
      const refused = await fetchMedia(url, NOWHERE, () => 'public', new AbortController().signal).catch(String);
      expect(refused, url).to.match(/not a public address|only https/);
    }
  });

  it('nothing is fetched from an address that holds a name or a password', async () => {
    const url = 'https://name:password@127.0.0.1/a.png';
    const refused = await fetchMedia(url, NOWHERE, () => 'public', new AbortController().signal).catch(String);
    expect(refused).to.match(/addresses with a name or password are not called/);
  });
});

describe('content: media in an S3-compatible store', function () {
  this.timeout(120_000);
  let world: ContentWorld;
  let store: BucketServer;
  let server: Server;
  let url = '';
  before(async () => {
    store = await startBucketServer();
    server = createServer((_request, response) => void response.end(PNG));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/a.png`;
    world = await openContentWorld({ bucket: store.bucket });
  });
  after(async () => {
    await world.stop();
    await store.close();
    server.closeAllConnections();
    server.close();
  });

  it('is fetched into it, published from it, read from it by nobody else, and removed with its post', async () => {
    const contentPostId = await world.create({ mediaUrls: ['https://media.example/a.png'] });
    await world.tools.force('update content_medium set url = $2 where post_id = $1', [contentPostId, url]);
    await world.tools.worker().next();
    const [medium] = await world.tools.rows<{ id: string; stored: string; chunks: number }>(
      `select m.id, m.stored, (select count(*)::int from content_chunk) as chunks
       from content_medium m where m.post_id = $1`,
      [contentPostId],
    );
    expect(medium).to.include({ stored: 'bucket', chunks: 0 });
    const id = medium?.id ?? '';
    const key = (place: number): string => `media/acme/${id}/${place}`;
    expect((await store.bucket.get(key(2), NEVER))?.length).to.equal(PNG.length - 2 * 1024 * 1024);
    const asked = async (workspaceId: string): Promise<Response> => {
      const { plaintext } = await world.tools.mcp.key({ workspaceId, scopes: ['content:read'] });
      return fetch(new URL(`/media/${id}`, world.tools.mcp.url), { headers: { authorization: `Bearer ${plaintext}` } });
    };
    expect(Buffer.from(await (await asked('acme')).arrayBuffer()).equals(PNG)).to.equal(true);
    expect((await asked('rival')).status).to.equal(404);

    const copy = await world.acme.call<{ contentPostId: string }>('svc_duplicate_content_post', { contentPostId });
    await world.acme.call('svc_publish_content_post', { contentPostId });
    await world.play();
    expect((await world.posted()).at(-1)?.files).to.deep.equal([{ type: 'image/png', size: PNG.length }]);

    await world.tools.worker().next();
    const rows = 'select id from content_medium where post_id = $1';
    const [own] = await world.tools.rows<{ id: string }>(rows, [copy.contentPostId]);
    await world.acme.call('svc_delete_content_post', { contentPostId: copy.contentPostId });
    await world.tools.mcp.platform((tx) => forgetMedia(tx, world.now() + 31 * DAY));
    await world.tools.force(`update bucket_garbage set since = since - interval '6 minutes'`);
    const left = 'select medium_id as id from bucket_garbage';
    expect((await world.tools.rows<{ id: string }>(left)).map((one) => one.id)).to.have.members([id, own?.id]);
    await bucketGarbageJob(world.tools.cluster.db, store.bucket).run(NEVER);
    expect(await world.tools.rows(left)).to.deep.equal([]);
    for (const place of [0, 1, 2]) expect(await store.bucket.get(key(place), NEVER), key(place)).to.equal(undefined);
  });

  it('bytes that were changed there are not published; put right, they are', async () => {
    const contentPostId = await world.create({ mediaUrls: ['https://media.example/a.png'] });
    await world.tools.force('update content_medium set url = $2 where post_id = $1', [contentPostId, url]);
    await world.tools.worker().next();
    const [{ id } = { id: '' }] = await world.tools.rows<{ id: string }>(
      'select id from content_medium where post_id = $1',
      [contentPostId],
    );
    const piece = (await store.bucket.get(`media/acme/${id}/1`, NEVER)) ?? Buffer.alloc(0);
    await store.bucket.put(`media/acme/${id}/1`, Buffer.from('other bytes'), NEVER);
    await world.acme.call('svc_publish_content_post', { contentPostId });
    await world.play();
    expect((await world.get(contentPostId)).failure, 'other bytes than were fetched').to.include({
      code: 'media_changed',
    });
    await store.bucket.put(`media/acme/${id}/1`, piece, NEVER);
    await world.acme.call('svc_retry_content_post', { contentPostId });
    await world.play();
    expect(await world.get(contentPostId)).to.include({ state: 'published', failure: null });
  });
});
