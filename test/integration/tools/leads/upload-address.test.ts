import { once } from 'node:events';
import { connect } from 'node:net';
import { expect } from 'chai';
import { SystemClock } from '../../../../pkg/base/clock.ts';
import { systemIds } from '../../../../pkg/base/ids.ts';
import { createLogger } from '../../../../pkg/base/log.ts';
import { largeBodyRoom } from '../../../../pkg/mcp/call-bodies.ts';
import { Ingress } from '../../../../pkg/mcp/ingress.ts';
import type { Database, Tx } from '../../../../pkg/postgres/database.ts';
import { newUploadSecret, openUpload, purgeUploads } from '../../../../pkg/store/leads/uploads.ts';
import { ConsoleClient } from '../../../fixtures/console/console-client.ts';
import { eventually } from '../../../tools/kube.ts';
import { type McpTools, startMcpTools, type ToolUser } from '../../../tools/mcp-tools.ts';

interface Answer {
  status: string;
  uploadUrl: string;
  expiresAt: string;
  maxBytes: number;
  maxRows: number;
  importId: string;
  created: number;
  updated: number;
  skipped: number;
  errors: { row: number; line: number; message: string; skipped?: true }[];
  columns?: { column: string; target: string | null }[];
}

const HEAD = 'email,linkedin url,full name,company';
const people = (count: number, from = 0, tag = 'up'): string[] =>
  Array.from({ length: count }, (_, n) => {
    const i = from + n;
    return `${tag}${i}@uploads.example,https://www.linkedin.com/in/${tag}-${i},Ann ${tag}${i},Acme ${i % 50}`;
  });
const fileOf = (rows: readonly string[]): string => `${HEAD}\n${rows.join('\n')}\n`;

