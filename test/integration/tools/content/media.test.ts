import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { systemIds } from '../../../../pkg/base/ids.ts';
import { fetchMedia } from '../../../../pkg/providers/media/fetch-media.ts';
import { dequeueBackgroundJob } from '../../../../pkg/store/jobs/background-jobs.ts';
import { type ContentWorld, openContentWorld } from '../../../fixtures/content/content-world.ts';

const HEAD = Buffer.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 0, 0, 13, 73, 72, 68, 82, 0, 0, 4, 0, 0, 0, 2, 0]);
const NOWHERE = { others: 0, take: () => Promise.resolve() };
const PNG = Buffer.concat([HEAD, Buffer.alloc(2_500_000, 7)]);

describe('content: media are fetched, judged by their bytes, and published as they were approved', function () {
  this.timeout(120_000);
  let world: ContentWorld;
  let server: Server;
  let address = '';
  const files = new Map<string, Buffer>([
    ['/a.png', PNG],
    ['/a.svg', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')],
    ['/large.png', Buffer.concat([HEAD, Buffer.alloc(11 * 1024 * 1024)])],
  ]);
  before(async () => {
    server = createServer((request, response) => {
      const file = files.get(request.url ?? '');
      // What a server says of its file is not believed.
      response.writeHead(file ? 200 : 404, { 'content-type': 'image/png' }).end(file);
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
