import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import type { JsonObject } from '../../../../pkg/base/json.ts';
import { WEBHOOK_RETRIES_MS } from '../../../../pkg/domain/webhook-retries.ts';
import { webhookSignature } from '../../../../pkg/domain/webhook-signature.ts';
import type { Tx } from '../../../../pkg/postgres/database.ts';
import { reachBesides } from '../../../../pkg/providers/integrations.ts';
import { fanOut } from '../../../../pkg/store/deliveries/fan-out.ts';
import { forgetDeliveries } from '../../../../pkg/store/deliveries/forget-deliveries.ts';
import { numberEvents } from '../../../../pkg/store/events/number-events.ts';
import { missing } from '../../../fixtures/tools/mcp-fixture.ts';
import {
  answer,
  type Connected,
  created,
  type Listed,
  type Reader,
  startWebhookFixture,
  type WebhookFixture,
} from '../../../fixtures/tools/webhook-fixture.ts';
import type { ToolUser } from '../../../tools/mcp-tools.ts';
import {
  type Behaviour,
  idsOf,
  nameOf,
  type Received,
  startWebhookReceiver,
  type WebhookReceiver,
} from '../../../tools/webhook-receiver.ts';

const MINUTE = 60_000;
const DAY = 86_400_000;
// Source: catalog, webhook; reference, I5.
describe('tools: webhooks, from an event to its receiver', function () {
  this.timeout(60_000);
  let fixture: WebhookFixture;
  let receiver: WebhookReceiver;
  let acme: ToolUser;
  const open: Connected[] = [];

  before(async () => {
    fixture = await startWebhookFixture();
    receiver = await startWebhookReceiver();
    acme = await fixture.tools.as({ workspace: 'acme' });
    fixture.tools.cluster.clock.at = Date.UTC(2026, 2, 2, 10);
  });
  after(async () => {
    await receiver.close();
    await fixture.stop();
  });
  beforeEach(() => {
    receiver.behave();
    receiver.got.length = 0;
  });
  afterEach(async () => {
    for (const { integrationId } of open.splice(0))
      await fixture.tools.force('delete from delivery where integration_id = $1', [integrationId]);
    await fixture.tools.force(`update integration set deleted_at = 1, events = '{}'`);
    await fixture.tell();
  });

  async function connect(more: object = {}, user = acme): Promise<Connected> {
    const input = { provider: 'webhook', url: receiver.url, events: ['lead.created'], ...more };
    const made = await user.call<Connected>('svc_connect_integration', input);
    open.push(made);
    return made;
  }
  const list = (integrationId: string, more: object = {}): Promise<Listed> =>
    acme.call<Listed>('svc_list_integrations', { integrationId, ...more });
  const told = (): Received[] => receiver.got.filter(({ headers }) => headers['x-svc-event'] !== 'ping');
  const platform = <T>(work: (tx: Tx) => Promise<T>): Promise<T> =>
    fixture.tools.cluster.db.tx({ kind: 'platform' }, work);

  it('an event is one signed POST, which svix and standardwebhooks verify with the secret as it was shown', async () => {
    const made = await connect();
    const profileUrl = 'https://www.linkedin.com/in/ada-hook';
    const { leadId } = await acme.call<{ leadId: string }>('svc_upsert_lead', { profileUrl });
    await fixture.deliver();
    const [got, ...more] = told();
    expect(more).to.deep.equal([]);
    if (!got) throw new Error('nothing was delivered');
    expect(got.event).to.deep.include({ kind: 'lead.created', workspaceId: 'acme', data: { leadIds: [leadId] } });
    expect(Object.keys(got.event)).to.deep.equal(['id', 'kind', 'occurredAt', 'workspaceId', 'sequence', 'data']);
    for (const Judge of [SvixWebhook, StandardWebhook]) {
      new Judge(made.signingSecret).verify(got.body, got.headers);
      expect(() => new Judge(made.signingSecret).verify(`${got.body} `, got.headers)).to.throw();
    }
    const timestamp = Number(got.headers['x-svc-timestamp']);
    expect(got.headers['x-svc-signature']).to.equal(webhookSignature([made.signingSecret], timestamp, got.body));
    expect(got.headers['x-svc-delivery']).to.equal(got.headers['webhook-id']);
  });

  it('each template is delivered as its sample says, also plain steps, which get numbers where somebody follows them', async () => {
    const { webhookTemplates } = await acme.call<{
      webhookTemplates: { webhookTemplateId: string; samplePayload: { kind: string; data: JsonObject } }[];
    }>('svc_list_webhook_templates', { limit: 100, detail: 'full' });
    const kinds = webhookTemplates.map(({ webhookTemplateId }) => webhookTemplateId);
    expect(kinds).to.include.members(['run.step_done', 'reply.received']);
    const [first = '', second = '', ...others] = kinds;
    // A call takes 50 kinds and a template: there are more.
    const made = await connect({ events: others, webhookTemplateId: first });
    await connect({ events: [second] });
    await fixture.deliver();
    receiver.got.length = 0;
    const payloads = webhookTemplates.map(({ samplePayload }) => samplePayload);
    await fixture.happen('acme', payloads);
    await fixture.deliver();
    const samples = new Map(payloads.map((payload) => [payload.kind, payload]));
    expect(told().map(({ event }) => event.kind)).to.have.members(kinds);
    for (const { event, headers } of told()) {
      const sample = samples.get(event.kind);
      expect(event.data, event.kind).to.deep.equal(sample?.data);
      expect(Object.keys(event), event.kind).to.deep.equal(Object.keys(sample ?? {}));
      expect(headers['x-svc-event']).to.equal(event.kind);
    }
    expect((await list(made.integrationId)).integrations[0]?.events).to.have.members([first, ...others]);
  });

  it('a failing delivery holds back later ones of the same lead only', async () => {
    const [ada, bob, eve] = [randomUUID(), randomUUID(), randomUUID()];
    await connect({ events: ['lead.created', 'lead.enriched'] });
    receiver.behave((got, response) => {
      response.writeHead(got.event.kind === 'lead.created' && got.body.includes(ada) ? 500 : 204).end();
    });
    const enriched = (leadId: string) => ({ kind: 'lead.enriched', data: { leadId } });
    await fixture.happen('acme', [created(ada, bob), enriched(ada), enriched(bob), enriched(eve), created(eve)]);
    await fixture.deliver();
    expect(told().map(nameOf)).to.deep.equal([[ada, bob], eve, [eve]]);
    receiver.behave();
    fixture.pass(1.25 * MINUTE);
    await fixture.deliver();
    expect(told().slice(3).map(nameOf)).to.deep.equal([[ada, bob], ada, bob]);
  });

  it('however many fail, those of other leads go on', async () => {
    const { integrationId } = await connect();
    const lead = randomUUID();
    await fixture.tools.force(
      `insert into delivery (id, workspace_id, integration_id, number, seq, at, kind, lead_ids, attempts, due_at, created_at)
       select gen_random_uuid(), 'acme', $1, -n, -n, 1, 'lead.created', array[case n when 7 then $2::uuid else gen_random_uuid() end],
         1, 9e15::bigint, 1 from generate_series(1, 600) n`,
      [integrationId, lead],
    );
    const free = randomUUID();
    await fixture.happen('acme', [created(free), created(lead)]);
    await fixture.deliver();
    expect(told().map(nameOf)).to.deep.equal([[free]]);
  });

  it('is tried again after 1 m, 5 m, 30 m, 2 h, 12 h and 24 h, a quarter later at most; then the endpoint pauses and says so', async () => {
    const made = await connect();
    await connect({ url: `${receiver.url}/watching`, events: ['integration.error'] });
    receiver.behave((got, response) => {
      response.writeHead(got.path.endsWith('/watching') ? 204 : 502).end('Bad Gateway');
    });
    await fixture.happen('acme', [created(randomUUID())]);
    await fixture.deliver();
    for (const [at, wait] of WEBHOOK_RETRIES_MS.entries()) {
      fixture.pass(wait - 1);
      await fixture.deliver();
      expect(told(), `${wait} ms are not over`).to.have.length(at + 1);
      fixture.pass(wait / 4 + 1);
      await fixture.deliver();
      expect(told(), `after ${wait} ms`).to.have.length(at + 2);
      const [latest] = (await list(made.integrationId)).deliveries;
      expect(latest).to.deep.include({ state: at < 5 ? 'waiting' : 'failed', attempts: at + 2 });
      expect(latest?.error).to.contain('answered 502: Bad Gateway');
    }
    expect(new Set(idsOf(told()))).to.have.length(1);
    const [paused] = (await list(made.integrationId)).integrations;
    expect(paused?.status).to.equal('paused');
    expect(paused?.lastError).to.match(/^paused since 20\S+: .*answered 502.*; call svc_connect_integration/);
    await fixture.deliver();
    const [news] = told().filter(({ path }) => path.endsWith('/watching'));
    expect(news?.event).to.deep.include({ kind: 'integration.error' });
    expect(news?.event.data['integrationId']).to.equal(made.integrationId);
  });

  it('what happens while an endpoint is paused comes once it is connected anew and asked for; its secret stays', async () => {
    const made = await connect();
    receiver.behave(answer(410));
    await fixture.happen('acme', [created(randomUUID())]);
    await fixture.deliver();
    expect((await list(made.integrationId)).integrations[0]?.status, 'one that is gone').to.equal('paused');
    const since = new Date(fixture.tools.cluster.clock.now()).toISOString();
    fixture.pass(MINUTE);
    const later = created(randomUUID());
    await fixture.happen('acme', [later]);
    await fixture.deliver();
    receiver.behave();
    receiver.got.length = 0;
    const again = await acme.call<Connected>('svc_connect_integration', {
      provider: 'webhook',
      integrationId: made.integrationId,
      replayFrom: since,
    });
    expect([again.signingSecret, again.replayed]).to.deep.equal([null, 2]);
    await fixture.deliver();
    expect(told().map(nameOf)).to.have.length(2).and.deep.include(later.data['leadIds']);
    for (const got of told()) new SvixWebhook(made.signingSecret).verify(got.body, got.headers);
  });

  it('Retry-After is honoured, for all that waits for the endpoint; too many is no failure', async () => {
    const made = await connect();
    receiver.behave(answer(429, { 'retry-after': '600' }));
    await fixture.happen('acme', [created(randomUUID())]);
    await fixture.deliver();
    await fixture.happen('acme', [created(randomUUID())]);
    fixture.pass(9 * MINUTE);
    await fixture.deliver();
    expect(told()).to.have.length(1);
    expect((await list(made.integrationId)).deliveries.map(({ attempts }) => attempts)).to.deep.equal([0, 0]);
    receiver.behave();
    fixture.pass(MINUTE);
    await fixture.deliver();
    expect(told()).to.have.length(3);
  });

  it('answers that take nothing are failures with a reason, and what is taken is delivered however it is said', async () => {
    const made = await connect();
    const said: [string, Behaviour, RegExp][] = [
      ['500', answer(500), /answered 500/],
      ['not found', answer(404), /answered 404/],
      ['no entry', answer(401), /answered 401/],
      [
        'a redirect to a private address',
        answer(301, { location: 'http://169.254.169.254/latest/meta-data' }),
        /answered 301; redirects are not followed, connect the address/,
      ],
      ['a closed connection', (_got, response) => void response.destroy(), /POST 127\.0\.0\.1/],
    ];
    for (const [what, behave, error] of said) {
      receiver.behave(behave);
      await fixture.happen('acme', [created(randomUUID())]);
      await fixture.deliver();
      const [latest] = (await list(made.integrationId)).deliveries;
      expect(latest, what).to.deep.include({ state: 'waiting', attempts: 1 });
      expect(latest?.error, what).to.match(error);
    }
    receiver.behave((_got, response) => void response.writeHead(200).end('x'.repeat(10 * 1024 * 1024)));
    await fixture.happen('acme', [created(randomUUID())]);
    await fixture.deliver();
    const { deliveries, integrations } = await list(made.integrationId, { deliveryState: 'delivered' });
    expect([deliveries.length, integrations[0]?.failuresInRow]).to.deep.equal([1, 0]);
  });

  it('private addresses and http are refused where the platform has no local receivers', async () => {
    const made = await connect();
    const strict = fixture.worker({ connections: { ...fixture.connections, reachOf: reachBesides(undefined) } });
    await fixture.happen('acme', [created(randomUUID())]);
    await fixture.deliver(strict);
    expect((await list(made.integrationId)).deliveries[0]?.error).to.equal('only https addresses are called');
    for (const url of ['https://127.0.0.1/hook', 'https://[::1]/hook', 'https://localhost/hook', 'https://10.0.0.1/']) {
      await fixture.tools.force(`update integration set url = $2 where id = $1`, [made.integrationId, url]);
      await fixture.tools.force(`update delivery set due_at = 1 where integration_id = $1`, [made.integrationId]);
      await fixture.deliver(strict);
      expect((await list(made.integrationId)).deliveries[0]?.error, url).to.match(/is not a public address$/);
    }
    expect(told()).to.deep.equal([]);
  });

  it('two secrets are valid while one is rotated, also when the answer with the new one was lost', async () => {
    const made = await connect();
    const renew = { provider: 'webhook', integrationId: made.integrationId };
    const lost = await acme.call<Connected>('svc_connect_integration', renew);
    const renewed = await acme.again<Connected>('svc_connect_integration', renew);
    await fixture.happen('acme', [created(randomUUID())]);
    await fixture.deliver();
    const [got] = told();
    if (!got) throw new Error('nothing was delivered');
    for (const { signingSecret } of [made, renewed]) {
      for (const Judge of [SvixWebhook, StandardWebhook]) new Judge(signingSecret).verify(got.body, got.headers);
      const timestamp = Number(got.headers['x-svc-timestamp']);
      const own = webhookSignature([signingSecret], timestamp, got.body);
      expect(got.headers['x-svc-signature']?.split(',')).to.include(own);
    }
    expect(() => new SvixWebhook(lost.signingSecret).verify(got.body, got.headers)).to.throw();
  });

  it('a replay by delivery comes under the same id; ids of others are not found', async () => {
    const made = await connect();
    const other = await connect({ url: `${receiver.url}/other` });
    await fixture.happen('acme', [created(randomUUID()), created(randomUUID())]);
    await fixture.deliver();
    const [one] = (await list(made.integrationId)).deliveries;
    receiver.got.length = 0;
    const input = { provider: 'webhook', integrationId: made.integrationId, deliveryIds: [one?.deliveryId] };
    expect((await acme.call<Connected>('svc_connect_integration', input)).replayed).to.equal(1);
    await fixture.deliver();
    expect(idsOf(told())).to.deep.equal([one?.deliveryId]);
    for (const wrong of [
      { ...input, integrationId: other.integrationId },
      { ...input, deliveryIds: ['nonsense'] },
    ]) {
      const id = String(wrong.deliveryIds[0]);
      expect(await acme.refusal('svc_connect_integration', wrong)).to.equal(
        missing('Delivery', id, 'svc_list_integrations'),
      );
    }
    expect(await acme.refusal('svc_list_integrations', { integrationId: 'int-none' })).to.equal(
      missing('Integration', 'int-none', 'svc_list_integrations'),
    );
  });

  it('a kind needs the scope that reads it, and ends with it: the key loses it, is revoked, or its member leaves', async () => {
    const { tools } = fixture;
    const narrow = await tools.as({ workspace: 'acme', scopes: ['integrations:write', 'integrations:read'] });
    const asked = { provider: 'webhook', url: receiver.url, events: ['reply.received'] };
    expect(await narrow.refusal('svc_connect_integration', asked)).to.match(
      /^Scope inbox:read is required to follow reply\.received/,
    );
    const { integrationId } = await connect({ events: ['reply.received'] });
    for (const more of [{ url: `${receiver.url}/mine` }, { replayFrom: new Date(0).toISOString() }]) {
      const taking = { provider: 'webhook', integrationId, ...more };
      expect(await narrow.refusal('svc_connect_integration', taking)).to.contain('Scope inbox:read');
    }
    const losses: [string, string][] = [
      ['the scope', `update api_key set scopes = array_remove(scopes, 'leads:read') where id = $1`],
      ['the key', `update api_key set revoked_at = 1 where id = $1`],
      [
        'the membership',
        `delete from member m using api_key k where k.id = $1 and m.user_id = k.user_id and m.workspace_id = 'acme'`,
      ],
    ];
    for (const [what, loses] of losses) {
      const user = await tools.as(what === 'the membership' ? { memberOf: ['acme'] } : { workspace: 'acme' });
      const made = await connect({ events: ['lead.created', 'integration.error'], workspaceId: 'acme' }, user);
      receiver.behave(answer(500));
      await fixture.happen('acme', [created(randomUUID())]);
      await fixture.deliver();
      receiver.behave();
      receiver.got.length = 0;
      await tools.force(loses.replace('$1', '(select subscriber_key from integration where id = $1)'), [
        made.integrationId,
      ]);
      fixture.pass(2 * MINUTE);
      await fixture.deliver();
      await fixture.happen('acme', [created(randomUUID())]);
      await fixture.deliver();
      expect(
        told().filter(({ event }) => event.kind === 'lead.created'),
        what,
      ).to.deep.equal([]);
      const { integrations, deliveries } = await list(made.integrationId);
      expect(integrations[0]?.events, what).not.to.include('lead.created');
      expect(integrations[0]?.lastError, what).to.contain('lead.created: not delivered any more');
      expect(deliveries.filter(({ kind }) => kind === 'lead.created').map(({ state }) => state)).to.deep.equal([
        'dropped',
      ]);
    }
  });

  describe('killed at any point, nothing is lost, and what comes again comes under the same id', () => {
    it('before its events are written for the endpoint', async () => {
      await connect();
      await fixture.happen('acme', [created(randomUUID())]);
      await platform((tx) => numberEvents(tx));
      const now = { product: fixture.tools.cluster.clock.now(), real: 1 };
      const died = await platform(async (tx) => {
        await fanOut(tx, { workspaceId: 'acme', now, newId: randomUUID });
        throw new Error('killed');
      }).catch((error: Error) => error.message);
      expect(died).to.equal('killed');
      await fixture.deliver();
      expect(told()).to.have.length(1);
    });

    for (const [point, dies] of [
      ['under its lease, before it was sent', 2],
      ['when it was sent, before that was kept', 3],
    ] as const) {
      it(point, async () => {
        await connect();
        await fixture.happen('acme', [created(randomUUID())]);
        await fixture.tell();
        let transactions = 0;
        const { db } = fixture.tools.cluster;
        const dying: typeof db.tx = async (scope, work, ...more) => {
          transactions += 1;
          if (transactions > dies - 1 && dies === 3) throw new Error('killed');
          const done = await db.tx(scope, work, ...more);
          if (transactions >= dies) throw new Error('killed');
          return done;
        };
        const killed = fixture.worker({ db: { tx: dying } });
        await killed.look().catch(() => undefined);
        await killed.settled();
        const sent = dies === 3 ? 1 : 0;
        expect(told()).to.have.length(sent);
        await fixture.deliver();
        expect(told(), 'its lease stands').to.have.length(sent);
        await fixture.tools.force('update delivery set lease_until = now()');
        await fixture.deliver();
        expect(told()).to.have.length(sent + 1);
        expect(new Set(idsOf(told()))).to.have.length(1);
      });
    }

    it('two servers that look at once send it once', async () => {
      await connect();
      await fixture.happen(
        'acme',
        Array.from({ length: 20 }, () => created(randomUUID())),
      );
      await fixture.tell();
      const workers = [fixture.worker(), fixture.worker(), fixture.worker()];
      for (let round = 0; round < 4; round++) {
        await Promise.all(workers.map((worker) => worker.look()));
        await Promise.all(workers.map((worker) => worker.settled()));
      }
      expect(idsOf(told())).to.have.length(20);
      expect(new Set(idsOf(told()))).to.have.length(20);
    });
  });

  it('a receiver that does not answer holds eight places, and nobody else waits for it', async () => {
    const rival = await fixture.tools.as({ workspace: 'rival' });
    await connect({ url: `${receiver.url}/slow` });
    await connect({ url: `${receiver.url}/quick` }, rival);
    const held: (() => void)[] = [];
    receiver.behave((got, response) => {
      if (got.path.endsWith('/slow')) held.push(() => response.writeHead(204).end());
      else response.writeHead(204).end();
    });
    await fixture.happen(
      'acme',
      Array.from({ length: 30 }, () => created(randomUUID())),
    );
    await fixture.happen(
      'rival',
      Array.from({ length: 30 }, () => created(randomUUID())),
    );
    await fixture.tell();
    const worker = fixture.worker();
    while (told().filter(({ path }) => path.endsWith('/quick')).length < 30) await worker.look();
    expect(told().filter(({ path }) => path.endsWith('/slow')).length).to.be.at.most(8);
    receiver.behave();
    for (const release of held) release();
    await worker.settled();
    await fixture.deliver(worker);
    expect(told()).to.have.length(60);
  });

  it('an endpoint that does not answer is tried by one delivery a minute, and gets all once it answers', async () => {
    const made = await connect();
    receiver.behave(answer(503));
    await fixture.happen(
      'acme',
      Array.from({ length: 40 }, () => created(randomUUID())),
    );
    await fixture.deliver();
    const first = told().length;
    expect(first).to.be.within(10, 16);
    fixture.pass(MINUTE);
    await fixture.deliver();
    expect(told()).to.have.length(first + 1);
    receiver.behave();
    fixture.pass(MINUTE);
    await fixture.deliver();
    expect(new Set(idsOf(told()))).to.have.length(40);
    expect((await list(made.integrationId, { deliveryState: 'waiting' })).deliveries).to.deep.equal([]);
  });

  it('nothing leaves while sends are frozen, and all of it once they are released', async () => {
    await connect();
    await fixture.tools.force(
      `insert into send_freeze (id, scope, target, channel, reason, frozen_by, since)
       values (gen_random_uuid(), 'workspace', 'acme', 'webhook', 'test', 'test', 1)`,
    );
    await fixture.happen('acme', [created(randomUUID())]);
    await fixture.deliver();
    expect(told()).to.deep.equal([]);
    await fixture.tools.force('delete from send_freeze');
    await fixture.deliver();
    expect(told()).to.have.length(1);
  });

  it('what waits for an endpoint that is disconnected is dropped and counted', async () => {
    const made = await connect();
    receiver.behave(answer(500));
    await fixture.happen('acme', [created(randomUUID()), created(randomUUID())]);
    await fixture.deliver();
    const input = { integrationId: made.integrationId };
    expect(await acme.call('svc_disconnect_integration', input)).to.deep.include({ droppedDeliveries: 2 });
    fixture.pass(DAY);
    receiver.behave();
    await fixture.deliver();
    expect(told()).to.have.length(2);
  });

  it('a chat gets a line it can read, one a second and in order; its address is stored sealed and shown nowhere', async () => {
    const url = `${receiver.url}/T0/B0/a-secret-of-the-channel`;
    const made = await connect({ provider: 'slack', url, events: ['lead.created', 'integration.error'] });
    const texts = (): string[] => receiver.got.map(({ body }) => (JSON.parse(body) as { text: string }).text);
    expect(texts()).to.deep.equal(['Outrider is connected to this channel.']);
    const [row] = await fixture.tools.rows<{ all: string }>(
      'select row_to_json(i)::text as all from integration i where id = $1',
      [made.integrationId],
    );
    expect(row?.all).not.to.contain('a-secret-of-the-channel');
    const reason = 'the key <!channel> & more';
    await fixture.happen('acme', [
      created(randomUUID(), randomUUID()),
      { kind: 'integration.error', data: { integrationId: 'int-1', reason } },
    ]);
    await fixture.deliver();
    expect(texts().slice(1), 'within a second').to.deep.equal([
      '*Leads came into the workspace*\nworkspace acme · 2 leads',
    ]);
    receiver.behave((_got, response) => void response.writeHead(429, { 'retry-after': '30' }).end());
    fixture.pass(1_001);
    await fixture.deliver();
    fixture.pass(29_000);
    await fixture.deliver();
    expect(texts(), 'asked for patience').to.have.length(3);
    receiver.behave((got, response) => void response.writeHead(404).end(`no_service ${got.path}`));
    fixture.pass(60_000);
    await fixture.deliver();
    const listed = JSON.stringify(await list(made.integrationId));
    expect(listed).to.contain('answered 404: no_service /…').and.not.contain('a-secret-of-the-channel');
    receiver.behave();
    fixture.pass(2 * MINUTE);
    await fixture.deliver();
    expect(texts().at(-1)).to.equal(
      '*A connected system refuses us or cannot be reached*: the key &lt;!channel&gt; &amp; more\nworkspace acme · integration int-1',
    );
  });

  describe('docs/webhooks.md', () => {
    const page = readFileSync(new URL('../../../../docs/webhooks.md', import.meta.url), 'utf8');
    const blocks = [...page.matchAll(/<!-- (call|receiver): (\w+) -->\n```(?:json|js)\n([\s\S]*?)```/g)];
    const named = (what: string) =>
      blocks.filter(([, kind]) => kind === what).map(([, , name = '', text = '']) => ({ name, text }));

    it('each call works as it stands there', async () => {
      expect(page.match(/```json/g)).to.have.length(named('call').length);
      expect(named('call')).to.have.length(6);
      const made = await connect();
      await fixture.happen('acme', [created(randomUUID())]);
      await fixture.deliver();
      const [known] = (await list(made.integrationId)).deliveries;
      for (const { name, text } of named('call')) {
        const input = JSON.parse(text) as Record<string, string | object>;
        await acme.call(name, {
          ...input,
          ...(input['url'] ? { url: receiver.url } : {}),
          ...(input['integrationId'] ? { integrationId: made.integrationId } : {}),
          ...(input['deliveryIds'] ? { deliveryIds: [known?.deliveryId] } : {}),
        });
      }
    });

    it('each receiver reads what arrives, also while the secret is rotated, and nothing else', async () => {
      const made = await connect();
      const renew = { provider: 'webhook', integrationId: made.integrationId };
      const renewed = await acme.call<Connected>('svc_connect_integration', renew);
      await fixture.happen('acme', [created(randomUUID())]);
      await fixture.deliver();
      const [got] = told();
      if (!got) throw new Error('nothing was delivered');
      expect(named('receiver').map(({ name }) => name)).to.deep.equal(['standard', 'plain']);
      for (const { name, text } of named('receiver')) {
        const source = text.replace(`'standardwebhooks'`, `'${import.meta.resolve('standardwebhooks')}'`);
        const { read } = (await import(`data:text/javascript,${encodeURIComponent(source)}`)) as Reader;
        for (const { signingSecret } of [made, renewed]) {
          expect(read(signingSecret, got.headers, got.body), name).to.deep.equal(got.event);
        }
        const old = { 'x-svc-timestamp': '1', 'webhook-timestamp': '1' };
        expect(() => read('whsec_AAAA', got.headers, got.body), `${name}: another's secret`).to.throw();
        expect(() => read(made.signingSecret, got.headers, `${got.body} `), `${name}: another body`).to.throw();
        expect(() => read(made.signingSecret, { ...got.headers, ...old }, got.body), `${name}: old`).to.throw();
      }
    });
  });

  it('a workspace has twenty webhooks and chats at most', async () => {
    await fixture.tools.force(
      `insert into integration (id, workspace_id, provider, kind, created_at)
       select 'int-many-' || n, 'acme', 'webhook', 'webhook', 1 from generate_series(1, 20) n`,
    );
    const refusal = await acme.refusal('svc_connect_integration', { provider: 'webhook', url: receiver.url });
    expect(refusal).to.contain('20 webhooks and chats at most; call svc_disconnect_integration');
  });

  it('what became of deliveries is kept for 30 days', async () => {
    const made = await connect();
    await fixture.happen('acme', [created(randomUUID())]);
    await fixture.deliver();
    const forget = (days: number): Promise<boolean> =>
      platform((tx) => forgetDeliveries(tx, fixture.tools.cluster.clock.now() + days * DAY));
    await forget(29);
    expect((await list(made.integrationId)).deliveries).to.have.length(1);
    await forget(31);
    expect((await list(made.integrationId)).deliveries).to.deep.equal([]);
  });
});