describe('the upload address of svc_import_leads_csv', function () {
  this.timeout(180_000);
  let tools: McpTools;
  let ada: ToolUser;
  let plain: Database['tx'];

  before(async () => {
    tools = await startMcpTools();
    ada = await tools.as({ memberOf: ['acme'] });
    plain = tools.cluster.db.tx.bind(tools.cluster.db);
  });
  after(() => tools.stop());
  afterEach(async () => {
    tools.cluster.db.tx = plain;
    await tools.force('delete from lead_upload');
  });

  const open = (user = ada, more = {}): Promise<Answer> =>
    user.call<Answer>('svc_import_leads_csv', { workspaceId: 'acme', ...more });
  const load = (csvUrl: string, more = {}, user = ada): Promise<Answer> =>
    user.call<Answer>('svc_import_leads_csv', { workspaceId: 'acme', csvUrl, ...more });
  const put = async (
    url: string,
    body: string | Buffer,
    headers: Record<string, string> = {},
  ): Promise<[number, string]> => {
    const answer = await fetch(url, { method: 'PUT', body, headers });
    return [answer.status, await answer.text()];
  };
  const parts = async (): Promise<number> =>
    (await tools.force<{ count: number }>('select count(*)::int as count from lead_upload_part'))[0]?.count ?? -1;
  const waiting = async (): Promise<boolean> =>
    (await tools.force(`select 1 from pg_locks where locktype = 'advisory' and not granted`)).length > 0;
  const state = async (): Promise<string | undefined> =>
    (await tools.force<{ state: string }>('select state from lead_upload'))[0]?.state;

  it('takes a file, which the same tool imports with csvUrl; then the file is gone, and the address takes no other', async () => {
    const { status, uploadUrl, expiresAt, maxBytes, maxRows } = await open();
    expect({ status, maxBytes, maxRows }).to.deep.equal({
      status: 'awaiting_upload',
      maxBytes: 52_428_800,
      maxRows: 100_000,
    });
    expect(Date.parse(expiresAt) - Date.now()).to.be.within(14 * 60_000, 15 * 60_000 + 5_000);
    const [code, text] = await put(uploadUrl, fileOf(people(3)));
    expect([code, JSON.parse(text).rows]).to.deep.equal([201, 3]);
    expect((await put(uploadUrl, fileOf(people(1))))[0], 'used twice').to.equal(409);
    for (const method of ['GET', 'POST', 'HEAD'])
      expect((await fetch(uploadUrl, { method })).status, `${method} serves nothing`).to.equal(405);
    expect(await load(uploadUrl, { dryRun: true })).to.include({ status: 'dry_run', created: 3 });
    expect(await parts(), 'a dry run keeps the file').to.be.above(0);
    expect(await load(uploadUrl)).to.include({ status: 'completed', created: 3, skipped: 0 });
    expect([await parts(), await state()]).to.deep.equal([0, 'imported']);
    expect((await put(uploadUrl, fileOf(people(1))))[0]).to.equal(409);
    expect(await ada.refusal('svc_import_leads_csv', { workspaceId: 'acme', csvUrl: uploadUrl, tags: ['x'] })).to.match(
      /imported already.*svc_get_import_progress/,
    );
  });

  it('a page of another origin may put a file, and reads why one is refused; it may do nothing else', async () => {
    const { uploadUrl } = await open();
    const headers = { origin: 'https://console.agency.example' };
    const asked = await fetch(uploadUrl, {
      method: 'OPTIONS',
      headers: { ...headers, 'access-control-request-method': 'PUT', 'access-control-request-headers': 'content-type' },
    });
    expect(asked.status).to.equal(204);
    expect(asked.headers.get('access-control-allow-origin')).to.equal(headers.origin);
    expect(asked.headers.get('access-control-allow-methods')).to.equal('PUT');
    expect(asked.headers.has('access-control-allow-credentials')).to.equal(false);
    const refused = await fetch(uploadUrl, { method: 'PUT', body: '', headers });
    expect([refused.status, refused.headers.get('access-control-allow-origin')]).to.deep.equal([415, headers.origin]);
    const body = fileOf(people(2, 300));
    const taken = await fetch(uploadUrl, { method: 'PUT', body, headers: { ...headers, 'content-type': 'text/csv' } });
    expect([taken.status, taken.headers.get('access-control-allow-origin')]).to.deep.equal([201, headers.origin]);
    const elsewhere = new URL(`/invitations/${'x'.repeat(43)}`, uploadUrl);
    const other = await fetch(elsewhere, { headers });
    expect(other.headers.has('access-control-allow-origin')).to.equal(false);
  });

  it('that a session of the console asked for takes a file while it is open, and its member may store leads', async () => {
    const userId = await tools.mcp.user({ member: 'acme' });
    const page = await ConsoleClient.signedIn(tools.mcp, userId);
    const asked = async (): Promise<string> => {
      const { json, text } = await page.call('svc_import_leads_csv', { workspaceId: 'acme' });
      expect(json.result, text).to.have.property('uploadUrl');
      return String(json.result?.['uploadUrl']);
    };
    const url = await asked();
    expect((await put(url, fileOf(people(3, 900))))[0]).to.equal(201);
    const { json } = await page.call('svc_import_leads_csv', { workspaceId: 'acme', csvUrl: url });
    expect(json.result).to.include({ created: 3 });
    const reviewing = await asked();
    await tools.force(`update member set role = 'reviewer' where user_id = $1`, [userId]);
    expect((await put(reviewing, fileOf(people(3))))[0]).to.equal(403);
    await tools.force(`update member set role = 'member' where user_id = $1`, [userId]);
    const over = await asked();
    await page.ask('/console/api/sign-out', { body: {} });
    expect((await put(over, fileOf(people(3))))[0]).to.equal(403);
  });

  it('a dry run says where each column goes, and of what is told which rows are skipped', async () => {
    const { uploadUrl } = await open();
    const rows = Array.from({ length: 1_200 }, (_, n) => `p${n}@uploads.example,,,,no number`);
    await put(uploadUrl, `${HEAD},Phone,Owner\n${rows.map((row) => `${row},x`).join('\n')}\nno mail,,,,,x\n`);
    const { errors, skipped, columns } = await load(uploadUrl, {
      dryRun: true,
      mapping: { Owner: 'customFields.owner' },
    });
    expect(columns).to.deep.equal([
      { column: 'email', target: 'email' },
      { column: 'linkedin url', target: 'profileUrl' },
      { column: 'full name', target: 'fullName' },
      { column: 'company', target: 'company' },
      { column: 'Phone', target: 'phone' },
      { column: 'Owner', target: 'customFields.owner' },
    ]);
    expect([skipped, errors.length]).to.deep.equal([1, 1_000]);
    expect(errors.filter((one) => one.skipped).map(({ row }) => row)).to.deep.equal([1_202]);
    expect(await load(uploadUrl)).to.not.have.property('columns');
  });

  it('is answered the same when the import is made again because its answer was lost', async () => {
    const { uploadUrl } = await open();
    await put(uploadUrl, fileOf(people(2, 50)));
    const input = { workspaceId: 'acme', csvUrl: uploadUrl };
    const first = await ada.call('svc_import_leads_csv', input);
    expect(await ada.again('svc_import_leads_csv', input)).to.deep.equal(first);
  });

  it('works with two replicas: one gives it, another takes the file, and the first one imports it', async () => {
    const { db, clock: product } = tools.cluster;
    const other = new Ingress({ db, product, ids: systemIds, log: createLogger('test', 'silent') });
    const base = await other.listen('127.0.0.1', 0);
    try {
      const { uploadUrl } = await open();
      const there = `${base}${new URL(uploadUrl).pathname}`;
      expect((await put(there, fileOf(people(2, 100))))[0]).to.equal(201);
      expect(await load(uploadUrl)).to.include({ created: 2 });
    } finally {
      await other.close();
    }
  });

  it('reads UTF-16 and Windows-1252, and notes damaged text', async () => {
    for (const [name, bytes] of [
      ['utf-16le', Buffer.from(`\uFEFF${HEAD}\nj16@uploads.example,,Jürgen Groß,Öl GmbH\n`, 'utf16le')],
      ['windows-1252', Buffer.from(`${HEAD}\nj12@uploads.example,,Jürgen Groß,Öl GmbH\n`, 'latin1')],
    ] as const) {
      const { uploadUrl } = await open();
      expect((await put(uploadUrl, bytes))[0], name).to.equal(201);
      expect((await load(uploadUrl)).errors, name).to.deep.equal([]);
    }
    const names = await tools.rows<{ full_name: string }>(
      `select full_name from lead where email in ('j16@uploads.example', 'j12@uploads.example')`,
    );
    expect(names.map((one) => one.full_name)).to.deep.equal(['Jürgen Groß', 'Jürgen Groß']);
    const { uploadUrl } = await open();
    await put(uploadUrl, `${HEAD}\nj8@uploads.example,,JÃ¼rgen Groß,Öl\n`);
    expect((await load(uploadUrl)).errors[0]?.message).to.contain('damaged text');
  });

  it('refuses what is no CSV, says what to do, and takes the right file after that', async () => {
    const { uploadUrl } = await open();
    for (const [what, body, headers] of [
      ['a workbook', 'PK\x03\x04rest', {}],
      ['a PDF', '%PDF-1.7', {}],
      ['bytes that are no text', Buffer.from([1, 0, 0, 0, 7, 0, 0, 0, 200, 1, 2, 3, 0, 0, 0, 1]), {}],
      ['an empty body', '', {}],
      ['a form', 'x', { 'content-type': 'multipart/form-data; boundary=x' }],
      ['compressed', 'x', { 'content-encoding': 'gzip' }],
    ] as const) {
      const [status, text] = await put(uploadUrl, body, headers);
      expect(status, what).to.equal(415);
      expect(text, what).to.match(/Save it as CSV/);
    }
    expect([await parts(), await state()]).to.deep.equal([0, 'open']);
    expect((await put(uploadUrl, fileOf(people(1, 200))))[0]).to.equal(201);
  });

  it('refuses more than 50 MB by its head and by what comes, and more than 100,000 rows; nothing is kept', async () => {
    const { uploadUrl } = await open();
    const at = new URL(uploadUrl);
    const socket = connect({ host: at.hostname, port: Number(at.port) });
    socket.write(`PUT ${at.pathname} HTTP/1.1\r\nhost: x\r\ncontent-length: 52428801\r\n\r\n`);
    const [head] = (await once(socket, 'data')) as [Buffer];
    expect(head.toString()).to.match(/^HTTP\/1.1 413/);
    socket.destroy();
    const [status, text] = await put(uploadUrl, `email\n${'a@b.example\n'.repeat(100_200)}`);
    expect([status, text]).to.satisfy(([code, why]: [number, string]) => code === 413 && why.includes('100000 rows'));
    expect([await parts(), await state()]).to.deep.equal([0, 'open']);
  });

  it('keeps nothing of a cut connection, and takes the file again', async () => {
    const { uploadUrl } = await open();
    const at = new URL(uploadUrl);
    const socket = connect({ host: at.hostname, port: Number(at.port) });
    socket.write(
      `PUT ${at.pathname} HTTP/1.1\r\nhost: x\r\ncontent-length: 2000000\r\n\r\n${HEAD}\n${'x'.repeat(1_100_000)}`,
    );
    await eventually('a part is stored', async () => (await parts()) > 0);
    expect((await put(uploadUrl, fileOf(people(1))))[0], 'another file while one is on its way').to.equal(409);
    socket.destroy();
    await eventually('it is given back', async () => (await state()) === 'open');
    expect(await parts()).to.equal(0);
    expect((await put(uploadUrl, fileOf(people(1, 300))))[0]).to.equal(201);
  });

  it('takes another file after a server died that was taking one; the dead try stores nothing more', async () => {
    const { uploadUrl } = await open();
    await tools.force(
      `update lead_upload set state = 'receiving', attempt = 7, touched_at = now() - interval '2 minutes'`,
    );
    expect((await put(uploadUrl, fileOf(people(1, 310))))[0]).to.equal(201);
    const [row] = await tools.force<{ attempt: number }>('select attempt from lead_upload');
    expect(row?.attempt).to.equal(8);
  });

  it('ends after 15 minutes, and what came is gone within the hour', async () => {
    const { uploadUrl } = await open();
    await tools.force(`update lead_upload set expires_at = now()`);
    expect((await put(uploadUrl, fileOf(people(1))))[0]).to.equal(410);
    const next = await open();
    await put(next.uploadUrl, fileOf(people(1, 320)));
    await tools.force(`update lead_upload set created_at = now() - interval '51 minutes'`);
    await tools.cluster.db.tx({ kind: 'platform' }, purgeUploads);
    expect(await parts()).to.equal(0);
    expect(await ada.refusal('svc_import_leads_csv', { workspaceId: 'acme', csvUrl: next.uploadUrl })).to.match(
      /must be an uploadUrl/,
    );
  });

  it("is bound to its member and workspace: another member's key and another workspace get nothing from it", async () => {
    const bo = await tools.as({ memberOf: ['acme', 'rival'] });
    const { uploadUrl } = await open();
    const userId = await tools.mcp.user();
    const { plaintext } = await tools.mcp.key({ userId });
    expect((await put(uploadUrl, fileOf(people(1)), { authorization: `Bearer ${plaintext}` }))[0]).to.equal(403);
    expect((await put(uploadUrl, fileOf(people(1, 330))))[0]).to.equal(201);
    for (const workspaceId of ['acme', 'rival'])
      expect(await bo.refusal('svc_import_leads_csv', { workspaceId, csvUrl: uploadUrl })).to.match(
        /must be an uploadUrl/,
      );
    expect(
      await ada.refusal('svc_import_leads_csv', { workspaceId: 'acme', csvUrl: 'https://files.example/people.csv' }),
    ).to.match(/nothing is fetched from elsewhere/);
    expect((await put(uploadUrl.slice(0, -2), 'x'))[0]).to.equal(404);
  });

  it('asks again, when the file comes, whether the key and its scope still hold and the workspace is open', async () => {
    const { uploadUrl } = await open();
    const turned = async (change: string, back: string): Promise<number> => {
      await tools.force(change);
      const [status] = await put(uploadUrl, fileOf(people(1)));
      await tools.force(back);
      return status;
    };
    const key = '(select key_id from lead_upload)';
    expect(
      await turned(
        `update api_key set scopes = array_remove(scopes, 'leads:write') where id = ${key}`,
        `update api_key set scopes = scopes || '{leads:write}'::text[] where id = ${key}`,
      ),
      'scope',
    ).to.equal(403);
    expect(
      await turned(
        `update api_key set revoked_at = 1 where id = ${key}`,
        `update api_key set revoked_at = null where id = ${key}`,
      ),
      'key',
    ).to.equal(403);
    expect(
      await turned(
        `update member set role = 'reviewer' where user_id = (select user_id from lead_upload)`,
        `update member set role = 'member' where user_id = (select user_id from lead_upload)`,
      ),
      'role',
    ).to.equal(403);
    expect(
      await turned(
        `update workspace set operating_mode = 'Suspended' where id = 'acme'`,
        `update workspace set operating_mode = 'Running' where id = 'acme'`,
      ),
      'suspended',
    ).to.equal(403);
    expect((await put(uploadUrl, fileOf(people(1, 340))))[0]).to.equal(201);
  });

  it('goes on after its server was killed during the import: nothing twice, duplicates over slices known', async () => {
    const rows = [...people(2_600, 0, 'kill'), people(1, 3, 'kill')[0] ?? '', 'no mail,,,'];
    const { uploadUrl } = await open();
    expect((await put(uploadUrl, fileOf(rows)))[0]).to.equal(201);
    let left = 2;
    tools.cluster.db.tx = (async (...given: Parameters<Database['tx']>) => {
      if (given[0].kind === 'workspaces' && --left < 0) throw new Error('the process died');
      return plain(...given);
    }) as Database['tx'];
    await ada.refusal('svc_import_leads_csv', { workspaceId: 'acme', csvUrl: uploadUrl, idempotencyKey: 'killed' });
    tools.cluster.db.tx = plain;
    const some = await tools.rows<{ count: number }>(
      `select count(*)::int as count from lead where email like 'kill%'`,
    );
    expect(some[0]?.count).to.be.within(1_000, 2_599);
    expect(await parts(), 'the file is kept for the next try').to.be.above(0);
    const answer = await load(uploadUrl, { idempotencyKey: 'killed' });
    expect(answer).to.include({ status: 'completed', created: 2_600, updated: 0, skipped: 2 });
    expect(answer.errors.map(({ line, message }) => [line, message.slice(0, 25)])).to.deep.equal([
      [2_602, 'the same person as line 5'],
      [2_603, '"no mail" is no mail addr'],
    ]);
    expect(await load(uploadUrl, { idempotencyKey: 'killed' })).to.include({ importId: answer.importId });
  });

  it('stores nothing of a file that is broken at its end', async () => {
    const { uploadUrl } = await open();
    await put(uploadUrl, `${fileOf(people(2_200, 0, 'broken'))}"open,`);
    expect(await ada.refusal('svc_import_leads_csv', { workspaceId: 'acme', csvUrl: uploadUrl })).to.match(
      /never closed \(line 2202\)/,
    );
    expect(await tools.rows(`select 1 from lead where email like 'broken%'`)).to.have.length(0);
  });

  it('a broken file gives its place back: the mended one comes to the same address', async () => {
    const { uploadUrl } = await open();
    await put(uploadUrl, `${HEAD}\n"open,`);
    expect(await ada.refusal('svc_import_leads_csv', { workspaceId: 'acme', csvUrl: uploadUrl })).to.match(
      /never closed.*The file was forgotten\. PUT the mended file to the same address/,
    );
    expect([await parts(), await state()]).to.deep.equal([0, 'open']);
    expect((await put(uploadUrl, fileOf(people(1, 360))))[0]).to.equal(201);
    expect(await load(uploadUrl)).to.include({ status: 'completed', created: 1 });
  });

  it('an address whose file was refused makes room for a new one, the oldest first; one that waits for its file does not', async () => {
    const urls: string[] = [];
    for (let n = 0; n < 10; n++) urls.push((await open()).uploadUrl);
    const [first = '', second = '', third = ''] = urls;
    expect((await put(second, 'PK\x03\x04'))[0]).to.equal(415);
    expect((await put(first, 'x', { 'content-type': 'multipart/form-data; boundary=x' }))[0]).to.equal(415);
    const { uploadUrl } = await open();
    expect((await put(second, fileOf(people(1))))[0], 'the oldest that was refused').to.equal(404);
    for (const url of [first, third, uploadUrl]) expect((await put(url, fileOf(people(1))))[0]).to.equal(201);
    expect(await ada.refusal('svc_import_leads_csv', { workspaceId: 'acme' })).to.match(/10 upload addresses/);
  });

  it('no two take the last place at once, and csv: null takes none', async () => {
    for (let n = 0; n < 8; n++) await open();
    expect(await ada.refusal('svc_import_leads_csv', { workspaceId: 'acme', csv: null })).to.equal(
      'Invalid input: csv: null is no file. Leave csv out for an address that takes one',
    );
    await open();
    const one = (tx: Tx): Promise<number | undefined> =>
      openUpload(tx, { ...newUploadSecret(), id: systemIds.uuid(), workspaceId: 'acme', keyId: null, userId: null });
    const scope = { kind: 'workspaces' as const, ids: ['acme'], caller: 'test' };
    let done = false;
    const [first, second] = await plain(scope, async (tx) => {
      const mine = await one(tx);
      const other = plain(scope, one).finally(() => {
        done = true;
      });
      await eventually('the other waits', async () => done || (await waiting()));
      return [mine, { other }] as const;
    });
    expect([typeof first, await second.other]).to.deep.equal(['number', undefined]);
  });

  it('is one of ten at most in a workspace, and its parts are counted in the room for bodies', async () => {
    for (let n = 0; n < 10; n++) await open();
    expect(await ada.refusal('svc_import_leads_csv', { workspaceId: 'acme' })).to.match(/10 upload addresses/);
    const room = largeBodyRoom(new SystemClock(), 1);
    const { db, clock: product } = tools.cluster;
    const [row] = await tools.force<{ user_id: string }>('select user_id from lead_upload limit 1');
    await tools.force('delete from lead_upload');
    const { uploadUrl } = await open();
    const full = new Ingress({ db, product, ids: systemIds, log: createLogger('test', 'silent'), room });
    const base = await full.listen('127.0.0.1', 0);
    try {
      const taken = await room.enter([`user ${row?.user_id}`], 24 * 1024 * 1024, new AbortController());
      const there = `${base}${new URL(uploadUrl).pathname}`;
      expect((await put(there, fileOf(people(1))))[0], 'its member has no room').to.equal(429);
      taken.release();
      expect((await put(there, fileOf(people(1, 350))))[0]).to.equal(201);
    } finally {
      await full.close();
    }
  });
});
