import { z } from 'zod';
import { type Call, Refusal, type Reply } from './http.ts';
import { readCursor, readLimit, writeCursor } from './listing.ts';
import { allWebhooks } from './webhook-bodies.ts';
import type { World } from './world.ts';

const MAX_WEBHOOKS = 100;

const createBody = z.object({
  source: z.enum(['users', 'messaging', 'account_status']),
  request_url: z.url().max(2_000),
  name: z.string().max(200).default(''),
  headers: z
    .array(z.object({ key: z.string().max(200), value: z.string().max(2_000) }))
    .max(20)
    .default([]),
  account_ids: z.array(z.string().max(200)).max(1_000).default([]),
});

const OWN_HOSTS: readonly string[] = ['127.0.0.1', 'localhost', '[::1]'];

/** `POST webhooks`; only this machine and the hosts that the sandbox was told of are ever called. */
export function createWebhook(world: World, call: Call): Reply {
  const parsed = createBody.safeParse(call.body);
  if (!parsed.success) throw new Refusal(400, 'invalid_parameters', z.prettifyError(parsed.error));
  const { source, request_url, name, headers, account_ids } = parsed.data;
  if (![...OWN_HOSTS, ...world.webhookHosts].includes(new URL(request_url).hostname)) {
    throw new Refusal(
      400,
      'invalid_parameters',
      'the sandbox calls only addresses of this machine and those it was told of',
    );
  }
  if (allWebhooks(world).length >= MAX_WEBHOOKS) throw new Refusal(422, 'limit_exceeded', 'too many webhooks');
  const id = world.ids.uuid();
  const body = JSON.stringify({ requestUrl: request_url, name, headers, accountIds: account_ids });
  world.store.run('insert into webhook (id, source, body) values (?, ?, ?)', id, source, body);
  return { status: 201, body: { object: 'WebhookCreated', webhook_id: id } };
}

/** `GET webhooks` */
export function listWebhooks(world: World, call: Call): Reply {
  const limit = readLimit(call);
  const offset = readCursor(call) ?? 0;
  const all = allWebhooks(world);
  const items = all.slice(offset, offset + limit).map((hook) => ({
    object: 'Webhook',
    type: 'AUTO',
    id: hook.id,
    source: hook.source,
    name: hook.name,
    request_url: hook.requestUrl,
    enabled: true,
    format: 'json',
    headers: hook.headers,
    data: [],
    account_ids: hook.accountIds.map((id) => ({ id, type: 'LINKEDIN' })),
  }));
  return {
    status: 200,
    body: { object: 'WebhookList', items, cursor: all.length > offset + limit ? writeCursor(offset + limit) : null },
  };
}

/** `DELETE webhooks/{id}` */
export function deleteWebhook(world: World, call: Call): Reply {
  const id = call.path[1] ?? '';
  if (!world.store.one('select 1 as x from webhook where id = ?', id))
    throw new Refusal(404, 'resource_not_found', 'no such webhook');
  world.store.run('delete from webhook where id = ?', id);
  return { status: 200, body: { object: 'WebhookDeleted' } };
}
